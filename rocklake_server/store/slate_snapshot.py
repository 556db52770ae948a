"""Reading a SlateDB database as it was at one moment."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

from slatedb.uniffi import DurabilityLevel, KeyRange, ScanOptions

from rocklake_server.store import marshalling
from rocklake_server.store.base import Entry, Key, Prefix
from rocklake_server.store.keys import key_range
from rocklake_server.store.object_stores import StoreLocation
from rocklake_server.store.scan_worker import read_ahead
from rocklake_server.store.slate_errors import NATIVE_ERRORS, read_error
from rocklake_server.store.slate_settings import SlateSettings

_FIRST_BATCH_ROWS = 128
"""Entries of a scan that are read on the caller's loop; what is longer goes on at the scan thread."""


class SlateSnapshot:
    """SlateDB's snapshot: stable under later writes, unusable once its handle is closed or fenced."""

    __slots__ = ("_location", "_native", "_settings")

    def __init__(self, native: Any, location: StoreLocation, settings: SlateSettings) -> None:
        self._native = native
        self._location = location
        self._settings = settings

    async def get(self, key: Key) -> bytes | None:
        if not key:
            return None
        try:
            async with asyncio.timeout(self._settings.read_timeout_s):
                value: bytes | None = await self._native.get(key)
        except (*NATIVE_ERRORS, TimeoutError) as error:
            raise read_error(error, self._location) from None
        return value

    async def scan(self, prefix: Prefix, *, start: bytes = b"", stop: bytes | None = None
                   ) -> AsyncIterator[list[Entry]]:
        bounds = key_range(prefix, start, stop)
        if bounds is None:
            return
        settings = self._settings
        options = ScanOptions(
            durability_filter=DurabilityLevel.MEMORY, dirty=False, cache_blocks=True,
            read_ahead_bytes=settings.scan_read_ahead_bytes, max_fetch_tasks=settings.scan_fetch_tasks)
        span = KeyRange(start=bounds.start or None, start_inclusive=True, end=bounds.stop,
                        end_inclusive=False)
        try:
            async with asyncio.timeout(settings.read_timeout_s):
                iterator = await self._native.scan_with_options(span, options)
            entries = await self._next_batch(iterator, _FIRST_BATCH_ROWS)
            if entries:
                yield entries
            if len(entries) == _FIRST_BATCH_ROWS:
                rows_max = settings.scan_batch_rows
                async for entries in read_ahead(lambda: self._next_batch(iterator, rows_max)):
                    yield entries
        except (*NATIVE_ERRORS, TimeoutError) as error:
            raise read_error(error, self._location) from None

    async def _next_batch(self, iterator: Any, rows_max: int) -> list[Entry]:
        async with asyncio.timeout(self._settings.read_timeout_s):
            return await marshalling.next_batch(iterator, rows_max)
