"""How much of everything a lake's store holds: rows, bytes and versions of each relation, indexes, retired rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from rocklake_server.catalog.access import access_of
from rocklake_server.catalog.lake_reader import LakeReader
from rocklake_server.catalog.maintenance.definitions import read_definitions
from rocklake_server.catalog.maintenance.key_space import KeyFacts, KeySpace, Space
from rocklake_server.catalog.maintenance.tables import seen_at
from rocklake_server.catalog.view import Row
from rocklake_server.errors import CorruptValue
from rocklake_server.store.base import Prefix


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


async def sizes_at(reader: LakeReader, snapshot_id: int | None, tell: Callable[[int], None]) -> list[Size]:
    """In the order of their keys, relations without rows included. Reads every key of the lake. ``snapshot_id`` is
    ``None`` for a lake without snapshots."""
    definitions = await read_definitions(reader.snapshot)
    space = KeySpace(definitions.relations, definitions.dropped)
    sizes: dict[tuple[Space, str], Size] = {}
    sees: dict[str, Callable[[Row], bool]] = {}
    for relation in definitions.relations:
        sizes[Space.ROW, relation.name] = Size(relation.name, relation.kind.value, seen=0)
        if snapshot_id is not None:
            sees[relation.name] = seen_at(relation, snapshot_id)
    async for entries in reader.snapshot.scan(Prefix(b"")):
        for key, value in entries:
            facts = _explained(space, key)
            size = _size_of(sizes, facts)
            size.keys += 1
            size.key_bytes += len(key)
            size.value_bytes += len(value)
            if facts is not None and size.seen is not None:
                _count_row(facts, sees, size, key, value)
        tell(len(entries))
    return list(sizes.values())


def _explained(space: KeySpace, key: bytes) -> KeyFacts | None:
    try:
        return space.explain(key)
    except CorruptValue:
        return None


def _size_of(sizes: dict[tuple[Space, str], Size], facts: KeyFacts | None) -> Size:
    if facts is None:
        return sizes.setdefault((Space.SYSTEM, ""), Size("keys that verify reports", "unknown"))
    if facts.space is Space.ROW and not facts.is_dropped:
        return sizes[Space.ROW, facts.name]
    if facts.space is Space.ROW:
        return sizes.setdefault((Space.ROW, f"{facts.name} dropped"), Size(facts.name, "dropped relation"))
    name = facts.name if facts.space is not Space.SYSTEM else "system keys"
    return sizes.setdefault((facts.space, name), Size(name, facts.space.value))


def _count_row(facts: KeyFacts, sees: dict[str, Callable[[Row], bool]], size: Size, key: bytes, value: bytes) -> None:
    size.tie_breakers += facts.parts[-1].name == "tie_breaker"
    if facts.relation is None or size.seen is None or size.name not in sees:
        return
    try:
        row = access_of(facts.relation).codec.decode(key, value)
    except CorruptValue:
        return  # verify tells of it
    size.seen += sees[size.name](row)
