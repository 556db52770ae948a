"""Reading a picture beside a server that replaces its tables: an error says so when that is the reason."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable

from rocklake_server.clock import elapsed_s
from rocklake_server.errors import CatalogError, StoreUnavailable
from rocklake_server.store.base import Entry, Key, Prefix, StoreSnapshot
from rocklake_server.store.object_stores import StoreLocation


class PictureSnapshot:
    """``below`` for at most ``seconds_max``, and as long as ``newest`` says what it says now: the number of the newest
    write that ``below`` has. ``is_outdated`` tells whether the database has other tables by now."""

    __slots__ = ("_below", "_expected", "_is_outdated", "_location", "_newest", "_until")

    def __init__(
        self, below: StoreSnapshot, location: StoreLocation, seconds_max: float, newest: Callable[[], int],
        is_outdated: Callable[[], Awaitable[bool]],
    ) -> None:
        self._below = below
        self._location = location
        self._until = elapsed_s() + seconds_max
        self._newest = newest
        self._expected = newest()
        self._is_outdated = is_outdated

    async def get(self, key: Key) -> bytes | None:
        try:
            value = await self._below.get(key)
        except CatalogError as error:
            raise await self._explained(error) from None
        self._require_unmoved()
        return value

    async def scan(self, prefix: Prefix, *, start: bytes = b"", stop: bytes | None = None
                   ) -> AsyncIterator[list[Entry]]:
        try:
            async for entries in self._below.scan(prefix, start=start, stop=stop):
                self._require_unmoved()
                yield entries
        except CatalogError as error:
            raise await self._explained(error) from None
        self._require_unmoved()

    def _require_unmoved(self) -> None:
        if elapsed_s() >= self._until:
            raise StoreUnavailable(f'store "{self._location}" has been read for too long; begin again')
        if self._newest() != self._expected:
            raise StoreUnavailable(f'store "{self._location}" changed while its reading began; begin again')

    async def _explained(self, error: CatalogError) -> CatalogError:
        if not await self._is_outdated():
            return error
        return StoreUnavailable(
            f'store "{self._location}": the server removed tables that this reading began with; begin again, '
            "and have them kept meanwhile"
        )
