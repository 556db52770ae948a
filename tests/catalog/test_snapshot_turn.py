"""A session that lost twice in a row gets the next snapshot: others wait for it, for a bounded time, and nobody for
ever."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine

import pytest

from rocklake_server.catalog import snapshot_turn
from rocklake_server.catalog.advisory_locks import AdvisoryKey, LockMode, Scope
from rocklake_server.catalog.database_transaction import DatabaseTransaction, Modes
from rocklake_server.catalog.snapshot_turn import Losses
from rocklake_server.catalog.temporary import TemporaryTables
from rocklake_server.catalog.view import IsolationLevel
from rocklake_server.catalog.waits import Holder
from rocklake_server.errors import (
    DeadlockDetected,
    LockNotAvailable,
    SerializationFailure,
    UniqueViolation,
)
from tests.catalog.engine import DATABASE, Engine, insert, lake_of, select, update

SNAPSHOTS, FILES, STATS = "ducklake_snapshot", "ducklake_data_file", "ducklake_table_stats"
SOON_S = 10.0


class Session:
    """What a client's connection keeps from block to block."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.losses = Losses()
        self.holder = Holder()

    async def begin(
        self, lock_timeout_s: float | None = None, *, read_only: bool = False, block: bool = True
    ) -> DatabaseTransaction:
        modes = Modes(IsolationLevel.REPEATABLE_READ, read_only, block=block, lock_timeout_s=lock_timeout_s)
        temporary = TemporaryTables(self.engine.clock)
        transaction = DatabaseTransaction(
            self.engine.databases, DATABASE, modes, temporary, self.losses, holder=self.holder)
        try:
            await transaction.begin_statement()
        except BaseException:
            await transaction.rollback()
            raise
        return transaction

    async def lose(self, times: int = 2) -> None:
        """Be late with a snapshot row, as often as told."""
        for _ in range(times):
            late = await self.begin()
            await commit_snapshot(await Session(self.engine).begin())
            with pytest.raises(UniqueViolation) as failure:
                await insert_next(late)
            await late.fail(failure.value)


async def newest(transaction: DatabaseTransaction) -> int:
    return max((row[0] for row in await select(transaction, SNAPSHOTS, "snapshot_id")), default=-1)


async def insert_next(transaction: DatabaseTransaction) -> int:
    snapshot_id = await newest(transaction) + 1
    await insert(transaction, SNAPSHOTS, {"snapshot_id": snapshot_id})
    return snapshot_id


async def commit_snapshot(transaction: DatabaseTransaction) -> None:
    await insert_next(transaction)
    await transaction.commit()


async def still_waits(work: Coroutine[None, None, object]) -> asyncio.Task[object]:
    """The running task, which has not come to an end within a moment."""
    task = asyncio.create_task(work)
    await asyncio.sleep(0.02)
    assert not task.done()
    return task


async def soon(task: asyncio.Task[object]) -> object:
    async with asyncio.timeout(SOON_S):
        return await task


@pytest.fixture
async def engine() -> Engine:
    engine = await Engine().open()
    await engine.create_catalog()
    return engine


@pytest.fixture(autouse=True)
def long_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    """Unless a test is about the length of a turn, it is long enough for a busy machine."""
    monkeypatch.setattr(snapshot_turn, "SNAPSHOT_TURN_S_MAX", 60.0)


async def test_who_lost_twice_is_waited_for_and_commits(engine: Engine) -> None:
    loser, rival = Session(engine), Session(engine)
    await loser.lose()
    rivals = await rival.begin()
    losers = await loser.begin()
    waiting = await still_waits(insert_next(rivals))
    await commit_snapshot(losers)
    with pytest.raises(UniqueViolation):
        await soon(waiting)


@pytest.mark.parametrize("losses", [0, 1])
async def test_who_lost_less_often_is_not_waited_for(engine: Engine, losses: int) -> None:
    loser, rival = Session(engine), Session(engine)
    await loser.lose(losses)
    losers, rivals = await loser.begin(), await rival.begin()
    async with asyncio.timeout(SOON_S):
        await commit_snapshot(rivals)
    with pytest.raises(UniqueViolation):
        await insert_next(losers)


async def test_a_rolled_back_turn_lets_the_one_that_waited_go_on(engine: Engine) -> None:
    loser, rival = Session(engine), Session(engine)
    await loser.lose()
    rivals, losers = await rival.begin(), await loser.begin()
    waiting = await still_waits(insert_next(rivals))
    await losers.rollback()
    await soon(waiting)
    await rivals.commit()


async def test_a_turn_that_fails_ends_before_its_rollback(engine: Engine) -> None:
    loser, rival = Session(engine), Session(engine)
    await loser.lose()
    rivals, losers = await rival.begin(), await loser.begin()
    waiting = await still_waits(insert_next(rivals))
    await losers.fail(SerializationFailure.update())
    await soon(waiting)


async def test_a_turn_lasts_for_a_bounded_time(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    loser, rival = Session(engine), Session(engine)
    await loser.lose()
    monkeypatch.setattr(snapshot_turn, "SNAPSHOT_TURN_S_MAX", 0.5)
    rivals, losers = await rival.begin(), await loser.begin()
    waiting = await still_waits(insert_next(rivals))
    await soon(waiting)
    await rivals.commit()
    with pytest.raises(UniqueViolation):
        await insert_next(losers)


async def test_losers_have_their_turns_in_the_order_in_which_they_came(engine: Engine) -> None:
    losers = [Session(engine) for _ in range(5)]
    for loser in losers:
        await loser.lose()
    order: list[int] = []

    async def take_turn(number: int) -> None:
        transaction = await losers[number].begin()
        await asyncio.sleep(0.005)
        order.append(number)
        await commit_snapshot(transaction)

    await asyncio.gather(*(take_turn(number) for number in range(5)))
    assert order == list(range(5))


async def test_a_turn_begins_when_no_snapshot_row_is_under_way(engine: Engine) -> None:
    loser, rival = Session(engine), Session(engine)
    await loser.lose()
    rivals = await rival.begin()
    await insert_next(rivals)
    beginning = await still_waits(loser.begin())
    await rivals.commit()
    transaction = await soon(beginning)
    assert isinstance(transaction, DatabaseTransaction)
    await commit_snapshot(transaction)


async def test_an_idle_snapshot_row_holds_a_turn_up_for_a_bounded_time(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    loser, rival = Session(engine), Session(engine)
    await loser.lose()
    idle = await rival.begin()
    await insert_next(idle)
    monkeypatch.setattr(snapshot_turn, "SNAPSHOT_TURN_S_MAX", 0.5)
    async with asyncio.timeout(SOON_S):
        transaction = await loser.begin()
        third = await Session(engine).begin()
    waiting = [await still_waits(insert_next(t)) for t in (transaction, third)]
    await idle.rollback()
    await soon(waiting[0])
    await transaction.commit()
    with pytest.raises(UniqueViolation):
        await soon(waiting[1])


async def test_a_success_ends_the_row_of_losses(engine: Engine) -> None:
    loser, rival = Session(engine), Session(engine)
    await loser.lose()
    await commit_snapshot(await loser.begin())
    losers, rivals = await loser.begin(), await rival.begin()
    async with asyncio.timeout(SOON_S):
        await commit_snapshot(rivals)
    await losers.rollback()


async def test_a_conflict_at_commit_counts_as_a_loss(engine: Engine) -> None:
    setup = await engine.begin()
    await insert(setup, STATS, {"table_id": 1, "record_count": 0})
    await setup.commit()
    loser, rival = Session(engine), Session(engine)
    for count in range(2):
        losers = await loser.begin()
        await update(losers, STATS, {"table_id": 1}, record_count=-1)
        rivals = await rival.begin()
        await update(rivals, STATS, {"table_id": 1}, record_count=count)
        await rivals.commit()
        with pytest.raises(SerializationFailure):
            await losers.commit()
    rivals, losers = await rival.begin(), await loser.begin()
    waiting = await still_waits(insert_next(rivals))
    await losers.rollback()
    await soon(waiting)


async def test_reads_and_other_writes_wait_for_no_turn(engine: Engine) -> None:
    loser = Session(engine)
    await loser.lose()
    losers = await loser.begin()
    async with asyncio.timeout(SOON_S):
        reader = await Session(engine).begin(read_only=True)
        await newest(reader)
        await reader.rollback()
        writer = await Session(engine).begin()
        await insert(writer, STATS, {"table_id": 1})
        await insert(writer, FILES, {"data_file_id": 1, "table_id": 1})
        await writer.commit()
    await losers.rollback()


async def test_single_statements_and_read_only_blocks_take_no_turn(engine: Engine) -> None:
    loser, rival = Session(engine), Session(engine)
    await loser.lose()
    for own in (await loser.begin(read_only=True), await loser.begin(block=False)):
        async with asyncio.timeout(SOON_S):
            await commit_snapshot(await rival.begin())
        await own.rollback()
    rivals, losers = await rival.begin(), await loser.begin()
    waiting = await still_waits(insert_next(rivals))
    await losers.rollback()
    await soon(waiting)


async def test_waiting_for_a_turn_obeys_the_lock_timeout(engine: Engine) -> None:
    first, second = Session(engine), Session(engine)
    await first.lose()
    await second.lose()
    rivals = await Session(engine).begin(lock_timeout_s=0.02)
    holder = await first.begin()
    async with asyncio.timeout(SOON_S):
        with pytest.raises(LockNotAvailable):
            await insert_next(rivals)
        without_turn = await second.begin(lock_timeout_s=0.02)
    await rivals.rollback()
    await commit_snapshot(holder)
    with pytest.raises(UniqueViolation):
        await insert_next(without_turn)


async def test_a_cancelled_wait_leaves_the_turn_to_the_others(engine: Engine) -> None:
    sessions = [Session(engine) for _ in range(3)]
    for session in sessions:
        await session.lose()
    holder = await sessions[0].begin()
    cancelled, last = await still_waits(sessions[1].begin()), await still_waits(sessions[2].begin())
    cancelled.cancel()
    with pytest.raises(asyncio.CancelledError):
        await cancelled
    await commit_snapshot(holder)
    transaction = await soon(last)
    assert isinstance(transaction, DatabaseTransaction)
    await commit_snapshot(transaction)


async def test_who_waits_for_a_turn_gives_way_in_a_cycle(engine: Engine) -> None:
    """DuckDB 1.4 inserts its files before its snapshot row: the turn's owner needs a key of one that waits for it."""
    loser, rival = Session(engine), Session(engine)
    await loser.lose()
    rivals = await rival.begin()
    await insert(rivals, FILES, {"data_file_id": 7, "table_id": 1})
    losers = await loser.begin()
    waiting = await still_waits(insert_next(rivals))
    needing = await still_waits(insert(losers, FILES, {"data_file_id": 7, "table_id": 1}))
    with pytest.raises(DeadlockDetected) as failure:
        await soon(waiting)
    await rivals.fail(failure.value)
    await soon(needing)
    await commit_snapshot(losers)


async def test_who_would_wait_for_a_turn_in_a_cycle_fails_at_once(engine: Engine) -> None:
    loser, rival = Session(engine), Session(engine)
    await loser.lose()
    rivals = await rival.begin()
    await insert(rivals, FILES, {"data_file_id": 7, "table_id": 1})
    losers = await loser.begin()
    needing = await still_waits(insert(losers, FILES, {"data_file_id": 7, "table_id": 1}))
    with pytest.raises(DeadlockDetected) as failure:
        await insert_next(rivals)
    await rivals.fail(failure.value)
    await soon(needing)
    await commit_snapshot(losers)


async def test_nobody_loses_more_than_a_few_times_however_many_write(engine: Engine) -> None:
    """Each client reads, thinks, inserts and commits; it retries as DuckLake does, after a pause that grows."""
    attempts: list[int] = []

    async def client(number: int) -> None:
        session = Session(engine)
        for _ in range(4):
            for attempt in range(1, 20):
                transaction = await session.begin()
                try:
                    snapshot_id = await newest(transaction) + 1
                    await asyncio.sleep(0.001 * (1 + number % 3))
                    await insert(transaction, SNAPSHOTS, {"snapshot_id": snapshot_id})
                    await transaction.commit()
                except (UniqueViolation, SerializationFailure, DeadlockDetected) as error:
                    await transaction.fail(error)
                    await transaction.rollback()
                    await asyncio.sleep(0.001 * 1.5**attempt)
                else:
                    attempts.append(attempt)
                    break

    await asyncio.gather(*(client(number) for number in range(24)))
    assert len(attempts) == 96
    assert max(attempts) <= 3
    assert await newest(await engine.begin()) == 95


async def won(engine: Engine, count: int = 1) -> list[Session]:
    """Sessions whose last block committed a snapshot, within a moment."""
    sessions = [Session(engine) for _ in range(count)]
    for session in sessions:
        await commit_snapshot(await session.begin())
    return sessions


async def test_quick_writers_line_up_and_none_of_them_loses(engine: Engine) -> None:
    first, second = await won(engine, 2)
    firsts = await first.begin()
    beginning = await still_waits(second.begin())
    await commit_snapshot(firsts)
    seconds = await soon(beginning)
    assert isinstance(seconds, DatabaseTransaction)
    await commit_snapshot(seconds)


async def test_writers_whose_blocks_take_long_do_not_line_up(engine: Engine) -> None:
    first, second = await won(engine, 2)
    (await lake_of(engine)).snapshot_turn.took(60.0)
    async with asyncio.timeout(SOON_S):
        firsts, seconds = await first.begin(), await second.begin()
        await commit_snapshot(seconds)
    await firsts.rollback()


async def test_a_line_that_would_take_long_gets_no_longer(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second, third = await won(engine, 3)
    (await lake_of(engine)).snapshot_turn.took(4.0)
    monkeypatch.setattr(snapshot_turn, "LINE_S_MAX", 0.7)  # one block of half a second or so, not two
    firsts = await first.begin()
    waiting = await still_waits(second.begin())
    async with asyncio.timeout(SOON_S):
        thirds = await third.begin()
    await thirds.rollback()
    await firsts.rollback()
    seconds = await soon(waiting)
    assert isinstance(seconds, DatabaseTransaction)
    await seconds.rollback()


async def test_who_only_read_last_time_does_not_line_up(engine: Engine) -> None:
    first, second = await won(engine, 2)
    reading = await second.begin()
    await newest(reading)
    await reading.commit()
    firsts = await first.begin()
    async with asyncio.timeout(SOON_S):
        await newest(await second.begin())
    await firsts.rollback()


async def test_an_idle_block_holds_the_line_up_for_a_moment_only(engine: Engine) -> None:
    first, second = await won(engine, 2)
    idle = await first.begin()
    async with asyncio.timeout(SOON_S):
        await commit_snapshot(await second.begin())
    await idle.rollback()


async def test_writers_of_one_lake_lose_little_once_they_line_up(engine: Engine) -> None:
    """They think for a moment in each block, and would lose most of them if they did not wait for each other."""
    lost = 0

    async def client(session: Session) -> None:
        nonlocal lost
        for _ in range(6):
            while True:
                transaction = await session.begin()
                try:
                    snapshot_id = await newest(transaction) + 1
                    await asyncio.sleep(0.001)
                    await insert(transaction, SNAPSHOTS, {"snapshot_id": snapshot_id})
                    await transaction.commit()
                except (UniqueViolation, SerializationFailure, DeadlockDetected) as error:
                    lost += 1
                    await transaction.fail(error)
                    await transaction.rollback()
                else:
                    break

    await asyncio.gather(*map(client, await won(engine, 4)))
    assert await newest(await engine.begin()) == 27
    assert lost <= 3


async def test_who_is_held_up_hears_of_its_loss_although_the_line_goes_on(engine: Engine) -> None:
    """A session that never committed a snapshot, beside some that do all the time: it loses at once, not at the end."""
    first, second = await won(engine, 2)
    newcomer = await Session(engine).begin()
    firsts = await first.begin()
    beginning = await still_waits(second.begin())
    waiting = await still_waits(insert_next(newcomer))
    await commit_snapshot(firsts)
    with pytest.raises(UniqueViolation):
        await soon(waiting)
    seconds = await soon(beginning)
    assert isinstance(seconds, DatabaseTransaction)
    await commit_snapshot(seconds)


async def test_a_newcomer_gets_through_a_line_that_never_ends(engine: Engine) -> None:
    stop = False

    async def writing(session: Session) -> None:
        while not stop:
            transaction = await session.begin()
            try:
                await asyncio.sleep(0.001)
                await commit_snapshot(transaction)
            except (UniqueViolation, SerializationFailure, DeadlockDetected) as error:
                await transaction.fail(error)
                await transaction.rollback()

    writers = [asyncio.create_task(writing(session)) for session in await won(engine, 3)]
    newcomer = Session(engine)
    async with asyncio.timeout(SOON_S):
        for _attempt in range(3):
            transaction = await newcomer.begin()
            try:
                await asyncio.sleep(0.001)
                await commit_snapshot(transaction)
                break
            except (UniqueViolation, SerializationFailure, DeadlockDetected) as error:
                await transaction.fail(error)
                await transaction.rollback()
        else:
            pytest.fail("it lost three times")
    stop = True
    await asyncio.gather(*writers)


async def test_who_waits_in_line_fails_nobody_and_goes_on_without_its_turn(engine: Engine) -> None:
    """The session ahead needs an advisory lock of one that waits in line behind it."""
    first, second = await won(engine, 2)
    locks, key = engine.databases.advisory_locks, AdvisoryKey.of(DATABASE, 7)
    assert locks.take_now(key, second.holder, LockMode.EXCLUSIVE, Scope.SESSION)
    firsts = await first.begin()
    beginning = await still_waits(second.begin())
    taking = await still_waits(locks.take(key, firsts.holder, LockMode.EXCLUSIVE, Scope.TRANSACTION, None))
    seconds = await soon(beginning)
    assert isinstance(seconds, DatabaseTransaction)
    locks.release_session(second.holder)
    await soon(taking)
    await commit_snapshot(firsts)
    with pytest.raises(UniqueViolation):
        await insert_next(seconds)
