"""Declared relations for how a table's files are laid out: partitioning and sorting."""

from __future__ import annotations

from rocklake_server.schema.model import Behaviour, Column, Table
from rocklake_server.schema.types import BIGINT, VARCHAR

PARTITION_INFO = Table(
    name="ducklake_partition_info", tag=0x15, behaviour=Behaviour.VERSIONED,
    key=("table_id", "partition_id", "begin_snapshot"), counters=(("partition_id", "next_catalog_id"),),
    description="The partitioning of a table, one row per version.",
    columns=(
        Column("partition_id", BIGINT, 1),
        Column("table_id", BIGINT, 2),
        Column("begin_snapshot", BIGINT, 3),
        Column("end_snapshot", BIGINT, 4),
    ),
)

PARTITION_COLUMN = Table(
    name="ducklake_partition_column", tag=0x16, behaviour=Behaviour.APPEND_ONLY,
    key=("partition_id", "partition_key_index"),
    description="The columns and transforms of a partitioning.",
    columns=(
        Column("partition_id", BIGINT, 1),
        Column("table_id", BIGINT, 2),
        Column("partition_key_index", BIGINT, 3),
        Column("column_id", BIGINT, 4),
        Column("transform", VARCHAR, 5),
    ),
)

FILE_PARTITION_VALUE = Table(
    name="ducklake_file_partition_value", tag=0x17, behaviour=Behaviour.APPEND_ONLY,
    key=("table_id", "data_file_id", "partition_key_index"), partition=True,
    counters=(("data_file_id", "next_file_id"),),
    description="The partition values of data files.",
    columns=(
        Column("data_file_id", BIGINT, 1),
        Column("table_id", BIGINT, 2),
        Column("partition_key_index", BIGINT, 3),
        Column("partition_value", VARCHAR, 4),
    ),
)

SORT_INFO = Table(
    name="ducklake_sort_info", tag=0x18, behaviour=Behaviour.VERSIONED,
    key=("table_id", "sort_id", "begin_snapshot"), counters=(("sort_id", "next_catalog_id"),), since="0.4",
    description="The sort order of a table, one row per version.",
    columns=(
        Column("sort_id", BIGINT, 1, since="0.4"),
        Column("table_id", BIGINT, 2, since="0.4"),
        Column("begin_snapshot", BIGINT, 3, since="0.4"),
        Column("end_snapshot", BIGINT, 4, since="0.4"),
    ),
)

SORT_EXPRESSION = Table(
    name="ducklake_sort_expression", tag=0x19, behaviour=Behaviour.APPEND_ONLY,
    key=("sort_id", "sort_key_index"),
    since="0.4",
    description="The expressions of a sort order.",
    columns=(
        Column("sort_id", BIGINT, 1, since="0.4"),
        Column("table_id", BIGINT, 2, since="0.4"),
        Column("sort_key_index", BIGINT, 3, since="0.4"),
        Column("expression", VARCHAR, 4, since="0.4"),
        Column("dialect", VARCHAR, 5, since="0.4"),
        Column("sort_direction", VARCHAR, 6, since="0.4"),
        Column("null_order", VARCHAR, 7, since="0.4"),
    ),
)
