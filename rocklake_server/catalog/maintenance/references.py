"""Which relations name rows of which others: what must be there, and which check tells when it is not."""

from __future__ import annotations

from dataclasses import dataclass

from rocklake_server.catalog.maintenance import checks
from rocklake_server.catalog.maintenance.checks import Check

SNAPSHOT, CHANGES = "ducklake_snapshot", "ducklake_snapshot_changes"
SCHEMA, TABLE, VIEW, MACRO = "ducklake_schema", "ducklake_table", "ducklake_view", "ducklake_macro"
DATA_FILE, DELETE_FILE = "ducklake_data_file", "ducklake_delete_file"


@dataclass(frozen=True, slots=True)
class Reference:
    """Each value of ``column`` that is not NULL is an id of ``owner``: of any version, ended ones too."""

    relation: str
    column: str
    owner: str
    check: Check


REFERENCES: tuple[Reference, ...] = (
    Reference(TABLE, "schema_id", SCHEMA, checks.MISSING_SCHEMAS),
    Reference(VIEW, "schema_id", SCHEMA, checks.MISSING_SCHEMAS),
    Reference(MACRO, "schema_id", SCHEMA, checks.MISSING_SCHEMAS),
    Reference(DATA_FILE, "table_id", TABLE, checks.MISSING_TABLES),
    Reference(DELETE_FILE, "table_id", TABLE, checks.MISSING_TABLES),
    Reference("ducklake_column", "table_id", TABLE, checks.ORPHANED_COLUMNS),
    Reference("ducklake_column_tag", "table_id", TABLE, checks.ORPHANED_COLUMNS),
    Reference("ducklake_table_stats", "table_id", TABLE, checks.ORPHANED_STATISTICS),
    Reference("ducklake_table_column_stats", "table_id", TABLE, checks.ORPHANED_STATISTICS),
    Reference("ducklake_partition_info", "table_id", TABLE, checks.ORPHANED_PARTS),
    Reference("ducklake_partition_column", "partition_id", "ducklake_partition_info", checks.ORPHANED_PARTS),
    Reference("ducklake_sort_info", "table_id", TABLE, checks.ORPHANED_PARTS),
    Reference("ducklake_sort_expression", "sort_id", "ducklake_sort_info", checks.ORPHANED_PARTS),
    Reference("ducklake_column_mapping", "table_id", TABLE, checks.ORPHANED_PARTS),
    Reference("ducklake_name_mapping", "mapping_id", "ducklake_column_mapping", checks.ORPHANED_PARTS),
    Reference("ducklake_macro_impl", "macro_id", MACRO, checks.ORPHANED_PARTS),
    Reference("ducklake_macro_parameters", "macro_id", MACRO, checks.ORPHANED_PARTS),
    Reference("ducklake_view_column_tag", "view_id", VIEW, checks.ORPHANED_PARTS),
)

OWNER_IDS = {
    SNAPSHOT: "snapshot_id",
    CHANGES: "snapshot_id",
    SCHEMA: "schema_id",
    TABLE: "table_id",
    VIEW: "view_id",
    MACRO: "macro_id",
    "ducklake_partition_info": "partition_id",
    "ducklake_sort_info": "sort_id",
    "ducklake_column_mapping": "mapping_id",
}
"""Relations whose ids others name, and the column that holds them."""

PARTS_OF_FILES: dict[str, Check] = {
    "ducklake_file_column_stats": checks.ORPHANED_STATISTICS,
    "ducklake_file_variant_stats": checks.ORPHANED_STATISTICS,
    "ducklake_file_partition_value": checks.ORPHANED_STATISTICS,
    DELETE_FILE: checks.MISSING_DATA_FILES,
}
"""Relations whose rows name a data file of their table by ``table_id`` and ``data_file_id``."""

COUNTED = frozenset({
    "record_count", "file_size_bytes", "footer_size", "delete_count", "column_size_bytes", "value_count", "null_count",
    "next_row_id", "row_id_start", "row_group_count", "schema_version", "next_catalog_id", "next_file_id",
})
"""Columns that are never below 0."""
