"""A store whose values are sealed on their way in and opened on their way out. Keys stay as they are.

Values that were written before there was a key are read as they are, until ``rekey`` has written them again.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from rocklake_server.store.base import Entry, Key, Prefix, Store, StoreSnapshot, WriteBatch
from rocklake_server.store.layer import StoreLayer
from rocklake_server.store.object_stores import StoreLocation
from rocklake_server.store.sealing import Sealer, key_id_of

INLINE_MAX = 64
"""Values that are sealed or opened where they are needed; more of them in a thread, which holds up nobody."""

REKEY_KEYS = 512
REKEY_BYTES = 1024 * 1024
"""Keys and bytes in one batch of ``rekey``; a commit that comes meanwhile waits for one batch at most."""

_EVERYTHING = Prefix(b"")
_THREADS = ThreadPoolExecutor(2, "rocklake-seal")
Result = TypeVar("Result")


async def _apart(count: int, work: Callable[[], Result]) -> Result:
    if count <= INLINE_MAX:
        return work()
    return await asyncio.get_running_loop().run_in_executor(_THREADS, work)


class SealedSnapshot:
    """Reads raise as ``Sealer.open`` too."""

    __slots__ = ("_inner", "_sealer")

    def __init__(self, inner: StoreSnapshot, sealer: Sealer) -> None:
        self._inner = inner
        self._sealer = sealer

    async def get(self, key: Key) -> bytes | None:
        value = await self._inner.get(key)
        return None if value is None else self._sealer.open(key, value)

    async def scan(self, prefix: Prefix, *, start: bytes = b"", stop: bytes | None = None
                   ) -> AsyncIterator[list[Entry]]:
        async for entries in self._inner.scan(prefix, start=start, stop=stop):
            yield await _apart(len(entries), lambda found=entries: self._sealer.open_all(found))  # type: ignore[misc]


def opened_snapshot(stored: StoreSnapshot, location: StoreLocation) -> StoreSnapshot:
    """``stored`` as those see it who have the keys of ``location``."""
    if location.keyring is None:
        return stored
    return SealedSnapshot(stored, Sealer(location.keyring, location.directory))


class SealedStore(StoreLayer):
    """Over a store that nobody else here writes."""

    def __init__(self, inner: Store, sealer: Sealer) -> None:
        super().__init__(inner)
        self.sealer = sealer
        self._turn = asyncio.Lock()

    async def snapshot(self) -> StoreSnapshot:
        return SealedSnapshot(await self.inner.snapshot(), self.sealer)

    async def write(self, batch: WriteBatch) -> None:
        operations = batch.operations
        sealed = await _apart(len(operations), lambda: self.sealer.seal_all(operations.items()))
        async with self._turn:
            await self.inner.write(WriteBatch(sealed))

    async def durable_values(self, keys: Sequence[Key]) -> list[bytes | None]:
        values = await self.inner.durable_values(keys)
        found = zip(keys, values, strict=True)
        return [None if value is None else self.sealer.open(key, value) for key, value in found]

    async def rekey(self, tell: Callable[[int], None] = lambda _: None) -> int:
        """Seal every value that is not sealed with the writing key yet, in bounded batches between other writes.
        Returns how many. Told how many more keys were looked at. Raises as ``Sealer.open``, StoreUnavailable,
        OutcomeUnknown; may be repeated."""
        written = 0
        async for entries in (await self.inner.snapshot()).scan(_EVERYTHING):
            stale = [(key, value) for key, value in entries if not self.sealer.is_current(value)]
            for run in _runs(stale):
                written += await self._seal_again(run)
            tell(len(entries))
        return written

    async def _seal_again(self, entries: list[Entry]) -> int:
        """What was changed since it was read is sealed already."""
        async with self._turn:
            newest = await self.inner.snapshot()
            values = await asyncio.gather(*(newest.get(key) for key, _ in entries))
            stale = [entry for entry, value in zip(entries, values, strict=True) if entry[1] == value]
            sealed = await _apart(len(stale), lambda: self.sealer.seal_all(self.sealer.open_all(stale)))
            await self.inner.write(WriteBatch(sealed))
        return len(stale)


def _runs(entries: list[Entry]) -> Iterator[list[Entry]]:
    run: list[Entry] = []
    size_bytes = 0
    for key, value in entries:
        run.append((key, value))
        size_bytes += len(key) + len(value)
        if len(run) >= REKEY_KEYS or size_bytes >= REKEY_BYTES:
            yield run
            run, size_bytes = [], 0
    if run:
        yield run


async def values_by_key(snapshot: StoreSnapshot, tell: Callable[[int], None]) -> dict[str | None, int]:
    """How many values of an unopened snapshot are sealed with each key; ``None`` stands for clear ones."""
    found: Counter[str | None] = Counter()
    async for entries in snapshot.scan(_EVERYTHING):
        found.update(key_id_of(value) for _, value in entries)
        tell(len(entries))
        await asyncio.sleep(0)
    return dict(found)
