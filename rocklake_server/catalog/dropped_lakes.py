"""Lakes whose schema or database was dropped: which there are, bringing one back, and removing one for good.

Each is a directory that no name leads to. Restoring one gives it a name again; excising one removes its objects, in
bounded batches, between two changes of the system store: the first forbids to restore it, the last forgets it and says
who did this. Whoever owns the store does both: a command without a server, or the server. Nothing is ever removed by
listing.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass

from rocklake_server.catalog.directory import Directory
from rocklake_server.catalog.lake_reader import SYSTEM_DIRECTORY, CatalogReader, LakeReader, ListedLake
from rocklake_server.catalog.listing import DroppedLake, Place
from rocklake_server.clock import Clock
from rocklake_server.errors import (
    ObjectInUse,
    ObjectNotInPrerequisiteState,
    UndefinedFile,
    UndefinedObject,
    Unsupported,
)
from rocklake_server.pgformat.text import text_encoder
from rocklake_server.schema.types import TIMESTAMPTZ
from rocklake_server.store.checkpoints import Checkpoints
from rocklake_server.store.object_stores import StoreLocation
from rocklake_server.store.objects_below import Amount, ObjectsBelow
from rocklake_server.store.offline_owner import owned
from rocklake_server.store.opening import open_store


@dataclass(frozen=True, slots=True)
class Excision:
    """What removing a dropped lake takes away."""

    number: int
    dropped: DroppedLake
    amount: Amount


def directory_of(number: int) -> str:
    return f"lakes/{number}"


def find_dropped(catalog: CatalogReader, number: int) -> DroppedLake:
    """Raises UndefinedObject."""
    found = catalog.listing.retired.get(number)
    if found is None:
        known = ", ".join(map(str, catalog.listing.retired)) or "none"
        raise UndefinedObject(f'store "{catalog.location}" has no dropped lake {number}; dropped lakes are: {known}')
    return found


async def dropped_facts(catalog: CatalogReader) -> AsyncIterator[dict[str, object]]:
    """One record for each, oldest first. Raises StoreUnavailable."""
    for number, dropped in sorted(catalog.listing.retired.items()):
        objects = ObjectsBelow(catalog.location.child(directory_of(number)))
        amount = await objects.amount()
        yield {
            "number": number, "database": dropped.database, "schema": dropped.schema,
            "dropped_at": when(dropped.dropped_us), "can_be_restored": not dropped.is_going,
            "objects": amount.objects, "bytes": amount.size_bytes,
        }  # fmt: skip


def when(dropped_us: int | None) -> str | None:
    return None if dropped_us is None else text_encoder(TIMESTAMPTZ)(dropped_us)


async def check_restorable(catalog: CatalogReader, number: int, database: str, schema: str) -> int | None:
    """The commit that it would come back with; ``None`` for a lake that was never written. Raises UndefinedObject,
    ObjectNotInPrerequisiteState when its excision has begun or the name is taken, and what reading a lake raises."""
    dropped = find_dropped(catalog, number)
    if dropped.is_going:
        raise ObjectNotInPrerequisiteState(
            f"the excision of dropped lake {number} has begun, so it cannot be restored; finish the excision"
        )
    if (database, schema) in catalog.listing.lakes:
        raise ObjectNotInPrerequisiteState(f'lake "{database}/{schema}" exists; restore under another name with --as')
    with suppress(UndefinedFile):
        reader: LakeReader = await catalog.lake(ListedLake(database, schema, Place(number, 0)))
        return reader.state.sequence
    return None


async def restore(
    location: StoreLocation, number: int, database: str, schema: str, *, who: str, clock: Clock
) -> None:
    """The store's root is at ``location``. Raises CannotConnectNow while a server holds it, UndefinedObject,
    DuplicateSchema, ObjectNotInPrerequisiteState."""
    async with _owned_directory(location) as directory:
        await restore_in(directory, number, database, schema, who=who, clock=clock)


async def restore_in(
    directory: Directory, number: int, database: str, schema: str, *, who: str, clock: Clock
) -> DroppedLake:
    """What was restored, by the owner of the store that ``directory`` is of. Raises UndefinedObject, DuplicateSchema,
    ObjectInUse, ObjectNotInPrerequisiteState."""
    dropped = directory.find_dropped(number)
    audit = _audit("restore", number, dropped, who, clock) | {"as": f"{database}/{schema}"}
    await directory.restore(number, database, schema, audit)
    return dropped


async def plan_excision(catalog: CatalogReader, number: int) -> Excision:
    """Raises UndefinedObject; ObjectInUse while a checkpoint needs what would go."""
    dropped = find_dropped(catalog, number)
    place = catalog.location.child(directory_of(number))
    await _require_unneeded(place, number, dropped)
    return Excision(number, dropped, await ObjectsBelow(place).amount())


async def excise(
    location: StoreLocation, number: int, *, who: str, clock: Clock, tell: Callable[[int], None]
) -> Excision:
    """Raises as ``restore`` and ``plan_excision``; one that did not end is begun again."""
    async with _owned_directory(location) as directory:
        return await excise_in(directory, location, number, who=who, clock=clock, tell=tell)


async def excise_in(
    directory: Directory, location: StoreLocation, number: int, *, who: str, clock: Clock, tell: Callable[[int], None]
) -> Excision:
    """By the owner of the store whose root is at ``location``, which has the lake not open. Raises as
    ``plan_excision``, and StoreUnavailable."""
    dropped = directory.find_dropped(number)
    place = location.child(directory_of(number))
    objects = ObjectsBelow(place)
    await _require_unneeded(place, number, dropped)
    await directory.begin_excision(number, clock.now_us())
    amount = await objects.remove(tell)
    audit = _audit("excise", number, dropped, who, clock)
    await directory.end_excision(number, audit | {"objects": amount.objects, "bytes": amount.size_bytes})
    return Excision(number, dropped, amount)


def named_dropped(catalog: CatalogReader, number: int, new_name: tuple[str, str] | None) -> tuple[str, str]:
    """Database and schema that a dropped lake comes back as: its own when ``new_name`` is None. Raises
    UndefinedObject."""
    dropped = find_dropped(catalog, number)
    return (dropped.database, dropped.schema) if new_name is None else new_name


async def restore_facts(catalog: CatalogReader, number: int, new_name: tuple[str, str] | None) -> dict[str, object]:
    """What a restore does, by column. Raises as ``check_restorable``."""
    database, schema = named_dropped(catalog, number, new_name)
    sequence = await check_restorable(catalog, number, database, schema)
    dropped = find_dropped(catalog, number)
    return {
        "number": number, "was": dropped.name, "dropped_at": when(dropped.dropped_us),
        "becomes": f"{database}/{schema}", "commit_sequence": sequence,
    }  # fmt: skip


def excision_facts(found: Excision) -> dict[str, object]:
    """What an excision takes away, by column."""
    return {
        "number": found.number, "was": found.dropped.name, "dropped_at": when(found.dropped.dropped_us),
        "objects": found.amount.objects, "bytes": found.amount.size_bytes,
    }  # fmt: skip


def _audit(what: str, number: int, dropped: DroppedLake, who: str, clock: Clock) -> dict[str, object]:
    return {
        "what": what, "when": when(clock.now_us()), "who": who, "lake": number, "database": dropped.database,
        "schema": dropped.schema, "dropped_at": when(dropped.dropped_us),
    }  # fmt: skip


async def _require_unneeded(place: StoreLocation, number: int, dropped: DroppedLake) -> None:
    """An excision that has begun goes on: its checkpoints have lost tables already."""
    if dropped.is_going:
        return
    try:
        kept = [checkpoint.name for checkpoint in await Checkpoints(place).list()]
    except (UndefinedFile, Unsupported):
        return
    if kept:
        names = ", ".join(f'"{name}"' for name in kept)
        raise ObjectInUse(
            f"dropped lake {number} has checkpoints that its excision would break: {names}; restore it and delete them "
            "first, or wait until they run out"
        )


@asynccontextmanager
async def _owned_directory(location: StoreLocation) -> AsyncIterator[Directory]:
    async with owned(location) as ownership:
        directory = await Directory.open(
            await open_store(location.child(SYSTEM_DIRECTORY), ownership=ownership), ownership)
        try:
            yield directory
        finally:
            await directory.close()
