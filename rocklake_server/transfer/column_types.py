"""The types of users' columns at each schema version, from the rows of ducklake_column: inlined rows have those."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from rocklake_server.catalog.mvcc import is_visible
from rocklake_server.errors import Unsupported
from rocklake_server.schema.types import ColumnType
from rocklake_server.transfer.duckdb_types import duckdb_scalar, duckdb_type, lake_type
from rocklake_server.transfer.relations import CatalogColumn, InlinedName, inlined_name, quoted

COLUMN_FIELDS = (
    "table_id", "column_id", "begin_snapshot", "end_snapshot", "column_order", "column_name", "column_type",
    "parent_column",
)  # fmt: skip
"""Of ducklake_column, in the order of ``TypedColumn``."""

SYSTEM_COLUMNS = 3
"""That an inlined-data relation begins with: row id, first and last snapshot."""


class TypedColumn(NamedTuple):
    """One row of ducklake_column."""

    table_id: int
    column_id: int
    begin_snapshot: int
    end_snapshot: int | None
    column_order: int | None
    name: str
    type: str
    parent: int | None


class ColumnTypes:
    """Answers which DuckDB type a column of an inlined-data relation has."""

    def __init__(self, columns: Iterable[TypedColumn], began: Mapping[InlinedName, int]) -> None:
        """``began`` is the snapshot with which a table's schema version began, as far as that is known."""
        self._began = began
        self._columns: dict[int, list[TypedColumn]] = defaultdict(list)
        for column in columns:
            self._columns[column.table_id].append(column)

    def duckdb_type(self, inlined: InlinedName, name: str, found: ColumnType | None = None) -> str:
        """``found`` is the column's type in a lake, where it is known. Raises Unsupported when ducklake_column does not
        tell the type."""
        began = self._began.get(inlined)
        named = [c for c in self._columns[inlined.table_id] if c.name == name and c.parent is None]
        if began is not None:
            named = [c for c in named if is_visible(c.begin_snapshot, c.end_snapshot, began)] or named
        types = [self._type(c, c.begin_snapshot if began is None else began)
                 for c in sorted(named, key=lambda c: c.begin_snapshot)]
        fitting = [t for t in types if found is None or lake_type(t, inlined=True) == found]
        if not fitting:
            raise Unsupported(
                f'the type of column "{name}" in inlined rows of table {inlined.table_id} is not known: '
                "ducklake_column has no row that fits"
            )
        return fitting[-1]

    def _type(self, column: TypedColumn, at: int) -> str:
        match column.type.lower():
            case "list":
                return f"{self._type(self._children(column, at)[0], at)}[]"
            case "map":
                key, value = self._children(column, at)[:2]
                return f"MAP({self._type(key, at)}, {self._type(value, at)})"
            case "struct":
                fields = [f"{quoted(child.name)} {self._type(child, at)}" for child in self._children(column, at)]
                return f"STRUCT({', '.join(fields)})"
            case _:
                found = duckdb_scalar(column.type)
        if found is None:
            name = f'column "{column.name}" of table {column.table_id}'
            raise Unsupported(f'{name} has type "{column.type}", which is not known')
        return found

    def _children(self, parent: TypedColumn, at: int) -> Sequence[TypedColumn]:
        """The fields of a nested column at a snapshot, or those of any when it had none then."""
        fields = [c for c in self._columns[parent.table_id] if c.parent == parent.column_id]
        found = [c for c in fields if is_visible(c.begin_snapshot, c.end_snapshot, at)] or fields
        if len(found) < (2 if parent.type.lower() == "map" else 1):
            raise Unsupported(f'column "{parent.name}" of table {parent.table_id} is nested and has no fields')
        return sorted(found, key=lambda c: c.column_order if c.column_order is not None else c.column_id)


def with_duckdb_types(
    relation: str, columns: Sequence[CatalogColumn], types: ColumnTypes
) -> tuple[CatalogColumn, ...]:
    """The columns of a relation that has PostgreSQL's types, with the DuckDB types that belong to them."""
    inlined = inlined_name(relation)
    found: list[CatalogColumn] = []
    for place, column in enumerate(columns):
        if inlined is not None and place >= SYSTEM_COLUMNS:
            name = types.duckdb_type(inlined, column.name, column.type)
        else:
            name = duckdb_type(column.type)
        found.append(replace(column, duckdb_type=name))
    return tuple(found)


def schema_version_starts(
    versions: Iterable[tuple[int, int, int | None]], snapshots: Iterable[tuple[int, int]], names: Iterable[InlinedName]
) -> dict[InlinedName, int]:
    """Where the schema versions in ``names`` begin: ``versions`` are (begin_snapshot, schema_version, table_id) of
    ducklake_schema_versions, ``snapshots`` (snapshot_id, schema_version) of ducklake_snapshot."""
    first: dict[tuple[int, int | None], int] = {}
    listed = [*versions, *((snapshot, version, None) for snapshot, version in snapshots)]
    for snapshot, version, table_id in listed:
        key = (version, table_id)
        first[key] = min(snapshot, first.get(key, snapshot))
    starts: dict[InlinedName, int] = {}
    for name in names:
        start = first.get((name.schema_version, name.table_id), first.get((name.schema_version, None)))
        if start is not None:
            starts[name] = start
    return starts
