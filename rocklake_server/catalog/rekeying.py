"""Sealing all values of a store with the key that writes, so that an earlier key, or clear values, are needed no more.

Offline every directory is rewritten in turn; in a running server each lake is, beside its commits. Dropped lakes are
rewritten too: they can be restored. Checkpoints keep what they have, and need the key of their time.
"""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import suppress
from typing import NamedTuple

from rocklake_server.catalog.databases import Databases
from rocklake_server.catalog.lake_reader import SYSTEM_DIRECTORY, CatalogReader
from rocklake_server.catalog.listing import Listing
from rocklake_server.errors import CatalogError, InvalidParameterValue, UndefinedFile
from rocklake_server.store.base import Store
from rocklake_server.store.layer import layer_of
from rocklake_server.store.object_stores import StoreLocation
from rocklake_server.store.offline_owner import owned
from rocklake_server.store.opening import open_store
from rocklake_server.store.reader import open_reader
from rocklake_server.store.sealed import SealedStore, values_by_key

logger = logging.getLogger(__name__)

Tell = Callable[[int], None]


class StoreDirectory(NamedTuple):
    """A directory of a store, and what is in it."""

    directory: str
    lake: str


class SealedWith(NamedTuple):
    """How many values of a directory one key has sealed; ``key`` is ``None`` for clear values."""

    directory: str
    lake: str
    key: str | None
    values: int
    is_current: bool


def directories(listing: Listing) -> Iterator[StoreDirectory]:
    """All that hold values, dropped lakes included."""
    yield StoreDirectory(SYSTEM_DIRECTORY, "the list of lakes")
    for (database, schema), place in listing.lakes.items():
        yield StoreDirectory(f"lakes/{place.number}", f"{database}/{schema}")
    for number, dropped in listing.retired.items():
        yield StoreDirectory(f"lakes/{number}", f"{dropped.database}/{dropped.schema} (dropped)")


async def count_by_key(catalog: CatalogReader, tell: Tell) -> AsyncIterator[SealedWith]:
    """Reads every value, beside a running server or without one. Raises InvalidParameterValue without a key, and what
    ``open_reader`` raises."""
    writing = _writing_key(catalog.location)
    for directory, lake in directories(catalog.listing):
        with suppress(UndefinedFile):  # a lake that was never written
            async with await open_reader(catalog.location.child(directory), pin=True) as reader:
                found = await values_by_key(reader.stored, tell)
            for key, values in sorted(found.items(), key=lambda item: item[0] or ""):
                yield SealedWith(directory, lake, key, values, key == writing)


async def rekey_offline(catalog: CatalogReader, tell: Tell) -> int:
    """Returns how many values were rewritten. Raises CannotConnectNow while a server holds the store,
    InvalidParameterValue without a key, FormatVersionUnsupported when an earlier key is not given, CorruptValue,
    StoreUnavailable, OutcomeUnknown."""
    location, written = catalog.location, 0
    _writing_key(location)
    async with owned(location) as ownership:
        for directory, _ in directories(catalog.listing):
            try:
                await (await open_reader(location.child(directory))).close()
            except UndefinedFile:
                continue
            store = await open_store(location.child(directory), ownership=ownership)
            try:
                written += await _rekey(store, tell)
            finally:
                await store.close()
    return written


async def rekey_running(databases: Databases) -> None:
    """In the background of a server: each lake in turn, and the directories of dropped ones. What fails is logged, and
    rewritten by the next attempt."""
    for database in list(databases.directory.databases()):
        for schema in list(databases.directory.schemas(database)):
            try:
                await _rekey_lake(databases, database, schema)
            except CatalogError as error:
                logger.warning('lake "%s/%s" is not all sealed with the newest key: %s', database, schema, error)
    for number in list(databases.directory.dropped()):
        try:
            await databases.with_dropped_store(number, _rekey)
        except CatalogError as error:
            logger.warning("dropped lake %d is not all sealed with the newest key: %s", number, error)
    logger.info("what can be read is sealed with the newest key; rocklake rekey plan counts it")


async def _rekey_lake(databases: Databases, database: str, schema: str) -> None:
    opened = await databases.lake_of(database, schema)
    if opened is None:
        return
    root = opened.lake.hold()  # it stays open
    try:
        written = await _rekey(opened.lake.store)
    finally:
        opened.lake.release(root)
    if written:
        logger.info("%s: %d values are sealed with the newest key", opened.lake.label, written)


async def _rekey(store: Store, tell: Tell = lambda _: None) -> int:
    sealed = layer_of(store, SealedStore)
    return 0 if sealed is None else await sealed.rekey(tell)


def _writing_key(location: StoreLocation) -> str:
    if location.keyring is None:
        raise InvalidParameterValue(
            "there is no encryption key to write with; give --encryption-key-file or ROCKLAKE_ENCRYPTION_KEYS"
        )
    return location.keyring.writing
