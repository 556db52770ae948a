"""Lakes of a store for commands that only read, beside a running server or without one."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from types import TracebackType

from rocklake_server.catalog.access import access_of
from rocklake_server.catalog.databases import PUBLIC
from rocklake_server.catalog.listing import Listing, Place, read_listing
from rocklake_server.catalog.relations import Relations
from rocklake_server.catalog.system_keys import SystemState, read_system_state
from rocklake_server.catalog.view import Match
from rocklake_server.encoding.keys import key_prefix
from rocklake_server.errors import InvalidParameterValue, UndefinedDatabase, UndefinedFile, UndefinedTable
from rocklake_server.schema.model import Relation
from rocklake_server.store.base import StoreSnapshot
from rocklake_server.store.object_stores import StoreLocation
from rocklake_server.store.reader import StoreReader, open_reader
from rocklake_server.store.slate_settings import SlateSettings

SYSTEM_DIRECTORY = "system"
"""Where the list of lakes is, below the store's root."""


def lake_directory(number: int) -> str:
    """Where the lake of a number is, below the store's root."""
    return f"lakes/{number}"


@dataclass(frozen=True, slots=True)
class ListedLake:
    """A lake on the list. Prints as ``--lake`` names it."""

    database: str
    schema: str
    place: Place

    @property
    def directory(self) -> str:
        """Below the store's root."""
        return lake_directory(self.place.number)

    def __str__(self) -> str:
        return self.database if self.schema == PUBLIC else f"{self.database}/{self.schema}"


def lake_named(lakes: Sequence[ListedLake], name: str, location: StoreLocation) -> ListedLake:
    """The one of ``lakes``, which are those of the store at ``location``, that ``DATABASE`` or ``DATABASE/SCHEMA``
    names. Raises UndefinedDatabase; InvalidParameterValue when several lakes have that name."""
    found = [lake for lake in lakes if name in (str(lake), f"{lake.database}/{lake.schema}")]
    if not found:
        known = ", ".join(f'"{lake}"' for lake in lakes) or "none"
        raise UndefinedDatabase(f'there is no lake "{name}" in store "{location}"; its lakes are: {known}')
    if len(found) > 1:
        raise InvalidParameterValue(f'"{name}" names {len(found)} lakes of store "{location}"')
    return found[0]


class LakeReader:
    """One lake as it was at one commit."""

    def __init__(self, listed: ListedLake, snapshot: StoreSnapshot, state: SystemState) -> None:
        self.listed = listed
        self.snapshot = snapshot
        self.state = state
        self.relations = Relations.of(state.relations, state.comments)

    @classmethod
    async def over(cls, listed: ListedLake, snapshot: StoreSnapshot) -> LakeReader:
        """Raises FormatVersionUnsupported, CorruptValue, StoreUnavailable."""
        state = await read_system_state(snapshot, schema=listed.schema, slot=listed.place.slot)
        return cls(listed, snapshot, state)

    def relation(self, name: str) -> Relation:
        """Raises UndefinedTable."""
        found = self.relations.by_name.get(name)
        if found is None:
            raise UndefinedTable(f'lake "{self.listed}" has no relation "{name}"')
        return found

    async def rows(self, relation: Relation, *leading: int | str | None) -> AsyncIterator[list[Match]]:
        """The rows of ``relation`` in key order, in batches: those whose first key fields equal ``leading``. Raises
        CorruptValue, FormatVersionUnsupported, StoreUnavailable."""
        decode = access_of(relation).codec.decode
        async for entries in self.snapshot.scan(key_prefix(relation, *leading)):
            yield [Match(key, decode(key, value)) for key, value in entries]


class CatalogReader:
    """The lakes of one store. Made by ``open``; an asynchronous context manager that closes what was opened."""

    def __init__(self, location: StoreLocation, settings: SlateSettings, listing: Listing, *, pin: bool) -> None:
        self.location = location
        self.listing = listing
        self.lakes = [ListedLake(database, schema, place) for (database, schema), place in listing.lakes.items()]
        self._settings = settings
        self._pin = pin
        self._readers: list[StoreReader] = []

    @classmethod
    async def open(
        cls, location: StoreLocation, settings: SlateSettings | None = None, *, pin: bool = False
    ) -> CatalogReader:
        """``location`` is the store's root. ``pin`` as for ``open_reader``. Raises UndefinedFile when there is no
        store, and what ``open_reader`` and ``read_listing`` raise."""
        settings = settings or SlateSettings()
        try:
            async with await open_reader(location.child(SYSTEM_DIRECTORY), settings) as reader:
                listing = await read_listing(reader.snapshot)
        except UndefinedFile:
            raise UndefinedFile(f'there is no RockLake store at "{location}"', hint="Check --store.") from None
        return cls(location, settings, listing, pin=pin)

    async def __aenter__(self) -> CatalogReader:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Idempotent."""
        while self._readers:
            await self._readers.pop().close()

    def find(self, name: str) -> ListedLake:
        """The lake that ``DATABASE`` or ``DATABASE/SCHEMA`` names, whose parts may hold slashes themselves. Raises
        UndefinedDatabase; InvalidParameterValue when several lakes have that name."""
        return lake_named(self.lakes, name, self.location)

    def choose(self, name: str | None) -> ListedLake:
        """As ``find``; without a name the only lake. Raises InvalidParameterValue when there are several."""
        if name is not None:
            return self.find(name)
        if not self.lakes:
            raise UndefinedDatabase(f'store "{self.location}" has no lake yet')
        if len(self.lakes) > 1:
            known = ", ".join(f'"{found}"' for found in self.lakes)
            raise InvalidParameterValue(f"the store has {len(self.lakes)} lakes; name one with --lake: {known}")
        return self.lakes[0]

    @asynccontextmanager
    async def frozen(self, lake: ListedLake) -> AsyncIterator[StoreSnapshot]:
        """The lake's store at one moment. Raises as ``snapshot``."""
        yield await self.snapshot(lake)

    async def lake(self, listed: ListedLake) -> LakeReader:
        """Open until this is closed. Raises what ``open_reader`` and ``LakeReader.over`` raise."""
        return await LakeReader.over(listed, await self.snapshot(listed))

    async def snapshot(self, listed: ListedLake) -> StoreSnapshot:
        """The lake's store, unread. Raises UndefinedFile when there is none, and what ``open_reader`` raises."""
        try:
            reader = await open_reader(self.location.child(listed.directory), self._settings, pin=self._pin)
        except UndefinedFile:
            raise UndefinedFile(
                f'lake "{listed}" is on the list of store "{self.location}", and {listed.directory} has no database: '
                "it was lost, or nothing was ever written to it"
            ) from None
        self._readers.append(reader)
        return reader.snapshot
