"""The engine over SlateDB, whose stores others can open too."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from rocklake_server.activity import StoreTimes
from rocklake_server.catalog.databases import Databases
from rocklake_server.store.base import Store
from rocklake_server.store.measured import MeasuredStore
from rocklake_server.store.object_stores import StoreLocation
from rocklake_server.store.opening import open_store
from tests.catalog.engine import Engine


class SlateEngine(Engine):
    """At a store's root, measured when there are ``times``. Closed by ``running_engine``."""

    def __init__(self, location: StoreLocation, times: StoreTimes | None = None) -> None:
        super().__init__()
        self.location = location
        self.times = times

    async def open_store(self, directory: str) -> Store:
        store = await open_store(self.location.child(directory), times=self.times)
        return store if self.times is None else MeasuredStore(store, self.times)


@asynccontextmanager
async def running_engine(location: StoreLocation, times: StoreTimes | None = None) -> AsyncIterator[SlateEngine]:
    """Without a lock on the store, as only tests run it."""
    engine = SlateEngine(location, times)
    engine.databases = await Databases.open(engine.open_store, engine.clock)
    try:
        yield engine
    finally:
        await engine.databases.close()
