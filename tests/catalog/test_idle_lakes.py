"""A lake that nobody uses closes; whoever comes next finds it as it was."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from rocklake_server.errors import CannotConnectNow
from rocklake_server.store.base import Store
from rocklake_server.store.memory import MemoryStore
from tests.catalog.engine import DATABASE, Engine, insert, select

LAKE = "lakes/1"


class Closing(Engine):
    """Counts the openings of each store; while ``gate`` is not set, no store finishes closing."""

    def __init__(self) -> None:
        super().__init__()
        self.openings: list[str] = []
        self.gate = asyncio.Event()
        self.gate.set()

    async def open_store(self, directory: str) -> Store:
        self.openings.append(directory)
        known = self.stores.get(directory)
        store = known.reopened() if isinstance(known, MemoryStore) else MemoryStore()
        self.stores[directory] = store
        close = store.close

        async def closed_through_the_gate() -> None:
            await self.gate.wait()
            await close()

        store.close = closed_through_the_gate  # type: ignore[method-assign]
        return store

    async def close_idle(self) -> None:
        self.databases.close_idle_lakes(0)
        await asyncio.sleep(0.01)


@pytest.fixture
async def engine() -> AsyncIterator[Closing]:
    made = Closing()
    await made.open()
    await made.create_catalog()
    await add_snapshot(made, 0)
    yield made
    made.gate.set()
    await made.databases.close()


async def snapshots(engine: Engine) -> int:
    transaction = await engine.begin()
    found = await select(transaction, "ducklake_snapshot", "snapshot_id")
    await transaction.rollback()
    return len(found)


async def add_snapshot(engine: Engine, number: int) -> None:
    transaction = await engine.begin()
    await insert(transaction, "ducklake_snapshot", {"snapshot_id": number})
    await transaction.commit()


async def test_the_next_transaction_opens_an_idle_lake_again(engine: Closing) -> None:
    assert await snapshots(engine) == 1
    await engine.close_idle()
    assert engine.openings.count(LAKE) == 1
    assert await snapshots(engine) == 1
    await add_snapshot(engine, 1)
    assert await snapshots(engine) == 2
    assert engine.openings.count(LAKE) == 2


async def test_a_lake_in_use_stays_open(engine: Closing) -> None:
    transaction = await engine.begin()
    await engine.close_idle()
    assert await select(transaction, "ducklake_snapshot", "snapshot_id") == [(0,)]
    await transaction.rollback()
    assert engine.openings.count(LAKE) == 1


async def test_a_lake_that_was_just_used_stays_open(engine: Closing) -> None:
    engine.databases.close_idle_lakes(60)
    await asyncio.sleep(0.01)
    assert await snapshots(engine) == 1
    assert engine.openings.count(LAKE) == 1


async def test_who_comes_while_a_lake_closes_waits_until_it_has(engine: Closing) -> None:
    engine.gate.clear()
    await engine.close_idle()
    reading = asyncio.create_task(snapshots(engine))
    await asyncio.sleep(0.01)
    assert not reading.done()
    assert engine.openings.count(LAKE) == 1
    engine.gate.set()
    assert await reading == 1
    assert engine.openings.count(LAKE) == 2


async def test_a_lake_that_another_server_took_is_not_taken_back(engine: Closing) -> None:
    (opened,) = (await engine.databases.lakes_of(DATABASE)).values()
    opened.lake.given_up = True
    await engine.close_idle()
    with pytest.raises(CannotConnectNow):
        await snapshots(engine)
    assert engine.openings.count(LAKE) == 1
