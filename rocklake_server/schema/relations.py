"""Live relations from CREATE TABLE and ALTER TABLE: the kind of each, its keys and its field numbers."""

from __future__ import annotations

import re
from collections.abc import Container, Sequence
from dataclasses import replace
from typing import Protocol

from rocklake_server.errors import DuplicateColumn, TooManyColumns, UndefinedColumn, Unsupported
from rocklake_server.schema.messages import FIELD_NUMBER_MAX, KIND_OF_FORM
from rocklake_server.schema.model import Behaviour, Column, Relation, RelationColumn, RelationKind, Table
from rocklake_server.schema.registry import BY_NAME, DECLARED_NUMBER_MAX
from rocklake_server.schema.system_subspaces import (
    DYNAMIC_RELATIONS,
    KIND_INLINED_DATA,
    KIND_INLINED_DELETE,
    KIND_USER,
)
from rocklake_server.schema.types import BIGINT, ColumnType, Value

FRESH_NUMBER_FIRST = DECLARED_NUMBER_MAX + 1
"""Field number of the first column of a declared relation that its declaration does not know."""

FRESH_NUMBER_AFTER_DROP = 2 * FRESH_NUMBER_FIRST
"""Numbers of a declared relation's fresh columns continue here once a declared column was dropped: its rows
may hold values under declared numbers from then on, so that added columns no longer get those."""

_INLINED_DATA_NAME = re.compile(r"ducklake_inlined_data_[0-9]+_[0-9]+")
_INLINED_DELETE_NAME = re.compile(r"ducklake_inlined_delete_[0-9]+")
_INLINED_DATA_COLUMNS = frozenset({
    ("row_id", "begin_snapshot", "end_snapshot"),
    ("_ducklake_row_id", "_ducklake_begin_snapshot", "_ducklake_end_snapshot"),
})
_INLINED_DELETE_COLUMNS = ("file_id", "row_id", "begin_snapshot")


class ColumnSpec(Protocol):
    """A column as CREATE TABLE or ADD COLUMN states it."""

    @property
    def name(self) -> str: ...
    @property
    def type(self) -> ColumnType: ...
    @property
    def nullable(self) -> bool: ...
    @property
    def default(self) -> Value: ...


def new_relation(relation_id: int, name: str, columns: Sequence[ColumnSpec],
                 primary_key: Sequence[str] = (), *, taken: Container[bytes] = frozenset()) -> Relation:
    """The relation that a CREATE TABLE makes: declared or inlined when name and columns fit, else a user one.

    ``taken`` holds the key prefixes of the lake's other relations: a declared table whose prefix is taken, because
    its first holder was renamed or goes by a former name, is a user relation, so that two never share keys.
    Raises DuplicateColumn, UndefinedColumn (for a primary key column), Unsupported (for a type that cannot be
    stored), TooManyColumns.
    """
    check_columns(columns, primary_key)
    table = BY_NAME.get(name)
    if table is not None and bytes([table.tag]) not in taken:
        declared = relation_for(table, relation_id, columns, primary_key, name=name)
        if declared is not None:
            return declared
    return inlined_relation(relation_id, name, columns, primary_key) or user_relation(
        relation_id, name, columns, primary_key
    )


def check_columns(columns: Sequence[ColumnSpec], primary_key: Sequence[str]) -> None:
    """Raise when the columns of a CREATE TABLE cannot be stored or its key names one that is not there."""
    names: set[str] = set()
    for column in columns:
        if column.name in names:
            raise DuplicateColumn(f'column "{column.name}" specified more than once')
        names.add(column.name)
        _check_storable(column)
    if len(columns) > FIELD_NUMBER_MAX - FRESH_NUMBER_AFTER_DROP:
        raise TooManyColumns(f"tables can have at most {FIELD_NUMBER_MAX - FRESH_NUMBER_AFTER_DROP} columns")
    for name in primary_key:
        if name not in names:
            raise UndefinedColumn(f'column "{name}" named in key does not exist')


def _check_storable(column: ColumnSpec) -> None:
    if not column.type.storable or column.type.form not in KIND_OF_FORM:
        raise Unsupported(f'column "{column.name}" has type {column.type.name}, which cannot be stored')


def relation_for(table: Table, relation_id: int, columns: Sequence[ColumnSpec],
                 primary_key: Sequence[str] = (), *, name: str | None = None) -> Relation | None:
    """The declared relation ``table`` with the columns that a client gave it; ``None`` when they contradict
    the declaration: another form, a key column missing that every version has, or another primary key."""
    given = {column.name: column for column in columns}
    declared = {column.name: column for column in table.columns}
    for column in columns:
        if column.name in declared and declared[column.name].type.form is not column.type.form:
            return None
    for key_name in table.key:
        if key_name not in given and declared[key_name].since == table.since:
            return None
    if primary_key and tuple(primary_key) != table.primary_key:
        return None
    next_number = FRESH_NUMBER_FIRST
    live = []
    for column in columns:
        number = declared[column.name].number if column.name in declared else next_number
        next_number += number == next_number
        live.append(_live_column(column, number, primary_key))
    index = {column.name: position for position, column in enumerate(columns)}
    return Relation(
        relation_id, name or table.name, RelationKind.DECLARED, table.behaviour, bytes([table.tag]),
        tuple(index.get(key_name) for key_name in table.key), tuple(live),
        tuple(index[key_name] for key_name in primary_key), table.partition, next_number, table=table,
    )


def inlined_relation(relation_id: int, name: str, columns: Sequence[ColumnSpec],
                     primary_key: Sequence[str] = ()) -> Relation | None:
    """The inlined-data or inlined-delete relation that ``name`` and ``columns`` describe, or ``None``."""
    leading = tuple(column.name for column in columns[:3] if column.type.oid == BIGINT.oid)
    if primary_key:
        return None
    if _INLINED_DATA_NAME.fullmatch(name) and leading in _INLINED_DATA_COLUMNS:
        kind, kind_byte = RelationKind.INLINED_DATA, KIND_INLINED_DATA
        return _dynamic(relation_id, name, columns, kind, kind_byte, (0, 1))
    if _INLINED_DELETE_NAME.fullmatch(name) and leading == _INLINED_DELETE_COLUMNS and len(columns) == 3:
        kind, kind_byte = RelationKind.INLINED_DELETE, KIND_INLINED_DELETE
        return _dynamic(relation_id, name, columns, kind, kind_byte, (0, 1, 2))
    return None


def user_relation(relation_id: int, name: str, columns: Sequence[ColumnSpec],
                  primary_key: Sequence[str] = ()) -> Relation:
    """A relation neither declared nor inlined; its rows are keyed by the ctid that they were first given."""
    return _dynamic(relation_id, name, columns, RelationKind.USER, KIND_USER, (), primary_key)


def dynamic_prefix(relation_id: int, kind: int) -> bytes:
    """What the keys of an inlined or user relation's rows start with: FD, relation id, kind."""
    return bytes([DYNAMIC_RELATIONS]) + relation_id.to_bytes(8, "big") + bytes([kind])


def _dynamic(relation_id: int, name: str, columns: Sequence[ColumnSpec], kind: RelationKind, kind_byte: int,
             key_columns: tuple[int, ...], primary_key: Sequence[str] = ()) -> Relation:
    live = tuple(_live_column(column, number, primary_key) for number, column in enumerate(columns, 1))
    index = {column.name: position for position, column in enumerate(columns)}
    behaviour = Behaviour.APPEND_ONLY if kind is RelationKind.USER else Behaviour.INLINED
    return Relation(
        relation_id, name, kind, behaviour, dynamic_prefix(relation_id, kind_byte), key_columns, live,
        tuple(index[key_name] for key_name in primary_key), next_column_number=len(columns) + 1,
    )


def _live_column(column: ColumnSpec, number: int, primary_key: Sequence[str]) -> RelationColumn:
    nullable = column.nullable and column.name not in primary_key
    return RelationColumn(column.name, column.type, number, nullable, column.default)


def _position(relation: Relation, name: str) -> int:
    position = relation.index.get(name)
    if position is None:
        raise UndefinedColumn(f'column "{name}" of relation "{relation.name}" does not exist')
    return position


def _declared_number(relation: Relation, column: ColumnSpec) -> Column | None:
    """The declaration whose field number an added column may take: one that no row ever used."""
    if relation.table is None or relation.next_column_number >= FRESH_NUMBER_AFTER_DROP:
        return None
    used = {live.number for live in relation.columns}
    for declared in relation.table.columns:
        if declared.name == column.name and declared.until is None and declared.number not in used:
            return declared if declared.type.form is column.type.form else None
    return None


def add_column(relation: Relation, column: ColumnSpec) -> Relation:
    """``relation`` with one more column at the end. A column that the declaration knows gets its permanent
    number and its place in the key. Raises DuplicateColumn, Unsupported, TooManyColumns."""
    if column.name in relation.index:
        raise DuplicateColumn(f'column "{column.name}" of relation "{relation.name}" already exists')
    _check_storable(column)
    key_columns, next_number = relation.key_columns, relation.next_column_number
    declared = _declared_number(relation, column)
    if declared is None:
        number, next_number = next_number, next_number + 1
        if number > FIELD_NUMBER_MAX:
            raise TooManyColumns(f'relation "{relation.name}" has had too many columns')
    else:
        number = declared.number
        if relation.table is not None and column.name in relation.table.key and column.default is None:
            place = relation.table.key.index(column.name)
            key_columns = (*key_columns[:place], len(relation.columns), *key_columns[place + 1:])
    live = RelationColumn(column.name, column.type, number, column.nullable, column.default)
    return replace(relation, columns=(*relation.columns, live), key_columns=key_columns,
                   next_column_number=next_number)


def drop_column(relation: Relation, name: str) -> Relation:
    """``relation`` without a column; its field number is not given away again. A key field that it filled
    reads NULL from then on, and a primary key and indexes that name it go with it. Raises UndefinedColumn."""
    position = _position(relation, name)

    def moved(index: int) -> int:
        return index - (index > position)

    key_columns = tuple(
        None if index is None or index == position else moved(index) for index in relation.key_columns
    )
    primary_key = () if position in relation.primary_key else tuple(map(moved, relation.primary_key))
    next_number = relation.next_column_number
    if relation.table is not None and _may_return(relation.table, relation.columns[position].number):
        next_number = max(next_number, FRESH_NUMBER_AFTER_DROP)
    columns = relation.columns[:position] + relation.columns[position + 1:]
    number = relation.columns[position].number
    indexes = tuple(index for index in relation.indexes if all(key.number != number for key in index.keys))
    return replace(relation, columns=columns, key_columns=key_columns, primary_key=primary_key,
                   next_column_number=next_number, indexes=indexes,
                   key_comment=relation.key_comment if primary_key else None)


def _may_return(table: Table, number: int) -> bool:
    """Whether ADD COLUMN could give this field number again."""
    return any(column.number == number and column.until is None for column in table.columns)


def rename_column(relation: Relation, name: str, new_name: str) -> Relation:
    """``relation`` with a column under another name; its number and its place in the key stay.
    Raises UndefinedColumn, DuplicateColumn."""
    position = _position(relation, name)
    if new_name in relation.index:
        raise DuplicateColumn(f'column "{new_name}" of relation "{relation.name}" already exists')
    columns = list(relation.columns)
    columns[position] = replace(columns[position], name=new_name)
    return replace(relation, columns=tuple(columns))
