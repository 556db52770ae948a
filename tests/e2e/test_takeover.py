"""Two servers on one bucket: who may start, who takes over when, and what the one that lost still says."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psycopg
import pytest
from slatedb.uniffi import AdminBuilder

from rocklake_server.errors import RETRY_WORDS
from rocklake_server.store.lease_claim import WAITED_PART
from rocklake_server.store.object_stores import build_object_store, parse_store_url
from tests.s3_stub import Action, Fault, S3Stub
from tests.servers import RockLakeServer, ServerError

LEASE_S = 2.0
SOON_S = 20.0
STORE = "s3://lakes/shared"
LAKE = "shared/lakes/1"

Pair = tuple[RockLakeServer, RockLakeServer]


@pytest.fixture
def stub() -> Iterator[S3Stub]:
    with S3Stub("lakes") as running:
        yield running


@pytest.fixture
def servers(stub: S3Stub, tmp_path: Path) -> Iterator[Pair]:
    """Two servers on the same store: the first runs and has a table, the second is not started. The bucket's objects
    tell which of them put them."""
    made = []
    for name in ("first", "second"):
        (tmp_path / name).mkdir()
        variables = {**stub.variables, "AWS_ACCESS_KEY_ID": name, "ROCKLAKE_LEASE_TIME": f"{LEASE_S}"}
        made.append(RockLakeServer(STORE, logs=tmp_path / name, environment=variables))
    made[0].start()
    run(made[0], "CREATE TABLE t(a bigint PRIMARY KEY)", "INSERT INTO t VALUES (1)")
    yield made[0], made[1]
    for server in made:
        server.kill()
        assert "Traceback" not in server.log_tail()


def connect(server: RockLakeServer) -> psycopg.Connection[tuple[object, ...]]:
    return psycopg.connect(server.dsn("lake"), autocommit=True)


def run(server: RockLakeServer, *statements: str) -> None:
    with connect(server) as connection:
        for statement in statements:
            connection.execute(statement)


def rows(server: RockLakeServer) -> list[object]:
    with connect(server) as connection:
        return [a for (a,) in connection.execute("SELECT a FROM t ORDER BY a").fetchall()]


def refusal(server: RockLakeServer) -> str | None:
    """The SQLSTATE of a read that is refused; ``None`` when it is answered."""
    try:
        rows(server)
    except psycopg.Error as error:
        return error.sqlstate
    return None


def require_lost(server: RockLakeServer) -> None:
    """It answers no statement about the lake, and says why as soon as it knows."""
    said = [refusal(server)]
    eventually(lambda: said.append(refusal(server)) or said[-1] == "57P03")
    assert set(said) <= {"57P03", "58030"}, "an answer"
    for statement in ("SELECT a FROM t", "INSERT INTO t VALUES (99)", "SELECT relname FROM pg_class"):
        with pytest.raises(psycopg.OperationalError, match="another server has taken") as caught:
            run(server, statement)
        assert caught.value.sqlstate == "57P03"
        assert not any(word in str(caught.value).lower() for word in RETRY_WORDS)


def eventually(has_happened: Callable[[], bool], seconds: float = SOON_S) -> None:
    deadline = time.monotonic() + seconds
    while not has_happened():
        assert time.monotonic() < deadline, "it has not happened in time"
        time.sleep(0.01)


class Insert:
    """An INSERT in a thread of its own."""

    def __init__(self, server: RockLakeServer, number: int) -> None:
        self.tag: str | None = None
        self.error: psycopg.Error | None = None
        self._server, self._number = server, number
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def _run(self) -> None:
        try:
            with connect(self._server) as connection:
                self.tag = connection.execute(f"INSERT INTO t VALUES ({self._number})").statusmessage
        except psycopg.Error as error:
            self.error = error

    def join(self) -> None:
        self._thread.join(SOON_S)
        assert not self._thread.is_alive(), "neither acknowledged nor refused"


# -- starting ---------------------------------------------------------------------------------------------------------


def test_who_may_start_on_a_store(servers: Pair) -> None:
    """Nobody beside a live server, anybody at once after a clean stop, and after the lease's time when it died."""
    first, second = servers
    with pytest.raises(ServerError) as caught:
        second.start()
    assert f'rocklake: store "{STORE}" is in use by another server (process {first.pid} on ' in str(caught.value)
    assert "--takeover" in str(caught.value)
    assert rows(first) == [1]
    first.stop()
    second.start()
    assert second.log_tail().count("waiting") == 1, "only the first time"
    run(second, "INSERT INTO t VALUES (2)")
    second.kill()
    began = time.monotonic()
    first.start()
    taken_s = time.monotonic() - began
    assert rows(first) == [1, 2]
    assert LEASE_S * WAITED_PART <= taken_s < LEASE_S + 8.0, "Python's own start, on a busy machine, is in it"
    first.stop()


# -- losing -----------------------------------------------------------------------------------------------------------


def test_a_server_that_was_stopped_by_a_signal_answers_nothing_once_it_was_replaced(servers: Pair) -> None:
    first, second = servers
    with connect(first) as block:
        os.kill(first.pid, signal.SIGSTOP)
        time.sleep(LEASE_S)
        os.kill(first.pid, signal.SIGCONT)
        block.execute("BEGIN ISOLATION LEVEL REPEATABLE READ")
        assert block.execute("SELECT a FROM t").fetchall() == [(1,)], "nobody replaced it"
        os.kill(first.pid, signal.SIGSTOP)
        second.start()
        run(second, "INSERT INTO t VALUES (2)")
        os.kill(first.pid, signal.SIGCONT)
        with pytest.raises(psycopg.OperationalError, match=r"another server has taken|the lease on store"):
            block.execute("SELECT a FROM t")
    require_lost(first)
    run(second, "INSERT INTO t VALUES (3)")
    assert rows(second) == [1, 2, 3]
    first.stop()
    run(second, "INSERT INTO t VALUES (4)")
    second.stop()


def test_a_takeover_of_a_live_server_loses_no_acknowledged_commit(servers: Pair) -> None:
    first, second = servers
    second.arguments = ["--takeover"]
    acknowledged: list[int] = []

    errors: list[psycopg.Error] = []

    def write(start: int) -> None:
        try:
            with connect(first) as connection:
                for number in range(start, start + 100_000):
                    connection.execute(f"INSERT INTO t VALUES ({number})")
                    acknowledged.append(number)
        except psycopg.Error as error:
            errors.append(error)

    writers = [threading.Thread(target=write, args=(1_000_000 * position,)) for position in range(1, 5)]
    for writer in writers:
        writer.start()
    eventually(lambda: len(acknowledged) > 20)
    second.start()
    for writer in writers:
        writer.join(SOON_S)
        assert not writer.is_alive()
    assert {error.sqlstate for error in errors} <= {"57P03", "08007"}, errors
    require_lost(first)
    found = rows(second)
    assert set(acknowledged) <= set(found)
    assert len(found) - 1 - len(acknowledged) <= len(writers), "at most those in flight are there unacknowledged"
    first.stop()
    run(second, "INSERT INTO t VALUES (2)")
    second.stop()


@pytest.mark.parametrize("landed", [True, False])
def test_a_commit_in_flight_at_the_takeover_is_answered_by_what_the_store_says(
    servers: Pair, stub: S3Stub, landed: bool
) -> None:
    """Its log file is put, and the answer never comes; or the request arrives after the takeover."""
    first, second = servers
    second.arguments = ["--takeover"]
    before = stub.count("PUT", "wal")
    stub.faults.append(Fault("PUT", Action.HANG if landed else Action.HOLD, f"{LAKE}/wal"))
    insert = Insert(first, 2)
    eventually(lambda: stub.count("PUT", "wal") > before)
    second.start()
    rows(second)
    stub.let_go()
    insert.join()
    assert rows(second) == ([1, 2] if landed else [1])
    if landed:
        assert insert.tag == "INSERT 0 1"
    else:
        assert insert.error is not None
        assert (insert.error.sqlstate, "nothing was changed" in str(insert.error)) == ("57P03", True)
    require_lost(first)


async def test_no_manifest_after_the_takeover_names_an_object_that_the_old_server_put_after_it(
    servers: Pair, stub: S3Stub
) -> None:
    """The old server is stopping: it writes its last table, whose request the store carries out after the takeover."""
    first, second = servers
    second.arguments = ["--takeover"]
    tables = f"{LAKE}/compacted/"
    stub.faults.append(Fault("PUT", Action.HOLD, tables))
    before = stub.count("PUT", "compacted")
    os.kill(first.pid, signal.SIGTERM)
    eventually(lambda: stub.count("PUT", "compacted") > before)
    second.start()
    run(second, "INSERT INTO t VALUES (2)")
    known = {key for key in stub.objects["lakes"] if key.startswith(tables)}
    stub.let_go()
    eventually(lambda: any(key.startswith(tables) and key not in known for key in stub.objects["lakes"]))
    late = {key for key, held in stub.objects["lakes"].items()
            if key.startswith(tables) and key not in known and held.writer == "first"}  # fmt: skip
    assert late, "the test has to show a late object"
    assert rows(second) == [1, 2]
    second.stop()
    location = parse_store_url(STORE, stub.variables).child("lakes/1")
    manifests = await AdminBuilder(location.path, build_object_store(location)).build().list_manifests(None, None)
    named = {view.sst.id.value for manifest in manifests
             for view in (*manifest.l0, *(view for run in manifest.compacted for view in run.sst_views))}  # fmt: skip
    assert named, "the test has to see tables in manifests"
    assert {f"{tables}{name}.sst" for name in named} & late == set()
    assert {held.writer for key, held in stub.objects["lakes"].items() if key.startswith(f"{LAKE}/manifest/")} == {
        "first", "second",
    }  # fmt: skip
