"""The system store at the root: which databases and schemas there are, and where each one's lake lives.

Keys: ``01`` + database + schema (escaped texts) hold a lake's number and its slot within the database, ``02`` the next
lake number, ``03`` + lake number the database and schema of a retired lake, ``04`` where the copy comes from that is
being made here and is not finished, ``05`` what a finished one was made of, ``06`` + lake number the database, the
schema and the maker of a lake that is not on the list yet, ``10`` + role (escaped text) a role as JSON, ``11`` what
goes with the roles. A lake's directory is named by its number.
"""

from __future__ import annotations

import asyncio
import logging
import struct
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from rocklake_server.auth.roles import CurrentRoles, RoleTable
from rocklake_server.catalog.relations import SCHEMAS_MAX
from rocklake_server.catalog.stored_roles import put_changes, read_roles
from rocklake_server.encoding.ordered import decode_int, decode_text, encode_int, encode_text
from rocklake_server.errors import (
    CatalogError,
    CorruptValue,
    FormatVersionUnsupported,
    ObjectNotInPrerequisiteState,
    OutcomeUnknown,
    ProgramLimitExceeded,
    StoreUnavailable,
    UniqueViolation,
)
from rocklake_server.schema.system_subspaces import CATALOG_FORMAT_VERSION
from rocklake_server.store.base import Key, Prefix, Store, StoreSnapshot, WriteBatch
from rocklake_server.store.ownership import UNDISPUTED, Ownership

logger = logging.getLogger(__name__)

_FORMAT = Key(b"\x00")
_LAKES = Prefix(b"\x01")
_NEXT_LAKE = Key(b"\x02")
_RETIRED = b"\x03"
UNFINISHED_COPY = Key(b"\x04")
ORIGIN = Key(b"\x05")
"""Both hold texts in UTF-8; see ``catalog.store_copy``."""
_UNFINISHED = b"\x06"
CREATE_SCHEMA = "CREATE SCHEMA"
"""The maker of a lake that a transaction creates; a command's name for others."""
FIRST_LAKE = 1
"""The number of the first lake of a store."""
_PLACE = struct.Struct(">QQ")
_NUMBER = struct.Struct(">Q")


@dataclass(frozen=True, slots=True)
class Place:
    """Where a lake is: its number names its directory, its slot keeps OIDs of one database's schemas apart."""

    number: int
    slot: int


@dataclass(frozen=True, slots=True)
class UnfinishedLake:
    """A lake that ``made_by`` begins or began to make, and that is on no list. What was written of it nobody reads."""

    number: int
    database: str
    schema: str
    made_by: str


@dataclass(frozen=True, slots=True)
class Listing:
    """What the system store says. ``lakes`` and ``retired`` name database and schema of each lake; the directory of a
    retired one, whose schema was dropped, stays."""

    lakes: Mapping[tuple[str, str], Place]
    retired: Mapping[int, tuple[str, str]]
    next_lake: int
    roles: RoleTable = field(default_factory=RoleTable)
    unfinished: Sequence[UnfinishedLake] = ()


async def read_listing(snapshot: StoreSnapshot) -> Listing:
    """The lists of a store, oldest lake first; empty for a store that was never written. Raises
    FormatVersionUnsupported, CorruptValue, StoreUnavailable; ObjectNotInPrerequisiteState for a store whose lakes are
    still to be copied."""
    _require_format(await snapshot.get(_FORMAT))
    if (source := await snapshot.get(UNFINISHED_COPY)) is not None:
        raise ObjectNotInPrerequisiteState(
            f'the store holds an unfinished copy of "{source.decode(errors="replace")}"; '
            "run the same backup or restore again, or remove the store"
        )
    lakes: dict[tuple[str, str], Place] = {}
    async for entries in snapshot.scan(_LAKES):
        lakes.update((_decode_names(key), _decode_place(key, value)) for key, value in entries)
    retired: dict[int, tuple[str, str]] = {}
    async for entries in snapshot.scan(Prefix(_RETIRED)):
        retired.update((_decode_number(key), _decode_names(Key(_RETIRED + value))) for key, value in entries)
    next_lake = await snapshot.get(_NEXT_LAKE)
    if next_lake is not None and len(next_lake) != _NUMBER.size:
        raise CorruptValue(f"system store key {_NEXT_LAKE.hex()} holds {len(next_lake)} bytes, not {_NUMBER.size}")
    unfinished: list[UnfinishedLake] = []
    async for entries in snapshot.scan(Prefix(_UNFINISHED)):
        unfinished += [_decode_unfinished(key, value) for key, value in entries]
    in_order = dict(sorted(lakes.items(), key=lambda item: item[1].number))
    number = _NUMBER.unpack(next_lake)[0] if next_lake else FIRST_LAKE
    return Listing(in_order, retired, number, await read_roles(snapshot), tuple(unfinished))


def listing_batch(listing: Listing) -> WriteBatch:
    """What an empty system store is given for it to say the same. Raises nothing."""
    batch = WriteBatch()
    batch.put(_FORMAT, _NUMBER.pack(CATALOG_FORMAT_VERSION))
    for (database, schema), place in listing.lakes.items():
        batch.put(_lake_key(database, schema), _PLACE.pack(place.number, place.slot))
    for number, names in listing.retired.items():
        batch.put(Key(_RETIRED + encode_int(number)), b"".join(map(encode_text, names)))
    for lake in listing.unfinished:
        batch.put(_unfinished_key(lake.number), b"".join(map(encode_text, (lake.database, lake.schema, lake.made_by))))
    batch.put(_NEXT_LAKE, _NUMBER.pack(listing.next_lake))
    put_changes(batch, RoleTable(), listing.roles)
    return batch


def unfinished_batch(source: str) -> WriteBatch:
    """The first thing that a system store is given into which lakes will be copied: nobody opens it until
    ``UNFINISHED_COPY`` goes."""
    batch = WriteBatch()
    batch.put(_FORMAT, _NUMBER.pack(CATALOG_FORMAT_VERSION))
    batch.put(UNFINISHED_COPY, source.encode())
    return batch


def _require_format(version: bytes | None) -> None:
    if version not in (None, _NUMBER.pack(CATALOG_FORMAT_VERSION)):
        raise FormatVersionUnsupported(
            f"the store was written in catalog format {version.hex()}; "
            f"this server reads format {CATALOG_FORMAT_VERSION}"
        )


_NO_SCHEMAS: Mapping[str, Place] = {}


class Directory:
    """In memory since it was opened; every change is durable before it is seen."""

    def __init__(self, store: Store, ownership: Ownership) -> None:
        self._store = store
        self._ownership = ownership
        self._lakes: dict[str, dict[str, Place]] = {}
        self._next_lake = FIRST_LAKE
        self._is_stale = False
        self._reserved: dict[tuple[str, str], Place] = {}
        self._writing = asyncio.Lock()
        self.roles = CurrentRoles()

    @classmethod
    async def open(cls, store: Store, ownership: Ownership = UNDISPUTED) -> Directory:
        """Raises as ``read_listing``."""
        snapshot = await store.snapshot()
        if await snapshot.get(_FORMAT) is None:
            batch = WriteBatch()
            batch.put(_FORMAT, _NUMBER.pack(CATALOG_FORMAT_VERSION))
            await store.write(batch)
        directory = cls(store, ownership)
        await directory._read(snapshot)
        return directory

    async def _read(self, snapshot: StoreSnapshot) -> None:
        """Take the lists from the store."""
        listing = await read_listing(snapshot)
        self._next_lake = listing.next_lake
        self._lakes = {}
        for (database, schema), place in listing.lakes.items():
            self._lakes.setdefault(database, {})[schema] = place
        self.roles.replace(listing.roles)
        self._is_stale = False

    async def close(self) -> None:
        await self._store.close()

    def databases(self) -> list[str]:
        return sorted(database for database, schemas in self._lakes.items() if schemas)

    @property
    def lakes_count(self) -> int:
        """How many lakes are on the list."""
        return sum(map(len, self._lakes.values()))

    def schemas(self, database: str) -> Mapping[str, Place]:
        """The schemas of a database that have a lake, oldest first. Replaced, not changed, when one comes or goes."""
        return self._lakes.get(database, _NO_SCHEMAS)

    async def register(self, database: str, schema: str) -> Place:
        """The lake of (database, schema), entered into the list when it is new."""
        async with self._writing:
            known = self.schemas(database).get(schema)
            if known is not None:
                return known
            place = self._next_place(database)
            batch = WriteBatch()
            batch.put(_lake_key(database, schema), _PLACE.pack(place.number, place.slot))
            batch.put(_NEXT_LAKE, _NUMBER.pack(place.number + 1))
            await self._write(batch)
            self._next_lake = place.number + 1
            self._list(database, {schema: place})
            return place

    async def reserve(
        self, database: str, schema: str, *, replacing: bool, made_by: str = CREATE_SCHEMA
    ) -> Place:
        """A place for a schema that an open transaction or a command creates: on no list yet, and its number is never
        given again. Until it is on the list it is recorded as unfinished, which a crash leaves. Raises UniqueViolation
        when another transaction created or creates a schema of that name; ``replacing`` tells that the one on the list
        is to be dropped."""
        async with self._writing:
            if (database, schema) in self._reserved or (not replacing and schema in self.schemas(database)):
                raise UniqueViolation.of("pg_namespace_nspname")
            place = self._next_place(database)
            batch = WriteBatch()
            batch.put(_NEXT_LAKE, _NUMBER.pack(place.number + 1))
            batch.put(_unfinished_key(place.number), b"".join(map(encode_text, (database, schema, made_by))))
            await self._write(batch)
            self._next_lake = place.number + 1
            self._reserved[database, schema] = place
            return place

    def give_up(self, database: str, schema: str) -> None:
        """Whoever reserved the schema's place does not create it. What was written there stays recorded."""
        self._reserved.pop((database, schema), None)

    async def forget_unfinished(self, number: int) -> None:
        """Nothing is left of an unfinished lake that nobody makes any more."""
        async with self._writing:
            batch = WriteBatch()
            batch.delete(_unfinished_key(number))
            await self._write(batch)

    async def publish(self, database: str, created: Sequence[str], dropped: Sequence[str]) -> None:
        """Enter reserved schemas into the list and retire dropped ones, all in one batch. The directory of a retired
        lake stays; no SQL ever deletes objects of the store."""
        async with self._writing:
            batch = WriteBatch()
            for schema in dropped:
                if (retired := self.schemas(database).get(schema)) is not None:
                    batch.delete(_lake_key(database, schema))
                    retired_key = Key(_RETIRED + encode_int(retired.number))
                    batch.put(retired_key, encode_text(database) + encode_text(schema))
            for schema in created:
                place = self._reserved[database, schema]
                batch.put(_lake_key(database, schema), _PLACE.pack(place.number, place.slot))
                batch.delete(_unfinished_key(place.number))
            await self._write(batch)
            entered = {schema: self._reserved.pop((database, schema)) for schema in created}
            self._list(database, entered, without=dropped)

    async def change_roles(self, change: Callable[[RoleTable], RoleTable]) -> RoleTable:
        """Replace the roles by what ``change`` makes of them, durably. Returns them. Raises what ``change`` raises."""
        async with self._writing:
            await self._recover()
            before = self.roles.table
            after = change(before)
            batch = WriteBatch()
            put_changes(batch, before, after)
            if batch.operations:
                await self._write(batch)
            self.roles.replace(after)
            return after

    async def probe(self) -> None:
        """Read something from the store itself, past what is in memory. Raises StoreUnavailable, CorruptValue."""
        if self.needs_recovery:
            raise StoreUnavailable("the system store has to be opened again after a failure")
        (version,) = await self._store.durable_values([_FORMAT])
        _require_format(version)

    @property
    def needs_recovery(self) -> bool:
        return self._is_stale or self._store.needs_reopen

    async def recover(self) -> None:
        """After the store's handle was lost, or a change left in doubt: open another one and read the lists again.
        Raises CatalogError while that cannot be done."""
        async with self._writing:
            await self._recover()

    async def _recover(self) -> None:
        await self._ownership.wait()
        if self._store.needs_reopen:
            await self._store.reopen()
        if self._is_stale:
            await self._read(await self._store.snapshot())

    async def _write(self, batch: WriteBatch) -> None:
        """Durable when it returns. Raises StoreUnavailable when nothing was written, OutcomeUnknown when that cannot be
        known; then the lists are read again before the next change."""
        await self._recover()
        try:
            await self._store.write(batch)
        except OutcomeUnknown:
            self._is_stale = True
            if not await self._has_landed(batch):
                problem = "the store failed while the list of schemas was written; nothing was changed"
                raise StoreUnavailable(problem) from None

    async def _has_landed(self, batch: WriteBatch) -> bool:
        """Read back what was written. Raises OutcomeUnknown when the store does not answer."""
        try:
            await self._recover()
            values = [await (await self._store.snapshot()).get(key) for key in batch.operations]
        except CatalogError as error:
            logger.warning("cannot read the list of schemas back: %s", error)
            raise OutcomeUnknown(
                "the store failed while the list of schemas was written; whether it was kept is not known"
            ) from None
        return values == list(batch.operations.values())

    def _list(self, database: str, entered: Mapping[str, Place], without: Sequence[str] = ()) -> None:
        kept = {schema: place for schema, place in self.schemas(database).items() if schema not in without}
        self._lakes[database] = {**kept, **entered}

    def _next_place(self, database: str) -> Place:
        used = {place.slot for place in self.schemas(database).values()}
        used |= {place.slot for (name, _), place in self._reserved.items() if name == database}
        slot = next((s for s in range(SCHEMAS_MAX) if s not in used), None)
        if slot is None:
            raise ProgramLimitExceeded(f'database "{database}" has {SCHEMAS_MAX} schemas, the most it can have')
        return Place(self._next_lake, slot)


def _lake_key(database: str, schema: str) -> Key:
    return Key(_LAKES + encode_text(database) + encode_text(schema))


def _unfinished_key(number: int) -> Key:
    return Key(_UNFINISHED + encode_int(number))


def _decode_names(key: Key) -> tuple[str, str]:
    database, offset = decode_text(key, 1)
    schema, _ = decode_text(key, offset)
    if database is None or schema is None:
        raise CorruptValue(f"system store key {key.hex()} names no database or schema")
    return database, schema


def _decode_number(key: Key) -> int:
    """Of a retired or an unfinished lake, behind a byte."""
    number, end = decode_int(key, 1)
    if number is None or end != len(key):
        raise CorruptValue(f"system store key {key.hex()} names no lake")
    return number


def _decode_unfinished(key: Key, value: bytes) -> UnfinishedLake:
    names: list[str] = []
    offset = 0
    while offset < len(value):
        name, offset = decode_text(value, offset)
        names.append(name or "")
    if len(names) != 3:
        raise CorruptValue(f"system store key {key.hex()} does not tell which lake is unfinished")
    return UnfinishedLake(_decode_number(key), *names)


def _decode_place(key: Key, value: bytes) -> Place:
    if len(value) != _PLACE.size:
        raise CorruptValue(f"system store key {key.hex()} holds {len(value)} bytes, not {_PLACE.size}")
    return Place(*_PLACE.unpack(value))
