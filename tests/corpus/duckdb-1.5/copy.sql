-- statement
COPY (SELECT "snapshot_id", "schema_version", "next_catalog_id", "next_file_id" FROM (SELECT snapshot_id, schema_version, next_catalog_id, next_file_id
		 FROM "public".ducklake_snapshot WHERE snapshot_id = (
		     SELECT MAX(snapshot_id) FROM "public".ducklake_snapshot
		 )) AS __unnamed_subquery ) TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "data_file_id", "value_count", "max_value", "min_value" FROM (SELECT data_file_id, value_count, max_value, min_value
     FROM "public".ducklake_file_column_stats
     WHERE column_id = 2 AND table_id = 1) AS __unnamed_subquery ) TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "data_file_id", "value_count", "min_value" FROM (SELECT data_file_id, value_count, min_value
     FROM "public".ducklake_file_column_stats
     WHERE column_id = 1 AND table_id = 3) AS __unnamed_subquery ) TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "data_file_id", "value_count", "min_value", "max_value" FROM (SELECT data_file_id, value_count, min_value, max_value
     FROM "public".ducklake_file_column_stats
     WHERE column_id = 1 AND table_id = 1) AS __unnamed_subquery ) TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "data_file_id", "value_count", "max_value" FROM (SELECT data_file_id, value_count, max_value
     FROM "public".ducklake_file_column_stats
     WHERE column_id = 1 AND table_id = 1) AS __unnamed_subquery ) TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "data_file_id", "value_count", "contains_nan", "max_value" FROM (SELECT data_file_id, value_count, contains_nan, max_value
     FROM "public".ducklake_file_column_stats
     WHERE column_id = 1 AND table_id = 1) AS __unnamed_subquery ) TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "data_file_id", "contains_nan" FROM (SELECT data_file_id, contains_nan
     FROM "public".ducklake_file_column_stats
     WHERE column_id = 1 AND table_id = 1) AS __unnamed_subquery ) TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "table_id", "begin_snapshot", "end_snapshot", "column_id", "column_name", "column_type", "initial_default", "default_value", "nulls_allowed", "parent_column", "default_value_type", "column_order" FROM "public"."ducklake_column" ) TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "table_id", "column_id" FROM "public"."ducklake_column" WHERE "table_id" = '1') TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "table_id", "column_name", "begin_snapshot", "end_snapshot" FROM "public"."ducklake_column" WHERE "column_name" = 'a' COLLATE "C") TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "table_id", ctid FROM "public"."ducklake_column" WHERE "table_id" IN ('1', '1', '1')) TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "table_id", ctid FROM "public"."ducklake_column" WHERE ("table_id" >= '2' AND "table_id" <= '4')) TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "mapping_id", "table_id", "type" FROM "public"."ducklake_column_mapping" WHERE "mapping_id" >= '0') TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "mapping_id", "table_id", "type" FROM "public"."ducklake_column_mapping" ) TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "table_id", ctid FROM "public"."ducklake_column_mapping" WHERE "table_id" = '1') TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "table_id", ctid FROM "public"."ducklake_column_mapping" WHERE "table_id" IN ('1', '1', '1')) TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "table_id", ctid FROM "public"."ducklake_column_mapping" WHERE ("table_id" >= '2' AND "table_id" <= '4')) TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "table_id", "column_id", "begin_snapshot", "end_snapshot", "key", "value" FROM "public"."ducklake_column_tag" WHERE "begin_snapshot" <= '0') TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "table_id", ctid FROM "public"."ducklake_column_tag" WHERE "table_id" = '1') TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "table_id", ctid FROM "public"."ducklake_column_tag" WHERE "table_id" IN ('1', '1', '1')) TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "key", "value", "end_snapshot" FROM "public"."ducklake_column_tag" ) TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "table_id", ctid FROM "public"."ducklake_column_tag" WHERE ("table_id" >= '2' AND "table_id" <= '4')) TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "data_file_id", "table_id", "begin_snapshot", "end_snapshot", "path", "path_is_relative", "file_size_bytes", "footer_size", "row_id_start", "partial_max", "mapping_id" FROM "public"."ducklake_data_file" WHERE "table_id" = '1' AND "begin_snapshot" <= '2') TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "data_file_id", "begin_snapshot", "end_snapshot" FROM "public"."ducklake_data_file" WHERE "begin_snapshot" <= '6') TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "path", "path_is_relative", "table_id" FROM "public"."ducklake_data_file" ) TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "table_id", "data_file_id", "path", "path_is_relative", "record_count", "file_size_bytes", "footer_size", "row_id_start", "mapping_id" FROM "public"."ducklake_data_file" WHERE "table_id" = '1') TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "begin_snapshot", "data_file_id", "table_id", "file_size_bytes", "end_snapshot", "record_count", "row_id_start", "mapping_id", "partial_max", "partition_id", "path", "path_is_relative", "footer_size" FROM "public"."ducklake_data_file" WHERE "table_id" = '1' AND "file_size_bytes" < '1') TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "table_id", "end_snapshot", "data_file_id", "path", "path_is_relative", "record_count", "file_size_bytes", "footer_size", "row_id_start", "mapping_id" FROM "public"."ducklake_data_file" WHERE "table_id" = '1' AND ("end_snapshot" >= '2' AND "end_snapshot" <= '2')) TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "data_file_id", ctid FROM "public"."ducklake_data_file" WHERE "data_file_id" = '0') TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "begin_snapshot", "data_file_id", "table_id", "file_size_bytes", "end_snapshot", "record_count", "row_id_start", "mapping_id", "partial_max", "partition_id", "path", "path_is_relative", "footer_size" FROM "public"."ducklake_data_file" WHERE "table_id" = '3' AND ("file_size_bytes" >= '600' AND "file_size_bytes" < '1500')) TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "begin_snapshot", "end_snapshot" FROM "public"."ducklake_data_file" WHERE "begin_snapshot" = '3') TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "data_file_id", ctid FROM "public"."ducklake_data_file" WHERE "data_file_id" IN ('1', '3')) TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "data_file_id", ctid FROM "public"."ducklake_data_file" WHERE ("data_file_id" >= '0' AND "data_file_id" <= '1')) TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "end_snapshot", "file_size_bytes" FROM "public"."ducklake_data_file" WHERE "file_size_bytes" < '1000') TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "end_snapshot", "file_size_bytes" FROM "public"."ducklake_data_file" WHERE "file_size_bytes" >= '1000') TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "end_snapshot", "data_file_id" FROM "public"."ducklake_data_file" WHERE "end_snapshot" > '1') TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "end_snapshot", "begin_snapshot" FROM "public"."ducklake_data_file" WHERE "begin_snapshot" > '5') TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "end_snapshot" FROM "public"."ducklake_data_file" WHERE "end_snapshot" = '15') TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "table_id", "begin_snapshot", "end_snapshot", "data_file_id", "path", "path_is_relative", "format", "file_size_bytes", "footer_size" FROM "public"."ducklake_delete_file" WHERE "table_id" = '1' AND "begin_snapshot" <= '2') TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "table_id", "delete_file_id", "begin_snapshot", "end_snapshot", "data_file_id", "path", "path_is_relative", "format", "delete_count", "file_size_bytes", "footer_size", "partial_max" FROM "public"."ducklake_delete_file" WHERE "table_id" = '2') TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "path", "path_is_relative", "table_id" FROM "public"."ducklake_delete_file" ) TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "table_id", "begin_snapshot", "data_file_id", "path", "path_is_relative", "file_size_bytes", "footer_size", "format" FROM "public"."ducklake_delete_file" WHERE "table_id" = '1' AND "begin_snapshot" < '2') TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "table_id", "begin_snapshot", "end_snapshot", "file_size_bytes" FROM "public"."ducklake_delete_file" WHERE "begin_snapshot" <= '3') TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "delete_file_id", ctid FROM "public"."ducklake_delete_file" WHERE "delete_file_id" = '4') TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "begin_snapshot", "data_file_id" FROM "public"."ducklake_delete_file" WHERE "begin_snapshot" > '1') TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "delete_count" FROM "public"."ducklake_delete_file" WHERE "delete_count" > '1') TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "end_snapshot" FROM "public"."ducklake_delete_file" WHERE "end_snapshot" = '15') TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "data_file_id", "column_id", "value_count", "null_count", "min_value", "max_value", "contains_nan", "extra_stats" FROM "public"."ducklake_file_column_stats" ) TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "data_file_id", "table_id", "column_id", "min_value", "max_value" FROM "public"."ducklake_file_column_stats" WHERE "table_id" = '1' AND "column_id" = '3') TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "data_file_id", ctid FROM "public"."ducklake_file_column_stats" WHERE "data_file_id" = '0') TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "column_id" FROM "public"."ducklake_file_column_stats" WHERE "column_id" = '2') TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "data_file_id", ctid FROM "public"."ducklake_file_column_stats" WHERE "data_file_id" IN ('1', '3')) TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "data_file_id", ctid FROM "public"."ducklake_file_column_stats" WHERE ("data_file_id" >= '0' AND "data_file_id" <= '1')) TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "value_count" FROM "public"."ducklake_file_column_stats" WHERE "value_count" > '9223372036854775807') TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "null_count" FROM "public"."ducklake_file_column_stats" WHERE "null_count" > '9223372036854775807') TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "value_count" FROM "public"."ducklake_file_column_stats" WHERE "value_count" < '0') TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "data_file_id", "partition_value", "partition_key_index" FROM "public"."ducklake_file_partition_value" ) TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "table_id", "partition_key_index", "partition_value", "data_file_id" FROM "public"."ducklake_file_partition_value" WHERE "table_id" = '1' AND "partition_key_index" = '0' AND "partition_value" = '6' COLLATE "C") TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "data_file_id", ctid FROM "public"."ducklake_file_partition_value" WHERE "data_file_id" = '0') TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "data_file_id", ctid FROM "public"."ducklake_file_partition_value" WHERE "data_file_id" IN ('1', '3')) TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "data_file_id", ctid FROM "public"."ducklake_file_partition_value" WHERE ("data_file_id" >= '0' AND "data_file_id" <= '1')) TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "partition_key_index", "partition_value" FROM "public"."ducklake_file_partition_value" WHERE "partition_key_index" = '0') TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "partition_value" FROM "public"."ducklake_file_partition_value" WHERE "partition_value" = 'NULL' COLLATE "C") TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "data_file_id", ctid FROM "public"."ducklake_file_variant_stats" WHERE "data_file_id" = '0') TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "table_id", "variant_path", "shredded_type", "min_value", "max_value" FROM "public"."ducklake_file_variant_stats" ) TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "data_file_id", ctid FROM "public"."ducklake_file_variant_stats" WHERE "data_file_id" IN ('1', '3')) TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "data_file_id", ctid FROM "public"."ducklake_file_variant_stats" WHERE ("data_file_id" >= '0' AND "data_file_id" <= '1')) TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "path_is_relative", "path" FROM "public"."ducklake_files_scheduled_for_deletion" ) TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "schedule_start", "data_file_id", "path", "path_is_relative" FROM "public"."ducklake_files_scheduled_for_deletion" WHERE "schedule_start" < '2026-11-30 03:47:03.31195+00') TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "data_file_id", ctid FROM "public"."ducklake_files_scheduled_for_deletion" WHERE "data_file_id" IN ('1', '3')) TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "data_file_id", ctid FROM "public"."ducklake_files_scheduled_for_deletion" WHERE "data_file_id" = '0') TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "data_file_id", ctid FROM "public"."ducklake_files_scheduled_for_deletion" WHERE ("data_file_id" >= '1' AND "data_file_id" <= '2')) TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "table_id", "table_name", "schema_version" FROM "public"."ducklake_inlined_data_tables" ) TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "table_id", "schema_version", "table_name" FROM "public"."ducklake_inlined_data_tables" WHERE "table_id" = '1') TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "table_id", "schema_version", ctid FROM "public"."ducklake_inlined_data_tables" WHERE "table_id" = '1' AND "schema_version" = '1') TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "table_id", "table_name" FROM "public"."ducklake_inlined_data_tables" WHERE "table_id" IN ('1', '1', '1')) TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "table_id", "table_name" FROM "public"."ducklake_inlined_data_tables" WHERE ("table_id" >= '2' AND "table_id" <= '4')) TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "begin_snapshot", "end_snapshot", "schema_id", "macro_id", "macro_name" FROM "public"."ducklake_macro" WHERE "begin_snapshot" <= '0') TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "macro_id" FROM "public"."ducklake_macro" ) TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "macro_id", "dialect", "sql", "type", "impl_id" FROM "public"."ducklake_macro_impl" ) TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "macro_id", "impl_id", "parameter_name", "parameter_type", "default_value", "default_value_type" FROM "public"."ducklake_macro_parameters" ) TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "key", "scope" FROM "public"."ducklake_metadata" WHERE "key" = 'sort_on_insert' COLLATE "C") TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "key", "scope", "scope_id" FROM "public"."ducklake_metadata" WHERE "key" = 'auto_compact' COLLATE "C" AND "scope" = 'table' COLLATE "C" AND "scope_id" = '5') TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "key", "value", "scope", "scope_id" FROM "public"."ducklake_metadata" ) TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT NULL FROM "public"."ducklake_metadata"  LIMIT 1) TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "mapping_id", "column_id", "source_name", "target_field_id", "parent_column", "is_partition" FROM "public"."ducklake_name_mapping" WHERE "mapping_id" >= '0') TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "mapping_id", "column_id", "source_name", "target_field_id", "parent_column", "is_partition" FROM "public"."ducklake_name_mapping" ) TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "partition_id", "partition_key_index", "column_id", "transform" FROM "public"."ducklake_partition_column" ) TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "table_id", ctid FROM "public"."ducklake_partition_column" WHERE "table_id" = '1') TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "table_id", ctid FROM "public"."ducklake_partition_column" WHERE "table_id" IN ('1', '1', '1')) TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "table_id", ctid FROM "public"."ducklake_partition_column" WHERE ("table_id" >= '2' AND "table_id" <= '4')) TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "partition_id", "begin_snapshot", "end_snapshot", "table_id" FROM "public"."ducklake_partition_info" WHERE "begin_snapshot" <= '0') TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT NULL FROM "public"."ducklake_partition_info" ) TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "table_id", ctid FROM "public"."ducklake_partition_info" WHERE "table_id" = '1') TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "table_id", ctid FROM "public"."ducklake_partition_info" WHERE "table_id" IN ('1', '1', '1')) TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "table_id", ctid FROM "public"."ducklake_partition_info" WHERE ("table_id" >= '2' AND "table_id" <= '4')) TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "begin_snapshot", "end_snapshot", "schema_id", "schema_uuid", "schema_name", "path", "path_is_relative" FROM "public"."ducklake_schema" WHERE "begin_snapshot" <= '0') TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "schema_id", "path", "path_is_relative" FROM "public"."ducklake_schema" ) TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "schema_id", "path", "path_is_relative" FROM "public"."ducklake_schema" WHERE "schema_id" = '0') TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "table_id", "schema_version", "begin_snapshot" FROM "public"."ducklake_schema_versions" WHERE "table_id" = '1' AND "schema_version" = '1') TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "table_id", "begin_snapshot", "schema_version" FROM "public"."ducklake_schema_versions" WHERE "table_id" = '2') TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "begin_snapshot", "schema_version", "table_id" FROM "public"."ducklake_schema_versions" ) TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "table_id", ctid FROM "public"."ducklake_schema_versions" WHERE "table_id" IN ('1', '1', '1')) TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "table_id", ctid FROM "public"."ducklake_schema_versions" WHERE ("table_id" >= '2' AND "table_id" <= '4')) TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "snapshot_id" FROM "public"."ducklake_snapshot" ) TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "snapshot_id", "schema_version", "next_catalog_id", "next_file_id" FROM "public"."ducklake_snapshot" WHERE "snapshot_id" = '7') TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "snapshot_id", ctid FROM "public"."ducklake_snapshot" WHERE ("snapshot_id" >= '0' AND "snapshot_id" <= '3')) TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "snapshot_id", "snapshot_time", "schema_version", "next_file_id" FROM "public"."ducklake_snapshot" WHERE "snapshot_time" < '2026-11-23 03:46:48.4816+00') TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "snapshot_time", "snapshot_id" FROM "public"."ducklake_snapshot" WHERE ("snapshot_time" <= '2026-11-30 03:49:27.526211+00')) TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "snapshot_id", ctid FROM "public"."ducklake_snapshot" WHERE "snapshot_id" IN ('0', '1', '3')) TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "snapshot_time", "snapshot_id" FROM "public"."ducklake_snapshot" WHERE ("snapshot_time" >= '1970-01-01 00:00:00+00')) TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "snapshot_id" FROM "public"."ducklake_snapshot" WHERE "snapshot_id" > '2') TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "snapshot_id", "changes_made" FROM "public"."ducklake_snapshot_changes" WHERE "snapshot_id" > '6') TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "snapshot_id", "changes_made", "author", "commit_message", "commit_extra_info" FROM "public"."ducklake_snapshot_changes" ) TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "snapshot_id", ctid FROM "public"."ducklake_snapshot_changes" WHERE ("snapshot_id" >= '0' AND "snapshot_id" <= '3')) TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "snapshot_id", ctid FROM "public"."ducklake_snapshot_changes" WHERE "snapshot_id" = '4') TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "snapshot_id", ctid FROM "public"."ducklake_snapshot_changes" WHERE "snapshot_id" IN ('0', '1', '3')) TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "sort_id", "sort_key_index", "expression", "dialect", "sort_direction", "null_order" FROM "public"."ducklake_sort_expression" ) TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "table_id", ctid FROM "public"."ducklake_sort_expression" WHERE "table_id" = '1') TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "table_id", ctid FROM "public"."ducklake_sort_expression" WHERE "table_id" IN ('1', '1', '1')) TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "table_id", ctid FROM "public"."ducklake_sort_expression" WHERE ("table_id" >= '2' AND "table_id" <= '4')) TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "sort_id", "begin_snapshot", "end_snapshot", "table_id" FROM "public"."ducklake_sort_info" WHERE "begin_snapshot" <= '0') TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "table_id", ctid FROM "public"."ducklake_sort_info" WHERE "table_id" = '1') TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "sort_id", "table_id", "begin_snapshot" FROM "public"."ducklake_sort_info" ) TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "table_id", ctid FROM "public"."ducklake_sort_info" WHERE "table_id" IN ('1', '1', '1')) TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "table_id", ctid FROM "public"."ducklake_sort_info" WHERE ("table_id" >= '2' AND "table_id" <= '4')) TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "table_id", "begin_snapshot", "end_snapshot", "schema_id", "table_uuid", "table_name", "path", "path_is_relative" FROM "public"."ducklake_table" WHERE "begin_snapshot" <= '0') TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "schema_id", "table_id", "path", "path_is_relative" FROM "public"."ducklake_table" WHERE "table_id" = '1') TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "table_id", "schema_id", "path", "path_is_relative" FROM "public"."ducklake_table" ) TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "table_id", "table_name" FROM "public"."ducklake_table" WHERE "table_name" = 'b1_no_stats' COLLATE "C") TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "table_id", ctid FROM "public"."ducklake_table" WHERE "table_id" IN ('1', '1', '1')) TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "table_id", ctid FROM "public"."ducklake_table" WHERE ("table_id" >= '2' AND "table_id" <= '4')) TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "table_id", "column_id", "contains_null", "contains_nan", "min_value", "max_value", "extra_stats" FROM "public"."ducklake_table_column_stats" WHERE "table_id" = '1') TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "table_id", "column_id", "contains_null", "contains_nan", "min_value", "max_value", "extra_stats" FROM "public"."ducklake_table_column_stats" ) TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "table_id", "column_id", "min_value", "max_value" FROM "public"."ducklake_table_column_stats" WHERE "table_id" = '1' AND "column_id" = '2') TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "table_id", ctid FROM "public"."ducklake_table_column_stats" WHERE "table_id" IN ('1', '1', '1')) TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "table_id", ctid FROM "public"."ducklake_table_column_stats" WHERE ("table_id" >= '2' AND "table_id" <= '4')) TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "table_id", "record_count", "file_size_bytes", "next_row_id" FROM "public"."ducklake_table_stats" WHERE "table_id" = '1') TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "table_id", "record_count", "file_size_bytes", "next_row_id" FROM "public"."ducklake_table_stats" ) TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "table_id", ctid FROM "public"."ducklake_table_stats" WHERE "table_id" IN ('1', '1', '1')) TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "table_id", ctid FROM "public"."ducklake_table_stats" WHERE ("table_id" >= '2' AND "table_id" <= '4')) TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "object_id", "begin_snapshot", "end_snapshot", "key", "value" FROM "public"."ducklake_tag" WHERE "begin_snapshot" <= '0') TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "end_snapshot", "begin_snapshot", ctid FROM "public"."ducklake_tag" ) TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "end_snapshot", "object_id", "key", "value" FROM "public"."ducklake_tag" WHERE "object_id" = '1') TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "begin_snapshot", "end_snapshot", "view_id", "view_uuid", "schema_id", "view_name", "dialect", "sql", "column_aliases" FROM "public"."ducklake_view" WHERE "begin_snapshot" <= '0') TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "end_snapshot", "begin_snapshot", ctid FROM "public"."ducklake_view" ) TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "begin_snapshot", "end_snapshot", "i", "row_id" FROM "public"."ducklake_inlined_data_1_1" WHERE "begin_snapshot" <= '3') TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "end_snapshot", "row_id" FROM "public"."ducklake_inlined_data_1_1" WHERE ("end_snapshot" >= '2' AND "end_snapshot" <= '2')) TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "begin_snapshot", "row_id" FROM "public"."ducklake_inlined_data_1_1" WHERE ("begin_snapshot" >= '2' AND "begin_snapshot" <= '2')) TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT NULL FROM "public"."ducklake_inlined_data_1_1" ) TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "begin_snapshot", "yr", "end_snapshot", "row_id" FROM "public"."ducklake_inlined_data_1_1" WHERE "begin_snapshot" <= '1' AND "yr" = '2025') TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "begin_snapshot", "file_id", "row_id" FROM "public"."ducklake_inlined_delete_1" WHERE "begin_snapshot" <= '9') TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "file_id", "row_id", "begin_snapshot" FROM "public"."ducklake_inlined_delete_1" ) TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT NULL FROM "public"."ducklake_inlined_delete_1"  LIMIT 1) TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "begin_snapshot", "file_id", "row_id" FROM "public"."ducklake_inlined_delete_1" WHERE ("begin_snapshot" >= '3' AND "begin_snapshot" <= '3')) TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "file_id", "begin_snapshot" FROM "public"."ducklake_inlined_delete_1" WHERE "file_id" IN ('3', '6', '7') AND "begin_snapshot" <= '10') TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "file_id", "begin_snapshot" FROM "public"."ducklake_inlined_delete_1" WHERE ("file_id" >= '0' AND "file_id" <= '1') AND "begin_snapshot" <= '3') TO STDOUT (FORMAT "binary")
-- statement
COPY (SELECT "file_id", "begin_snapshot" FROM "public"."ducklake_inlined_delete_1" WHERE "file_id" = '7' AND "begin_snapshot" <= '10') TO STDOUT (FORMAT "binary")
