"""One client process of a soak run. Prints what it tries and what it was told, a line each, until it is killed.

Usage: python -m tests.soak.client ROLE DSN DATA_FOLDER NUMBER SEED FIRST
"""

from __future__ import annotations

import itertools
import os
import random
import sys
import time
from pathlib import Path

import duckdb

from tests.duckdb_client import LakeClient
from tests.soak.roles import ROLES, Broken

PAUSE_SECONDS = {"append": 0.05, "transfer": 0.05, "read": 0.5, "maintain": 2.0}


def say(word: str, *details: object) -> None:
    print(word, *details, flush=True)


def main(role: str, dsn: str, data_folder: str, number: str, seed: str, first: str) -> None:
    """Ends with code 1 when the server is gone: nothing is closed then, since DuckDB may hang or abort there."""
    chance = random.Random(seed)
    lake = LakeClient(dsn, Path(data_folder))
    numbers = itertools.count(int(first))
    while True:
        try:
            for _ in ROLES[role](lake, int(number), chance, numbers, say):
                time.sleep(PAUSE_SECONDS[role])
        except Broken as error:
            say("broken", error)
            os._exit(2)
        except duckdb.Error as error:
            say("failed", " ".join(str(error).split()))
        try:
            lake.run("ROLLBACK")
        except duckdb.Error:
            pass  # there was none
        try:
            lake.value("SELECT 1 FROM ducklake_snapshots('lake') LIMIT 1")
        except duckdb.Error:
            os._exit(1)


if __name__ == "__main__":
    main(*sys.argv[1:])
