-- statement
COPY (SELECT "data_file_id", "table_id", "begin_snapshot", "end_snapshot", "path", "path_is_relative", "file_size_bytes", "footer_size", "encryption_key", "row_id_start", "partial_max", "mapping_id" FROM "public"."ducklake_data_file" WHERE "table_id" = '1' AND "begin_snapshot" <= '3') TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "table_id", "begin_snapshot", "end_snapshot", "data_file_id", "path", "path_is_relative", "format", "file_size_bytes", "footer_size", "encryption_key" FROM "public"."ducklake_delete_file" WHERE "table_id" = '1' AND "begin_snapshot" <= '3') TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "table_id", "delete_file_id", "begin_snapshot", "end_snapshot", "data_file_id", "path", "path_is_relative", "format", "delete_count", "file_size_bytes", "footer_size", "encryption_key", "partial_max" FROM "public"."ducklake_delete_file" WHERE ctid BETWEEN '(0,0)'::tid AND '(4294967295,0)'::tid AND "table_id" = '3') TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "table_id", "begin_snapshot", "end_snapshot", "delete_file_id", "data_file_id", "path", "path_is_relative", "format", "file_size_bytes", "footer_size", "encryption_key" FROM "public"."ducklake_delete_file" WHERE "table_id" = '1' AND "begin_snapshot" <= '3') TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "data_file_id", "table_id", "begin_snapshot", "end_snapshot", "record_count", "path", "path_is_relative", "file_size_bytes", "footer_size", "encryption_key", "row_id_start", "mapping_id" FROM "public"."ducklake_data_file" WHERE "table_id" = '1' AND "begin_snapshot" <= '3') TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "data_file_id", "table_id", "begin_snapshot", "end_snapshot", "path", "path_is_relative", "file_size_bytes", "footer_size", "encryption_key", "row_id_start", "partial_max", "mapping_id" FROM "public"."ducklake_data_file" WHERE ctid BETWEEN '(0,0)'::tid AND '(4294967295,0)'::tid AND "table_id" = '1' AND "begin_snapshot" <= '3') TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "table_id", "begin_snapshot", "end_snapshot", "data_file_id", "path", "path_is_relative", "format", "file_size_bytes", "footer_size", "encryption_key" FROM "public"."ducklake_delete_file" WHERE ctid BETWEEN '(0,0)'::tid AND '(4294967295,0)'::tid AND "table_id" = '1' AND "begin_snapshot" <= '3') TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "begin_snapshot", "data_file_id", "table_id", "file_size_bytes", "end_snapshot", "record_count", "row_id_start", "mapping_id", "partial_max", "partition_id", "path", "path_is_relative", "footer_size", "encryption_key" FROM "public"."ducklake_data_file" WHERE ctid BETWEEN '(0,0)'::tid AND '(4294967295,0)'::tid AND "table_id" = '3' AND "file_size_bytes" < '2000000') TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "table_id", "begin_snapshot", "data_file_id", "path", "path_is_relative", "file_size_bytes", "footer_size", "encryption_key", "format" FROM "public"."ducklake_delete_file" WHERE ctid BETWEEN '(0,0)'::tid AND '(4294967295,0)'::tid AND "table_id" = '1' AND "begin_snapshot" <= '5') TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "table_id", "data_file_id", "path", "path_is_relative", "record_count", "file_size_bytes", "footer_size", "row_id_start", "encryption_key", "mapping_id" FROM "public"."ducklake_data_file" WHERE ctid BETWEEN '(0,0)'::tid AND '(4294967295,0)'::tid AND "table_id" = '1') TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "table_id", "begin_snapshot", "data_file_id", "path", "path_is_relative", "file_size_bytes", "footer_size", "encryption_key", "format" FROM "public"."ducklake_delete_file" WHERE ctid BETWEEN '(0,0)'::tid AND '(4294967295,0)'::tid AND "table_id" = '1' AND "begin_snapshot" < '1') TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "table_id", "end_snapshot", "data_file_id", "path", "path_is_relative", "record_count", "file_size_bytes", "footer_size", "row_id_start", "encryption_key", "mapping_id" FROM "public"."ducklake_data_file" WHERE ctid BETWEEN '(0,0)'::tid AND '(4294967295,0)'::tid AND "table_id" = '1' AND ("end_snapshot" >= '1' AND "end_snapshot" <= '5')) TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "table_id", "begin_snapshot", "data_file_id", "path", "path_is_relative", "file_size_bytes", "footer_size", "encryption_key", "format" FROM "public"."ducklake_delete_file" WHERE ctid BETWEEN '(0,0)'::tid AND '(4294967295,0)'::tid AND "table_id" = '1') TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "table_id", "begin_snapshot", "partial_max", "path", "path_is_relative", "file_size_bytes", "footer_size", "encryption_key", "row_id_start", "mapping_id" FROM "public"."ducklake_data_file" WHERE ctid BETWEEN '(0,0)'::tid AND '(4294967295,0)'::tid AND "table_id" = '1' AND "begin_snapshot" <= '5') TO STDOUT (FORMAT "binary")
