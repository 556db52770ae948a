"""What a measurement depends on beside the code: the machine, the versions, how busy it was."""

from __future__ import annotations

import os
import platform
import re
from importlib.metadata import version
from pathlib import Path

import duckdb

PACKAGES = ("rocklake-server", "duckdb", "duckdb-extension-ducklake", "slatedb", "uvloop", "sqlglot", "psycopg")
"""Those whose version moves a figure."""


def surroundings() -> dict[str, object]:
    """``machine`` and ``versions``, for the JSON of a run."""
    return {"machine": machine(), "versions": versions()}


def machine() -> dict[str, object]:
    memory_bytes = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return {
        "processor": _processor(),
        "cores": len(os.sched_getaffinity(0)),
        "memory_gib": round(memory_bytes / 2**30, 1),
        "system": f"{platform.system()} {platform.release()}",
        "load_average": [round(load, 2) for load in os.getloadavg()],
    }


def versions() -> dict[str, str]:
    return {"python": platform.python_version(), **{package: version(package) for package in PACKAGES},
            "duckdb library": duckdb.__version__}


def _processor() -> str:
    try:
        found = re.search(r"^model name\s*:\s*(.+)$", Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    except OSError:
        found = None
    return found[1] if found else platform.processor()
