-- statement
UPDATE "public".ducklake_delete_file SET end_snapshot = 2 WHERE end_snapshot IS NULL AND data_file_id IN (0)
