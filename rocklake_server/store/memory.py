"""A sorted in-memory store: the model that says what every other store must do."""

from __future__ import annotations

import asyncio
from bisect import bisect_left
from collections.abc import AsyncIterator

from rocklake_server.errors import CannotConnectNow, InternalProblem
from rocklake_server.store.base import Entry, Key, Prefix, StoreSnapshot, WriteBatch
from rocklake_server.store.ranges import key_range

SCAN_ROWS = 1000
"""Entries in one batch of a scan."""


class MemorySnapshot:
    """Sorted keys beside their values; neither list is ever changed."""

    __slots__ = ("_keys", "_values")

    def __init__(self, keys: list[Key], values: list[bytes]) -> None:
        self._keys = keys
        self._values = values

    async def get(self, key: Key) -> bytes | None:
        at = bisect_left(self._keys, key)
        return self._values[at] if at < len(self._keys) and self._keys[at] == key else None

    async def scan(self, prefix: Prefix, *, start: bytes = b"", stop: bytes | None = None
                   ) -> AsyncIterator[list[Entry]]:
        bounds = key_range(prefix, start, stop)
        if bounds is None:
            return
        first = bisect_left(self._keys, bounds.start)
        end = len(self._keys) if bounds.stop is None else bisect_left(self._keys, bounds.stop)
        for at in range(first, end, SCAN_ROWS):
            until = min(at + SCAN_ROWS, end)
            yield list(zip(self._keys[at:until], self._values[at:until], strict=True))
            await asyncio.sleep(0)


class MemoryStore:
    """Keeps everything in two lists that each write replaces, so a snapshot costs nothing."""

    def __init__(self) -> None:
        self._entries: dict[Key, bytes] = {}
        self._snapshot = MemorySnapshot([], [])
        self._closed = False

    async def snapshot(self) -> StoreSnapshot:
        self._require_open()
        return self._snapshot

    async def write(self, batch: WriteBatch) -> None:
        self._require_open()
        if b"" in batch.operations:
            raise InternalProblem("a write batch holds an empty key")
        for key, value in batch.operations.items():
            if value is None:
                self._entries.pop(key, None)
            else:
                self._entries[key] = value
        keys = sorted(self._entries)
        self._snapshot = MemorySnapshot(keys, [self._entries[key] for key in keys])

    async def close(self) -> None:
        self._closed = True

    def reopened(self) -> MemoryStore:
        """The same entries behind a new handle, as after a restart; this handle is closed."""
        self._closed = True
        store = MemoryStore()
        store._entries, store._snapshot = self._entries, self._snapshot
        return store

    def _require_open(self) -> None:
        if self._closed:
            raise CannotConnectNow("the store in memory is closed")
