"""Long computations in slices: the event loop gets its turn every few milliseconds, whatever a statement computes.

A plan's operators are plain generators, called deep inside of each other, which cannot await. ``in_slices`` runs such a
computation on a stack of its own (a greenlet); where it calls ``checkpoint`` it is left once its slice is over, the
event loop serves the others, and it goes on. Coroutines, which can await, use ``Turns``.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from time import perf_counter
from typing import TypeVar, cast

from greenlet import getcurrent, greenlet

SLICE_S = 0.001
"""How long a computation goes on before others get their turn."""

ROWS_PER_CHECK = 256
"""Rows that are handled between two looks at the clock."""

T = TypeVar("T")


class _Computation(greenlet):
    """A computation and the end of its slice."""

    slice_end_s = 0.0

    def resume(self) -> object:
        """What it returns, or nothing of use if it was left at a checkpoint."""
        self.slice_end_s = perf_counter() + SLICE_S
        return self.switch()


async def in_slices(compute: Callable[[], T]) -> T:
    """What ``compute`` returns. Raises what it raises; a cancellation ends it at the checkpoint where it waits."""
    computation = _Computation(compute)
    found = computation.resume()
    while not computation.dead:
        try:
            await asyncio.sleep(0)
        except BaseException as error:
            computation.throw(error)
            raise
        found = computation.resume()
    return cast("T", found)


def checkpoint() -> None:
    """Leave the computation if its slice is over; outside of one, do nothing."""
    current = getcurrent()
    if isinstance(current, _Computation) and perf_counter() >= current.slice_end_s and current.parent is not None:
        current.parent.switch()


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


class Turns:
    """For a coroutine that handles many rows: ``take`` gives the event loop its turn once a slice is over."""

    __slots__ = ("_slice_end_s",)

    def __init__(self) -> None:
        self._slice_end_s = perf_counter() + SLICE_S

    async def take(self) -> None:
        if perf_counter() >= self._slice_end_s:
            await asyncio.sleep(0)
            self._slice_end_s = perf_counter() + SLICE_S
