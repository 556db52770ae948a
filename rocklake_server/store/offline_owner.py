"""Owning a store for one command that writes it: as a server does, so that no server runs meanwhile."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

from rocklake_server.errors import CannotConnectNow
from rocklake_server.limits import LEASE_TIME_S_DEFAULT
from rocklake_server.store.folder_lock import FolderLock
from rocklake_server.store.lease import Lease
from rocklake_server.store.object_stores import StoreLocation
from rocklake_server.store.ownership import UNDISPUTED, Ownership


@asynccontextmanager
async def owned(location: StoreLocation) -> AsyncIterator[Ownership]:
    """The store at its root ``location`` until the block ends: a folder's lock, or a bucket's lease, which is renewed.
    Raises CannotConnectNow when a server holds it; nobody is displaced. Raises StoreUnavailable, Unsupported."""
    async with AsyncExitStack() as stack:
        try:
            stack.enter_context(FolderLock(location))
            ownership: Ownership = UNDISPUTED
            if location.is_remote:
                lease = await Lease.acquire(location, lease_s=LEASE_TIME_S_DEFAULT, takeover=False)
                stack.push_async_callback(lease.release)
                ownership = lease
        except CannotConnectNow:
            text = f'a server holds store "{location}", and this command has to write: stop the server first'
            raise CannotConnectNow(text) from None
        yield ownership
