"""Tables for tests that need relations without an engine: DuckLake's own, and one of every kind of column.

A specification says ``name typname``, with ``!`` for NOT NULL and ``*`` for a column of the primary key. It
gives the Relation and the CREATE TABLE statement alike, so that a live PostgreSQL can be asked the same.
"""

from __future__ import annotations

from rocklake_server.schema.model import Behaviour, Relation, RelationColumn, RelationKind
from rocklake_server.schema.types import ALL_TYPES, Value, numeric, varchar

DUCKLAKE_TABLES = {
    "ducklake_metadata": "key varchar!, value varchar!, scope varchar, scope_id int8",
    "ducklake_snapshot":
        "snapshot_id int8*, snapshot_time timestamptz, schema_version int8, next_catalog_id int8,"
        "next_file_id int8",
    "ducklake_snapshot_changes":
        "snapshot_id int8*, changes_made varchar, author varchar, commit_message varchar,"
        "commit_extra_info varchar",
    "ducklake_schema":
        "schema_id int8*, schema_uuid uuid, begin_snapshot int8, end_snapshot int8, schema_name varchar,"
        "path varchar, path_is_relative bool",
    "ducklake_table":
        "table_id int8, table_uuid uuid, begin_snapshot int8, end_snapshot int8, schema_id int8,"
        "table_name varchar, path varchar, path_is_relative bool",
    "ducklake_view":
        "view_id int8, view_uuid uuid, begin_snapshot int8, end_snapshot int8, schema_id int8,"
        "view_name varchar, dialect varchar, sql varchar, column_aliases varchar",
    "ducklake_tag": "object_id int8, begin_snapshot int8, end_snapshot int8, key varchar, value varchar",
    "ducklake_column_tag":
        "table_id int8, column_id int8, begin_snapshot int8, end_snapshot int8, key varchar,"
        "value varchar",
    "ducklake_data_file":
        "data_file_id int8*, table_id int8, begin_snapshot int8, end_snapshot int8, file_order int8,"
        "path varchar, path_is_relative bool, file_format varchar, record_count int8,"
        "file_size_bytes int8, footer_size int8, row_id_start int8, partition_id int8,"
        "encryption_key varchar, mapping_id int8, partial_max int8",
    "ducklake_file_column_stats":
        "data_file_id int8, table_id int8, column_id int8, column_size_bytes int8, value_count int8,"
        "null_count int8, min_value varchar, max_value varchar, contains_nan bool, extra_stats varchar",
    "ducklake_file_variant_stats":
        "data_file_id int8, table_id int8, column_id int8, variant_path varchar, shredded_type varchar,"
        "column_size_bytes int8, value_count int8, null_count int8, min_value varchar, max_value varchar,"
        "contains_nan bool, extra_stats varchar",
    "ducklake_delete_file":
        "delete_file_id int8*, table_id int8, begin_snapshot int8, end_snapshot int8, data_file_id int8,"
        "path varchar, path_is_relative bool, format varchar, delete_count int8, file_size_bytes int8,"
        "footer_size int8, encryption_key varchar, partial_max int8",
    "ducklake_column":
        "column_id int8, begin_snapshot int8, end_snapshot int8, table_id int8, column_order int8,"
        "column_name varchar, column_type varchar, initial_default varchar, default_value varchar,"
        "nulls_allowed bool, parent_column int8, default_value_type varchar,"
        "default_value_dialect varchar",
    "ducklake_table_stats": "table_id int8, record_count int8, next_row_id int8, file_size_bytes int8",
    "ducklake_table_column_stats":
        "table_id int8, column_id int8, contains_null bool, contains_nan bool, min_value varchar,"
        "max_value varchar, extra_stats varchar",
    "ducklake_partition_info": "partition_id int8, table_id int8, begin_snapshot int8, end_snapshot int8",
    "ducklake_partition_column":
        "partition_id int8, table_id int8, partition_key_index int8, column_id int8, transform varchar",
    "ducklake_file_partition_value":
        "data_file_id int8, table_id int8, partition_key_index int8, partition_value varchar",
    "ducklake_files_scheduled_for_deletion":
        "data_file_id int8, path varchar, path_is_relative bool, schedule_start timestamptz",
    "ducklake_inlined_data_tables": "table_id int8, table_name varchar, schema_version int8",
    "ducklake_column_mapping": "mapping_id int8, table_id int8, type varchar",
    "ducklake_name_mapping":
        "mapping_id int8, column_id int8, source_name varchar, target_field_id int8, parent_column int8,"
        "is_partition bool",
    "ducklake_schema_versions": "begin_snapshot int8, schema_version int8, table_id int8",
    "ducklake_macro":
        "schema_id int8, macro_id int8, macro_name varchar, begin_snapshot int8, end_snapshot int8",
    "ducklake_macro_impl": "macro_id int8, impl_id int8, dialect varchar, sql varchar, type varchar",
    "ducklake_macro_parameters":
        "macro_id int8, impl_id int8, column_id int8, parameter_name varchar, parameter_type varchar,"
        "default_value varchar, default_value_type varchar",
    "ducklake_sort_info": "sort_id int8, table_id int8, begin_snapshot int8, end_snapshot int8",
    "ducklake_sort_expression":
        "sort_id int8, table_id int8, sort_key_index int8, expression varchar, dialect varchar,"
        "sort_direction varchar, null_order varchar",
}

EVERY_KIND = (
    "flag bool, tiny int2*, small int4!, big int8*, single float4, twice float8, exact numeric,"
    "money numeric(15,2), words varchar, short varchar(10), letters text, raw bytea, id uuid, day date,"
    "moment time, zoned timetz, stamp timestamp, instant timestamptz, span interval, select int4,"
    "MixedCase text, with\"quote int8"
)

_TYPES = {column_type.typname: column_type for column_type in ALL_TYPES} | {
    "numeric(15": numeric(15, 2), "varchar(10)": varchar(10),
}


def relation(name: str, specification: str, oid: int, *, kind: RelationKind = RelationKind.DECLARED,
             schema: str = "public", defaults: dict[str, Value] | None = None,
             key: tuple[str, ...] | None = None) -> Relation:
    """The relation of a specification; ``key`` gives the primary key's columns an order of their own."""
    columns: list[RelationColumn] = []
    marked: list[str] = []
    for item in specification.replace("(15,2)", "(15").split(","):
        column_name, typname = item.split()
        columns.append(RelationColumn(
            column_name, _TYPES[typname.rstrip("!*")], len(columns) + 1, nullable=typname[-1] not in "!*",
            default=(defaults or {}).get(column_name),
        ))
        if typname.endswith("*"):
            marked.append(column_name)
    positions = {column.name: position for position, column in enumerate(columns)}
    return Relation(
        relation_id=oid, name=name, kind=kind, behaviour=Behaviour.APPEND_ONLY, key_prefix=b"",
        key_columns=(), columns=tuple(columns), schema=schema, oid=oid,
        primary_key=tuple(positions[column] for column in key or marked),
    )


def create_table(made: Relation, default_sql: dict[str, str] | None = None) -> str:
    """The statement that creates ``made`` in PostgreSQL, with defaults as SQL text."""
    def quoted(name: str) -> str:
        return '"' + name.replace('"', '""') + '"'

    parts = [
        f"{quoted(column.name)} {column.type.sql}"
        + ("" if column.nullable else " NOT NULL")
        + (f" DEFAULT {default_sql[column.name]}" if default_sql and column.name in default_sql else "")
        for column in made.columns
    ]
    if made.primary_key:
        key = ", ".join(quoted(made.columns[position].name) for position in made.primary_key)
        parts.append(f"PRIMARY KEY ({key})")
    temporary = "TEMPORARY " if made.kind is RelationKind.TEMPORARY else ""
    return f"CREATE {temporary}TABLE {quoted(made.name)} ({', '.join(parts)})"
