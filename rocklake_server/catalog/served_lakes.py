"""The lakes of a running server as a source of copies: each as it is at one commit, beside the sessions that write."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from rocklake_server.catalog.databases import Databases
from rocklake_server.catalog.lake_reader import ListedLake, lake_named
from rocklake_server.catalog.listing import Listing
from rocklake_server.errors import ObjectNotInPrerequisiteState, SerializationFailure
from rocklake_server.store.base import StoreSnapshot
from rocklake_server.store.object_stores import StoreLocation


class ServedLakes:
    """Those that are on the list at this moment."""

    def __init__(self, databases: Databases) -> None:
        """Raises Unsupported for a store that is kept nowhere."""
        self.location: StoreLocation = databases.root()
        self.listing: Listing = databases.directory.listing()
        self.lakes = [ListedLake(*names, place) for names, place in self.listing.lakes.items()]
        self._databases = databases

    def find(self, name: str) -> ListedLake:
        """The lake that ``DATABASE`` or ``DATABASE/SCHEMA`` names. Raises UndefinedDatabase; InvalidParameterValue when
        several lakes have that name."""
        return lake_named(self.lakes, name, self.location)

    def of(self, database: str, schema: str) -> ListedLake:
        """Raises UndefinedDatabase."""
        found = [lake for lake in self.lakes if (lake.database, lake.schema) == (database, schema)]
        return found[0] if found else self.find(f"{database}/{schema}")

    @asynccontextmanager
    async def frozen(self, lake: ListedLake) -> AsyncIterator[StoreSnapshot]:
        """Everything that was committed when the block begins. The lake stays open until it ends, and other commands
        in it wait. Raises ObjectNotInPrerequisiteState when it was dropped or renamed since, CannotConnectNow once
        another server has the store, and what opening a lake raises."""
        try:
            opened = await self._databases.lake_at(lake.database, lake.schema, lake.place)
        except SerializationFailure:
            raise _gone(lake) from None
        async with opened.maintained:
            await self._databases.ownership.wait()
            if not self._databases.directory.is_listed(lake.database, lake.schema, lake.place):
                raise _gone(lake)
            yield opened.lake.newest.snapshot


def _gone(lake: ListedLake) -> ObjectNotInPrerequisiteState:
    return ObjectNotInPrerequisiteState(f'lake "{lake}" was dropped or renamed since the command began; run it again')
