"""SIGTERM: running statements and commits finish, everything acknowledged is there afterwards."""

from __future__ import annotations

import os
import signal
import threading
import time
from pathlib import Path

import psycopg
import pytest

from rocklake_server.wire import messages as m
from tests.server.conftest import SOON_S
from tests.server.raw_client import RawClient
from tests.servers import RockLakeServer


@pytest.fixture
def stored(tmp_path: Path) -> RockLakeServer:
    """A running server on a folder; the test stops it."""
    logs = tmp_path / "logs"
    logs.mkdir()
    server = RockLakeServer(f"file://{tmp_path / 'store'}", logs=logs)
    server.start()
    with psycopg.connect(server.dsn("lake"), autocommit=True) as connection:
        connection.execute("CREATE TABLE t (a bigint PRIMARY KEY, b text)")
    return server


def _write_until_stopped(server: RockLakeServer, start: int, acknowledged: list[int]) -> None:
    def write() -> None:
        with psycopg.connect(server.dsn("lake"), autocommit=True) as connection:
            for number in range(start, start + 100_000):
                connection.execute("INSERT INTO t VALUES (%s, 'x')", [number])
                acknowledged.append(number)

    with pytest.raises(psycopg.OperationalError) as caught:
        write()
    assert caught.value.sqlstate in (None, "57P01")


def test_commits_that_run_are_finished(stored: RockLakeServer) -> None:
    acknowledged: list[list[int]] = [[] for _ in range(4)]
    writers = [
        threading.Thread(target=_write_until_stopped, args=(stored, position * 1_000_000, kept))
        for position, kept in enumerate(acknowledged)
    ]
    for writer in writers:
        writer.start()
    time.sleep(1.0)
    stored.stop()
    for writer in writers:
        writer.join(SOON_S)
        assert not writer.is_alive()
    stored.start()
    with psycopg.connect(stored.dsn("lake")) as connection:
        kept = {row[0] for row in connection.execute("SELECT a FROM t").fetchall()}
    stored.stop()
    assert all(len(numbers) > 3 for numbers in acknowledged)
    missing = {number for numbers in acknowledged for number in numbers} - kept
    assert not missing
    assert len(kept) <= sum(map(len, acknowledged)) + len(writers)
    assert "Traceback" not in stored.log_tail()


def test_an_idle_session_is_told_why_it_ends(stored: RockLakeServer) -> None:
    with RawClient(stored.port).login() as client, RawClient(stored.port):
        began = time.monotonic()
        stored.stop()
        assert time.monotonic() - began < SOON_S
        (error,) = client.until(m.ErrorResponse)
        assert isinstance(error, m.ErrorResponse)
        assert (error.fields["S"], error.fields["C"]) == ("FATAL", "57P01")
        assert client.rest() == b""


def test_an_open_block_may_finish(stored: RockLakeServer) -> None:
    with psycopg.connect(stored.dsn("lake")) as connection:
        connection.execute("INSERT INTO t VALUES (1, 'x')")
        os.kill(stored.pid, signal.SIGTERM)
        time.sleep(0.3)
        with pytest.raises(psycopg.OperationalError):
            psycopg.connect(stored.dsn("lake"), connect_timeout=3)
        connection.execute("INSERT INTO t VALUES (2, 'x')")
        connection.commit()
    stored.stop()
    stored.start()
    with psycopg.connect(stored.dsn("lake")) as connection:
        assert connection.execute("SELECT count(*) FROM t").fetchone() == (2,)
    stored.stop()
