"""A bucket that throttles, loses answers, is away for a while or away at the start: one server, nothing lost."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest

from rocklake_server.errors import RETRY_WORDS
from rocklake_server.store.lease_object import LEASE_OBJECT
from tests.s3_stub import Action, Fault, S3Stub
from tests.servers import RockLakeServer

VERBS = ("GET", "HEAD", "LIST", "PUT", "DELETE")
LEASE_S = 2.0
LONG_LEASE_S = 10.0
OUTAGE_S = 5.0
ACCESS_DENIED = 403
"""As when credentials have expired. SlateDB gives its handles up at once; those that are only told to come again
(503) it gives up after some ten seconds, with the same consequences."""
RECOVERY_SECONDS_MAX = 15.0


@pytest.fixture
def stub() -> Iterator[S3Stub]:
    with S3Stub("lakes") as running:
        yield running


@contextmanager
def serving(stub: S3Stub, logs: Path, lease_s: float) -> Iterator[RockLakeServer]:
    """Not started."""
    variables = {**stub.variables, "ROCKLAKE_LEASE_TIME": f"{lease_s}"}
    made = RockLakeServer("s3://lakes/one", logs=logs, environment=variables)
    yield made
    made.kill()
    assert "Traceback" not in made.log_tail()


@pytest.fixture
def server(stub: S3Stub, tmp_path: Path) -> Iterator[RockLakeServer]:
    """Not started."""
    with serving(stub, tmp_path, LEASE_S) as made:
        yield made


@pytest.fixture
def patient_server(stub: S3Stub, tmp_path: Path) -> Iterator[RockLakeServer]:
    """Not started; it can renew its lease in time after a failure, on a slow machine too."""
    with serving(stub, tmp_path, LONG_LEASE_S) as made:
        yield made


@pytest.fixture
def filled(server: RockLakeServer) -> RockLakeServer:
    """Running, with tables t and u of which it has read nothing since its start."""
    server.start()
    with connect(server) as connection:
        for table in ("t", "u"):
            connection.execute(f"CREATE TABLE {table}(a bigint PRIMARY KEY)")
            connection.execute(f"INSERT INTO {table} VALUES (1)")
    server.restart()
    return server


def connect(server: RockLakeServer) -> psycopg.Connection[tuple[object, ...]]:
    return psycopg.connect(server.dsn("lake"), autocommit=True)


def begin_outage(stub: S3Stub, status: int = 503) -> None:
    stub.faults += [Fault(verb, Action.REFUSE, times=None, status=status) for verb in VERBS]


def holder(stub: S3Stub) -> str:
    return str(json.loads(stub.objects["lakes"][f"one/{LEASE_OBJECT}"].body)["holder_id"])


def until_answered(server: RockLakeServer, statement: str) -> list[tuple[object, ...]]:
    """The rows of a statement once the server answers it, each time in a new session."""
    deadline = time.monotonic() + RECOVERY_SECONDS_MAX
    while True:
        try:
            with connect(server) as connection:
                cursor = connection.execute(statement)
                return cursor.fetchall() if cursor.description else []
        except psycopg.Error:
            if time.monotonic() > deadline:
                raise
        time.sleep(0.1)


def test_an_outage_is_told_and_gets_over_by_itself(filled: RockLakeServer, stub: S3Stub) -> None:
    """One session reads what it has read before, one commits, nobody else does anything."""
    before = holder(stub)
    errors: list[psycopg.Error] = []

    def commit() -> None:
        try:
            with connect(filled) as connection:
                connection.execute("INSERT INTO t VALUES (2)")
        except psycopg.Error as error:
            errors.append(error)

    with connect(filled) as reader:
        reader.execute("SELECT a FROM t")
        begin_outage(stub, ACCESS_DENIED)
        began = time.monotonic()
        assert reader.execute("SELECT a FROM t").fetchall() == [(1,)], "the lease still has time"
        writer = threading.Thread(target=commit)
        writer.start()
        time.sleep(LEASE_S)
        with pytest.raises(psycopg.errors.IoError, match="the lease on store .* cannot be renewed"):  # noqa: RUF043
            reader.execute("SELECT a FROM t")
        time.sleep(OUTAGE_S - (time.monotonic() - began))
        stub.faults.clear()
        assert until_answered(filled, "SELECT a FROM u") == [(1,)]
        writer.join(RECOVERY_SECONDS_MAX)
        kept = [a for (a,) in until_answered(filled, "SELECT a FROM t ORDER BY a")]
        assert reader.execute("SELECT a FROM t ORDER BY a").fetchall() == [(a,) for a in kept]
        for error in errors:
            assert error.sqlstate in ("08007", "58030")
            assert not any(word in str(error).lower() for word in RETRY_WORDS)
            assert error.sqlstate == "08007" or kept == [1]
        assert kept == [1, 2] or errors, "a commit that is not there was not acknowledged"
        until_answered(filled, "INSERT INTO u VALUES (2)")
    assert holder(stub) == before, "the same server, with the same lease"
    filled.stop()


def test_a_store_that_fails_now_and_then_fails_no_commit(patient_server: RockLakeServer, stub: S3Stub) -> None:
    patient_server.start()
    with connect(patient_server) as connection:
        connection.execute("CREATE TABLE t(a bigint PRIMARY KEY)")
    acknowledged: list[int] = []

    def write(start: int) -> None:
        with connect(patient_server) as connection:
            for number in range(start, start + 15):
                connection.execute(f"INSERT INTO t VALUES ({number})")
                acknowledged.append(number)

    actions = (Action.REFUSE, Action.LOSE_RESPONSE, Action.DROP)
    for round_number, action in enumerate(actions, 1):
        starts = [1000 * round_number + 100 * position for position in range(3)]
        writers = [threading.Thread(target=write, args=(start,)) for start in starts]
        for writer in writers:
            writer.start()
        while any(writer.is_alive() for writer in writers):
            if all(fault.times == 0 for fault in stub.faults):
                stub.faults[:] = [Fault(verb, action, part) for verb, part in (("PUT", "wal"), ("PUT", LEASE_OBJECT))]
            time.sleep(0.05)
        stub.faults.clear()
        assert len(acknowledged) == 45 * round_number
    with connect(patient_server) as connection:
        found = [a for (a,) in connection.execute("SELECT a FROM t").fetchall()]
    assert sorted(found) == sorted(acknowledged)
    patient_server.stop()


def test_a_start_waits_a_moment_for_the_store(server: RockLakeServer, stub: S3Stub) -> None:
    begin_outage(stub)
    threading.Timer(3.0, stub.faults.clear).start()
    server.start()
    until_answered(server, "SELECT 1 FROM pg_class")
    server.stop()
