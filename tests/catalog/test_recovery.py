"""After an outage the engine works again by itself, also when nobody writes; stalls are logged."""

from __future__ import annotations

import asyncio
import logging
import re

import pytest

from rocklake_server.catalog import commit, recovery, stall_watch
from rocklake_server.errors import CatalogError, OutcomeUnknown, StoreUnavailable
from rocklake_server.store.base import Store
from rocklake_server.store.faults import FaultyStore, Gate, Mode, Step
from rocklake_server.store.memory import MemoryStore
from tests.catalog.engine import DATABASE, Engine
from tests.catalog.owning import Holds, SetLease
from tests.catalog.test_group_commit import FaultyEngine, LosingStore, add, require_intact, seen, sequence


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(commit, "READ_BACK_PAUSE_S", 0.0)


@pytest.fixture
async def engine() -> FaultyEngine:
    engine = FaultyEngine()
    engine.store = LosingStore(MemoryStore())
    await engine.open()
    await engine.create_catalog()
    await add(engine, 1)
    return engine


# -- lakes ------------------------------------------------------------------------------------------------------------


async def test_a_lost_handle_is_opened_again_although_nobody_writes(engine: FaultyEngine) -> None:
    engine.store.lost = True
    await recovery.recover(engine.databases)
    assert (engine.store.reopenings, engine.store.needs_reopen) == (1, False)
    await recovery.recover(engine.databases)
    assert engine.store.reopenings == 1
    await require_intact(engine)


@pytest.mark.parametrize("landed", [True, False])
async def test_a_commit_in_doubt_is_settled_although_nobody_writes(engine: FaultyEngine, landed: bool) -> None:
    engine.store.writes.add(Step(Mode.FAIL_AFTER_LANDING if landed else Mode.FAIL_UNKNOWN_NOT_LANDED))
    engine.store.snapshots.add(*[Step(Mode.FAIL_BEFORE)] * (commit.READ_BACK_ATTEMPTS + 1))
    with pytest.raises(OutcomeUnknown):
        await add(engine, 2)
    await recovery.recover(engine.databases)
    assert await seen(engine) == [1]
    await recovery.recover(engine.databases)
    assert await seen(engine) == ([1, 2] if landed else [1])
    await require_intact(engine)


async def test_commits_that_are_asked_for_during_a_recovery_follow_it(engine: FaultyEngine) -> None:
    engine.store.lost = True
    gate = Gate()
    engine.store.snapshots.add(Step(gate=gate))
    recovering = asyncio.create_task(recovery.recover(engine.databases))
    await gate.arrived.wait()
    committing = [asyncio.create_task(add(engine, number)) for number in (2, 3)]
    await asyncio.sleep(0.01)
    gate.open()
    await asyncio.gather(recovering, *committing)
    assert await seen(engine) == [1, 2, 3]


async def test_the_keeper_recovers_what_fails_and_ends_with_the_lease(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recovery, "LOOK_INTERVAL_S", 0.01)
    engine = FaultyEngine()
    engine.store = LosingStore(MemoryStore())
    engine.ownership = lease = SetLease()
    await engine.open()
    await engine.create_catalog()
    keeping = asyncio.create_task(recovery.keep_usable(engine.databases))
    async with asyncio.timeout(5):
        for _ in range(2):
            engine.store.lost = True
            while engine.store.needs_reopen:
                await asyncio.sleep(0.01)
        await require_intact(engine)
        lease.holds = Holds.LOST
        await keeping
    with pytest.raises(CatalogError, match="closed"):
        await engine.store.inner.snapshot()


async def test_every_lake_is_opened_after_a_takeover() -> None:
    engine = await Engine().open()
    await engine.create_catalog()
    again = await engine.reopen()
    assert again.databases.open_lakes() == []
    await recovery.open_every_lake(again.databases)
    assert [opened.lake.newest.sequence for opened in again.databases.open_lakes()] == [await sequence(again)]


# -- the list of lakes ------------------------------------------------------------------------------------------------


class FaultyDirectory(Engine):
    """An engine whose system store follows a script."""

    def __init__(self) -> None:
        super().__init__()
        self.system = FaultyStore(MemoryStore())

    async def open_store(self, directory: str) -> Store:
        return self.system if directory == "system" else await super().open_store(directory)


def places(engine: Engine) -> dict[str, int]:
    directory = engine.databases.directory
    return {f"{d}.{s}": place.number for d in directory.databases() for s, place in directory.schemas(d).items()}


async def test_a_schema_whose_entry_landed_unnoticed_is_there() -> None:
    engine = await FaultyDirectory().open()
    engine.system.writes.add(Step(Mode.FAIL_AFTER_LANDING))
    await engine.databases.create_lake(DATABASE, "one")
    await engine.databases.create_lake(DATABASE, "two")
    assert places(engine) == {"lake.one": 1, "lake.two": 2}


async def test_a_schema_whose_entry_did_not_land_is_refused_and_can_be_made_later() -> None:
    engine = await FaultyDirectory().open()
    engine.system.writes.add(Step(Mode.FAIL_UNKNOWN_NOT_LANDED))
    with pytest.raises(StoreUnavailable, match="nothing was changed"):
        await engine.databases.create_lake(DATABASE, "one")
    await engine.databases.create_lake(DATABASE, "one")
    assert places(engine) == {"lake.one": 1}


@pytest.mark.parametrize("landed", [True, False])
async def test_two_schemas_never_share_a_lake_after_an_entry_in_doubt(landed: bool) -> None:
    engine = await FaultyDirectory().open()
    engine.system.writes.add(Step(Mode.FAIL_AFTER_LANDING if landed else Mode.FAIL_UNKNOWN_NOT_LANDED))
    engine.system.snapshots.add(Step(Mode.FAIL_BEFORE))
    with pytest.raises(OutcomeUnknown):
        await engine.databases.create_lake(DATABASE, "one")
    assert engine.databases.directory.needs_recovery
    if landed:
        await recovery.recover(engine.databases)
        assert places(engine) == {"lake.one": 1}
    await engine.databases.create_lake(DATABASE, "two")
    await engine.databases.create_lake(DATABASE, "one")
    assert sorted(places(engine).values()) == [1, 2]
    assert not engine.databases.directory.needs_recovery


# -- the watchdog -----------------------------------------------------------------------------------------------------


async def test_a_stalled_commit_is_logged_at_growing_intervals(
    engine: FaultyEngine, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(stall_watch, "STALL_LOG_AFTER_S", 0.05)
    gate = Gate()
    engine.store.writes.add(Step(gate=gate))
    with caplog.at_level(logging.WARNING):
        committing = asyncio.create_task(add(engine, 2))
        await asyncio.sleep(0.5)
        gate.open()
        await committing
        await asyncio.sleep(0.5)
    lines = [record.getMessage() for record in caplog.records]
    stalls = [line for line in lines if "is stalled" in line]
    assert 3 <= len(stalls) <= 4, "after 0.05, 0.1, 0.2 and 0.4 s"
    wording = r'lake 1 \(database "lake", schema "public"\): commit 3 is stalled: not durable after \d s'
    assert all(re.fullmatch(wording, stall) for stall in stalls)
    assert len(lines) == len(stalls) + 1
    assert "ended after" in lines[-1]


async def test_a_commit_in_time_logs_nothing(engine: FaultyEngine, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO):
        await add(engine, 2)
    assert caplog.records == []
    assert stall_watch.STALL_LOG_AFTER_S == 10.0
