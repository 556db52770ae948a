"""A lake is copied under a name that nobody else can take meanwhile, and that is free again when the copy fails."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from rocklake_server.catalog.database_admin import drop_database
from rocklake_server.catalog.entry_copy import sum_of
from rocklake_server.catalog.lake_copy import LakeCopy, MadeLake, copy_lake
from rocklake_server.catalog.lake_reader import ListedLake
from rocklake_server.errors import CorruptValue, DuplicateSchema, ObjectInUse
from rocklake_server.store.base import Store
from rocklake_server.store.memory import MemoryStore
from tests.catalog.engine import DATABASE, Engine, insert
from tests.catalog.maintenance.whole_lake import build


async def made(engine: Engine, database: str = "copied", schema: str = "public", **changes: object) -> MadeLake:
    of = ListedLake(DATABASE, "public", engine.databases.directory.schemas(DATABASE)["public"])
    wanted = replace(LakeCopy("clone", "ada", of, "here", database, schema), **changes)  # type: ignore[arg-type]
    (opened,) = [each for each in engine.databases.open_lakes() if each.database == DATABASE]
    return await copy_lake(opened.lake.newest.snapshot, engine.databases, wanted, lambda _: None)


async def whole_engine() -> Engine:
    engine = await Engine().open()
    await build(engine)
    return engine


async def test_while_a_lake_is_made_its_name_is_nobodys(monkeypatch: pytest.MonkeyPatch) -> None:
    engine = await whole_engine()
    directory = engine.databases.directory
    await directory.register("old", "public")
    await drop_database(engine.databases, "old", DATABASE, force=False)
    (dropped,) = directory.dropped()
    refusals = 0

    async def meanwhile(_: Store) -> None:
        nonlocal refusals
        for attempt in (engine.databases.create_lake("copied", "public"), made(engine),
                        directory.restore(dropped, "copied", "public", {})):  # fmt: skip
            with pytest.raises(ObjectInUse, match="is being made by another session"):
                await attempt
            refusals += 1
        assert "copied" not in directory.databases()

    opening = engine.databases.open_unlisted

    async def opened(place: object) -> Store:
        store = await opening(place)  # type: ignore[arg-type]
        await meanwhile(store)
        return store

    monkeypatch.setattr(engine.databases, "open_unlisted", opened)
    copied = (await made(engine)).copied
    assert refusals == 3
    assert directory.schemas("copied")["public"].number == copied.number
    with pytest.raises(DuplicateSchema):
        await made(engine)


async def test_a_copy_that_is_not_what_the_backup_was_is_no_lake() -> None:
    engine = await whole_engine()
    expected = (await made(engine)).copied
    with pytest.raises(CorruptValue, match="is not as the backup was made"):
        await made(engine, "again", expected=replace(expected, digest="0" * 32))
    assert "again" not in engine.databases.directory.databases()
    again = await made(engine, "again", expected=expected)
    assert again.left_behind == (again.copied.number - 1,), "what the attempt before left is told"
    assert again.copied.digest == expected.digest


async def test_a_copy_can_be_canceled_at_every_step(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever was reached, the lake is whole or its name is free."""

    async def stays_open(_: MemoryStore) -> None:
        return

    monkeypatch.setattr(MemoryStore, "close", stays_open)
    engine = await whole_engine()
    expected = (await made(engine, "expected")).copied
    canceled = 0
    for steps in range(60):
        attempt = asyncio.ensure_future(made(engine, f"copy{steps}"))
        for _ in range(steps):
            await asyncio.sleep(0)
        attempt.cancel()
        try:
            await attempt
        except asyncio.CancelledError:
            canceled += 1
        if f"copy{steps}" not in engine.databases.directory.databases():
            await made(engine, f"copy{steps}")
        place = engine.databases.directory.schemas(f"copy{steps}")["public"]
        copied = await sum_of(await engine.stores[f"lakes/{place.number}"].snapshot(), lambda _: None)
        assert copied.digest == expected.digest, steps
    assert canceled > 10


async def test_what_is_committed_after_the_copy_is_not_in_it() -> None:
    engine = await whole_engine()
    first = (await made(engine, "first")).copied
    writer = await engine.begin()
    await insert(writer, "ducklake_tag", {"object_id": 1, "begin_snapshot": 6, "key": "k", "value": "v"})
    await writer.commit()
    second = (await made(engine, DATABASE, "second")).copied
    assert second.commit_sequence == first.commit_sequence + 1
    assert second.entries > first.entries
