"""Declared relations for files: data and delete files, their statistics, name mappings and inlined tables."""

from __future__ import annotations

from rocklake_server.schema.model import Behaviour, Column, Table
from rocklake_server.schema.types import BIGINT, BOOLEAN, TIMESTAMPTZ, VARCHAR

_DATA_FILE_IDS = (("data_file_id", "next_file_id"),)

DATA_FILE = Table(
    name="ducklake_data_file", tag=0x0B, behaviour=Behaviour.APPEND_ONLY, key=("table_id", "data_file_id"),
    primary_key=("data_file_id",), partition=True, counters=_DATA_FILE_IDS,
    description="Parquet files of tables, with the snapshots between which each belongs to its table.",
    columns=(
        Column("data_file_id", BIGINT, 1, nullable=False),
        Column("table_id", BIGINT, 2),
        Column("begin_snapshot", BIGINT, 3),
        Column("end_snapshot", BIGINT, 4),
        Column("file_order", BIGINT, 5),
        Column("path", VARCHAR, 6),
        Column("path_is_relative", BOOLEAN, 7),
        Column("file_format", VARCHAR, 8),
        Column("record_count", BIGINT, 9),
        Column("file_size_bytes", BIGINT, 10),
        Column("footer_size", BIGINT, 11),
        Column("row_id_start", BIGINT, 12),
        Column("partition_id", BIGINT, 13),
        Column("encryption_key", VARCHAR, 14),
        Column("mapping_id", BIGINT, 15, since="0.2"),
        Column("partial_max", BIGINT, 16, since="0.4"),
        Column("row_group_count", BIGINT, 17, since="1.1"),
        Column("partial_file_info", VARCHAR, 18, until="0.4"),
    ),
)

DELETE_FILE = Table(
    name="ducklake_delete_file", tag=0x0C, behaviour=Behaviour.APPEND_ONLY,
    key=("table_id", "delete_file_id"),
    primary_key=("delete_file_id",), partition=True,
    counters=(("delete_file_id", "next_file_id"), *_DATA_FILE_IDS),
    description="Files that list deleted rows of a data file, with the snapshots between which each applies.",
    columns=(
        Column("delete_file_id", BIGINT, 1, nullable=False),
        Column("table_id", BIGINT, 2),
        Column("begin_snapshot", BIGINT, 3),
        Column("end_snapshot", BIGINT, 4),
        Column("data_file_id", BIGINT, 5),
        Column("path", VARCHAR, 6),
        Column("path_is_relative", BOOLEAN, 7),
        Column("format", VARCHAR, 8),
        Column("delete_count", BIGINT, 9),
        Column("file_size_bytes", BIGINT, 10),
        Column("footer_size", BIGINT, 11),
        Column("encryption_key", VARCHAR, 12),
        Column("partial_max", BIGINT, 13, since="0.4"),
        Column("row_group_count", BIGINT, 14, since="1.1"),
    ),
)

FILES_SCHEDULED_FOR_DELETION = Table(
    name="ducklake_files_scheduled_for_deletion", tag=0x0D, behaviour=Behaviour.APPEND_ONLY,
    key=("schedule_start", "data_file_id"), counters=_DATA_FILE_IDS,
    description="Files that no snapshot needs and that a clean-up may remove.",
    columns=(
        Column("data_file_id", BIGINT, 1),
        Column("path", VARCHAR, 2),
        Column("path_is_relative", BOOLEAN, 3),
        Column("schedule_start", TIMESTAMPTZ, 4),
    ),
)

INLINED_DATA_TABLES = Table(
    name="ducklake_inlined_data_tables", tag=0x0E, behaviour=Behaviour.APPEND_ONLY,
    key=("table_id", "schema_version"),
    description="The tables that hold inlined rows, one per table and schema version.",
    columns=(
        Column("table_id", BIGINT, 1),
        Column("table_name", VARCHAR, 2),
        Column("schema_version", BIGINT, 3),
    ),
)

COLUMN_MAPPING = Table(
    name="ducklake_column_mapping", tag=0x0F, behaviour=Behaviour.APPEND_ONLY, key=("table_id", "mapping_id"),
    counters=(("mapping_id", "next_file_id"),), since="0.2",
    description="Ways to map the columns of added files to those of their table.",
    columns=(
        Column("mapping_id", BIGINT, 1, since="0.2"),
        Column("table_id", BIGINT, 2, since="0.2"),
        Column("type", VARCHAR, 3, since="0.2"),
    ),
)

NAME_MAPPING = Table(
    name="ducklake_name_mapping", tag=0x10, behaviour=Behaviour.APPEND_ONLY, key=("mapping_id", "column_id"),
    since="0.2",
    description="The columns of a mapping, by the name that they have in the file.",
    columns=(
        Column("mapping_id", BIGINT, 1, since="0.2"),
        Column("column_id", BIGINT, 2, since="0.2"),
        Column("source_name", VARCHAR, 3, since="0.2"),
        Column("target_field_id", BIGINT, 4, since="0.2"),
        Column("parent_column", BIGINT, 5, since="0.2"),
        Column("is_partition", BOOLEAN, 6, since="0.3"),
    ),
)

TABLE_STATS = Table(
    name="ducklake_table_stats", tag=0x11, behaviour=Behaviour.SINGLETON, key=("table_id",),
    description="Row count, next row id and size of each table.",
    columns=(
        Column("table_id", BIGINT, 1),
        Column("record_count", BIGINT, 2),
        Column("next_row_id", BIGINT, 3),
        Column("file_size_bytes", BIGINT, 4),
    ),
)

TABLE_COLUMN_STATS = Table(
    name="ducklake_table_column_stats", tag=0x12, behaviour=Behaviour.SINGLETON,
    key=("table_id", "column_id"),
    description="Statistics of each column over the whole table.",
    columns=(
        Column("table_id", BIGINT, 1),
        Column("column_id", BIGINT, 2),
        Column("contains_null", BOOLEAN, 3),
        Column("contains_nan", BOOLEAN, 4),
        Column("min_value", VARCHAR, 5),
        Column("max_value", VARCHAR, 6),
        Column("extra_stats", VARCHAR, 7, since="0.3"),
        Column("min_is_exact", BOOLEAN, 8, since="1.1"),
        Column("max_is_exact", BOOLEAN, 9, since="1.1"),
    ),
)

FILE_COLUMN_STATS = Table(
    name="ducklake_file_column_stats", tag=0x13, behaviour=Behaviour.APPEND_ONLY,
    key=("table_id", "column_id", "data_file_id"), partition=True, sections=True, counters=_DATA_FILE_IDS,
    description="Statistics of each column in each data file.",
    columns=(
        Column("data_file_id", BIGINT, 1),
        Column("table_id", BIGINT, 2),
        Column("column_id", BIGINT, 3),
        Column("column_size_bytes", BIGINT, 4),
        Column("value_count", BIGINT, 5),
        Column("null_count", BIGINT, 6),
        Column("min_value", VARCHAR, 7),
        Column("max_value", VARCHAR, 8),
        Column("contains_nan", BOOLEAN, 9),
        Column("extra_stats", VARCHAR, 10, since="0.3"),
    ),
)

FILE_VARIANT_STATS = Table(
    name="ducklake_file_variant_stats", tag=0x14, behaviour=Behaviour.APPEND_ONLY,
    key=("table_id", "column_id", "data_file_id", "variant_path"), partition=True, sections=True,
    counters=_DATA_FILE_IDS, since="0.4",
    description="Statistics of the shredded fields of variant columns in each data file.",
    columns=(
        Column("data_file_id", BIGINT, 1, since="0.4"),
        Column("table_id", BIGINT, 2, since="0.4"),
        Column("column_id", BIGINT, 3, since="0.4"),
        Column("variant_path", VARCHAR, 4, since="0.4"),
        Column("shredded_type", VARCHAR, 5, since="0.4"),
        Column("column_size_bytes", BIGINT, 6, since="0.4"),
        Column("value_count", BIGINT, 7, since="0.4"),
        Column("null_count", BIGINT, 8, since="0.4"),
        Column("min_value", VARCHAR, 9, since="0.4"),
        Column("max_value", VARCHAR, 10, since="0.4"),
        Column("contains_nan", BOOLEAN, 11, since="0.4"),
        Column("extra_stats", VARCHAR, 12, since="0.4"),
    ),
)
