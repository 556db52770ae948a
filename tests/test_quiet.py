"""Work that nobody waits for is done in a quiet moment, and a little later when there is none."""

from __future__ import annotations

import asyncio

import pytest

from rocklake_server import quiet
from rocklake_server.quiet import quiet_moments


async def turns(count: int = 3) -> None:
    for _ in range(count):
        await asyncio.sleep(0)


async def test_work_waits_for_a_quiet_moment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(quiet, "LATEST_S", 3600.0)
    done: list[int] = []
    for number in range(3):
        quiet_moments().put_off(lambda number=number: done.append(number))
    await turns()
    assert not done
    quiet_moments().come()
    assert not done, "each piece has a turn of its own"
    await turns()
    assert done == [0, 1, 2]


async def test_it_does_not_wait_for_ever() -> None:
    done = asyncio.Event()
    quiet_moments().put_off(done.set)
    await turns()
    assert not done.is_set()
    async with asyncio.timeout(5):
        await done.wait()


async def test_it_is_done_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(quiet, "LATEST_S", 0.001)
    done: list[None] = []
    quiet_moments().put_off(lambda: done.append(None))
    quiet_moments().come()
    quiet_moments().come()
    await asyncio.sleep(0.02)
    assert len(done) == 1


async def test_work_may_put_off_more() -> None:
    rest = [0, 1, 2]
    done = asyncio.Event()

    def step() -> None:
        rest.pop()
        if rest:
            quiet_moments().put_off(step)
        else:
            done.set()

    quiet_moments().put_off(step)
    async with asyncio.timeout(5):
        await done.wait()


def test_each_event_loop_has_its_own() -> None:
    async def own() -> quiet.QuietMoments:
        assert quiet_moments() is quiet_moments()
        return quiet_moments()

    assert asyncio.run(own()) is not asyncio.run(own())
