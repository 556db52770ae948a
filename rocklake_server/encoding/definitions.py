"""Values of the server's own keys: relation definitions, index entries, counters and other single values."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Any, NamedTuple

from google.protobuf.message import DecodeError

from rocklake_server.encoding.descriptors import catalog_class
from rocklake_server.encoding.envelope import seal, unseal
from rocklake_server.encoding.scalars import PACK, UNPACK
from rocklake_server.errors import CorruptValue
from rocklake_server.schema import messages
from rocklake_server.schema.messages import KIND_OF_FORM, Kind
from rocklake_server.schema.model import (
    Behaviour,
    IndexDefinition,
    IndexKey,
    Relation,
    RelationColumn,
    RelationKind,
    Table,
)
from rocklake_server.schema.registry import BY_TAG
from rocklake_server.schema.types import BY_OID, ColumnType, Value

_VALUE_FIELDS = {
    Kind.BOOL: "bool_value", Kind.INT64: "int_value", Kind.DOUBLE: "double_value",
    Kind.STRING: "string_value", Kind.BYTES: "bytes_value",
}


class FileReference(NamedTuple):
    """What an index entry points to."""

    table_id: int | None = None
    data_file_id: int | None = None


EMPTY_REFERENCE = FileReference()


def _parse(name: str, key: bytes, value: bytes) -> Any:
    try:
        return catalog_class(name).FromString(unseal(key, value))
    except DecodeError as error:
        raise CorruptValue(f"the value of key {key.hex()} is no {name}") from error


def encode_reference(reference: FileReference = EMPTY_REFERENCE) -> bytes:
    """The enveloped value of an index entry."""
    return seal(catalog_class(messages.FILE_REFERENCE.name)(**reference._asdict()).SerializeToString())


def decode_reference(key: bytes, value: bytes) -> FileReference:
    """What an index entry points to. Raises CorruptValue, FormatVersionUnsupported."""
    parsed = _parse(messages.FILE_REFERENCE.name, key, value)
    return FileReference(*(
        getattr(parsed, name) if parsed.HasField(name) else None for name in FileReference._fields
    ))


def encode_number(number: int) -> bytes:
    """The enveloped value of a counter, or of a system key that holds a number."""
    return seal(catalog_class(messages.SYSTEM_VALUE.name)(number=number).SerializeToString())


def decode_number(key: bytes, value: bytes) -> int:
    """The inverse of ``encode_number``. Raises CorruptValue, FormatVersionUnsupported."""
    parsed = _parse(messages.SYSTEM_VALUE.name, key, value)
    if not parsed.HasField("number"):
        raise CorruptValue(f"the value of key {key.hex()} holds no number")
    number: int = parsed.number
    return number


def encode_system_text(text: str) -> bytes:
    """The enveloped value of a system key that holds a text."""
    return seal(catalog_class(messages.SYSTEM_VALUE.name)(text=text).SerializeToString())


def decode_system_text(key: bytes, value: bytes) -> str:
    """The inverse of ``encode_system_text``. Raises CorruptValue, FormatVersionUnsupported."""
    parsed = _parse(messages.SYSTEM_VALUE.name, key, value)
    if not parsed.HasField("text"):
        raise CorruptValue(f"the value of key {key.hex()} holds no text")
    text: str = parsed.text
    return text


def encode_definition(relation: Relation, dropped_by: int | None = None) -> bytes:
    """The enveloped definition of ``relation``, and the commit that dropped it. Its schema and oid are not in it: the
    lake knows them."""
    definition = catalog_class(messages.RELATION_DEFINITION.name)(
        relation_id=relation.relation_id, name=relation.name, kind=relation.kind.value,
        tag=None if relation.table is None else relation.table.tag, key_prefix=relation.key_prefix,
        key_columns=[-1 if column is None else column for column in relation.key_columns],
        primary_key=relation.primary_key, next_column_number=relation.next_column_number,
        dropped_by=dropped_by,
        comment=relation.comment, key_comment=relation.key_comment,
    )
    for index in relation.indexes:
        noted = definition.indexes.add(index_id=index.index_id, name=index.name, comment=index.comment)
        for index_key in index.keys:
            noted.keys.add(
                number=index_key.number, descending=index_key.descending, nulls_first=index_key.nulls_first)
    for column in relation.columns:
        described = definition.columns.add(
            name=column.name, type_oid=column.type.oid, typmod=column.type.typmod, number=column.number,
            nullable=column.nullable, comment=column.comment,
        )
        if column.default is not None:
            pack = PACK.get(column.type.form)
            stored = column.default if pack is None else pack(column.default)
            setattr(described.default, _VALUE_FIELDS[KIND_OF_FORM[column.type.form]], stored)
    return seal(definition.SerializeToString())


def decode_definition(key: bytes, value: bytes) -> Relation:
    """The relation that ``encode_definition`` wrote. Raises CorruptValue, FormatVersionUnsupported."""
    definition = _parse(messages.RELATION_DEFINITION.name, key, value)
    columns = tuple(_decode_column(key, column) for column in definition.columns)
    places = (*definition.key_columns, *definition.primary_key)
    if not definition.key_prefix or any(not -1 <= place < len(columns) for place in places):
        raise CorruptValue(f"the definition under key {key.hex()} contradicts itself")
    try:
        kind = RelationKind(definition.kind)
        table = BY_TAG[definition.tag] if kind is RelationKind.DECLARED else None
    except (ValueError, KeyError) as error:
        raise CorruptValue(f"the definition under key {key.hex()} is of an unknown kind or tag") from error
    if table is not None and len(definition.key_columns) != len(table.key):
        raise CorruptValue(f"the definition under key {key.hex()} contradicts itself")
    return Relation(
        definition.relation_id, definition.name, kind, _behaviour(kind, table), definition.key_prefix,
        tuple(None if column == -1 else column for column in definition.key_columns), columns,
        tuple(definition.primary_key), table is not None and table.partition, definition.next_column_number,
        table=table, comment=_text(definition, "comment"), key_comment=_text(definition, "key_comment"),
        indexes=tuple(_decode_index(key, index, columns) for index in definition.indexes),
    )


def decode_dropped_by(key: bytes, value: bytes) -> int | None:
    """The commit that dropped the relation whose definition this is; ``None`` where that is not known. Raises
    CorruptValue, FormatVersionUnsupported."""
    definition = _parse(messages.RELATION_DEFINITION.name, key, value)
    return definition.dropped_by if definition.HasField("dropped_by") else None


def _text(message: Any, field: str) -> str | None:
    text: str | None = getattr(message, field) if message.HasField(field) else None
    return text


def _decode_index(key: bytes, index: Any, columns: Sequence[RelationColumn]) -> IndexDefinition:
    keys = tuple(IndexKey(part.number, part.descending, part.nulls_first) for part in index.keys)
    if not keys or not {part.number for part in keys} <= {column.number for column in columns}:
        raise CorruptValue(f"the definition under key {key.hex()} has an index over columns that are not there")
    return IndexDefinition(index.index_id, index.name, keys, _text(index, "comment"))


def _behaviour(kind: RelationKind, table: Table | None) -> Behaviour:
    if table is not None:
        return table.behaviour
    return Behaviour.APPEND_ONLY if kind is RelationKind.USER else Behaviour.INLINED


def _decode_column(key: bytes, column: Any) -> RelationColumn:
    found = BY_OID.get(column.type_oid)
    if found is None or found.form not in KIND_OF_FORM:
        raise CorruptValue(f"the definition under key {key.hex()} has an unknown type, {column.type_oid}")
    column_type = found if column.typmod == -1 else found.with_typmod(column.typmod)
    return RelationColumn(
        column.name, column_type, column.number, column.nullable, _decode_default(key, column, column_type),
        _text(column, "comment"),
    )


def _decode_default(key: bytes, column: Any, column_type: ColumnType) -> Value:
    field = _VALUE_FIELDS[KIND_OF_FORM[column_type.form]]
    if not column.HasField("default"):
        return None
    if not column.default.HasField(field):
        raise CorruptValue(f"the definition under key {key.hex()} has a default that does not fit its type")
    stored: Value = getattr(column.default, field)
    unpack = UNPACK.get(column_type.form)
    try:
        return stored if unpack is None else unpack(stored)
    except (ValueError, struct.error) as error:
        raise CorruptValue(f"the definition under key {key.hex()} has a broken default") from error
