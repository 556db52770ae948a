"""Reading a picture beside a server that replaces its tables: an error says so when that is the reason."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable

from rocklake_server.clock import elapsed_s
from rocklake_server.errors import CatalogError, StoreUnavailable
from rocklake_server.store.base import Entry, Key, Prefix, StoreSnapshot
from rocklake_server.store.object_stores import StoreLocation


class PictureSnapshot:
    """``below`` for at most ``seconds_max``. ``is_outdated`` tells whether the database has other tables by now."""

    __slots__ = ("_below", "_is_outdated", "_location", "_until")

    def __init__(
        self, below: StoreSnapshot, location: StoreLocation, seconds_max: float,
        is_outdated: Callable[[], Awaitable[bool]],
    ) -> None:
        self._below = below
        self._location = location
        self._until = elapsed_s() + seconds_max
        self._is_outdated = is_outdated

    async def get(self, key: Key) -> bytes | None:
        self._require_time()
        try:
            return await self._below.get(key)
        except CatalogError as error:
            raise await self._explained(error) from None

    async def scan(self, prefix: Prefix, *, start: bytes = b"", stop: bytes | None = None
                   ) -> AsyncIterator[list[Entry]]:
        try:
            async for entries in self._below.scan(prefix, start=start, stop=stop):
                self._require_time()
                yield entries
        except CatalogError as error:
            raise await self._explained(error) from None

    def _require_time(self) -> None:
        if elapsed_s() >= self._until:
            raise StoreUnavailable(f'store "{self._location}" has been read for too long; begin again')

    async def _explained(self, error: CatalogError) -> CatalogError:
        if not await self._is_outdated():
            return error
        return StoreUnavailable(
            f'store "{self._location}": the server removed tables that this reading began with; begin again, '
            "and have them kept meanwhile"
        )
