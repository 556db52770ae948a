-- statement
COPY "public"."ducklake_metadata" FROM STDIN (FORMAT TEXT, NULL '')
-- statement
COPY "public"."ducklake_files_scheduled_for_deletion" FROM STDIN (FORMAT TEXT, NULL '')
-- statement
COPY "public"."ducklake_snapshot" FROM STDIN (FORMAT TEXT, NULL '')
-- statement
COPY "public"."ducklake_snapshot_changes" FROM STDIN (FORMAT TEXT, NULL '')
-- statement
COPY "public"."ducklake_metadata" ("key", "value") FROM STDIN (FORMAT TEXT, NULL '')
-- statement
COPY "public"."ducklake_schema" FROM STDIN (FORMAT TEXT, NULL '')
