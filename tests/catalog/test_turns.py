"""Blocks on a catalog of an old version go one after another, and nothing else waits."""

from __future__ import annotations

import asyncio

import pytest

from rocklake_server.catalog import turns
from rocklake_server.catalog.view import ColumnDefinition
from rocklake_server.schema.types import BIGINT
from tests.catalog.engine import Engine, insert, select, update


async def _engine(version: str) -> Engine:
    engine = await Engine().open()
    await engine.create_catalog()
    transaction = await engine.begin()
    await insert(transaction, "ducklake_metadata", {"key": "version", "value": version})
    await insert(transaction, "ducklake_snapshot", {"snapshot_id": 0})
    await transaction.commit()
    return engine


async def _migrate(engine: Engine) -> bool:
    transaction = await engine.begin()
    versions = await select(transaction, "ducklake_metadata", "value")
    await asyncio.sleep(0.01)
    if versions == [("1.0",)]:
        await transaction.commit()
        return False
    await transaction.create_relation(None, "ducklake_macro_added", [ColumnDefinition("macro_id", BIGINT)])
    await update(transaction, "ducklake_metadata", {"key": "version"}, value="1.0")
    await transaction.commit()
    return True


async def test_eight_clients_that_migrate_take_turns() -> None:
    engine = await _engine("0.3")
    assert sum(await asyncio.gather(*(_migrate(engine) for _ in range(8)))) == 1


async def test_a_migration_that_is_rolled_back_leaves_the_turn_to_the_next() -> None:
    engine = await _engine("0.4")
    first = await engine.begin()
    await update(first, "ducklake_metadata", {"key": "version"}, value="1.0")
    second = asyncio.create_task(_migrate(engine))
    await asyncio.sleep(0.01)
    assert not second.done()
    await first.rollback()
    assert await second


@pytest.mark.parametrize("version", ["1.0", "1.1-dev1", "2.0"])
async def test_blocks_on_a_newer_catalog_do_not_wait(version: str) -> None:
    engine = await _engine(version)
    first = await engine.begin()
    async with asyncio.timeout(turns.PATIENCE_S / 2):
        second = await engine.begin()
    await first.rollback()
    await second.rollback()


async def test_blocks_that_read_rows_and_read_only_blocks_do_not_hold_others_up() -> None:
    engine = await _engine("0.3")
    reader = await engine.begin()
    await select(reader, "ducklake_snapshot", "snapshot_id")
    async with asyncio.timeout(turns.PATIENCE_S / 2):
        other = await engine.begin()
        watcher = await engine.begin(read_only=True)
    for transaction in (reader, other, watcher):
        await transaction.rollback()
    assert await _migrate(engine)


async def test_an_idle_block_loses_its_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(turns, "PATIENCE_S", 0.05)
    engine = await _engine("0.3")
    idle = await engine.begin()
    waiting = asyncio.create_task(engine.begin())
    await asyncio.sleep(0.01)
    assert not waiting.done()
    second = await waiting
    await idle.rollback()  # its turn is not its own any more
    third = asyncio.create_task(engine.begin())
    await asyncio.sleep(0.01)
    assert not third.done()
    await second.rollback()
    await (await third).rollback()
    assert await _migrate(engine)


async def test_a_block_that_migrates_is_waited_for_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(turns, "PATIENCE_S", 0.02)
    engine = await _engine("0.4")
    slow = await engine.begin()
    await update(slow, "ducklake_metadata", {"key": "version"}, value="1.0")
    waiting = asyncio.create_task(engine.begin())
    await asyncio.sleep(0.1)
    assert not waiting.done()
    await slow.commit()
    assert await select(await waiting, "ducklake_metadata", "value") == [("1.0",)]
