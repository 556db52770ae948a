"""Servers in a subprocess of their own. One that logged a traceback fails the module that used it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from tests.servers import RockLakeServer

MAX_CONNECTIONS = 4

Connection = psycopg.Connection[tuple[object, ...]]


def _running(logs: Path, store: str, **environment: str) -> Iterator[RockLakeServer]:
    server = RockLakeServer(store, logs=logs, environment=environment)
    server.start()
    try:
        yield server
    finally:
        server.stop()
    assert "Traceback" not in (logs / "server.log").read_text()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RockLakeServer]:
    yield from _running(tmp_path_factory.mktemp("server"), "memory:///server")


@pytest.fixture(scope="module")
def small_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RockLakeServer]:
    """One that serves MAX_CONNECTIONS sessions."""
    logs = tmp_path_factory.mktemp("small")
    yield from _running(logs, "memory:///small", ROCKLAKE_MAX_CONNECTIONS=str(MAX_CONNECTIONS))


@pytest.fixture
def connection(server: RockLakeServer) -> Iterator[Connection]:
    """Autocommit, in a database where table ``t (a bigint primary key, b text)`` holds two rows."""
    with psycopg.connect(server.dsn("lake"), autocommit=True) as opened:
        opened.execute("DROP TABLE IF EXISTS t")
        opened.execute("CREATE TABLE t (a bigint PRIMARY KEY, b text)")
        opened.execute("INSERT INTO t VALUES (1, 'one'), (2, 'two')")
        yield opened
