"""Copies every key and value of one database into another as they are, and compares what arrived. The event loop has
its turns meanwhile: a server copies beside its sessions."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any, TypeVar

from rocklake_server.errors import CorruptValue
from rocklake_server.store.base import Prefix, Store, StoreSnapshot, WriteBatch
from rocklake_server.store.paced import PacedSnapshot

T = TypeVar("T")

Tell = Callable[[int], None]
"""Is told how many more keys were copied or compared."""

BATCH_BYTES = 4 * 1024 * 1024
"""Bytes of keys and values in one write of a command's own process. A server's are smaller: making one ready takes
turns of its event loop."""

_EVERYTHING = Prefix(b"")


@dataclass(frozen=True, slots=True)
class EntrySum:
    """``digest`` is the BLAKE2b of all entries in key order, each part with its length before it."""

    entries: int
    size_bytes: int
    digest: str


class _Summing:
    def __init__(self) -> None:
        self._entries = self._size_bytes = 0
        self._hash = blake2b(digest_size=16)

    def add(self, key: bytes, value: bytes) -> None:
        self._entries += 1
        self._size_bytes += len(key) + len(value)
        self._hash.update(len(key).to_bytes(4, "big") + key + len(value).to_bytes(4, "big") + value)

    def result(self) -> EntrySum:
        return EntrySum(self._entries, self._size_bytes, self._hash.hexdigest())


async def sum_of(snapshot: StoreSnapshot, tell: Tell) -> EntrySum:
    """Of everything in ``snapshot``. Raises StoreUnavailable."""
    summing = _Summing()
    async for entries in PacedSnapshot(snapshot).scan(_EVERYTHING):
        for key, value in entries:
            summing.add(key, value)
        tell(len(entries))
    return summing.result()


async def copy_entries(
    snapshot: StoreSnapshot, store: Store, tell: Tell, *, batch_bytes: int = BATCH_BYTES
) -> EntrySum:
    """Everything in ``snapshot`` into ``store``, which holds nothing else afterwards. Returns the sum of both. Raises
    CorruptValue when ``store`` gives back something else, StoreUnavailable, OutcomeUnknown."""
    await _clear(store)
    summing, batch = _Summing(), WriteBatch()
    written_bytes = 0
    async for entries in PacedSnapshot(snapshot).scan(_EVERYTHING):
        for key, value in entries:
            summing.add(key, value)
            batch.put(key, value)
            written_bytes += len(key) + len(value)
        if written_bytes >= batch_bytes:
            await seen_through(store.write(batch))
            batch, written_bytes = WriteBatch(), 0
        tell(len(entries))
    await seen_through(store.write(batch))
    copied = summing.result()
    arrived = await sum_of(await store.snapshot(), tell)
    if arrived != copied:
        raise CorruptValue(f"the copy is not the same: {copied.entries} entries with checksum {copied.digest} were "
                           f"written, {arrived.entries} with {arrived.digest} were read back")
    return copied


async def _clear(store: Store) -> None:
    """Removes what an attempt that did not end has left."""
    snapshot = await store.snapshot()
    async for entries in snapshot.scan(_EVERYTHING):
        batch = WriteBatch()
        for key, _ in entries:
            batch.delete(key)
        await seen_through(store.write(batch))


async def seen_through(writing: Coroutine[Any, Any, T]) -> T:
    """What a write returns. It goes on to its end when the caller is cancelled, who hears of that afterwards."""
    task = asyncio.ensure_future(writing)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        await asyncio.wait([task])
        raise
