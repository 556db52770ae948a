"""Computations in slices: same results and errors, turns for others, and an end when they are cancelled."""

from __future__ import annotations

import asyncio
import gc
import weakref
from collections.abc import Iterator
from itertools import count

import pytest

from rocklake_server.pacing import ROWS_PER_CHECK, Turns, can_wait, checked, checkpoint, in_slices, slices, waited


def _endless() -> Iterator[int]:
    for number in count():
        checkpoint()
        yield number


async def test_a_computation_returns_and_raises_as_if_it_were_called() -> None:
    assert await in_slices(lambda: 7) == 7
    assert await in_slices(lambda: None) is None
    with pytest.raises(ZeroDivisionError):
        await in_slices(lambda: 1 // 0)


async def test_others_run_while_a_computation_goes_on() -> None:
    turns = 0

    async def others() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    other = asyncio.create_task(others())
    found = await in_slices(lambda: next(number for number in _endless() if number == 200_000))
    other.cancel()
    assert found == 200_000
    assert turns > 5


async def test_a_cancellation_is_raised_inside_of_the_computation() -> None:
    cleaned: list[type[BaseException]] = []

    def compute() -> None:
        try:
            for _ in _endless():
                pass
        except BaseException as error:
            cleaned.append(type(error))
            raise

    task = asyncio.create_task(in_slices(compute))
    await asyncio.sleep(0.01)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert cleaned == [asyncio.CancelledError]


async def test_computations_take_turns_with_each_other() -> None:
    ended: list[str] = []

    async def run(name: str, length: int) -> None:
        await in_slices(lambda: next(number for number in _endless() if number == length))
        ended.append(name)

    await asyncio.gather(run("long", 400_000), run("short", 20_000))
    assert ended == ["short", "long"]


def test_outside_of_a_computation_a_checkpoint_does_nothing() -> None:
    checkpoint()
    assert list(checked(range(3))) == [0, 1, 2]


@pytest.mark.parametrize("length", [0, 1, ROWS_PER_CHECK, ROWS_PER_CHECK + 1, 3 * ROWS_PER_CHECK])
def test_sliced_items_are_all_there_in_order(length: int) -> None:
    items = list(range(length))
    assert list(checked(items)) == items
    assert [item for part in slices(items, 7) for item in part] == items
    assert all(len(part) <= 7 for part in slices(items, 7))


async def test_a_coroutine_takes_its_turns() -> None:
    turns = Turns()
    other = asyncio.create_task(asyncio.sleep(0))
    while not other.done():
        await turns.take()


async def test_what_was_computed_is_not_kept() -> None:
    class Result:
        pass

    found = weakref.ref(await in_slices(Result))
    gc.collect()
    assert found() is None


async def test_a_computation_waits_for_what_others_do() -> None:
    asked = asyncio.get_running_loop().create_future()

    async def answer() -> int:
        return int(await asked)

    waiting = asyncio.create_task(in_slices(lambda: waited(answer) + waited(answer)))
    await asyncio.sleep(0)
    assert not waiting.done()
    asked.set_result(21)
    assert await waiting == 42


async def test_a_failure_of_what_is_waited_for_ends_the_computation() -> None:
    ended: list[str] = []

    async def fail() -> None:
        raise ValueError("no")

    def compute() -> None:
        try:
            waited(fail)
        finally:
            ended.append("ended")

    with pytest.raises(ValueError, match="no"):
        await in_slices(compute)
    assert ended == ["ended"]


async def test_a_wait_is_cancelled_with_its_computation() -> None:
    cancelled: list[str] = []

    async def forever() -> None:
        try:
            await asyncio.get_running_loop().create_future()
        finally:
            cancelled.append("cancelled")

    waiting = asyncio.create_task(in_slices(lambda: waited(forever)))
    await asyncio.sleep(0)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    assert cancelled == ["cancelled"]


def test_only_a_computation_in_slices_can_wait() -> None:
    assert not can_wait()
    with pytest.raises(RuntimeError, match="in slices"):
        waited(lambda: asyncio.sleep(0))
