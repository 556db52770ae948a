"""A smoke run with the previous DuckDB line, 1.4.4, in a virtual environment of its own.

The environment is made at the first run, in the project's folder, and kept; git ignores it.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.duckdb_environments import VERSIONS, duckdb_python

LINE = "1.4"
SCRIPT = Path(__file__).with_name("duckdb_1_4_script.py")

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]


@pytest.fixture(scope="session")
def old_duckdb_python() -> Path:
    """The Python of an environment with DuckDB 1.4.4 and its extensions; a failed installation fails the test."""
    return duckdb_python(LINE)


def test_duckdb_1_4_creates_changes_and_reads_a_lake(old_duckdb_python: Path, dsn: str, tmp_path: Path) -> None:
    done = subprocess.run(
        [old_duckdb_python, SCRIPT, dsn, tmp_path / "data"], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.strip() == f"all as expected under DuckDB {VERSIONS[LINE]}"
