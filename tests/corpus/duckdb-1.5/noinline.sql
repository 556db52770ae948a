-- statement
UPDATE "public".ducklake_data_file SET end_snapshot = 5 WHERE end_snapshot IS NULL AND data_file_id IN (0)
-- statement
COPY (SELECT "table_id", "table_name" FROM "public"."ducklake_inlined_data_tables" WHERE "table_id" IN ('3', '3', '11')) TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "table_id", ctid FROM "public"."ducklake_inlined_data_tables" WHERE "table_id" IN ('3', '3', '11')) TO STDOUT (FORMAT "binary")
