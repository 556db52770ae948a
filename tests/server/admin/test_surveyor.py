"""What is looked at beside the statements: minutes, checkpoints, and times of a real store."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from rocklake_server.activity import Activity, Histogram, StoreTimes
from rocklake_server.catalog.databases import Databases
from rocklake_server.clock import POSTGRES_EPOCH_UNIX_S, ManualClock, SystemClock
from rocklake_server.server.admin import surveyor as module
from rocklake_server.server.admin.findings import quantile_s
from rocklake_server.server.admin.metrics import METRICS
from rocklake_server.server.admin.minutes import MINUTES_MAX, Counters, Minutes
from rocklake_server.server.admin.observed import Observed
from rocklake_server.server.admin.surveyor import Surveyor
from rocklake_server.store.base import Key, Store, WriteBatch
from rocklake_server.store.checkpoints import Checkpoints
from rocklake_server.store.faults import FaultyStore, Mode, Step
from rocklake_server.store.measured import MeasuredStore
from rocklake_server.store.memory import MemoryStore
from rocklake_server.store.object_stores import parse_store_url
from rocklake_server.store.slate import open_slate_store
from tests.server.admin.watched_engine import WatchedEngine

MINUTE_US = 60_000_000


# -- minutes ----------------------------------------------------------------------------------------------------------


def did(minutes: Minutes) -> list[int]:
    return [minute.did.commits for minute in minutes.known]


def test_each_minute_has_what_was_done_in_it() -> None:
    activity, clock = Activity(), ManualClock(5 * MINUTE_US + 1)
    minutes = Minutes(activity, clock)
    activity.commits.observe(0.1)
    activity.failed("40001")
    activity.failed("42P01")
    minutes.look()
    assert minutes.known[-1].did == Counters(commits=1, statements=0, lost=1, failed=1)
    clock.value_us += MINUTE_US
    minutes.look()
    activity.commits.observe(0.1)
    activity.commits.observe(0.1)
    minutes.look()
    assert did(minutes) == [1, 2]
    assert [minute.began_us // MINUTE_US for minute in minutes.known] == [5, 6]


def test_minutes_in_which_nobody_looked_are_empty_and_old_ones_go() -> None:
    activity, clock = Activity(), ManualClock(0)
    minutes = Minutes(activity, clock)
    clock.value_us = 3 * MINUTE_US
    minutes.look()
    assert did(minutes) == [0, 0, 0, 0]
    clock.value_us = 10_000 * MINUTE_US
    minutes.look()
    assert len(minutes.known) == MINUTES_MAX
    assert minutes.known[-1].began_us == clock.value_us


def test_a_clock_that_is_set_back_loses_nothing() -> None:
    activity, clock = Activity(), ManualClock(5 * MINUTE_US)
    minutes = Minutes(activity, clock)
    clock.value_us = MINUTE_US
    activity.commits.observe(0.1)
    minutes.look()
    assert did(minutes) == [1]


@pytest.mark.parametrize(("share", "expected"), [(0.5, 1.0), (0.75, 1.5), (1.0, 2.0)])
def test_quantiles_lie_on_straight_lines_within_buckets(share: float, expected: float) -> None:
    times = Histogram((1.0, 2.0, 4.0))
    for value in (0.5, 0.6, 1.5, 1.6):
        times.observe(value)
    assert quantile_s(times, share) == expected
    assert quantile_s(Histogram(), share) is None


# -- a store's times --------------------------------------------------------------------------------------------------


def counts(times: StoreTimes) -> dict[str, int]:
    return {operation: histogram.count for operation, histogram in times.by_operation.items() if histogram.count}


async def test_calls_to_a_store_are_timed_also_when_they_fail() -> None:
    times, inner = StoreTimes(), FaultyStore(MemoryStore())
    store = MeasuredStore(inner, times)
    batch = WriteBatch()
    for number in range(3):
        batch.put(Key(bytes([1, number])), b"value")
    await store.write(batch)
    snapshot = await store.snapshot()
    assert await snapshot.get(Key(b"\x01\x00")) == b"value"
    assert [len(entries) async for entries in snapshot.scan(b"\x01")] == [3]  # type: ignore[arg-type]
    assert counts(times) == {"snapshot": 1, "get": 1, "scan": 1}
    inner.writes.add(Step(Mode.FAIL_AFTER_LANDING))
    await asyncio.gather(store.write(batch), return_exceptions=True)
    assert store.needs_reopen
    await store.reopen()
    assert not store.needs_reopen
    assert counts(times)["reopen"] == 1


async def test_what_is_done_between_two_batches_of_a_scan_is_not_the_stores_time() -> None:
    times = StoreTimes()
    store = MeasuredStore(MemoryStore(), times)
    batch = WriteBatch()
    batch.put(Key(b"\x01"), b"value")
    await store.write(batch)
    async for _ in (await store.snapshot()).scan(b"\x01"):  # type: ignore[arg-type]
        await asyncio.sleep(0.2)
    assert times.by_operation["scan"].sum < 0.1


# -- a real store -----------------------------------------------------------------------------------------------------


async def test_a_folders_flushes_are_timed_and_its_checkpoints_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "CHECKPOINTS_LOOK_S", 0.0)
    location, activity = parse_store_url(f"file://{tmp_path}", {}), Activity()

    async def open_store(directory: str) -> Store:
        return await open_slate_store(location.child(directory), times=activity.store_times)

    databases = await Databases.open(open_store, SystemClock(), activity=activity)
    try:
        await databases.create_lake("lake", "public")
        surveyor = Surveyor(databases, location, rest=0.0)
        observed = Observed(databases, str(location), list, 1, surveyor)
        await surveyor.settled()
        (age,) = (metric for metric in METRICS if metric.name == "lake_checkpoint_age_seconds")
        assert list(age.read(observed)) == []
        made = await Checkpoints(location.child("lakes/1")).create("before")
        await surveyor.settled()
        ((labels, seconds),) = age.read(observed)
        assert labels == ("lake", "public")
        assert 0 <= float(str(seconds)) < 60
        (opened,) = databases.open_lakes()
        assert opened.lake.survey is not None
        assert opened.lake.survey.checkpoint_s == made.created_s > POSTGRES_EPOCH_UNIX_S
    finally:
        await databases.close()
    flushed = activity.store_times.by_operation["flush"]
    assert (flushed.count >= 2, flushed.sum > 0) == (True, True), "each store was flushed when it closed"


async def test_a_lake_that_another_server_took_is_left_alone() -> None:
    engine = WatchedEngine()
    await engine.start()
    await engine.create_catalog()
    (opened,) = engine.databases.open_lakes()
    opened.lake.given_up = True
    await engine.surveyor.settled()
    assert opened.lake.survey is None
    opened.lake.given_up = False
    await engine.stop()


async def test_a_store_that_fails_while_it_is_counted_is_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "CHECKPOINTS_LOOK_S", 0.0)
    engine = WatchedEngine()
    await engine.start()
    await engine.create_catalog()
    (opened,) = engine.databases.open_lakes()
    engine.store.lost = True
    await engine.surveyor.look()
    for _ in range(10):
        await asyncio.sleep(0)
    assert not opened.lake.in_use, "its root is released"
    engine.store.lost = False
    await engine.surveyor.settled()
    assert opened.lake.survey is not None
    assert opened.lake.survey.is_complete
    await engine.stop()
