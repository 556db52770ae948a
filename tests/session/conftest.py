"""A place per test, and one client in it."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from tests.session.conversation import Conversation, Place, place


@pytest.fixture
async def server() -> AsyncIterator[Place]:
    async with place() as opened:
        yield opened


@pytest.fixture
async def client(server: Place) -> Conversation:
    return await server.client()


@pytest.fixture
async def table(client: Conversation) -> Conversation:
    """The client, with a table ``t (a bigint primary key, b text)`` of two rows."""
    await client.run("CREATE TABLE t (a bigint PRIMARY KEY, b text)", "INSERT INTO t VALUES (1, 'one'), (2, 'two')")
    return client
