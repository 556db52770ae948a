"""Opening a store to write it, as its location says: sealed when there are encryption keys."""

from __future__ import annotations

from rocklake_server.activity import StoreTimes
from rocklake_server.store.base import Store
from rocklake_server.store.object_stores import StoreLocation
from rocklake_server.store.ownership import UNDISPUTED, Ownership
from rocklake_server.store.sealed import SealedStore
from rocklake_server.store.sealing import Sealer
from rocklake_server.store.slate import open_slate_store
from rocklake_server.store.slate_settings import SlateSettings


async def open_store(
    location: StoreLocation, settings: SlateSettings | None = None, *, ownership: Ownership = UNDISPUTED,
    times: StoreTimes | None = None,
) -> Store:
    """The one way to a writable store outside of this package. ``times`` as of ``open_slate_store``, which says what is
    raised."""
    store = await open_slate_store(location, settings, ownership, times)
    if location.keyring is None:
        return store
    return SealedStore(store, Sealer(location.keyring, location.directory))
