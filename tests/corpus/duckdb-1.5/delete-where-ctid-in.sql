-- statement
DELETE FROM "public".ducklake_inlined_data_1_1 WHERE ctid IN ('(0,1)')
-- statement
DELETE FROM "public".ducklake_inlined_data_tables WHERE ctid IN ('(0,1)')
-- statement
DELETE FROM "public".ducklake_inlined_delete_1 WHERE ctid IN ('(0,1)')
-- statement
DELETE FROM "public".ducklake_files_scheduled_for_deletion WHERE ctid IN ('(0,1)')
-- statement
DELETE FROM "public".ducklake_snapshot WHERE ctid IN ('(0,5)')
-- statement
DELETE FROM "public".ducklake_snapshot_changes WHERE ctid IN ('(0,5)')
-- statement
DELETE FROM "public".ducklake_data_file WHERE ctid IN ('(0,2)')
-- statement
DELETE FROM "public".ducklake_file_column_stats WHERE ctid IN ('(0,1)')
-- statement
DELETE FROM "public".ducklake_table WHERE ctid IN ('(0,2)')
-- statement
DELETE FROM "public".ducklake_column WHERE ctid IN ('(0,2)')
-- statement
DELETE FROM "public".ducklake_schema_versions WHERE ctid IN ('(0,1)')
-- statement
DELETE FROM "public".ducklake_table_stats WHERE ctid IN ('(0,4)')
-- statement
DELETE FROM "public".ducklake_table_column_stats WHERE ctid IN ('(0,4)')
-- statement
DELETE FROM "public".ducklake_delete_file WHERE ctid IN ('(0,2)')
-- statement
DELETE FROM "public".ducklake_macro WHERE ctid IN ('(0,3)','(0,4)')
-- statement
DELETE FROM "public".ducklake_macro_impl WHERE ctid IN ('(0,1)','(0,2)')
-- statement
DELETE FROM "public".ducklake_macro_parameters WHERE ctid IN ('(0,1)')
-- statement
DELETE FROM "public".ducklake_file_variant_stats WHERE ctid IN ('(0,1)','(0,2)')
-- statement
DELETE FROM "public".ducklake_sort_info WHERE ctid IN ('(0,2)','(0,4)','(0,6)','(0,8)','(0,10)')
-- statement
DELETE FROM "public".ducklake_sort_expression WHERE ctid IN ('(0,1)','(0,2)','(0,3)','(0,4)','(0,5)','(0,6)','(0,7)','(0,8)','(0,9)')
