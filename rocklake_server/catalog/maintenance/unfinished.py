"""What is left of lakes that an import, a copy or a transaction began and did not finish, and its removal.

Before anything of a lake is written, its number is recorded in the system store; the batch that enters the lake into
the list takes the record away. A number that is recorded is therefore that of a lake which nobody ever saw. Whoever
owns the store knows more: its maker is gone.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass

from rocklake_server.catalog.directory import Directory
from rocklake_server.catalog.lake_reader import SYSTEM_DIRECTORY, CatalogReader, lake_directory
from rocklake_server.catalog.listing import Listing, UnfinishedLake, read_listing
from rocklake_server.errors import CorruptValue
from rocklake_server.store.directory_objects import Extent, extent_of, remove_directory
from rocklake_server.store.object_stores import StoreLocation
from rocklake_server.store.offline_owner import owned
from rocklake_server.store.opening import open_store


@dataclass(frozen=True, slots=True)
class Leftover:
    """An unfinished lake and what its directory takes."""

    lake: UnfinishedLake
    extent: Extent

    @property
    def directory(self) -> str:
        """Below the store's root."""
        return lake_directory(self.lake.number)


async def leftovers(catalog: CatalogReader) -> AsyncIterator[Leftover]:
    """Beside a running server: what is being made right now is among them. Raises CorruptValue, StoreUnavailable,
    Unsupported for a store in memory."""
    for lake in _unlisted(catalog.listing):
        yield await _leftover(catalog.location, lake)


async def sweep(location: StoreLocation, tell: Callable[[Leftover], None]) -> None:
    """Removes every unfinished lake of the store at ``location``, which is owned meanwhile, and then its record.
    ``tell`` hears of each before. Raises CannotConnectNow while a server holds the store, CorruptValue before anything
    is removed, StoreUnavailable, OutcomeUnknown, Unsupported."""
    async with owned(location) as ownership:
        store = await open_store(location.child(SYSTEM_DIRECTORY), ownership=ownership)
        try:
            directory = await Directory.open(store, ownership)
            for lake in _unlisted(await read_listing(await store.snapshot())):
                leftover = await _leftover(location, lake)
                tell(leftover)
                ownership.require()
                await remove_directory(location.child(leftover.directory))
                await directory.forget_unfinished(lake.number)
        finally:
            await store.close()


async def _leftover(location: StoreLocation, lake: UnfinishedLake) -> Leftover:
    return Leftover(lake, await extent_of(location.child(lake_directory(lake.number))))


def _unlisted(listing: Listing) -> list[UnfinishedLake]:
    """Raises CorruptValue when a lake of such a number is or was on the list: nothing is proved of it then."""
    seen = {place.number for place in listing.lakes.values()} | listing.retired.keys()
    for lake in listing.unfinished:
        if lake.number in seen or lake.number >= listing.next_lake:
            raise CorruptValue(
                f"lake {lake.number} is recorded as unfinished, and the list of lakes says otherwise",
                hint="See rocklake verify.",
            )
    return list(listing.unfinished)
