"""Opening the lakes of a store that a command writes without a server."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from getpass import getuser
from socket import gethostname

from rocklake_server.catalog.databases import Databases
from rocklake_server.catalog.lake_reader import LakeReader, ListedLake
from rocklake_server.catalog.maintenance.audit import Note, audit_note
from rocklake_server.catalog.offline_outlines import forget_outline
from rocklake_server.catalog.owned_databases import owned_databases
from rocklake_server.catalog.retention.offline_commits import OfflineCommits, Writable
from rocklake_server.cli.lakes import opened_catalog
from rocklake_server.cli.options import location_of
from rocklake_server.clock import SystemClock
from rocklake_server.errors import CannotConnectNow, InternalProblem
from rocklake_server.store.base import Store, WriteBatch
from rocklake_server.store.object_stores import StoreLocation
from rocklake_server.store.offline_owner import owned
from rocklake_server.store.opening import open_store
from rocklake_server.store.ownership import UNDISPUTED, Ownership


@dataclass(frozen=True, slots=True)
class OwnedLake:
    """A lake as it is, and the commits that follow. ``where`` says which store and directory, for a banner."""

    listed: ListedLake
    where: str
    reader: LakeReader
    commits: OfflineCommits
    store: Store


@dataclass(frozen=True, slots=True)
class OwnedPlace:
    """A lake of a store that no server can hold meanwhile; nothing of it is open yet."""

    listed: ListedLake
    root: StoreLocation
    ownership: Ownership

    @property
    def location(self) -> StoreLocation:
        return self.root.child(self.listed.directory)

    @asynccontextmanager
    async def opened(self, command: str) -> AsyncIterator[OwnedLake]:
        """``command`` is for the audit. Raises what opening a store raises."""
        await forget_outline(self.root, self.ownership, self.listed)
        store = await open_store(self.location, ownership=self.ownership)
        try:
            reader = await LakeReader.over(self.listed, await store.snapshot())
            commits = _commits(store, self.ownership, reader, command)
            yield OwnedLake(self.listed, f"Store {self.root}, {self.listed.directory}", reader, commits, store)
        finally:
            await store.close()


@asynccontextmanager
async def owned_place(store: str, lake: str, *, instead: str) -> AsyncIterator[OwnedPlace]:
    """Until the block ends no server can hold the store. ``instead`` as below. Raises CannotConnectNow while a server
    does, UndefinedDatabase."""
    location = location_of(store)
    async with opened_catalog(store) as catalog:
        listed = catalog.find(lake)
    async with AsyncExitStack() as stack:
        try:
            ownership = await stack.enter_async_context(owned(location))
        except CannotConnectNow as held:
            raise CannotConnectNow(f"{held}, or {instead}") from None
        yield OwnedPlace(listed, location, ownership)


@asynccontextmanager
async def owned_lake(store: str, lake: str, command: str, *, instead: str) -> AsyncIterator[OwnedLake]:
    """Both in one."""
    async with owned_place(store, lake, instead=instead) as place, place.opened(command) as lake_to_write:
        yield lake_to_write


def planned_commits(reader: LakeReader, command: str) -> OfflineCommits:
    """To gather what a command would write beside a server; writing it raises InternalProblem."""
    return _commits(_NotWritten(), UNDISPUTED, reader, command)


class _NotWritten:
    async def write(self, batch: WriteBatch) -> None:
        raise InternalProblem(f"a plan of {len(batch.operations)} keys is not written")


def _commits(store: Writable, ownership: Ownership, reader: LakeReader, command: str) -> OfflineCommits:
    return OfflineCommits(store, ownership, reader, command=command, who=operator(), now_us=SystemClock().now_us())


def offline_note(command: str, actions: Sequence[Mapping[str, object]]) -> Note:
    """The audit record of a command that commits through a transaction."""
    return audit_note(command=command, who=operator(), now_us=SystemClock().now_us(), actions=actions)


def operator() -> str:
    """Who runs the command, for audit records."""
    return f"{getuser()} on {gethostname()}"


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
