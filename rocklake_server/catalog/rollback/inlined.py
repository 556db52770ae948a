"""Relations for the rows that clients inline next, where a table's columns are others than they were.

DuckLake inlines into a table's relation of the greatest schema version, and takes it for one with the table's columns.
So a table whose columns change gets a relation of the new schema version, as it does from DuckLake's ALTER TABLE.
"""

from __future__ import annotations

from collections import defaultdict

from rocklake_server.catalog.lake_reader import LakeReader
from rocklake_server.catalog.rollback.records import END, Changes, Record, number, number_or_none, records
from rocklake_server.catalog.rollback.statistics import COLUMN, live_after
from rocklake_server.catalog.view import ColumnDefinition
from rocklake_server.schema.duckdb_types import duckdb_scalar, lake_type
from rocklake_server.schema.types import BIGINT, VARCHAR

REGISTERED = "ducklake_inlined_data_tables"
_NESTED = frozenset({"list", "struct", "map"})
_NEVER_INLINED = frozenset({"variant", "geometry"})
_SYSTEM_COLUMNS = ("row_id", "begin_snapshot", "end_snapshot")
_PREFIX = "_ducklake_"
"""Before the names of system columns since catalog version 1.1."""


async def make_inlined_relations(lake: LakeReader, changes: Changes, tables: set[int], schema_version: int) -> None:
    """For those of ``tables`` that have inlined rows or had them."""
    registered: dict[int, str] = {}
    async for _, _, row in records(lake, REGISTERED):
        registered[number(row, "table_id")] = str(row["table_name"])
    columns: dict[int, list[Record]] = defaultdict(list)
    async for row in live_after(lake, COLUMN, END, changes):
        columns[number(row, "table_id")].append(row)
    for table_id in sorted(tables & registered.keys()):
        known = lake.relations.by_name.get(registered[table_id])
        is_prefixed = known is not None and known.columns[0].name.startswith(_PREFIX)
        definitions = _definitions(columns[table_id], _PREFIX if is_prefixed else "")
        if definitions is not None:
            name = f"ducklake_inlined_data_{table_id}_{schema_version}"
            changes.created[name] = definitions
            changes.put(REGISTERED, {"table_id": table_id, "table_name": name, "schema_version": schema_version})


def _definitions(columns: list[Record], prefix: str) -> list[ColumnDefinition] | None:
    """``None`` for a table that DuckLake inlines no rows of."""
    if any(str(column["column_type"]).lower() in _NEVER_INLINED for column in columns):
        return None
    found = [ColumnDefinition(f"{prefix}{name}", BIGINT) for name in _SYSTEM_COLUMNS]
    own = sorted((c for c in columns if c["parent_column"] is None), key=_place)
    for column in own:
        kind = str(column["column_type"])
        known = None if kind.lower() in _NESTED else duckdb_scalar(kind)
        column_type = VARCHAR if known is None else lake_type(known, inlined=True)
        found.append(ColumnDefinition(str(column["column_name"]), column_type))
    names = {column.name.lower() for column in found}
    return found if len(names) == len(found) else None


def _place(column: Record) -> int:
    order = number_or_none(column, "column_order")
    return order if order is not None else number(column, "column_id")
