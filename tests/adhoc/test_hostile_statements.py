"""Statements that want files, settings, other catalogs, writes or all there is: each is an error in bounded time, the
server's memory stays bounded, and others are served meanwhile."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from tests.adhoc.lake_data import statements
from tests.servers import RockLakeServer

STATEMENT_TIMEOUT_MS = 300
ANSWER_S_MAX = 6.0
MEMORY_MIB_MAX = 1200

Connection = psycopg.Connection[tuple[object, ...]]

REFUSED = {
    "0A000", "42883", "42P01", "42601", "42703", "42704", "3F000", "54001", "54000", "53200", "57014", "2201B", "22023",
    "22003",
}


class Neighbour(threading.Thread):
    """Another client, who goes on asking for something small."""

    def __init__(self, dsn: str) -> None:
        super().__init__(daemon=True)
        self._dsn = dsn
        self._done = threading.Event()
        self.slowest_s = 0.0
        self.answers = 0

    def run(self) -> None:
        with psycopg.connect(self._dsn, autocommit=True) as connection:
            while not self._done.is_set():
                began = time.perf_counter()
                assert connection.execute("SELECT count(*) FROM u WHERE id > 0").fetchone() == (5,)
                self.slowest_s = max(self.slowest_s, time.perf_counter() - began)
                self.answers += 1
                time.sleep(0.01)

    def stop(self) -> None:
        self._done.set()
        self.join(ANSWER_S_MAX)


@pytest.fixture(scope="module")
def neighbour(lake_server: RockLakeServer) -> Iterator[Neighbour]:
    made = Neighbour(lake_server.dsn("lake"))
    made.start()
    yield made
    made.stop()


def memory_mib(server: RockLakeServer) -> int:
    """The server's resident memory."""
    process = server._process
    assert process is not None
    status = Path(f"/proc/{process.pid}/status").read_text()
    return int(status.split("VmRSS:")[1].split()[0]) // 1024


def code(connection: Connection, text: str) -> str | None:
    result = connection.pgconn.exec_(text.encode())
    found = result.error_field(psycopg.pq.DiagnosticField.SQLSTATE)
    return None if found is None else found.decode()


def test_every_hostile_statement_is_an_error_and_others_are_served(
    lake_server: RockLakeServer, ours: Connection, neighbour: Neighbour
) -> None:
    ours.execute(f"SET statement_timeout = {STATEMENT_TIMEOUT_MS}")
    wrong = []
    for text in statements("hostile"):
        answers, began = neighbour.answers, time.perf_counter()
        found = code(ours, text)
        took_s = time.perf_counter() - began
        served = neighbour.answers > answers or took_s < 0.5
        if found not in REFUSED or took_s > ANSWER_S_MAX or not served:
            wrong.append(f"{found} after {took_s:.1f} s, others served: {served}: {text}")
    assert wrong == []
    assert memory_mib(lake_server) < MEMORY_MIB_MAX
    assert neighbour.slowest_s < ANSWER_S_MAX
    assert ours.execute("SELECT count(*) OVER () FROM u LIMIT 1").fetchone() == (5,)


@pytest.mark.parametrize("depth", [50, 5000])
@pytest.mark.parametrize("shape", [
    "SELECT {open}1{close}, row_number() OVER ()",
    "SELECT row_number() OVER () FROM {subopen}t{subclose}",
])
def test_nesting_is_answered_or_refused(ours: Connection, shape: str, depth: int) -> None:
    text = shape.format(open="(" * depth, close=")" * depth, subopen="(SELECT * FROM " * depth,
                        subclose=") x" * depth)
    ours.execute("SET statement_timeout = '20s'")
    assert code(ours, text) in (None, "54001", "42601", "0A000", "42702")
    assert ours.execute("SELECT 1").fetchone() == (1,)


def test_a_division_that_is_nested_often_does_not_grow_without_bound(ours: Connection) -> None:
    divisor = "a"
    for _ in range(40):
        divisor = f"(1 / {divisor})"
    assert code(ours, f"SELECT {divisor}, row_number() OVER () FROM t") in (None, "22012", "54001", "53200")


def test_a_cancel_request_ends_a_statement_of_the_engine(ours: Connection) -> None:
    ours.execute("SET statement_timeout = 0")
    timer = threading.Timer(0.3, ours.cancel)
    timer.start()
    began = time.perf_counter()
    with pytest.raises(psycopg.errors.QueryCanceled):
        ours.execute("SELECT count(*) FROM generate_series(1, 1000000000000)")
    assert time.perf_counter() - began < ANSWER_S_MAX
    assert ours.execute("SELECT count(*) FROM generate_series(1, 10)").fetchone() == (10,)


def test_a_client_that_leaves_gives_the_engine_back(lake_server: RockLakeServer, ours: Connection) -> None:
    for _ in range(5):
        leaving = psycopg.connect(lake_server.dsn("lake"), autocommit=True)
        leaving.pgconn.send_query(b"SELECT count(*) FROM generate_series(1, 1000000000000)")
        leaving.pgconn.finish()
    began = time.perf_counter()
    assert ours.execute("SELECT count(*) FROM generate_series(1, 10)").fetchone() == (10,)
    assert time.perf_counter() - began < ANSWER_S_MAX


def test_what_is_on_no_list_is_refused_by_name(ours: Connection) -> None:
    wrong = []
    for text in statements("refused"):
        result = ours.pgconn.exec_(text.encode())
        found = result.error_field(psycopg.pq.DiagnosticField.SQLSTATE)
        if found != b"0A000":
            wrong.append(f"{found!r}: {text}")
    assert wrong == []


@pytest.mark.parametrize("call", ["pg_notify('news', 'x')", "pg_try_advisory_xact_lock_shared(1, 2)", "pg_sleep(0)"])
def test_functions_that_act_on_the_session_are_refused_by_their_names(ours: Connection, call: str) -> None:
    with pytest.raises(psycopg.errors.FeatureNotSupported) as caught:
        ours.execute(f"SELECT {call}, row_number() OVER ()")
    assert str(caught.value).startswith(f"{call.partition('(')[0]}() is not supported")
