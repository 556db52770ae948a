"""The secondary indexes of files (FC): written in the same batch as the rows, read where they save keys."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import Any, TypeAlias

from rocklake_server.catalog.view import Row
from rocklake_server.encoding.definitions import FileReference, decode_reference, encode_reference
from rocklake_server.encoding.indexes import (
    decode_index_key,
    delete_file_key,
    file_table_key,
    registered_at_key,
    registered_at_prefix,
    visible_at_key,
    visible_at_prefix,
    visible_at_start,
)
from rocklake_server.encoding.keys import key_prefix
from rocklake_server.schema.model import Relation, RelationKind
from rocklake_server.store.base import Key, StoreSnapshot

_NOTHING = encode_reference()
"""The value of an index entry whose key says everything."""

IndexEntries: TypeAlias = Callable[[Row], list[tuple[Key, bytes]]]


def index_entries(relation: Relation) -> IndexEntries | None:
    """What the indexes hold for a row of ``relation``; ``None`` when it has no index."""
    if relation.kind is not RelationKind.DECLARED or None in relation.key_columns:
        return None
    if relation.name == "ducklake_data_file":
        return _data_file_entries(relation)
    if relation.name == "ducklake_delete_file" and "data_file_id" in relation.index:
        return _delete_file_entries(relation)
    return None


def _data_file_entries(relation: Relation) -> IndexEntries | None:
    at = relation.index
    if not {"data_file_id", "table_id", "begin_snapshot", "end_snapshot"} <= at.keys():
        return None
    file, table, begin, end = (at[n] for n in ("data_file_id", "table_id", "begin_snapshot", "end_snapshot"))

    def entries(row: Sequence[Any]) -> list[tuple[Key, bytes]]:
        file_id, table_id = row[file], row[table]
        return [
            (registered_at_key(row[begin], table_id, file_id), _NOTHING),
            (visible_at_key(table_id, row[end], file_id), _NOTHING),
            (file_table_key(file_id), _table_reference(table_id)),
        ]

    return entries


@lru_cache(maxsize=4096)
def _table_reference(table_id: int | None) -> bytes:
    return encode_reference(FileReference(table_id))


def _delete_file_entries(relation: Relation) -> IndexEntries:
    at = relation.index
    delete, table, file = at["delete_file_id"], at["table_id"], at["data_file_id"]

    def entries(row: Sequence[Any]) -> list[tuple[Key, bytes]]:
        reference = FileReference(row[table], row[file])
        return [(delete_file_key(row[delete]), encode_reference(reference))]

    return entries


async def live_files(
    snapshot: StoreSnapshot, relation: Relation, table_id: int, live_after: int
) -> list[Key] | None:
    """Keys of a table's data files that end after ``live_after`` or have not ended; ``None`` when ``relation`` has no
    such index."""
    if relation.name != "ducklake_data_file":
        return None
    keys: list[Key] = []
    async for batch in snapshot.scan(visible_at_prefix(table_id), start=visible_at_start(max(live_after, -1))):
        for key, _ in batch:
            file_id = decode_index_key(key)[1][2]
            keys.append(Key(key_prefix(relation, table_id, file_id)))
    return keys


async def keys_registered_at(
    snapshot: StoreSnapshot, relation: Relation, snapshot_ids: Iterable[int]
) -> list[tuple[Key, int | None]] | None:
    """(key, table id) of the data files that began at these snapshots; ``None`` when ``relation`` has no such
    index."""
    if relation.name != "ducklake_data_file" or index_entries(relation) is None:
        return None
    keys: list[tuple[Key, int | None]] = []
    for snapshot_id in snapshot_ids:
        async for batch in snapshot.scan(registered_at_prefix(snapshot_id)):
            for index_key, _ in batch:
                _, table_id, file_id = decode_index_key(index_key)[1]
                keys.append((Key(key_prefix(relation, table_id, file_id)), table_id))
    return keys


async def keys_of_primary(
    snapshot: StoreSnapshot, relation: Relation, ids: Iterable[int]
) -> list[tuple[Key, int | None]] | None:
    """(key, table id) of the files with these ids, by the index from id to table; ``None`` when ``relation`` has no
    such index. Ids that no file has are left out."""
    if index_entries(relation) is None:
        return None
    of_data_files = relation.name == "ducklake_data_file"
    keys: list[tuple[Key, int | None]] = []
    for file_id in ids:
        index_key = file_table_key(file_id) if of_data_files else delete_file_key(file_id)
        value = await snapshot.get(index_key)
        if value is not None:
            table_id = decode_reference(index_key, value).table_id
            keys.append((Key(key_prefix(relation, table_id, file_id)), table_id))
    return keys
