"""The lakes of a store that this process owns, for one command that writes without a server."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from rocklake_server.catalog.databases import Databases
from rocklake_server.clock import Clock
from rocklake_server.store import opening
from rocklake_server.store.base import Store
from rocklake_server.store.object_stores import StoreLocation
from rocklake_server.store.offline_owner import owned


@asynccontextmanager
async def owned_databases(location: StoreLocation, clock: Clock) -> AsyncIterator[Databases]:
    """Until the block ends. Raises CannotConnectNow when a server holds the store, StoreUnavailable, Unsupported,
    CorruptValue, FormatVersionUnsupported."""
    async with owned(location) as ownership:

        async def open_store(directory: str) -> Store:
            return await opening.open_store(location.child(directory), ownership=ownership)

        databases = await Databases.open(open_store, clock, ownership, location=location)
        try:
            yield databases
        finally:
            await databases.close()
