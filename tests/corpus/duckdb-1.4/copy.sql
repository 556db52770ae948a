-- statement
COPY (SELECT "snapshot_id", "schema_version", "next_catalog_id", "next_file_id", "changes", "table_id", "column_id", "record_count", "next_row_id", "file_size_bytes", "contains_null", "contains_nan", "min_value", "max_value", "extra_stats" FROM (
SELECT
    snapshot_id,
    schema_version,
    next_catalog_id,
    next_file_id,
    COALESCE((
            SELECT STRING_AGG(changes_made, '')
            FROM "public".ducklake_snapshot_changes c
            WHERE c.snapshot_id > 6
            ),'') AS changes,
    NULL AS table_id,
    NULL AS column_id,
    NULL AS record_count,
    NULL AS next_row_id,
    NULL AS file_size_bytes,
    NULL AS contains_null,
    NULL AS contains_nan,
    NULL AS min_value,
    NULL AS max_value,
    NULL AS extra_stats
    FROM "public".ducklake_snapshot
    WHERE snapshot_id = (
        SELECT MAX(snapshot_id)
        FROM "public".ducklake_snapshot)
UNION ALL
SELECT
    NULL,
    NULL,
    NULL,
    NULL,
    NULL,
    table_id,
    column_id,
    record_count,
    next_row_id,
    file_size_bytes,
    contains_null,
    contains_nan,
    min_value,
    max_value,
    extra_stats
FROM "public".ducklake_table_stats
LEFT JOIN "public".ducklake_table_column_stats
    USING (table_id)
WHERE record_count IS NOT NULL
    AND file_size_bytes IS NOT NULL
ORDER BY table_id NULLS FIRST) AS __unnamed_subquery ) TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "data_file_id", "table_id", "begin_snapshot", "end_snapshot", "path", "path_is_relative", "file_size_bytes", "footer_size", "row_id_start", "partial_file_info", "mapping_id" FROM "public"."ducklake_data_file" WHERE "table_id" = '1' AND "begin_snapshot" <= '2') TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "table_id", "begin_snapshot", "end_snapshot", "data_file_id", "path", "path_is_relative", "file_size_bytes", "footer_size" FROM "public"."ducklake_delete_file" WHERE "table_id" = '1' AND "begin_snapshot" <= '2') TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "table_id", "begin_snapshot", "end_snapshot", "column_id", "column_name", "column_type", "initial_default", "default_value", "nulls_allowed", "parent_column", "column_order" FROM "public"."ducklake_column" ) TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "table_id", "schema_version" FROM "public"."ducklake_inlined_data_tables" WHERE "schema_version" = '1') TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "table_id", "begin_snapshot" FROM "public"."ducklake_table" ) TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "data_file_id", "table_id", "begin_snapshot", "end_snapshot", "record_count", "path", "path_is_relative", "file_size_bytes", "footer_size", "row_id_start" FROM "public"."ducklake_data_file" WHERE "table_id" = '1' AND "begin_snapshot" <= '2') TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "table_id", "begin_snapshot", "end_snapshot", "delete_file_id", "data_file_id", "path", "path_is_relative", "file_size_bytes", "footer_size" FROM "public"."ducklake_delete_file" WHERE "table_id" = '1' AND "begin_snapshot" <= '2') TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "column_id", "table_id", "data_file_id", "max_value", "min_value" FROM "public"."ducklake_file_column_stats" WHERE "column_id" = '2' AND "table_id" = '1') TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "begin_snapshot", "schema_version" FROM "public"."ducklake_schema_versions" ) TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "table_id", "delete_file_id", "begin_snapshot", "end_snapshot", "data_file_id", "path", "path_is_relative", "delete_count", "file_size_bytes", "footer_size" FROM "public"."ducklake_delete_file" WHERE "table_id" = '2') TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "table_id", "begin_snapshot", "data_file_id", "path", "path_is_relative", "file_size_bytes", "footer_size" FROM "public"."ducklake_delete_file" WHERE "table_id" = '1') TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "begin_snapshot", "data_file_id", "table_id", "file_size_bytes", "record_count", "row_id_start", "end_snapshot", "mapping_id", "partial_file_info", "partition_id", "path", "path_is_relative", "footer_size" FROM "public"."ducklake_data_file" WHERE "table_id" = '2' AND "file_size_bytes" < '1000') TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "column_id", "table_id", "data_file_id", "min_value", "max_value" FROM "public"."ducklake_file_column_stats" WHERE "column_id" = '1' AND "table_id" = '1') TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "column_id", "table_id", "data_file_id", "min_value" FROM "public"."ducklake_file_column_stats" WHERE "column_id" = '1' AND "table_id" = '3') TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "column_id", "table_id", "data_file_id", "contains_nan", "max_value" FROM "public"."ducklake_file_column_stats" WHERE "column_id" = '1' AND "table_id" = '1') TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "table_id", "begin_snapshot", "path", "path_is_relative", "file_size_bytes", "footer_size", "row_id_start", "partial_file_info", "mapping_id" FROM "public"."ducklake_data_file" WHERE "table_id" = '1' AND ("begin_snapshot" >= '0' AND "begin_snapshot" <= '3')) TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "begin_snapshot", "end_snapshot", "i", "j" FROM "public"."ducklake_inlined_data_1_1" WHERE "begin_snapshot" <= '1') TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "key", "scope" FROM "public"."ducklake_metadata" WHERE "key" = 'target_file_size') TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "table_id", "begin_snapshot", "data_file_id", "path", "path_is_relative", "file_size_bytes", "footer_size" FROM "public"."ducklake_delete_file" WHERE "table_id" = '1' AND ("begin_snapshot" >= '2' AND "begin_snapshot" <= '2')) TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "table_id", "end_snapshot", "data_file_id", "path", "path_is_relative", "record_count", "file_size_bytes", "footer_size", "row_id_start", "mapping_id" FROM "public"."ducklake_data_file" ) TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "begin_snapshot", "data_file_id", "table_id", "record_count", "end_snapshot", "row_id_start", "mapping_id", "partial_file_info", "partition_id", "path", "path_is_relative", "file_size_bytes", "footer_size" FROM "public"."ducklake_data_file" WHERE "table_id" = '3') TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "snapshot_id", "snapshot_time", "schema_version" FROM "public"."ducklake_snapshot" ) TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT ctid FROM "public"."ducklake_inlined_data_3_4" ) TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "column_id", "table_id", "data_file_id", "max_value" FROM "public"."ducklake_file_column_stats" WHERE "column_id" = '1' AND "table_id" = '1') TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "key", "scope", ctid FROM "public"."ducklake_metadata" WHERE "key" = 'compaction_table') TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "snapshot_id", "snapshot_time", "schema_version" FROM "public"."ducklake_snapshot" WHERE "snapshot_time" < '2026-11-23 03:53:02.43425+00') TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "column_id", "table_id", "data_file_id", "contains_nan" FROM "public"."ducklake_file_column_stats" WHERE "column_id" = '1' AND "table_id" = '1') TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "snapshot_id", "snapshot_time", "schema_version" FROM "public"."ducklake_snapshot" WHERE "snapshot_id" = '3') TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "snapshot_id", "snapshot_time", "schema_version" FROM "public"."ducklake_snapshot" WHERE ("snapshot_id" >= '0' AND "snapshot_id" <= '2')) TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "snapshot_time", "snapshot_id" FROM "public"."ducklake_snapshot" WHERE "snapshot_time" <= '2026-11-30 03:54:40.85361+00') TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "data_file_id", "table_id", "begin_snapshot", "end_snapshot", "path", "path_is_relative", "file_size_bytes", "footer_size", "encryption_key", "row_id_start", "partial_file_info", "mapping_id" FROM "public"."ducklake_data_file" WHERE "table_id" = '1' AND "begin_snapshot" <= '2') TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "table_id", "begin_snapshot", "end_snapshot", "data_file_id", "path", "path_is_relative", "file_size_bytes", "footer_size", "encryption_key" FROM "public"."ducklake_delete_file" WHERE "table_id" = '1' AND "begin_snapshot" <= '2') TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "begin_snapshot", "data_file_id", "table_id", "file_size_bytes", "record_count", "row_id_start", "end_snapshot", "mapping_id", "partial_file_info", "partition_id", "path", "path_is_relative", "footer_size" FROM "public"."ducklake_data_file" WHERE "table_id" = '3' AND ("file_size_bytes" >= '600' AND "file_size_bytes" < '1500')) TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "table_id", "begin_snapshot", "end_snapshot", "schema_id", "table_name", "table_uuid" FROM "public"."ducklake_table" ) TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "data_file_id", "begin_snapshot", "end_snapshot" FROM "public"."ducklake_data_file" ) TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "column_id", "data_file_id", "min_value", "max_value" FROM "public"."ducklake_file_column_stats" WHERE "column_id" = '2') TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "begin_snapshot", "end_snapshot", "partial_file_info" FROM "public"."ducklake_data_file" ) TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "end_snapshot", "partial_file_info" FROM "public"."ducklake_data_file" ) TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "data_file_id", "delete_file_id", "begin_snapshot", "end_snapshot" FROM "public"."ducklake_delete_file" ) TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "snapshot_time", "snapshot_id" FROM "public"."ducklake_snapshot" WHERE "snapshot_time" >= '1970-01-01 00:00:00+00') TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "begin_snapshot", "data_file_id", "table_id", "file_size_bytes", "record_count", "row_id_start", "end_snapshot", "mapping_id", "partial_file_info", "partition_id", "path", "path_is_relative", "footer_size", "encryption_key" FROM "public"."ducklake_data_file" WHERE "table_id" = '1' AND "file_size_bytes" < '536870912') TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "table_id", "delete_file_id", "begin_snapshot", "end_snapshot", "data_file_id", "path", "path_is_relative", "delete_count", "file_size_bytes", "footer_size", "encryption_key" FROM "public"."ducklake_delete_file" WHERE "table_id" = '1') TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "snapshot_id", "snapshot_time", "schema_version" FROM "public"."ducklake_snapshot" WHERE "snapshot_id" IN ('1', '2', '4')) TO STDOUT (FORMAT "binary")
