"""Opening the lakes of a store that a command writes without a server."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from getpass import getuser
from socket import gethostname

from rocklake_server.catalog.databases import Databases
from rocklake_server.catalog.lake_reader import LakeReader, ListedLake
from rocklake_server.catalog.offline_outlines import forget_outline
from rocklake_server.catalog.owned_databases import owned_databases
from rocklake_server.catalog.retention.offline_commits import OfflineCommits, Writable
from rocklake_server.cli.lakes import opened_catalog
from rocklake_server.cli.options import location_of
from rocklake_server.clock import SystemClock
from rocklake_server.errors import CannotConnectNow, InternalProblem
from rocklake_server.store.base import WriteBatch
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


@asynccontextmanager
async def owned_lake(store: str, lake: str, command: str, *, instead: str) -> AsyncIterator[OwnedLake]:
    """Until the block ends no server can hold the store. ``command`` is for the audit, ``instead`` as below. Raises
    CannotConnectNow while a server does, UndefinedDatabase, and what opening a store raises."""
    location = location_of(store)
    async with opened_catalog(store) as catalog:
        listed = catalog.find(lake)
    async with AsyncExitStack() as stack:
        try:
            ownership = await stack.enter_async_context(owned(location))
        except CannotConnectNow as held:
            raise CannotConnectNow(f"{held}, or {instead}") from None
        await forget_outline(location, ownership, listed)
        opened = await open_store(location.child(listed.directory), ownership=ownership)
        stack.push_async_callback(opened.close)
        reader = await LakeReader.over(listed, await opened.snapshot())
        commits = _commits(opened, ownership, reader, command)
        yield OwnedLake(listed, f"Store {location}, {listed.directory}", reader, commits)


def planned_commits(reader: LakeReader, command: str) -> OfflineCommits:
    """To gather what a command would write beside a server; writing it raises InternalProblem."""
    return _commits(_NotWritten(), UNDISPUTED, reader, command)


class _NotWritten:
    async def write(self, batch: WriteBatch) -> None:
        raise InternalProblem(f"a plan of {len(batch.operations)} keys is not written")


def _commits(store: Writable, ownership: Ownership, reader: LakeReader, command: str) -> OfflineCommits:
    who, now_us = f"{getuser()} on {gethostname()}", SystemClock().now_us()
    return OfflineCommits(store, ownership, reader, command=command, who=who, now_us=now_us)


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
