"""``CALL rocklake.clone``, ``rocklake.restore`` and ``rocklake.backup``: copies of lakes at one moment, by the server.

The server reads and writes other places with its own keys, so these are for superusers.
"""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import asdict, replace

from rocklake_server.auth.audit import audit
from rocklake_server.auth.roles import Privilege
from rocklake_server.catalog.database_names import named_lake
from rocklake_server.catalog.databases import Databases
from rocklake_server.catalog.lake_checkpoints import checkpointed
from rocklake_server.catalog.lake_copy import LakeCopy, MadeLake, copy_lake, require_free
from rocklake_server.catalog.lake_reader import CatalogReader, ListedLake
from rocklake_server.catalog.owned_databases import owned_databases
from rocklake_server.catalog.served_lakes import ServedLakes
from rocklake_server.catalog.store_copy import CopiedLake, copy_store, expected_of, read_origin
from rocklake_server.errors import CannotConnectNow, InvalidParameterValue, ObjectInUse
from rocklake_server.limits import ONLINE_COMMIT_BYTES_MAX
from rocklake_server.operations.working import LAKE_SCHEMA, ignore, text
from rocklake_server.schema.types import BIGINT, TEXT, array_of
from rocklake_server.session.procedures import (
    ROWS,
    Argument,
    Arguments,
    Caller,
    Column,
    Facts,
    Procedure,
    json_column,
)
from rocklake_server.store.base import StoreSnapshot
from rocklake_server.store.checkpoints import Checkpoints
from rocklake_server.store.object_stores import StoreLocation, parse_store_url

NEW_NAME = Argument("new_name", TEXT, "The name of the copy; it must be free.", "DATABASE[/SCHEMA]", required=True)
TO_STORE = Argument("to_store", TEXT, "The store that the copy is made in, if it is another.", "URL")
CHECKPOINT = Argument("checkpoint", TEXT, "As the lake was at this checkpoint, not as now.", "NAME")
BACKUP = Argument("backup", TEXT, "A backup, or any other store that is not served.", "URL", required=True)
LAKE = Argument("lake", TEXT, "The lake of the backup; may be left out when it has only one.", "DATABASE[/SCHEMA]")
FREE_NAME = Argument("new_name", TEXT, "Another name for the lake; it must be free.", "DATABASE[/SCHEMA]")
PLACE = Argument("place", TEXT, "An empty place for the copy.", "URL", required=True)
LAKES = Argument("lakes", array_of(TEXT), "Only these lakes.", "DATABASE[/SCHEMA]")

COPIED = tuple(CopiedLake.__dataclass_fields__)
_COPIED_COLUMNS = tuple(Column(name, BIGINT if name not in ("lake", "digest") else TEXT) for name in COPIED)
_MADE_COLUMNS = (*_COPIED_COLUMNS, json_column("left_behind"))


async def _clone(databases: Databases, caller: Caller, arguments: Arguments) -> Facts:
    """Raises UndefinedDatabase, and as ``copy_lake``."""
    database, schema = named_lake(str(arguments[NEW_NAME.name]))
    await databases.probe()
    lakes = ServedLakes(databases)
    lake = lakes.of(caller.database, str(arguments[LAKE_SCHEMA.name]))
    checkpoint, other = text(arguments[CHECKPOINT.name]), _other_store(databases, text(arguments[TO_STORE.name]))
    wanted = LakeCopy(
        "clone", str(caller), lake, str(lakes.location), database, schema, batch_bytes=ONLINE_COMMIT_BYTES_MAX)
    if other is None:
        require_free(databases, database, schema)
        async with _as_of(lakes, lake, checkpoint) as snapshot:
            made = await copy_lake(snapshot, databases, wanted, ignore)
    else:
        with _told_apart(databases, other):
            async with owned_databases(other, databases.clock) as others, _as_of(lakes, lake, checkpoint) as snapshot:
                made = await copy_lake(snapshot, others, wanted, ignore)
    return _told(caller, wanted, made, other or lakes.location)


async def _restore(databases: Databases, caller: Caller, arguments: Arguments) -> Facts:
    """Raises UndefinedFile, UndefinedDatabase, InvalidParameterValue for the server's own store, and as
    ``copy_lake``."""
    await databases.probe()
    place = _place(databases, str(arguments[BACKUP.name]))
    if str(place) == str(databases.root()):
        raise InvalidParameterValue(f'"{place}" is the store that this server holds: clone its lake instead')
    origin = await read_origin(place)
    async with await CatalogReader.open(place) as catalog:
        lake = catalog.choose(text(arguments[LAKE.name]))
        database, schema = named_lake(text(arguments[FREE_NAME.name]) or f"{lake.database}/{lake.schema}")
        require_free(databases, database, schema)
        wanted = LakeCopy(
            "restore", str(caller), lake, str(place), database, schema, expected_of(origin, lake),
            ONLINE_COMMIT_BYTES_MAX,
        )  # fmt: skip
        async with catalog.frozen(lake) as snapshot:
            made = await copy_lake(snapshot, databases, wanted, ignore)
    return _told(caller, wanted, made, databases.root())


async def _backup(databases: Databases, caller: Caller, arguments: Arguments) -> Facts:
    """Raises as ``copy_store``."""
    await databases.probe()
    place = _place(databases, str(arguments[PLACE.name]))
    if str(place) == str(databases.root()):
        raise InvalidParameterValue(f'"{place}" is the store that this server holds; name an empty place')
    lakes = ServedLakes(databases)
    names = arguments[LAKES.name]
    assert names is None or isinstance(names, list | tuple)
    chosen = list(dict.fromkeys(lakes.find(str(name)) for name in names)) if names else lakes.lakes
    with _told_apart(databases, place):
        made = await copy_store(
            lakes, chosen, place, databases.clock, ignore, batch_bytes=ONLINE_COMMIT_BYTES_MAX)
    audit("backup", user=caller.user, address=caller.address, place=str(place), lakes=len(made.lakes))
    return {ROWS: [asdict(lake) for lake in made.lakes]}


def _told(caller: Caller, wanted: LakeCopy, made: MadeLake, store: StoreLocation) -> Facts:
    audit(wanted.command, user=caller.user, address=caller.address, lake=str(wanted.of), source=wanted.source,
          new_lake=made.copied.lake, store=str(store))  # fmt: skip
    return made.facts


@asynccontextmanager
async def _as_of(lakes: ServedLakes, lake: ListedLake, checkpoint: str | None) -> AsyncIterator[StoreSnapshot]:
    if checkpoint is None:
        async with lakes.frozen(lake) as snapshot:
            yield snapshot
    else:
        async with checkpointed(Checkpoints(lakes.location.child(lake.directory)), checkpoint) as snapshot:
            yield snapshot


def _place(databases: Databases, url: str) -> StoreLocation:
    """A store beside the server's own, sealed with the same keys. Raises InvalidParameterValue."""
    return replace(parse_store_url(url, os.environ), keyring=databases.root().keyring)


def _other_store(databases: Databases, url: str | None) -> StoreLocation | None:
    place = None if url is None else _place(databases, url)
    return None if place is None or str(place) == str(databases.root()) else place


@contextmanager
def _told_apart(databases: Databases, place: StoreLocation) -> Iterator[None]:
    """Another server holds ``place``: that ends no session here. Raises ObjectInUse then."""
    try:
        yield
    except CannotConnectNow:
        databases.ownership.require()
        raise ObjectInUse(f'store "{place}" is held by another server or command; name another place') from None


CLONE = Procedure(
    "clone", "Copy a lake, as it is now or at a checkpoint, under another name into this store or another.",
    (NEW_NAME, TO_STORE, CHECKPOINT, LAKE_SCHEMA), _MADE_COLUMNS, _clone, needs=Privilege.SUPERUSER,
)  # fmt: skip
RESTORE = Procedure(
    "restore", "Copy one lake of a backup into this store, under a free name.",
    (BACKUP, LAKE, FREE_NAME), _MADE_COLUMNS, _restore, needs=Privilege.SUPERUSER,
)  # fmt: skip
BACKUP_LAKES = Procedure(
    "backup", "Copy lakes to an empty place, each as it is at one moment.",
    (PLACE, LAKES), _COPIED_COLUMNS, _backup, needs=Privilege.SUPERUSER, has_rows=True,
)  # fmt: skip
