-- statement
SELECT "object_id", "begin_snapshot", "end_snapshot", "key", "value" FROM "public"."ducklake_tag" WHERE "begin_snapshot" <= '0'
-- statement
SELECT "snapshot_id", "schema_version", "next_catalog_id", "next_file_id" FROM (SELECT snapshot_id, schema_version, next_catalog_id, next_file_id
		 FROM "public".ducklake_snapshot WHERE snapshot_id = (
		     SELECT MAX(snapshot_id) FROM "public".ducklake_snapshot
		 )) AS __unnamed_subquery
-- statement
SELECT "table_id", "schema_version", "begin_snapshot" FROM "public"."ducklake_schema_versions" WHERE "table_id" = '1' AND "schema_version" = '1'
-- statement
SELECT "begin_snapshot", "end_snapshot", "schema_id", "schema_uuid", "schema_name", "path", "path_is_relative" FROM "public"."ducklake_schema" WHERE "begin_snapshot" <= '0'
-- statement
SELECT "table_id", "begin_snapshot", "end_snapshot", "schema_id", "table_uuid", "table_name", "path", "path_is_relative" FROM "public"."ducklake_table" WHERE "begin_snapshot" <= '0'
-- statement
SELECT "table_id", "begin_snapshot", "end_snapshot", "column_id", "column_name", "column_type", "initial_default", "default_value", "nulls_allowed", "parent_column", "default_value_type", "column_order" FROM "public"."ducklake_column"
-- statement
SELECT "table_id", "table_name", "schema_version" FROM "public"."ducklake_inlined_data_tables"
-- statement
SELECT "table_id", "column_id", "begin_snapshot", "end_snapshot", "key", "value" FROM "public"."ducklake_column_tag" WHERE "begin_snapshot" <= '0'
-- statement
SELECT "begin_snapshot", "end_snapshot", "view_id", "view_uuid", "schema_id", "view_name", "dialect", "sql", "column_aliases" FROM "public"."ducklake_view" WHERE "begin_snapshot" <= '0'
-- statement
SELECT "begin_snapshot", "end_snapshot", "schema_id", "macro_id", "macro_name" FROM "public"."ducklake_macro" WHERE "begin_snapshot" <= '0'
-- statement
SELECT "macro_id", "dialect", "sql", "type", "impl_id" FROM "public"."ducklake_macro_impl"
-- statement
SELECT "macro_id", "impl_id", "parameter_name", "parameter_type", "default_value", "default_value_type" FROM "public"."ducklake_macro_parameters"
-- statement
SELECT "partition_id", "begin_snapshot", "end_snapshot", "table_id" FROM "public"."ducklake_partition_info" WHERE "begin_snapshot" <= '0'
-- statement
SELECT "partition_id", "partition_key_index", "column_id", "transform" FROM "public"."ducklake_partition_column"
