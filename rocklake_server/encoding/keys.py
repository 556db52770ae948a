"""Keys of rows, of secondary indexes, of retired rows, counters and system keys.

The layout is declared: ``Table.key`` for declared relations, ``schema.system_subspaces`` for everything else.
Encoders are compiled once per relation.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from operator import itemgetter
from typing import TypeAlias

from rocklake_server.encoding import ordered
from rocklake_server.encoding.cache import per_relation
from rocklake_server.errors import CorruptValue, DatatypeMismatch, NumericOutOfRange, ProgramLimitExceeded
from rocklake_server.limits import KEY_BYTES_MAX
from rocklake_server.schema import system_subspaces as subspaces
from rocklake_server.schema.model import Relation, RelationKind
from rocklake_server.schema.types import Form, Value
from rocklake_server.store.base import Key, Prefix

KeyFields: TypeAlias = tuple[int | str | None, ...]


@dataclass(frozen=True, slots=True)
class KeyCodec:
    """The compiled key of one relation. ``encode`` takes a row (its ctid included) and an ordinal; ``decode``
    gives the key fields and the ordinal; ``texts`` tells for each key field whether it is text."""

    prefix: Prefix
    texts: tuple[bool, ...]
    encode: Callable[[Sequence[Value], int], Key]
    decode: Callable[[bytes], tuple[KeyFields, int]]


def row_key(relation: Relation, values: Sequence[Value], ordinal: int = 0) -> Key:
    """The key of a row. ``ordinal`` is the tie-breaker: 0 adds nothing, n >= 1 adds its 8 bytes.

    Raises NumericOutOfRange (-2^63 in a key field), ProgramLimitExceeded, CharacterNotInRepertoire.
    """
    return key_codec(relation).encode(values, ordinal)


def decode_row_key(relation: Relation, key: bytes) -> tuple[KeyFields, int]:
    """The key fields and the ordinal of a row's key. Raises CorruptValue."""
    return key_codec(relation).decode(key)


def relation_prefix(relation: Relation) -> Prefix:
    """The prefix of every row of ``relation``."""
    return Prefix(relation.key_prefix)


def key_prefix(relation: Relation, *leading: int | str | None) -> Prefix:
    """The prefix of every row whose first key fields equal ``leading``."""
    codec = key_codec(relation)
    if len(leading) > len(codec.texts):
        raise ValueError(f"{relation.name} has {len(codec.texts)} key fields, not {len(leading)}")
    return Prefix(codec.prefix + _join(leading, codec.texts))


@per_relation
def key_codec(relation: Relation) -> KeyCodec:
    """Compile the key of ``relation``; cached per relation object."""
    texts = _texts(relation)
    keyed_by_ctid = relation.kind in (RelationKind.USER, RelationKind.TEMPORARY)
    columns = (relation.ctid,) if keyed_by_ctid else relation.key_columns
    general = _general_encoder(relation.key_prefix, columns, texts)
    encode, decode = general, _decoder(relation.key_prefix, texts)
    if not any(texts):
        decode = _integer_decoder(relation.key_prefix, len(texts), decode)
        if None not in columns:
            encode = _integer_encoder(relation.key_prefix, columns, general)
    return KeyCodec(Prefix(relation.key_prefix), texts, encode, decode)


def _texts(relation: Relation) -> tuple[bool, ...]:
    """Whether each key field is text. The declaration decides where there is one: a key keeps its layout when
    the column of a field is dropped."""
    if relation.table is not None:
        forms = {column.name: column.type.form for column in relation.table.columns}
        return tuple(forms[name] is Form.TEXT for name in relation.table.key)
    if not relation.key_columns:
        return (False,)
    return (False,) * len(relation.key_columns)


def _join(fields: Sequence[Value], texts: Sequence[bool]) -> bytes:
    return b"".join([_encode_field(field, text) for field, text in zip(fields, texts, strict=False)])


def _encode_field(field: Value, text: bool) -> bytes:
    if text and (field is None or isinstance(field, str)):
        return ordered.encode_text(field)
    if not text and (field is None or isinstance(field, int)):
        return ordered.encode_int(field)
    raise DatatypeMismatch(f"a key field cannot hold a {type(field).__name__}")


def _general_encoder(prefix: bytes, columns: Sequence[int | None],
                     texts: Sequence[bool]) -> Callable[[Sequence[Value], int], Key]:
    def encode(values: Sequence[Value], ordinal: int) -> Key:
        fields = [None if column is None else values[column] for column in columns]
        key = prefix + _join(fields, texts)
        if ordinal:
            key += _encode_ordinal(ordinal)
        if len(key) > KEY_BYTES_MAX:
            raise ProgramLimitExceeded(f"a key of {len(key)} bytes exceeds the maximum of {KEY_BYTES_MAX}")
        return Key(key)

    return encode


def _encode_ordinal(ordinal: int) -> bytes:
    if not 1 <= ordinal <= ordered.ID_MAX:
        raise NumericOutOfRange(f"tie-breaker {ordinal} is out of range")
    return ordinal.to_bytes(ordered.ID_BYTES, "big")


def _integer_encoder(prefix: bytes, columns: Sequence[int | None],
                     general: Callable[[Sequence[Value], int], Key]) -> Callable[[Sequence[Value], int], Key]:
    """The fast path for keys of integers. NULLs, tie-breakers and errors take ``general``."""
    positions = [column for column in columns if column is not None]
    pick = itemgetter(*positions)
    packed = struct.Struct(f">{len(positions)}q").pack
    forbidden = ordered.NOT_A_KEY_INTEGER

    def encode_one(values: Sequence[Value], ordinal: int) -> Key:
        field = pick(values)
        if ordinal or field is None or field == forbidden:
            return general(values, ordinal)
        try:
            return Key(prefix + packed(field))
        except struct.error:
            return general(values, ordinal)

    def encode_many(values: Sequence[Value], ordinal: int) -> Key:
        fields = pick(values)
        if ordinal or None in fields or forbidden in fields:
            return general(values, ordinal)
        try:
            return Key(prefix + packed(*fields))
        except struct.error:
            return general(values, ordinal)

    return encode_one if len(positions) == 1 else encode_many


def _integer_decoder(prefix: bytes, count: int, general: Callable[[bytes], tuple[KeyFields, int]],
                     ) -> Callable[[bytes], tuple[KeyFields, int]]:
    """The fast path for keys of integers without a tie-breaker."""
    start = len(prefix)
    length = start + count * ordered.ID_BYTES
    unpack_from = struct.Struct(f">{count}q").unpack_from
    null = ordered.NOT_A_KEY_INTEGER

    def decode(key: bytes) -> tuple[KeyFields, int]:
        if len(key) != length or key[:start] != prefix:
            return general(key)
        fields: tuple[int, ...] = unpack_from(key, start)
        if null in fields:
            return tuple([None if field == null else field for field in fields]), 0
        return fields, 0

    return decode


def _decoder(prefix: bytes, texts: Sequence[bool]) -> Callable[[bytes], tuple[KeyFields, int]]:
    def decode(key: bytes) -> tuple[KeyFields, int]:
        if key[:len(prefix)] != prefix:
            raise CorruptValue(f"key {key.hex()} does not begin with {prefix.hex()}")
        offset = len(prefix)
        fields: list[int | str | None] = []
        field: int | str | None
        for text in texts:
            field, offset = ordered.decode_text(key, offset) if text else ordered.decode_int(key, offset)
            fields.append(field)
        return tuple(fields), _decode_ordinal(key, offset)

    return decode


def _decode_ordinal(key: bytes, offset: int) -> int:
    if offset == len(key):
        return 0
    ordinal = int.from_bytes(key[offset:], "big", signed=True)
    if len(key) - offset != ordered.ID_BYTES or ordinal < 1:
        raise CorruptValue(f"key {key.hex()} goes on after its fields, without a tie-breaker")
    return ordinal


@lru_cache(maxsize=1024)
def counter_key(name: str) -> Key:
    """FE, then the counter's name."""
    return Key(bytes([subspaces.COUNTERS]) + _plain(name))


@lru_cache(maxsize=1024)
def system_key(name: str, *ids: int) -> Key:
    """FF, then the name; with ids, 00 00 and the ids after it."""
    key = bytes([subspaces.SYSTEM]) + _plain(name)
    return Key(key + ordered.TEXT_END + b"".join(map(ordered.encode_int, ids)) if ids else key)


def system_prefix(name: str) -> Prefix:
    """The prefix of every system key of that name which has ids."""
    return Prefix(bytes([subspaces.SYSTEM]) + _plain(name) + ordered.TEXT_END)


def _plain(name: str) -> bytes:
    if not name or not name.isascii() or not name.isprintable():
        raise ValueError(f"{name!r} is not a name of printable ASCII")
    return name.encode("ascii")


def retired_key(commit_sequence: int, key: bytes) -> Key:
    """The key under which a commit keeps a row that it deleted: FB, commit sequence, the row's own key."""
    return Key(retired_prefix(commit_sequence) + key)


def retired_prefix(commit_sequence: int) -> Prefix:
    """The prefix of every row that one commit deleted."""
    return Prefix(bytes([subspaces.RETIRED_ROWS]) + ordered.encode_int(commit_sequence))


def decode_retired_key(key: bytes) -> tuple[int, Key]:
    """The commit sequence and the row's own key. Raises CorruptValue."""
    if key[:1] != bytes([subspaces.RETIRED_ROWS]):
        raise CorruptValue(f"key {key.hex()} is not that of a retired row")
    commit_sequence, offset = ordered.decode_int(key, 1)
    if commit_sequence is None or commit_sequence < 0 or offset == len(key):
        raise CorruptValue(f"key {key.hex()} is not that of a retired row")
    return commit_sequence, Key(key[offset:])
