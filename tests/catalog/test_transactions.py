"""What a transaction sees, keeps and loses; what two of them do to each other."""

from __future__ import annotations

import asyncio

import pytest

from rocklake_server.catalog.view import ColumnDefinition, IsolationLevel, Now
from rocklake_server.errors import (
    CatalogError,
    DeadlockDetected,
    LockNotAvailable,
    ReadOnlyTransaction,
    SerializationFailure,
    UndefinedTable,
    UniqueViolation,
)
from rocklake_server.schema.types import BIGINT, VARCHAR
from tests.catalog.engine import Engine, delete, insert, select, update


@pytest.fixture
async def engine() -> Engine:
    engine = await Engine().open()
    await engine.create_catalog()
    return engine


def snapshot(snapshot_id: int, time: int = 5) -> dict[str, int]:
    return {"snapshot_id": snapshot_id, "snapshot_time": time, "next_catalog_id": 1, "next_file_id": 0}


async def test_committed_rows_survive_a_reopen(engine: Engine) -> None:
    transaction = await engine.begin()
    await insert(transaction, "ducklake_snapshot", snapshot(0), snapshot(1))
    await transaction.commit()
    again = await (await engine.reopen()).begin()
    assert await select(again, "ducklake_snapshot", "snapshot_id", "snapshot_time") == [(0, 5), (1, 5)]


async def test_a_transaction_reads_its_own_writes_and_others_do_not(engine: Engine) -> None:
    mine, other = await engine.begin(), await engine.begin()
    await insert(mine, "ducklake_snapshot", snapshot(7))
    assert await select(mine, "ducklake_snapshot", "snapshot_id") == [(7,)]
    assert await select(other, "ducklake_snapshot", "snapshot_id") == []
    await mine.commit()
    assert await select(other, "ducklake_snapshot", "snapshot_id") == []
    assert await select(await engine.begin(), "ducklake_snapshot", "snapshot_id") == [(7,)]


async def test_read_committed_sees_each_commit_at_its_next_statement(engine: Engine) -> None:
    reader = await engine.begin(IsolationLevel.READ_COMMITTED)
    writer = await engine.begin()
    await insert(writer, "ducklake_snapshot", snapshot(3))
    await writer.commit()
    assert await select(reader, "ducklake_snapshot", "snapshot_id") == []
    await reader.begin_statement()
    assert await select(reader, "ducklake_snapshot", "snapshot_id") == [(3,)]


async def test_rollback_leaves_nothing(engine: Engine) -> None:
    transaction = await engine.begin()
    await insert(transaction, "ducklake_snapshot", snapshot(3))
    await transaction.create_relation(None, "extra", [ColumnDefinition("a", BIGINT)])
    await transaction.rollback()
    after = await engine.begin()
    assert await select(after, "ducklake_snapshot", "snapshot_id") == []
    with pytest.raises(UndefinedTable):
        after.resolve(None, "extra")


async def test_savepoints_undo_rows_and_definitions(engine: Engine) -> None:
    transaction = await engine.begin()
    await insert(transaction, "ducklake_snapshot", snapshot(1))
    transaction.savepoint("a")
    await insert(transaction, "ducklake_snapshot", snapshot(2))
    await update(transaction, "ducklake_snapshot", {"snapshot_id": 1}, schema_version=9)
    await transaction.create_relation(None, "extra", [ColumnDefinition("a", BIGINT)])
    transaction.savepoint("b")
    await delete(transaction, "ducklake_snapshot", snapshot_id=1)
    transaction.rollback_to("b")
    assert await select(transaction, "ducklake_snapshot", "snapshot_id", "schema_version") == [(1, 9), (2, None)]
    transaction.rollback_to("a")
    assert await select(transaction, "ducklake_snapshot", "snapshot_id", "schema_version") == [(1, None)]
    with pytest.raises(UndefinedTable):
        transaction.resolve(None, "extra")
    await transaction.commit()
    assert await select(await engine.begin(), "ducklake_snapshot", "snapshot_id") == [(1,)]


@pytest.mark.parametrize("change", ["update", "delete"])
async def test_the_first_committer_wins_a_row(engine: Engine, change: str) -> None:
    first = await engine.begin()
    await insert(first, "ducklake_table_stats", {"table_id": 1, "record_count": 1})
    await first.commit()
    winner, loser = await engine.begin(), await engine.begin()
    await update(loser, "ducklake_table_stats", {"table_id": 1}, record_count=5)
    if change == "update":
        await update(winner, "ducklake_table_stats", {"table_id": 1}, record_count=3)
    else:
        await delete(winner, "ducklake_table_stats", table_id=1)
    await winner.commit()
    with pytest.raises(SerializationFailure, match=f"concurrent {change}"):
        await loser.commit()
    left = await select(await engine.begin(), "ducklake_table_stats", "record_count")
    assert left == ([(3,)] if change == "update" else [])


async def test_commits_to_different_rows_do_not_fail_each_other(engine: Engine) -> None:
    first = await engine.begin()
    await insert(first, "ducklake_table_stats", {"table_id": 1}, {"table_id": 2})
    await first.commit()
    left, right = await engine.begin(), await engine.begin()
    await update(left, "ducklake_table_stats", {"table_id": 1}, record_count=5)
    await update(right, "ducklake_table_stats", {"table_id": 2}, record_count=6)
    await asyncio.gather(left.commit(), right.commit())
    assert await select(await engine.begin(), "ducklake_table_stats", "record_count") == [(5,), (6,)]


async def test_a_repeated_primary_key_fails_at_the_insert(engine: Engine) -> None:
    transaction = await engine.begin()
    await insert(transaction, "ducklake_snapshot", snapshot(1))
    with pytest.raises(UniqueViolation, match='unique constraint "ducklake_snapshot_pkey"'):
        await insert(transaction, "ducklake_snapshot", snapshot(1))
    await transaction.commit()
    with pytest.raises(UniqueViolation):
        await insert(await engine.begin(), "ducklake_snapshot", snapshot(1))


async def test_an_update_that_changes_a_primary_key_takes_it_and_sets_the_old_one_free(engine: Engine) -> None:
    transaction = await engine.begin()
    columns = [ColumnDefinition("a", BIGINT, nullable=False), ColumnDefinition("b", VARCHAR)]
    await transaction.create_relation(None, "mine", columns, ["a"])
    await insert(transaction, "mine", {"a": 1, "b": "x"}, {"a": 2, "b": "y"})
    await transaction.commit()
    repeating, moving, other = await engine.begin(), await engine.begin(), await engine.begin(lock_timeout_s=0.02)
    with pytest.raises(UniqueViolation, match="mine_pkey"):
        await update(repeating, "mine", {"a": 2}, a=1)
    await repeating.rollback()
    assert await update(moving, "mine", {"a": 2}, a=3) == 1
    with pytest.raises(LockNotAvailable):
        await insert(other, "mine", {"a": 3, "b": "z"})
    await moving.commit()
    after = await engine.begin()
    with pytest.raises(UniqueViolation):
        await insert(after, "mine", {"a": 3, "b": "z"})
    await insert(after, "mine", {"a": 2, "b": "z"})
    assert sorted(await select(after, "mine", "a", "b")) == [(1, "x"), (2, "z"), (3, "y")]


async def test_a_primary_key_is_one_across_tables_of_files(engine: Engine) -> None:
    transaction = await engine.begin()
    await insert(transaction, "ducklake_data_file", {"data_file_id": 4, "table_id": 1, "begin_snapshot": 1})
    await transaction.commit()
    with pytest.raises(UniqueViolation, match="ducklake_data_file_pkey"):
        await insert(await engine.begin(), "ducklake_data_file", {"data_file_id": 4, "table_id": 2})


FILES = "ducklake_data_file"


def files(*ids: int) -> list[dict[str, int]]:
    return [{"data_file_id": i, "table_id": 1, "begin_snapshot": 1} for i in ids]


@pytest.mark.parametrize("again", [(7,), (20, 150), (150, 150), (0,), (149, 300)])
async def test_one_of_many_new_rows_with_a_key_that_is_there_fails_them(
    engine: Engine, again: tuple[int, ...]
) -> None:
    """Committed rows, the transaction's own, and those of the same statement; in every run of rows."""
    transaction = await engine.begin()
    await insert(transaction, FILES, *files(*range(10)))
    await transaction.commit()
    transaction = await engine.begin()
    await insert(transaction, FILES, *files(*range(20, 200)))
    transaction.savepoint("s")
    with pytest.raises(UniqueViolation, match="ducklake_data_file_pkey"):
        await insert(transaction, FILES, *files(*range(300, 301), *range(400, 540), *again, *range(600, 640)))
    transaction.rollback_to("s")
    await insert(transaction, FILES, *files(*range(300, 700)))
    await transaction.commit()
    found = await select(await engine.begin(), FILES, "data_file_id")
    assert sorted(found) == [(i,) for i in (*range(10), *range(20, 200), *range(300, 700))]


@pytest.mark.parametrize("winner_commits", [True, False])
async def test_many_new_rows_wait_for_the_one_whose_key_is_held(engine: Engine, winner_commits: bool) -> None:
    winner, waiter = await engine.begin(), await engine.begin()
    await insert(winner, FILES, *files(70))
    waiting = asyncio.create_task(insert(waiter, FILES, *files(*range(200))))
    await asyncio.sleep(0.01)
    assert not waiting.done()
    if winner_commits:
        await winner.commit()
        with pytest.raises(UniqueViolation):
            await waiting
        await waiter.rollback()
        assert await select(await engine.begin(), FILES, "data_file_id") == [(70,)]
    else:
        await winner.rollback()
        await waiting
        await waiter.commit()
        assert len(await select(await engine.begin(), FILES, "data_file_id")) == 200


@pytest.mark.parametrize("winner_commits", [True, False])
async def test_an_insert_waits_for_the_transaction_that_holds_its_key(engine: Engine, winner_commits: bool) -> None:
    winner, waiter = await engine.begin(), await engine.begin()
    await insert(winner, "ducklake_snapshot", snapshot(1))
    waiting = asyncio.create_task(insert(waiter, "ducklake_snapshot", snapshot(1)))
    await asyncio.sleep(0.01)
    assert not waiting.done()
    if winner_commits:
        await winner.commit()
        with pytest.raises(UniqueViolation):
            await waiting
    else:
        await winner.rollback()
        await waiting
        await waiter.commit()
        assert await select(await engine.begin(), "ducklake_snapshot", "snapshot_id") == [(1,)]


async def test_a_cycle_of_waits_fails_at_once_with_a_retryable_error(engine: Engine) -> None:
    left, right = await engine.begin(), await engine.begin()
    await insert(left, "ducklake_snapshot", snapshot(1))
    await insert(right, "ducklake_snapshot", snapshot(2))
    waiting = asyncio.create_task(insert(left, "ducklake_snapshot", snapshot(2)))
    await asyncio.sleep(0.01)
    with pytest.raises(DeadlockDetected, match="concurrent"):
        await insert(right, "ducklake_snapshot", snapshot(1))
    await right.rollback()
    await waiting


async def test_lock_timeout_ends_a_wait(engine: Engine) -> None:
    holder, waiter = await engine.begin(), await engine.begin(lock_timeout_s=0.02)
    await insert(holder, "ducklake_snapshot", snapshot(1))
    with pytest.raises(LockNotAvailable):
        await insert(waiter, "ducklake_snapshot", snapshot(1))


async def test_rows_without_a_primary_key_never_overwrite_each_other(engine: Engine) -> None:
    left, right = await engine.begin(), await engine.begin()
    for transaction, value in ((left, "a"), (right, "b")):
        tag = {"object_id": 1, "begin_snapshot": 1, "key": "k", "value": value}
        await insert(transaction, "ducklake_tag", tag, tag)
    await asyncio.gather(left.commit(), right.commit())
    after = await engine.begin()
    assert sorted(await select(after, "ducklake_tag", "value")) == [("a",), ("a",), ("b",), ("b",)]
    assert await delete(after, "ducklake_tag", value="a") == 2
    await after.commit()
    assert await select(await (await engine.reopen()).begin(), "ducklake_tag", "value") == [("b",), ("b",)]


async def test_a_tie_breaker_that_the_lake_already_has_is_stepped_over(engine: Engine) -> None:
    """Two repeat a key whose first place is free again; the later one meets the other's row, then an older one."""
    tag = {"object_id": 1, "begin_snapshot": 1, "key": "comment"}
    before = await engine.begin()
    await insert(before, "ducklake_tag", {**tag, "value": "first"}, {**tag, "value": "second"})
    await before.commit()
    removing = await engine.begin()
    assert await delete(removing, "ducklake_tag", value="first") == 1
    await removing.commit()
    one, two = await engine.begin(), await engine.begin()
    for transaction, value in ((one, "one"), (two, "two")):
        await insert(transaction, "ducklake_tag", {**tag, "value": value})
    await one.commit()
    await two.commit()
    for again in (engine, await engine.reopen()):
        rows = await select(await again.begin(), "ducklake_tag", "value")
        assert sorted(rows) == [("one",), ("second",), ("two",)]


async def test_now_in_a_snapshot_row_is_fixed_at_commit_and_strictly_increases(engine: Engine) -> None:
    for snapshot_id, now in ((0, 50), (1, 50), (2, 40)):
        engine.clock.value_us = now
        transaction = await engine.begin()
        await insert(transaction, "ducklake_snapshot", {"snapshot_id": snapshot_id, "snapshot_time": Now(1)})
        await transaction.commit()
    times = await select(await engine.begin(), "ducklake_snapshot", "snapshot_time")
    assert times == [(50,), (51,), (52,)]


async def test_a_literal_snapshot_time_stays_as_sent(engine: Engine) -> None:
    transaction = await engine.begin()
    await insert(transaction, "ducklake_snapshot", snapshot(0, time=1))
    await transaction.commit()
    assert await select(await engine.begin(), "ducklake_snapshot", "snapshot_time") == [(1,)]


async def test_a_definition_changed_meanwhile_fails_the_later_commit(engine: Engine) -> None:
    transaction = await engine.begin()
    await insert(transaction, "ducklake_tag", {"object_id": 1, "begin_snapshot": 1, "key": "k"})
    other = await engine.begin()
    await other.add_column(other.resolve(None, "ducklake_tag"), ColumnDefinition("note", VARCHAR))
    await other.commit()
    with pytest.raises(SerializationFailure):
        await transaction.commit()


async def test_two_that_create_the_same_table_if_not_exists_both_commit_their_rows(engine: Engine) -> None:
    columns = [ColumnDefinition(name, BIGINT) for name in ("file_id", "row_id", "begin_snapshot")]
    open_ones = [await engine.begin() for _ in range(2)]
    for number, transaction in enumerate(open_ones):
        assert await transaction.create_relation(None, "ducklake_inlined_delete_1", columns, if_not_exists=True)
        await insert(transaction, "ducklake_inlined_delete_1", {"file_id": 1, "row_id": number, "begin_snapshot": 2})
    for transaction in open_ones:
        await transaction.commit()
    for again in (engine, await engine.reopen()):
        rows = await select(await again.begin(), "ducklake_inlined_delete_1", "row_id")
        assert rows == [(0,), (1,)]


async def test_read_only_refuses_writes_but_not_temporary_tables(engine: Engine) -> None:
    transaction = await engine.begin(read_only=True)
    with pytest.raises(ReadOnlyTransaction):
        await insert(transaction, "ducklake_snapshot", snapshot(1))
    await transaction.create_relation(None, "scratch", [ColumnDefinition("a", BIGINT)], temporary=True)
    await insert(transaction, "scratch", {"a": 1})
    assert await select(transaction, "scratch", "a") == [(1,)]
    await transaction.commit()


async def test_added_columns_read_their_default_before_and_after_a_reopen(engine: Engine) -> None:
    transaction = await engine.begin()
    await insert(transaction, "ducklake_tag", {"object_id": 1, "begin_snapshot": 1, "key": "k", "value": "v"})
    await transaction.commit()
    transaction = await engine.begin()
    note = ColumnDefinition("note", VARCHAR, default="d")
    await transaction.add_column(transaction.resolve(None, "ducklake_tag"), note)
    await transaction.drop_column(transaction.resolve(None, "ducklake_tag"), "value")
    await transaction.rename_column(transaction.resolve(None, "ducklake_tag"), "key", "name")
    await insert(transaction, "ducklake_tag", {"object_id": 2, "begin_snapshot": 1, "name": "n", "note": "own"})
    expected = [(1, "k", "d"), (2, "n", "own")]
    assert await select(transaction, "ducklake_tag", "object_id", "name", "note") == expected
    await transaction.commit()
    for again in (engine, await engine.reopen()):
        assert await select(await again.begin(), "ducklake_tag", "object_id", "name", "note") == expected


async def test_a_dropped_relation_is_gone_and_its_name_is_free(engine: Engine) -> None:
    columns = [ColumnDefinition("a", BIGINT)]
    transaction = await engine.begin()
    await transaction.create_relation(None, "t", columns)
    await insert(transaction, "t", {"a": 1})
    await transaction.commit()
    transaction = await engine.begin()
    await transaction.drop_relation(transaction.resolve(None, "t"))
    await transaction.create_relation(None, "t", columns)
    assert await select(transaction, "t", "a") == []
    await transaction.commit()
    assert await select(await (await engine.reopen()).begin(), "t", "a") == []


async def test_eight_clients_that_fill_an_empty_database_take_turns() -> None:
    engine = await Engine().open()

    async def bootstrap(number: int) -> bool:
        transaction = await engine.begin()
        try:
            transaction.resolve(None, "ducklake_snapshot")
        except UndefinedTable:
            await asyncio.sleep(0.01)
            await transaction.create_relation(None, "ducklake_snapshot", [ColumnDefinition("snapshot_id", BIGINT)])
            await transaction.commit()
            return True
        await transaction.commit()
        return False

    assert sum(await asyncio.gather(*(bootstrap(number) for number in range(8)))) == 1


async def test_every_error_of_the_engine_that_a_rerun_cures_says_so() -> None:
    assert SerializationFailure.retryable
    assert UniqueViolation.retryable
    assert DeadlockDetected.retryable
    assert not any(error.retryable for error in CatalogError.by_sqlstate.values() if error.sqlstate[:2] in ("08", "57"))
