"""Servers in a subprocess of their own. One that logged a traceback fails the module that used it."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from tests.servers import RockLakeServer

MAX_CONNECTIONS = 4
SOON_S = 20.0

Connection = psycopg.Connection[tuple[object, ...]]


def running(logs: Path, store: str, **environment: str) -> Iterator[RockLakeServer]:
    """A server of its own, stopped afterwards."""
    server = RockLakeServer(store, logs=logs, environment=environment)
    server.start()
    try:
        yield server
    finally:
        server.stop()
    assert "Traceback" not in (logs / "server.log").read_text()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RockLakeServer]:
    yield from running(tmp_path_factory.mktemp("server"), "memory:///server")


@pytest.fixture(scope="module")
def small_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RockLakeServer]:
    """One that serves MAX_CONNECTIONS sessions."""
    logs = tmp_path_factory.mktemp("small")
    yield from running(logs, "memory:///small", ROCKLAKE_MAX_CONNECTIONS=str(MAX_CONNECTIONS))


@pytest.fixture
def connection(server: RockLakeServer) -> Iterator[Connection]:
    """Autocommit, in a database where table ``t (a bigint primary key, b text)`` holds two rows."""
    with psycopg.connect(server.dsn("lake"), autocommit=True) as opened:
        opened.execute("DROP TABLE IF EXISTS t")
        opened.execute("CREATE TABLE t (a bigint PRIMARY KEY, b text)")
        opened.execute("INSERT INTO t VALUES (1, 'one'), (2, 'two')")
        yield opened


def wait_for_free_sessions(server: RockLakeServer, count: int = MAX_CONNECTIONS) -> None:
    """All sessions but none are free again, soon."""
    deadline = time.monotonic() + SOON_S
    while True:
        opened: list[Connection] = []
        try:
            for _ in range(count):
                opened.append(psycopg.connect(server.dsn("lake")))
        except psycopg.OperationalError:
            assert time.monotonic() < deadline, "sessions of clients that left are still counted"
            time.sleep(0.05)
        else:
            return
        finally:
            for each in opened:
                each.close()
