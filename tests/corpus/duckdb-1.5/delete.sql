-- statement
DELETE FROM "public".ducklake_inlined_data_1_1 WHERE begin_snapshot <= 4
-- statement
DELETE FROM "public".ducklake_data_file
WHERE data_file_id IN (0, 2)
-- statement
DELETE FROM "public".ducklake_file_column_stats
WHERE data_file_id IN (0, 2)
-- statement
DELETE FROM "public".ducklake_delete_file
WHERE data_file_id IN (0, 2)
-- statement
DELETE FROM "public".ducklake_file_partition_value
WHERE data_file_id IN (0, 2)
-- statement
DELETE FROM "public".ducklake_file_variant_stats
WHERE data_file_id IN (0, 2)
-- statement
DELETE FROM "public".ducklake_delete_file
WHERE delete_file_id IN (1)
