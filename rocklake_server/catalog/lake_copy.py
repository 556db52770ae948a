"""A copy of one lake at one moment under a free name, in a store that has others: clones, and lakes of a backup.

While it is made it is on no list, and recorded as unfinished; it is entered into the list, with an audit record, when
everything has arrived and was compared. The store's other lakes go on, if a server has them open.
"""

from __future__ import annotations

import asyncio
from dataclasses import asdict, dataclass

from rocklake_server.catalog.database_names import require_fillable
from rocklake_server.catalog.databases import Databases
from rocklake_server.catalog.definitions import SYSTEM_SCHEMAS
from rocklake_server.catalog.directory import Directory
from rocklake_server.catalog.entry_copy import BATCH_BYTES, Tell, seen_through
from rocklake_server.catalog.lake_reader import ListedLake
from rocklake_server.catalog.listing import Place
from rocklake_server.catalog.maintenance.audit import audit_time
from rocklake_server.catalog.store_copy import CopiedLake, copied_lake, fill
from rocklake_server.catalog.system_keys import read_newest_commit
from rocklake_server.errors import CorruptValue, DuplicateSchema, ObjectInUse, UniqueViolation, Unsupported
from rocklake_server.store.base import StoreSnapshot


@dataclass(frozen=True, slots=True)
class LakeCopy:
    """``who`` makes a lake called ``database`` and ``schema`` with ``command``, of lake ``of`` in the store ``source``.
    ``expected`` is what a backup says that it held, ``batch_bytes`` what one write has."""

    command: str
    who: str
    of: ListedLake
    source: str
    database: str
    schema: str
    expected: CopiedLake | None = None
    batch_bytes: int = BATCH_BYTES


@dataclass(frozen=True, slots=True)
class MadeLake:
    """What was copied, and the numbers of lakes of the same name that earlier attempts left unfinished."""

    copied: CopiedLake
    left_behind: tuple[int, ...] = ()

    @property
    def facts(self) -> dict[str, object]:
        """What is told, by column."""
        return {**asdict(self.copied), "left_behind": list(self.left_behind)}


def require_free(databases: Databases, database: str, schema: str) -> None:
    """Raises DuplicateSchema when there is a lake of that name, Unsupported for names that none may have."""
    require_fillable(database)
    if schema in SYSTEM_SCHEMAS or schema.startswith("pg_"):
        raise Unsupported(f'a lake in schema "{schema}" is not supported: it is a system schema')
    if schema in databases.directory.schemas(database):
        raise DuplicateSchema(f'lake "{database}/{schema}" exists; nothing is written over it')


async def copy_lake(snapshot: StoreSnapshot, databases: Databases, wanted: LakeCopy, tell: Tell) -> MadeLake:
    """Makes a lake that holds what ``snapshot`` does. Raises as ``require_free``; ObjectInUse while somebody else makes
    a lake of that name, CorruptValue when the copy is not the same or not what was expected, StoreUnavailable,
    OutcomeUnknown. After an error there is no lake of that name."""
    directory, database, schema = databases.directory, wanted.database, wanted.schema
    require_free(databases, database, schema)
    left_behind = tuple(await directory.left_unfinished(database, schema))
    place = await _reserved(directory, wanted)
    made = ListedLake(database, schema, place)
    try:
        found = await fill(
            snapshot, await databases.open_unlisted(place), tell, batch_bytes=wanted.batch_bytes)
        copied = copied_lake(made, await read_newest_commit(snapshot), found)
        _require_expected(copied, wanted)
        await databases.ownership.wait()
        now_us = databases.clock.now_us()
        audit = _audit(wanted, made, audit_time(now_us))
        await seen_through(directory.publish(database, [schema], [], now_us, audit))
    except BaseException:
        directory.give_up(database, schema)
        raise
    return MadeLake(copied, left_behind)


async def _reserved(directory: Directory, wanted: LakeCopy) -> Place:
    """Nobody's, when the caller is cancelled meanwhile."""
    names = (wanted.database, wanted.schema)
    reserving = asyncio.ensure_future(directory.reserve(*names, replacing=False, made_by=wanted.command))
    try:
        return await asyncio.shield(reserving)
    except UniqueViolation:
        raise ObjectInUse(f'lake "{"/".join(names)}" is being made by another session') from None
    except asyncio.CancelledError:
        await asyncio.wait([reserving])
        if reserving.exception() is None:
            directory.give_up(*names)
        raise


def _require_expected(copied: CopiedLake, wanted: LakeCopy) -> None:
    expected = wanted.expected
    if expected is not None and (copied.commit_sequence, copied.entries, copied.digest) != (
        expected.commit_sequence, expected.entries, expected.digest
    ):  # fmt: skip
        raise CorruptValue(
            f'lake "{wanted.of}" in "{wanted.source}" is not as the backup was made',
            hint="If it was served since, it is a store of its own: copy it with rocklake backup.",
        )


def _audit(wanted: LakeCopy, made: ListedLake, when: str) -> dict[str, object]:
    return {
        "what": wanted.command, "when": when, "who": wanted.who, "lake": made.place.number,
        "database": wanted.of.database, "schema": wanted.of.schema, "as": f"{made.database}/{made.schema}",
        "source": wanted.source,
    }  # fmt: skip
