"""CancelRequest, the timeouts, deadlocks and the limit on sessions."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import psycopg
import pytest

from rocklake_server.server.listener import connections_allowed
from rocklake_server.wire import messages as m
from rocklake_server.wire.startup import CancelRequest
from tests.server.conftest import MAX_CONNECTIONS, SOON_S, Connection, wait_for_free_sessions
from tests.server.raw_client import STARTUP, RawClient
from tests.servers import RockLakeServer

MANY_ROWS = 20_000


@contextmanager
def _later(action: Callable[[], object], seconds: float) -> Iterator[None]:
    timer = threading.Timer(seconds, action)
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()


@pytest.fixture
def holder(server: RockLakeServer, connection: Connection) -> Iterator[Connection]:
    """A transaction that holds the primary key 3 of table ``t``."""
    with psycopg.connect(server.dsn("lake")) as other:
        other.execute("INSERT INTO t VALUES (3, 'held')")
        yield other


def test_a_statement_that_waits_is_cancelled(connection: Connection, holder: Connection) -> None:
    with _later(connection.cancel, 0.2), pytest.raises(psycopg.errors.QueryCanceled, match="due to user request"):
        connection.execute("INSERT INTO t VALUES (3, 'mine')")
    holder.rollback()
    connection.execute("INSERT INTO t VALUES (3, 'mine')")


def test_a_cancelled_block_waits_for_its_rollback(connection: Connection, holder: Connection) -> None:
    connection.execute("BEGIN")
    connection.execute("INSERT INTO t VALUES (4, 'mine')")
    with _later(connection.cancel, 0.2), pytest.raises(psycopg.errors.QueryCanceled):
        connection.execute("INSERT INTO t VALUES (3, 'mine')")
    with pytest.raises(psycopg.errors.InFailedSqlTransaction):
        connection.execute("SELECT 1")
    connection.execute("ROLLBACK")
    assert connection.execute("SELECT count(*) FROM t").fetchone() == (2,)


def test_a_wait_ends_with_its_cause(connection: Connection, holder: Connection) -> None:
    with _later(holder.rollback, 0.2):
        connection.execute("INSERT INTO t VALUES (3, 'mine')")
    assert connection.execute("SELECT b FROM t WHERE a = 3").fetchone() == ("mine",)


def test_a_wait_for_a_key_that_is_committed_is_a_violation(connection: Connection, holder: Connection) -> None:
    with _later(holder.commit, 0.2), pytest.raises(psycopg.errors.UniqueViolation):
        connection.execute("INSERT INTO t VALUES (3, 'mine')")


def test_cancelling_nothing_harms_nothing(connection: Connection) -> None:
    connection.cancel()
    connection.cancel()
    assert connection.execute("SELECT count(*) FROM t").fetchone() == (2,)


def test_a_wrong_key_cancels_nothing(server: RockLakeServer, connection: Connection, holder: Connection) -> None:
    def wrong_cancel() -> None:
        with RawClient(server.port) as client:
            client.send(CancelRequest(connection.info.backend_pid, 12345))
            assert client.rest() == b""

    connection.execute("SET statement_timeout = '1s'")
    with _later(wrong_cancel, 0.1), pytest.raises(psycopg.errors.QueryCanceled, match="due to statement timeout"):
        connection.execute("INSERT INTO t VALUES (3, 'mine')")


def test_a_long_copy_is_cancelled(server: RockLakeServer, connection: Connection) -> None:
    connection.execute("CREATE TABLE IF NOT EXISTS long (a bigint, b text)")
    with connection.cursor().copy("COPY long FROM STDIN") as copy:
        for number in range(MANY_ROWS):
            copy.write_row((number, "x" * 1000))
    connection.execute("SELECT count(*) FROM long")
    with RawClient(server.port, receive_buffer_bytes=4096) as client:
        client.send(STARTUP)
        (key,) = [reply for reply in client.until(m.ReadyForQuery) if isinstance(reply, m.BackendKeyData)]
        client.send(m.Query("COPY long TO STDOUT"))
        assert isinstance(client.message(), m.CopyOutResponse)
        with RawClient(server.port) as other:
            other.send(CancelRequest(key.process_id, key.secret_key))
            assert other.rest() == b""
        *rows, error = client.until(m.ErrorResponse)
        assert isinstance(error, m.ErrorResponse)
        assert error.fields["C"] == "57014"
        assert len(rows) < MANY_ROWS
        client.until(m.ReadyForQuery)
        client.send(m.Query("SELECT 1"))
        assert isinstance(client.until(m.ReadyForQuery)[1], m.DataRow)
    connection.execute("DROP TABLE long")


def test_statement_timeout(connection: Connection, holder: Connection) -> None:
    connection.execute("SET statement_timeout = '200ms'")
    began = time.monotonic()
    with pytest.raises(psycopg.errors.QueryCanceled, match="due to statement timeout"):
        connection.execute("INSERT INTO t VALUES (3, 'mine')")
    assert 0.1 < time.monotonic() - began < SOON_S
    connection.execute("SET statement_timeout = 0")
    assert connection.execute("SELECT count(*) FROM t").fetchone() == (2,)


@pytest.mark.parametrize("scope", ["session", "block"])
def test_lock_timeout(connection: Connection, holder: Connection, scope: str) -> None:
    connection.execute("BEGIN")
    connection.execute("SELECT 1 FROM t")
    connection.execute(f"SET {'LOCAL' if scope == 'block' else ''} lock_timeout = 150")
    with pytest.raises(psycopg.errors.LockNotAvailable, match="due to lock timeout"):
        connection.execute("INSERT INTO t VALUES (3, 'mine')")
    connection.execute("ROLLBACK")
    assert connection.execute("SHOW lock_timeout").fetchone() == ("0",)


def test_a_deadlock_is_found_at_once(connection: Connection, holder: Connection) -> None:
    connection.execute("BEGIN")
    connection.execute("INSERT INTO t VALUES (4, 'mine')")
    waiting = threading.Thread(target=holder.execute, args=("INSERT INTO t VALUES (4, 'held')",))
    waiting.start()
    time.sleep(0.2)
    with pytest.raises(psycopg.errors.DeadlockDetected):
        connection.execute("INSERT INTO t VALUES (3, 'mine')")
    connection.execute("ROLLBACK")
    waiting.join(SOON_S)
    holder.commit()
    assert connection.execute("SELECT a, b FROM t WHERE a > 2 ORDER BY a").fetchall() == [(3, "held"), (4, "held")]


def test_idle_clients_are_sent_away(server: RockLakeServer, connection: Connection) -> None:
    with psycopg.connect(server.dsn("lake"), autocommit=True) as other:
        other.execute("SET idle_session_timeout = 200")
        other.execute("SET idle_in_transaction_session_timeout = 100")
        other.execute("BEGIN")
        other.execute("INSERT INTO t VALUES (3, 'x')")
        time.sleep(0.4)
        with pytest.raises(psycopg.errors.IdleInTransactionSessionTimeout):
            other.execute("SELECT 1")
    connection.execute("INSERT INTO t VALUES (3, 'mine')")
    with psycopg.connect(server.dsn("lake"), autocommit=True) as other:
        other.execute("SET idle_session_timeout = 100")
        time.sleep(0.4)
        with pytest.raises(psycopg.errors.IdleSessionTimeout):
            other.execute("SELECT 1")


def test_one_session_too_many_is_refused(small_server: RockLakeServer) -> None:
    opened = [psycopg.connect(small_server.dsn("lake")) for _ in range(MAX_CONNECTIONS)]
    try:
        with RawClient(small_server.port) as client:
            client.send(STARTUP)
            (error,) = client.until(m.ErrorResponse)
            assert isinstance(error, m.ErrorResponse)
            assert (error.fields["S"], error.fields["C"]) == ("FATAL", "53300")
            assert client.rest() == b""
    finally:
        for each in opened:
            each.close()
    wait_for_free_sessions(small_server)


def test_of_a_hundred_that_come_at_once_only_so_many_are_let_in(small_server: RockLakeServer) -> None:
    clients = [RawClient(small_server.port) for _ in range(100)]
    began = time.monotonic()
    for client in clients:
        client.send(STARTUP)
    answers = [client.until((m.ReadyForQuery, m.ErrorResponse))[-1] for client in clients]
    assert time.monotonic() - began < SOON_S
    refused = [answer.fields["C"] for answer in answers if isinstance(answer, m.ErrorResponse)]
    assert refused == ["53300"] * (100 - MAX_CONNECTIONS)
    for client in clients:
        client.socket.close()
    wait_for_free_sessions(small_server)


def test_connections_that_never_start_are_bounded(small_server: RockLakeServer) -> None:
    """Beyond the bound they are refused at once, without waiting for what they send."""
    silent = [RawClient(small_server.port) for _ in range(connections_allowed(MAX_CONNECTIONS))]
    with RawClient(small_server.port) as client:
        (error,) = client.until(m.ErrorResponse)
        assert isinstance(error, m.ErrorResponse)
        assert (error.fields["S"], error.fields["C"]) == ("FATAL", "53300")
        assert client.rest() == b""
    for each in silent:
        each.socket.close()
    wait_for_free_sessions(small_server)
