"""All lakes of a server: opened when a database is first used, each with its one committer."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from rocklake_server.activity import Activity
from rocklake_server.catalog.advisory_locks import AdvisoryLocks
from rocklake_server.catalog.commit import Committer
from rocklake_server.catalog.commit_notices import CommitNotices
from rocklake_server.catalog.directory import CREATE_SCHEMA, Directory, Place
from rocklake_server.catalog.lake import Lake
from rocklake_server.catalog.maintenance.runs import MaintenanceRuns
from rocklake_server.catalog.notifications import Notifications
from rocklake_server.catalog.residency import Residency
from rocklake_server.catalog.turns import Turn
from rocklake_server.clock import Clock
from rocklake_server.errors import CatalogError
from rocklake_server.limits import LAKE_IDLE_S
from rocklake_server.store.base import Store
from rocklake_server.store.ownership import UNDISPUTED, Ownership

if TYPE_CHECKING:
    from rocklake_server.catalog.database_transaction import DatabaseTransaction

logger = logging.getLogger(__name__)

PUBLIC = "public"
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


class Databases:
    """The façade that sessions begin transactions on."""

    def __init__(
        self, directory: Directory, open_store: OpenStore, clock: Clock, ownership: Ownership, residency: Residency,
        activity: Activity,
    ) -> None:
        self.directory = directory
        self.clock = clock
        self.ownership = ownership
        self._open_store = open_store
        self._lakes: dict[int, asyncio.Task[OpenLake]] = {}
        self._closing: dict[int, asyncio.Task[None]] = {}
        self._idle_check: asyncio.TimerHandle | None = None
        self._turns: dict[str, Turn] = {}
        self.exported: dict[str, DatabaseTransaction] = {}
        self.residency = residency
        self.activity = activity
        self.advisory_locks = AdvisoryLocks()
        self.notifications = Notifications()
        self.runs = MaintenanceRuns(clock)
        self.opened_since: set[tuple[str, str]] = set()
        """Lakes that were opened since the schedule looked."""

    @classmethod
    async def open(
        cls, open_store: OpenStore, clock: Clock, ownership: Ownership = UNDISPUTED, residency: Residency | None = None,
        activity: Activity | None = None,
    ) -> Databases:
        """Opens the system store. Raises StoreUnavailable, FormatVersionUnsupported, CorruptValue."""
        store = await open_store("system")
        try:
            directory = await Directory.open(store, ownership)
        except BaseException:
            await store.close()
            raise
        databases = cls(directory, open_store, clock, ownership, residency or Residency(), activity or Activity())
        databases._check_idle_later()
        return databases

    async def close(self) -> None:
        """Finish running commits, then close every store."""
        if self._idle_check is not None:
            self._idle_check.cancel()
        await asyncio.gather(*self._closing.values())
        for task in self._lakes.values():
            try:
                opened = await task
            except CatalogError as error:
                logger.warning("a lake never opened: %s", error)
                continue
            await opened.committer.drain()
            await opened.lake.close()
        self._lakes.clear()
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
        """The open lakes of a database by schema."""
        places = self.directory.schemas(database)
        return {schema: await self._opened(database, schema, place) for schema, place in places.items()}

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
        if (closing := self._closing.get(place.number)) is not None:
            await asyncio.shield(closing)
        store = await self._open_store(f"lakes/{place.number}")
        label = f'lake {place.number} (database "{database}", schema "{schema}")'
        try:
            lake = await Lake.open(
                store, schema=schema, slot=place.slot, clock=self.clock, ownership=self.ownership, label=label,
                residency=self.residency,
            )
        except BaseException:
            await store.close()
            raise
        logger.info("opened %s at commit %d", label, lake.newest.sequence)
        self.opened_since.add((database, schema))
        committer = Committer(lake, self.activity, CommitNotices(self.notifications, database, schema))
        return OpenLake(lake, committer, asyncio.get_running_loop().time(), database)

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
        for number, task in list(self._lakes.items()):
            if not task.done() or task.cancelled() or task.exception() is not None:
                continue
            opened = task.result()
            if not opened.is_idle:
                opened.last_used_s = now_s
            elif opened.last_used_s <= now_s - idle_s:
                del self._lakes[number]
                self._closing[number] = asyncio.create_task(self._close(number, opened))

    async def _close(self, number: int, opened: OpenLake) -> None:
        try:
            await opened.lake.close()
        except CatalogError as error:
            logger.warning("%s did not close well: %s", opened.lake.label, error)
        else:
            logger.info("closed %s, which nobody used", opened.lake.label)
        finally:
            del self._closing[number]
