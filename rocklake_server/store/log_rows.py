"""What only the log of a database on an object store has: the writes behind a manifest's tables."""

from __future__ import annotations

import asyncio
from typing import Any

from slatedb.uniffi import RowEntryKind, SlateDbWalReader

from rocklake_server.errors import CorruptValue, InternalProblem
from rocklake_server.store.base import Key
from rocklake_server.store.log_check import RESTORE, log_file
from rocklake_server.store.object_stores import StoreLocation
from rocklake_server.store.slate_settings import SlateSettings


async def logged_changes(
    location: StoreLocation, objects: Any, manifest: Any, settings: SlateSettings
) -> dict[Key, bytes | None]:
    """The newest values of the keys that were written since the tables of ``manifest``, ``None`` for a key that was
    deleted, as of a moment of the call. Every file of the log is one write. Raises CorruptValue when a file is gone,
    SlateDB's errors."""
    reader = SlateDbWalReader(location.path, objects)
    first = manifest.replay_after_wal_id + 1
    last = await reader.last_wal_file_id(manifest.replay_after_wal_id)
    changes: dict[Key, bytes | None] = {}
    if last < first:
        return changes
    iterator = await reader.iterator(first)
    for number in range(first, last + 1):
        try:
            async with asyncio.timeout(settings.read_timeout_s):  # it would wait for a file that is gone
                rows = (await iterator.next()).rows
        except TimeoutError:
            text = f'store "{location}": {log_file(number)} is missing or cannot be read'
            raise CorruptValue(text, hint=RESTORE) from None
        for row in rows:
            if row.seq > manifest.last_l0_seq:
                changes[Key(row.key)] = _value(row)
    return changes


def _value(row: Any) -> bytes | None:
    if row.kind == RowEntryKind.VALUE:
        return bytes(row.value)
    if row.kind == RowEntryKind.TOMBSTONE:
        return None
    raise InternalProblem("the log holds a merge, which nothing here writes")
