"""The directory of a running server: the lists of the system store in memory, and every change of them.

What the store holds is in ``catalog.listing``. No SQL ever deletes objects of the store: a dropped lake keeps its
directory and can be restored until it is excised.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from rocklake_server.auth.roles import CurrentRoles, RoleTable
from rocklake_server.catalog.listing import (
    CREATE_SCHEMA,
    FIRST_LAKE,
    FORMAT,
    NEXT_LAKE,
    NUMBER,
    DroppedLake,
    Listing,
    Place,
    UnfinishedLake,
    audit_records,
    database_key,
    dropped_key,
    lake_key,
    next_number,
    put_audit,
    put_database,
    put_dropped,
    put_lake,
    put_unfinished,
    read_listing,
    read_unfinished,
    unfinished_key,
)
from rocklake_server.catalog.outlines import outline_key, read_outlines
from rocklake_server.catalog.relations import TEMPORARY_SLOT, next_version
from rocklake_server.catalog.stored_roles import put_changes
from rocklake_server.catalog.system_store import SystemStore
from rocklake_server.errors import (
    DuplicateDatabase,
    DuplicateSchema,
    ObjectInUse,
    ObjectNotInPrerequisiteState,
    ProgramLimitExceeded,
    UndefinedDatabase,
    UndefinedObject,
    UndefinedSchema,
    UniqueViolation,
)
from rocklake_server.schema.system_subspaces import CATALOG_FORMAT_VERSION
from rocklake_server.store.base import Store, StoreSnapshot, WriteBatch
from rocklake_server.store.layer import layer_of
from rocklake_server.store.ownership import UNDISPUTED, Ownership
from rocklake_server.store.sealed import SealedStore

_NO_SCHEMAS: Mapping[str, Place] = {}


class Directory(SystemStore):
    """In memory since it was opened; every change is durable before it is seen."""

    def __init__(self, store: Store, ownership: Ownership) -> None:
        super().__init__(store, ownership)
        self._lakes: dict[str, dict[str, Place]] = {}
        self._numbers: dict[str, int] = {}
        self._dropped: dict[int, DroppedLake] = {}
        self._outlines: dict[int, bytes] = {}
        self._next_lake = FIRST_LAKE
        self._audits = 0
        self._reserved: dict[tuple[str, str], Place] = {}
        self.databases_version = next_version()
        """Another one after each change of which databases there are."""
        self.roles = CurrentRoles()

    @classmethod
    async def open(cls, store: Store, ownership: Ownership = UNDISPUTED) -> Directory:
        """Raises as ``read_listing``."""
        if (sealed := layer_of(store, SealedStore)) is not None:
            await sealed.rekey()  # it is small, and tells those who come without the key
        snapshot = await store.snapshot()
        if await snapshot.get(FORMAT) is None:
            batch = WriteBatch()
            batch.put(FORMAT, NUMBER.pack(CATALOG_FORMAT_VERSION))
            await store.write(batch)
        directory = cls(store, ownership)
        await directory._read(snapshot)
        return directory

    async def _read(self, snapshot: StoreSnapshot) -> None:
        """Take the lists from the store."""
        listing = await read_listing(snapshot)
        self._outlines = await read_outlines(snapshot)
        self._next_lake = listing.next_lake
        self._numbers = dict(listing.databases)
        self._dropped = dict(listing.retired)
        self._audits = listing.audits
        self._lakes = {}
        for (database, schema), place in listing.lakes.items():
            self._lakes.setdefault(database, {})[schema] = place
        self.roles.replace(listing.roles)
        self.databases_version = next_version()

    # -- what there is ----------------------------------------------------------------------------------------------

    def databases(self) -> Mapping[str, int]:
        """Those that exist, each with its number. One may have no lake yet."""
        return self._numbers

    @property
    def next_lake(self) -> int:
        """The number of the next lake."""
        return self._next_lake

    @property
    def lakes_count(self) -> int:
        """How many lakes are on the list."""
        return sum(map(len, self._lakes.values()))

    def schemas(self, database: str) -> Mapping[str, Place]:
        """The schemas of a database that have a lake, oldest first. Replaced, not changed, when one comes or goes."""
        return self._lakes.get(database, _NO_SCHEMAS)

    def is_listed(self, database: str, schema: str, place: Place) -> bool:
        """Whether that is the lake of that name, or the one that a transaction creates under it."""
        return place in (self.schemas(database).get(schema), self._reserved.get((database, schema)))

    def listing(self) -> Listing:
        """What is on the lists now, but for what was dropped or is not finished; oldest lake first."""
        lakes = {(database, schema): place for database, schemas in self._lakes.items()
                 for schema, place in schemas.items()}  # fmt: skip
        in_order = dict(sorted(lakes.items(), key=lambda item: item[1].number))
        return Listing(in_order, {}, self._next_lake, dict(self._numbers), roles=self.roles.table)

    def dropped(self) -> Mapping[int, DroppedLake]:
        """Dropped lakes that are not excised, by number."""
        return self._dropped

    # -- lakes ------------------------------------------------------------------------------------------------------

    async def register(self, database: str, schema: str) -> Place:
        """The lake of (database, schema), entered into the list when it is new. Raises ObjectInUse while somebody else
        makes a lake of that name."""
        async with self._writing:
            known = self.schemas(database).get(schema)
            if known is not None:
                return known
            self._require_unreserved(database, schema)
            place = self._next_place(database)
            batch = WriteBatch()
            put_lake(batch, database, schema, place)
            batch.put(NEXT_LAKE, NUMBER.pack(place.number + 1))
            numbered = self._put_new_database(batch, database)
            await self._write(batch)
            self._next_lake = place.number + 1
            self._number(numbered)
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
            batch.put(NEXT_LAKE, NUMBER.pack(place.number + 1))
            put_unfinished(batch, UnfinishedLake(place.number, database, schema, made_by))
            await self._write(batch)
            self._next_lake = place.number + 1
            self._reserved[database, schema] = place
            return place

    def give_up(self, database: str, schema: str) -> None:
        """Whoever reserved the schema's place does not create it. What was written there stays recorded."""
        self._reserved.pop((database, schema), None)

    def _require_unreserved(self, database: str, schema: str) -> None:
        if (database, schema) in self._reserved:
            raise ObjectInUse(f'lake "{database}/{schema}" is being made by another session; wait for that to end')

    async def left_unfinished(self, database: str, schema: str) -> list[int]:
        """The numbers of lakes of that name that somebody began to make, and nobody makes any more. Raises
        StoreUnavailable, CorruptValue."""
        unfinished = await read_unfinished(await self._store.snapshot())
        making = {place.number for place in self._reserved.values()}
        return [lake.number for lake in unfinished
                if (lake.database, lake.schema) == (database, schema) and lake.number not in making]  # fmt: skip

    async def forget_unfinished(self, number: int) -> None:
        """Nothing is left of an unfinished lake that nobody makes any more."""
        async with self._writing:
            batch = WriteBatch()
            batch.delete(unfinished_key(number))
            await self._write(batch)

    async def publish(
        self, database: str, created: Sequence[str], dropped: Sequence[str], now_us: int,
        audit: Mapping[str, object] | None = None,
    ) -> None:
        """Enter reserved schemas into the list and retire dropped ones, all in one batch, with an audit record of a
        command that made a lake."""
        async with self._writing:
            batch = WriteBatch()
            if audit is not None:
                put_audit(batch, self._audits + 1, audit)
            retired = self._put_drops(batch, database, dropped, now_us)
            for schema in created:
                place = self._reserved[database, schema]
                put_lake(batch, database, schema, place)
                batch.delete(unfinished_key(place.number))
            numbered = self._put_new_database(batch, database) if created else {}
            await self._write(batch)
            self._audits += audit is not None
            self._dropped |= retired
            self._number(numbered)
            entered = {schema: self._reserved.pop((database, schema)) for schema in created}
            self._list(database, entered, without=dropped)

    def _put_drops(
        self, batch: WriteBatch, database: str, schemas: Sequence[str], now_us: int
    ) -> dict[int, DroppedLake]:
        retired: dict[int, DroppedLake] = {}
        for schema in schemas:
            if (place := self.schemas(database).get(schema)) is not None:
                batch.delete(lake_key(database, schema))
                retired[place.number] = DroppedLake(database, schema, now_us)
                put_dropped(batch, place.number, retired[place.number])
                batch.delete(outline_key(place.number))
                self._outlines.pop(place.number, None)
        return retired

    async def rename_schema(self, database: str, schema: str, new_name: str) -> None:
        """Raises UndefinedSchema, DuplicateSchema."""
        async with self._writing:
            place = self.schemas(database).get(schema)
            if place is None:
                raise UndefinedSchema(f'schema "{schema}" does not exist')
            if new_name in self.schemas(database) or (database, new_name) in self._reserved:
                raise DuplicateSchema(f'schema "{new_name}" already exists')
            batch = WriteBatch()
            batch.delete(lake_key(database, schema))
            put_lake(batch, database, new_name, place)
            await self._write(batch)
            self._list(database, {new_name: place}, without=[schema])

    # -- databases --------------------------------------------------------------------------------------------------

    async def create_database(self, name: str) -> None:
        """Raises DuplicateDatabase."""
        async with self._writing:
            if name in self._numbers:
                raise DuplicateDatabase(f'database "{name}" already exists')
            batch = WriteBatch()
            numbered = self._put_new_database(batch, name)
            await self._write(batch)
            self._number(numbered)

    async def drop_database(self, name: str, now_us: int) -> list[int]:
        """Retires all its lakes, and returns their numbers. Raises UndefinedDatabase."""
        async with self._writing:
            self._require_database(name)
            batch = WriteBatch()
            retired = self._put_drops(batch, name, list(self.schemas(name)), now_us)
            batch.delete(database_key(name))
            roles = self.roles.table.without_database(name)
            put_changes(batch, self.roles.table, roles)
            await self._write(batch)
            self.roles.replace(roles)
            self._dropped |= retired
            del self._numbers[name]
            self._lakes.pop(name, None)
            self.databases_version = next_version()
            return list(retired)

    async def rename_database(self, name: str, new_name: str) -> None:
        """Raises UndefinedDatabase, DuplicateDatabase."""
        async with self._writing:
            self._require_database(name)
            if new_name in self._numbers:
                raise DuplicateDatabase(f'database "{new_name}" already exists')
            batch = WriteBatch()
            for schema, place in self.schemas(name).items():
                batch.delete(lake_key(name, schema))
                put_lake(batch, new_name, schema, place)
            batch.delete(database_key(name))
            put_database(batch, new_name, self._numbers[name])
            roles = self.roles.table.with_renamed_database(name, new_name)
            put_changes(batch, self.roles.table, roles)
            await self._write(batch)
            self.roles.replace(roles)
            self._numbers[new_name] = self._numbers.pop(name)
            self._lakes[new_name] = self._lakes.pop(name, {})
            self.databases_version = next_version()

    def _require_database(self, name: str) -> None:
        if name not in self._numbers:
            raise UndefinedDatabase(f'database "{name}" does not exist')

    def _put_new_database(self, batch: WriteBatch, name: str) -> dict[str, int]:
        """The number of a database that has its first schema, or was created."""
        if name in self._numbers:
            return {}
        number = next_number(self._numbers)
        put_database(batch, name, number)
        return {name: number}

    def _number(self, numbered: Mapping[str, int]) -> None:
        if numbered:
            self._numbers |= numbered
            self.databases_version = next_version()

    # -- dropped lakes ----------------------------------------------------------------------------------------------

    async def audit_records(self) -> list[dict[str, object]]:
        """What commands did with whole lakes, oldest first. Raises CorruptValue, StoreUnavailable."""
        return await audit_records(await self._store.snapshot())

    def find_dropped(self, number: int) -> DroppedLake:
        """Raises UndefinedObject."""
        found = self._dropped.get(number)
        if found is None:
            raise UndefinedObject(f"there is no dropped lake {number}; rocklake dropped list shows what there is")
        return found

    async def restore(self, number: int, database: str, schema: str, audit: Mapping[str, object]) -> None:
        """A dropped lake is the lake of (database, schema). Raises UndefinedObject, DuplicateSchema,
        ObjectNotInPrerequisiteState once its excision has begun."""
        async with self._writing:
            if self.find_dropped(number).is_going:
                raise ObjectNotInPrerequisiteState(
                    f"the excision of dropped lake {number} has begun, so it cannot be restored; finish the excision"
                )
            if schema in self.schemas(database):
                raise DuplicateSchema(f'lake "{database}/{schema}" exists; restore under another name')
            self._require_unreserved(database, schema)
            place = Place(number, self._next_place(database).slot)
            batch = WriteBatch()
            batch.delete(dropped_key(number))
            put_lake(batch, database, schema, place)
            numbered = self._put_new_database(batch, database)
            put_audit(batch, self._audits + 1, audit)
            await self._write(batch)
            self._audits += 1
            del self._dropped[number]
            self._number(numbered)
            self._list(database, {schema: place})

    async def begin_excision(self, number: int, now_us: int) -> None:
        """From now on it cannot be restored. Raises UndefinedObject."""
        async with self._writing:
            found = self.find_dropped(number)
            going = found._replace(dropped_us=found.dropped_us or now_us, is_going=True)
            batch = WriteBatch()
            put_dropped(batch, number, going)
            await self._write(batch)
            self._dropped[number] = going

    async def end_excision(self, number: int, audit: Mapping[str, object]) -> None:
        """Its directory is gone. Raises UndefinedObject."""
        async with self._writing:
            self.find_dropped(number)
            batch = WriteBatch()
            batch.delete(dropped_key(number))
            put_audit(batch, self._audits + 1, audit)
            await self._write(batch)
            self._audits += 1
            del self._dropped[number]

    # -- outlines of closed lakes -----------------------------------------------------------------------------------

    def outline(self, number: int) -> bytes | None:
        """What the store says of a closed lake, encoded."""
        return self._outlines.get(number)

    async def keep_outlines(self, outlines: Mapping[int, bytes]) -> None:
        """Those that are new, all in one batch. Raises StoreUnavailable, OutcomeUnknown."""
        new = {number: data for number, data in outlines.items() if self._outlines.get(number) != data}
        if new:
            async with self._writing:
                await self._write(WriteBatch({outline_key(number): data for number, data in new.items()}))
                self._outlines |= new

    async def forget_outline(self, number: int) -> None:
        """Raises StoreUnavailable, OutcomeUnknown: then it may be there still."""
        if number in self._outlines:
            async with self._writing:
                await self._write(WriteBatch({outline_key(number): None}))
                self._outlines.pop(number, None)

    # -- roles ------------------------------------------------------------------------------------------------------

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

    def _list(self, database: str, entered: Mapping[str, Place], without: Sequence[str] = ()) -> None:
        kept = {schema: place for schema, place in self.schemas(database).items() if schema not in without}
        self._lakes[database] = {**kept, **entered}

    def _next_place(self, database: str) -> Place:
        used = {place.slot for place in self.schemas(database).values()}
        used |= {place.slot for (name, _), place in self._reserved.items() if name == database}
        slot = next((s for s in range(TEMPORARY_SLOT) if s not in used), None)
        if slot is None:
            raise ProgramLimitExceeded(f'database "{database}" has {TEMPORARY_SLOT} schemas, the most it can have')
        return Place(self._next_lake, slot)
