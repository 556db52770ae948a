"""Servers with the small lake, and clients of theirs."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator

import psycopg
import pytest

from tests.adhoc.lake_data import setup
from tests.servers import RockLakeServer
from tests.session.conversation import Conversation, Place, place

Connection = psycopg.Connection[tuple[object, ...]]


@pytest.fixture(scope="module")
def lake_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RockLakeServer]:
    """A server with the small lake; one that logged a traceback fails the module that used it."""
    server = RockLakeServer("memory:///adhoc", logs=tmp_path_factory.mktemp("adhoc"))
    server.start()
    try:
        with psycopg.connect(server.dsn("lake"), autocommit=True) as connection:
            for text in setup():
                connection.execute(text)
        yield server
    finally:
        server.stop()
    assert "Traceback" not in server.log_path.read_text()


@pytest.fixture(scope="module")
def ours(lake_server: RockLakeServer) -> Iterator[Connection]:
    with psycopg.connect(lake_server.dsn("lake"), autocommit=True) as connection:
        yield connection


@pytest.fixture
async def server() -> AsyncIterator[Place]:
    """A place in this process, over stores in memory."""
    async with place() as opened:
        yield opened


@pytest.fixture
async def client(server: Place) -> Conversation:
    """A client, with a table ``t (a bigint primary key, b text)`` of two rows."""
    client = await server.client()
    await client.run("CREATE TABLE t (a bigint PRIMARY KEY, b text)", "INSERT INTO t VALUES (1, 'one'), (2, 'two')")
    return client
