"""Catalogs as old DuckLake versions left them: one table of three rows in a Parquet file, partitioned, with a view.

``@0.2`` after a relation or a column tells since which version it exists, ``@0.3-`` before which version it did.
"""

from __future__ import annotations

from pathlib import Path

import duckdb
import psycopg

VERSIONS = ("0.1", "0.2", "0.3", "0.4")
"""The catalog versions before 1.0; a client of the 1.4 line writes 0.3."""

RELATIONS = """
ducklake_metadata: key VARCHAR NOT NULL, value VARCHAR NOT NULL, scope VARCHAR @0.2, scope_id BIGINT @0.2
ducklake_snapshot: snapshot_id BIGINT PRIMARY KEY, snapshot_time TIMESTAMPTZ, schema_version BIGINT, \
next_catalog_id BIGINT, next_file_id BIGINT
ducklake_snapshot_changes: snapshot_id BIGINT PRIMARY KEY, changes_made VARCHAR, author VARCHAR @0.3, \
commit_message VARCHAR @0.3, commit_extra_info VARCHAR @0.3
ducklake_schema: schema_id BIGINT PRIMARY KEY, schema_uuid UUID, begin_snapshot BIGINT, end_snapshot BIGINT, \
schema_name VARCHAR, path VARCHAR @0.2, path_is_relative BOOLEAN @0.2
ducklake_table: table_id BIGINT, table_uuid UUID, begin_snapshot BIGINT, end_snapshot BIGINT, schema_id BIGINT, \
table_name VARCHAR, path VARCHAR @0.2, path_is_relative BOOLEAN @0.2
ducklake_view: view_id BIGINT, view_uuid UUID, begin_snapshot BIGINT, end_snapshot BIGINT, schema_id BIGINT, \
view_name VARCHAR, dialect VARCHAR, sql VARCHAR, column_aliases VARCHAR
ducklake_tag: object_id BIGINT, begin_snapshot BIGINT, end_snapshot BIGINT, key VARCHAR, value VARCHAR
ducklake_column_tag: table_id BIGINT, column_id BIGINT, begin_snapshot BIGINT, end_snapshot BIGINT, key VARCHAR, \
value VARCHAR
ducklake_data_file: data_file_id BIGINT PRIMARY KEY, table_id BIGINT, begin_snapshot BIGINT, end_snapshot BIGINT, \
file_order BIGINT, path VARCHAR, path_is_relative BOOLEAN, file_format VARCHAR, record_count BIGINT, \
file_size_bytes BIGINT, footer_size BIGINT, row_id_start BIGINT, partition_id BIGINT, encryption_key VARCHAR, \
partial_file_info VARCHAR @0.4-, mapping_id BIGINT @0.2, partial_max BIGINT @0.4
ducklake_file_column_statistics @0.3-: data_file_id BIGINT, table_id BIGINT, column_id BIGINT, \
column_size_bytes BIGINT, value_count BIGINT, null_count BIGINT, min_value VARCHAR, max_value VARCHAR, \
contains_nan BOOLEAN
ducklake_file_column_stats @0.3: data_file_id BIGINT, table_id BIGINT, column_id BIGINT, column_size_bytes BIGINT, \
value_count BIGINT, null_count BIGINT, min_value VARCHAR, max_value VARCHAR, contains_nan BOOLEAN, \
extra_stats VARCHAR
ducklake_delete_file: delete_file_id BIGINT PRIMARY KEY, table_id BIGINT, begin_snapshot BIGINT, \
end_snapshot BIGINT, data_file_id BIGINT, path VARCHAR, path_is_relative BOOLEAN, format VARCHAR, \
delete_count BIGINT, file_size_bytes BIGINT, footer_size BIGINT, encryption_key VARCHAR, partial_max BIGINT @0.4
ducklake_column: column_id BIGINT, begin_snapshot BIGINT, end_snapshot BIGINT, table_id BIGINT, \
column_order BIGINT, column_name VARCHAR, column_type VARCHAR, initial_default VARCHAR, default_value VARCHAR, \
nulls_allowed BOOLEAN, parent_column BIGINT, default_value_type VARCHAR @0.4, default_value_dialect VARCHAR @0.4
ducklake_table_stats: table_id BIGINT, record_count BIGINT, next_row_id BIGINT, file_size_bytes BIGINT
ducklake_table_column_stats: table_id BIGINT, column_id BIGINT, contains_null BOOLEAN, contains_nan BOOLEAN, \
min_value VARCHAR, max_value VARCHAR, extra_stats VARCHAR @0.3
ducklake_partition_info: partition_id BIGINT, table_id BIGINT, begin_snapshot BIGINT, end_snapshot BIGINT
ducklake_partition_column: partition_id BIGINT, table_id BIGINT, partition_key_index BIGINT, column_id BIGINT, \
transform VARCHAR
ducklake_file_partition_value: data_file_id BIGINT, table_id BIGINT, partition_key_index BIGINT, \
partition_value VARCHAR
ducklake_files_scheduled_for_deletion: data_file_id BIGINT, path VARCHAR, path_is_relative BOOLEAN, \
schedule_start TIMESTAMPTZ
ducklake_inlined_data_tables: table_id BIGINT, table_name VARCHAR, schema_version BIGINT
ducklake_column_mapping @0.2: mapping_id BIGINT, table_id BIGINT, type VARCHAR
ducklake_name_mapping @0.2: mapping_id BIGINT, column_id BIGINT, source_name VARCHAR, target_field_id BIGINT, \
parent_column BIGINT, is_partition BOOLEAN @0.3
ducklake_schema_versions @0.3: begin_snapshot BIGINT, schema_version BIGINT, table_id BIGINT @0.4
ducklake_macro @0.4: schema_id BIGINT, macro_id BIGINT, macro_name VARCHAR, begin_snapshot BIGINT, \
end_snapshot BIGINT
ducklake_macro_impl @0.4: macro_id BIGINT, impl_id BIGINT, dialect VARCHAR, sql VARCHAR, type VARCHAR
ducklake_macro_parameters @0.4: macro_id BIGINT, impl_id BIGINT, column_id BIGINT, parameter_name VARCHAR, \
parameter_type VARCHAR, default_value VARCHAR, default_value_type VARCHAR
ducklake_sort_info @0.4: sort_id BIGINT, table_id BIGINT, begin_snapshot BIGINT, end_snapshot BIGINT
ducklake_sort_expression @0.4: sort_id BIGINT, table_id BIGINT, sort_key_index BIGINT, expression VARCHAR, \
dialect VARCHAR, sort_direction VARCHAR, null_order VARCHAR
ducklake_file_variant_stats @0.4: data_file_id BIGINT, table_id BIGINT, column_id BIGINT, variant_path VARCHAR, \
shredded_type VARCHAR, column_size_bytes BIGINT, value_count BIGINT, null_count BIGINT, min_value VARCHAR, \
max_value VARCHAR, contains_nan BOOLEAN, extra_stats VARCHAR
"""
UUIDS = "11111111-2222-4333-8444-5555555555{:02}"


def create_statements(version: str) -> list[str]:
    """CREATE TABLE of every relation that the version has."""
    statements = []
    for line in RELATIONS.strip().splitlines():
        head, columns = line.split(": ")
        if name := _existing(head, version):
            kept = [column for part in columns.split(", ") if (column := _existing(part, version))]
            statements.append(f"CREATE TABLE {name}({', '.join(kept)})")
    return statements


def _existing(entry: str, version: str) -> str | None:
    """The entry without its mark, or None when the version has no such thing."""
    text, _, mark = entry.partition(" @")
    if not mark:
        return text
    return text if (version < mark[:-1] if mark.endswith("-") else version >= mark) else None


def row_statements(version: str, data_path: Path, size: int, footer: int) -> list[str]:
    """Two snapshots after the first: main.events made and given partitions (column ``kind``), then three rows."""
    paths = ", '', true" if version >= "0.2" else ""
    positional_key = 1 if version == "0.1" else 2  # 0.1 keeps the partition column's position, not its id
    stats = "ducklake_file_column_stats" if version >= "0.3" else "ducklake_file_column_statistics"
    types = ", 'literal', NULL" if version >= "0.4" else ""
    versions = [f"INSERT INTO ducklake_schema_versions VALUES {'(1, 1, 1)' if version >= '0.4' else '(0, 0), (1, 1)'}"]
    return [
        "INSERT INTO ducklake_metadata(key, value) VALUES "
        f"('version', '{version}'), ('created_by', 'DuckDB'), ('data_path', '{data_path}/'), ('encrypted', 'false')",
        "INSERT INTO ducklake_snapshot VALUES (0, '2025-01-01 00:00:00+00', 0, 1, 0), "
        "(1, '2025-01-02 00:00:00+00', 1, 3, 0), (2, '2025-01-03 00:00:00+00', 1, 3, 1)",
        "INSERT INTO ducklake_snapshot_changes(snapshot_id, changes_made) VALUES (0, 'created_schema:\"main\"'), "
        "(1, 'created_table:\"main\".\"events\"'), (2, 'inserted_into_table:1')",
        f"INSERT INTO ducklake_schema VALUES (0, '{UUIDS.format(0)}', 0, NULL, 'main'{paths})",
        f"INSERT INTO ducklake_table VALUES (1, '{UUIDS.format(1)}', 1, NULL, 0, 'events'{paths})",
        f"INSERT INTO ducklake_column VALUES (1, 1, NULL, 1, 1, 'id', 'int32', NULL, '7', true, NULL{types}), "
        f"(2, 1, NULL, 1, 2, 'kind', 'varchar', NULL, NULL, true, NULL{types})",
        "INSERT INTO ducklake_partition_info VALUES (2, 1, 1, NULL)",
        f"INSERT INTO ducklake_partition_column VALUES (2, 1, 0, {positional_key}, 'identity')",
        "INSERT INTO ducklake_data_file(data_file_id, table_id, begin_snapshot, path, path_is_relative, file_format, "
        "record_count, file_size_bytes, footer_size, row_id_start, partition_id) VALUES "
        f"(0, 1, 2, 'events.parquet', true, 'parquet', 3, {size}, {footer}, 0, 2)",
        *(["UPDATE ducklake_data_file SET partial_file_info = 'partial_max:2'"] if version < "0.4" else []),
        "INSERT INTO ducklake_file_partition_value VALUES (0, 1, 0, 'a')",
        f"INSERT INTO {stats}(data_file_id, table_id, column_id, column_size_bytes, value_count, null_count, "
        "min_value, max_value) VALUES (0, 1, 1, 40, 3, 0, '1', '3'), (0, 1, 2, 40, 3, 0, 'a', 'a')",
        f"INSERT INTO ducklake_table_stats VALUES (1, 3, 3, {size})",
        "INSERT INTO ducklake_table_column_stats(table_id, column_id, contains_null, min_value, max_value) VALUES "
        "(1, 1, false, '1', '3'), (1, 2, false, 'a', 'a')",
        *(versions if version >= "0.3" else []),
    ]


def make_old_lake(dsn: str, data_path: Path, version: str) -> None:
    """A lake at ``version`` with its data file; the catalog is written through psycopg."""
    data_path.mkdir(parents=True)
    file = data_path / "events.parquet"
    with duckdb.connect() as plain:
        plain.execute(
            "COPY (SELECT 1 + range::INTEGER AS id, 'a' AS kind FROM range(3)) "
            f"TO '{file}' (FORMAT parquet, FIELD_IDS {{id: 1, kind: 2}})"
        )
    footer = int.from_bytes(file.read_bytes()[-8:-4], "little")
    statements = [*create_statements(version), *row_statements(version, data_path, file.stat().st_size, footer)]
    with psycopg.connect(dsn) as connection:
        for statement in statements:
            connection.execute(statement)


MIGRATIONS = {
    "0.1": [
        "ALTER TABLE public.ducklake_schema ADD COLUMN {if_not_exists} path VARCHAR DEFAULT ''",
        "ALTER TABLE public.ducklake_schema ADD COLUMN {if_not_exists} path_is_relative BOOLEAN DEFAULT TRUE",
        "ALTER TABLE public.ducklake_table ADD COLUMN {if_not_exists} path VARCHAR DEFAULT ''",
        "ALTER TABLE public.ducklake_table ADD COLUMN {if_not_exists} path_is_relative BOOLEAN DEFAULT TRUE",
        "ALTER TABLE public.ducklake_metadata ADD COLUMN {if_not_exists} scope VARCHAR",
        "ALTER TABLE public.ducklake_metadata ADD COLUMN {if_not_exists} scope_id BIGINT",
        "ALTER TABLE public.ducklake_data_file ADD COLUMN {if_not_exists} mapping_id BIGINT",
        "CREATE TABLE {if_not_exists} public.ducklake_column_mapping(mapping_id BIGINT, table_id BIGINT, type VARCHAR)",
        "CREATE TABLE {if_not_exists} public.ducklake_name_mapping(mapping_id BIGINT, column_id BIGINT, "
        "source_name VARCHAR, target_field_id BIGINT, parent_column BIGINT)",
        "UPDATE public.ducklake_partition_column SET column_id = 2 WHERE table_id = 1 AND column_id = 1",
        "UPDATE public.ducklake_metadata SET value = '0.2' WHERE key = 'version'",
    ],
    "0.2": [
        "ALTER TABLE public.ducklake_name_mapping ADD COLUMN {if_not_exists} is_partition BOOLEAN DEFAULT false",
        "ALTER TABLE public.ducklake_snapshot_changes ADD COLUMN {if_not_exists} author VARCHAR DEFAULT NULL",
        "ALTER TABLE public.ducklake_snapshot_changes ADD COLUMN {if_not_exists} commit_message VARCHAR DEFAULT NULL",
        "ALTER TABLE public.ducklake_snapshot_changes "
        "ADD COLUMN {if_not_exists} commit_extra_info VARCHAR DEFAULT NULL",
        "UPDATE public.ducklake_metadata SET value = '0.3' WHERE key = 'version'",
        "CREATE TABLE {if_not_exists} public.ducklake_schema_versions(begin_snapshot BIGINT, schema_version BIGINT)",
        "INSERT INTO public.ducklake_schema_versions SELECT * FROM (SELECT MIN(snapshot_id), schema_version "
        "FROM public.ducklake_snapshot GROUP BY schema_version ORDER BY schema_version) t",
        "INSERT INTO public.ducklake_schema_versions SELECT * FROM (SELECT MIN(snapshot_id), schema_version "
        "FROM public.ducklake_snapshot GROUP BY schema_version ORDER BY schema_version) t "
        "WHERE NOT EXISTS (SELECT 1 FROM public.ducklake_schema_versions)",
        "ALTER TABLE {if_exists} public.ducklake_file_column_statistics RENAME TO ducklake_file_column_stats",
        "ALTER TABLE public.ducklake_file_column_stats ADD COLUMN {if_not_exists} extra_stats VARCHAR DEFAULT NULL",
        "ALTER TABLE public.ducklake_table_column_stats ADD COLUMN {if_not_exists} extra_stats VARCHAR DEFAULT NULL",
    ],
    "0.3": [
        *(statement.replace("CREATE TABLE ", "CREATE TABLE {if_not_exists} public.", 1)
          for statement in create_statements("0.4") if "_macro" in statement or "_sort_" in statement),
        "ALTER TABLE public.ducklake_column ADD COLUMN {if_not_exists} default_value_type VARCHAR DEFAULT 'literal'",
        "UPDATE public.ducklake_column SET default_value_type = 'literal' WHERE default_value_type IS NULL",
        "ALTER TABLE public.ducklake_column ADD COLUMN {if_not_exists} default_value_dialect VARCHAR DEFAULT NULL",
        "CREATE TABLE {if_not_exists} public.ducklake_file_variant_stats(data_file_id BIGINT, table_id BIGINT, "
        "column_id BIGINT, variant_path VARCHAR, shredded_type VARCHAR, column_size_bytes BIGINT, "
        "value_count BIGINT, null_count BIGINT, min_value VARCHAR, max_value VARCHAR, contains_nan BOOLEAN, "
        "extra_stats VARCHAR)",
        "ALTER TABLE public.ducklake_schema_versions ADD COLUMN {if_not_exists} table_id BIGINT",
        "ALTER TABLE public.ducklake_data_file ADD COLUMN {if_not_exists} partial_max BIGINT",
        "ALTER TABLE public.ducklake_delete_file ADD COLUMN {if_not_exists} partial_max BIGINT",
        "ALTER TABLE public.ducklake_data_file DROP COLUMN {if_exists} partial_file_info",
        "UPDATE public.ducklake_data_file AS df SET partial_max = m.partial_max "
        "FROM (VALUES (0, 2)) m(data_file_id, partial_max) WHERE df.data_file_id = m.data_file_id",
        "DROP TABLE IF EXISTS __ducklake_partial_max_migration",
        "UPDATE public.ducklake_metadata SET value = '0.4' WHERE key = 'version'",
        "INSERT INTO public.ducklake_schema_versions (table_id, begin_snapshot, schema_version) "
        "SELECT t.table_id, sv.begin_snapshot, sv.schema_version FROM public.ducklake_schema_versions sv "
        "JOIN public.ducklake_table t ON sv.begin_snapshot BETWEEN t.begin_snapshot "
        "AND COALESCE(t.end_snapshot, sv.begin_snapshot) WHERE sv.table_id IS NULL",
        "DELETE FROM public.ducklake_schema_versions WHERE table_id IS NULL",
    ],
    "0.4": [
        "UPDATE public.ducklake_metadata SET value = '1.0' WHERE key = 'version'",
        "ALTER TABLE public.ducklake_data_file ADD COLUMN {if_not_exists} row_group_count BIGINT",
        "ALTER TABLE public.ducklake_delete_file ADD COLUMN {if_not_exists} row_group_count BIGINT",
        "CREATE TABLE {if_not_exists} public.ducklake_view_column_tag(\n\tview_id BIGINT, column_name VARCHAR, "
        "begin_snapshot BIGINT, end_snapshot BIGINT, key VARCHAR, value VARCHAR\n)",
        "UPDATE public.ducklake_metadata SET value = '1.1-dev1' WHERE key = 'version'",
    ],
}  # fmt: skip
"""The statements of the migration from each version, in PostgreSQL's dialect where DuckLake's own need DuckDB's; those
from 0.4 lead to 1.0 and on to the coming version. Formatted with ``if_not_exists`` and ``if_exists``."""
