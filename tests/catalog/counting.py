"""Stores that count what is asked of them, and one whose writes cost the same however much it holds."""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator

from rocklake_server.store.base import Entry, Key, Prefix, Store, StoreSnapshot, WriteBatch


class Reads:
    """Keys read, by their first byte."""

    def __init__(self) -> None:
        self.keys: list[Key] = []

    def by_tag(self) -> Counter[int]:
        return Counter(key[0] for key in self.keys)


class CountingSnapshot:
    def __init__(self, inner: StoreSnapshot, reads: Reads) -> None:
        self._inner = inner
        self._reads = reads

    async def get(self, key: Key) -> bytes | None:
        self._reads.keys.append(key)
        return await self._inner.get(key)

    async def scan(self, prefix: Prefix, *, start: bytes = b"", stop: bytes | None = None
                   ) -> AsyncIterator[list[Entry]]:
        async for entries in self._inner.scan(prefix, start=start, stop=stop):
            self._reads.keys += [key for key, _ in entries]
            yield entries


class CountingStore:
    """Counts the keys that snapshots read and those that each write holds."""

    def __init__(self, inner: Store) -> None:
        self.inner = inner
        self.reads = Reads()
        self.written: list[int] = []

    async def snapshot(self) -> StoreSnapshot:
        return CountingSnapshot(await self.inner.snapshot(), self.reads)

    async def write(self, batch: WriteBatch) -> None:
        self.written.append(len(batch.operations))
        await self.inner.write(batch)

    @property
    def needs_reopen(self) -> bool:
        return self.inner.needs_reopen

    @property
    def is_fenced(self) -> bool:
        return self.inner.is_fenced

    async def reopen(self) -> None:
        await self.inner.reopen()

    async def close(self) -> None:
        await self.inner.close()


class FlatSnapshot:
    """The store itself: right for tests in which nothing is written between a snapshot and its reads."""

    def __init__(self, store: FlatStore) -> None:
        self._store = store

    async def get(self, key: Key) -> bytes | None:
        return self._store.entries.get(key)

    async def scan(self, prefix: Prefix, *, start: bytes = b"", stop: bytes | None = None
                   ) -> AsyncIterator[list[Entry]]:
        found = [
            (key, value) for key, value in self._store.entries.items()
            if key.startswith(prefix) and prefix + start <= key and (stop is None or key < prefix + stop)
        ]
        yield sorted(found)


class FlatStore:
    """A dict: a write costs its own keys only, a scan all of them."""

    def __init__(self) -> None:
        self.entries: dict[Key, bytes] = {}

    async def snapshot(self) -> StoreSnapshot:
        return FlatSnapshot(self)

    async def write(self, batch: WriteBatch) -> None:
        for key, value in batch.operations.items():
            if value is not None:
                self.entries[key] = value
            else:
                self.entries.pop(key, None)

    @property
    def needs_reopen(self) -> bool:
        return False

    @property
    def is_fenced(self) -> bool:
        return False

    async def reopen(self) -> None:
        return

    async def close(self) -> None:
        return
