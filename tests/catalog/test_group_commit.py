"""One store write for many commits, and what a failing store leaves behind."""

from __future__ import annotations

import asyncio
from unittest.mock import patch

import pytest

from rocklake_server.catalog import commit
from rocklake_server.catalog.view import ColumnDefinition
from rocklake_server.errors import CannotConnectNow, OutcomeUnknown, SerializationFailure, StoreUnavailable
from rocklake_server.schema.types import BIGINT
from rocklake_server.store.base import Store, WriteBatch
from rocklake_server.store.faults import FaultyStore, Gate, Mode, Step
from rocklake_server.store.memory import MemoryStore
from tests.catalog import audit
from tests.catalog.engine import DATABASE, Engine, insert, select, update

STATS = "ducklake_table_stats"


class FaultyEngine(Engine):
    """An engine whose one lake is in a store that follows a script."""

    def __init__(self) -> None:
        super().__init__()
        self.store = FaultyStore(MemoryStore())

    async def open_store(self, directory: str) -> Store:
        return self.store if directory.startswith("lakes/") else await super().open_store(directory)


@pytest.fixture
async def engine() -> FaultyEngine:
    engine = FaultyEngine()
    await engine.open()
    await engine.create_catalog()
    return engine


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(commit, "READ_BACK_PAUSE_S", 0.0)


async def add(engine: Engine, *table_ids: int) -> None:
    transaction = await engine.begin()
    await insert(transaction, STATS, *({"table_id": table_id} for table_id in table_ids))
    await transaction.commit()


async def seen(engine: Engine) -> list[int]:
    transaction = await engine.begin()
    found = [row[0] for row in await select(transaction, STATS, "table_id")]
    await transaction.rollback()
    return found


async def sequence(engine: Engine) -> int:
    return (await engine.databases.lakes_of(DATABASE))["public"].lake.newest.sequence


async def require_intact(engine: FaultyEngine) -> None:
    """The lake works, and its store says the same as its memory."""
    before = await seen(engine)
    await add(engine, 900)
    assert await seen(engine) == [*before, 900]
    found = await audit.audit(engine.store.inner)
    audit.check(found)
    assert found.system["commit-sequence"] == await sequence(engine)
    assert sorted(row[0] for row in found.rows_of(STATS)) == [*before, 900]


async def test_commits_asked_for_at_once_share_one_write(engine: FaultyEngine) -> None:
    calls, before = engine.store.writes.calls, await sequence(engine)
    await asyncio.gather(*(add(engine, number) for number in range(100)))
    assert engine.store.writes.calls - calls <= 2
    assert await sequence(engine) - before == engine.store.writes.calls - calls
    assert await seen(engine) == list(range(100))


async def test_commits_that_arrive_during_a_write_form_the_next_group(engine: FaultyEngine) -> None:
    gate = Gate()
    engine.store.writes.add(Step(gate=gate))
    calls = engine.store.writes.calls
    first = asyncio.create_task(add(engine, 0))
    await gate.arrived.wait()
    others = [asyncio.create_task(add(engine, number)) for number in range(1, 20)]
    await asyncio.sleep(0.01)
    gate.open()
    await asyncio.gather(first, *others)
    assert engine.store.writes.calls - calls == 2
    assert await seen(engine) == list(range(20))


async def test_who_commits_again_at_once_shares_the_write_of_those_who_waited(engine: FaultyEngine) -> None:
    gate = Gate()
    engine.store.writes.add(Step(gate=gate))
    calls = engine.store.writes.calls

    async def one_after_another(*table_ids: int) -> None:
        for table_id in table_ids:
            await add(engine, table_id)

    first = asyncio.create_task(one_after_another(0, 1, 2))
    await gate.arrived.wait()
    second = asyncio.create_task(one_after_another(10, 11))
    await asyncio.sleep(0.01)
    gate.open()
    await asyncio.gather(first, second)
    assert engine.store.writes.calls - calls == 3
    assert await seen(engine) == [0, 1, 2, 10, 11]


async def _batches_of(engine: FaultyEngine, *table_ids: tuple[int, ...]) -> list[int]:
    """The bytes of each batch that commits asked for during a write, in this order, make; each adds the rows given
    for it."""
    real, sizes = engine.store.write, []
    (opened,) = (await engine.databases.lakes_of(DATABASE)).values()

    async def write(batch: WriteBatch) -> None:
        sizes.append(batch.size_bytes)
        await real(batch)

    gate = Gate()
    engine.store.writes.add(Step(gate=gate))
    first = asyncio.create_task(add(engine, 0))
    await gate.arrived.wait()
    with patch.object(engine.store, "write", write):
        others: list[asyncio.Task[None]] = []
        for each in table_ids:
            others.append(asyncio.create_task(add(engine, *each)))
            while len(opened.committer._queue) < len(others):
                await asyncio.sleep(0)
        gate.open()
        await asyncio.gather(first, *others)
    return sizes


async def test_a_group_has_a_bounded_number_of_members(engine: FaultyEngine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(commit, "GROUP_MEMBERS_MAX", 4)
    assert len(await _batches_of(engine, *((number,) for number in range(1, 11)))) == 3
    assert await seen(engine) == list(range(11))


async def test_what_would_push_a_group_past_its_bytes_is_in_the_next_one(
    engine: FaultyEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    (one_row,) = await _batches_of(engine, (900,))
    monkeypatch.setattr(commit, "GROUP_BYTES_MAX", 2 * one_row)
    small, large = [(1,), (2,), (3,)], tuple(range(100, 200))
    sizes = await _batches_of(engine, small[0], large, *small[1:])
    assert [size > 10 * one_row for size in sizes] == [False, True, False]
    assert await seen(engine) == [0, 0, 1, 2, 3, *large, 900]
    await require_intact(engine)


async def test_a_transaction_that_is_put_off_is_checked_against_the_group_before_it(
    engine: FaultyEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    await add(engine, 1)
    transactions = [await engine.begin() for _ in range(2)]
    for transaction in transactions:
        await update(transaction, STATS, {"table_id": 1}, record_count=5)
    monkeypatch.setattr(commit, "GROUP_BYTES_MAX", 1)
    outcomes = await asyncio.gather(*(t.commit() for t in transactions), return_exceptions=True)
    assert [type(outcome) for outcome in outcomes] == [type(None), SerializationFailure]
    await require_intact(engine)


async def test_nothing_is_seen_before_it_is_durable(engine: FaultyEngine) -> None:
    gate = Gate()
    engine.store.writes.add(Step(gate=gate))
    committing = asyncio.create_task(add(engine, 1))
    await gate.arrived.wait()
    assert await seen(engine) == []
    assert not committing.done()
    gate.open()
    await committing
    assert await seen(engine) == [1]


async def test_a_member_that_fails_does_not_disturb_the_others(engine: FaultyEngine) -> None:
    await add(engine, 1, 2)
    transactions = [await engine.begin() for _ in range(4)]
    for number, transaction in enumerate(transactions[:2]):
        await update(transaction, STATS, {"table_id": 1}, record_count=number)
    await update(transactions[2], STATS, {"table_id": 2}, record_count=7)
    await insert(transactions[3], STATS, {"table_id": 3, "record_count": 8})
    calls = engine.store.writes.calls
    outcomes = await asyncio.gather(*(t.commit() for t in transactions), return_exceptions=True)
    assert [type(outcome) for outcome in outcomes] == [type(None), SerializationFailure, type(None), type(None)]
    assert engine.store.writes.calls - calls == 1
    assert await select(await engine.begin(), STATS, "record_count") == [(0,), (7,), (8,)]
    await require_intact(engine)


async def test_a_fault_of_the_server_in_one_member_does_not_disturb_the_others(engine: FaultyEngine) -> None:
    real, faults = commit.validate, []

    async def validate(lake, working, transaction):
        if not faults:
            faults.append(transaction)
            raise ZeroDivisionError
        return await real(lake, working, transaction)

    with patch.object(commit, "validate", validate):
        outcomes = await asyncio.gather(*(add(engine, n) for n in range(3)), return_exceptions=True)
    assert [outcome is None for outcome in outcomes] == [False, True, True]
    assert await seen(engine) == [1, 2]


async def test_rows_of_one_member_take_the_shape_that_another_gives_their_relation(engine: FaultyEngine) -> None:
    transaction = await engine.begin()
    await transaction.create_relation(None, "t", [ColumnDefinition("a", BIGINT)])
    await transaction.commit()
    assert await select(await engine.begin(), "t", "a") == []
    writer, owner = await engine.begin(), await engine.begin()
    await insert(writer, "t", {"a": 1})
    await owner.add_column(owner.resolve(None, "t"), ColumnDefinition("b", BIGINT, default=5))
    await insert(owner, "t", {"a": 2, "b": 6})
    await asyncio.gather(writer.commit(), owner.commit())
    assert await select(await engine.begin(), "t", "a", "b") == [(1, 5), (2, 6)]


async def test_a_cancelled_commit_still_lands_and_still_loses_no_update(engine: FaultyEngine) -> None:
    await add(engine, 1)
    gate = Gate()
    engine.store.writes.add(Step(gate=gate))
    early, late = await engine.begin(), await engine.begin()
    await update(early, STATS, {"table_id": 1}, record_count=1)
    await update(late, STATS, {"table_id": 1}, record_count=2)
    await insert(late, STATS, {"table_id": 2})
    first = asyncio.create_task(early.commit())
    await gate.arrived.wait()
    second = asyncio.create_task(late.commit())
    await asyncio.sleep(0)
    for task in (first, second):
        task.cancel()
    await asyncio.wait([first, second])
    assert first.cancelled()
    gate.open()
    await engine.databases.close()
    assert await select(await _again(engine), STATS, "table_id", "record_count") == [(1, 1)]


async def _again(engine: FaultyEngine):
    again = FaultyEngine()
    again.stores = {name: store.reopened() for name, store in engine.stores.items()}
    again.store = FaultyStore(engine.store.inner.reopened())
    await again.open()
    return await again.begin()


async def test_a_write_that_never_began_fails_each_member_and_changes_nothing(engine: FaultyEngine) -> None:
    before = await sequence(engine)
    engine.store.writes.add(Step(Mode.FAIL_BEFORE))
    outcomes = await asyncio.gather(*(add(engine, number) for number in range(5)), return_exceptions=True)
    assert [type(outcome) for outcome in outcomes] == [StoreUnavailable] * 5
    assert await seen(engine) == []
    assert await sequence(engine) == before
    await require_intact(engine)


async def test_a_commit_of_unknown_outcome_that_landed_succeeds(engine: FaultyEngine) -> None:
    engine.store.writes.add(Step(Mode.FAIL_AFTER_LANDING))
    await asyncio.gather(*(add(engine, number) for number in range(5)))
    assert await seen(engine) == list(range(5))
    await require_intact(engine)


async def test_a_commit_of_unknown_outcome_that_did_not_land_fails(engine: FaultyEngine) -> None:
    engine.store.writes.add(Step(Mode.FAIL_UNKNOWN_NOT_LANDED))
    outcomes = await asyncio.gather(*(add(engine, number) for number in range(5)), return_exceptions=True)
    assert [type(outcome) for outcome in outcomes] == [StoreUnavailable] * 5
    assert await seen(engine) == []
    await require_intact(engine)


@pytest.mark.parametrize("landed", [True, False])
async def test_a_commit_that_cannot_be_read_back_is_unknown_and_settled_by_the_next(
    engine: FaultyEngine, landed: bool
) -> None:
    await add(engine, 1)
    engine.store.writes.add(Step(Mode.FAIL_AFTER_LANDING if landed else Mode.FAIL_UNKNOWN_NOT_LANDED))
    engine.store.snapshots.add(*[Step(Mode.FAIL_BEFORE)] * commit.READ_BACK_ATTEMPTS)
    with pytest.raises(OutcomeUnknown):
        await add(engine, 2)
    assert await seen(engine) == [1]
    conflicting = await engine.begin()
    await update(conflicting, STATS, {"table_id": 1}, record_count=5)
    await add(engine, 3)
    assert await seen(engine) == ([1, 2, 3] if landed else [1, 3])
    await conflicting.commit()
    await require_intact(engine)


async def test_who_waits_behind_a_commit_in_doubt_fails_without_being_written(engine: FaultyEngine) -> None:
    engine.store.writes.add(Step(Mode.FAIL_AFTER_LANDING))
    engine.store.snapshots.add(*[Step(Mode.FAIL_BEFORE)] * (2 * commit.READ_BACK_ATTEMPTS))
    with pytest.raises(OutcomeUnknown):
        await add(engine, 1)
    calls = engine.store.writes.calls
    with pytest.raises(StoreUnavailable):
        await add(engine, 2)
    assert engine.store.writes.calls == calls
    await add(engine, 3)
    assert await seen(engine) == [1, 3]
    await require_intact(engine)


async def test_a_durable_commit_is_not_reported_as_failed_when_no_snapshot_can_be_taken(engine: FaultyEngine) -> None:
    engine.store.snapshots.add(Step(Mode.FAIL_BEFORE))
    await add(engine, 1)
    assert await seen(engine) == [1]
    engine.store.snapshots.add(*[Step(Mode.FAIL_BEFORE)] * commit.READ_BACK_ATTEMPTS)
    with pytest.raises(OutcomeUnknown):
        await add(engine, 2)
    await add(engine, 3)
    assert await seen(engine) == [1, 2, 3]
    await require_intact(engine)


class LosingStore(FaultyStore):
    """Loses its handle when told: nothing is written, and nothing works until it is reopened."""

    lost = False
    reopenings = 0

    @property
    def needs_reopen(self) -> bool:
        return self.lost or super().needs_reopen

    async def write(self, batch: WriteBatch) -> None:
        if self.lost:
            raise StoreUnavailable("the handle has failed and must be reopened")
        await super().write(batch)

    async def reopen(self) -> None:
        await super().reopen()
        self.lost = False
        self.reopenings += 1


async def test_a_lost_handle_is_opened_again_for_the_next_commit() -> None:
    engine = FaultyEngine()
    engine.store = store = LosingStore(MemoryStore())
    await engine.open()
    await engine.create_catalog()
    store.lost = True
    with pytest.raises(StoreUnavailable):
        await add(engine, 1)
    assert await seen(engine) == []
    await require_intact(engine)


async def test_a_lake_that_another_server_took_over_is_not_taken_back() -> None:
    engine = FaultyEngine()
    engine.store = store = LosingStore(MemoryStore())
    await engine.open()
    await engine.create_catalog()
    store.writes.add(Step(Mode.FENCE))
    for _ in range(2):
        with pytest.raises(CannotConnectNow):
            await add(engine, 1)
    assert store.reopenings == 0
