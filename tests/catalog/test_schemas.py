"""CREATE and DROP SCHEMA are part of their transaction: seen by others, and found after a restart, only once it
committed."""

from __future__ import annotations

import pytest

from rocklake_server.catalog.database_transaction import DatabaseTransaction
from rocklake_server.catalog.view import ColumnDefinition, IsolationLevel
from rocklake_server.errors import (
    DependentObjects,
    SerializationFailure,
    StoreUnavailable,
    UniqueViolation,
    Unsupported,
)
from rocklake_server.schema.types import BIGINT
from rocklake_server.store.faults import FaultyStore, Mode, Step
from rocklake_server.store.memory import MemoryStore
from tests.catalog.engine import Engine, insert

COLUMNS = [ColumnDefinition("a", BIGINT)]


@pytest.fixture
async def engine() -> Engine:
    engine = await Engine().open()
    await engine.create_catalog()
    return engine


def names(transaction: DatabaseTransaction) -> list[str]:
    return [name for _, name in transaction.schemas()]


async def rows(transaction: DatabaseTransaction, schema: str) -> list[int]:
    relation = transaction.resolve(schema, "t")
    return [row[0] for chunk in await transaction.chunks(relation) for row in chunk.rows]


async def fill(transaction: DatabaseTransaction, schema: str, value: int) -> None:
    await transaction.create_relation(schema, "t", COLUMNS)
    await transaction.insert(transaction.resolve(schema, "t"), [[value]])


async def created(engine: Engine, schema: str = "s", value: int = 1) -> None:
    transaction = await engine.begin()
    await transaction.create_schema(schema)
    await fill(transaction, schema, value)
    await transaction.commit()


async def test_a_created_schema_is_seen_by_others_only_after_the_commit(engine: Engine) -> None:
    transaction = await engine.begin()
    await transaction.create_schema("s")
    await fill(transaction, "s", 1)
    assert names(transaction) == ["public", "s"]
    assert names(await engine.begin()) == ["public"]
    await transaction.commit()
    for again in (engine, await engine.reopen()):
        assert await rows(await again.begin(), "s") == [1]


@pytest.mark.parametrize("end", ["rollback", "crash"])
async def test_a_schema_that_was_never_committed_is_gone(engine: Engine, end: str) -> None:
    transaction = await engine.begin()
    await transaction.create_schema("s")
    await fill(transaction, "s", 1)
    if end == "rollback":
        await transaction.rollback()
    again = engine if end == "rollback" else await engine.reopen()
    assert names(await again.begin()) == ["public"]
    await created(again, value=2)
    assert await rows(await again.begin(), "s") == [2]
    assert await rows(await (await again.reopen()).begin(), "s") == [2]


async def test_two_that_create_the_same_schema_do_not_share_it(engine: Engine) -> None:
    first, second = await engine.begin(), await engine.begin()
    await first.create_schema("s")
    with pytest.raises(UniqueViolation):
        await second.create_schema("s")
    await fill(first, "s", 1)
    await first.commit()
    with pytest.raises(UniqueViolation):
        await second.create_schema("s")
    await second.rollback()
    assert await rows(await engine.begin(), "s") == [1]


async def test_a_schema_dropped_and_created_again_in_one_transaction_is_empty(engine: Engine) -> None:
    await created(engine)
    transaction = await engine.begin()
    assert await transaction.drop_schema("s", cascade=True)
    await transaction.create_schema("s")
    await fill(transaction, "s", 2)
    assert await rows(await engine.begin(), "s") == [1]
    await transaction.commit()
    for again in (engine, await engine.reopen()):
        assert await rows(await again.begin(), "s") == [2]


async def test_a_savepoint_brings_schemas_back_and_takes_new_ones_away(engine: Engine) -> None:
    await created(engine)
    transaction = await engine.begin()
    transaction.savepoint("a")
    await transaction.drop_schema("s", cascade=True)
    await transaction.create_schema("s")
    await transaction.create_schema("other")
    transaction.rollback_to("a")
    assert names(transaction) == ["public", "s"]
    assert await rows(transaction, "s") == [1]
    await transaction.insert(transaction.resolve("s", "t"), [[5]])
    await transaction.commit()
    for again in (engine, await engine.reopen()):
        seen = await again.begin()
        assert names(seen) == ["public", "s"]
        assert await rows(seen, "s") == [1, 5]


async def test_a_dropped_schema_stays_dropped_at_the_next_statement(engine: Engine) -> None:
    await created(engine)
    transaction = await engine.begin(IsolationLevel.READ_COMMITTED)
    await transaction.drop_schema("s", cascade=True)
    await transaction.begin_statement()
    assert names(transaction) == ["public"]
    assert names(await engine.begin()) == ["public", "s"]
    await transaction.commit()
    assert names(await (await engine.reopen()).begin()) == ["public"]


async def test_what_another_wrote_into_a_schema_that_is_dropped_by_now_fails(engine: Engine) -> None:
    await created(engine)
    writing, dropping = await engine.begin(), await engine.begin()
    await writing.insert(writing.resolve("s", "t"), [[2]])
    await dropping.drop_schema("s", cascade=True)
    await dropping.commit()
    with pytest.raises(SerializationFailure):
        await writing.commit()


async def test_a_schema_with_relations_needs_cascade(engine: Engine) -> None:
    await created(engine)
    with pytest.raises(DependentObjects):
        await (await engine.begin()).drop_schema("s")


async def test_writes_to_two_schemas_are_refused_and_reads_are_not(engine: Engine) -> None:
    await created(engine)
    transaction = await engine.begin()
    assert await rows(transaction, "s") == [1]
    await insert(transaction, "ducklake_tag", {"object_id": 1, "begin_snapshot": 1, "key": "k"})
    with pytest.raises(Unsupported, match="one transaction writes one schema"):
        await transaction.insert(transaction.resolve("s", "t"), [[2]])
    await transaction.commit()


@pytest.mark.parametrize("change", ["create", "drop"])
@pytest.mark.parametrize("order", ["rows first", "schema first"])
async def test_schemas_and_rows_of_another_schema_cannot_change_together(
    engine: Engine, change: str, order: str
) -> None:
    """They are in two stores: a failure between the two would leave half of the commit."""
    await created(engine, "old")
    transaction = await engine.begin()

    async def change_schema() -> None:
        if change == "create":
            await transaction.create_schema("new")
        else:
            await transaction.drop_schema("old", cascade=True)

    async def write_rows() -> None:
        await insert(transaction, "ducklake_table_stats", {"table_id": 1})

    first, second = (write_rows, change_schema) if order == "rows first" else (change_schema, write_rows)
    await first()
    with pytest.raises(Unsupported, match="is not supported in a transaction that"):
        await second()
    await transaction.commit()


async def test_a_commit_that_cannot_change_the_list_of_schemas_changes_nothing() -> None:
    engine = SystemFaults()
    await engine.open()
    await engine.create_catalog()
    await created(engine, "old")
    transaction = await engine.begin()
    await transaction.drop_schema("old", cascade=True)
    await transaction.create_schema("new")
    await fill(transaction, "new", 1)
    engine.system.writes.add(Step(Mode.FAIL_BEFORE))
    with pytest.raises(StoreUnavailable):
        await transaction.commit()
    for again in (engine, await engine.reopen()):
        assert names(await again.begin()) == ["public", "old"]
    await created(engine, "new")


class SystemFaults(Engine):
    """An engine whose list of schemas is in a store that follows a script."""

    def __init__(self) -> None:
        super().__init__()
        self.stores["system"] = self.system = FaultyStore(MemoryStore())
