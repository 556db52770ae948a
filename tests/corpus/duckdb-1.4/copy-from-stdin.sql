-- statement
COPY "public"."ducklake_schema_versions" FROM STDIN (FORMAT BINARY)
