"""A smoke run with the previous DuckDB line, 1.4.4, in a virtual environment of its own.

The environment is made at the first run, in the project's folder, and kept; git ignores it.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

VERSION = "1.4.4"
PACKAGES = ("duckdb", "duckdb-extension-ducklake", "duckdb-extension-postgres-scanner")
ROOT = Path(__file__).parents[2]
SCRIPT = Path(__file__).with_name("duckdb_1_4_script.py")

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]


@pytest.fixture(scope="session")
def old_duckdb_python() -> Path:
    """The Python of an environment with DuckDB 1.4.4 and its extensions; a failed installation fails the test."""
    folder = ROOT / ".venv-duckdb-1.4"
    python = folder / "bin" / "python"
    complete = folder / "complete"
    if not complete.exists():
        shutil.rmtree(folder, ignore_errors=True)
        subprocess.run([sys.executable, "-m", "venv", folder], check=True, timeout=120)
        wanted = [f"{package}=={VERSION}" for package in PACKAGES]
        (folder / ".gitignore").write_text("*\n")  # an environment is never part of the repository
        subprocess.run([python, "-m", "pip", "install", "--quiet", *wanted], check=True, timeout=240)
        complete.touch()
    return python


def test_duckdb_1_4_creates_changes_and_reads_a_lake(old_duckdb_python: Path, dsn: str, tmp_path: Path) -> None:
    done = subprocess.run(
        [old_duckdb_python, SCRIPT, dsn, tmp_path / "data"], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.strip() == f"all as expected under DuckDB {VERSION}"
