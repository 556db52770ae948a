"""One thread with its own event loop, shared by the process, that reads long scans and logs.

Reading a batch of a scan takes as long as several statements: the library merges rows while it is polled, and
then they become Python objects. Both happen on this thread, a bounded number of batches ahead of the consumer, so
that the loop that serves sessions only receives finished lists.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from functools import cache
from typing import Any, TypeVar

from rocklake_server.store.base import Entry

BATCHES_AHEAD = 2
"""Batches that are read before the consumer asks for them."""

Result = TypeVar("Result")

NextBatch = Callable[[], Awaitable[list[Entry]]]
"""Reads the next entries; an empty list is the end."""


@cache
def _loop() -> asyncio.AbstractEventLoop:
    """The loop of the scan thread, started at first use and running until the process ends."""
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, name="rocklake-scans", daemon=True).start()
    return loop


async def on_scan_thread(work: Coroutine[Any, Any, Result]) -> Result:
    """The result of ``work``, which runs on the scan thread. Cancelling the caller cancels it."""
    return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(work, _loop()))


async def _pump(next_batch: NextBatch, credit: asyncio.Semaphore, consumer: asyncio.AbstractEventLoop,
                deliver: Callable[[list[Entry]], None]) -> None:
    """Runs on the scan thread: one batch for each credit, until the batch that is empty."""
    batch = None
    while batch != []:
        await credit.acquire()
        batch = await next_batch()
        consumer.call_soon_threadsafe(deliver, batch)


async def read_ahead(next_batch: NextBatch) -> AsyncIterator[list[Entry]]:
    """The batches of ``next_batch``, which runs on the scan thread. Raises what ``next_batch`` raises."""
    worker, consumer = _loop(), asyncio.get_running_loop()
    ready: asyncio.Queue[list[Entry] | None] = asyncio.Queue()
    credit = asyncio.Semaphore(BATCHES_AHEAD)
    pump = asyncio.wrap_future(asyncio.run_coroutine_threadsafe(
        _pump(next_batch, credit, consumer, ready.put_nowait), worker))
    pump.add_done_callback(lambda _: ready.put_nowait(None))
    ended = False
    try:
        while batch := await ready.get():
            worker.call_soon_threadsafe(credit.release)
            yield batch
        ended = True
    finally:
        if not ended:
            pump.cancel()
    await pump
