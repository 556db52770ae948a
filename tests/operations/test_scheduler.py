"""The schedule runs what it says, remembers each run, and goes on after failures."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import pytest

from rocklake_server.catalog.maintenance.runs import MaintenanceRuns, Result
from rocklake_server.catalog.retention.commit_times import commit_times
from rocklake_server.clock import ManualClock
from rocklake_server.errors import StoreUnavailable
from rocklake_server.operations import scheduler as scheduling
from rocklake_server.operations.gc import GC
from rocklake_server.operations.schedule import Job, Schedule
from rocklake_server.operations.scheduler import RetiredRetention, Scheduler
from tests.catalog.audit import audit
from tests.catalog.engine import DATABASE, Engine, delete
from tests.catalog.maintenance.whole_lake import counts
from tests.catalog.retention.interrupted import lake_of
from tests.operations.acting import call, store_of, whole_engine

DAY_US = 86_400 * 1_000_000
KEEP_ONE = {"keep_days": None, "retain_from": None, "keep_last": 1, "apply": True}


@asynccontextmanager
async def scheduled(engine: Engine, *jobs: Job) -> AsyncIterator[MaintenanceRuns]:
    task = asyncio.create_task(Scheduler(engine.databases, Schedule(jobs), chance=lambda: 0.0).run())
    try:
        yield engine.databases.runs
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def until(condition: Callable[[], object]) -> None:
    async with asyncio.timeout(10):
        while not condition():
            await asyncio.sleep(0.01)


async def test_a_job_runs_in_every_lake_and_its_runs_are_remembered() -> None:
    engine = await whole_engine()
    async with scheduled(engine, Job(GC, 0.1, None, KEEP_ONE)) as runs:
        await until(lambda: runs.counts["gc", "done"] >= 2)
        assert runs.following_us.keys() == {"gc", "retired_retention"}
    first, second, *_ = runs.of(DATABASE)
    assert (first.job, first.database, first.schema, first.who) == ("gc", DATABASE, "public", "schedule")
    assert (first.result, first.error) == (Result.DONE, None)
    assert first.facts is not None
    assert first.facts["retain_from"] == 6
    assert second.number == first.number + 1
    assert [run.job for run in runs.latest(10)] == ["gc"]
    assert await counts(store_of(engine)) == {}


async def test_a_failing_job_is_shown_and_the_next_ones_go_on(monkeypatch: pytest.MonkeyPatch) -> None:
    engine = await whole_engine()
    (opened,) = engine.databases.open_lakes()
    commit, failures = opened.committer.commit_drafted, 2

    async def failing(draft: object) -> None:
        nonlocal failures
        failures -= 1
        if failures == 1:
            raise StoreUnavailable("the store fails, as the test says")
        if failures == 0:
            raise ZeroDivisionError
        await commit(draft)  # type: ignore[arg-type]

    monkeypatch.setattr(opened.committer, "commit_drafted", failing)
    lakes = ("nothing", DATABASE)
    async with scheduled(engine, Job(GC, 0.05, lakes, KEEP_ONE)) as runs:
        await until(lambda: runs.counts["gc", "done"])
    errors = [run.error for run in runs.of(DATABASE)]
    assert errors[:3] == ["the store fails, as the test says", "internal error: ZeroDivisionError", None]
    assert runs.of("nothing")[0].error == 'database "nothing" has no lake yet'
    assert runs.counts["gc", "failed"] >= 5


async def test_a_run_that_is_cut_off_is_not_a_failure() -> None:
    engine = await whole_engine()
    (opened,) = engine.databases.open_lakes()
    await opened.maintained.acquire()
    async with scheduled(engine, Job(GC, 0.05, None, KEEP_ONE)) as runs:
        await until(lambda: runs.now == 1)
    assert [run.result for run in runs.of(DATABASE)] == [Result.CANCELED]


def test_old_runs_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    runs = MaintenanceRuns(ManualClock())
    for number in range(1500):
        with runs.running("gc", "lake", "public", f"{number}"):
            pass
    assert len(runs.of("lake")) == 1000
    assert runs.of("lake")[0].who == "500"
    runs.forget(set())
    assert runs.latest(10) == []


async def retired(engine: Engine) -> int:
    return len((await audit(store_of(engine))).retired)


async def test_deleted_rows_go_when_they_are_old_enough_and_not_before(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scheduling, "BETWEEN_LAKES_S", 0.0)
    engine = await whole_engine()
    retention = RetiredRetention(engine.databases, Schedule())
    before = await retired(engine)
    assert before > 0
    await retention.run()
    transaction = await engine.begin()
    assert await delete(transaction, "ducklake_tag", value="old") == 1
    await transaction.commit()
    engine.clock.value_us += 6 * DAY_US
    await retention.run()
    assert await retired(engine) == before + 1
    engine.clock.value_us += 2 * DAY_US
    await retention.run()
    assert await retired(engine) == 1, "those of the first day are more than seven days old"
    assert len(await commit_times(await lake_of(store_of(engine)))) == 1
    engine.clock.value_us += 6 * DAY_US
    await retention.run()
    assert await retired(engine) == 0
    assert await commit_times(await lake_of(store_of(engine))) == {}
    assert (await counts(store_of(engine))).keys() == {"snapshot-gaps"}, "a notice: one was deleted by hand"


async def test_rows_are_excised_by_age_on_demand_too() -> None:
    engine = await whole_engine()
    await RetiredRetention(engine.databases, Schedule()).run()
    assert (await call(engine, "excise(retired_days => 1)"))["retired_rows"] == {}
    engine.clock.value_us += 2 * DAY_US
    facts = await call(engine, "excise(retired_days => 1)")
    assert facts["retired_rows"] == {
        "ducklake_snapshot": 1, "ducklake_snapshot_changes": 1, "ducklake_metadata": 1,
    }  # fmt: skip
    assert facts["ended_rows"] == {}, "retain-from is not set"


async def test_a_lake_that_nobody_opens_is_not_opened_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scheduling, "BETWEEN_LAKES_S", 0.0)
    engine = await whole_engine()
    retention = RetiredRetention(engine.databases, Schedule(retired_retention_s=0))
    await retention.run()
    assert await retired(engine) == 0
    engine.databases.close_idle_lakes(-1)
    await asyncio.sleep(0.05)
    assert engine.databases.open_lakes() == []
    runs = len(engine.databases.runs.of(DATABASE))
    await retention.run()
    assert engine.databases.open_lakes() == []
    assert len(engine.databases.runs.of(DATABASE)) == runs


async def test_a_gc_can_be_undone_after_older_rows_went_for_good(monkeypatch: pytest.MonkeyPatch) -> None:
    from rocklake_server.store.data_files import DataFiles

    async def all_there(_: DataFiles, paths: list[str]) -> list[int]:
        return [1 for _ in paths]

    monkeypatch.setattr(DataFiles, "sizes", all_there)
    engine = await whole_engine()
    await RetiredRetention(engine.databases, Schedule()).run()
    engine.clock.value_us += 8 * DAY_US
    await call(engine, "gc(retain_from => 5)")
    (opened,) = engine.databases.open_lakes()
    commit = opened.lake.newest.sequence
    await RetiredRetention(engine.databases, Schedule()).run()
    assert (await call(engine, f"undelete(commit => '{{{commit}}}')"))["undone_gc"] == 5
