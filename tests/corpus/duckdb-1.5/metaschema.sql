-- statement
INSERT INTO "my_meta".ducklake_snapshot VALUES (1, NOW(), 1, 2, 0)
-- statement
INSERT INTO "my_meta".ducklake_snapshot_changes VALUES (9, 'altered_table:1', NULL, NULL, NULL)
-- statement
UPDATE "my_meta".ducklake_table_stats SET record_count=3, file_size_bytes=0, next_row_id=3 WHERE table_id=1
