"""Declared relations for snapshots and named objects: schemas, tables, columns, views, macros, tags.

``since`` and ``until`` follow the migrations of DuckLake's own metadata manager (MigrateV01 … MigrateV10).
"""

from __future__ import annotations

from rocklake_server.schema.model import Behaviour, Column, Table
from rocklake_server.schema.types import BIGINT, BOOLEAN, TIMESTAMPTZ, UUID, VARCHAR

METADATA = Table(
    name="ducklake_metadata", tag=0x01, behaviour=Behaviour.SINGLETON, key=("scope", "scope_id", "key"),
    description="Settings of the lake, of one schema or of one table: catalog version, data path, options.",
    columns=(
        Column("key", VARCHAR, 1, nullable=False),
        Column("value", VARCHAR, 2, nullable=False),
        Column("scope", VARCHAR, 3, since="0.2"),
        Column("scope_id", BIGINT, 4, since="0.2"),
    ),
)

SNAPSHOT = Table(
    name="ducklake_snapshot", tag=0x02, behaviour=Behaviour.APPEND_ONLY, key=("snapshot_id",),
    primary_key=("snapshot_id",), counters=(("snapshot_id", "next_snapshot_id"),),
    description="One row per commit of the lake, with the ids that the next commit may use.",
    columns=(
        Column("snapshot_id", BIGINT, 1, nullable=False),
        Column("snapshot_time", TIMESTAMPTZ, 2),
        Column("schema_version", BIGINT, 3),
        Column("next_catalog_id", BIGINT, 4),
        Column("next_file_id", BIGINT, 5),
    ),
)

SNAPSHOT_CHANGES = Table(
    name="ducklake_snapshot_changes", tag=0x03, behaviour=Behaviour.APPEND_ONLY, key=("snapshot_id",),
    primary_key=("snapshot_id",),
    description="What a snapshot changed, as DuckLake's own list of tokens, with the author's remarks.",
    columns=(
        Column("snapshot_id", BIGINT, 1, nullable=False),
        Column("changes_made", VARCHAR, 2),
        Column("author", VARCHAR, 3, since="0.3"),
        Column("commit_message", VARCHAR, 4, since="0.3"),
        Column("commit_extra_info", VARCHAR, 5, since="0.3"),
    ),
)

SCHEMA = Table(
    name="ducklake_schema", tag=0x04, behaviour=Behaviour.VERSIONED, key=("schema_id", "begin_snapshot"),
    primary_key=("schema_id",), counters=(("schema_id", "next_catalog_id"),),
    description="Schemas of the lake, one row per version.",
    columns=(
        Column("schema_id", BIGINT, 1, nullable=False),
        Column("schema_uuid", UUID, 2),
        Column("begin_snapshot", BIGINT, 3),
        Column("end_snapshot", BIGINT, 4),
        Column("schema_name", VARCHAR, 5),
        Column("path", VARCHAR, 6, since="0.2"),
        Column("path_is_relative", BOOLEAN, 7, since="0.2"),
    ),
)

TABLE = Table(
    name="ducklake_table", tag=0x05, behaviour=Behaviour.VERSIONED,
    key=("schema_id", "table_id", "begin_snapshot"),
    counters=(("table_id", "next_catalog_id"),),
    description="Tables of the lake, one row per version.",
    columns=(
        Column("table_id", BIGINT, 1),
        Column("table_uuid", UUID, 2),
        Column("begin_snapshot", BIGINT, 3),
        Column("end_snapshot", BIGINT, 4),
        Column("schema_id", BIGINT, 5),
        Column("table_name", VARCHAR, 6),
        Column("path", VARCHAR, 7, since="0.2"),
        Column("path_is_relative", BOOLEAN, 8, since="0.2"),
    ),
)

COLUMN = Table(
    name="ducklake_column", tag=0x06, behaviour=Behaviour.VERSIONED,
    key=("table_id", "column_id", "begin_snapshot"),
    counters=(("column_id", "column_id_{table_id}"),),
    description="Columns and nested fields of tables, one row per version.",
    columns=(
        Column("column_id", BIGINT, 1),
        Column("begin_snapshot", BIGINT, 2),
        Column("end_snapshot", BIGINT, 3),
        Column("table_id", BIGINT, 4),
        Column("column_order", BIGINT, 5),
        Column("column_name", VARCHAR, 6),
        Column("column_type", VARCHAR, 7),
        Column("initial_default", VARCHAR, 8),
        Column("default_value", VARCHAR, 9),
        Column("nulls_allowed", BOOLEAN, 10),
        Column("parent_column", BIGINT, 11),
        Column("default_value_type", VARCHAR, 12, since="0.4"),
        Column("default_value_dialect", VARCHAR, 13, since="0.4"),
    ),
)

VIEW = Table(
    name="ducklake_view", tag=0x07, behaviour=Behaviour.VERSIONED,
    key=("schema_id", "view_id", "begin_snapshot"),
    counters=(("view_id", "next_catalog_id"),),
    description="Views of the lake, one row per version.",
    columns=(
        Column("view_id", BIGINT, 1),
        Column("view_uuid", UUID, 2),
        Column("begin_snapshot", BIGINT, 3),
        Column("end_snapshot", BIGINT, 4),
        Column("schema_id", BIGINT, 5),
        Column("view_name", VARCHAR, 6),
        Column("dialect", VARCHAR, 7),
        Column("sql", VARCHAR, 8),
        Column("column_aliases", VARCHAR, 9),
    ),
)

MACRO = Table(
    name="ducklake_macro", tag=0x08, behaviour=Behaviour.VERSIONED,
    key=("schema_id", "macro_id", "begin_snapshot"),
    counters=(("macro_id", "next_catalog_id"),), since="0.4",
    description="Macros of the lake, one row per version.",
    columns=(
        Column("schema_id", BIGINT, 1, since="0.4"),
        Column("macro_id", BIGINT, 2, since="0.4"),
        Column("macro_name", VARCHAR, 3, since="0.4"),
        Column("begin_snapshot", BIGINT, 4, since="0.4"),
        Column("end_snapshot", BIGINT, 5, since="0.4"),
    ),
)

MACRO_IMPL = Table(
    name="ducklake_macro_impl", tag=0x09, behaviour=Behaviour.APPEND_ONLY,
    key=("macro_id", "impl_id"), since="0.4",
    description="The bodies of macros, one row per overload.",
    columns=(
        Column("macro_id", BIGINT, 1, since="0.4"),
        Column("impl_id", BIGINT, 2, since="0.4"),
        Column("dialect", VARCHAR, 3, since="0.4"),
        Column("sql", VARCHAR, 4, since="0.4"),
        Column("type", VARCHAR, 5, since="0.4"),
    ),
)

MACRO_PARAMETERS = Table(
    name="ducklake_macro_parameters", tag=0x0A, behaviour=Behaviour.APPEND_ONLY,
    key=("macro_id", "impl_id", "column_id"), since="0.4",
    description="The parameters of macro overloads.",
    columns=(
        Column("macro_id", BIGINT, 1, since="0.4"),
        Column("impl_id", BIGINT, 2, since="0.4"),
        Column("column_id", BIGINT, 3, since="0.4"),
        Column("parameter_name", VARCHAR, 4, since="0.4"),
        Column("parameter_type", VARCHAR, 5, since="0.4"),
        Column("default_value", VARCHAR, 6, since="0.4"),
        Column("default_value_type", VARCHAR, 7, since="0.4"),
    ),
)

TAG = Table(
    name="ducklake_tag", tag=0x1A, behaviour=Behaviour.VERSIONED, key=("object_id", "key", "begin_snapshot"),
    description="Tags of schemas, tables and views, comments among them, one row per version.",
    columns=(
        Column("object_id", BIGINT, 1),
        Column("begin_snapshot", BIGINT, 2),
        Column("end_snapshot", BIGINT, 3),
        Column("key", VARCHAR, 4),
        Column("value", VARCHAR, 5),
    ),
)

COLUMN_TAG = Table(
    name="ducklake_column_tag", tag=0x1B, behaviour=Behaviour.VERSIONED,
    key=("table_id", "column_id", "key", "begin_snapshot"),
    description="Tags of table columns, comments among them, one row per version.",
    columns=(
        Column("table_id", BIGINT, 1),
        Column("column_id", BIGINT, 2),
        Column("begin_snapshot", BIGINT, 3),
        Column("end_snapshot", BIGINT, 4),
        Column("key", VARCHAR, 5),
        Column("value", VARCHAR, 6),
    ),
)

SCHEMA_VERSIONS = Table(
    name="ducklake_schema_versions", tag=0x1C, behaviour=Behaviour.APPEND_ONLY,
    key=("table_id", "begin_snapshot", "schema_version"), since="0.3",
    description="The snapshots at which a schema version began, per table since catalog version 0.4.",
    columns=(
        Column("begin_snapshot", BIGINT, 1, since="0.3"),
        Column("schema_version", BIGINT, 2, since="0.3"),
        Column("table_id", BIGINT, 3, since="0.4"),
    ),
)

VIEW_COLUMN_TAG = Table(
    name="ducklake_view_column_tag", tag=0x1D, behaviour=Behaviour.VERSIONED,
    key=("view_id", "column_name", "begin_snapshot"), since="1.1",
    description="Tags of view columns, comments among them, one row per version.",
    columns=(
        Column("view_id", BIGINT, 1, since="1.1"),
        Column("column_name", VARCHAR, 2, since="1.1"),
        Column("begin_snapshot", BIGINT, 3, since="1.1"),
        Column("end_snapshot", BIGINT, 4, since="1.1"),
        Column("key", VARCHAR, 5, since="1.1"),
        Column("value", VARCHAR, 6, since="1.1"),
    ),
)
