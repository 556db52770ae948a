"""An operator's command in a lake that this server has open: one at a time in each lake, beside all sessions."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from rocklake_server.catalog.databases import Databases, OpenLake
from rocklake_server.catalog.lake_reader import LakeReader, ListedLake
from rocklake_server.catalog.retention.online_commits import OnlineCommits
from rocklake_server.errors import UndefinedObject, UndefinedSchema
from rocklake_server.store.paced import PacedSnapshot


@dataclass(frozen=True, slots=True)
class OnlineWork:
    """``reader`` is the lake as it was when the work began, ``commits`` watch what others change since, and ``needed``
    is the oldest snapshot that open transactions go by."""

    databases: Databases
    opened: OpenLake
    listed: ListedLake
    reader: LakeReader
    commits: OnlineCommits
    needed: int | None


@asynccontextmanager
async def online_work(
    databases: Databases, database: str, schema: str, *, command: str, who: str
) -> AsyncIterator[OnlineWork]:
    """Waits for the command before in the same lake. Raises UndefinedObject, UndefinedSchema, CannotConnectNow once
    another server has the store, and what opening a lake raises."""
    opened = await _opened(databases, database, schema)
    async with opened.maintained:
        await databases.ownership.wait()
        place = databases.directory.schemas(database)[schema]
        lake = opened.lake
        root, watch = lake.newest, lake.log.watch()
        needed = lake.oldest_needed()
        try:
            listed = ListedLake(database, schema, place)
            reader = await LakeReader.over(listed, PacedSnapshot(root.snapshot))
            commits = OnlineCommits(opened, watch, command=command, who=who, now_us=databases.clock.now_us())
            yield OnlineWork(databases, opened, listed, reader, commits, needed)
        finally:
            lake.log.unwatch(watch)


async def _opened(databases: Databases, database: str, schema: str) -> OpenLake:
    lakes = await databases.lakes_of(database)
    if not lakes:
        raise UndefinedObject(f'database "{database}" has no lake yet')
    if schema not in lakes:
        raise UndefinedSchema(f'schema "{schema}" does not exist')
    return lakes[schema]
