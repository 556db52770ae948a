"""What a command that writes a lake without a server owes to the list of lakes: its outline is not true any more."""

from __future__ import annotations

from rocklake_server.catalog.directory import Directory
from rocklake_server.catalog.lake_reader import SYSTEM_DIRECTORY, ListedLake
from rocklake_server.store.object_stores import StoreLocation
from rocklake_server.store.opening import open_store
from rocklake_server.store.ownership import Ownership


async def forget_outline(location: StoreLocation, ownership: Ownership, lake: ListedLake) -> None:
    """Before the lake is written, in the store with this root. Raises StoreUnavailable, OutcomeUnknown."""
    directory = await Directory.open(
        await open_store(location.child(SYSTEM_DIRECTORY), ownership=ownership), ownership)
    try:
        await directory.forget_outline(lake.place.number)
    finally:
        await directory.close()
