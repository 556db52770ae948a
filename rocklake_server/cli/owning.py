"""Opening a store that a command writes without a server."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

from rocklake_server.catalog.databases import Databases
from rocklake_server.catalog.owned import open_owned
from rocklake_server.cli.options import location_of
from rocklake_server.clock import SystemClock
from rocklake_server.errors import CannotConnectNow


@asynccontextmanager
async def owned_store(store: str, *, instead: str) -> AsyncIterator[Databases]:
    """The store with this process as its owner, as a server would be. ``instead`` says what else can be done while a
    server holds it. Raises CannotConnectNow, and what ``open_owned`` raises."""
    async with AsyncExitStack() as stack:
        try:
            owned = await open_owned(location_of(store), stack, SystemClock())
        except CannotConnectNow as refused:
            why = str(refused).partition(";")[0]
            raise CannotConnectNow(f"{why}; stop it, or {instead}") from None
        yield owned.databases
