"""Virtual environments with the DuckDB versions that people run, in the project's folder as ``.venv-duckdb-1.4``.

An environment is made at its first use and kept; packages that a later caller needs are added to it.
"""

from __future__ import annotations

import fcntl
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

PROJECT = Path(__file__).parents[1]
VERSIONS = {"1.4": "1.4.4", "1.5": "1.5.5"}
"""The newest version of each line."""
CLIENT_EXTENSIONS = ("ducklake", "postgres_scanner")
SUITE_EXTENSIONS = (*CLIENT_EXTENSIONS, "httpfs", "spatial", "sqlite_scanner", "tpch")
"""What the files of DuckLake's own suite require."""
RUNNER_PACKAGES = ("pyarrow", "pytz")
"""What a run of test files needs besides DuckDB: pytz is DuckDB's own need for TIMESTAMPTZ values."""
MAKE_SECONDS_MAX = 120
INSTALL_SECONDS_MAX = 400


def duckdb_python(line: str, extensions: Iterable[str] = CLIENT_EXTENSIONS, others: Iterable[str] = ()) -> Path:
    """The Python of the environment of a line of ``VERSIONS``, with those extensions and ``others`` installed.

    Raises subprocess.SubprocessError when an installation fails. Processes that want the same environment at once
    wait for each other.
    """
    version = VERSIONS[line]
    folder = PROJECT / f".venv-duckdb-{line}"
    names = ["duckdb", *(f"duckdb-extension-{name.replace('_', '-')}" for name in extensions)]
    wanted = {*(f"{name}=={version}" for name in names), *others}
    folder.mkdir(exist_ok=True)
    (folder / ".gitignore").write_text("*\n")  # an environment is never part of the repository
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        return _with_packages(folder, wanted)


def _with_packages(folder: Path, wanted: set[str]) -> Path:
    """The environment's Python, after adding what is wanted; ``complete`` lists what is installed."""
    python, complete = folder / "bin" / "python", folder / "complete"
    installed = set(complete.read_text().split()) if complete.exists() else set()
    if wanted <= installed:
        return python
    if not installed:
        subprocess.run([sys.executable, "-m", "venv", folder], check=True, timeout=MAKE_SECONDS_MAX)
    install = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *sorted(wanted)]
    subprocess.run(install, check=True, timeout=INSTALL_SECONDS_MAX)
    complete.write_text("\n".join(sorted(installed | wanted)) + "\n")
    return python
