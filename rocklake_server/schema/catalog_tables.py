"""The declared DuckLake relations of every catalog version, in the order of DuckLake's own DDL."""

from __future__ import annotations

from typing import NamedTuple

from rocklake_server.schema import catalog_files as files
from rocklake_server.schema import catalog_layout as layout
from rocklake_server.schema import catalog_objects as objects
from rocklake_server.schema.model import Table

VERSIONS = ("0.1", "0.2", "0.3", "0.4", "1.0", "1.1")
"""DuckLake catalog versions, oldest first."""

CATALOG_TABLES: tuple[Table, ...] = (
    objects.METADATA,
    objects.SNAPSHOT,
    objects.SNAPSHOT_CHANGES,
    objects.SCHEMA,
    objects.TABLE,
    objects.VIEW,
    objects.TAG,
    objects.COLUMN_TAG,
    files.DATA_FILE,
    files.FILE_COLUMN_STATS,
    files.FILE_VARIANT_STATS,
    files.DELETE_FILE,
    objects.COLUMN,
    files.TABLE_STATS,
    files.TABLE_COLUMN_STATS,
    layout.PARTITION_INFO,
    layout.PARTITION_COLUMN,
    layout.FILE_PARTITION_VALUE,
    files.FILES_SCHEDULED_FOR_DELETION,
    files.INLINED_DATA_TABLES,
    files.COLUMN_MAPPING,
    files.NAME_MAPPING,
    objects.SCHEMA_VERSIONS,
    objects.MACRO,
    objects.MACRO_IMPL,
    objects.MACRO_PARAMETERS,
    layout.SORT_INFO,
    layout.SORT_EXPRESSION,
    objects.VIEW_COLUMN_TAG,
)


class FormerName(NamedTuple):
    """A name that a relation had before catalog version ``until``."""

    name: str
    table: Table
    until: str


FORMER_NAMES = (FormerName("ducklake_file_column_statistics", files.FILE_COLUMN_STATS, "0.3"),)
