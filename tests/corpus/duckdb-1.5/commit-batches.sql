-- statement
INSERT INTO "public".ducklake_snapshot VALUES (4, NOW(), 2, 3, 2);UPDATE "public".ducklake_table_stats SET record_count=4, file_size_bytes=0, next_row_id=4 WHERE table_id=1;
WITH new_values(tid, cid, new_contains_null, new_contains_nan, new_min, new_max, new_extra_stats) AS (
VALUES (1, 1, false, NULL, '5', '6', NULL),(1, 2, false, NULL, '1', '3', NULL),(1, 3, false, NULL, '1', '3', NULL)
)
UPDATE "public".ducklake_table_column_stats
SET contains_null=CAST(new_contains_null AS BOOLEAN), contains_nan=CAST(new_contains_nan AS BOOLEAN), min_value=new_min, max_value=new_max, extra_stats=new_extra_stats
FROM new_values
WHERE table_id=tid AND column_id=cid;
INSERT INTO "public".ducklake_inlined_data_1_2 VALUES (2, 4, NULL, 5, 2, 1), (3, 4, NULL, 6, 3, 3);INSERT INTO "public".ducklake_snapshot_changes VALUES (4, 'inlined_insert:1', NULL, NULL, NULL);
-- statement
INSERT INTO "public".ducklake_snapshot VALUES (1, NOW(), 1, 2, 0);INSERT INTO "public".ducklake_table VALUES (1, '01a22a8f-22db-78c2-a53d-57d1198eee88', 1, NULL, 0, 'test', 'test/', true);INSERT INTO "public".ducklake_column VALUES (1, 1, NULL, 1, 1, 'array', 'int32', NULL, 'NULL', true, NULL, 'literal', 'duckdb'),(2, 1, NULL, 1, 2, 'element', 'int32', NULL, 'NULL', true, NULL, 'literal', 'duckdb'),(3, 1, NULL, 1, 3, 'my_list', 'list', NULL, 'NULL', true, NULL, '', 'duckdb'),(4, 1, NULL, 1, 4, 'element', 'int32', NULL, 'NULL', true, 3, 'literal', 'duckdb');INSERT INTO "public".ducklake_inlined_data_tables VALUES (1, 'ducklake_inlined_data_1_1', 1);CREATE TABLE IF NOT EXISTS "public".ducklake_inlined_data_1_1(row_id BIGINT, begin_snapshot BIGINT, end_snapshot BIGINT, "array" INTEGER, element INTEGER, my_list VARCHAR);INSERT INTO "public".ducklake_schema_versions VALUES (1,1,1);INSERT INTO "public".ducklake_snapshot_changes VALUES (1, 'created_table:"main"."test"', NULL, NULL, NULL);
-- statement
INSERT INTO "public".ducklake_snapshot VALUES (2, NOW(), 1, 2, 2);INSERT INTO "public".ducklake_column_mapping VALUES (0, 1, 'map_by_name');INSERT INTO "public".ducklake_name_mapping VALUES (0, 0, 'array', 1, NULL, false), (0, 1, 'element', 2, NULL, false), (0, 2, 'my_list', 3, NULL, false), (0, 3, 'list', 4, 2, false);INSERT INTO "public".ducklake_table_stats VALUES (1, 1, 1, 478);INSERT INTO "public".ducklake_table_column_stats VALUES (1, 1, false, NULL, '1', '1', NULL),(1, 2, false, NULL, '2', '2', NULL),(1, 4, false, NULL, '1', '3', NULL);INSERT INTO "public".ducklake_data_file VALUES (1, 1, 2, NULL, NULL, '/data/array_element_cols.parquet', false, 'parquet', 1, 478, 360, 0, NULL, NULL, 0, NULL);INSERT INTO "public".ducklake_file_column_stats VALUES (1, 1, 1, 29, 1, 0, '1', '1', NULL, NULL),(1, 1, 2, 29, 1, 0, '2', '2', NULL, NULL),(1, 1, 4, 48, 3, 0, '1', '3', NULL, NULL);INSERT INTO "public".ducklake_snapshot_changes VALUES (2, 'inserted_into_table:1', NULL, NULL, NULL);
-- statement
BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ;

SELECT oid, nspname
FROM pg_namespace

ORDER BY oid;

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
ORDER BY namespace_id, relname, attnum, constraint_id;

SELECT n.oid, enumtypid, typname, enumlabel
FROM pg_enum e
JOIN pg_type t ON e.enumtypid = t.oid
JOIN pg_namespace AS n ON (typnamespace=n.oid)

ORDER BY n.oid, enumtypid, enumsortorder;

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

ORDER BY n.oid, t.oid, attrelid, attnum;

SELECT pg_namespace.oid, tablename, indexname
FROM pg_indexes
JOIN pg_namespace ON (schemaname=nspname)

ORDER BY pg_namespace.oid;
-- statement
INSERT INTO "public".ducklake_snapshot VALUES (5, NOW(), 2, 3, 5);UPDATE "public".ducklake_table_stats SET record_count=4, file_size_bytes=2483, next_row_id=4 WHERE table_id=1;
WITH new_values(tid, cid, new_contains_null, new_contains_nan, new_min, new_max, new_extra_stats) AS (
VALUES (1, 1, false, NULL, '5', '6', NULL),(1, 2, false, NULL, '1', '3', NULL),(1, 3, false, NULL, '1', '3', NULL)
)
UPDATE "public".ducklake_table_column_stats
SET contains_null=CAST(new_contains_null AS BOOLEAN), contains_nan=CAST(new_contains_nan AS BOOLEAN), min_value=new_min, max_value=new_max, extra_stats=new_extra_stats
FROM new_values
WHERE table_id=tid AND column_id=cid;
INSERT INTO "public".ducklake_data_file VALUES (2, 1, 3, NULL, NULL, 'partition_column=1/ducklake-01a22a8f-27a0-77ed-9366-20607c1830cb.parquet', true, 'parquet', 2, 847, 654, 0, 2, NULL, NULL, 3),(3, 1, 4, NULL, NULL, 'partition_column=2/ducklake-01a22a8f-27a1-7f5e-abd0-ae0a8379023d.parquet', true, 'parquet', 1, 818, 653, 2, 2, NULL, NULL, 4),(4, 1, 4, NULL, NULL, 'partition_column=3/ducklake-01a22a8f-27a1-740e-9f3d-d15996271146.parquet', true, 'parquet', 1, 818, 653, 3, 2, NULL, NULL, 4);INSERT INTO "public".ducklake_file_column_stats VALUES (2, 1, 1, 33, 2, 0, '5', '6', NULL, NULL),(2, 1, 2, 33, 2, 0, '1', '1', NULL, NULL),(2, 1, 3, 33, 2, 0, '2', '2', NULL, NULL),(3, 1, 1, 29, 1, 0, '5', '5', NULL, NULL),(3, 1, 2, 29, 1, 0, '2', '2', NULL, NULL),(3, 1, 3, 29, 1, 0, '1', '1', NULL, NULL),(4, 1, 1, 29, 1, 0, '6', '6', NULL, NULL),(4, 1, 2, 29, 1, 0, '3', '3', NULL, NULL),(4, 1, 3, 29, 1, 0, '3', '3', NULL, NULL);INSERT INTO "public".ducklake_file_partition_value VALUES (2, 1, 0, '1'),(3, 1, 0, '2'),(4, 1, 0, '3');DELETE FROM "public".ducklake_inlined_data_1_1 WHERE begin_snapshot <= 4;
DELETE FROM "public".ducklake_inlined_data_1_2 WHERE begin_snapshot <= 4;
INSERT INTO "public".ducklake_snapshot_changes VALUES (5, 'inline_flush:1', NULL, NULL, NULL);
-- statement
INSERT INTO "public".ducklake_snapshot VALUES (3, NOW(), 2, 2, 2);UPDATE "public".ducklake_table SET end_snapshot = 3 WHERE end_snapshot IS NULL AND table_id IN (1);UPDATE "public".ducklake_partition_info SET end_snapshot = 3 WHERE end_snapshot IS NULL AND table_id IN (1);UPDATE "public".ducklake_column SET end_snapshot = 3 WHERE end_snapshot IS NULL AND table_id IN (1);UPDATE "public".ducklake_column_tag SET end_snapshot = 3 WHERE end_snapshot IS NULL AND table_id IN (1);UPDATE "public".ducklake_data_file SET end_snapshot = 3 WHERE end_snapshot IS NULL AND table_id IN (1);UPDATE "public".ducklake_delete_file SET end_snapshot = 3 WHERE end_snapshot IS NULL AND table_id IN (1);UPDATE "public".ducklake_tag SET end_snapshot = 3 WHERE end_snapshot IS NULL AND object_id IN (1);UPDATE "public".ducklake_sort_info SET end_snapshot = 3 WHERE end_snapshot IS NULL AND table_id IN (1);INSERT INTO "public".ducklake_snapshot_changes VALUES (3, 'dropped_table:1', NULL, NULL, NULL);
