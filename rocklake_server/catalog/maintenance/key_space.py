"""Every key of a lake's store: which space it belongs to, whose row it is, and what its bytes mean."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable
from dataclasses import dataclass
from enum import Enum

from rocklake_server.catalog.access import access_of
from rocklake_server.catalog.maintenance.readable import every_column
from rocklake_server.encoding.definitions import (
    FileReference,
    decode_definition,
    decode_dropped_by,
    decode_number,
    decode_reference,
    decode_system_text,
)
from rocklake_server.encoding.indexes import decode_index_key
from rocklake_server.encoding.keys import decode_retired_key, decode_row_key
from rocklake_server.encoding.ordered import ID_BYTES, TEXT_END, encode_int, encode_text
from rocklake_server.errors import CorruptValue
from rocklake_server.schema.model import Relation
from rocklake_server.schema.system_subspaces import (
    COUNTERS,
    INDEX_FIELDS,
    INDEXES,
    RETIRED_ROWS,
    SYSTEM,
    SYSTEM_AUDIT,
    SYSTEM_DROPPED,
    SYSTEM_PIN,
    SYSTEM_RELATION,
    SYSTEM_TEXTS,
)
from rocklake_server.schema.types import Value
from rocklake_server.store.base import Entry, Key, Prefix, StoreSnapshot
from rocklake_server.store.keys import successor


class Space(Enum):
    """The kinds of keys."""

    ROW = "row"
    RETIRED = "retired row"
    INDEX = "index entry"
    COUNTER = "counter"
    SYSTEM = "system key"


@dataclass(frozen=True, slots=True)
class Part:
    """Some bytes of a key in their order, and what they say."""

    data: bytes
    name: str
    value: Value = None


@dataclass(frozen=True, slots=True)
class KeyFacts:
    """A key explained. ``relation`` is the owner of a row, also of a retired one; ``is_dropped`` tells that its
    definition is there for retired rows only. The parts' bytes together are the key."""

    space: Space
    name: str
    parts: tuple[Part, ...]
    relation: Relation | None = None
    is_dropped: bool = False

    @property
    def fields(self) -> dict[str, Value]:
        """What the key says by name, without its fixed parts."""
        return {part.name: part.value for part in self.parts[1:] if part.name not in _FIXED}


_FIXED = frozenset({"tag", "relation", "end of name"})


class KeySpace:
    """Explains keys by the definitions of one lake: those of its relations and of dropped ones."""

    def __init__(self, relations: Iterable[Relation], dropped: Iterable[Relation] = ()) -> None:
        self._owners = {relation.key_prefix: (relation, True) for relation in dropped}
        self._owners |= {relation.key_prefix: (relation, False) for relation in relations}
        self._prefix_sizes = sorted({len(prefix) for prefix in self._owners}, reverse=True)

    def owner(self, key: bytes) -> tuple[Relation, bool] | None:
        """The relation whose rows have such keys, and whether it was dropped."""
        for size in self._prefix_sizes:
            if (found := self._owners.get(key[:size])) is not None:
                return found
        return None

    def explain(self, key: bytes) -> KeyFacts:
        """Raises CorruptValue for a key that this server does not write in this lake."""
        tag = key[0] if key else -1
        if tag == RETIRED_ROWS:
            return self._retired(key)
        if tag == INDEXES:
            return _index_entry(key)
        if tag == COUNTERS:
            return KeyFacts(Space.COUNTER, _name(key, 1), (_tag(key), Part(key[1:], "counter", _name(key, 1))))
        if tag == SYSTEM:
            return _system_key(key)
        return self._row(key)

    def _row(self, key: bytes) -> KeyFacts:
        owner = self.owner(key)
        if owner is None:
            raise CorruptValue(f"key {key.hex()} belongs to no relation of the lake")
        relation, is_dropped = owner
        fields, ordinal = decode_row_key(relation, key)
        parts = [Part(relation.key_prefix, "tag" if relation.table is not None else "relation", relation.name)]
        parts += [
            Part(encode_text(field) if isinstance(field, str) else encode_int(field), name, field)
            for name, field in zip(key_field_names(relation), fields, strict=True)
        ]
        if ordinal:
            parts.append(Part(encode_int(ordinal), "tie_breaker", ordinal))
        return KeyFacts(Space.ROW, relation.name, tuple(parts), relation, is_dropped)

    def _retired(self, key: bytes) -> KeyFacts:
        sequence, own = decode_retired_key(key)
        row = self._row(own)
        parts = (_tag(key), Part(encode_int(sequence), "deleted_by_commit", sequence), *row.parts)
        return KeyFacts(Space.RETIRED, row.name, parts, row.relation, row.is_dropped)

    def contents(self, facts: KeyFacts, key: bytes, value: bytes) -> dict[str, object]:
        """What the value says, by name. Raises CorruptValue, FormatVersionUnsupported."""
        if facts.relation is not None:
            relation = facts.relation
            return dict(every_column(relation, access_of(relation).codec.decode(key, value)))
        if facts.space is Space.INDEX:
            reference: FileReference = decode_reference(key, value)
            return {name: held for name, held in reference._asdict().items() if held is not None}
        if facts.name in (SYSTEM_RELATION, SYSTEM_DROPPED):
            dropped_by = decode_dropped_by(key, value)
            dropped = {} if dropped_by is None else {"dropped_by_commit": dropped_by}
            return {**_definition(decode_definition(key, value)), **dropped}
        if facts.name in (SYSTEM_AUDIT, SYSTEM_PIN, *SYSTEM_TEXTS):
            return {"text": decode_system_text(key, value)}
        return {"number": decode_number(key, value)}


def key_field_names(relation: Relation) -> tuple[str, ...]:
    """The names of the fields of a row's key after its prefix, as declared."""
    if relation.table is not None:
        return relation.table.key
    if not relation.key_columns:
        return ("first_ctid",)
    return tuple("" if column is None else relation.columns[column].name for column in relation.key_columns)


def _tag(key: bytes) -> Part:
    return Part(key[:1], "tag")


def _name(key: bytes, start: int) -> str:
    try:
        return key[start:].decode("ascii")
    except UnicodeDecodeError:
        raise CorruptValue(f"key {key.hex()} has a name that is not ASCII") from None


def _index_entry(key: bytes) -> KeyFacts:
    which, fields = decode_index_key(key)
    name, names = INDEX_FIELDS[which]
    sizes = range(2, len(key), ID_BYTES)
    parts = [_tag(key), Part(key[1:2], "index", name)]
    parts += [
        Part(key[at:at + ID_BYTES], field_name, field)
        for at, field_name, field in zip(sizes, names, fields, strict=True)
    ]
    return KeyFacts(Space.INDEX, name, tuple(parts))


def _system_key(key: bytes) -> KeyFacts:
    end = key.find(TEXT_END)
    name = _name(key if end < 0 else key[:end], 1)
    parts = [_tag(key), Part(key[1:] if end < 0 else key[1:end], "name", name)]
    if end >= 0:
        ids = key[end + len(TEXT_END):]
        if not ids or len(ids) % ID_BYTES:
            raise CorruptValue(f"key {key.hex()} ends within an integer")
        parts.append(Part(TEXT_END, "end of name"))
        parts += [
            Part(ids[at:at + ID_BYTES], "id", int.from_bytes(ids[at:at + ID_BYTES], "big"))
            for at in range(0, len(ids), ID_BYTES)
        ]
    return KeyFacts(Space.SYSTEM, name, tuple(parts))


def _definition(relation: Relation) -> dict[str, object]:
    return {
        "relation_id": relation.relation_id,
        "name": relation.name,
        "kind": relation.kind.value,
        "key_prefix": relation.key_prefix,
        "columns": [f"{column.number}:{column.name} {column.type.name}" for column in relation.columns],
        "primary_key": [relation.columns[column].name for column in relation.primary_key],
        "indexes": [f"{index.index_id}:{index.name}" for index in relation.indexes],
        "comments": [
            text for text in (relation.comment, relation.key_comment, *(c.comment for c in relation.columns),
                              *(index.comment for index in relation.indexes)) if text is not None],
    }


def as_key(text: str) -> Key:
    """A key in hexadecimal, blanks and ``|`` between its parts allowed. Raises CorruptValue."""
    try:
        return Key(bytes.fromhex(text.replace("|", " ")))
    except ValueError:
        raise CorruptValue(f'"{text}" is not a key in hexadecimal digits') from None


async def unknown_entries(
    snapshot: StoreSnapshot, relations: Iterable[Relation], left_behind: Iterable[Relation]
) -> AsyncIterator[list[Entry]]:
    """What lies between the rows of all these relations and the other key spaces."""
    spaces = {bytes([tag]) for tag in (RETIRED_ROWS, INDEXES, COUNTERS, SYSTEM)}
    start = b""
    for prefix in sorted({*spaces, *(relation.key_prefix for relation in (*relations, *left_behind))}):
        if start < prefix:
            async for entries in snapshot.scan(Prefix(b""), start=start, stop=prefix):
                yield entries
        start = successor(prefix) or prefix
