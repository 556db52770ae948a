"""Writes that are durable in the redo journal, and that SlateDB is given in a quiet moment after they returned.

SlateDB takes a write on a thread of its own; waiting for that, and for a snapshot after it, costs each commit two
changes of threads. So the newest writes may still be on their way, in order, while the disk has the next one. A
snapshot is the state after a number of writes: it is taken when somebody reads from it, or else before SlateDB gets the
next write. Most are never read from, since the engine keeps what it has loaded, and are not taken at all.
"""

from __future__ import annotations

import asyncio
import logging
import weakref
from collections import deque
from collections.abc import AsyncIterator, Coroutine
from typing import Any

from rocklake_server.errors import InternalProblem
from rocklake_server.quiet import quiet_moments
from rocklake_server.store.base import Entry, Key, Prefix, StoreSnapshot, WriteBatch
from rocklake_server.store.batch_slices import native_batch
from rocklake_server.store.object_stores import StoreLocation
from rocklake_server.store.slate_errors import NATIVE_ERRORS, read_error
from rocklake_server.store.slate_settings import SlateSettings
from rocklake_server.store.slate_snapshot import SlateSnapshot

_log = logging.getLogger(__name__)

WAITING_MAX = 32
WAITING_ENTRIES_MAX = 100_000
"""Writes, and keys in them, that may be on their way before the next one waits for them."""


class WriteBehind:
    """Of one handle. ``newest`` numbers the writes, as SlateDB does."""

    def __init__(self, db: Any, newest: int, location: StoreLocation, settings: SlateSettings) -> None:
        self.newest = newest
        self.has_failed = False
        self._is_closed = False
        self._db = db
        self._location = location
        self._settings = settings
        self._waiting: deque[WriteBatch] = deque()
        self._turn = asyncio.Lock()
        self._is_put_off = False
        self._tasks: set[asyncio.Task[None]] = set()
        self._untaken: list[weakref.ref[DeferredSnapshot]] = []

    def add(self, batch: WriteBatch) -> None:
        """The newest write, which is in the journal."""
        self.newest += 1
        self._waiting.append(batch)
        if not self._is_put_off:
            self._is_put_off = True
            quiet_moments().put_off(self._begin)

    async def make_room(self) -> None:
        """Before one more write: when much waits, until SlateDB has it. Raises as ``settle`` then."""
        if self._is_full:
            await self.settle()

    @property
    def _is_full(self) -> bool:
        waiting = self._waiting
        return len(waiting) >= WAITING_MAX or sum([len(each.operations) for each in waiting]) > WAITING_ENTRIES_MAX

    def snapshot(self) -> StoreSnapshot:
        """The state after the newest write."""
        snapshot = DeferredSnapshot(self, self.newest)
        self._untaken.append(weakref.ref(snapshot))
        return snapshot

    async def settle(self) -> None:
        """Until SlateDB has every write. Raises SlateDB's errors, after which the handle is of no use: the journal
        has the write."""
        if self._waiting or self._turn.locked():
            await self._seen_through(self._settle())

    async def take(self, snapshot: DeferredSnapshot) -> StoreSnapshot:
        """What ``snapshot`` stands for. Raises what reading from a snapshot raises."""
        try:
            await self._seen_through(self._take(snapshot))
        except NATIVE_ERRORS as error:
            raise read_error(error, self._location) from None
        if snapshot.taken is None:
            raise InternalProblem("a snapshot of the store was not taken in time")
        return snapshot.taken

    async def close(self) -> None:
        """What is on its way is left to the journal."""
        self._is_closed = True
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _begin(self) -> None:
        self._is_put_off = False
        if self._waiting and not self.has_failed and not self._is_closed:
            self._start(self._settle()).add_done_callback(_log_failure)

    def _start(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task: asyncio.Task[None] = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def _seen_through(self, work: Coroutine[Any, Any, None]) -> None:
        """A cancelled reader leaves no write half given."""
        task = self._start(work)
        task.add_done_callback(lambda done: done.cancelled() or done.exception())
        await asyncio.shield(task)

    async def _settle(self) -> None:
        async with self._turn:
            await self._give()

    async def _take(self, snapshot: DeferredSnapshot) -> None:
        async with self._turn:
            if snapshot.taken is None:
                await self._give()
            if snapshot.taken is None and snapshot.number == self._given:
                snapshot.taken = await self._picture()

    async def _picture(self) -> StoreSnapshot:
        return SlateSnapshot(await self._db.snapshot(), self._location, self._settings)

    @property
    def _given(self) -> int:
        """The newest write that SlateDB has."""
        return self.newest - len(self._waiting)

    async def _give(self) -> None:
        """Hand over what waits, each write after a snapshot of the state before it if that is still wanted."""
        while self._waiting:
            if self.has_failed:
                raise InternalProblem("SlateDB has refused a write that the redo journal has")
            number = self._given + 1
            try:
                await self._take_earlier(number)
                await self._hand_over(self._waiting[0], number)
            except BaseException:
                self.has_failed = True
                raise
            self._waiting.popleft()

    async def _hand_over(self, batch: WriteBatch, number: int) -> None:
        handle = await self._db.write(await native_batch(batch))
        if handle.seqnum() != number:
            raise InternalProblem(f"SlateDB numbers write {number} of the redo journal {handle.seqnum()}")

    async def _take_earlier(self, number: int) -> None:
        alive = [snapshot for reference in self._untaken if (snapshot := reference()) is not None]
        wanted = [snapshot for snapshot in alive if snapshot.taken is None and snapshot.number < number]
        self._untaken = [weakref.ref(snapshot) for snapshot in alive if snapshot.number >= number]
        if wanted:
            taken = await self._picture()
            for snapshot in wanted:
                snapshot.taken = taken


class DeferredSnapshot:
    """The state after ``number`` writes."""

    __slots__ = ("__weakref__", "_behind", "number", "taken")

    def __init__(self, behind: WriteBehind, number: int) -> None:
        self._behind = behind
        self.number = number
        self.taken: StoreSnapshot | None = None

    async def get(self, key: Key) -> bytes | None:
        return await (self.taken or await self._behind.take(self)).get(key)

    async def scan(self, prefix: Prefix, *, start: bytes = b"", stop: bytes | None = None
                   ) -> AsyncIterator[list[Entry]]:
        taken = self.taken or await self._behind.take(self)
        async for entries in taken.scan(prefix, start=start, stop=stop):
            yield entries


def _log_failure(task: asyncio.Task[None]) -> None:
    if not task.cancelled() and (error := task.exception()) is not None:
        _log.warning("SlateDB refuses a write that the redo journal has: %s", type(error).__name__)
