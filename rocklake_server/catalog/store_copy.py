"""Copies of stores, each lake at one moment, beside the server that writes them: backups and their return.

A backup is a store like any other, with the same directories: it can be served as it is. What is being copied into an
empty store is marked in its system store first and unmarked last, in the batch that lists the lakes; nobody opens a
marked store. Copies of single lakes into a store with others are in ``catalog.lake_copy``.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import asdict, dataclass
from typing import Protocol

from rocklake_server.catalog.entry_copy import BATCH_BYTES, EntrySum, Tell, copy_entries, seen_through
from rocklake_server.catalog.lake_reader import SYSTEM_DIRECTORY, ListedLake
from rocklake_server.catalog.listing import (
    FIRST_LAKE,
    ORIGIN,
    UNFINISHED_COPY,
    Listing,
    listing_batch,
    read_listing,
    unfinished_batch,
)
from rocklake_server.catalog.system_keys import NewestCommit, read_newest_commit
from rocklake_server.clock import Clock
from rocklake_server.errors import (
    CorruptValue,
    InvalidParameterValue,
    ObjectNotInPrerequisiteState,
    UndefinedFile,
)
from rocklake_server.pgformat.text import text_encoder
from rocklake_server.schema.types import TIMESTAMPTZ
from rocklake_server.store.base import Store, StoreSnapshot
from rocklake_server.store.object_stores import StoreLocation
from rocklake_server.store.offline_owner import owned
from rocklake_server.store.opening import open_store
from rocklake_server.store.ownership import Ownership
from rocklake_server.store.reader import open_reader


@dataclass(frozen=True, slots=True)
class CopiedLake:
    """A lake as it was copied: at which commit, and what its database holds."""

    lake: str
    number: int
    commit_sequence: int
    entries: int
    size_bytes: int
    digest: str


@dataclass(frozen=True, slots=True)
class Origin:
    """What a copied store says of itself: which store it was made from, when, and what its lakes held then."""

    source: str
    when: str
    lakes: tuple[CopiedLake, ...]

    def encode(self) -> bytes:
        return json.dumps(asdict(self), ensure_ascii=False).encode()

    @classmethod
    def decode(cls, data: bytes) -> Origin:
        """Raises CorruptValue."""
        try:
            found = json.loads(data)
            lakes = tuple(CopiedLake(**lake) for lake in found["lakes"])
            return cls(found["source"], found["when"], lakes)
        except (ValueError, KeyError, TypeError):
            raise CorruptValue(f"system store key {ORIGIN.hex()} is no record of a copy") from None


async def read_origin(location: StoreLocation) -> Origin | None:
    """``None`` for a store that was not made by copying. Raises UndefinedFile, StoreUnavailable, CorruptValue."""
    async with await open_reader(location.child(SYSTEM_DIRECTORY)) as reader:
        data = await reader.snapshot.get(ORIGIN)
    return Origin.decode(data) if data is not None else None


async def unfinished_source(location: StoreLocation) -> str | None:
    """Where the copy comes from that was begun at ``location`` and did not end. Raises StoreUnavailable."""
    try:
        async with await open_reader(location.child(SYSTEM_DIRECTORY)) as reader:
            source = await reader.snapshot.get(UNFINISHED_COPY)
    except UndefinedFile:
        return None
    return None if source is None else source.decode(errors="replace")


class CopySource(Protocol):
    """Lakes that somebody may be writing."""

    @property
    def location(self) -> StoreLocation:
        """Their store's root."""

    @property
    def listing(self) -> Listing: ...

    def frozen(self, lake: ListedLake) -> AbstractAsyncContextManager[StoreSnapshot]:
        """The lake as it is at one moment. Raises what reading a lake raises."""


async def copy_store(
    source: CopySource, lakes: Sequence[ListedLake], location: StoreLocation, clock: Clock, tell: Tell,
    *, origin: Origin | None = None, batch_bytes: int = BATCH_BYTES,
) -> Origin:
    """Makes a store at ``location`` that holds ``lakes`` as they are now, under the same names and numbers.

    ``origin`` is what the source has to be still, when it is a backup. Raises InvalidParameterValue when there is a
    store, CannotConnectNow while somebody else writes one there, CorruptValue when a copy is not the same, and what
    reading ``source`` and opening stores raise. An attempt that did not end is begun again.
    """
    async with owned(location) as ownership:
        await _require_free(location)
        system = await open_store(location.child(SYSTEM_DIRECTORY), ownership=ownership)
        try:
            await seen_through(system.write(unfinished_batch(str(source.location))))
            copied = [
                await _copy(source, lake, location.child(lake.directory), ownership, tell, origin, batch_bytes)
                for lake in lakes
            ]
            made = Origin(str(source.location), text_encoder(TIMESTAMPTZ)(clock.now_us()), tuple(copied))
            await _list(system, source.listing, lakes, made)
        finally:
            await system.close()
    return made


async def _require_free(location: StoreLocation) -> None:
    """Raises InvalidParameterValue unless there is no lake and never was one, or an unfinished copy."""
    try:
        async with await open_reader(location.child(SYSTEM_DIRECTORY)) as reader:
            if (await read_listing(reader.snapshot)).next_lake == FIRST_LAKE:
                return
    except (UndefinedFile, ObjectNotInPrerequisiteState):
        return
    raise InvalidParameterValue(f'there is a store at "{location}" already; name an empty place')


async def _list(system: Store, listing: Listing, lakes: Sequence[ListedLake], made: Origin) -> None:
    """The copy is finished with this batch. Lakes that were dropped are not copied, nor listed as such; a database
    without lakes comes along."""
    chosen = {(lake.database, lake.schema): lake.place for lake in lakes}
    filled, kept = {database for database, _ in listing.lakes}, {database for database, _ in chosen}
    databases = {name: number for name, number in listing.databases.items() if name in kept or name not in filled}
    batch = listing_batch(Listing(chosen, {}, listing.next_lake, databases, roles=listing.roles))
    batch.delete(UNFINISHED_COPY)
    batch.put(ORIGIN, made.encode())
    await seen_through(system.write(batch))


async def _copy(
    source: CopySource, lake: ListedLake, place: StoreLocation, ownership: Ownership, tell: Tell,
    origin: Origin | None, batch_bytes: int,
) -> CopiedLake:
    async with source.frozen(lake) as snapshot:
        store = await open_store(place, ownership=ownership)
        found = await fill(snapshot, store, tell, batch_bytes=batch_bytes)
        copied = copied_lake(lake, await read_newest_commit(snapshot), found)
    if origin is not None and copied not in origin.lakes:
        raise CorruptValue(
            f'lake "{lake}" in "{source.location}" is not as the backup was made on {origin.when}',
            hint="If it was served since, it is a store of its own: copy it with rocklake backup.",
        )
    return copied


def copied_lake(lake: ListedLake, newest: NewestCommit, found: EntrySum) -> CopiedLake:
    return CopiedLake(str(lake), lake.place.number, newest.sequence, found.entries, found.size_bytes, found.digest)


def expected_of(origin: Origin | None, lake: ListedLake) -> CopiedLake | None:
    """What a backup says that a lake of it holds; ``None`` of a store that is no backup."""
    lakes = () if origin is None else origin.lakes
    return next((found for found in lakes if found.number == lake.place.number), None)


async def fill(snapshot: StoreSnapshot, store: Store, tell: Tell, *, batch_bytes: int = BATCH_BYTES) -> EntrySum:
    """Copy everything into ``store``, and close it. Raises as ``copy_entries``."""
    try:
        return await copy_entries(snapshot, store, tell, batch_bytes=batch_bytes)
    finally:
        await store.close()
