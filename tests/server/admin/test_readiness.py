"""Ready means that the store itself has answered, in bounded time, and that the server owns it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence

import pytest

from rocklake_server.server.admin import readiness
from rocklake_server.server.admin.readiness import Readiness
from rocklake_server.store.base import Key, Store
from rocklake_server.store.memory import MemoryStore
from tests.catalog.engine import Engine
from tests.catalog.owning import Holds, SetLease


class AskedStore(MemoryStore):
    """Counts who asks it, and is silent when told. ``lost`` is its handle."""

    def __init__(self) -> None:
        super().__init__()
        self.asked = 0
        self.lost = False
        self.answers = asyncio.Event()
        self.answers.set()

    @property
    def needs_reopen(self) -> bool:
        return self.lost

    async def durable_values(self, keys: Sequence[Key]) -> list[bytes | None]:
        self.asked += 1
        await self.answers.wait()
        return await super().durable_values(keys)


class AskedEngine(Engine):
    def __init__(self) -> None:
        super().__init__()
        self.ownership = self.lease = SetLease()
        self.system = AskedStore()

    async def open_store(self, directory: str) -> Store:
        return self.system if directory == "system" else await super().open_store(directory)


@pytest.fixture
async def engine() -> AsyncIterator[AskedEngine]:
    engine = AskedEngine()
    await engine.open()
    yield engine
    await engine.databases.close()


async def test_a_store_that_answers_is_ready(engine: AskedEngine) -> None:
    assert await Readiness().problem(engine.databases) is None
    assert engine.system.asked == 1


@pytest.mark.parametrize(("holds", "why"), [(Holds.LOST, "another server has"), (Holds.RUN_OUT, "has run out")])
async def test_a_lease_that_is_not_held_is_the_reason(engine: AskedEngine, holds: Holds, why: str) -> None:
    engine.lease.holds = holds
    assert why in str(await Readiness().problem(engine.databases))
    assert engine.system.asked == 0


async def test_a_lost_handle_is_the_reason(engine: AskedEngine) -> None:
    engine.system.lost = True
    problem = await Readiness().problem(engine.databases)
    assert problem == "the system store has to be opened again after a failure"


async def test_a_silent_store_is_waited_for_in_bounded_time(engine: AskedEngine) -> None:
    engine.system.answers.clear()
    assert await Readiness(timeout_s=0.05).problem(engine.databases) == "the store did not answer within 0.05 s"


async def test_many_who_ask_share_one_question(engine: AskedEngine, monkeypatch: pytest.MonkeyPatch) -> None:
    ready = Readiness()
    engine.system.answers.clear()
    asking = [asyncio.create_task(ready.problem(engine.databases)) for _ in range(10)]
    await asyncio.sleep(0.01)
    asking[0].cancel()
    engine.system.answers.set()
    assert await asyncio.gather(*asking[1:]) == [None] * 9
    assert await ready.problem(engine.databases) is None
    assert engine.system.asked == 1
    monkeypatch.setattr(readiness, "KEPT_S", 0.0)
    assert await ready.problem(engine.databases) is None
    assert engine.system.asked == 2
    await ready.close()


async def test_a_question_under_way_ends_with_the_server(engine: AskedEngine) -> None:
    ready = Readiness()
    engine.system.answers.clear()
    asking = asyncio.create_task(ready.problem(engine.databases))
    await asyncio.sleep(0.01)
    await ready.close()
    assert (await asyncio.gather(asking, return_exceptions=True))[0].__class__ is asyncio.CancelledError
