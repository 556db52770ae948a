"""Databases and schemas as an administrator sees them: which exist, creating, dropping and renaming them.

Each of these is one change of the system store, outside of any transaction. What is dropped can be restored until it
is excised (``rocklake dropped``).
"""

from __future__ import annotations

from rocklake_server.catalog.database_names import CLOSED_TEMPLATE, MAINTENANCE, PERMANENT_OIDS, TEMPLATE
from rocklake_server.catalog.databases import PUBLIC, Databases
from rocklake_server.catalog.definitions import SYSTEM_SCHEMAS
from rocklake_server.catalog.visitors import Visitor
from rocklake_server.errors import (
    DuplicateDatabase,
    DuplicateSchema,
    ObjectInUse,
    ObjectNotInPrerequisiteState,
    UndefinedDatabase,
    Unsupported,
    WrongObjectType,
)

FORCE_TIMEOUT_S = 5.0
"""How long DROP DATABASE WITH (FORCE) waits for the sessions that it ends, as PostgreSQL does."""


def require_admitted(databases: Databases, database: str, *, created_on_use: bool) -> None:
    """Whether a session may begin there. Raises UndefinedDatabase, ObjectNotInPrerequisiteState."""
    if database == CLOSED_TEMPLATE:
        raise ObjectNotInPrerequisiteState(f'database "{database}" is not currently accepting connections')
    if not (created_on_use or database in PERMANENT_OIDS or database in databases.directory.databases()):
        raise UndefinedDatabase(f'database "{database}" does not exist', hint="Make it with CREATE DATABASE.")


async def create_database(databases: Databases, name: str) -> None:
    """It is listed, and its first table makes its lake. Raises DuplicateDatabase."""
    if name in PERMANENT_OIDS:
        raise DuplicateDatabase(f'database "{name}" already exists')
    await databases.directory.create_database(name)


async def drop_database(databases: Databases, name: str, own: str, *, force: bool) -> None:
    """Its lakes are retired. Raises UndefinedDatabase; ObjectInUse for the session's ``own`` and while others are
    connected, whom ``force`` sends away; WrongObjectType, Unsupported for databases that have to be there."""
    _require_dispensable(name)
    if name not in databases.directory.databases():
        raise UndefinedDatabase(f'database "{name}" does not exist')
    if name == own:
        raise ObjectInUse("cannot drop the currently open database")
    if force:
        await databases.visitors.see_off(name, FORCE_TIMEOUT_S)
    require_unvisited(databases, name)
    async with databases.shut(databases.directory.schemas(name).values()):
        await databases.directory.drop_database(name, databases.clock.now_us())


async def rename_database(databases: Databases, name: str, new_name: str, own: str) -> None:
    """Raises as ``drop_database``, and DuplicateDatabase."""
    _require_dispensable(name)
    if name not in databases.directory.databases():
        raise UndefinedDatabase(f'database "{name}" does not exist')
    if name == own:
        raise Unsupported("current database cannot be renamed")
    if new_name in PERMANENT_OIDS:
        raise DuplicateDatabase(f'database "{new_name}" already exists')
    require_unvisited(databases, name)
    async with databases.shut(databases.directory.schemas(name).values()):
        await databases.directory.rename_database(name, new_name)


async def rename_schema(databases: Databases, database: str, schema: str, new_name: str) -> None:
    """Raises UndefinedSchema, DuplicateSchema; ObjectInUse while a transaction uses it; Unsupported for ``public`` and
    system schemas."""
    for name in (schema, new_name):
        if name == PUBLIC or name in SYSTEM_SCHEMAS or name.startswith("pg_"):
            problem = "it is where clients look that name no schema" if name == PUBLIC else "it is a system schema"
            if name == new_name and name == PUBLIC:
                raise DuplicateSchema(f'schema "{name}" already exists')
            raise Unsupported(f'renaming to or from schema "{name}" is not supported: {problem}')
    place = databases.directory.schemas(database).get(schema)
    async with databases.shut([place] if place is not None else []):
        await databases.directory.rename_schema(database, schema, new_name)


def require_unvisited(databases: Databases, database: str, without: Visitor | None = None) -> None:
    """Raises ObjectInUse."""
    others = len(databases.visitors.of(database) - {without})
    if others:
        sessions = "1 other session" if others == 1 else f"{others} other sessions"
        verb = "is" if others == 1 else "are"
        raise ObjectInUse(
            f'database "{database}" is being accessed by other users',
            detail=f"There {verb} {sessions} using the database.",
        )


def _require_dispensable(name: str) -> None:
    if name in (TEMPLATE, CLOSED_TEMPLATE):
        raise WrongObjectType("cannot drop or rename a template database")
    if name == MAINTENANCE:
        raise Unsupported(f'dropping or renaming database "{name}" is not supported: clients administer from there')
