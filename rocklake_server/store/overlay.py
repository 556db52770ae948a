"""A snapshot with later changes laid over it: tables of a database, and what only its redo journal has."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import AsyncIterator, Mapping

from rocklake_server.store.base import Entry, Key, Prefix, StoreSnapshot
from rocklake_server.store.keys import key_range


class OverlaySnapshot:
    """``changes`` are the newest values of some keys, ``None`` for a key that is gone. Neither part ever changes."""

    __slots__ = ("_below", "_changes", "_keys")

    def __init__(self, below: StoreSnapshot, changes: Mapping[Key, bytes | None]) -> None:
        self._below = below
        self._changes = changes
        self._keys = sorted(changes)

    async def get(self, key: Key) -> bytes | None:
        if key in self._changes:
            return self._changes[key]
        return await self._below.get(key)

    async def scan(self, prefix: Prefix, *, start: bytes = b"", stop: bytes | None = None
                   ) -> AsyncIterator[list[Entry]]:
        """Batches as they come from below, with the changes that belong before or among their keys."""
        bounds = key_range(prefix, start, stop)
        if bounds is None:
            return
        at = bisect_left(self._keys, bounds.start)
        end = len(self._keys) if bounds.stop is None else bisect_left(self._keys, bounds.stop)
        async for entries in self._below.scan(prefix, start=start, stop=stop):
            until = bisect_left(self._keys, entries[-1][0], at, end)
            until += until < end and self._keys[until] == entries[-1][0]
            if merged := self._merged(entries, at, until):
                yield merged
            at = until
        if rest := self._merged([], at, end):
            yield rest

    def _merged(self, entries: list[Entry], at: int, end: int) -> list[Entry]:
        if at == end:
            return entries
        newest: dict[Key, bytes | None] = {**dict(entries), **{key: self._changes[key] for key in self._keys[at:end]}}
        return [(key, value) for key, value in sorted(newest.items()) if value is not None]
