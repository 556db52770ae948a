"""Reading what is durable in a SlateDB database without opening it for writing: nobody is fenced by that."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

from slatedb.uniffi import DbReaderBuilder, ReaderMode, ReaderOptions

from rocklake_server.errors import StoreUnavailable
from rocklake_server.store.base import Key
from rocklake_server.store.folder_mark import FolderMark
from rocklake_server.store.log_check import read_manifest
from rocklake_server.store.object_stores import StoreLocation, build_object_store
from rocklake_server.store.redo_journal import RedoJournal
from rocklake_server.store.slate_errors import NATIVE_ERRORS, read_error
from rocklake_server.store.slate_settings import MIB, SlateSettings

_HOUR_MS = 3_600_000
"""The picture is taken once, at opening: a refresh between two reads could tear it."""


async def durable_values(location: StoreLocation, settings: SlateSettings, keys: Sequence[Key]) -> list[bytes | None]:
    """The values of ``keys`` at one moment after the call began. Raises StoreUnavailable, also when that takes longer
    than an opening may; CorruptValue."""
    if location.folder is None:
        return await _stored(location, settings, keys)
    while True:
        in_tables = await _newest_in_tables(location)
        journaled = await asyncio.to_thread(_journaled, location.folder, in_tables)
        values = await _stored(location, settings, keys)
        if await _newest_in_tables(location) == in_tables:
            return [journaled.get(key, value) for key, value in zip(keys, values, strict=True)]


async def _newest_in_tables(location: StoreLocation) -> int:
    try:
        manifest = await read_manifest(location, build_object_store(location))
    except NATIVE_ERRORS as error:
        raise read_error(error, location) from None
    return manifest.last_l0_seq if manifest is not None else 0


def _journaled(folder: Path, after: int) -> dict[Key, bytes | None]:
    """Blocking. What the redo journal has beyond the tables."""
    try:
        records = RedoJournal(folder, FolderMark(folder)).read(after)
    except OSError as error:
        raise StoreUnavailable(f"{folder}: {error.strerror}") from error
    return {key: value for record in records for key, value in record.batch().operations.items()}


async def _stored(location: StoreLocation, settings: SlateSettings, keys: Sequence[Key]) -> list[bytes | None]:
    builder = DbReaderBuilder(location.path, build_object_store(location))
    builder.with_options(ReaderOptions(
        manifest_poll_interval_ms=_HOUR_MS, checkpoint_lifetime_ms=2 * _HOUR_MS, max_memtable_bytes=64 * MIB,
        skip_wal_replay=False, object_store_max_retries=settings.object_store_max_retries))
    builder.with_reader_mode(ReaderMode.FOLLOW_LATEST())
    try:
        async with asyncio.timeout(settings.open_timeout_s):
            reader = await builder.build()
            try:
                return [await reader.get(key) for key in keys]
            finally:
                await reader.shutdown()
    except TimeoutError:
        raise StoreUnavailable(f'store "{location}": it does not answer in time') from None
    except NATIVE_ERRORS as error:
        raise read_error(error, location) from None
