"""What one relation takes in the store, found by reading its keys and values once after each change of it."""

from __future__ import annotations

from rocklake_server.catalog.access import access_of
from rocklake_server.catalog.root import Root
from rocklake_server.catalog.view import RelationBytes
from rocklake_server.pacing import Turns
from rocklake_server.schema.model import Relation
from rocklake_server.schema.system_subspaces import (
    INDEX_DELETE_FILE,
    INDEX_FILE_TABLE,
    INDEX_REGISTERED_AT,
    INDEX_VISIBLE_AT,
    INDEXES,
)
from rocklake_server.store.base import Prefix, StoreSnapshot

_INDEXES_OF = {
    "ducklake_data_file": (INDEX_REGISTERED_AT, INDEX_VISIBLE_AT, INDEX_FILE_TABLE),
    "ducklake_delete_file": (INDEX_DELETE_FILE,),
}


async def relation_bytes(root: Root, relation: Relation) -> RelationBytes:
    """The bytes of a relation's keys and values at ``root``; rows that were deleted and are kept for a while do not
    count. Raises StoreUnavailable."""
    found = root.measured.get(relation.relation_id)
    if found is None:
        access = access_of(relation)
        rows = await _bytes_under(root.snapshot, Prefix(access.prefix))
        indexes = 0
        if access.index_entries is not None and relation.table is not None:
            for which in _INDEXES_OF[relation.table.name]:
                indexes += await _bytes_under(root.snapshot, Prefix(bytes((INDEXES, which))))
        found = root.measured[relation.relation_id] = RelationBytes(rows, indexes)
    return found


async def _bytes_under(snapshot: StoreSnapshot, prefix: Prefix) -> int:
    size_bytes, turns = 0, Turns()
    async for entries in snapshot.scan(prefix):
        size_bytes += sum([len(key) + len(value) for key, value in entries])
        await turns.take()
    return size_bytes
