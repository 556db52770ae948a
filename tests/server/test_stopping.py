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
from rocklake_server.wire.layout import decode_backend
from tests.s3_stub import S3Stub
from tests.server.conftest import SOON_S
from tests.server.raw_client import RawClient
from tests.servers import RockLakeServer

DEADLINE_S = 1


def _started(tmp_path: Path, store: str, **environment: str) -> RockLakeServer:
    logs = tmp_path / "logs"
    logs.mkdir()
    server = RockLakeServer(store, logs=logs, environment=environment)
    server.start()
    return server


@pytest.fixture
def stored(tmp_path: Path) -> RockLakeServer:
    """A running server on a folder; the test stops it."""
    server = _started(tmp_path, f"file://{tmp_path / 'store'}")
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


def _told(client: RawClient) -> list[m.BackendMessage]:
    """What comes until the server closes the connection."""
    return list(decode_backend(client.rest()))


def _is_told_to_leave(replies: list[m.BackendMessage]) -> bool:
    error = replies[-1]
    return isinstance(error, m.ErrorResponse) and (error.fields["S"], error.fields["C"]) == ("FATAL", "57P01")


def test_after_the_deadline_everything_ends_but_commits(tmp_path: Path) -> None:
    """A block, a statement that computes, one that waits, a client that never reads, a connection that starts up."""
    server = _started(tmp_path, "memory:///deadline", ROCKLAKE_DRAIN_TIMEOUT=str(DEADLINE_S))
    with psycopg.connect(server.dsn("lake"), autocommit=True) as setup:
        setup.execute("CREATE TABLE t (a bigint PRIMARY KEY, b text)")
        with setup.cursor().copy("COPY t FROM STDIN") as copy:
            for number in range(20_000):
                copy.write_row((number, "x" * 100))
    texts = {
        "block": "BEGIN; INSERT INTO t VALUES (-1, 'held')",
        "computes": "SELECT count(*) FROM t x, t y WHERE x.a + y.a < 0",
        "waits": "INSERT INTO t VALUES (-1, 'waits')",
        "reads": "SELECT * FROM t, (VALUES (1), (2), (3), (4), (5)) v",
    }
    clients = {name: RawClient(server.port, receive_buffer_bytes=4096).login() for name in texts}
    starting = RawClient(server.port)
    for name, client in clients.items():
        client.send(m.Query(texts[name]))
        if name == "block":
            client.until(m.ReadyForQuery)
    time.sleep(0.3)
    began = time.monotonic()
    server.stop()
    assert DEADLINE_S * 0.8 < time.monotonic() - began < SOON_S
    for name in ("block", "computes", "waits"):
        assert _is_told_to_leave(_told(clients[name])), name
    for client in (*clients.values(), starting):
        client.socket.close()
    assert "Traceback" not in server.log_tail()


def test_a_commit_under_way_at_the_deadline_is_seen_through_and_answered(tmp_path: Path) -> None:
    with S3Stub("lakes") as stub:
        environment = dict(stub.variables) | {"ROCKLAKE_DRAIN_TIMEOUT": "0.2"}
        server = _started(tmp_path, "s3://lakes/drain", **environment)
        with psycopg.connect(server.dsn("lake"), autocommit=True) as setup:
            setup.execute("CREATE TABLE t (a bigint PRIMARY KEY)")
        client = RawClient(server.port).login()
        stub.delays_s["PUT"] = 1.0
        client.send(m.Query("BEGIN; INSERT INTO t VALUES (1); COMMIT"))
        time.sleep(0.3)
        os.kill(server.pid, signal.SIGTERM)
        replies = _told(client)
        stub.delays_s.clear()
        server.stop()
        assert [reply.command_tag for reply in replies if isinstance(reply, m.CommandComplete)][-1:] == ["COMMIT"]
        assert _is_told_to_leave(replies)
        client.socket.close()
        server.start()
        with psycopg.connect(server.dsn("lake")) as connection:
            assert connection.execute("SELECT a FROM t").fetchall() == [(1,)]
        server.stop()
