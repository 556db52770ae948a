"""All lakes of a server: opened when a database is first used, each with its one committer."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from rocklake_server.activity import Activity
from rocklake_server.catalog.advisory_locks import AdvisoryLocks
from rocklake_server.catalog.commit import Committer
from rocklake_server.catalog.commit_notices import CommitNotices
from rocklake_server.catalog.database_names import PUBLIC as PUBLIC
from rocklake_server.catalog.directory import Directory
from rocklake_server.catalog.lake import Lake
from rocklake_server.catalog.listing import CREATE_SCHEMA, Place
from rocklake_server.catalog.maintenance.runs import MaintenanceRuns
from rocklake_server.catalog.notifications import Notifications
from rocklake_server.catalog.outlines import Outline, decode_outline, encode_outline
from rocklake_server.catalog.relations import next_version, relation_oid
from rocklake_server.catalog.residency import Residency
from rocklake_server.catalog.turns import Turn
from rocklake_server.catalog.visitors import Visitors
from rocklake_server.clock import Clock
from rocklake_server.errors import CatalogError, ObjectInUse, SerializationFailure, Unsupported
from rocklake_server.limits import LAKE_IDLE_S, OPEN_LAKES_DEFAULT
from rocklake_server.store.base import Store
from rocklake_server.store.object_stores import StoreLocation
from rocklake_server.store.ownership import UNDISPUTED, Ownership

if TYPE_CHECKING:
    from rocklake_server.catalog.database_transaction import DatabaseTransaction

logger = logging.getLogger(__name__)

PUBLIC_OID = 2200
OPENINGS_AT_ONCE = 8

OpenStore = Callable[[str], Awaitable[Store]]
"""Opens the store in a directory below the server's root: ``system`` or ``lakes/<number>``."""


@dataclass(slots=True)
class OpenLake:
    """A lake and the committer that alone writes it; ``last_used_s`` is the event loop's time. A temporary one is of no
    database. An operator's command has ``maintained`` while it works."""

    lake: Lake
    committer: Committer
    last_used_s: float = 0.0
    database: str = ""
    maintained: asyncio.Lock = field(default_factory=asyncio.Lock)

    @property
    def is_idle(self) -> bool:
        """Whether nobody would notice if it closed. One that another server has taken over stays as it is: opening
        it again would take it back."""
        return not (
            self.lake.in_use or self.committer.is_busy or self.maintained.locked() or self.lake.taken_over
        )


@dataclass(frozen=True, slots=True)
class _Schemas:
    """What follows from a database's list of schemas."""

    places: Mapping[str, Place]
    oids: Sequence[tuple[int, str]]
    by_slot: Mapping[int, str]

    @classmethod
    def of(cls, places: Mapping[str, Place]) -> _Schemas:
        oids = [(relation_oid(0, place.slot), schema) for schema, place in places.items() if schema != PUBLIC]
        by_slot = {place.slot: schema for schema, place in places.items()}
        return cls(places, [(PUBLIC_OID, PUBLIC), *oids], by_slot)


class Databases:
    """The façade that sessions begin transactions on."""

    def __init__(
        self, directory: Directory, open_store: OpenStore, clock: Clock, ownership: Ownership, residency: Residency,
        activity: Activity, open_lakes_max: int = OPEN_LAKES_DEFAULT, location: StoreLocation | None = None,
    ) -> None:
        self.directory = directory
        self.location = location
        self.clock = clock
        self.ownership = ownership
        self._open_store = open_store
        self._lakes: dict[int, asyncio.Task[OpenLake]] = {}
        self._closing: dict[int, asyncio.Future[None]] = {}
        self._outlines: dict[int, Outline] = {}
        self._definitions: dict[str, int] = {}
        self._schemas: dict[str, _Schemas] = {}
        self._open_lakes_max = open_lakes_max
        self._idle_check: asyncio.TimerHandle | None = None
        self._turns: dict[str, Turn] = {}
        self.exported: dict[str, DatabaseTransaction] = {}
        self.residency = residency
        self.visitors = Visitors()
        self.activity = activity
        self.advisory_locks = AdvisoryLocks()
        self.notifications = Notifications()
        self.runs = MaintenanceRuns(clock)
        self.opened_since: set[tuple[str, str]] = set()
        """Lakes that were opened since the schedule looked."""

    @classmethod
    async def open(
        cls, open_store: OpenStore, clock: Clock, ownership: Ownership = UNDISPUTED, residency: Residency | None = None,
        activity: Activity | None = None, *, open_lakes_max: int = OPEN_LAKES_DEFAULT,
        location: StoreLocation | None = None,
    ) -> Databases:
        """Opens the system store. ``location`` is the store's root, for what reads it past the lakes that are open.
        Raises StoreUnavailable, FormatVersionUnsupported, CorruptValue."""
        store = await open_store("system")
        try:
            directory = await Directory.open(store, ownership)
        except BaseException:
            await store.close()
            raise
        databases = cls(
            directory, open_store, clock, ownership, residency or Residency(), activity or Activity(), open_lakes_max,
            location)
        databases._check_idle_later()
        return databases

    async def close(self) -> None:
        """Finish running commits, then close every store."""
        if self._idle_check is not None:
            self._idle_check.cancel()
        await asyncio.gather(*self._closing.values())
        outlines: dict[int, bytes] = {}
        for number, task in self._lakes.items():
            try:
                opened = await task
            except CatalogError as error:
                logger.warning("a lake never opened: %s", error)
                continue
            await opened.committer.drain()
            outlines[number] = encode_outline(_outline_of(opened.lake))
            await opened.lake.close()
        self._lakes.clear()
        await self._keep_outlines(outlines)
        await self.residency.close()
        await self.directory.close()

    async def close_stores(self) -> None:
        """Let go of every store at once, for its new owner; what still runs here finds them closed."""
        await self.directory.close()
        await asyncio.gather(*(opened.lake.close() for opened in self.open_lakes()))

    def turn(self, database: str) -> Turn:
        """Held by the read-write block that fills or migrates a database, so that others wait instead of colliding."""
        known = self._turns.get(database)
        if known is None:
            known = self._turns[database] = Turn()
        return known

    async def lakes_of(self, database: str) -> dict[str, OpenLake]:
        """All lakes of a database by schema, opened."""
        places = self.directory.schemas(database)
        return {schema: await self._opened(database, schema, place) for schema, place in places.items()}

    # -- outlines ---------------------------------------------------------------------------------------------------

    def outline(self, schema: str, place: Place) -> Outline | None:
        """The relations of a lake, open or not; ``None`` when it has to be opened to know."""
        opened = self._open_lake(place.number)
        if opened is not None and opened.lake.schema == schema:
            return _outline_of(opened.lake)
        known = self._outlines.get(place.number)
        if known is None and (data := self.directory.outline(place.number)) is not None:
            known = self._outlines[place.number] = decode_outline(place.number, data, schema, place.slot)
        return known

    def schema_oids(self, database: str, places: Mapping[str, Place]) -> Sequence[tuple[int, str]]:
        """(oid, name) of ``public`` and of the schemas in ``places``."""
        return self._schemas_of(database, places).oids

    def schema_of_slot(self, database: str, places: Mapping[str, Place], slot: int) -> str | None:
        return self._schemas_of(database, places).by_slot.get(slot)

    def _schemas_of(self, database: str, places: Mapping[str, Place]) -> _Schemas:
        known = self._schemas.get(database)
        if known is None or known.places is not places:
            known = self._schemas[database] = _Schemas.of(places)
        return known

    @property
    def newest_number(self) -> int:
        """At least that of any lake on the list."""
        return self.directory.next_lake

    def definitions_version(self, database: str) -> int:
        """Another one after each commit that changed definitions in a lake of the database."""
        return self._definitions.setdefault(database, next_version())

    async def _keep_outlines(self, outlines: Mapping[int, bytes]) -> None:
        if self.ownership.is_lost:
            return
        try:
            await self.directory.keep_outlines(outlines)
        except CatalogError as error:
            logger.warning("what is known of closed lakes cannot be kept: %s", error)

    # -- lakes ------------------------------------------------------------------------------------------------------

    async def learn(self, database: str, schemas: Collection[str]) -> None:
        """Open the lakes of these schemas of which nothing is known."""
        limit = asyncio.Semaphore(OPENINGS_AT_ONCE)

        async def look(schema: str) -> None:
            async with limit:
                place = self.directory.schemas(database).get(schema)
                if place is not None and self.outline(schema, place) is None:
                    await self._opened(database, schema, place)

        await asyncio.gather(*map(look, schemas))

    async def lake_at(self, database: str, schema: str, place: Place) -> OpenLake:
        """The open lake of a schema as a transaction found it. Raises SerializationFailure when it was renamed or
        dropped since."""
        return await self._opened(database, schema, place)

    async def lake_of(self, database: str, schema: str) -> OpenLake | None:
        """The open lake of a schema; ``None`` when there is none."""
        place = self.directory.schemas(database).get(schema)
        return None if place is None else await self._opened(database, schema, place)

    async def with_dropped_store(self, number: int, work: Callable[[Store], Awaitable[object]]) -> None:
        """Do ``work`` on the store of a dropped lake, which no name leads to. Raises StoreUnavailable."""
        if self._open_lake(number) is not None or number in self._closing:
            raise ObjectInUse(f"dropped lake {number} is not closed yet")
        store = await self._open_store(f"lakes/{number}")
        try:
            await work(store)
        finally:
            await store.close()

    async def open_unlisted(self, place: Place) -> Store:
        """The store of a lake that is being made and that no name leads to yet; its maker closes it."""
        return await self._open_store(f"lakes/{place.number}")

    def root(self) -> StoreLocation:
        """Where the store is. Raises Unsupported when it is kept nowhere."""
        if self.location is None:
            raise Unsupported("the store is kept nowhere: nothing of it can be copied, restored or excised")
        return self.location

    async def create_lake(self, database: str, schema: str) -> OpenLake:
        """The lake of a schema, on the list from now on."""
        return await self._opened(database, schema, await self.directory.register(database, schema))

    def lists(self, database: str, schema: str, opened: OpenLake) -> bool:
        """Whether ``opened`` is still the lake of that schema."""
        place = self.directory.schemas(database).get(schema)
        task = self._lakes.get(place.number) if place is not None else None
        return task is not None and task.done() and task.result() is opened

    async def reserve_lake(
        self, database: str, schema: str, *, replacing: bool, made_by: str = CREATE_SCHEMA
    ) -> OpenLake:
        """The lake of a schema that an open transaction or a command creates, ``replacing`` one that it drops. Raises
        UniqueViolation."""
        place = await self.directory.reserve(database, schema, replacing=replacing, made_by=made_by)
        try:
            return await self._opened(database, schema, place)
        except BaseException:
            self.directory.give_up(database, schema)
            raise

    async def probe(self) -> None:
        """Until the store has answered. Raises StoreUnavailable, CannotConnectNow once another server owns it."""
        self.ownership.require()
        await self.directory.probe()

    def open_lakes(self) -> list[OpenLake]:
        """Those that are open now."""
        done = [task for task in self._lakes.values() if task.done() and not task.cancelled()]
        return [task.result() for task in done if task.exception() is None]

    async def _opened(self, database: str, schema: str, place: Place) -> OpenLake:
        task = self._lakes.get(place.number)
        if task is None:
            self._make_room()
            task = self._lakes[place.number] = asyncio.create_task(self._open(database, schema, place))
        elif task.done() and not task.cancelled() and task.exception() is None:
            opened = task.result()
            opened.last_used_s = asyncio.get_running_loop().time()
            return opened
        try:
            return await asyncio.shield(task)
        except BaseException:
            if task.done() and (task.cancelled() or task.exception() is not None):
                self._lakes.pop(place.number, None)
            raise

    async def _open(self, database: str, schema: str, place: Place) -> OpenLake:
        while (closing := self._closing.get(place.number)) is not None:
            await asyncio.shield(closing)
        if not self.directory.is_listed(database, schema, place):
            raise SerializationFailure.update()  # it was renamed or dropped meanwhile
        known = self.outline(schema, place)
        store = await self._open_store(f"lakes/{place.number}")
        label = f'lake {place.number} (database "{database}", schema "{schema}")'
        try:
            lake = await Lake.open(
                store, schema=schema, slot=place.slot, clock=self.clock, ownership=self.ownership, label=label,
                residency=self.residency, known=None if known is None else known.relations,
                published=0 if known is None else known.published,
            )  # fmt: skip
        except BaseException:
            await store.close()
            raise
        self._watch_definitions(lake, database, place.number)
        if known is None or lake.newest.relations is not known.relations:
            self._definitions[database] = next_version()
        logger.info("opened %s at commit %d", label, lake.newest.sequence)
        self.opened_since.add((database, schema))
        committer = Committer(lake, self.activity, CommitNotices(self.notifications, database, schema))
        return OpenLake(lake, committer, asyncio.get_running_loop().time(), database)

    @asynccontextmanager
    async def shut(self, places: Iterable[Place]) -> AsyncIterator[None]:
        """These lakes are closed until the block ends, and who wants one waits. Raises ObjectInUse when a transaction
        uses one."""
        numbers = [place.number for place in places]
        opening = [task for number in numbers if (task := self._lakes.get(number)) is not None and not task.done()]
        if opening:
            await asyncio.wait(opening)
        closing = {number: opened for number in numbers if (opened := self._open_lake(number)) is not None}
        for opened in closing.values():
            if not opened.is_idle:
                raise ObjectInUse(f'schema "{opened.lake.schema}" is being accessed by other transactions')
        for number in numbers:
            self._outlines.pop(number, None)
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        waiting = [self._closing[number] for number in numbers if number in self._closing]
        for number in numbers:
            self._lakes.pop(number, None)
            self._closing[number] = done
        try:
            await asyncio.gather(*waiting, *(opened.lake.close() for opened in closing.values()))
            yield
        finally:
            for number in numbers:
                del self._closing[number]
            done.set_result(None)

    def _open_lake(self, number: int) -> OpenLake | None:
        task = self._lakes.get(number)
        if task is None or not task.done() or task.cancelled() or task.exception() is not None:
            return None
        return task.result()

    def _watch_definitions(self, lake: Lake, database: str, number: int) -> None:
        async def forget_outline() -> None:
            await self.directory.forget_outline(number)

        def count() -> None:
            self._definitions[database] = next_version()

        lake.before_redefinition, lake.after_redefinition = forget_outline, count

    def _make_room(self) -> None:
        """Begin to close the lakes that nobody uses and that were not used for longest, when too many are open. Those
        in use stay, however many they are."""
        excess = len(self._lakes) + 1 - self._open_lakes_max
        if excess > 0:
            idle = [(opened.last_used_s, number) for number in self._lakes
                    if (opened := self._open_lake(number)) is not None and opened.is_idle]  # fmt: skip
            for _, number in sorted(idle)[:excess]:
                self._begin_to_close(number)

    def _begin_to_close(self, number: int) -> None:
        opened = self._lakes.pop(number).result()
        self._closing[number] = asyncio.create_task(self._close(number, opened))

    def _check_idle_later(self) -> None:
        """An open lake costs a thread, memory, and requests to the store even when nobody uses it."""

        def check() -> None:
            self.close_idle_lakes(LAKE_IDLE_S)
            self.residency.look()
            self._check_idle_later()

        self._idle_check = asyncio.get_running_loop().call_later(LAKE_IDLE_S / 4, check)

    def close_idle_lakes(self, idle_s: float) -> None:
        """Begin to close every lake that no transaction used for ``idle_s`` seconds."""
        now_s = asyncio.get_running_loop().time()
        for number in list(self._lakes):
            opened = self._open_lake(number)
            if opened is None:
                continue
            if not opened.is_idle:
                opened.last_used_s = now_s
            elif opened.last_used_s <= now_s - idle_s:
                self._begin_to_close(number)

    async def _close(self, number: int, opened: OpenLake) -> None:
        self._outlines[number] = outline = _outline_of(opened.lake)
        try:
            await opened.lake.close()
            await self._keep_outlines({number: encode_outline(outline)})
        except CatalogError as error:
            logger.warning("%s did not close well: %s", opened.lake.label, error)
        else:
            logger.info("closed %s, which nobody used", opened.lake.label)
        finally:
            if self._closing.get(number) is asyncio.current_task():
                del self._closing[number]


def _outline_of(lake: Lake) -> Outline:
    newest = lake.newest
    return Outline(newest.relations, newest.stored_bytes, newest.published)
