"""Anomalies that must not happen, each as two or three transactions."""

from __future__ import annotations

import asyncio
import time

import pytest

from rocklake_server.catalog.database_transaction import DatabaseTransaction, Modes
from rocklake_server.catalog.temporary import TemporaryTables
from rocklake_server.catalog.view import ColumnDefinition, IsolationLevel, Now
from rocklake_server.errors import SerializationFailure, UndefinedTable, UniqueViolation
from rocklake_server.schema.types import BIGINT, VARCHAR
from tests.catalog import audit
from tests.catalog.engine import DATABASE, Engine, delete, insert, select, update

READ_COMMITTED = IsolationLevel.READ_COMMITTED
STATS, SNAPSHOTS, FILES = "ducklake_table_stats", "ducklake_snapshot", "ducklake_data_file"
TAG = {"object_id": 1, "begin_snapshot": 1, "key": "k"}


@pytest.fixture
async def engine() -> Engine:
    engine = await Engine().open()
    await engine.create_catalog()
    transaction = await engine.begin()
    await insert(transaction, STATS, {"table_id": 1, "record_count": 0})
    await transaction.commit()
    return engine


async def increment(engine: Engine) -> None:
    other = await engine.begin()
    await update(other, STATS, {"table_id": 1}, record_count=100)
    await other.commit()


@pytest.mark.parametrize("statements_after", [0, 1, 3])
async def test_read_committed_loses_no_update(engine: Engine, statements_after: int) -> None:
    transaction = await engine.begin(READ_COMMITTED)
    await update(transaction, STATS, {"table_id": 1}, record_count=1)
    await increment(engine)

    async def go_on() -> None:
        for _ in range(statements_after):
            await transaction.begin_statement()
        await transaction.commit()

    with pytest.raises(SerializationFailure):
        await go_on()
    await transaction.rollback()
    assert await select(await engine.begin(), STATS, "record_count") == [(100,)]


async def test_read_committed_updates_what_another_committed_before_its_statement(engine: Engine) -> None:
    transaction = await engine.begin(READ_COMMITTED)
    assert await select(transaction, STATS, "record_count") == [(0,)]
    await increment(engine)
    await transaction.begin_statement()
    assert await update(transaction, STATS, {"record_count": 100}, record_count=101) == 1
    await transaction.commit()
    assert await select(await engine.begin(), STATS, "record_count") == [(101,)]


async def test_read_committed_overwrites_no_row_that_took_its_key_meanwhile(engine: Engine) -> None:
    transaction = await engine.begin(READ_COMMITTED)
    await insert(transaction, "ducklake_tag", {**TAG, "value": "mine"})
    other = await engine.begin()
    await insert(other, "ducklake_tag", {**TAG, "value": "other"})
    await other.commit()
    with pytest.raises(SerializationFailure):
        await transaction.begin_statement()
    await transaction.rollback()
    assert await select(await engine.begin(), "ducklake_tag", "value") == [("other",)]


@pytest.mark.parametrize("isolation", list(IsolationLevel))
async def test_no_row_of_an_old_shape_is_committed_into_a_new_one(engine: Engine, isolation: IsolationLevel) -> None:
    transaction = await engine.begin(isolation)
    await insert(transaction, "ducklake_tag", {**TAG, "value": "v"})
    other = await engine.begin()
    await other.add_column(other.resolve(None, "ducklake_tag"), ColumnDefinition("note", VARCHAR))
    await other.commit()

    async def go_on() -> None:
        await transaction.begin_statement()
        await transaction.commit()

    with pytest.raises(SerializationFailure):
        await go_on()
    await transaction.rollback()


async def test_read_committed_sees_others_definitions_beside_its_own(engine: Engine) -> None:
    transaction = await engine.begin(READ_COMMITTED)
    transaction.savepoint("s")
    await transaction.create_relation(None, "mine", [ColumnDefinition("a", BIGINT)])
    other = await engine.begin()
    await other.create_relation(None, "theirs", [ColumnDefinition("a", BIGINT)])
    await other.commit()
    await transaction.begin_statement()
    assert transaction.resolve(None, "mine")
    assert transaction.resolve(None, "theirs")
    transaction.rollback_to("s")
    assert "mine" not in {relation.name for relation in transaction.relations()}
    assert "theirs" in {relation.name for relation in transaction.relations()}
    await transaction.rollback()


async def test_a_row_inserted_meanwhile_stops_the_drop_of_a_declared_relation(engine: Engine) -> None:
    dropping, inserting = await engine.begin(), await engine.begin()
    await dropping.drop_relation(dropping.resolve(None, "ducklake_tag"))
    await insert(inserting, "ducklake_tag", {**TAG, "value": "v"})
    await inserting.commit()
    with pytest.raises(SerializationFailure):
        await dropping.commit()
    audit.check(await audit.audit(engine.stores["lakes/1"]))
    assert await select(await engine.begin(), "ducklake_tag", "value") == [("v",)]


async def test_a_primary_key_stays_one_after_a_rollback_to_a_savepoint(engine: Engine) -> None:
    transaction = await engine.begin()
    await insert(transaction, "ducklake_data_file", {"data_file_id": 1, "table_id": 1})
    transaction.savepoint("s")
    await delete(transaction, "ducklake_data_file", data_file_id=1)
    await insert(transaction, "ducklake_data_file", {"data_file_id": 1, "table_id": 2})
    transaction.rollback_to("s")
    with pytest.raises(UniqueViolation):
        await insert(transaction, "ducklake_data_file", {"data_file_id": 1, "table_id": 3})
    await transaction.rollback()


async def test_an_update_of_a_key_field_moves_the_row_and_retires_nothing(engine: Engine) -> None:
    transaction = await engine.begin()
    await insert(transaction, "ducklake_data_file", {"data_file_id": 1, "table_id": 1, "begin_snapshot": 1})
    await transaction.commit()
    transaction = await engine.begin()
    await update(transaction, "ducklake_data_file", {"data_file_id": 1}, table_id=2)
    await transaction.commit()
    found = await audit.audit(engine.stores["lakes/1"])
    audit.check(found)
    assert found.retired == {}
    transaction = await engine.begin()
    await delete(transaction, "ducklake_data_file", data_file_id=1)
    await transaction.commit()
    found = await audit.audit(engine.stores["lakes/1"])
    audit.check(found)
    assert [row[:2] for _, row in found.retired.values()] == [(1, 2)]


@pytest.mark.parametrize("exporter_ends", [True, False])
async def test_an_imported_snapshot_stays_readable_and_its_writes_are_checked(
    engine: Engine, exporter_ends: bool
) -> None:
    again = await engine.reopen()
    exporter = await again.begin()
    identifier = exporter.export_snapshot()
    modes = Modes(IsolationLevel.REPEATABLE_READ, block=True)
    importer = DatabaseTransaction(again.databases, DATABASE, modes, TemporaryTables(again.clock))
    importer.import_snapshot(identifier)
    if exporter_ends:
        await exporter.rollback()
    await increment(again)
    await importer.begin_statement()
    assert await select(importer, STATS, "record_count") == [(0,)]
    assert await select(await again.begin(), STATS, "record_count") == [(100,)]
    await update(importer, STATS, {"table_id": 1}, record_count=1)
    with pytest.raises(SerializationFailure):
        await importer.commit()


async def test_serializable_fails_when_what_it_read_was_changed(engine: Engine) -> None:
    transaction = await engine.begin(IsolationLevel.SERIALIZABLE)
    await select(transaction, STATS, "record_count")
    await increment(engine)
    await insert(transaction, "ducklake_tag", {**TAG, "value": "v"})
    with pytest.raises(SerializationFailure):
        await transaction.commit()


async def test_waiting_inserts_go_on_one_by_one(engine: Engine) -> None:
    holder = await engine.begin()
    await insert(holder, "ducklake_snapshot", {"snapshot_id": 1})
    waiters = [await engine.begin() for _ in range(3)]
    tasks = [asyncio.create_task(insert(w, "ducklake_snapshot", {"snapshot_id": 1})) for w in waiters]
    await asyncio.sleep(0.01)
    await holder.rollback()
    done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    assert len(done) == 1
    winner = waiters[next(i for i, task in enumerate(tasks) if task in done)]
    await winner.commit()
    for loser in waiters:
        if loser is not winner:
            with pytest.raises(UniqueViolation):
                await tasks[waiters.index(loser)]
            await loser.rollback()


async def test_who_loses_a_key_to_a_commit_fails_without_waiting_for_the_other_losers(engine: Engine) -> None:
    holder = await engine.begin()
    await insert(holder, SNAPSHOTS, {"snapshot_id": 1})
    losers = [await engine.begin() for _ in range(5)]
    tasks = [asyncio.create_task(insert(each, SNAPSHOTS, {"snapshot_id": 1})) for each in losers]
    await asyncio.sleep(0.01)
    await holder.commit()
    async with asyncio.timeout(1):
        outcomes = await asyncio.gather(*tasks, return_exceptions=True)
    assert [type(outcome) for outcome in outcomes] == [UniqueViolation] * 5


async def test_a_failed_block_holds_up_nobody(engine: Engine) -> None:
    failed, other = await engine.begin(), await engine.begin()
    await insert(failed, SNAPSHOTS, {"snapshot_id": 1})
    waiting = asyncio.create_task(insert(other, SNAPSHOTS, {"snapshot_id": 1}))
    await asyncio.sleep(0.01)
    assert not waiting.done()
    await failed.fail(UndefinedTable("something else"))
    async with asyncio.timeout(1):
        await waiting
    await other.commit()
    await failed.rollback()


@pytest.mark.parametrize("fails", [True, False])
async def test_what_a_savepoint_takes_back_holds_up_nobody(engine: Engine, fails: bool) -> None:
    first, second, third = [await engine.begin() for _ in range(3)]
    await insert(first, SNAPSHOTS, {"snapshot_id": 1})
    first.savepoint("s")
    await insert(first, SNAPSHOTS, {"snapshot_id": 2})
    before = asyncio.create_task(insert(second, SNAPSHOTS, {"snapshot_id": 1}))
    since = asyncio.create_task(insert(third, SNAPSHOTS, {"snapshot_id": 2}))
    await asyncio.sleep(0.01)
    assert not before.done()
    assert not since.done()
    if fails:
        await first.fail(UndefinedTable("something else"))
    else:
        first.rollback_to("s")
    async with asyncio.timeout(1):
        await since
    await third.commit()
    assert not before.done()
    await first.commit()
    with pytest.raises(UniqueViolation):
        await before
    assert await select(await engine.begin(), SNAPSHOTS, "snapshot_id") == [(1,), (2,)]


async def test_commits_to_different_tables_never_fail_each_other(engine: Engine) -> None:
    setup = await engine.begin()
    await insert(setup, STATS, *({"table_id": n, "record_count": 0} for n in range(2, 34)))
    await setup.commit()

    async def write(table_id: int) -> None:
        transaction = await engine.begin()
        file = {"data_file_id": 1000 + table_id, "table_id": table_id, "begin_snapshot": table_id}
        await insert(transaction, FILES, file)
        await asyncio.sleep(0)
        await update(transaction, STATS, {"table_id": table_id}, record_count=table_id)
        await insert(transaction, SNAPSHOTS, {"snapshot_id": table_id, "snapshot_time": Now(1)})
        await transaction.commit()

    await asyncio.gather(*(write(table_id) for table_id in range(2, 34)))
    after = await engine.begin()
    assert await select(after, STATS, "record_count") == [(0,), *((n,) for n in range(2, 34))]
    times = [row[0] for row in await select(after, SNAPSHOTS, "snapshot_time")]
    assert len(set(times)) == len(times)


async def test_idle_open_transactions_do_not_slow_a_writer(engine: Engine) -> None:
    """The commits that an idle transaction would be validated against are kept, and cost the others nothing."""

    async def seconds(commits: int) -> float:
        start = time.perf_counter()
        for _ in range(commits):
            writer = await engine.begin()
            await update(writer, STATS, {"table_id": 1}, record_count=7)
            await writer.commit()
        return time.perf_counter() - start

    await seconds(20)
    alone = min([await seconds(50) for _ in range(5)])
    idle = [await engine.begin() for _ in range(64)]
    for number, transaction in enumerate(idle):
        await select(transaction, STATS, "record_count")
        await insert(transaction, FILES, {"data_file_id": number, "table_id": 1})
    beside_idle = min([await seconds(50) for _ in range(5)])
    assert beside_idle < 3 * alone
    for transaction in idle:
        await transaction.commit()
