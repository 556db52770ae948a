-- statement
SELECT table_schema AS namespace_id, table_name AS relname, 0 AS relpages, column_name AS attname,
    data_type AS type_name, -1 AS type_modifier, 0 AS ndim, ordinal_position AS attnum,
    CASE WHEN is_nullable = 'NO' THEN 't' ELSE 'f' END AS notnull,
    NULL AS constraint_id, NULL AS constraint_type, NULL AS constraint_key,
    NULL AS type_schema, NULL AS column_comment, NULL AS table_comment
FROM information_schema.columns
WHERE table_schema NOT IN ('information_schema', 'pg_catalog', 'pg_toast') AND table_schema IN ('public') AND table_name='ducklake_tag'
ORDER BY table_schema, table_name, ordinal_position
-- statement
SELECT schema_name
FROM information_schema.schemata
WHERE schema_name NOT IN ('information_schema', 'pg_catalog', 'pg_toast')

ORDER BY schema_name
-- statement
SELECT table_schema AS namespace_id, table_name AS relname, 0 AS relpages, column_name AS attname,
    data_type AS type_name, -1 AS type_modifier, 0 AS ndim, ordinal_position AS attnum,
    CASE WHEN is_nullable = 'NO' THEN 't' ELSE 'f' END AS notnull,
    NULL AS constraint_id, NULL AS constraint_type, NULL AS constraint_key,
    NULL AS type_schema, NULL AS column_comment, NULL AS table_comment
FROM information_schema.columns
WHERE table_schema NOT IN ('information_schema', 'pg_catalog', 'pg_toast') 
ORDER BY table_schema, table_name, ordinal_position
-- statement
SELECT NULL, NULL, NULL, NULL LIMIT 0
-- statement
SELECT NULL, NULL, NULL, NULL, NULL LIMIT 0
-- statement
SELECT NULL, NULL, NULL LIMIT 0
-- statement
COPY (SELECT "snapshot_id" FROM "public"."ducklake_snapshot" ) TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "snapshot_id", "schema_version", "next_catalog_id", "next_file_id" FROM "public"."ducklake_snapshot" WHERE "snapshot_id" = '5') TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "table_id", "schema_version", ctid FROM "public"."ducklake_inlined_data_tables" WHERE "table_id" = '1' AND "schema_version" = '1') TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "data_file_id", "partition_value", "partition_key_index" FROM "public"."ducklake_file_partition_value" ) TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "table_id", "delete_file_id", "begin_snapshot", "end_snapshot", "data_file_id", "path", "path_is_relative", "format", "delete_count", "file_size_bytes", "footer_size", "partial_max" FROM "public"."ducklake_delete_file" WHERE "table_id" = '3') TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "table_id", "begin_snapshot", "schema_version" FROM "public"."ducklake_schema_versions" WHERE "table_id" = '3') TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "begin_snapshot", "data_file_id", "table_id", "file_size_bytes", "end_snapshot", "record_count", "row_id_start", "mapping_id", "partial_max", "partition_id", "path", "path_is_relative", "footer_size" FROM "public"."ducklake_data_file" WHERE "table_id" = '3' AND "file_size_bytes" < '2000000') TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "key", "value", "scope", "scope_id" FROM "public"."ducklake_metadata" ) TO STDOUT (FORMAT "binary")
