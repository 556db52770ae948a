"""Servers with DuckDB clients on them, for tests of commands that copy lakes."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.cli.console import Ended
from tests.duckdb_client import LakeClient
from tests.servers import RockLakeServer

WRITERS = 4
COMMITS_MIN = 12
"""Commits that each writer makes, at least, while backups run."""


def done(ended: Ended) -> list[dict[str, object]]:
    assert ended.code == 0, ended
    records: list[dict[str, object]] = json.loads(ended.stdout)
    return records


def refused(ended: Ended, code: int = 1) -> str:
    assert ended.code == code, ended
    assert ended.stdout == ""
    (line,) = ended.stderr.splitlines()
    return line.removeprefix("rocklake: ")


@contextmanager
def serving(store: str, tmp_path: Path, variables: dict[str, str] | None = None) -> Iterator[RockLakeServer]:
    server = RockLakeServer(store, logs=tmp_path, environment=variables)
    server.start()
    try:
        yield server
    finally:
        server.stop()


def client(server: RockLakeServer, tmp_path: Path, lake: str = "lake") -> LakeClient:
    return LakeClient(server.dsn(lake), tmp_path / "data")


def small_lake(server: RockLakeServer, tmp_path: Path, lake: str = "lake") -> None:
    with client(server, tmp_path, lake) as duck:
        duck.run("CREATE TABLE t(a INTEGER)", "INSERT INTO t VALUES (1), (2)", "DELETE FROM t WHERE a = 1",
                 "CREATE TABLE big AS SELECT i FROM range(500) r(i)")  # fmt: skip


def contents(duck: LakeClient, at: str = "") -> list[tuple[object, ...]]:
    """Every row of every table, in the newest state or at ``at``."""
    tables = [name for (name,) in duck.rows("SELECT table_name FROM duckdb_tables() WHERE database_name = 'lake'")]
    return [(table, *row) for table in sorted(tables) for row in duck.rows(f"FROM {table} {at} ORDER BY ALL")]


def write_until(stop: threading.Event, server: RockLakeServer, tmp_path: Path, number: int, commits: list[int]) -> None:
    with client(server, tmp_path) as duck:
        while not stop.is_set() or commits[number] < COMMITS_MIN:
            duck.run(f"INSERT INTO w{number} SELECT {commits[number]}, i FROM range(3) r(i)")
            if commits[number] % 5 == 4:
                duck.run(f"DELETE FROM w{number} WHERE n = {commits[number] - 2}")
            commits[number] += 1
