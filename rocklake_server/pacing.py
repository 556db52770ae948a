"""Long computations in slices: the event loop gets its turn every few milliseconds, whatever a statement computes.

A plan's operators are plain generators, called deep inside of each other, which cannot await. ``in_slices`` runs such a
computation on a stack of its own (a greenlet); where it calls ``checkpoint`` it is left once its slice is over, the
event loop serves the others, and it goes on. With ``waited`` it can wait for something there. Coroutines, which can
await, use ``Turns``.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from contextvars import ContextVar
from itertools import chain, count
from time import perf_counter
from typing import Any, TypeVar, cast

from greenlet import GreenletExit, getcurrent, greenlet

SLICE_S = 0.001
"""How long a computation goes on before others get their turn."""

ROWS_PER_CHECK = 256
"""Rows that are handled between two looks at the clock."""

IDLE_WORKERS_MAX = 16
"""Stacks that a thread keeps for the computations to come."""

KEEPS_CONTEXT: ContextVar[bool] = ContextVar("KEEPS_CONTEXT", default=False)
"""Whether the computations of a task see its context variables; most have nothing to look for there."""

T = TypeVar("T")


class _Worker(greenlet):
    """A stack on which one computation after another runs: making one costs more than most of them take."""

    slice_end_s = 0.0
    computation: Callable[[], object] | None = None
    result: object = None
    raised: BaseException | None = None
    waits_for: Callable[[], Awaitable[object]] | None = None
    answer: object = None
    has_context = False

    def run(self) -> None:
        while self.computation is not None:
            try:
                self.result = self.computation()
            except GreenletExit:
                return
            except BaseException as error:  # noqa: BLE001  it is raised where the computation was asked for
                self.raised = error
            self.computation = None
            self.leave()

    def begin(self, computation: Callable[[], object]) -> None:
        self.computation = computation
        keeps = KEEPS_CONTEXT.get()
        if keeps or self.has_context:
            self.gr_context, self.has_context = getcurrent().gr_context if keeps else None, keeps
        self.next_slice()

    @property
    def computes(self) -> bool:
        return self.computation is not None

    def next_slice(self) -> None:
        self.slice_end_s = perf_counter() + SLICE_S
        self.switch()

    def leave(self) -> None:
        """Back to the coroutine, until the next slice."""
        assert self.parent is not None
        self.parent.switch()

    async def pause(self) -> None:
        """Between two slices: the others' turn, or what the computation waits for."""
        wait, self.waits_for = self.waits_for, None
        if wait is None:
            await asyncio.sleep(0)
        else:
            self.answer = await wait()

    def take_answer(self) -> object:
        answer, self.answer = self.answer, None
        return answer

    def take_result(self) -> object:
        """What was computed; nothing of it stays here. Raises what the computation raised."""
        result, raised = self.result, self.raised
        self.result = self.raised = None
        if raised is not None:
            raise raised
        return result


class _Idle(threading.local):
    """A thread's workers that have nothing to do."""

    def __init__(self) -> None:
        self.workers: list[_Worker] = []


_idle = _Idle()


async def in_slices(compute: Callable[[], T]) -> T:
    """What ``compute`` returns. Raises what it raises; a cancellation ends it at the checkpoint where it stands, an
    error of what it waits for where it waits."""
    worker = _idle.workers.pop() if _idle.workers else _Worker()
    worker.begin(compute)
    while worker.computes:
        try:
            await worker.pause()
        except BaseException as error:
            worker.throw(error)
            raise
        worker.next_slice()
    if len(_idle.workers) < IDLE_WORKERS_MAX:
        _idle.workers.append(worker)
    return cast("T", worker.take_result())


def checkpoint() -> None:
    """Leave the computation if its slice is over; outside of one, do nothing."""
    current = getcurrent()
    if isinstance(current, _Worker) and perf_counter() >= current.slice_end_s:
        current.leave()


def can_wait() -> bool:
    """Whether this is a computation in slices."""
    return isinstance(getcurrent(), _Worker)


def waited(wait: Callable[[], Awaitable[T]]) -> T:
    """What awaiting ``wait()`` gives, within a computation in slices, which is left until then."""
    current = getcurrent()
    if not isinstance(current, _Worker):
        raise RuntimeError("only a computation in slices can wait")  # noqa: TRY004  not about an argument's type
    current.waits_for = wait
    current.leave()
    return cast("T", current.take_answer())


def slices(items: Sequence[T], size: int = ROWS_PER_CHECK) -> Iterator[Sequence[T]]:
    """The items in runs of ``size``, each after a checkpoint."""
    for start in range(0, len(items), size):
        checkpoint()
        yield items[start : start + size] if size < len(items) else items


def checked(items: Sequence[T]) -> Iterable[T]:
    """The items one by one, with a checkpoint before them and, where they are many, between them."""
    if len(items) > ROWS_PER_CHECK:
        return chain.from_iterable(slices(items))
    checkpoint()
    return items


def with_checkpoints(function: Callable[[Any], T]) -> Callable[[Any], T]:
    """``function``, with a checkpoint every ROWS_PER_CHECK calls: for a library that calls it once for each value."""
    calls = count(1)

    def called(value: Any) -> T:
        if not next(calls) % ROWS_PER_CHECK:
            checkpoint()
        return function(value)

    return called


class Turns:
    """For a coroutine that handles many rows: ``take`` gives the event loop its turn once a slice is over."""

    __slots__ = ("_slice_end_s",)

    def __init__(self) -> None:
        self._slice_end_s = perf_counter() + SLICE_S

    async def take(self) -> None:
        if perf_counter() >= self._slice_end_s:
            await asyncio.sleep(0)
            self._slice_end_s = perf_counter() + SLICE_S
