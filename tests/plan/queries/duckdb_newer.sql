CREATE SCHEMA  IF NOT EXISTS"metadata_s1"
;
CREATE SCHEMA  IF NOT EXISTS"metadata_s2"
;
CREATE TABLE "public"."ducklake_metadata"("key" VARCHAR NOT NULL, "value" VARCHAR NOT NULL, "scope" VARCHAR, "scope_id" BIGINT)
;
CREATE TABLE "public"."ducklake_snapshot"("snapshot_id" BIGINT PRIMARY KEY, "snapshot_time" TIMESTAMP WITH TIME ZONE, "schema_version" BIGINT, "next_catalog_id" BIGINT, "next_file_id" BIGINT)
;
CREATE TABLE "public"."ducklake_snapshot_changes"("snapshot_id" BIGINT PRIMARY KEY, "changes_made" VARCHAR, "author" VARCHAR, "commit_message" VARCHAR, "commit_extra_info" VARCHAR)
;
CREATE TABLE "public"."ducklake_schema"("schema_id" BIGINT PRIMARY KEY, "schema_uuid" UUID, "begin_snapshot" BIGINT, "end_snapshot" BIGINT, "schema_name" VARCHAR, "path" VARCHAR, "path_is_relative" BOOLEAN)
;
CREATE TABLE "public"."ducklake_table"("table_id" BIGINT, "table_uuid" UUID, "begin_snapshot" BIGINT, "end_snapshot" BIGINT, "schema_id" BIGINT, "table_name" VARCHAR, "path" VARCHAR, "path_is_relative" BOOLEAN)
;
CREATE TABLE "public"."ducklake_view"("view_id" BIGINT, "view_uuid" UUID, "begin_snapshot" BIGINT, "end_snapshot" BIGINT, "schema_id" BIGINT, "view_name" VARCHAR, "dialect" VARCHAR, "sql" VARCHAR, "column_aliases" VARCHAR)
;
CREATE TABLE "public"."ducklake_tag"("object_id" BIGINT, "begin_snapshot" BIGINT, "end_snapshot" BIGINT, "key" VARCHAR, "value" VARCHAR)
;
CREATE TABLE "public"."ducklake_column_tag"("table_id" BIGINT, "column_id" BIGINT, "begin_snapshot" BIGINT, "end_snapshot" BIGINT, "key" VARCHAR, "value" VARCHAR)
;
CREATE TABLE "public"."ducklake_data_file"("data_file_id" BIGINT PRIMARY KEY, "table_id" BIGINT, "begin_snapshot" BIGINT, "end_snapshot" BIGINT, "file_order" BIGINT, "path" VARCHAR, "path_is_relative" BOOLEAN, "file_format" VARCHAR, "record_count" BIGINT, "file_size_bytes" BIGINT, "footer_size" BIGINT, "row_id_start" BIGINT, "partition_id" BIGINT, "encryption_key" VARCHAR, "mapping_id" BIGINT, "partial_max" BIGINT)
;
CREATE TABLE "public"."ducklake_file_column_stats"("data_file_id" BIGINT, "table_id" BIGINT, "column_id" BIGINT, "column_size_bytes" BIGINT, "value_count" BIGINT, "null_count" BIGINT, "min_value" VARCHAR, "max_value" VARCHAR, "contains_nan" BOOLEAN, "extra_stats" VARCHAR)
;
CREATE TABLE "public"."ducklake_file_variant_stats"("data_file_id" BIGINT, "table_id" BIGINT, "column_id" BIGINT, "variant_path" VARCHAR, "shredded_type" VARCHAR, "column_size_bytes" BIGINT, "value_count" BIGINT, "null_count" BIGINT, "min_value" VARCHAR, "max_value" VARCHAR, "contains_nan" BOOLEAN, "extra_stats" VARCHAR)
;
CREATE TABLE "public"."ducklake_delete_file"("delete_file_id" BIGINT PRIMARY KEY, "table_id" BIGINT, "begin_snapshot" BIGINT, "end_snapshot" BIGINT, "data_file_id" BIGINT, "path" VARCHAR, "path_is_relative" BOOLEAN, "format" VARCHAR, "delete_count" BIGINT, "file_size_bytes" BIGINT, "footer_size" BIGINT, "encryption_key" VARCHAR, "partial_max" BIGINT)
;
CREATE TABLE "public"."ducklake_column"("column_id" BIGINT, "begin_snapshot" BIGINT, "end_snapshot" BIGINT, "table_id" BIGINT, "column_order" BIGINT, "column_name" VARCHAR, "column_type" VARCHAR, "initial_default" VARCHAR, "default_value" VARCHAR, "nulls_allowed" BOOLEAN, "parent_column" BIGINT, "default_value_type" VARCHAR, "default_value_dialect" VARCHAR)
;
CREATE TABLE "public"."ducklake_table_stats"("table_id" BIGINT, "record_count" BIGINT, "next_row_id" BIGINT, "file_size_bytes" BIGINT)
;
CREATE TABLE "public"."ducklake_table_column_stats"("table_id" BIGINT, "column_id" BIGINT, "contains_null" BOOLEAN, "contains_nan" BOOLEAN, "min_value" VARCHAR, "max_value" VARCHAR, "extra_stats" VARCHAR)
;
CREATE TABLE "public"."ducklake_partition_info"("partition_id" BIGINT, "table_id" BIGINT, "begin_snapshot" BIGINT, "end_snapshot" BIGINT)
;
CREATE TABLE "public"."ducklake_partition_column"("partition_id" BIGINT, "table_id" BIGINT, "partition_key_index" BIGINT, "column_id" BIGINT, "transform" VARCHAR)
;
CREATE TABLE "public"."ducklake_file_partition_value"("data_file_id" BIGINT, "table_id" BIGINT, "partition_key_index" BIGINT, "partition_value" VARCHAR)
;
CREATE TABLE "public"."ducklake_files_scheduled_for_deletion"("data_file_id" BIGINT, "path" VARCHAR, "path_is_relative" BOOLEAN, "schedule_start" TIMESTAMP WITH TIME ZONE)
;
CREATE TABLE "public"."ducklake_inlined_data_tables"("table_id" BIGINT, "table_name" VARCHAR, "schema_version" BIGINT)
;
CREATE TABLE "public"."ducklake_column_mapping"("mapping_id" BIGINT, "table_id" BIGINT, "type" VARCHAR)
;
CREATE TABLE "public"."ducklake_name_mapping"("mapping_id" BIGINT, "column_id" BIGINT, "source_name" VARCHAR, "target_field_id" BIGINT, "parent_column" BIGINT, "is_partition" BOOLEAN)
;
CREATE TABLE "public"."ducklake_schema_versions"("begin_snapshot" BIGINT, "schema_version" BIGINT, "table_id" BIGINT)
;
CREATE TABLE "public"."ducklake_macro"("schema_id" BIGINT, "macro_id" BIGINT, "macro_name" VARCHAR, "begin_snapshot" BIGINT, "end_snapshot" BIGINT)
;
CREATE TABLE "public"."ducklake_macro_impl"("macro_id" BIGINT, "impl_id" BIGINT, "dialect" VARCHAR, "sql" VARCHAR, "type" VARCHAR)
;
CREATE TABLE "public"."ducklake_macro_parameters"("macro_id" BIGINT, "impl_id" BIGINT, "column_id" BIGINT, "parameter_name" VARCHAR, "parameter_type" VARCHAR, "default_value" VARCHAR, "default_value_type" VARCHAR)
;
CREATE TABLE "public"."ducklake_sort_info"("sort_id" BIGINT, "table_id" BIGINT, "begin_snapshot" BIGINT, "end_snapshot" BIGINT)
;
CREATE TABLE "public"."ducklake_sort_expression"("sort_id" BIGINT, "table_id" BIGINT, "sort_key_index" BIGINT, "expression" VARCHAR, "dialect" VARCHAR, "sort_direction" VARCHAR, "null_order" VARCHAR)
;
CREATE LOCAL TEMPORARY TABLE "update_data_a1466a79-bb03-4a9d-a449-acef3cd60453"("value" VARCHAR, __page_id_string VARCHAR) ON COMMIT DROP
;
CREATE TABLE IF NOT EXISTS my_secrets (
			secret_name VARCHAR PRIMARY KEY,
			secret_type VARCHAR NOT NULL,
			serialized_secret BYTEA NOT NULL
		)
;
CREATE TABLE IF NOT EXISTS "public".ducklake_inlined_data_2_7(row_id BIGINT, begin_snapshot BIGINT, end_snapshot BIGINT, c REAL)
;
CREATE TABLE IF NOT EXISTS "public".ducklake_inlined_delete_1(file_id BIGINT, row_id BIGINT, begin_snapshot BIGINT)
;
SELECT 1
;
SELECT version(), (SELECT COUNT(*) FROM pg_settings WHERE name LIKE 'rds%')
;
SELECT to_regclass('duckdb_secrets')
;
SELECT pg_namespace.oid AS namespace_id, relname, relpages, attname,
    pg_type.typname type_name, atttypmod type_modifier, pg_attribute.attndims ndim,
    attnum, pg_attribute.attnotnull AS notnull, NULL constraint_id,
    NULL constraint_type, NULL constraint_key, type_ns.nspname AS type_schema,
    col_desc.description AS column_comment,
    tbl_desc.description AS table_comment
FROM pg_class
JOIN pg_namespace ON relnamespace = pg_namespace.oid
JOIN pg_attribute ON pg_class.oid=pg_attribute.attrelid
JOIN pg_type ON atttypid=pg_type.oid
JOIN pg_namespace type_ns ON pg_type.typnamespace = type_ns.oid
LEFT JOIN pg_description col_desc ON col_desc.objoid=pg_class.oid AND col_desc.objsubid=pg_attribute.attnum
LEFT JOIN pg_description tbl_desc ON tbl_desc.objoid=pg_class.oid AND tbl_desc.objsubid=0
WHERE attnum > 0 AND relkind IN ('r', 'v', 'm', 'f', 'p') AND pg_namespace.nspname IN ('public')AND relname='ducklake_tag'
UNION ALL
SELECT pg_namespace.oid AS namespace_id, relname, NULL relpages, NULL attname, NULL type_name,
    NULL type_modifier, NULL ndim, NULL attnum, NULL AS notnull,
    pg_constraint.oid AS constraint_id, contype AS constraint_type,
    conkey AS constraint_key, NULL AS type_schema,
    NULL AS column_comment, NULL AS table_comment
FROM pg_class
JOIN pg_namespace ON relnamespace = pg_namespace.oid
JOIN pg_constraint ON (pg_class.oid=pg_constraint.conrelid)
WHERE relkind IN ('r', 'v', 'm', 'f', 'p') AND contype IN ('p', 'u') AND pg_namespace.nspname IN ('public')AND relname='ducklake_tag'
ORDER BY namespace_id, relname, attnum, constraint_id
;
SELECT oid, nspname
FROM pg_namespace

ORDER BY oid
;
SELECT pg_namespace.oid AS namespace_id, relname, relpages, attname,
    pg_type.typname type_name, atttypmod type_modifier, pg_attribute.attndims ndim,
    attnum, pg_attribute.attnotnull AS notnull, NULL constraint_id,
    NULL constraint_type, NULL constraint_key, type_ns.nspname AS type_schema,
    col_desc.description AS column_comment,
    tbl_desc.description AS table_comment
FROM pg_class
JOIN pg_namespace ON relnamespace = pg_namespace.oid
JOIN pg_attribute ON pg_class.oid=pg_attribute.attrelid
JOIN pg_type ON atttypid=pg_type.oid
JOIN pg_namespace type_ns ON pg_type.typnamespace = type_ns.oid
LEFT JOIN pg_description col_desc ON col_desc.objoid=pg_class.oid AND col_desc.objsubid=pg_attribute.attnum
LEFT JOIN pg_description tbl_desc ON tbl_desc.objoid=pg_class.oid AND tbl_desc.objsubid=0
WHERE attnum > 0 AND relkind IN ('r', 'v', 'm', 'f', 'p') 
UNION ALL
SELECT pg_namespace.oid AS namespace_id, relname, NULL relpages, NULL attname, NULL type_name,
    NULL type_modifier, NULL ndim, NULL attnum, NULL AS notnull,
    pg_constraint.oid AS constraint_id, contype AS constraint_type,
    conkey AS constraint_key, NULL AS type_schema,
    NULL AS column_comment, NULL AS table_comment
FROM pg_class
JOIN pg_namespace ON relnamespace = pg_namespace.oid
JOIN pg_constraint ON (pg_class.oid=pg_constraint.conrelid)
WHERE relkind IN ('r', 'v', 'm', 'f', 'p') AND contype IN ('p', 'u') 
ORDER BY namespace_id, relname, attnum, constraint_id
;
SELECT n.oid, enumtypid, typname, enumlabel
FROM pg_enum e
JOIN pg_type t ON e.enumtypid = t.oid
JOIN pg_namespace AS n ON (typnamespace=n.oid)

ORDER BY n.oid, enumtypid, enumsortorder
;
SELECT n.oid, t.typrelid AS id, t.typname as type, pg_attribute.attname, sub_type.typname,
       sub_type_ns.nspname AS sub_type_schema
FROM pg_type t
JOIN pg_catalog.pg_namespace n ON n.oid = t.typnamespace
JOIN pg_class ON pg_class.oid = t.typrelid
JOIN pg_attribute ON attrelid=t.typrelid
JOIN pg_type sub_type ON (pg_attribute.atttypid=sub_type.oid)
JOIN pg_catalog.pg_namespace sub_type_ns ON sub_type_ns.oid = sub_type.typnamespace
WHERE pg_class.relkind IN ('c', 'r', 'v', 'm', 'f', 'p')
AND t.typtype='c'
AND pg_attribute.attnum > 0
AND NOT pg_attribute.attisdropped

ORDER BY n.oid, t.oid, attrelid, attnum
;
SELECT pg_namespace.oid, tablename, indexname
FROM pg_indexes
JOIN pg_namespace ON (schemaname=nspname)

ORDER BY pg_namespace.oid
;
COPY (SELECT "snapshot_id", "schema_version", "next_catalog_id", "next_file_id" FROM (SELECT snapshot_id, schema_version, next_catalog_id, next_file_id
		 FROM "public".ducklake_snapshot WHERE snapshot_id = (
		     SELECT MAX(snapshot_id) FROM "public".ducklake_snapshot
		 )) AS __unnamed_subquery ) TO STDOUT (FORMAT "binary")
;
COPY (SELECT "data_file_id", "value_count", "max_value", "min_value" FROM (SELECT data_file_id, value_count, max_value, min_value
     FROM "public".ducklake_file_column_stats
     WHERE column_id = 2 AND table_id = 1) AS __unnamed_subquery ) TO STDOUT (FORMAT "binary")
;
COPY (SELECT "data_file_id", "value_count", "min_value" FROM (SELECT data_file_id, value_count, min_value
     FROM "public".ducklake_file_column_stats
     WHERE column_id = 1 AND table_id = 3) AS __unnamed_subquery ) TO STDOUT (FORMAT "binary")
;
COPY (SELECT "data_file_id", "value_count", "min_value", "max_value" FROM (SELECT data_file_id, value_count, min_value, max_value
     FROM "public".ducklake_file_column_stats
     WHERE column_id = 1 AND table_id = 1) AS __unnamed_subquery ) TO STDOUT (FORMAT "binary")
;
COPY (SELECT "data_file_id", "value_count", "max_value" FROM (SELECT data_file_id, value_count, max_value
     FROM "public".ducklake_file_column_stats
     WHERE column_id = 1 AND table_id = 1) AS __unnamed_subquery ) TO STDOUT (FORMAT "binary")
;
COPY (SELECT "data_file_id", "value_count", "contains_nan", "max_value" FROM (SELECT data_file_id, value_count, contains_nan, max_value
     FROM "public".ducklake_file_column_stats
     WHERE column_id = 1 AND table_id = 1) AS __unnamed_subquery ) TO STDOUT (FORMAT "binary")
;
COPY (SELECT "data_file_id", "contains_nan" FROM (SELECT data_file_id, contains_nan
     FROM "public".ducklake_file_column_stats
     WHERE column_id = 1 AND table_id = 1) AS __unnamed_subquery ) TO STDOUT (FORMAT "binary")
;
SELECT pg_database_size(current_database())
;
INSERT INTO "public".ducklake_snapshot VALUES (1, NOW(), 1, 2, 0)
;
INSERT INTO "public".ducklake_snapshot_changes VALUES (3, NULL, NULL, NULL, NULL)
;
INSERT INTO "public".ducklake_data_file VALUES (3, 1, 5, NULL, NULL, 'bla.parquet', true, 'parquet', 1, 192, 151, 1, NULL, NULL, 2, NULL)
;
INSERT INTO "public".ducklake_file_column_stats VALUES (1, 1, 1, 45, 3, 2, 'x', 'z', NULL, NULL),(1, 1, 2, 47, 4, 1, 'p', 's', NULL, NULL)
;
INSERT INTO "public".ducklake_schema_versions VALUES (1,1,1)
;
INSERT INTO "public".ducklake_inlined_data_tables VALUES (1, 'ducklake_inlined_data_2_7', 1)
;
INSERT INTO "public".ducklake_table VALUES (1, '01a22a8f-7421-711b-b6f5-516e8673243a', 1, NULL, 0, 't', 't/', true)
;
INSERT INTO "public".ducklake_column VALUES (4, 5, NULL, 1, 4, 'k', 'int32', NULL, 'NULL', false, 1, '', 'duckdb')
;
INSERT INTO "public".ducklake_inlined_data_2_7 VALUES (0, 3, NULL, 1)
;
INSERT INTO "public".ducklake_table_stats VALUES (1, 1, 1, 0)
;
INSERT INTO "public".ducklake_file_column_stats VALUES (5, 1, 1, 29, 1, 0, '2', '2', NULL, NULL)
;
INSERT INTO "public".ducklake_column VALUES (4, 3, NULL, 1, 4, 'c1', 'int32', NULL, 'NULL', false, 3, '', 'duckdb'),(8, 3, NULL, 1, 8, 'c3', 'int8', NULL, 'NULL', true, 3, 'literal', 'duckdb')
;
INSERT INTO "public".ducklake_table_column_stats VALUES (2, 1, true, NULL, '1', '1', NULL)
;
INSERT INTO "public".ducklake_table_column_stats VALUES (1, 1, true, NULL, 'x', 'z', NULL),(1, 2, true, NULL, 'p', 's', NULL)
;
INSERT INTO "public".ducklake_inlined_data_2_7 VALUES (0, 2, NULL, 1), (1, 2, NULL, 2)
;
INSERT INTO "public".ducklake_delete_file VALUES (2, 1, 3, NULL,  0, 'ducklake-01a22a92-35e1-73f6-8bea-dd56362f4fbc-delete.parquet', true, 'parquet', 2, 992, 767, NULL, 4)
;
INSERT INTO "public".ducklake_view VALUES (1, '203c7322-34a8-4981-98f2-fea78d53f7fb', 1, NULL, 0, 'v', 'duckdb', 'SELECT 1', '')
;
INSERT INTO "public".ducklake_partition_info VALUES (2, 1, 2, NULL)
;
INSERT INTO "public".ducklake_data_file VALUES (2, 1, 3, NULL, NULL, 'my_file.parquet', true, 'parquet', 1, 309, 234, 1, NULL, NULL, 1, NULL),(3, 1, 3, NULL, NULL, 'my_file_2.parquet', true, 'parquet', 1, 289, 218, 2, NULL, NULL, 1, NULL)
;
INSERT INTO "public".ducklake_files_scheduled_for_deletion VALUES (0, 'main/t/ducklake-01a22a90-6897-7024-a3e4-8a1c39fa5bd7.parquet', true, NOW()), (1, 'main/t/ducklake-01a22a90-68a2-7efe-9638-97229be88977.parquet', true, NOW())
;
INSERT INTO "public".ducklake_column_mapping VALUES (0, 1, 'map_by_name')
;
INSERT INTO "public".ducklake_sort_info VALUES (2, 1, 6, NULL)
;
INSERT INTO "public".ducklake_file_partition_value VALUES (8, 1, 0, '2'),(9, 1, 0, '1')
;
INSERT INTO "public".ducklake_partition_column VALUES (2, 1, 0, 2, 'year')
;
INSERT INTO "public".ducklake_inlined_delete_1 VALUES (1, 0, 3)
;
INSERT INTO "public".ducklake_macro_parameters values(3,0,0,'x','int64','1','int32')
;
INSERT INTO "public".ducklake_name_mapping VALUES (0, 0, 's', 1, NULL, false), (0, 1, 'j', 3, 0, false)
;
INSERT INTO "public".ducklake_file_partition_value VALUES (6, 1, 0, '2')
;
INSERT INTO "public".ducklake_sort_expression VALUES (2, 1, 0, 'b', 'duckdb', 'ASC', 'NULLS_LAST')
;
INSERT INTO "public".ducklake_macro_impl values(2,0,'duckdb','a','scalar')
;
INSERT INTO "public".ducklake_macro values(0,2,'xt',3, NULL)
;
INSERT INTO "public".ducklake_inlined_delete_1 VALUES (1, 0, 6), (1, 1, 6)
;
INSERT INTO "public".ducklake_files_scheduled_for_deletion VALUES (1, 'main/t/ducklake-01a22a91-639b-7092-9f59-be5a35e009c5-delete.parquet', true, NOW())
;
INSERT INTO "public".ducklake_name_mapping VALUES (4, 0, 'i', 1, NULL, false)
;
INSERT INTO "public".ducklake_schema VALUES (1, '01a22a8f-e547-7b81-9842-5c9c42695430', 1, NULL, 's', 's/', true)
;
INSERT INTO "public".ducklake_sort_expression VALUES (6, 5, 0, 'a', 'duckdb', 'ASC', 'NULLS_LAST'), (6, 5, 1, 'b', 'duckdb', 'DESC', 'NULLS_LAST')
;
INSERT INTO "public".ducklake_partition_column VALUES (2, 1, 0, 2, 'year'), (2, 1, 1, 2, 'month')
;
INSERT INTO "public".ducklake_tag VALUES (1, 7, NULL, 'comment', NULL)
;
INSERT INTO "public".ducklake_delete_file VALUES (8, 1, 7, NULL,  1, 'ducklake-01a22a93-ada6-7fc5-9e59-d984a41cb00a-delete.parquet', true, 'parquet', 1, 1169, 935, NULL, 7),(9, 1, 7, NULL,  3, 'ducklake-01a22a93-ada5-74f6-ba4c-6e0f2d1f6888-delete.parquet', true, 'parquet', 1, 1169, 935, NULL, 7)
;
INSERT INTO "public".ducklake_file_variant_stats VALUES (0, 1, 2, 'root', 'int32', 29, 1, 0, '42', '42', NULL, NULL)
;
INSERT INTO "public".ducklake_column_tag VALUES (1, 1, 5, NULL, 'comment', NULL)
;
INSERT INTO "public".ducklake_file_variant_stats VALUES (9, 10, 1, '"c"', 'varchar', 43, 1, 3, 'test', 'test', NULL, NULL),(9, 10, 1, '"b"', 'boolean', 36, 1, 3, '1', '1', NULL, NULL)
;
INSERT INTO "public".ducklake_inlined_data_tables VALUES (1, 'ducklake_inlined_data_2_7', 2), (2, 'ducklake_inlined_data_2_7', 2)
;
INSERT INTO "public".ducklake_table VALUES (7, '01a22a8f-f1e0-7c6f-b174-1d7e18b6d7d5', 10, NULL, 5, 'tbl', 'tbl/', true), (8, '01a22a8f-f1e0-729c-8883-5246e44df155', 10, NULL, 6, 'tbl', 'tbl/', true)
;
INSERT INTO "public".ducklake_schema VALUES (5, '01a22a94-9141-7703-90e9-9b25045988a4', 8, NULL, 's2', 's2/', true),(6, '01a22a94-9141-7d51-9dc3-369545361b57', 8, NULL, 's1', 's1/', true)
;
INSERT INTO "public".ducklake_partition_info VALUES (4, 1, 3, NULL), (3, 2, 3, NULL)
;
INSERT INTO "public".ducklake_view VALUES (7, '99264805-7de5-476b-9e46-750931429ace', 8, NULL, 5, 'v1', 'duckdb', 'SELECT ''hello'' AS a, ''world'' AS b', ''), (8, '498618bc-a847-469f-be47-fb870ce15faa', 8, NULL, 6, 'v1', 'duckdb', 'SELECT 42 AS i', '')
;
UPDATE "public".ducklake_table_stats SET record_count=4, file_size_bytes=0, next_row_id=4 WHERE table_id=1
;
UPDATE "public".ducklake_partition_info
SET end_snapshot = 2
WHERE table_id IN (1) AND end_snapshot IS NULL
;
UPDATE "public".ducklake_tag SET end_snapshot = 2 WHERE end_snapshot IS NULL AND object_id IN (1)
;
UPDATE "public".ducklake_table SET end_snapshot = 2 WHERE end_snapshot IS NULL AND table_id IN (1)
;
UPDATE "public".ducklake_sort_info
SET end_snapshot = 6
WHERE table_id IN (1) AND end_snapshot IS NULL
;
UPDATE "public".ducklake_partition_info SET end_snapshot = 2 WHERE end_snapshot IS NULL AND table_id IN (1)
;
UPDATE "public".ducklake_column SET end_snapshot = 2 WHERE end_snapshot IS NULL AND table_id IN (1)
;
UPDATE "public".ducklake_column_tag SET end_snapshot = 2 WHERE end_snapshot IS NULL AND table_id IN (1)
;
UPDATE "public".ducklake_data_file SET end_snapshot = 2 WHERE end_snapshot IS NULL AND table_id IN (1)
;
UPDATE "public".ducklake_delete_file SET end_snapshot = 2 WHERE end_snapshot IS NULL AND table_id IN (1)
;
UPDATE "public".ducklake_sort_info SET end_snapshot = 2 WHERE end_snapshot IS NULL AND table_id IN (1)
;
UPDATE "public".ducklake_data_file SET end_snapshot = 5
		WHERE data_file_id = 1
;
UPDATE "public".ducklake_data_file SET begin_snapshot = 7
				WHERE data_file_id = 5
;
UPDATE "public".ducklake_delete_file SET end_snapshot = 5
				WHERE delete_file_id = 2
;
UPDATE "public".ducklake_view SET end_snapshot = 7 WHERE end_snapshot IS NULL AND view_id IN (3)
;
UPDATE "public".ducklake_data_file SET end_snapshot = 3 WHERE end_snapshot IS NULL AND data_file_id IN (0)
;
UPDATE "public".ducklake_schema SET end_snapshot = 3 WHERE end_snapshot IS NULL AND schema_id IN (1)
;
UPDATE "public".ducklake_macro SET end_snapshot = 3 WHERE end_snapshot IS NULL AND macro_id IN (2)
;
WITH new_values(tid, cid, new_contains_null, new_contains_nan, new_min, new_max, new_extra_stats) AS (
VALUES (1, 2, true, NULL, 'i', 'j', NULL),(1, 3, true, NULL, '1', '3', NULL)
)
UPDATE "public".ducklake_table_column_stats
SET contains_null=CAST(new_contains_null AS BOOLEAN), contains_nan=CAST(new_contains_nan AS BOOLEAN), min_value=new_min, max_value=new_max, extra_stats=new_extra_stats
FROM new_values
WHERE table_id=tid AND column_id=cid
;
WITH new_values(tid, cid, new_contains_null, new_contains_nan, new_min, new_max, new_extra_stats) AS (
VALUES (5, 1, true, NULL, '1', '2', NULL)
)
UPDATE "public".ducklake_table_column_stats
SET contains_null=CAST(new_contains_null AS BOOLEAN), contains_nan=CAST(new_contains_nan AS BOOLEAN), min_value=new_min, max_value=new_max, extra_stats=new_extra_stats
FROM new_values
WHERE table_id=tid AND column_id=cid
;
WITH dropped_cols(tid, cid) AS (
VALUES (1, 2)
)
UPDATE "public".ducklake_column
SET end_snapshot = 8
FROM dropped_cols
WHERE table_id=tid AND column_id=cid AND end_snapshot IS NULL
;
WITH deleted_row_list(deleted_row_id) AS (
VALUES (0)
)
UPDATE "public".ducklake_inlined_data_2_7
SET end_snapshot = 3
FROM deleted_row_list
WHERE row_id=deleted_row_id AND end_snapshot IS NULL AND begin_snapshot != 3
;
WITH deleted_row_list(deleted_row_id) AS (
VALUES (1), (2)
)
UPDATE "public".ducklake_inlined_data_2_7
SET end_snapshot = 2
FROM deleted_row_list
WHERE row_id=deleted_row_id AND end_snapshot IS NULL AND begin_snapshot != 2
;
WITH overwritten_tags(tid, key) AS (
VALUES (1, 'comment')
)
UPDATE "public".ducklake_tag
SET end_snapshot = 2
FROM overwritten_tags
WHERE object_id=tid AND ducklake_tag.key=overwritten_tags.key AND end_snapshot IS NULL
;
WITH dropped_cols(tid, cid) AS (
VALUES (1, 7), (1, 8)
)
UPDATE "public".ducklake_column
SET end_snapshot = 4
FROM dropped_cols
WHERE table_id=tid AND column_id=cid AND end_snapshot IS NULL
;
WITH overwritten_tags(tid, cid, key) AS (
VALUES (1, 1, 'comment')
)
UPDATE "public".ducklake_column_tag
SET end_snapshot = 3
FROM overwritten_tags
WHERE table_id=tid AND column_id=cid AND ducklake_column_tag.key=overwritten_tags.key AND end_snapshot IS NULL
;
UPDATE "public"."ducklake_metadata" SET "value" = "update_data_a1466a79-bb03-4a9d-a449-acef3cd60453"."value" FROM "update_data_a1466a79-bb03-4a9d-a449-acef3cd60453" WHERE "ducklake_metadata".ctid=__page_id_string::TID
;
DELETE FROM "public".ducklake_inlined_data_2_7 WHERE begin_snapshot <= 4
;
DELETE FROM "public".ducklake_data_file
WHERE data_file_id IN (0, 2)
;
DELETE FROM "public".ducklake_file_column_stats
WHERE data_file_id IN (0, 2)
;
DELETE FROM "public".ducklake_delete_file
WHERE data_file_id IN (0, 2)
;
DELETE FROM "public".ducklake_file_partition_value
WHERE data_file_id IN (0, 2)
;
DELETE FROM "public".ducklake_file_variant_stats
WHERE data_file_id IN (0, 2)
;
DELETE FROM "public".ducklake_delete_file
WHERE delete_file_id IN (1)
;
DELETE FROM "public".ducklake_inlined_data_2_7 WHERE ctid IN ('(0,1)')
;
DELETE FROM "public".ducklake_inlined_data_tables WHERE ctid IN ('(0,1)')
;
DELETE FROM "public".ducklake_inlined_delete_1 WHERE ctid IN ('(0,1)')
;
DELETE FROM "public".ducklake_files_scheduled_for_deletion WHERE ctid IN ('(0,1)')
;
DELETE FROM "public".ducklake_snapshot WHERE ctid IN ('(0,5)')
;
DELETE FROM "public".ducklake_snapshot_changes WHERE ctid IN ('(0,5)')
;
DELETE FROM "public".ducklake_data_file WHERE ctid IN ('(0,2)')
;
DELETE FROM "public".ducklake_file_column_stats WHERE ctid IN ('(0,1)')
;
DELETE FROM "public".ducklake_table WHERE ctid IN ('(0,2)')
;
DELETE FROM "public".ducklake_column WHERE ctid IN ('(0,2)')
;
DELETE FROM "public".ducklake_schema_versions WHERE ctid IN ('(0,1)')
;
DELETE FROM "public".ducklake_table_stats WHERE ctid IN ('(0,4)')
;
DELETE FROM "public".ducklake_table_column_stats WHERE ctid IN ('(0,4)')
;
DELETE FROM "public".ducklake_delete_file WHERE ctid IN ('(0,2)')
;
DELETE FROM "public".ducklake_macro WHERE ctid IN ('(0,3)','(0,4)')
;
DELETE FROM "public".ducklake_macro_impl WHERE ctid IN ('(0,1)','(0,2)')
;
DELETE FROM "public".ducklake_macro_parameters WHERE ctid IN ('(0,1)')
;
DELETE FROM "public".ducklake_file_variant_stats WHERE ctid IN ('(0,1)','(0,2)')
;
DELETE FROM "public".ducklake_sort_info WHERE ctid IN ('(0,2)','(0,4)','(0,6)','(0,8)','(0,10)')
;
DELETE FROM "public".ducklake_sort_expression WHERE ctid IN ('(0,1)','(0,2)','(0,3)','(0,4)','(0,5)','(0,6)','(0,7)','(0,8)','(0,9)')
;
INSERT INTO "public".ducklake_snapshot VALUES (4, NOW(), 2, 3, 2)
;
WITH new_values(tid, cid, new_contains_null, new_contains_nan, new_min, new_max, new_extra_stats) AS (
VALUES (1, 1, false, NULL, '5', '6', NULL),(1, 2, false, NULL, '1', '3', NULL),(1, 3, false, NULL, '1', '3', NULL)
)
UPDATE "public".ducklake_table_column_stats
SET contains_null=CAST(new_contains_null AS BOOLEAN), contains_nan=CAST(new_contains_nan AS BOOLEAN), min_value=new_min, max_value=new_max, extra_stats=new_extra_stats
FROM new_values
WHERE table_id=tid AND column_id=cid
;
INSERT INTO "public".ducklake_snapshot_changes VALUES (4, 'inlined_insert:1', NULL, NULL, NULL)
;
INSERT INTO "public".ducklake_table VALUES (1, '01a22a8f-22db-78c2-a53d-57d1198eee88', 1, NULL, 0, 'test', 'test/', true)
;
INSERT INTO "public".ducklake_column VALUES (1, 1, NULL, 1, 1, 'array', 'int32', NULL, 'NULL', true, NULL, 'literal', 'duckdb'),(2, 1, NULL, 1, 2, 'element', 'int32', NULL, 'NULL', true, NULL, 'literal', 'duckdb'),(3, 1, NULL, 1, 3, 'my_list', 'list', NULL, 'NULL', true, NULL, '', 'duckdb'),(4, 1, NULL, 1, 4, 'element', 'int32', NULL, 'NULL', true, 3, 'literal', 'duckdb')
;
INSERT INTO "public".ducklake_snapshot_changes VALUES (1, 'created_table:"main"."test"', NULL, NULL, NULL)
;
INSERT INTO "public".ducklake_snapshot VALUES (2, NOW(), 1, 2, 2)
;
INSERT INTO "public".ducklake_name_mapping VALUES (0, 0, 'array', 1, NULL, false), (0, 1, 'element', 2, NULL, false), (0, 2, 'my_list', 3, NULL, false), (0, 3, 'list', 4, 2, false)
;
INSERT INTO "public".ducklake_table_stats VALUES (1, 1, 1, 478)
;
INSERT INTO "public".ducklake_table_column_stats VALUES (1, 1, false, NULL, '1', '1', NULL),(1, 2, false, NULL, '2', '2', NULL),(1, 4, false, NULL, '1', '3', NULL)
;
INSERT INTO "public".ducklake_data_file VALUES (1, 1, 2, NULL, NULL, '/data/array_element_cols.parquet', false, 'parquet', 1, 478, 360, 0, NULL, NULL, 0, NULL)
;
INSERT INTO "public".ducklake_file_column_stats VALUES (1, 1, 1, 29, 1, 0, '1', '1', NULL, NULL),(1, 1, 2, 29, 1, 0, '2', '2', NULL, NULL),(1, 1, 4, 48, 3, 0, '1', '3', NULL, NULL)
;
INSERT INTO "public".ducklake_snapshot_changes VALUES (2, 'inserted_into_table:1', NULL, NULL, NULL)
;
INSERT INTO "public".ducklake_snapshot VALUES (5, NOW(), 2, 3, 5)
;
UPDATE "public".ducklake_table_stats SET record_count=4, file_size_bytes=2483, next_row_id=4 WHERE table_id=1
;
INSERT INTO "public".ducklake_data_file VALUES (2, 1, 3, NULL, NULL, 'partition_column=1/ducklake-01a22a8f-27a0-77ed-9366-20607c1830cb.parquet', true, 'parquet', 2, 847, 654, 0, 2, NULL, NULL, 3),(3, 1, 4, NULL, NULL, 'partition_column=2/ducklake-01a22a8f-27a1-7f5e-abd0-ae0a8379023d.parquet', true, 'parquet', 1, 818, 653, 2, 2, NULL, NULL, 4),(4, 1, 4, NULL, NULL, 'partition_column=3/ducklake-01a22a8f-27a1-740e-9f3d-d15996271146.parquet', true, 'parquet', 1, 818, 653, 3, 2, NULL, NULL, 4)
;
INSERT INTO "public".ducklake_file_column_stats VALUES (2, 1, 1, 33, 2, 0, '5', '6', NULL, NULL),(2, 1, 2, 33, 2, 0, '1', '1', NULL, NULL),(2, 1, 3, 33, 2, 0, '2', '2', NULL, NULL),(3, 1, 1, 29, 1, 0, '5', '5', NULL, NULL),(3, 1, 2, 29, 1, 0, '2', '2', NULL, NULL),(3, 1, 3, 29, 1, 0, '1', '1', NULL, NULL),(4, 1, 1, 29, 1, 0, '6', '6', NULL, NULL),(4, 1, 2, 29, 1, 0, '3', '3', NULL, NULL),(4, 1, 3, 29, 1, 0, '3', '3', NULL, NULL)
;
INSERT INTO "public".ducklake_file_partition_value VALUES (2, 1, 0, '1'),(3, 1, 0, '2'),(4, 1, 0, '3')
;
DELETE FROM "public".ducklake_inlined_data_2_7 WHERE begin_snapshot <= 4
;
INSERT INTO "public".ducklake_snapshot_changes VALUES (5, 'inline_flush:1', NULL, NULL, NULL)
;
INSERT INTO "public".ducklake_snapshot VALUES (3, NOW(), 2, 2, 2)
;
UPDATE "public".ducklake_table SET end_snapshot = 3 WHERE end_snapshot IS NULL AND table_id IN (1)
;
UPDATE "public".ducklake_partition_info SET end_snapshot = 3 WHERE end_snapshot IS NULL AND table_id IN (1)
;
UPDATE "public".ducklake_column SET end_snapshot = 3 WHERE end_snapshot IS NULL AND table_id IN (1)
;
UPDATE "public".ducklake_column_tag SET end_snapshot = 3 WHERE end_snapshot IS NULL AND table_id IN (1)
;
UPDATE "public".ducklake_data_file SET end_snapshot = 3 WHERE end_snapshot IS NULL AND table_id IN (1)
;
UPDATE "public".ducklake_delete_file SET end_snapshot = 3 WHERE end_snapshot IS NULL AND table_id IN (1)
;
UPDATE "public".ducklake_tag SET end_snapshot = 3 WHERE end_snapshot IS NULL AND object_id IN (1)
;
UPDATE "public".ducklake_sort_info SET end_snapshot = 3 WHERE end_snapshot IS NULL AND table_id IN (1)
;
INSERT INTO "public".ducklake_snapshot_changes VALUES (3, 'dropped_table:1', NULL, NULL, NULL)
;
COPY (SELECT "data_file_id", "table_id", "begin_snapshot", "end_snapshot", "path", "path_is_relative", "file_size_bytes", "footer_size", "row_id_start", "partial_max", "mapping_id" FROM "public"."ducklake_data_file" WHERE ctid BETWEEN '(0,0)'::tid AND '(1000,0)'::tid AND "table_id" = '1' AND "begin_snapshot" <= '2') TO STDOUT (FORMAT "binary")
;
COPY (SELECT "table_id", "begin_snapshot", "end_snapshot", "record_count" FROM "public"."ducklake_data_file" WHERE ctid BETWEEN '(0,0)'::tid AND '(1000,0)'::tid AND "table_id" = '1' AND "begin_snapshot" <= '2') TO STDOUT (FORMAT "binary")
;
COPY (SELECT "snapshot_id" FROM "public"."ducklake_snapshot" WHERE ctid BETWEEN '(0,0)'::tid AND '(4294967295,0)'::tid) TO STDOUT (FORMAT "binary")
;
COPY (SELECT "data_file_id", "begin_snapshot", "end_snapshot" FROM "public"."ducklake_data_file" WHERE ctid BETWEEN '(0,0)'::tid AND '(1000,0)'::tid AND "begin_snapshot" <= '2') TO STDOUT (FORMAT "binary")
;
COPY (SELECT NULL FROM "public"."ducklake_data_file" WHERE ctid BETWEEN '(0,0)'::tid AND '(1000,0)'::tid) TO STDOUT (FORMAT "binary")
;
COPY (SELECT "data_file_id", "record_count" FROM "public"."ducklake_data_file" WHERE ctid BETWEEN '(0,0)'::tid AND '(1000,0)'::tid AND "data_file_id" > '5') TO STDOUT (FORMAT "binary")
;
COPY (SELECT "data_file_id", "table_id", "begin_snapshot", "end_snapshot", "record_count", "path", "path_is_relative", "file_size_bytes", "footer_size", "row_id_start", "mapping_id" FROM "public"."ducklake_data_file" WHERE ctid BETWEEN '(0,0)'::tid AND '(1000,0)'::tid AND "table_id" = '1' AND "begin_snapshot" <= '3') TO STDOUT (FORMAT "binary")
;
COPY (SELECT "table_id", "begin_snapshot", "end_snapshot", "file_size_bytes" FROM "public"."ducklake_data_file" WHERE ctid BETWEEN '(0,0)'::tid AND '(1000,0)'::tid AND "begin_snapshot" <= '4') TO STDOUT (FORMAT "binary")
;
COPY (SELECT "table_id", "column_id", "contains_null", "contains_nan", "min_value", "max_value", "extra_stats" FROM "public"."ducklake_table_column_stats" WHERE ctid BETWEEN '(0,0)'::tid AND '(4294967295,0)'::tid AND "table_id" = '1') TO STDOUT (FORMAT "binary")
;
COPY (SELECT "table_id", "record_count", "file_size_bytes", "next_row_id" FROM "public"."ducklake_table_stats" WHERE ctid BETWEEN '(0,0)'::tid AND '(4294967295,0)'::tid AND "table_id" = '1') TO STDOUT (FORMAT "binary")
;
COPY (SELECT "schema_id", "path", "path_is_relative" FROM "public"."ducklake_schema" WHERE ctid BETWEEN '(0,0)'::tid AND '(4294967295,0)'::tid) TO STDOUT (FORMAT "binary")
;
COPY (SELECT "schema_id", "table_id", "path", "path_is_relative" FROM "public"."ducklake_table" WHERE ctid BETWEEN '(0,0)'::tid AND '(4294967295,0)'::tid AND "table_id" = '1') TO STDOUT (FORMAT "binary")
;
COPY (SELECT "schedule_start", "data_file_id", "path", "path_is_relative" FROM "public"."ducklake_files_scheduled_for_deletion" WHERE ctid BETWEEN '(0,0)'::tid AND '(1000,0)'::tid AND "schedule_start" < '2026-11-28 03:48:13.285683+00') TO STDOUT (FORMAT "binary")
;
SELECT relname, relpages FROM pg_class WHERE relname LIKE 'ducklake_%' AND relpages > 0 ORDER BY 2 DESC LIMIT 5
;
SELECT pg_is_in_recovery(), pg_export_snapshot(), (select count(*) from pg_stat_wal_receiver)
;
COPY (SELECT "object_id", "begin_snapshot", "end_snapshot", "key", "value" FROM "public"."ducklake_tag" ) TO STDOUT (FORMAT "binary")
;
COPY (SELECT "table_id", "schema_version", "begin_snapshot" FROM "public"."ducklake_schema_versions" WHERE ctid BETWEEN '(0,0)'::tid AND '(4294967295,0)'::tid) TO STDOUT (FORMAT "binary")
;
COPY (SELECT "begin_snapshot", "end_snapshot", "schema_id", "schema_uuid", "schema_name", "path", "path_is_relative" FROM "public"."ducklake_schema" ) TO STDOUT (FORMAT "binary")
;
COPY (SELECT "table_id", "begin_snapshot", "end_snapshot", "schema_id", "table_uuid", "table_name", "path", "path_is_relative" FROM "public"."ducklake_table" ) TO STDOUT (FORMAT "binary")
;
COPY (SELECT "table_id", "column_id", "begin_snapshot", "end_snapshot", "key", "value" FROM "public"."ducklake_column_tag" ) TO STDOUT (FORMAT "binary")
;
COPY (SELECT "begin_snapshot", "end_snapshot", "view_id", "view_uuid", "schema_id", "view_name", "dialect", "sql", "column_aliases" FROM "public"."ducklake_view" ) TO STDOUT (FORMAT "binary")
;
COPY (SELECT "begin_snapshot", "end_snapshot", "schema_id", "macro_id", "macro_name" FROM "public"."ducklake_macro" ) TO STDOUT (FORMAT "binary")
;
COPY (SELECT "partition_id", "begin_snapshot", "end_snapshot", "table_id" FROM "public"."ducklake_partition_info" ) TO STDOUT (FORMAT "binary")
;
COPY (SELECT "sort_id", "begin_snapshot", "end_snapshot", "table_id" FROM "public"."ducklake_sort_info" ) TO STDOUT (FORMAT "binary")
;
COPY (SELECT "object_id", "begin_snapshot", "end_snapshot", "key", "value" FROM "public"."ducklake_tag" WHERE ctid BETWEEN '(0,0)'::tid AND '(4294967295,0)'::tid) TO STDOUT (FORMAT "binary")
;
COPY (SELECT "begin_snapshot", "end_snapshot", "schema_id", "schema_uuid", "schema_name", "path", "path_is_relative" FROM "public"."ducklake_schema" WHERE ctid BETWEEN '(0,0)'::tid AND '(4294967295,0)'::tid) TO STDOUT (FORMAT "binary")
;
COPY (SELECT "table_id", "begin_snapshot", "end_snapshot", "schema_id", "table_uuid", "table_name", "path", "path_is_relative" FROM "public"."ducklake_table" WHERE ctid BETWEEN '(0,0)'::tid AND '(4294967295,0)'::tid) TO STDOUT (FORMAT "binary")
;
COPY (SELECT "table_id", "column_id", "begin_snapshot", "end_snapshot", "key", "value" FROM "public"."ducklake_column_tag" WHERE ctid BETWEEN '(0,0)'::tid AND '(4294967295,0)'::tid) TO STDOUT (FORMAT "binary")
;
COPY (SELECT "begin_snapshot", "end_snapshot", "view_id", "view_uuid", "schema_id", "view_name", "dialect", "sql", "column_aliases" FROM "public"."ducklake_view" WHERE ctid BETWEEN '(0,0)'::tid AND '(4294967295,0)'::tid) TO STDOUT (FORMAT "binary")
;
SELECT "object_id", "begin_snapshot", "end_snapshot", "key", "value" FROM "public"."ducklake_tag" WHERE "begin_snapshot" <= '0'
;
SELECT "snapshot_id", "schema_version", "next_catalog_id", "next_file_id" FROM (SELECT snapshot_id, schema_version, next_catalog_id, next_file_id
		 FROM "public".ducklake_snapshot WHERE snapshot_id = (
		     SELECT MAX(snapshot_id) FROM "public".ducklake_snapshot
		 )) AS __unnamed_subquery
;
SELECT "table_id", "schema_version", "begin_snapshot" FROM "public"."ducklake_schema_versions" WHERE "table_id" = '1' AND "schema_version" = '1'
;
SELECT "begin_snapshot", "end_snapshot", "schema_id", "schema_uuid", "schema_name", "path", "path_is_relative" FROM "public"."ducklake_schema" WHERE "begin_snapshot" <= '0'
;
SELECT "table_id", "begin_snapshot", "end_snapshot", "schema_id", "table_uuid", "table_name", "path", "path_is_relative" FROM "public"."ducklake_table" WHERE "begin_snapshot" <= '0'
;
SELECT "table_id", "begin_snapshot", "end_snapshot", "column_id", "column_name", "column_type", "initial_default", "default_value", "nulls_allowed", "parent_column", "default_value_type", "column_order" FROM "public"."ducklake_column"
;
SELECT "table_id", "table_name", "schema_version" FROM "public"."ducklake_inlined_data_tables"
;
SELECT "table_id", "column_id", "begin_snapshot", "end_snapshot", "key", "value" FROM "public"."ducklake_column_tag" WHERE "begin_snapshot" <= '0'
;
SELECT "begin_snapshot", "end_snapshot", "view_id", "view_uuid", "schema_id", "view_name", "dialect", "sql", "column_aliases" FROM "public"."ducklake_view" WHERE "begin_snapshot" <= '0'
;
SELECT "begin_snapshot", "end_snapshot", "schema_id", "macro_id", "macro_name" FROM "public"."ducklake_macro" WHERE "begin_snapshot" <= '0'
;
SELECT "macro_id", "dialect", "sql", "type", "impl_id" FROM "public"."ducklake_macro_impl"
;
SELECT "macro_id", "impl_id", "parameter_name", "parameter_type", "default_value", "default_value_type" FROM "public"."ducklake_macro_parameters"
;
SELECT "partition_id", "begin_snapshot", "end_snapshot", "table_id" FROM "public"."ducklake_partition_info" WHERE "begin_snapshot" <= '0'
;
SELECT "partition_id", "partition_key_index", "column_id", "transform" FROM "public"."ducklake_partition_column"
;
SELECT table_schema AS namespace_id, table_name AS relname, 0 AS relpages, column_name AS attname,
    data_type AS type_name, -1 AS type_modifier, 0 AS ndim, ordinal_position AS attnum,
    CASE WHEN is_nullable = 'NO' THEN 't' ELSE 'f' END AS notnull,
    NULL AS constraint_id, NULL AS constraint_type, NULL AS constraint_key,
    NULL AS type_schema, NULL AS column_comment, NULL AS table_comment
FROM information_schema.columns
WHERE table_schema NOT IN ('information_schema', 'pg_catalog', 'pg_toast') AND table_schema IN ('public') AND table_name='ducklake_tag'
ORDER BY table_schema, table_name, ordinal_position
;
SELECT schema_name
FROM information_schema.schemata
WHERE schema_name NOT IN ('information_schema', 'pg_catalog', 'pg_toast')

ORDER BY schema_name
;
SELECT table_schema AS namespace_id, table_name AS relname, 0 AS relpages, column_name AS attname,
    data_type AS type_name, -1 AS type_modifier, 0 AS ndim, ordinal_position AS attnum,
    CASE WHEN is_nullable = 'NO' THEN 't' ELSE 'f' END AS notnull,
    NULL AS constraint_id, NULL AS constraint_type, NULL AS constraint_key,
    NULL AS type_schema, NULL AS column_comment, NULL AS table_comment
FROM information_schema.columns
WHERE table_schema NOT IN ('information_schema', 'pg_catalog', 'pg_toast') 
ORDER BY table_schema, table_name, ordinal_position
;
SELECT NULL, NULL, NULL, NULL LIMIT 0
;
SELECT NULL, NULL, NULL, NULL, NULL LIMIT 0
;
SELECT NULL, NULL, NULL LIMIT 0
;
COPY (SELECT "snapshot_id" FROM "public"."ducklake_snapshot" ) TO STDOUT (FORMAT "binary")
;
COPY (SELECT "snapshot_id", "schema_version", "next_catalog_id", "next_file_id" FROM "public"."ducklake_snapshot" WHERE "snapshot_id" = '5') TO STDOUT (FORMAT "binary")
;
COPY (SELECT "table_id", "schema_version", ctid FROM "public"."ducklake_inlined_data_tables" WHERE "table_id" = '1' AND "schema_version" = '1') TO STDOUT (FORMAT "binary")
;
COPY (SELECT "data_file_id", "partition_value", "partition_key_index" FROM "public"."ducklake_file_partition_value" ) TO STDOUT (FORMAT "binary")
;
COPY (SELECT "table_id", "delete_file_id", "begin_snapshot", "end_snapshot", "data_file_id", "path", "path_is_relative", "format", "delete_count", "file_size_bytes", "footer_size", "partial_max" FROM "public"."ducklake_delete_file" WHERE "table_id" = '3') TO STDOUT (FORMAT "binary")
;
COPY (SELECT "table_id", "begin_snapshot", "schema_version" FROM "public"."ducklake_schema_versions" WHERE "table_id" = '3') TO STDOUT (FORMAT "binary")
;
COPY (SELECT "begin_snapshot", "data_file_id", "table_id", "file_size_bytes", "end_snapshot", "record_count", "row_id_start", "mapping_id", "partial_max", "partition_id", "path", "path_is_relative", "footer_size" FROM "public"."ducklake_data_file" WHERE "table_id" = '3' AND "file_size_bytes" < '2000000') TO STDOUT (FORMAT "binary")
;
COPY (SELECT "key", "value", "scope", "scope_id" FROM "public"."ducklake_metadata" ) TO STDOUT (FORMAT "binary")
;
SELECT pg_class.oid, relname, pg_class.xmin
FROM pg_class
JOIN pg_namespace ON relnamespace = pg_namespace.oid
WHERE relkind IN ('r', 'v', 'm', 'f', 'p') AND pg_namespace.nspname = 'public'
ORDER BY pg_class.oid
;
COPY (SELECT "snapshot_id", "changes_made", "author", "commit_message", "commit_extra_info" FROM "public"."ducklake_snapshot_changes" ) TO STDOUT (FORMAT "binary")
;
COPY (SELECT "table_id", "begin_snapshot", "data_file_id", "path", "path_is_relative", "file_size_bytes", "footer_size", "format" FROM "public"."ducklake_delete_file" WHERE "table_id" = '1' AND "begin_snapshot" <= '5') TO STDOUT (FORMAT "binary")
;
COPY (SELECT "table_id", "data_file_id", "path", "path_is_relative", "record_count", "file_size_bytes", "footer_size", "row_id_start", "mapping_id" FROM "public"."ducklake_data_file" WHERE "table_id" = '1') TO STDOUT (FORMAT "binary")
;
COPY (SELECT "table_id", "begin_snapshot", "data_file_id", "path", "path_is_relative", "file_size_bytes", "footer_size", "format" FROM "public"."ducklake_delete_file" WHERE "table_id" = '1' AND "begin_snapshot" < '1') TO STDOUT (FORMAT "binary")
;
COPY (SELECT "table_id", "end_snapshot", "data_file_id", "path", "path_is_relative", "record_count", "file_size_bytes", "footer_size", "row_id_start", "mapping_id" FROM "public"."ducklake_data_file" WHERE "table_id" = '1' AND ("end_snapshot" >= '1' AND "end_snapshot" <= '5')) TO STDOUT (FORMAT "binary")
;
COPY (SELECT "table_id", "begin_snapshot", "data_file_id", "path", "path_is_relative", "file_size_bytes", "footer_size", "format" FROM "public"."ducklake_delete_file" WHERE "table_id" = '1') TO STDOUT (FORMAT "binary")
;
COPY (SELECT "data_file_id", "table_id", "begin_snapshot", "end_snapshot", "path", "path_is_relative", "file_size_bytes", "footer_size", "encryption_key", "row_id_start", "partial_max", "mapping_id" FROM "public"."ducklake_data_file" WHERE "table_id" = '1' AND "begin_snapshot" <= '3') TO STDOUT (FORMAT "binary")
;
COPY (SELECT "table_id", "begin_snapshot", "end_snapshot", "data_file_id", "path", "path_is_relative", "format", "file_size_bytes", "footer_size", "encryption_key" FROM "public"."ducklake_delete_file" WHERE "table_id" = '1' AND "begin_snapshot" <= '3') TO STDOUT (FORMAT "binary")
;
COPY (SELECT "table_id", "delete_file_id", "begin_snapshot", "end_snapshot", "data_file_id", "path", "path_is_relative", "format", "delete_count", "file_size_bytes", "footer_size", "encryption_key", "partial_max" FROM "public"."ducklake_delete_file" WHERE ctid BETWEEN '(0,0)'::tid AND '(4294967295,0)'::tid AND "table_id" = '3') TO STDOUT (FORMAT "binary")
;
COPY (SELECT "table_id", "begin_snapshot", "end_snapshot", "delete_file_id", "data_file_id", "path", "path_is_relative", "format", "file_size_bytes", "footer_size", "encryption_key" FROM "public"."ducklake_delete_file" WHERE "table_id" = '1' AND "begin_snapshot" <= '3') TO STDOUT (FORMAT "binary")
;
COPY (SELECT "data_file_id", "table_id", "begin_snapshot", "end_snapshot", "record_count", "path", "path_is_relative", "file_size_bytes", "footer_size", "encryption_key", "row_id_start", "mapping_id" FROM "public"."ducklake_data_file" WHERE "table_id" = '1' AND "begin_snapshot" <= '3') TO STDOUT (FORMAT "binary")
;
COPY (SELECT "data_file_id", "table_id", "begin_snapshot", "end_snapshot", "path", "path_is_relative", "file_size_bytes", "footer_size", "encryption_key", "row_id_start", "partial_max", "mapping_id" FROM "public"."ducklake_data_file" WHERE ctid BETWEEN '(0,0)'::tid AND '(4294967295,0)'::tid AND "table_id" = '1' AND "begin_snapshot" <= '3') TO STDOUT (FORMAT "binary")
;
COPY (SELECT "table_id", "begin_snapshot", "end_snapshot", "data_file_id", "path", "path_is_relative", "format", "file_size_bytes", "footer_size", "encryption_key" FROM "public"."ducklake_delete_file" WHERE ctid BETWEEN '(0,0)'::tid AND '(4294967295,0)'::tid AND "table_id" = '1' AND "begin_snapshot" <= '3') TO STDOUT (FORMAT "binary")
;
COPY (SELECT "begin_snapshot", "data_file_id", "table_id", "file_size_bytes", "end_snapshot", "record_count", "row_id_start", "mapping_id", "partial_max", "partition_id", "path", "path_is_relative", "footer_size", "encryption_key" FROM "public"."ducklake_data_file" WHERE ctid BETWEEN '(0,0)'::tid AND '(4294967295,0)'::tid AND "table_id" = '3' AND "file_size_bytes" < '2000000') TO STDOUT (FORMAT "binary")
;
COPY (SELECT "table_id", "begin_snapshot", "data_file_id", "path", "path_is_relative", "file_size_bytes", "footer_size", "encryption_key", "format" FROM "public"."ducklake_delete_file" WHERE ctid BETWEEN '(0,0)'::tid AND '(4294967295,0)'::tid AND "table_id" = '1' AND "begin_snapshot" <= '5') TO STDOUT (FORMAT "binary")
;
COPY (SELECT "table_id", "data_file_id", "path", "path_is_relative", "record_count", "file_size_bytes", "footer_size", "row_id_start", "encryption_key", "mapping_id" FROM "public"."ducklake_data_file" WHERE ctid BETWEEN '(0,0)'::tid AND '(4294967295,0)'::tid AND "table_id" = '1') TO STDOUT (FORMAT "binary")
;
COPY (SELECT "table_id", "begin_snapshot", "data_file_id", "path", "path_is_relative", "file_size_bytes", "footer_size", "encryption_key", "format" FROM "public"."ducklake_delete_file" WHERE ctid BETWEEN '(0,0)'::tid AND '(4294967295,0)'::tid AND "table_id" = '1' AND "begin_snapshot" < '1') TO STDOUT (FORMAT "binary")
;
COPY (SELECT "table_id", "end_snapshot", "data_file_id", "path", "path_is_relative", "record_count", "file_size_bytes", "footer_size", "row_id_start", "encryption_key", "mapping_id" FROM "public"."ducklake_data_file" WHERE ctid BETWEEN '(0,0)'::tid AND '(4294967295,0)'::tid AND "table_id" = '1' AND ("end_snapshot" >= '1' AND "end_snapshot" <= '5')) TO STDOUT (FORMAT "binary")
;
COPY (SELECT "table_id", "begin_snapshot", "data_file_id", "path", "path_is_relative", "file_size_bytes", "footer_size", "encryption_key", "format" FROM "public"."ducklake_delete_file" WHERE ctid BETWEEN '(0,0)'::tid AND '(4294967295,0)'::tid AND "table_id" = '1') TO STDOUT (FORMAT "binary")
;
COPY (SELECT "table_id", "begin_snapshot", "partial_max", "path", "path_is_relative", "file_size_bytes", "footer_size", "encryption_key", "row_id_start", "mapping_id" FROM "public"."ducklake_data_file" WHERE ctid BETWEEN '(0,0)'::tid AND '(4294967295,0)'::tid AND "table_id" = '1' AND "begin_snapshot" <= '5') TO STDOUT (FORMAT "binary")
;
SELECT oid, nspname
FROM pg_namespace
WHERE pg_namespace.nspname IN ('public')
ORDER BY oid
;
SELECT n.oid, enumtypid, typname, enumlabel
FROM pg_enum e
JOIN pg_type t ON e.enumtypid = t.oid
JOIN pg_namespace AS n ON (typnamespace=n.oid)
WHERE n.nspname IN ('public')
ORDER BY n.oid, enumtypid, enumsortorder
;
SELECT n.oid, t.typrelid AS id, t.typname as type, pg_attribute.attname, sub_type.typname,
       sub_type_ns.nspname AS sub_type_schema
FROM pg_type t
JOIN pg_catalog.pg_namespace n ON n.oid = t.typnamespace
JOIN pg_class ON pg_class.oid = t.typrelid
JOIN pg_attribute ON attrelid=t.typrelid
JOIN pg_type sub_type ON (pg_attribute.atttypid=sub_type.oid)
JOIN pg_catalog.pg_namespace sub_type_ns ON sub_type_ns.oid = sub_type.typnamespace
WHERE pg_class.relkind IN ('c', 'r', 'v', 'm', 'f', 'p')
AND t.typtype='c'
AND pg_attribute.attnum > 0
AND NOT pg_attribute.attisdropped
AND n.nspname IN ('public')
ORDER BY n.oid, t.oid, attrelid, attnum
;
SELECT pg_namespace.oid, tablename, indexname
FROM pg_indexes
JOIN pg_namespace ON (schemaname=nspname)
WHERE pg_namespace.nspname IN ('public')
ORDER BY pg_namespace.oid
;
SELECT secret_name, serialized_secret FROM my_secrets
;
UPDATE "public".ducklake_data_file SET end_snapshot = 5 WHERE end_snapshot IS NULL AND data_file_id IN (0)
;
COPY (SELECT "table_id", "table_name" FROM "public"."ducklake_inlined_data_tables" WHERE "table_id" IN ('3', '3', '11')) TO STDOUT (FORMAT "binary")
;
COPY (SELECT "table_id", ctid FROM "public"."ducklake_inlined_data_tables" WHERE "table_id" IN ('3', '3', '11')) TO STDOUT (FORMAT "binary")
;
WITH deleted_row_list(deleted_row_id) AS (
VALUES (13), (14), (15), (16), (17), (18), (19), (20), (21), (22), (23), (24), (25), (26), (27), (28), (29), (30), (31), (32), (33)
)
UPDATE "public".ducklake_inlined_data_2_7
SET end_snapshot = 7
FROM deleted_row_list
WHERE row_id=deleted_row_id AND end_snapshot IS NULL AND begin_snapshot != 7
;
COPY (SELECT "table_id", "begin_snapshot", "partial_max", "path", "path_is_relative", "file_size_bytes", "footer_size", "row_id_start", "mapping_id" FROM "public"."ducklake_data_file" WHERE "table_id" = '1' AND "begin_snapshot" <= '5') TO STDOUT (FORMAT "binary")
;
COPY (SELECT "begin_snapshot", "data_file_id", "table_id", "end_snapshot", "record_count", "row_id_start", "mapping_id", "partial_max", "partition_id", "path", "path_is_relative", "file_size_bytes", "footer_size" FROM "public"."ducklake_data_file" WHERE "table_id" = '1') TO STDOUT (FORMAT "binary")
;
COPY (SELECT "path_is_relative", "path" FROM "public"."ducklake_files_scheduled_for_deletion" ) TO STDOUT (FORMAT "binary")
;
COPY (SELECT "path", "path_is_relative", "table_id" FROM "public"."ducklake_data_file" ) TO STDOUT (FORMAT "binary")
;
SELECT pg_namespace.oid AS namespace_id, relname, relpages, attname,
    pg_type.typname type_name, atttypmod type_modifier, pg_attribute.attndims ndim,
    attnum, pg_attribute.attnotnull AS notnull, NULL constraint_id,
    NULL constraint_type, NULL constraint_key
FROM pg_class
JOIN pg_namespace ON relnamespace = pg_namespace.oid
JOIN pg_attribute ON pg_class.oid=pg_attribute.attrelid
JOIN pg_type ON atttypid=pg_type.oid
WHERE attnum > 0 AND relkind IN ('r', 'v', 'm', 'f', 'p') AND pg_namespace.nspname='public'AND relname='ducklake_tag'
UNION ALL
SELECT pg_namespace.oid AS namespace_id, relname, NULL relpages, NULL attname, NULL type_name,
    NULL type_modifier, NULL ndim, NULL attnum, NULL AS notnull,
    pg_constraint.oid AS constraint_id, contype AS constraint_type,
    conkey AS constraint_key
FROM pg_class
JOIN pg_namespace ON relnamespace = pg_namespace.oid
JOIN pg_constraint ON (pg_class.oid=pg_constraint.conrelid)
WHERE relkind IN ('r', 'v', 'm', 'f', 'p') AND contype IN ('p', 'u') AND pg_namespace.nspname='public'AND relname='ducklake_tag'
ORDER BY namespace_id, relname, attnum, constraint_id
;
SELECT pg_namespace.oid AS namespace_id, relname, relpages, attname,
    pg_type.typname type_name, atttypmod type_modifier, pg_attribute.attndims ndim,
    attnum, pg_attribute.attnotnull AS notnull, NULL constraint_id,
    NULL constraint_type, NULL constraint_key
FROM pg_class
JOIN pg_namespace ON relnamespace = pg_namespace.oid
JOIN pg_attribute ON pg_class.oid=pg_attribute.attrelid
JOIN pg_type ON atttypid=pg_type.oid
WHERE attnum > 0 AND relkind IN ('r', 'v', 'm', 'f', 'p') 
UNION ALL
SELECT pg_namespace.oid AS namespace_id, relname, NULL relpages, NULL attname, NULL type_name,
    NULL type_modifier, NULL ndim, NULL attnum, NULL AS notnull,
    pg_constraint.oid AS constraint_id, contype AS constraint_type,
    conkey AS constraint_key
FROM pg_class
JOIN pg_namespace ON relnamespace = pg_namespace.oid
JOIN pg_constraint ON (pg_class.oid=pg_constraint.conrelid)
WHERE relkind IN ('r', 'v', 'm', 'f', 'p') AND contype IN ('p', 'u') 
ORDER BY namespace_id, relname, attnum, constraint_id
;
SELECT n.oid, t.typrelid AS id, t.typname as type, pg_attribute.attname, sub_type.typname
FROM pg_type t
JOIN pg_catalog.pg_namespace n ON n.oid = t.typnamespace
JOIN pg_class ON pg_class.oid = t.typrelid
JOIN pg_attribute ON attrelid=t.typrelid
JOIN pg_type sub_type ON (pg_attribute.atttypid=sub_type.oid)
WHERE pg_class.relkind = 'c'
AND t.typtype='c'

ORDER BY n.oid, t.oid, attrelid, attnum
;
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
;
COPY (SELECT "table_id", "begin_snapshot", "end_snapshot", "data_file_id", "path", "path_is_relative", "file_size_bytes", "footer_size" FROM "public"."ducklake_delete_file" WHERE "table_id" = '1' AND "begin_snapshot" <= '2') TO STDOUT (FORMAT "binary")
;
COPY (SELECT "table_id", "begin_snapshot", "end_snapshot", "column_id", "column_name", "column_type", "initial_default", "default_value", "nulls_allowed", "parent_column", "column_order" FROM "public"."ducklake_column" ) TO STDOUT (FORMAT "binary")
;
COPY (SELECT "table_id", "schema_version" FROM "public"."ducklake_inlined_data_tables" WHERE "schema_version" = '1') TO STDOUT (FORMAT "binary")
;
COPY (SELECT "table_id", "begin_snapshot" FROM "public"."ducklake_table" ) TO STDOUT (FORMAT "binary")
;
COPY (SELECT "data_file_id", "table_id", "begin_snapshot", "end_snapshot", "record_count", "path", "path_is_relative", "file_size_bytes", "footer_size", "row_id_start" FROM "public"."ducklake_data_file" WHERE "table_id" = '1' AND "begin_snapshot" <= '2') TO STDOUT (FORMAT "binary")
;
COPY (SELECT "table_id", "begin_snapshot", "end_snapshot", "delete_file_id", "data_file_id", "path", "path_is_relative", "file_size_bytes", "footer_size" FROM "public"."ducklake_delete_file" WHERE "table_id" = '1' AND "begin_snapshot" <= '2') TO STDOUT (FORMAT "binary")
;
COPY (SELECT "column_id", "table_id", "data_file_id", "max_value", "min_value" FROM "public"."ducklake_file_column_stats" WHERE "column_id" = '2' AND "table_id" = '1') TO STDOUT (FORMAT "binary")
;
COPY (SELECT "begin_snapshot", "schema_version" FROM "public"."ducklake_schema_versions" ) TO STDOUT (FORMAT "binary")
;
COPY (SELECT "table_id", "delete_file_id", "begin_snapshot", "end_snapshot", "data_file_id", "path", "path_is_relative", "delete_count", "file_size_bytes", "footer_size" FROM "public"."ducklake_delete_file" WHERE "table_id" = '2') TO STDOUT (FORMAT "binary")
;
COPY (SELECT "table_id", "begin_snapshot", "data_file_id", "path", "path_is_relative", "file_size_bytes", "footer_size" FROM "public"."ducklake_delete_file" WHERE "table_id" = '1') TO STDOUT (FORMAT "binary")
;
COPY (SELECT "column_id", "table_id", "data_file_id", "min_value", "max_value" FROM "public"."ducklake_file_column_stats" WHERE "column_id" = '1' AND "table_id" = '1') TO STDOUT (FORMAT "binary")
;
COPY (SELECT "column_id", "table_id", "data_file_id", "min_value" FROM "public"."ducklake_file_column_stats" WHERE "column_id" = '1' AND "table_id" = '3') TO STDOUT (FORMAT "binary")
;
COPY (SELECT "column_id", "table_id", "data_file_id", "contains_nan", "max_value" FROM "public"."ducklake_file_column_stats" WHERE "column_id" = '1' AND "table_id" = '1') TO STDOUT (FORMAT "binary")
;
COPY (SELECT "key", "scope" FROM "public"."ducklake_metadata" WHERE "key" = 'target_file_size') TO STDOUT (FORMAT "binary")
;
COPY (SELECT "table_id", "begin_snapshot", "data_file_id", "path", "path_is_relative", "file_size_bytes", "footer_size" FROM "public"."ducklake_delete_file" WHERE "table_id" = '1' AND ("begin_snapshot" >= '2' AND "begin_snapshot" <= '2')) TO STDOUT (FORMAT "binary")
;
COPY (SELECT "table_id", "end_snapshot", "data_file_id", "path", "path_is_relative", "record_count", "file_size_bytes", "footer_size", "row_id_start", "mapping_id" FROM "public"."ducklake_data_file" ) TO STDOUT (FORMAT "binary")
;
COPY (SELECT "snapshot_id", "snapshot_time", "schema_version" FROM "public"."ducklake_snapshot" ) TO STDOUT (FORMAT "binary")
;
COPY (SELECT ctid FROM "public"."ducklake_inlined_data_2_7" ) TO STDOUT (FORMAT "binary")
;
COPY (SELECT "column_id", "table_id", "data_file_id", "max_value" FROM "public"."ducklake_file_column_stats" WHERE "column_id" = '1' AND "table_id" = '1') TO STDOUT (FORMAT "binary")
;
COPY (SELECT "key", "scope", ctid FROM "public"."ducklake_metadata" WHERE "key" = 'compaction_table') TO STDOUT (FORMAT "binary")
;
COPY (SELECT "snapshot_id", "snapshot_time", "schema_version" FROM "public"."ducklake_snapshot" WHERE "snapshot_time" < '2026-11-23 03:53:02.43425+00') TO STDOUT (FORMAT "binary")
;
COPY (SELECT "column_id", "table_id", "data_file_id", "contains_nan" FROM "public"."ducklake_file_column_stats" WHERE "column_id" = '1' AND "table_id" = '1') TO STDOUT (FORMAT "binary")
;
COPY (SELECT "snapshot_id", "snapshot_time", "schema_version" FROM "public"."ducklake_snapshot" WHERE "snapshot_id" = '3') TO STDOUT (FORMAT "binary")
;
COPY (SELECT "snapshot_id", "snapshot_time", "schema_version" FROM "public"."ducklake_snapshot" WHERE ("snapshot_id" >= '0' AND "snapshot_id" <= '2')) TO STDOUT (FORMAT "binary")
;
COPY (SELECT "snapshot_time", "snapshot_id" FROM "public"."ducklake_snapshot" WHERE "snapshot_time" <= '2026-11-30 03:54:40.85361+00') TO STDOUT (FORMAT "binary")
;
COPY (SELECT "table_id", "begin_snapshot", "end_snapshot", "data_file_id", "path", "path_is_relative", "file_size_bytes", "footer_size", "encryption_key" FROM "public"."ducklake_delete_file" WHERE "table_id" = '1' AND "begin_snapshot" <= '2') TO STDOUT (FORMAT "binary")
;
COPY (SELECT "table_id", "begin_snapshot", "end_snapshot", "schema_id", "table_name", "table_uuid" FROM "public"."ducklake_table" ) TO STDOUT (FORMAT "binary")
;
COPY (SELECT "data_file_id", "begin_snapshot", "end_snapshot" FROM "public"."ducklake_data_file" ) TO STDOUT (FORMAT "binary")
;
COPY (SELECT "column_id", "data_file_id", "min_value", "max_value" FROM "public"."ducklake_file_column_stats" WHERE "column_id" = '2') TO STDOUT (FORMAT "binary")
;
COPY (SELECT "data_file_id", "delete_file_id", "begin_snapshot", "end_snapshot" FROM "public"."ducklake_delete_file" ) TO STDOUT (FORMAT "binary")
;
COPY (SELECT "snapshot_time", "snapshot_id" FROM "public"."ducklake_snapshot" WHERE "snapshot_time" >= '1970-01-01 00:00:00+00') TO STDOUT (FORMAT "binary")
;
COPY (SELECT "table_id", "delete_file_id", "begin_snapshot", "end_snapshot", "data_file_id", "path", "path_is_relative", "delete_count", "file_size_bytes", "footer_size", "encryption_key" FROM "public"."ducklake_delete_file" WHERE "table_id" = '1') TO STDOUT (FORMAT "binary")
;
COPY (SELECT "snapshot_id", "snapshot_time", "schema_version" FROM "public"."ducklake_snapshot" WHERE "snapshot_id" IN ('1', '2', '4')) TO STDOUT (FORMAT "binary")
;
INSERT INTO "public".ducklake_schema_versions VALUES (1,1)
;
INSERT INTO "public".ducklake_column VALUES (4, 3, NULL, 1, 4, 'k', 'int8', NULL, NULL, true, 1)
;
INSERT INTO "public".ducklake_column VALUES (4, 3, NULL, 1, 4, 'c1', 'int32', NULL, NULL, false, 3),(8, 3, NULL, 1, 8, 'c3', 'int8', NULL, NULL, true, 3)
;
INSERT INTO "public".ducklake_delete_file VALUES (2, 1, 4, NULL, 0, 'ducklake-01a22a95-b15d-70a1-a841-2b19c59f8dcc-delete.parquet', true, 'parquet', 2, 879, 679, NULL)
;
INSERT INTO "public".ducklake_delete_file VALUES (3, 1, 2, NULL, 1, 'ducklake-01a22a97-787c-7162-a59c-2527cc25a881-delete.parquet', true, 'parquet', 2, 941, 731, NULL),(4, 1, 2, NULL, 0, 'ducklake-01a22a97-787d-7728-bf8c-e029b9ec7246-delete.parquet', true, 'parquet', 3, 949, 731, NULL)
;
UPDATE "public".ducklake_delete_file SET end_snapshot = 2 WHERE end_snapshot IS NULL AND data_file_id IN (0)
;
WITH new_values(tid, cid, new_contains_null, new_contains_nan, new_min, new_max, new_extra_stats) AS (
VALUES (1, 2, NULL, NULL, 'i', 'j', NULL),(1, 3, NULL, NULL, '1', '6', NULL)
)
UPDATE "public".ducklake_table_column_stats
SET contains_null=new_contains_null::boolean, contains_nan=new_contains_nan::boolean, min_value=new_min, max_value=new_max, extra_stats=new_extra_stats
FROM new_values
WHERE table_id=tid AND column_id=cid
;
WITH new_values(tid, cid, new_contains_null, new_contains_nan, new_min, new_max, new_extra_stats) AS (
VALUES (1, 1, true, NULL, '1', '3', NULL)
)
UPDATE "public".ducklake_table_column_stats
SET contains_null=new_contains_null::boolean, contains_nan=new_contains_nan::boolean, min_value=new_min, max_value=new_max, extra_stats=new_extra_stats
FROM new_values
WHERE table_id=tid AND column_id=cid
;
WITH overwritten_tags(tid, key) AS (
VALUES (1, 'comment')
)
UPDATE "public".ducklake_tag
SET end_snapshot = 2
FROM overwritten_tags
WHERE object_id=tid
;
WITH deleted_row_list(deleted_row_id) AS (
VALUES (0)
)
UPDATE "public".ducklake_inlined_data_2_7
SET end_snapshot = 2
FROM deleted_row_list
WHERE row_id=deleted_row_id
;
WITH deleted_row_list(deleted_row_id) AS (
VALUES (24), (25)
)
UPDATE "public".ducklake_inlined_data_2_7
SET end_snapshot = 7
FROM deleted_row_list
WHERE row_id=deleted_row_id
;
WITH overwritten_tags(tid, cid, key) AS (
VALUES (1, 1, 'comment')
)
UPDATE "public".ducklake_column_tag
SET end_snapshot = 2
FROM overwritten_tags
WHERE table_id=tid AND column_id=cid
