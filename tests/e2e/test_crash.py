"""kill -9 in the middle of a stream of commits: every acknowledged commit is there, and none is half there."""

from __future__ import annotations

import random
import subprocess
import sys
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path

import psycopg
import pytest

from tests.duckdb_client import LakeClient
from tests.servers import CatalogServer

ROOT = Path(__file__).parents[2]
ROUNDS = 4
SEED = 20240229
ROWS_PER_TRANSACTION = 5
STREAM_SECONDS = (0.4, 1.6)

pytestmark = pytest.mark.slow


@dataclass
class Stream:
    """The numbers that a writer tried to commit, and those that the server said it had committed."""

    tried: list[int] = field(default_factory=list)
    acknowledged: list[int] = field(default_factory=list)
    ended: threading.Event = field(default_factory=threading.Event)

    def check(self, found: set[int]) -> None:
        """All acknowledged ones are there; beyond them at most the last one tried, whose answer was lost."""
        assert set(self.acknowledged) <= found, f"lost: {sorted(set(self.acknowledged) - found)}"
        extra = found - set(self.acknowledged)
        assert extra <= set(self.tried), f"never sent: {sorted(extra - set(self.tried))}"
        self.acknowledged = sorted(found)
        self.tried = sorted(found)


def _write_through_duckdb(dsn: str, data_path: Path, stream: Stream, first: int) -> None:
    """The client is a process of its own: losing its server in a commit may abort DuckDB."""
    command = [sys.executable, "-m", "tests.e2e.crash_writer", dsn, str(data_path), str(first)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, cwd=ROOT) as writer:
        assert writer.stdout is not None
        for line in writer.stdout:
            word, number = line.split()
            (stream.tried if word == "tried" else stream.acknowledged).append(int(number))
            if stream.ended.is_set():
                writer.kill()


def _write_through_psycopg(dsn: str, stream: Stream, first: int) -> None:
    try:
        with psycopg.connect(dsn, autocommit=True) as connection:
            for number in range(first, first + 100_000):
                if stream.ended.is_set():
                    return
                stream.tried.append(number)
                connection.execute("BEGIN")
                for part in range(ROWS_PER_TRANSACTION):
                    connection.execute(f"INSERT INTO notes VALUES ({number}, {part})")
                connection.execute("COMMIT")
                stream.acknowledged.append(number)
    except psycopg.Error:
        pass  # the server was killed


def _stream_until_killed(server: CatalogServer, dsn: str, data_path: Path, streams: list[Stream], wait: float) -> None:
    first = max([0, *streams[0].tried, *streams[1].tried]) + 1
    threads = [
        threading.Thread(target=_write_through_duckdb, args=(dsn, data_path, streams[0], first)),
        threading.Thread(target=_write_through_psycopg, args=(dsn, streams[1], first)),
    ]
    acknowledged = [len(stream.acknowledged) for stream in streams]
    for stream in streams:
        stream.ended.clear()
    for thread in threads:
        thread.start()
    deadline = time.monotonic() + 30
    while any(len(s.acknowledged) == n for s, n in zip(streams, acknowledged, strict=True)):
        assert time.monotonic() < deadline, "a writer committed nothing"
        time.sleep(0.01)
    time.sleep(wait)
    server.kill()
    for stream in streams:
        stream.ended.set()  # for a server that only ends connections
    for thread in threads:
        thread.join(30)
        assert not thread.is_alive(), "a client hangs on a dead server"


def _check(dsn: str, data_path: Path, streams: list[Stream]) -> None:
    with LakeClient(dsn, data_path) as lake:
        one, two = ([n for (n,) in lake.rows(f"SELECT n FROM {table} ORDER BY n")] for table in ("one", "two"))
        assert one == two, "half a commit"
        assert len(one) == len(set(one)), "a commit was applied twice"
        streams[0].check(set(one))
        snapshots = lake.rows("SELECT snapshot_id FROM ducklake_snapshots('lake') ORDER BY 1")
        assert [number for (number,) in snapshots] == list(range(3 + len(one)))
    with psycopg.connect(dsn, autocommit=True) as connection:
        parts: dict[int, list[int]] = {}
        for number, part in connection.execute("SELECT number, part FROM notes"):
            parts.setdefault(number, []).append(part)
    for number, found in parts.items():
        assert sorted(found) == list(range(ROWS_PER_TRANSACTION)), f"half of commit {number}"
    streams[1].check(set(parts))


def test_acknowledged_commits_survive_kill_9(rocklake_server: CatalogServer, dbname: str, tmp_path: Path) -> None:
    moments = random.Random(SEED)
    dsn, data_path = rocklake_server.dsn(dbname), tmp_path / "data"
    streams = [Stream(), Stream()]
    with LakeClient(dsn, data_path) as lake:
        lake.run("CREATE TABLE one(n INTEGER)", "CREATE TABLE two(n INTEGER)")
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute("CREATE TABLE notes(number BIGINT, part BIGINT)")
    for _ in range(ROUNDS):
        _stream_until_killed(rocklake_server, dsn, data_path, streams, moments.uniform(*STREAM_SECONDS))
        rocklake_server.start()
        _check(dsn, data_path, streams)
    assert len(streams[0].acknowledged) >= ROUNDS
    assert len(streams[1].acknowledged) >= ROUNDS
