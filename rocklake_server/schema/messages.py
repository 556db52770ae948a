"""The protobuf messages of stored values, as data: rows of declared relations, and the server's own records.

Both ``proto/catalog.proto`` and the descriptors that the server runs on derive from here.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from rocklake_server.schema.model import Table
from rocklake_server.schema.types import Form

PACKAGE = "rocklake.catalog.v1"


class Kind(Enum):
    """Scalar types of protobuf fields; the value is the word in a .proto file."""

    BOOL = "bool"
    INT64 = "int64"
    UINT64 = "uint64"
    UINT32 = "uint32"
    SINT32 = "sint32"
    DOUBLE = "double"
    STRING = "string"
    BYTES = "bytes"


KIND_OF_FORM: dict[Form, Kind] = {
    Form.BOOL: Kind.BOOL,
    Form.INT: Kind.INT64,
    Form.FLOAT: Kind.DOUBLE,
    Form.NUMERIC: Kind.STRING,
    Form.TEXT: Kind.STRING,
    Form.BYTES: Kind.BYTES,
    Form.UUID: Kind.BYTES,
    Form.TIMESTAMP: Kind.INT64,
    Form.DATE: Kind.INT64,
    Form.TIME: Kind.INT64,
    Form.TIMETZ: Kind.BYTES,
    Form.INTERVAL: Kind.BYTES,
}
"""How each form is stored. Forms that are missing here cannot be stored: TID and ARRAY."""


@dataclass(frozen=True, slots=True)
class Field:
    """One field. ``kind`` names the message when the field holds a message. Single fields have presence."""

    name: str
    number: int
    kind: Kind | str
    repeated: bool = False
    comment: str = ""


@dataclass(frozen=True, slots=True)
class Message:
    """One message, with what its ``comment`` says in the .proto file."""

    name: str
    fields: tuple[Field, ...]
    comment: str


FIELD_NUMBER_MAX = 14_998
"""Greatest field number of a column; the two above it are the row's own."""

NULL_COLUMNS = Field(
    "null_columns", 14_999, Kind.UINT32, repeated=True,
    comment="Columns that are NULL although rows from before the column read a default.",
)
CTID = Field("ctid", 15_000, Kind.UINT64, comment="(block << 16) | offset; every row has one.")


def message_name(table: Table) -> str:
    """``ducklake_data_file`` -> ``DucklakeDataFile``."""
    return "".join(word.capitalize() for word in table.name.split("_"))


def table_message(table: Table) -> Message:
    """The message of one declared relation's rows."""
    columns = tuple(
        Field(column.name, column.number, KIND_OF_FORM[column.type.form], comment=column.type.name)
        for column in table.columns
    )
    return Message(message_name(table), (*columns, NULL_COLUMNS, CTID), table.description)


STORED_VALUE = Message(
    "StoredValue",
    (
        Field("bool_value", 1, Kind.BOOL),
        Field("int_value", 2, Kind.INT64),
        Field("double_value", 3, Kind.DOUBLE),
        Field("string_value", 4, Kind.STRING),
        Field("bytes_value", 5, Kind.BYTES),
    ),
    "A column's default, in the field that fits the column's type.",
)

COLUMN_DEFINITION = Message(
    "ColumnDefinition",
    (
        Field("name", 1, Kind.STRING),
        Field("type_oid", 2, Kind.UINT32, comment="PostgreSQL's OID of the type."),
        Field("typmod", 3, Kind.SINT32, comment="As in pg_attribute.atttypmod."),
        Field("number", 4, Kind.UINT32, comment="The field number of the column in the relation's rows."),
        Field("nullable", 5, Kind.BOOL),
        Field("default", 6, STORED_VALUE.name, comment="What rows from before it read; absent is NULL."),
        Field("comment", 7, Kind.STRING, comment="COMMENT ON COLUMN."),
    ),
    "One column of a live relation.",
)

INDEX_KEY = Message(
    "IndexKey",
    (
        Field("number", 1, Kind.UINT32, comment="The field number of the column."),
        Field("descending", 2, Kind.BOOL),
        Field("nulls_first", 3, Kind.BOOL),
    ),
    "One column of an index.",
)

INDEX_DEFINITION = Message(
    "IndexDefinition",
    (
        Field("index_id", 1, Kind.INT64, comment="Of the numbers that relations have."),
        Field("name", 2, Kind.STRING),
        Field("keys", 3, INDEX_KEY.name, repeated=True),
        Field("comment", 4, Kind.STRING, comment="COMMENT ON INDEX."),
    ),
    "What CREATE INDEX stated. Nothing reads or writes by it.",
)

RELATION_DEFINITION = Message(
    "RelationDefinition",
    (
        Field("relation_id", 1, Kind.INT64),
        Field("name", 2, Kind.STRING),
        Field("kind", 3, Kind.STRING, comment="declared, inlined data, inlined delete or user."),
        Field("tag", 4, Kind.UINT32, comment="Of the declared table; absent for other kinds."),
        Field("key_prefix", 5, Kind.BYTES, comment="What the keys of the relation's rows start with."),
        Field("key_columns", 6, Kind.SINT32, repeated=True, comment="Positions in columns; -1: always NULL."),
        Field("columns", 7, COLUMN_DEFINITION.name, repeated=True),
        Field("primary_key", 8, Kind.UINT32, repeated=True, comment="Positions in columns."),
        Field("next_column_number", 9, Kind.UINT32, comment="Field numbers from here on were never used."),
        Field("dropped_by", 10, Kind.INT64, comment="Of a dropped relation: the commit that dropped it, if known."),
        Field("comment", 11, Kind.STRING, comment="COMMENT ON TABLE."),
        Field("key_comment", 12, Kind.STRING, comment="COMMENT ON INDEX of the primary key's."),
        Field("indexes", 13, INDEX_DEFINITION.name, repeated=True),
    ),
    "One relation of a lake. Key: FF \"relation\" 00 00, relation id.",
)

FILE_REFERENCE = Message(
    "FileReference",
    (Field("table_id", 1, Kind.INT64), Field("data_file_id", 2, Kind.INT64)),
    "Value of the secondary indexes: empty in FC 01 and FC 02, table_id in FC 03, both in FC 04.",
)

SYSTEM_VALUE = Message(
    "SystemValue",
    (Field("number", 1, Kind.INT64), Field("text", 2, Kind.STRING)),
    "Value of counters (FE) and of the server's own keys (FF) that hold one number or text.",
)

SYSTEM_MESSAGES = (
    STORED_VALUE, COLUMN_DEFINITION, INDEX_KEY, INDEX_DEFINITION, RELATION_DEFINITION, FILE_REFERENCE, SYSTEM_VALUE,
)
