"""A catalog's relations as every kind of catalog database can hold them, and the order in which they are copied."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple, TypeAlias

from rocklake_server.schema.registry import BY_NAME, TABLES
from rocklake_server.schema.types import ColumnType, Value
from rocklake_server.transfer.notes import NO_NOTES, CatalogNotes

PREFIX = "ducklake_"
"""What the names of DuckLake's own relations begin with; only those are copied."""

Row: TypeAlias = tuple[Value, ...]
"""The values of a relation's columns in order, in the forms of ``schema.types``."""

BATCH_ROWS = 5_000
"""Rows that are read or written at a time."""

_INLINED_DATA = re.compile(r"ducklake_inlined_data_(\d+)_(\d+)")


@dataclass(frozen=True, slots=True)
class CatalogColumn:
    """``type`` is the column's type in a lake and in PostgreSQL, ``duckdb_type`` DuckLake's in a DuckDB catalog."""

    name: str
    type: ColumnType
    duckdb_type: str
    nullable: bool = True

    @property
    def default(self) -> Value:
        """None: DuckLake gives every column a value."""
        return None


@dataclass(frozen=True)
class CatalogRelation:
    """One relation to be copied."""

    name: str
    columns: tuple[CatalogColumn, ...]
    primary_key: tuple[str, ...] = ()

    @cached_property
    def types(self) -> tuple[ColumnType, ...]:
        return tuple(column.type for column in self.columns)

    @cached_property
    def index(self) -> dict[str, int]:
        """Column name -> position in a row."""
        return {column.name: position for position, column in enumerate(self.columns)}


@dataclass(frozen=True, slots=True)
class CatalogContents:
    """What a catalog holds: DuckLake's relations in copying order, the names of others, which stay behind, and what is
    noted about DuckLake's."""

    relations: tuple[CatalogRelation, ...]
    left_out: tuple[str, ...] = field(default=())
    notes: CatalogNotes = field(default=NO_NOTES)


def quoted(name: str) -> str:
    """``name`` as an SQL identifier."""
    return '"' + name.replace('"', '""') + '"'


class InlinedName(NamedTuple):
    """What the name of an inlined-data relation says."""

    table_id: int
    schema_version: int


def inlined_name(name: str) -> InlinedName | None:
    """``None`` when ``name`` is that of another relation."""
    found = _INLINED_DATA.fullmatch(name)
    return InlinedName(int(found[1]), int(found[2])) if found else None


def in_order(relations: Iterable[CatalogRelation]) -> tuple[CatalogRelation, ...]:
    """Declared relations in the order of DuckLake's own DDL, then the others by name, numbers as numbers."""
    declared = {table.name: place for place, table in enumerate(TABLES)}

    def place(relation: CatalogRelation) -> tuple[int, list[tuple[int, str]]]:
        table = BY_NAME.get(relation.name)
        parts = [(int(part), "") if part.isdigit() else (-1, part) for part in re.split(r"(\d+)", relation.name)]
        return declared[table.name] if table else len(declared), parts

    return tuple(sorted(relations, key=place))
