"""Protobuf message classes, built at run time from ``schema.messages``; no generated module exists.

Relations whose columns are a declared table's own use that table's message. All others use a message of their
shape, the numbers and kinds of their columns, with fields named ``f<number>``: inlined tables by the thousand
share few shapes. Both put the same bytes on disk, since protobuf stores numbers and not names.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, lru_cache
from typing import Any, TypeAlias

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from google.protobuf.message import Message as ProtobufMessage

from rocklake_server.schema.messages import (
    CTID,
    NULL_COLUMNS,
    PACKAGE,
    SYSTEM_MESSAGES,
    Field,
    Kind,
    Message,
    message_name,
    table_message,
)
from rocklake_server.schema.model import Table
from rocklake_server.schema.registry import TABLES

MessageClass: TypeAlias = "type[ProtobufMessage]"
Shape: TypeAlias = tuple[tuple[int, Kind], ...]
"""Field numbers and kinds of a row's columns, in ascending order of numbers."""

SHAPES_MAX = 8192
"""Shapes whose message classes are kept; a class that fell out lives as long as a codec uses it."""

_Proto = descriptor_pb2.FieldDescriptorProto
_TYPES: dict[Kind, descriptor_pb2.FieldDescriptorProto.Type.ValueType] = {
    Kind.BOOL: _Proto.TYPE_BOOL,
    Kind.INT64: _Proto.TYPE_INT64,
    Kind.UINT64: _Proto.TYPE_UINT64,
    Kind.UINT32: _Proto.TYPE_UINT32,
    Kind.SINT32: _Proto.TYPE_SINT32,
    Kind.DOUBLE: _Proto.TYPE_DOUBLE,
    Kind.STRING: _Proto.TYPE_STRING,
    Kind.BYTES: _Proto.TYPE_BYTES,
}


def file_descriptor(name: str, package: str,
                    messages: Sequence[Message]) -> descriptor_pb2.FileDescriptorProto:
    """The proto3 file with these messages."""
    file = descriptor_pb2.FileDescriptorProto(name=name, package=package, syntax="proto3")
    for message in messages:
        described = file.message_type.add(name=message.name)
        for field in message.fields:
            _add_field(described, package, field)
    return file


def _add_field(message: descriptor_pb2.DescriptorProto, package: str, field: Field) -> None:
    described = message.field.add(name=field.name, number=field.number)
    described.label = _Proto.LABEL_REPEATED if field.repeated else _Proto.LABEL_OPTIONAL
    if isinstance(field.kind, Kind):
        described.type = _TYPES[field.kind]
    else:
        described.type = _Proto.TYPE_MESSAGE
        described.type_name = f".{package}.{field.kind}"
    if not field.repeated:
        described.proto3_optional = True
        described.oneof_index = len(message.oneof_decl)
        message.oneof_decl.add(name=f"_{field.name}")


def catalog_messages() -> tuple[Message, ...]:
    """Every message of ``proto/catalog.proto``, in file order."""
    return (*map(table_message, TABLES), *SYSTEM_MESSAGES)


@cache
def catalog_pool() -> descriptor_pool.DescriptorPool:
    """A pool of its own that holds the messages of ``proto/catalog.proto``."""
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file_descriptor("catalog.proto", PACKAGE, catalog_messages()))
    return pool


@cache
def catalog_class(name: str) -> Any:
    """The class of a message of ``proto/catalog.proto``. Its attributes exist at run time only, hence Any."""
    return message_factory.GetMessageClass(catalog_pool().FindMessageTypeByName(f"{PACKAGE}.{name}"))


def table_class(table: Table) -> MessageClass:
    """The class of a declared table's rows."""
    found: MessageClass = catalog_class(message_name(table))
    return found


@lru_cache(maxsize=SHAPES_MAX)
def shape_class(shape: Shape) -> MessageClass:
    """The class of rows of one shape, in a pool of its own that goes when nothing uses it any more."""
    fields = tuple(Field(shape_field(number), number, kind) for number, kind in shape)
    message = Message("Row", (*fields, NULL_COLUMNS, CTID), "")
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file_descriptor("row.proto", "rocklake.row", (message,)))
    return message_factory.GetMessageClass(pool.FindMessageTypeByName("rocklake.row.Row"))


def shape_field(number: int) -> str:
    """The name of a field in a shape's message."""
    return f"f{number}"
