"""Reading what is durable in a SlateDB database without opening it for writing: nobody is fenced by that."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from slatedb.uniffi import DbReaderBuilder, ReaderMode, ReaderOptions

from rocklake_server.errors import StoreUnavailable
from rocklake_server.store.base import Key
from rocklake_server.store.object_stores import StoreLocation, build_object_store
from rocklake_server.store.slate_errors import NATIVE_ERRORS, read_error
from rocklake_server.store.slate_settings import MIB, SlateSettings

_HOUR_MS = 3_600_000
"""The picture is taken once, at opening: a refresh between two reads could tear it."""


async def durable_values(location: StoreLocation, settings: SlateSettings, keys: Sequence[Key]) -> list[bytes | None]:
    """The values of ``keys`` at one moment after the call began. Raises StoreUnavailable, also when that takes longer
    than an opening may; CorruptValue."""
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
