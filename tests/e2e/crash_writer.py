"""A DuckDB client that commits one number after another and says so, until its server is killed.

Usage: python -m tests.e2e.crash_writer DSN DATA_FOLDER FIRST_NUMBER
"""

from __future__ import annotations

import itertools
import os
import sys
from pathlib import Path

import duckdb

from tests.duckdb_client import LakeClient


def main(dsn: str, data_folder: str, first: str) -> None:
    lake = LakeClient(dsn, Path(data_folder))
    try:
        for number in itertools.count(int(first)):
            print("tried", number, flush=True)
            lake.run("BEGIN", f"INSERT INTO one VALUES ({number})", f"INSERT INTO two VALUES ({number})", "COMMIT")
            print("acknowledged", number, flush=True)
    except duckdb.Error:
        os._exit(1)  # nothing is closed: a client whose server is gone may hang or abort there


if __name__ == "__main__":
    main(*sys.argv[1:])
