"""Whether a key or a primary key is already taken at a root, with as few store reads as can be."""

from __future__ import annotations

from typing import cast

from rocklake_server.catalog.access import Access, access_of
from rocklake_server.catalog.chunk import RowChunk
from rocklake_server.catalog.image import Image
from rocklake_server.catalog.indexes import keys_of_primary
from rocklake_server.catalog.lake import Lake
from rocklake_server.catalog.root import Root
from rocklake_server.catalog.staged import Staged
from rocklake_server.catalog.view import Row
from rocklake_server.encoding.keys import key_prefix
from rocklake_server.pacing import Turns
from rocklake_server.schema.model import Relation
from rocklake_server.store.base import Key


async def row_is_present(lake: Lake, root: Root, relation: Relation, access: Access, row: Row, key: Key) -> bool:
    """Whether ``root`` holds a row under ``key``."""
    base = root.relations.by_id.get(relation.relation_id)
    if base is None:
        return False
    partition = access.partition(row)
    part = root.image(relation.relation_id).part(partition)
    if part is None and not relation.partition:
        part = await lake.part(root, base, partition)
    if part is not None:
        return part.image.get(key) is not None
    return await root.snapshot.get(key) is not None


async def primary_is_taken(lake: Lake, root: Root, relation: Relation, row: Row, staged: Staged) -> bool:
    """Whether ``root`` holds a row with this row's primary key that the transaction did not remove itself."""
    access = access_of(relation)
    base = root.relations.by_id.get(relation.relation_id)
    if base is None or access.freshness(root.counters)(row):
        return False

    def remains(key: Key) -> bool:
        entry = staged.entries.get(key)
        return entry is None or entry.new is not None

    if access.key_is_primary:
        key = access.key(row)
        return await row_is_present(lake, root, relation, access, row, key) and remains(key)
    if relation.partition:
        keys = await keys_of_primary(root.snapshot, relation, [cast("int", row[relation.primary_key[0]])])
        if keys is not None:
            return any(remains(key) for key, _ in keys)
    primary = tuple(row[index] for index in relation.primary_key)
    complete = await lake.complete(root, base)
    turns = Turns()
    for part in complete.parts.values():
        for chunk in _candidates(relation, part.image, row):
            found = chunk.keys_by(tuple(base.primary_key)).get(primary)
            if found is not None and remains(found):
                return True
            await turns.take()
    return False


def _candidates(relation: Relation, image: Image, row: Row) -> list[RowChunk]:
    leading = relation.key_columns[0] if relation.key_columns else None
    if leading is not None and leading in relation.primary_key:
        prefix = key_prefix(relation, cast("int | str | None", row[leading]))
        return image.overlapping(prefix, prefix + b"\xff" * 9)
    return image.chunks
