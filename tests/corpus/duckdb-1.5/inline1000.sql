-- statement
WITH deleted_row_list(deleted_row_id) AS (
VALUES (13), (14), (15), (16), (17), (18), (19), (20), (21), (22), (23), (24), (25), (26), (27), (28), (29), (30), (31), (32), (33)
)
UPDATE "public".ducklake_inlined_data_1_1
SET end_snapshot = 7
FROM deleted_row_list
WHERE row_id=deleted_row_id AND end_snapshot IS NULL AND begin_snapshot != 7
-- statement
COPY (SELECT "data_file_id", "partition_value", "partition_key_index" FROM "public"."ducklake_file_partition_value" ) TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "table_id", "delete_file_id", "begin_snapshot", "end_snapshot", "data_file_id", "path", "path_is_relative", "format", "delete_count", "file_size_bytes", "footer_size", "partial_max" FROM "public"."ducklake_delete_file" WHERE "table_id" = '3') TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "begin_snapshot", "data_file_id", "table_id", "file_size_bytes", "end_snapshot", "record_count", "row_id_start", "mapping_id", "partial_max", "partition_id", "path", "path_is_relative", "footer_size" FROM "public"."ducklake_data_file" WHERE "table_id" = '3' AND "file_size_bytes" < '2000000') TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "table_id", "begin_snapshot", "partial_max", "path", "path_is_relative", "file_size_bytes", "footer_size", "row_id_start", "mapping_id" FROM "public"."ducklake_data_file" WHERE "table_id" = '1' AND "begin_snapshot" <= '5') TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "table_id", "begin_snapshot", "data_file_id", "path", "path_is_relative", "file_size_bytes", "footer_size", "format" FROM "public"."ducklake_delete_file" WHERE "table_id" = '1' AND "begin_snapshot" <= '5') TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "table_id", "data_file_id", "path", "path_is_relative", "record_count", "file_size_bytes", "footer_size", "row_id_start", "mapping_id" FROM "public"."ducklake_data_file" WHERE "table_id" = '1') TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "table_id", "begin_snapshot", "data_file_id", "path", "path_is_relative", "file_size_bytes", "footer_size", "format" FROM "public"."ducklake_delete_file" WHERE "table_id" = '1' AND "begin_snapshot" < '1') TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "table_id", "end_snapshot", "data_file_id", "path", "path_is_relative", "record_count", "file_size_bytes", "footer_size", "row_id_start", "mapping_id" FROM "public"."ducklake_data_file" WHERE "table_id" = '1' AND ("end_snapshot" >= '1' AND "end_snapshot" <= '5')) TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "table_id", "begin_snapshot", "data_file_id", "path", "path_is_relative", "file_size_bytes", "footer_size", "format" FROM "public"."ducklake_delete_file" WHERE "table_id" = '1') TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "begin_snapshot", "k", "end_snapshot", "v", "row_id" FROM "public"."ducklake_inlined_data_3_12" WHERE ctid BETWEEN '(0,0)'::tid AND '(4294967295,0)'::tid AND "begin_snapshot" <= '32' AND "k" = '0') TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "begin_snapshot", "data_file_id", "table_id", "end_snapshot", "record_count", "row_id_start", "mapping_id", "partial_max", "partition_id", "path", "path_is_relative", "file_size_bytes", "footer_size" FROM "public"."ducklake_data_file" WHERE "table_id" = '1') TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "path_is_relative", "path" FROM "public"."ducklake_files_scheduled_for_deletion" ) TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "path", "path_is_relative", "table_id" FROM "public"."ducklake_data_file" ) TO STDOUT (FORMAT "binary")
