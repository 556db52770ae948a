"""Rows by column name, with values that people and JSON can read: numbers, truths and texts stay what they are."""

from __future__ import annotations

from collections.abc import Sequence

from rocklake_server.pgformat.text import text_encoder
from rocklake_server.schema.model import Relation, RelationColumn
from rocklake_server.schema.types import TID, ColumnType, Form, Value

_AS_THEY_ARE = frozenset({Form.BOOL, Form.INT, Form.TEXT})


def readable(column_type: ColumnType, value: Value) -> Value:
    """``value`` itself, or its text as PostgreSQL writes it."""
    if value is None or column_type.form in _AS_THEY_ARE:
        return value
    return text_encoder(column_type)(value)


def named(relation: Relation, row: Sequence[Value], *names: str) -> dict[str, Value]:
    """Columns of a row by name; those that this lake's version of the relation does not have are NULL."""
    index = relation.index
    return {
        name: readable(relation.columns[index[name]].type, row[index[name]]) if name in index else None
        for name in names
    }


def every_column(relation: Relation, row: Sequence[Value]) -> dict[str, Value]:
    """All columns, and the ctid."""
    columns: Sequence[RelationColumn] = relation.columns
    found = {column.name: readable(column.type, value) for column, value in zip(columns, row, strict=False)}
    return {**found, "ctid": readable(TID, row[-1])}
