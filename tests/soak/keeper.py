"""Brings back data files that a DuckLake client removed although its commit had landed.

A client that loses its server during a COMMIT, or is told that the outcome is unknown, removes the files that it wrote
for it; on PostgreSQL it does the same. The catalog may have the commit all the same, and nobody could read the table
then. So the keeper holds a link to each file, and gives it its name back when something had gone wrong at that time.
"""

from __future__ import annotations

import os
import threading
import time
from pathlib import Path

from tests.duckdb_client import LakeClient
from tests.soak.roles import TABLES

POLL_SECONDS = 0.02
GRACE_SECONDS = 30.0
"""How long after trouble a client may come to know of it."""


class Keeper:
    """Watches a data folder from its own thread until ``stop``."""

    def __init__(self, data: Path, kept: Path) -> None:
        self._data = data
        self._kept = kept
        self._held: dict[Path, Path] = {}
        self._gone_at: dict[Path, float] = {}
        self._trouble: list[tuple[float, float]] = []
        self._stopped = threading.Event()
        kept.mkdir()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()

    def trouble(self, begun: float, ended: float) -> None:
        """Something was wrong between these times of the monotonic clock."""
        self._trouble.append((begun, ended + GRACE_SECONDS))

    def restore(self, lake: LakeClient) -> tuple[int, list[str]]:
        """How many files of the newest snapshot came back, and a sentence for each that no trouble explains."""
        restored, faults = 0, []
        for path in _named_files(lake):
            if path.exists():
                continue
            gone_at = self._gone_at.get(path)
            if gone_at is None or not any(begun <= gone_at <= ended for begun, ended in self._trouble):
                faults.append(f"{path.name} is part of the newest snapshot and gone, though nothing was wrong")
            elif path in self._held:
                os.link(self._held[path], path)
                self._gone_at.pop(path)
                restored += 1
        return restored, faults

    def stop(self) -> None:
        self._stopped.set()
        self._thread.join()

    def _watch(self) -> None:
        while not self._stopped.wait(POLL_SECONDS):
            there = {Path(root, name) for root, _, names in os.walk(self._data) for name in names}
            for path in there - self._held.keys():
                held = self._kept / f"{len(self._held)}.parquet"
                try:
                    os.link(path, held)
                except FileNotFoundError:
                    continue  # removed meanwhile
                self._held[path] = held
            for path in self._held.keys() - there - self._gone_at.keys():
                self._gone_at[path] = time.monotonic()


def _named_files(lake: LakeClient) -> list[Path]:
    return [Path(str(name)) for table in TABLES for row in lake.rows(
        f"SELECT data_file, delete_file FROM ducklake_list_files('lake', '{table}')"
    ) for name in row if name is not None]
