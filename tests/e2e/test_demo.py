"""The demo that ``make demo`` runs: it succeeds on an empty folder, twice, and shows no traceback."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

DEMO = Path(__file__).parents[2] / "demo" / "demo.py"

pytestmark = pytest.mark.slow


def run_demo(folder: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(DEMO)]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=100, check=False)


def test_the_demo_tells_its_story_and_can_be_repeated(tmp_path: Path) -> None:
    for _ in range(2):
        done = run_demo(tmp_path)
        assert done.returncode == 0, done.stdout + done.stderr
        assert done.stderr == ""
        for part in ("CREATE TABLE trips", "AT (VERSION => 2)", "AT (TIMESTAMP =>", "ALTER TABLE", "UPDATE trips"):
            assert part in done.stdout
        assert "ATTACH 'ducklake:postgres:" in done.stdout.splitlines()[-1]
