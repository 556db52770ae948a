-- statement
COPY (SELECT "data_file_id", "table_id", "begin_snapshot", "end_snapshot", "path", "path_is_relative", "file_size_bytes", "footer_size", "row_id_start", "partial_max", "mapping_id" FROM "public"."ducklake_data_file" WHERE ctid BETWEEN '(0,0)'::tid AND '(1000,0)'::tid AND "table_id" = '1' AND "begin_snapshot" <= '2') TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "table_id", "begin_snapshot", "end_snapshot", "record_count" FROM "public"."ducklake_data_file" WHERE ctid BETWEEN '(0,0)'::tid AND '(1000,0)'::tid AND "table_id" = '1' AND "begin_snapshot" <= '2') TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "snapshot_id" FROM "public"."ducklake_snapshot" WHERE ctid BETWEEN '(0,0)'::tid AND '(4294967295,0)'::tid) TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "data_file_id", "begin_snapshot", "end_snapshot" FROM "public"."ducklake_data_file" WHERE ctid BETWEEN '(0,0)'::tid AND '(1000,0)'::tid AND "begin_snapshot" <= '2') TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT NULL FROM "public"."ducklake_data_file" WHERE ctid BETWEEN '(0,0)'::tid AND '(1000,0)'::tid) TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "data_file_id", "record_count" FROM "public"."ducklake_data_file" WHERE ctid BETWEEN '(0,0)'::tid AND '(1000,0)'::tid AND "data_file_id" > '5') TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "data_file_id", "table_id", "begin_snapshot", "end_snapshot", "record_count", "path", "path_is_relative", "file_size_bytes", "footer_size", "row_id_start", "mapping_id" FROM "public"."ducklake_data_file" WHERE ctid BETWEEN '(0,0)'::tid AND '(1000,0)'::tid AND "table_id" = '1' AND "begin_snapshot" <= '3') TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "table_id", "begin_snapshot", "end_snapshot", "file_size_bytes" FROM "public"."ducklake_data_file" WHERE ctid BETWEEN '(0,0)'::tid AND '(1000,0)'::tid AND "begin_snapshot" <= '4') TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "table_id", "column_id", "contains_null", "contains_nan", "min_value", "max_value", "extra_stats" FROM "public"."ducklake_table_column_stats" WHERE ctid BETWEEN '(0,0)'::tid AND '(4294967295,0)'::tid AND "table_id" = '1') TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "table_id", "record_count", "file_size_bytes", "next_row_id" FROM "public"."ducklake_table_stats" WHERE ctid BETWEEN '(0,0)'::tid AND '(4294967295,0)'::tid AND "table_id" = '1') TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "schema_id", "path", "path_is_relative" FROM "public"."ducklake_schema" WHERE ctid BETWEEN '(0,0)'::tid AND '(4294967295,0)'::tid) TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "schema_id", "table_id", "path", "path_is_relative" FROM "public"."ducklake_table" WHERE ctid BETWEEN '(0,0)'::tid AND '(4294967295,0)'::tid AND "table_id" = '1') TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "schedule_start", "data_file_id", "path", "path_is_relative" FROM "public"."ducklake_files_scheduled_for_deletion" WHERE ctid BETWEEN '(0,0)'::tid AND '(1000,0)'::tid AND "schedule_start" < '2026-11-28 03:48:13.285683+00') TO STDOUT (FORMAT "binary")
-- statement
SELECT relname, relpages FROM pg_class WHERE relname LIKE 'ducklake_%' AND relpages > 0 ORDER BY 2 DESC LIMIT 5
-- statement
SELECT pg_is_in_recovery(), pg_export_snapshot(), (select count(*) from pg_stat_wal_receiver)
-- statement
SET TRANSACTION SNAPSHOT '00000003-0000B455-1'
