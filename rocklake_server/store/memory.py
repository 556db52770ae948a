"""A sorted in-memory store: the model that says what every other store must do."""

from __future__ import annotations

import asyncio
from bisect import bisect_left
from collections.abc import AsyncIterator, Sequence

from rocklake_server.errors import CannotConnectNow
from rocklake_server.store.base import Entry, Key, Prefix, StoreSnapshot, WriteBatch
from rocklake_server.store.keys import key_range, require_storable

SCAN_ROWS = 1000
"""Entries in one batch of a scan."""


class MemorySnapshot:
    """Sorted keys beside their values; neither is ever changed."""

    __slots__ = ("entries", "keys")

    def __init__(self, keys: list[Key], entries: dict[Key, bytes]) -> None:
        self.keys = keys
        self.entries = entries

    async def get(self, key: Key) -> bytes | None:
        return self.entries.get(key)

    async def scan(self, prefix: Prefix, *, start: bytes = b"", stop: bytes | None = None
                   ) -> AsyncIterator[list[Entry]]:
        bounds = key_range(prefix, start, stop)
        if bounds is None:
            return
        first = bisect_left(self.keys, bounds.start)
        end = len(self.keys) if bounds.stop is None else bisect_left(self.keys, bounds.stop)
        for at in range(first, end, SCAN_ROWS):
            yield [(key, self.entries[key]) for key in self.keys[at:min(at + SCAN_ROWS, end)]]
            await asyncio.sleep(0)


class MemoryStore:
    """Each write makes the next snapshot, so that taking one costs nothing."""

    def __init__(self) -> None:
        self._newest = MemorySnapshot([], {})
        self._closed = False

    async def snapshot(self) -> StoreSnapshot:
        self._require_open()
        return self._newest

    async def write(self, batch: WriteBatch) -> None:
        self._require_open()
        require_storable(batch)
        keys, entries = self._newest.keys, self._newest.entries.copy()
        for key, value in batch.operations.items():
            if value is None:
                entries.pop(key, None)
            else:
                entries[key] = value
        if entries.keys() != self._newest.entries.keys():
            keys = sorted(entries)
        self._newest = MemorySnapshot(keys, entries)

    @property
    def needs_reopen(self) -> bool:
        """Never: no write of this store fails half-way."""
        return False

    @property
    def is_fenced(self) -> bool:
        """Never: nobody else can open it."""
        return False

    async def durable_values(self, keys: Sequence[Key]) -> list[bytes | None]:
        return [self._newest.entries.get(key) for key in keys]

    async def reopen(self) -> None:
        self._require_open()

    async def close(self) -> None:
        self._closed = True

    def reopened(self) -> MemoryStore:
        """The same entries behind a new handle, as after a restart; this handle is closed."""
        self._closed = True
        store = MemoryStore()
        store._newest = self._newest
        return store

    def _require_open(self) -> None:
        if self._closed:
            raise CannotConnectNow("the store in memory is closed")
