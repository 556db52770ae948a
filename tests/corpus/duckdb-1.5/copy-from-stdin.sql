-- statement
COPY "public"."ducklake_snapshot_changes" FROM STDIN (FORMAT BINARY)
-- statement
COPY "public"."ducklake_snapshot" FROM STDIN (FORMAT BINARY)
-- statement
COPY "public"."ducklake_metadata" ("key", "value") FROM STDIN (FORMAT BINARY)
-- statement
COPY "public"."ducklake_schema" FROM STDIN (FORMAT BINARY)
-- statement
COPY "public"."ducklake_metadata" FROM STDIN (FORMAT BINARY)
-- statement
COPY "update_data_a1466a79-bb03-4a9d-a449-acef3cd60453" FROM STDIN (FORMAT TEXT, NULL '')
-- statement
COPY "public"."ducklake_files_scheduled_for_deletion" FROM STDIN (FORMAT BINARY)
-- statement
COPY "public"."ducklake_tag" FROM STDIN (FORMAT BINARY)
-- statement
COPY "public"."ducklake_column_tag" FROM STDIN (FORMAT BINARY)
-- statement
COPY "public"."ducklake_table_stats" FROM STDIN (FORMAT BINARY)
