"""A lake's own keys: format version, writer epoch, commit sequence, counters, definitions of relations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import ClassVar

from rocklake_server.catalog.relations import relation_oid
from rocklake_server.encoding.definitions import (
    decode_definition,
    decode_number,
    decode_system_text,
    encode_definition,
    encode_number,
    encode_system_text,
)
from rocklake_server.encoding.keys import counter_key, system_key, system_prefix
from rocklake_server.errors import CorruptValue, FormatVersionUnsupported
from rocklake_server.schema.model import Relation, RelationKind
from rocklake_server.schema.system_subspaces import (
    CATALOG_FORMAT_VERSION,
    COUNTERS,
    SYSTEM_COMMIT_SEQUENCE,
    SYSTEM_DROPPED,
    SYSTEM_FORMAT_VERSION,
    SYSTEM_NEXT_RELATION,
    SYSTEM_NEXT_ROW,
    SYSTEM_OPENED_AT,
    SYSTEM_RELATION,
    SYSTEM_STORED_BYTES,
    SYSTEM_TEXTS,
    SYSTEM_WRITER_EPOCH,
)
from rocklake_server.store.base import Key, Prefix, StoreSnapshot, WriteBatch

SHARED_RELATIONS_MAX = 2048
"""Definitions of DuckLake's own relations that are kept for the next lake, which mostly has the same."""


@dataclass(frozen=True, slots=True)
class SystemState:
    """What a lake's system keys say when it is opened; the defaults are those of a new lake."""

    sequence: int = 0
    writer_epoch: int = 0
    stored_bytes: int = 0
    next_row: int = 0
    next_relation_id: int = 1
    format_version: int | None = None
    counters: Mapping[str, int] = field(default_factory=dict)
    relations: tuple[Relation, ...] = ()
    comments: Mapping[str, str] = field(default_factory=dict)


async def read_system_state(snapshot: StoreSnapshot, *, schema: str, slot: int) -> SystemState:
    """Raises FormatVersionUnsupported for a lake of another catalog format, CorruptValue for one that has commits
    and no format version."""

    async def number(name: str, default: int) -> int:
        key = system_key(name)
        value = await snapshot.get(key)
        return default if value is None else decode_number(key, value)

    version = await number(SYSTEM_FORMAT_VERSION, 0)
    sequence = await number(SYSTEM_COMMIT_SEQUENCE, 0)
    if version not in (0, CATALOG_FORMAT_VERSION):
        raise FormatVersionUnsupported(
            f"the lake has catalog format version {version}; this server reads version {CATALOG_FORMAT_VERSION}"
        )
    if sequence and not version:
        raise CorruptValue(f"the lake has commit sequence {sequence} but no catalog format version")
    return SystemState(
        sequence=sequence,
        writer_epoch=await number(SYSTEM_WRITER_EPOCH, 0),
        stored_bytes=await number(SYSTEM_STORED_BYTES, 0),
        next_row=await number(SYSTEM_NEXT_ROW, 0),
        next_relation_id=await number(SYSTEM_NEXT_RELATION, 1),
        format_version=version or None,
        counters=await _read_counters(snapshot),
        relations=await _read_relations(snapshot, schema, slot),
        comments=await _read_comments(snapshot),
    )


async def _read_counters(snapshot: StoreSnapshot) -> dict[str, int]:
    counters: dict[str, int] = {}
    async for batch in snapshot.scan(Prefix(bytes([COUNTERS]))):
        counters.update({key[1:].decode("ascii"): decode_number(key, value) for key, value in batch})
    return counters


async def _read_relations(snapshot: StoreSnapshot, schema: str, slot: int) -> tuple[Relation, ...]:
    found: list[Relation] = []
    async for batch in snapshot.scan(system_prefix(SYSTEM_RELATION)):
        found += [placed(decode_definition(key, value), schema, slot) for key, value in batch]
    return tuple(found)


async def _read_comments(snapshot: StoreSnapshot) -> dict[str, str]:
    found = {name: (key := system_key(name), await snapshot.get(key)) for name in sorted(SYSTEM_TEXTS)}
    return {name: decode_system_text(key, value) for name, (key, value) in found.items() if value is not None}


def placed(relation: Relation, schema: str, slot: int) -> Relation:
    """The definition as seen in its schema: with the schema's name and OIDs. One that other lakes have too is the same
    object for all, and what is derived from it is derived once."""
    indexes = tuple(replace(index, oid=relation_oid(index.index_id, slot)) for index in relation.indexes)
    found = replace(relation, schema=schema, oid=relation_oid(relation.relation_id, slot), indexes=indexes)
    return _shared(found) if found.kind is RelationKind.DECLARED else found


@lru_cache(maxsize=SHARED_RELATIONS_MAX)
def _shared(relation: Relation) -> Relation:
    return relation


def write_opening(batch: WriteBatch, state: SystemState) -> None:
    """What opening for writing puts: the format version of a new lake, and a raised writer epoch with the commit
    sequence that it begins with."""
    batch.put(system_key(SYSTEM_FORMAT_VERSION), encode_number(CATALOG_FORMAT_VERSION))
    batch.put(system_key(SYSTEM_WRITER_EPOCH), encode_number(state.writer_epoch + 1))
    batch.put(system_key(SYSTEM_OPENED_AT), encode_number(state.sequence))


def write_sequence(
    batch: WriteBatch, sequence: int, *, next_row: int, next_relation_id: int, stored_bytes: int
) -> None:
    """What every commit puts."""
    batch.put(system_key(SYSTEM_COMMIT_SEQUENCE), encode_number(sequence))
    batch.put(system_key(SYSTEM_NEXT_ROW), encode_number(next_row))
    batch.put(system_key(SYSTEM_NEXT_RELATION), encode_number(next_relation_id))
    batch.put(system_key(SYSTEM_STORED_BYTES), encode_number(stored_bytes))


def write_counters(batch: WriteBatch, counters: Mapping[str, int]) -> None:
    for name, value in counters.items():
        batch.put(counter_key(name), encode_number(value))


def write_comments(batch: WriteBatch, comments: Mapping[str, str]) -> None:
    """The lake's own comments, by the names of their keys."""
    for name, text in comments.items():
        batch.put(system_key(name), encode_system_text(text))


def write_definition(batch: WriteBatch, relation: Relation) -> None:
    batch.put(system_key(SYSTEM_RELATION, relation.relation_id), encode_definition(relation))


def write_drop(batch: WriteBatch, relation: Relation, sequence: int) -> None:
    """A relation's definition moves aside when commit ``sequence`` drops it: its id, and the numbers of its fields, are
    never used again."""
    batch.delete(system_key(SYSTEM_RELATION, relation.relation_id))
    batch.put(system_key(SYSTEM_DROPPED, relation.relation_id), encode_definition(relation, sequence))


@dataclass(frozen=True, slots=True)
class NewestCommit:
    """What was committed last, who writes the lake, and the commit sequence that this writer began with."""

    KEYS: ClassVar[tuple[Key, ...]] = tuple(
        system_key(name) for name in (SYSTEM_COMMIT_SEQUENCE, SYSTEM_WRITER_EPOCH, SYSTEM_OPENED_AT)
    )

    sequence: int
    writer_epoch: int
    opened_at: int

    @classmethod
    def of(cls, values: Sequence[bytes | None]) -> NewestCommit:
        """From the values of ``KEYS``."""
        found = zip(cls.KEYS, values, strict=True)
        return cls(*(0 if value is None else decode_number(key, value) for key, value in found))

    def holds(self, sequence: int, writer_epoch: int) -> bool | None:
        """Whether commit ``sequence`` of that writer is in the store; ``None`` when this does not tell, or not yet."""
        if self.writer_epoch == writer_epoch:
            return True if self.sequence >= sequence else None
        if self.opened_at < sequence:
            return False
        return True if self.writer_epoch == writer_epoch + 1 else None


async def read_newest_commit(snapshot: StoreSnapshot) -> NewestCommit:
    return NewestCommit.of([await snapshot.get(key) for key in NewestCommit.KEYS])
