"""Databases of many schemas: a lake opens when it is named, closed ones are known by their outlines, and what a
transaction reads is of one moment all the same."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import pytest

from rocklake_server.catalog.database_transaction import DatabaseTransaction
from rocklake_server.catalog.listing import Place
from rocklake_server.catalog.outlines import Outline, decode_outline, encode_outline
from rocklake_server.catalog.relations import Relations
from rocklake_server.catalog.view import Absent, ColumnDefinition, IsolationLevel
from rocklake_server.errors import CorruptValue, SerializationFailure
from rocklake_server.limits import SCHEMAS_ENTERED_MAX
from rocklake_server.schema.model import Relation
from rocklake_server.schema.types import BIGINT
from rocklake_server.store.base import Store
from rocklake_server.store.memory import MemoryStore
from tests.catalog.engine import DATABASE, Engine

COLUMNS = [ColumnDefinition("a", BIGINT)]
NAMES = [f"s{number}" for number in range(SCHEMAS_ENTERED_MAX + 3)]
Answer = TypeVar("Answer")


class Reopening(Engine):
    """Stores that were closed are opened again with what they hold."""

    async def open_store(self, directory: str) -> Store:
        known = self.stores.get(directory)
        self.stores[directory] = known.reopened() if isinstance(known, MemoryStore) else MemoryStore()
        return self.stores[directory]

    async def after_a_stop(self) -> Reopening:
        await self.databases.close()
        return await self.after_a_crash()

    async def after_a_crash(self) -> Reopening:
        engine = Reopening()
        engine.stores, engine.clock = self.stores, self.clock
        return await engine.open()  # type: ignore[return-value]

    @property
    def open_schemas(self) -> list[str]:
        return sorted(opened.lake.schema for opened in self.databases.open_lakes())


@pytest.fixture
async def engine() -> Reopening:
    engine = Reopening()
    await engine.open()
    for number, name in enumerate(NAMES):
        transaction = await engine.begin()
        await transaction.create_schema(name)
        await transaction.create_relation(name, "t", COLUMNS)
        await transaction.insert(transaction.resolve(name, "t"), [[number]])
        await transaction.commit()
    return engine


async def asked(transaction: DatabaseTransaction, ask: Callable[[], Answer]) -> Answer:
    while True:
        try:
            return ask()
        except Absent as absent:
            await transaction.provide(absent)


async def relation(transaction: DatabaseTransaction, schema: str) -> Relation:
    return await asked(transaction, lambda: transaction.resolve(schema, "t"))


async def rows(transaction: DatabaseTransaction, schema: str) -> list[object]:
    found = await relation(transaction, schema)
    return [row[0] for chunk in await transaction.chunks(found) for row in chunk.rows]


async def insert(engine: Engine, schema: str, value: int) -> None:
    transaction = await engine.begin()
    await transaction.insert(await relation(transaction, schema), [[value]])
    await transaction.commit()


async def listed(engine: Engine) -> list[str]:
    transaction = await engine.begin(read_only=True)
    found = await asked(transaction, transaction.relations)
    await transaction.rollback()
    return [f"{each.schema}.{each.name}" for each in found]


async def test_only_what_is_named_opens(engine: Reopening) -> None:
    again = await engine.after_a_stop()
    transaction = await again.begin()
    assert again.open_schemas == []
    assert await rows(transaction, "s3") == [3]
    assert again.open_schemas == ["s3"]
    assert [name for _, name in transaction.schemas()] == ["public", *NAMES]
    assert await listed(again) == [f"{name}.t" for name in NAMES]
    oids = {each.oid: each.schema for each in await asked(transaction, transaction.relations)}
    assert len(oids) == len(NAMES)
    for oid, schema in oids.items():
        found = transaction.relation_of_oid(oid)
        assert found is not None
        assert found.schema == schema
    assert again.open_schemas == ["s3"], "relations of closed lakes are known"


async def test_after_a_crash_lakes_are_opened_to_know_and_never_guessed(engine: Reopening) -> None:
    stopped = await engine.after_a_stop()
    transaction = await stopped.begin()
    await transaction.need("s1")
    await transaction.create_relation("s1", "u", COLUMNS)
    await transaction.commit()
    crashed = await stopped.after_a_crash()
    assert await listed(crashed) == [f"{each}.{name}" for each in NAMES for name in ("tu" if each == "s1" else "t")]
    assert crashed.open_schemas == ["s1"], "that one had changed since its outline was kept"
    again = await crashed.after_a_stop()
    assert "s1.u" in await listed(again)
    assert again.open_schemas == []


async def test_a_definition_that_failed_to_be_forgotten_is_not_committed(engine: Reopening) -> None:
    again = await engine.after_a_stop()
    transaction = await again.begin()
    await transaction.need("s1")
    await transaction.create_relation("s1", "u", COLUMNS)
    await again.stores["system"].close()
    with pytest.raises(Exception, match="closed"):
        await transaction.commit()
    crashed = await again.after_a_crash()
    assert "s1.u" not in await listed(crashed)


async def test_what_is_read_together_is_of_one_moment(engine: Reopening) -> None:
    first = await engine.begin()
    assert await rows(first, "s1") == [1]
    await insert(engine, "s2", 20)
    with pytest.raises(SerializationFailure):
        await rows(first, "s2")
    assert SerializationFailure.retryable
    await first.rollback()
    second = await engine.begin()
    assert await rows(second, "s1") == [1]
    assert await rows(second, "s2") == [2, 20]
    await insert(engine, "s2", 21)
    await insert(engine, "s3", 30)
    assert await rows(second, "s2") == [2, 20], "it was taken before"
    assert await rows(second, "s1") == [1]


async def test_a_lake_that_closed_and_opened_meanwhile_is_no_newer_for_that(engine: Reopening) -> None:
    first = await engine.begin()
    assert await rows(first, "s1") == [1]
    engine.databases.close_idle_lakes(0)
    assert await rows(first, "s2") == [2]
    other = await engine.begin()
    assert await rows(other, "s1") == [1]
    await insert(engine, "s3", 30)
    engine.databases.close_idle_lakes(0)
    with pytest.raises(SerializationFailure):
        await rows(other, "s3")


async def test_read_committed_takes_each_statement_as_it_comes(engine: Reopening) -> None:
    transaction = await engine.begin(IsolationLevel.READ_COMMITTED)
    assert await rows(transaction, "s1") == [1]
    await insert(engine, "s2", 20)
    await transaction.begin_statement()
    assert await rows(transaction, "s2") == [2, 20]


async def test_two_writers_of_two_schemas_do_not_meet(engine: Reopening) -> None:
    one, two = await engine.begin(), await engine.begin()
    await one.insert(await relation(one, "s1"), [[10]])
    await two.insert(await relation(two, "s2"), [[20]])
    await one.commit()
    await two.commit()
    transaction = await engine.begin()
    assert await rows(transaction, "s1") == [1, 10]
    assert await rows(transaction, "s2") == [2, 20]


async def test_a_schema_that_was_dropped_meanwhile_is_a_lost_race(engine: Reopening) -> None:
    again = await engine.after_a_stop()
    late, dropping = await again.begin(), await again.begin()
    await dropping.drop_schema("s2", cascade=True)
    await dropping.commit()
    again.databases.close_idle_lakes(0)
    with pytest.raises(SerializationFailure):
        await rows(late, "s2")
    assert "s2" not in {name for _, name in (await again.begin()).schemas()}


async def test_too_many_open_lakes_close_the_ones_that_nobody_uses(engine: Reopening) -> None:
    await engine.databases.close()
    again = Reopening()
    again.stores, again.clock, again.open_lakes_max = engine.stores, engine.clock, 2
    await again.open()
    busy = await again.begin()
    assert await rows(busy, "s0") == [0]
    for number, name in enumerate(NAMES[1:], 1):
        transaction = await again.begin()
        assert await rows(transaction, name) == [number]
        await transaction.rollback()
    assert len(again.open_schemas) <= 3
    assert "s0" in again.open_schemas, "it is in use"
    assert await rows(busy, "s0") == [0]


def test_an_outline_says_what_was_put_into_it(engine: Reopening) -> None:
    place: Place = engine.databases.directory.schemas(DATABASE)["s1"]
    outline = engine.databases.outline("s1", place)
    assert outline is not None
    data = encode_outline(outline)
    assert decode_outline(place.number, data, "s1", place.slot).relations.by_id == outline.relations.by_id
    assert decode_outline(place.number, data, "other", place.slot).relations.by_name["t"].schema == "other"
    commented = Outline(outline.relations.with_comments({"comment": "known of a closed lake"}), outline.stored_bytes)
    found = decode_outline(place.number, encode_outline(commented), "s1", place.slot)
    assert found.relations.comments == {**outline.relations.comments, "comment": "known of a closed lake"}
    assert encode_outline(Outline(Relations.of([], {}), 7)) != data
    for damaged in (b"", data[:-1], b"x" + data):
        with pytest.raises(CorruptValue, match="no outline"):
            decode_outline(place.number, damaged, "s1", place.slot)
