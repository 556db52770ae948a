"""How much of everything a lake's store holds: rows, bytes and versions of each relation, indexes, retired rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from rocklake_server.catalog.access import access_of
from rocklake_server.catalog.lake_reader import LakeReader
from rocklake_server.catalog.maintenance.definitions import read_definitions
from rocklake_server.catalog.maintenance.key_space import KeySpace, Space, unknown_entries
from rocklake_server.catalog.maintenance.tables import seen_at
from rocklake_server.catalog.view import Row
from rocklake_server.encoding.keys import decode_row_key, relation_prefix
from rocklake_server.errors import CorruptValue
from rocklake_server.schema.model import Relation
from rocklake_server.schema.system_subspaces import COUNTERS, INDEXES, RETIRED_ROWS, SYSTEM
from rocklake_server.store.base import Entry, Key, Prefix


@dataclass(slots=True)
class Size:
    """Of one relation, or of one kind of other keys. ``seen`` are the rows that the asked snapshot sees, and
    ``tie_breakers`` those that share their key fields with another row."""

    name: str
    kind: str
    keys: int = 0
    seen: int | None = None
    tie_breakers: int = 0
    key_bytes: int = 0
    value_bytes: int = 0

    def add(self, key: Key, value: bytes) -> None:
        self.keys += 1
        self.key_bytes += len(key)
        self.value_bytes += len(value)


async def sizes_at(reader: LakeReader, snapshot_id: int | None, tell: Callable[[int], None]) -> list[Size]:
    """Relations by number, those without rows included, then everything else. Reads every key of the lake.
    ``snapshot_id`` is ``None`` for a lake without snapshots."""
    definitions = await read_definitions(reader.snapshot)
    sizes = [await _relation(reader, relation, snapshot_id, tell) for relation in definitions.relations]
    for relation in definitions.left_behind():
        size = Size(relation.name, "dropped relation")
        async for entries in reader.snapshot.scan(relation_prefix(relation)):
            for key, value in entries:
                size.add(key, value)
            tell(len(entries))
        sizes += [size] if size.keys else []
    space = KeySpace(definitions.relations, definitions.dropped)
    sizes += await _other_keys(reader, space, tell)
    unknown = Size("keys that verify reports", "unknown")
    async for entries in unknown_entries(reader.snapshot, definitions.relations, definitions.left_behind()):
        for key, value in entries:
            unknown.add(key, value)
    return [*sizes, *([unknown] if unknown.keys else [])]


async def _relation(
    reader: LakeReader, relation: Relation, snapshot_id: int | None, tell: Callable[[int], None]
) -> Size:
    size = Size(relation.name, relation.kind.value, seen=0)
    sees = seen_at(relation, snapshot_id) if snapshot_id is not None else None
    decode = access_of(relation).codec.decode
    async for entries in reader.snapshot.scan(relation_prefix(relation)):
        for entry in entries:
            size.add(*entry)
            _count_row(size, relation, entry, decode, sees)
        tell(len(entries))
    return size


def _count_row(
    size: Size,
    relation: Relation,
    entry: Entry,
    decode: Callable[[bytes, bytes], Row],
    sees: Callable[[Row], bool] | None,
) -> None:
    """What cannot be decoded counts as a key only; verify tells of it."""
    key, value = entry
    try:
        size.tie_breakers += decode_row_key(relation, key)[1] > 0
        if sees is not None and size.seen is not None:
            size.seen += sees(decode(key, value))
    except CorruptValue:
        return


async def _other_keys(reader: LakeReader, space: KeySpace, tell: Callable[[int], None]) -> list[Size]:
    sizes: dict[tuple[Space, str], Size] = {}
    for tag in (RETIRED_ROWS, INDEXES, COUNTERS, SYSTEM):
        async for entries in reader.snapshot.scan(Prefix(bytes([tag]))):
            for key, value in entries:
                kind, name = _kind(space, key)
                sizes.setdefault((kind, name), Size(name, kind.value)).add(key, value)
            tell(len(entries))
    return list(sizes.values())


def _kind(space: KeySpace, key: Key) -> tuple[Space, str]:
    try:
        facts = space.explain(key)
    except CorruptValue:
        return Space.SYSTEM, "keys that verify reports"
    return facts.space, "system keys" if facts.space is Space.SYSTEM else facts.name
