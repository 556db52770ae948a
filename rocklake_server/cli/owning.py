"""Opening the lakes of a store that a command writes without a server."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

from rocklake_server.catalog.databases import Databases
from rocklake_server.catalog.owned_databases import owned_databases
from rocklake_server.cli.options import location_of
from rocklake_server.clock import SystemClock
from rocklake_server.errors import CannotConnectNow


@asynccontextmanager
async def opened_to_write(store: str, *, instead: str) -> AsyncIterator[Databases]:
    """``instead`` says what else can be done while a server holds the store. Raises CannotConnectNow then, and what
    ``owned_databases`` raises."""
    async with AsyncExitStack() as stack:
        try:
            databases = await stack.enter_async_context(owned_databases(location_of(store), SystemClock()))
        except CannotConnectNow as held:
            raise CannotConnectNow(f"{held}, or {instead}") from None
        yield databases
