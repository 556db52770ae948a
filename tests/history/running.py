"""Starts writers on one lake, all at the same moment, and collects their journals."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.duckdb_client import LakeClient

ROOT = Path(__file__).parents[2]
GRACE_S = 120.0
"""For the last transactions of a run, on a busy machine."""

Rows = list[list[int]]


@dataclass
class Journal:
    """What one writer was told: the messages of its transactions by outcome, and its rows by table. ``shared`` are
    the messages of those that touched the table that all share."""

    number: int
    committed: list[str] = field(default_factory=list)
    failed: dict[str, str] = field(default_factory=dict)
    shared: set[str] = field(default_factory=set)
    rows: dict[str, Rows] = field(default_factory=dict)

    def add(self, line: dict[str, Any]) -> None:
        if "rows" in line:
            self.rows = line["rows"]
        elif "message" in line:
            if line["shares"]:
                self.shared.add(line["message"])
            if line["error"] is None:
                self.committed.append(line["message"])
            else:
                self.failed[line["message"]] = line["error"]


def prepare(dsn: str, data: Path, writers: int) -> int:
    """Make the tables; returns the newest snapshot."""
    with LakeClient(dsn, data) as lake:
        for table in ("shared", *(f"own_{number}" for number in range(writers))):
            lake.run(f"CREATE TABLE {table}(writer INTEGER, n INTEGER, v INTEGER)")
        return lake.snapshot()


def write(dsn: str, data: Path, writers: int, seconds: float, seed: int) -> list[Journal]:
    """Run the writers; all of them begin when the last one has attached. Raises when one ends in another way than it
    should."""
    processes = [_start(dsn, data, number, seed + number, seconds) for number in range(writers)]
    try:
        for process in processes:
            assert process.stdout is not None
            assert json.loads(process.stdout.readline()) == {"ready": True}
        for process in processes:
            assert process.stdin is not None
            process.stdin.write("go\n")
            process.stdin.flush()
        return [_journal(number, process, seconds) for number, process in enumerate(processes)]
    finally:
        for process in processes:
            process.kill()
            process.communicate()


def _start(dsn: str, data: Path, number: int, seed: int, seconds: float) -> subprocess.Popen[str]:
    arguments = [dsn, str(data), str(number), str(seed), str(seconds)]
    return subprocess.Popen(
        [sys.executable, "-m", "tests.history.writer", *arguments],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=ROOT,
    )  # fmt: skip


def _journal(number: int, process: subprocess.Popen[str], seconds: float) -> Journal:
    output, errors = process.communicate(timeout=seconds + GRACE_S)
    assert process.returncode == 0, errors[-2000:]
    journal = Journal(number)
    for line in output.splitlines():
        journal.add(json.loads(line))
    return journal
