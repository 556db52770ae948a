"""The loop stays awake for a moment for a client that is alone, and for no other."""

from __future__ import annotations

import asyncio

import pytest

from rocklake_server import quiet
from rocklake_server.quiet import quiet_moments
from rocklake_server.server import busy_poll
from rocklake_server.server.busy_poll import ALONE_S, BusyPoll

DURATION_S = 0.05


@pytest.fixture(autouse=True)
def two_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(busy_poll, "cores", lambda: 2)


async def alone(duration_s: float = DURATION_S) -> BusyPoll:
    """One whose client "a" has been alone for long enough."""
    poll = BusyPoll(duration_s)
    poll.answered("a")
    assert not poll.looks, "another client may have talked a moment ago"
    await asyncio.sleep(ALONE_S)
    poll.answered("a")
    return poll


async def until_asleep(poll: BusyPoll) -> int:
    """Turns of the loop until it may sleep."""
    turns = 0
    while poll.looks:
        await asyncio.sleep(0)
        turns += 1
    return turns


async def test_the_loop_stays_awake_for_a_lone_client_and_sleeps_then() -> None:
    poll = await alone()
    began = asyncio.get_running_loop().time()
    assert await until_asleep(poll) > 10
    assert DURATION_S * 0.9 < asyncio.get_running_loop().time() - began < 10 * DURATION_S


async def test_a_message_ends_it() -> None:
    poll = await alone(duration_s=10.0)
    poll.heard()
    assert await until_asleep(poll) <= 2


async def test_each_answer_begins_it_anew() -> None:
    poll = await alone()
    for _ in range(3):
        poll.heard()
        poll.answered("a")
        assert await until_asleep(poll) > 10


async def test_clients_that_take_turns_are_not_waited_for_like_that() -> None:
    poll = await alone()
    await until_asleep(poll)
    for client in ("b", "a", "b", "a"):
        poll.answered(client)
        assert not poll.looks


async def test_it_can_be_switched_off_and_is_off_on_one_core(monkeypatch: pytest.MonkeyPatch) -> None:
    assert not (await alone(duration_s=0.0)).looks
    monkeypatch.setattr(busy_poll, "cores", lambda: 1)
    assert not (await alone()).looks


@pytest.mark.parametrize("hears", [False, True])
async def test_a_moment_is_quiet_when_the_client_says_nothing(monkeypatch: pytest.MonkeyPatch, hears: bool) -> None:
    monkeypatch.setattr(quiet, "LATEST_S", 3600.0)
    done: list[None] = []
    poll = await alone(duration_s=0.01)
    quiet_moments().put_off(lambda: done.append(None))
    if hears:
        poll.heard()
    await until_asleep(poll)
    await asyncio.sleep(0)
    assert bool(done) is not hears


async def test_it_tells_whether_one_client_is_all_there_is_to_serve() -> None:
    poll = await alone(duration_s=0.0)
    assert quiet_moments().serves_one
    poll.answered("b")
    assert not quiet_moments().serves_one
    await asyncio.sleep(ALONE_S)
    poll.answered("b")
    assert quiet_moments().serves_one


async def test_a_client_elsewhere_is_not_looked_for_and_counts_as_another() -> None:
    poll = await alone()
    poll.answered("far", is_near=False)
    assert not quiet_moments().serves_one
    await until_asleep(poll)
    await asyncio.sleep(ALONE_S)
    poll.answered("far", is_near=False)
    assert quiet_moments().serves_one
    assert not poll.looks
