"""Prefix scans -> images: what a root has not loaded yet is read through the root's own store snapshot."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from functools import partial
from itertools import groupby
from typing import cast

from rocklake_server.catalog import mvcc
from rocklake_server.catalog.access import Access, access_of
from rocklake_server.catalog.chunk import PackedChunk, RowChunk
from rocklake_server.catalog.image import (
    ALL_ROWS,
    EMPTY,
    WHOLE,
    Image,
    Part,
    Partition,
    RelationImage,
    Wanted,
)
from rocklake_server.catalog.indexes import live_files
from rocklake_server.catalog.view import Row
from rocklake_server.encoding.keys import key_prefix
from rocklake_server.errors import CorruptValue
from rocklake_server.limits import CHUNK_ROWS_MAX, PACKED_ROWS_MIN
from rocklake_server.pacing import checked, in_slices
from rocklake_server.schema.model import Relation
from rocklake_server.store.base import Entry, Key, Prefix, StoreSnapshot

GETS_AT_ONCE = 64

GETS_MAX = 2048
"""Rows that are got one by one; reading more of them in a scan is cheaper, even if it meets rows that nobody wants."""


class _Loading:
    """The image of stored entries that come in key order: chunks are made as soon as they are full."""

    def __init__(self, access: Access) -> None:
        self._codec = access.codec
        self._chunks: list[RowChunk] = []
        self._entries: list[Entry] = []

    async def add(self, entries: Sequence[Entry]) -> None:
        self._entries += entries
        while len(self._entries) >= CHUNK_ROWS_MAX:
            await in_slices(partial(self._make_chunk, CHUNK_ROWS_MAX))

    async def finished(self) -> Image:
        if self._entries:
            await in_slices(partial(self._make_chunk, len(self._entries)))
        return Image(self._chunks)

    def _make_chunk(self, size: int) -> None:
        entries, self._entries = self._entries[:size], self._entries[size:]
        keys = [key for key, _ in entries]
        if size >= PACKED_ROWS_MIN:
            self._chunks.append(PackedChunk.of(keys, self._codec.decode_columns(entries)))
        else:
            self._chunks.append(RowChunk(keys, [self._codec.decode(key, value) for key, value in checked(entries)]))


async def load_relation(snapshot: StoreSnapshot, relation: Relation) -> RelationImage:
    """Every row of ``relation``, by partition."""
    access = access_of(relation)
    if access.leading is None:
        return RelationImage({WHOLE: Part(await _image(snapshot, access, access.prefix))}, complete=True)
    parts: dict[Partition, Part] = {}
    width = len(key_prefix(relation, 0))
    current, loading = b"", _Loading(access)
    async for entries in snapshot.scan(access.prefix):
        for leading, run in groupby(entries, lambda entry: entry[0][:width]):
            if current and leading != current:
                parts[access.partition_of_key(current)] = Part(await loading.finished())
                loading = _Loading(access)
            current = leading
            await loading.add(list(run))
        await asyncio.sleep(0)
    if current:
        parts[access.partition_of_key(current)] = Part(await loading.finished())
    return RelationImage(parts, complete=True)


async def load_partition(
    snapshot: StoreSnapshot, relation: Relation, partition: Partition, wanted: Wanted = ALL_ROWS
) -> Part:
    """The rows of one partition that ``wanted`` names, and others only where that costs nothing: only the files that
    end after a snapshot are found through the visible-at index, so that ended files cost nothing."""
    access = access_of(relation)
    if wanted.live_after is not None and isinstance(partition, int) and access.index_entries is not None:
        file_keys = await live_files(snapshot, relation, partition, wanted.live_after)
        if file_keys is not None and len(file_keys) <= GETS_MAX:
            keys, rows = await load_keys(snapshot, relation, file_keys)
            _check_listed(relation, file_keys, keys, rows, wanted.live_after)
            return Part(Image.of(keys, rows), live_after=wanted.live_after)
    if wanted.section is not None:
        return Part(EMPTY, sections={wanted.section: await _image(snapshot, access, wanted.section)})
    return Part(await _image(snapshot, access, key_prefix(relation, partition)))


async def _image(snapshot: StoreSnapshot, access: Access, prefix: Prefix) -> Image:
    """The rows under ``prefix``, decoded as they come."""
    loading = _Loading(access)
    async for entries in snapshot.scan(prefix):
        await loading.add(entries)
        await asyncio.sleep(0)
    return await loading.finished()


def _check_listed(
    relation: Relation, listed: Sequence[Key], keys: Sequence[Key], rows: Sequence[Row], live_after: int
) -> None:
    """The index and the rows have to agree: every file it lists is there, and part of a snapshot after
    ``live_after``. Raises CorruptValue naming the key."""
    missing = set(listed).difference(keys)
    if missing:
        raise CorruptValue(f"{relation.name}: an index lists key {min(missing).hex()}, which has no row")
    begin, end = relation.index["begin_snapshot"], relation.index["end_snapshot"]
    for key, row in zip(keys, rows, strict=True):
        began, ended = cast("int | None", row[begin]), cast("int | None", row[end])
        if began is not None and not mvcc.is_visible(began, ended, max(began, live_after)):
            raise CorruptValue(f"{relation.name}: an index lists key {key.hex()}, whose file has ended, as live")


async def load_keys(
    snapshot: StoreSnapshot, relation: Relation, keys: Sequence[Key]
) -> tuple[list[Key], list[Row]]:
    """The rows stored under ``keys``, in key order; keys without a row are left out."""
    codec = access_of(relation).codec
    found_keys: list[Key] = []
    rows: list[Row] = []
    ordered = sorted(keys)
    for start in range(0, len(ordered), GETS_AT_ONCE):
        batch = ordered[start : start + GETS_AT_ONCE]
        values = await asyncio.gather(*(snapshot.get(key) for key in batch))
        for key, value in zip(batch, values, strict=True):
            if value is not None:
                found_keys.append(key)
                rows.append(codec.decode(key, value))
    return found_keys, rows


def chunks_of(keys: list[Key], rows: list[Row]) -> list[RowChunk]:
    """Rows read by key as a chunk of their own; none for no rows."""
    return [RowChunk(keys, rows)] if keys else []
