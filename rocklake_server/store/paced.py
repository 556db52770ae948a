"""A snapshot that is read in small batches with turns of the event loop between them: for long readings in a server."""

from __future__ import annotations

from collections.abc import AsyncIterator

from rocklake_server.pacing import Turns
from rocklake_server.store.base import Entry, Key, Prefix, StoreSnapshot

ROWS_AT_ONCE = 256
"""What is done with so many entries takes a millisecond or two."""


class PacedSnapshot:
    """The same entries as ``below`` has."""

    __slots__ = ("_below",)

    def __init__(self, below: StoreSnapshot) -> None:
        self._below = below

    async def get(self, key: Key) -> bytes | None:
        return await self._below.get(key)

    async def scan(self, prefix: Prefix, *, start: bytes = b"", stop: bytes | None = None
                   ) -> AsyncIterator[list[Entry]]:
        turns = Turns()
        async for entries in self._below.scan(prefix, start=start, stop=stop):
            for first in range(0, len(entries), ROWS_AT_ONCE):
                await turns.take()
                yield entries[first : first + ROWS_AT_ONCE]
