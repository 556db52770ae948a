"""A store that this process owns, opened with all its lakes: for a server, and for commands that write without one."""

from __future__ import annotations

from contextlib import AsyncExitStack
from dataclasses import dataclass

from rocklake_server.catalog.databases import Databases
from rocklake_server.clock import Clock
from rocklake_server.limits import LEASE_TIME_S_DEFAULT
from rocklake_server.store.base import Store
from rocklake_server.store.folder_lock import FolderLock
from rocklake_server.store.lease import Lease
from rocklake_server.store.object_stores import StoreLocation
from rocklake_server.store.ownership import UNDISPUTED, Ownership
from rocklake_server.store.slate import open_slate_store


@dataclass(frozen=True, slots=True)
class OwnedStore:
    """``has_displaced`` tells that another server's lease was taken from it."""

    databases: Databases
    has_displaced: bool


async def open_owned(
    location: StoreLocation,
    stack: AsyncExitStack,
    clock: Clock,
    *,
    lease_s: float = LEASE_TIME_S_DEFAULT,
    takeover: bool = False,
) -> OwnedStore:
    """Own the store, then open it; ``stack`` undoes both in turn. Raises CannotConnectNow when a server owns it,
    StoreUnavailable, Unsupported, CorruptValue, FormatVersionUnsupported."""
    ownership: Ownership = UNDISPUTED
    has_displaced = False
    stack.enter_context(FolderLock(location))
    if location.is_remote:
        lease = await Lease.acquire(location, lease_s=lease_s, takeover=takeover)
        stack.push_async_callback(lease.release)
        ownership, has_displaced = lease, lease.displaced is not None

    async def open_store(directory: str) -> Store:
        return await open_slate_store(location.child(directory), ownership=ownership)

    databases = await Databases.open(open_store, clock, ownership)
    stack.push_async_callback(databases.close)
    return OwnedStore(databases, has_displaced)
