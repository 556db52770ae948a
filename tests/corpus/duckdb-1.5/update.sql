-- statement
UPDATE "public".ducklake_table_stats SET record_count=4, file_size_bytes=0, next_row_id=4 WHERE table_id=1
-- statement
UPDATE "public".ducklake_partition_info
SET end_snapshot = 2
WHERE table_id IN (1) AND end_snapshot IS NULL
-- statement
UPDATE "public".ducklake_tag SET end_snapshot = 2 WHERE end_snapshot IS NULL AND object_id IN (1)
-- statement
UPDATE "public".ducklake_table SET end_snapshot = 2 WHERE end_snapshot IS NULL AND table_id IN (1)
-- statement
UPDATE "public".ducklake_sort_info
SET end_snapshot = 6
WHERE table_id IN (1) AND end_snapshot IS NULL
-- statement
UPDATE "public".ducklake_partition_info SET end_snapshot = 2 WHERE end_snapshot IS NULL AND table_id IN (1)
-- statement
UPDATE "public".ducklake_column SET end_snapshot = 2 WHERE end_snapshot IS NULL AND table_id IN (1)
-- statement
UPDATE "public".ducklake_column_tag SET end_snapshot = 2 WHERE end_snapshot IS NULL AND table_id IN (1)
-- statement
UPDATE "public".ducklake_data_file SET end_snapshot = 2 WHERE end_snapshot IS NULL AND table_id IN (1)
-- statement
UPDATE "public".ducklake_delete_file SET end_snapshot = 2 WHERE end_snapshot IS NULL AND table_id IN (1)
-- statement
UPDATE "public".ducklake_sort_info SET end_snapshot = 2 WHERE end_snapshot IS NULL AND table_id IN (1)
-- statement
UPDATE "public".ducklake_data_file SET end_snapshot = 5
		WHERE data_file_id = 1
-- statement
UPDATE "public".ducklake_data_file SET begin_snapshot = 7
				WHERE data_file_id = 5
-- statement
UPDATE "public".ducklake_delete_file SET end_snapshot = 5
				WHERE delete_file_id = 2
-- statement
UPDATE "public".ducklake_view SET end_snapshot = 7 WHERE end_snapshot IS NULL AND view_id IN (3)
-- statement
UPDATE "public".ducklake_data_file SET end_snapshot = 3 WHERE end_snapshot IS NULL AND data_file_id IN (0)
-- statement
UPDATE "public".ducklake_schema SET end_snapshot = 3 WHERE end_snapshot IS NULL AND schema_id IN (1)
-- statement
UPDATE "public".ducklake_macro SET end_snapshot = 3 WHERE end_snapshot IS NULL AND macro_id IN (2)
