"""Keys of the secondary indexes over data and delete files (key space FC).

Their values are ``FileReference`` messages (see definitions): empty where the key says everything, the table
id under ``file_table``, table id and data file id under ``delete_file``.
"""

from __future__ import annotations

import struct

from rocklake_server.encoding import ordered
from rocklake_server.errors import CorruptValue
from rocklake_server.schema import system_subspaces as subspaces
from rocklake_server.store.base import Key, Prefix

_pack_one, _pack_three = struct.Struct(">BBQ").pack, struct.Struct(">BBQQQ").pack
"""Of the key space, the index, and ids as most are: not NULL, not negative."""


def _index(which: int, *fields: int | None) -> bytes:
    """Also for NULL and negative numbers, whose patterns encode_int knows."""
    return bytes([subspaces.INDEXES, which]) + b"".join(map(ordered.encode_int, fields))


def registered_at_key(snapshot_id: int | None, table_id: int | None, data_file_id: int) -> Key:
    """FC 01, snapshot_id (the file's begin_snapshot), table_id, data_file_id."""
    try:
        return Key(_pack_three(subspaces.INDEXES, subspaces.INDEX_REGISTERED_AT, snapshot_id, table_id, data_file_id))
    except struct.error:
        return Key(_index(subspaces.INDEX_REGISTERED_AT, snapshot_id, table_id, data_file_id))


def registered_at_prefix(snapshot_id: int | None, *table_id: int | None) -> Prefix:
    """The files that a snapshot registered, of one table when ``table_id`` is given."""
    return Prefix(_index(subspaces.INDEX_REGISTERED_AT, snapshot_id, *table_id))


def visible_at_key(table_id: int | None, end_snapshot: int | None, data_file_id: int) -> Key:
    """FC 02, table_id, end_snapshot (the greatest id while the file is not ended), data_file_id."""
    end = ordered.ID_MAX if end_snapshot is None else end_snapshot
    try:
        return Key(_pack_three(subspaces.INDEXES, subspaces.INDEX_VISIBLE_AT, table_id, end, data_file_id))
    except struct.error:
        return Key(_index(subspaces.INDEX_VISIBLE_AT, table_id, end, data_file_id))


def visible_at_prefix(table_id: int | None) -> Prefix:
    """The files of a table, in the order of their end."""
    return Prefix(_index(subspaces.INDEX_VISIBLE_AT, table_id))


def visible_at_start(snapshot_id: int) -> bytes:
    """The suffix of ``visible_at_prefix`` from which on files end after ``snapshot_id`` or not at all."""
    return ordered.encode_int(min(snapshot_id + 1, ordered.ID_MAX))


def file_table_key(data_file_id: int) -> Key:
    """FC 03, data_file_id. The value holds the table id."""
    try:
        return Key(_pack_one(subspaces.INDEXES, subspaces.INDEX_FILE_TABLE, data_file_id))
    except struct.error:
        return Key(_index(subspaces.INDEX_FILE_TABLE, data_file_id))


def delete_file_key(delete_file_id: int) -> Key:
    """FC 04, delete_file_id. The value holds the table id and the data file id."""
    return Key(_index(subspaces.INDEX_DELETE_FILE, delete_file_id))


def decode_index_key(key: bytes) -> tuple[int, tuple[int | None, ...]]:
    """Which index (01 … 04) and the fields of its key; the end of a file that is not ended reads None.
    Raises CorruptValue."""
    widths = {
        subspaces.INDEX_REGISTERED_AT: 3, subspaces.INDEX_VISIBLE_AT: 3,
        subspaces.INDEX_FILE_TABLE: 1, subspaces.INDEX_DELETE_FILE: 1,
    }
    width = widths.get(key[1]) if len(key) > 1 and key[0] == subspaces.INDEXES else None
    if width is None or len(key) != 2 + width * ordered.ID_BYTES:
        raise CorruptValue(f"key {key.hex()} is not that of an index entry")
    fields = [ordered.decode_int(key, 2 + position * ordered.ID_BYTES)[0] for position in range(width)]
    if key[1] == subspaces.INDEX_VISIBLE_AT and fields[1] == ordered.ID_MAX:
        fields[1] = None
    return key[1], tuple(fields)
