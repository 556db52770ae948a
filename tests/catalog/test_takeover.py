"""A server that lost its lease, or whose lease ran out, answers nothing and acknowledges only what it knows."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from rocklake_server.catalog import commit
from rocklake_server.catalog.system_keys import NewestCommit
from rocklake_server.catalog.view import ColumnDefinition, IsolationLevel
from rocklake_server.errors import RETRY_WORDS, CannotConnectNow, CatalogError, OutcomeUnknown, StoreUnavailable
from rocklake_server.schema.types import BIGINT
from rocklake_server.store.base import Store, WriteBatch
from rocklake_server.store.faults import FaultyStore, Mode, Step
from rocklake_server.store.memory import MemoryStore
from tests.catalog.engine import Engine, insert, select
from tests.catalog.owning import Holds, SetLease

LAKE = "lakes/1"


class EventfulStore(FaultyStore):
    """Lets the test do something between a write and its answer."""

    meanwhile: Callable[[], Awaitable[object]] | None = None

    async def write(self, batch: WriteBatch) -> None:
        try:
            await super().write(batch)
        finally:
            meanwhile, self.meanwhile = self.meanwhile, None
            if meanwhile is not None:
                await meanwhile()


class LeasedEngine(Engine):
    """A server whose one lake is in a store that other engines may open too."""

    def __init__(self) -> None:
        super().__init__()
        self.ownership = self.lease = SetLease()
        self.store = EventfulStore(MemoryStore())

    async def open_store(self, directory: str) -> Store:
        return self.store if directory == LAKE else await super().open_store(directory)

    async def successor(self) -> Engine:
        """The next server, which has taken the lease and opened every lake."""
        self.lease.holds = Holds.LOST
        other = self._over({**self.stores, LAKE: self.store.inner}, self.clock)
        await other.open()
        await other.databases.lakes_of("lake")
        return other


@pytest.fixture
async def engine() -> LeasedEngine:
    engine = LeasedEngine()
    await engine.open()
    transaction = await engine.begin()
    await transaction.create_relation(None, "t", [ColumnDefinition("a", BIGINT)], ("a",))
    await transaction.commit()
    return engine


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(commit, "READ_BACK_PAUSE_S", 0.0)


async def add(engine: Engine, number: int) -> None:
    transaction = await engine.begin()
    await insert(transaction, "t", {"a": number})
    await transaction.commit()


async def seen(engine: Engine) -> list[object]:
    transaction = await engine.begin()
    found = [row[0] for row in await select(transaction, "t", "a")]
    await transaction.rollback()
    return found


# -- a lost lease -----------------------------------------------------------------------------------------------------


async def test_after_a_takeover_no_statement_is_answered(engine: LeasedEngine) -> None:
    await add(engine, 1)
    reading, committed = await engine.begin(), await engine.begin(IsolationLevel.READ_COMMITTED)
    writing = await engine.begin()
    await insert(writing, "t", {"a": 2})
    writes = engine.store.writes.calls
    await engine.successor()
    for refused in (engine.begin(), reading.begin_statement(), committed.begin_statement(), writing.commit(),
                    reading.commit()):
        with pytest.raises(CannotConnectNow):
            await refused
    with pytest.raises(CannotConnectNow):
        committed.require_owned()
    assert engine.store.writes.calls == writes


@pytest.mark.parametrize("mode", [Mode.PASS, Mode.FAIL_AFTER_LANDING])
async def test_a_commit_in_flight_that_the_next_server_found_is_acknowledged(
    engine: LeasedEngine, mode: Mode
) -> None:
    others: list[Engine] = []

    async def take_over() -> None:
        others.append(await engine.successor())
        await add(others[0], 50)

    engine.store.writes.add(Step(mode))
    engine.store.meanwhile = take_over
    await add(engine, 1)
    assert await seen(others[0]) == [1, 50]
    with pytest.raises(CannotConnectNow):
        await engine.begin()


async def test_a_commit_in_flight_that_the_next_server_did_not_find_is_refused(engine: LeasedEngine) -> None:
    """The next server's own commit bears the same number."""
    others: list[Engine] = []

    async def take_over() -> None:
        others.append(await engine.successor())
        await add(others[0], 50)

    engine.store.writes.add(Step(Mode.FAIL_UNKNOWN_NOT_LANDED))
    engine.store.meanwhile = take_over
    with pytest.raises(CannotConnectNow, match="nothing was changed"):
        await add(engine, 1)
    assert await seen(others[0]) == [50]


async def test_a_commit_in_flight_is_unknown_until_the_next_server_has_opened_the_lake(engine: LeasedEngine) -> None:
    """Before that its request may still be on its way."""
    async def lose() -> None:
        engine.lease.holds = Holds.LOST

    engine.store.writes.add(Step(Mode.FAIL_UNKNOWN_NOT_LANDED))
    engine.store.meanwhile = lose
    with pytest.raises(OutcomeUnknown) as caught:
        await add(engine, 1)
    assert "another server took this lake over" in str(caught.value)
    assert not any(word in str(caught.value) for word in RETRY_WORDS)


async def test_a_store_that_cannot_be_read_back_leaves_the_outcome_unknown(engine: LeasedEngine) -> None:
    engine.store.writes.add(Step(Mode.FAIL_AFTER_LANDING))
    engine.store.reads.afterwards = Step(Mode.FAIL_BEFORE)
    engine.store.meanwhile = engine.successor
    with pytest.raises(OutcomeUnknown):
        await add(engine, 1)


async def test_members_of_one_group_get_the_same_answer(engine: LeasedEngine) -> None:
    engine.store.writes.add(Step(Mode.FAIL_UNKNOWN_NOT_LANDED))
    engine.store.meanwhile = engine.successor
    outcomes = await asyncio.gather(*(add(engine, number) for number in range(5)), return_exceptions=True)
    assert {type(outcome) for outcome in outcomes} == {CannotConnectNow}


@pytest.mark.parametrize(("newest", "holds"), [
    (NewestCommit(sequence=7, writer_epoch=3, opened_at=5), True),
    (NewestCommit(sequence=8, writer_epoch=3, opened_at=5), True),
    (NewestCommit(sequence=6, writer_epoch=3, opened_at=5), None),
    (NewestCommit(sequence=7, writer_epoch=4, opened_at=7), True),
    (NewestCommit(sequence=9, writer_epoch=4, opened_at=7), True),
    (NewestCommit(sequence=6, writer_epoch=4, opened_at=6), False),
    (NewestCommit(sequence=9, writer_epoch=4, opened_at=6), False),
    (NewestCommit(sequence=9, writer_epoch=5, opened_at=6), False),
    (NewestCommit(sequence=9, writer_epoch=5, opened_at=8), None),
])
def test_what_the_store_says_about_commit_7_of_writer_3(newest: NewestCommit, holds: bool | None) -> None:
    assert newest.holds(7, 3) is holds


# -- a lease that ran out ---------------------------------------------------------------------------------------------


async def test_nothing_is_answered_or_written_while_the_lease_has_run_out(engine: LeasedEngine) -> None:
    reading, writing = await engine.begin(), await engine.begin()
    await insert(writing, "t", {"a": 1})
    writes = engine.store.writes.calls
    engine.lease.holds = Holds.RUN_OUT
    for refused in (engine.begin(), reading.begin_statement(), reading.commit(), writing.commit()):
        with pytest.raises(StoreUnavailable):
            await refused
    assert engine.store.writes.calls == writes
    engine.lease.holds = Holds.YES
    await add(engine, 2)
    assert await seen(engine) == [2]


async def test_a_commit_is_not_acknowledged_before_the_lease_is_held_again(
    engine: LeasedEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(commit, "READ_BACK_PAUSE_S", 0.05)

    async def run_out() -> None:
        engine.lease.holds = Holds.RUN_OUT

    engine.store.meanwhile = run_out
    committing = asyncio.create_task(add(engine, 1))
    await asyncio.sleep(0.05)
    assert engine.store.meanwhile is None
    assert not committing.done()
    engine.lease.holds = Holds.YES
    await committing
    assert await seen(engine) == [1]


async def test_a_lease_that_stays_out_leaves_the_outcome_unknown_and_the_next_commit_settles_it(
    engine: LeasedEngine,
) -> None:
    async def run_out() -> None:
        engine.lease.holds = Holds.RUN_OUT

    engine.store.meanwhile = run_out
    with pytest.raises(OutcomeUnknown):
        await add(engine, 1)
    engine.lease.holds = Holds.YES
    await add(engine, 2)
    assert await seen(engine) == [1, 2]


async def test_a_handle_that_a_process_without_the_lease_fenced_is_taken_back(engine: LeasedEngine) -> None:
    class TakenBack(EventfulStore):
        async def reopen(self) -> None:
            self._is_fenced = self._in_doubt = False

    engine.store = TakenBack(engine.store.inner)
    await engine.open()
    await add(engine, 1)
    engine.store.writes.add(Step(Mode.FENCE))
    with pytest.raises(CatalogError):
        await add(engine, 2)
    await add(engine, 3)
    assert await seen(engine) == [1, 3]
