"""``CALL rocklake.dropped_list`` and its sisters: lakes whose schema or database was dropped, by the server.

They belong to no database any more, so these are for superusers.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from rocklake_server.auth.audit import audit
from rocklake_server.auth.roles import Privilege
from rocklake_server.catalog.database_names import named_lake
from rocklake_server.catalog.databases import Databases
from rocklake_server.catalog.dropped_lakes import (
    dropped_facts,
    excise_in,
    excision_facts,
    named_dropped,
    plan_excision,
    restore_facts,
    restore_in,
)
from rocklake_server.catalog.lake_copy import require_free
from rocklake_server.catalog.lake_reader import CatalogReader
from rocklake_server.catalog.listing import Place
from rocklake_server.operations.working import APPLY, ignore, required_number, text
from rocklake_server.schema.types import BIGINT, BOOLEAN, TEXT
from rocklake_server.session.procedures import ROWS, Argument, Arguments, Caller, Column, Facts, Procedure

NUMBER = Argument("number", BIGINT, "The lake, as rocklake dropped list shows it.", "NUMBER", 1, required=True)
NEW_NAME = Argument("new_name", TEXT, "Another name than it had; it must be free.", "DATABASE[/SCHEMA]")

_LISTED = (
    Column("number", BIGINT), Column("database", TEXT), Column("schema", TEXT), Column("dropped_at", TEXT),
    Column("can_be_restored", BOOLEAN), Column("objects", BIGINT), Column("bytes", BIGINT),
)  # fmt: skip
LISTED = tuple(column.name for column in _LISTED)
_AUDITED = (
    Column("number", BIGINT), Column("when", TEXT), Column("what", TEXT), Column("lake", BIGINT),
    Column("database", TEXT), Column("schema", TEXT), Column("dropped_at", TEXT), Column("as", TEXT),
    Column("source", TEXT), Column("objects", BIGINT), Column("bytes", BIGINT), Column("who", TEXT),
)  # fmt: skip
AUDITED = tuple(column.name for column in _AUDITED)


@asynccontextmanager
async def _catalog(databases: Databases) -> AsyncIterator[CatalogReader]:
    """What the store itself says. Raises StoreUnavailable, Unsupported for a store that is kept nowhere."""
    await databases.probe()
    async with await CatalogReader.open(databases.root()) as catalog:
        yield catalog


async def _list(databases: Databases, _: Caller, __: Arguments) -> Facts:
    async with _catalog(databases) as catalog:
        return {ROWS: [facts async for facts in dropped_facts(catalog)]}


async def _audit(databases: Databases, _: Caller, __: Arguments) -> Facts:
    await databases.probe()
    records = await databases.directory.audit_records()
    return {ROWS: [{name: record.get(name) for name in AUDITED} for record in records]}


async def _restore(databases: Databases, caller: Caller, arguments: Arguments) -> Facts:
    """Raises UndefinedObject; ObjectNotInPrerequisiteState when the name is taken or its excision has begun,
    ObjectInUse while a transaction that saw it before it was dropped goes on."""
    number, wanted = required_number(arguments[NUMBER.name]), text(arguments[NEW_NAME.name])
    new_name = None if wanted is None else named_lake(wanted)
    async with _catalog(databases) as catalog:
        facts = await restore_facts(catalog, number, new_name)
        database, schema = named_dropped(catalog, number, new_name)
    require_free(databases, database, schema)
    if arguments[APPLY.name]:
        async with databases.shut([Place(number, 0)]):
            await databases.ownership.wait()
            await restore_in(
                databases.directory, number, database, schema, who=str(caller), clock=databases.clock)
        audit("restore", user=caller.user, address=caller.address, dropped=number, lake=str(facts["was"]),
              new_lake=str(facts["becomes"]))  # fmt: skip
    return facts


async def _excise(databases: Databases, caller: Caller, arguments: Arguments) -> Facts:
    """Raises UndefinedObject; ObjectInUse while a checkpoint or a transaction needs what would go."""
    number, location = required_number(arguments[NUMBER.name]), databases.root()
    if not arguments[APPLY.name]:
        async with _catalog(databases) as catalog:
            return excision_facts(await plan_excision(catalog, number))
    await databases.probe()
    databases.directory.find_dropped(number)  # lakes that have a name are not closed for this
    async with databases.shut([Place(number, 0)]):
        await databases.ownership.confirm()
        found = await excise_in(
            databases.directory, location, number, who=str(caller), clock=databases.clock, tell=ignore)
    audit("excise", user=caller.user, address=caller.address, dropped=number, lake=found.dropped.name,
          objects=found.amount.objects, bytes=found.amount.size_bytes)  # fmt: skip
    return excision_facts(found)


DROPPED_LIST = Procedure(
    "dropped_list", "The lakes that DROP SCHEMA and DROP DATABASE put aside, and what each takes in the store.", (),
    _LISTED, _list, needs=Privilege.SUPERUSER, has_rows=True, only_reads=True,
)  # fmt: skip
DROPPED_AUDIT = Procedure(
    "dropped_audit", "Which lakes were restored, excised or cloned, when, and by whom.", (),
    _AUDITED, _audit, needs=Privilege.SUPERUSER, has_rows=True, only_reads=True,
)  # fmt: skip
DROPPED_RESTORE = Procedure(
    "dropped_restore", "Give a dropped lake its name again, or another one.", (NUMBER, NEW_NAME, APPLY),
    (
        Column("number", BIGINT), Column("was", TEXT), Column("dropped_at", TEXT), Column("becomes", TEXT),
        Column("commit_sequence", BIGINT),
    ),
    _restore, needs=Privilege.SUPERUSER,
)  # fmt: skip
DROPPED_EXCISE = Procedure(
    "dropped_excise", "Remove a dropped lake's directory for good. It cannot be undone.", (NUMBER, APPLY),
    (
        Column("number", BIGINT), Column("was", TEXT), Column("dropped_at", TEXT), Column("objects", BIGINT),
        Column("bytes", BIGINT),
    ),
    _excise, needs=Privilege.SUPERUSER,
)  # fmt: skip
