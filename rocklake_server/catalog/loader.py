"""Prefix scans -> images: what a root has not loaded yet is read through the root's own store snapshot."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from functools import partial
from itertools import groupby
from typing import cast

from rocklake_server.catalog import mvcc
from rocklake_server.catalog.access import Access, access_of
from rocklake_server.catalog.chunk import RowChunk
from rocklake_server.catalog.image import WHOLE, Image, Part, Partition, RelationImage
from rocklake_server.catalog.indexes import live_files
from rocklake_server.catalog.view import Row
from rocklake_server.encoding.keys import key_prefix
from rocklake_server.errors import CorruptValue
from rocklake_server.pacing import checked, in_slices
from rocklake_server.schema.model import Relation
from rocklake_server.store.base import Key, Prefix, StoreSnapshot

GETS_AT_ONCE = 64


async def load_relation(snapshot: StoreSnapshot, relation: Relation) -> RelationImage:
    """Every row of ``relation``, by partition."""
    access = access_of(relation)
    keys, rows = await _scan(snapshot, access, access.prefix)
    if access.leading is None:
        return RelationImage({WHOLE: Part(Image.of(keys, rows))}, complete=True)
    return await in_slices(partial(_partitioned, access, keys, rows))


def _partitioned(access: Access, keys: list[Key], rows: list[Row]) -> RelationImage:
    parts: dict[Partition, Part] = {}
    entries = zip(keys, checked(rows), strict=True)
    for partition, group in groupby(entries, key=lambda entry: access.partition(entry[1])):
        content = list(group)
        parts[partition] = Part(Image.of([key for key, _ in content], [row for _, row in content]))
    return RelationImage(parts, complete=True)


async def load_partition(
    snapshot: StoreSnapshot, relation: Relation, partition: Partition, live_after: int | None
) -> Part:
    """The rows of one partition: with ``live_after`` only the files that end after that snapshot, found through the
    visible-at index, so that ended files cost nothing."""
    access = access_of(relation)
    if live_after is not None and isinstance(partition, int) and access.index_entries is not None:
        file_keys = await live_files(snapshot, relation, partition, live_after)
        if file_keys is not None:
            keys, rows = await load_keys(snapshot, relation, file_keys)
            _check_listed(relation, file_keys, keys, rows, live_after)
            return Part(Image.of(keys, rows), live_after)
    keys, rows = await _scan(snapshot, access, key_prefix(relation, partition))
    return Part(Image.of(keys, rows))


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


async def _scan(snapshot: StoreSnapshot, access: Access, prefix: Prefix) -> tuple[list[Key], list[Row]]:
    """Batches are decoded as they come, with a turn of the event loop between them."""
    keys: list[Key] = []
    rows: list[Row] = []
    decode = access.codec.decode
    async for batch in snapshot.scan(prefix):
        keys += [key for key, _ in batch]
        rows += [decode(key, value) for key, value in batch]
        await asyncio.sleep(0)
    return keys, rows


def chunk_of(keys: list[Key], rows: list[Row]) -> list[RowChunk]:
    """Rows read by key as a chunk of their own; none for no rows."""
    return [RowChunk(keys, rows)] if keys else []
