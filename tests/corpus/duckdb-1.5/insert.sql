-- statement
INSERT INTO "public".ducklake_snapshot VALUES (1, NOW(), 1, 2, 0)
-- statement
INSERT INTO "public".ducklake_snapshot_changes VALUES (3, NULL, NULL, NULL, NULL)
-- statement
INSERT INTO "public".ducklake_data_file VALUES (3, 1, 5, NULL, NULL, 'bla.parquet', true, 'parquet', 1, 192, 151, 1, NULL, NULL, 2, NULL)
-- statement
INSERT INTO "public".ducklake_file_column_stats VALUES (1, 1, 1, 45, 3, 2, 'x', 'z', NULL, NULL),(1, 1, 2, 47, 4, 1, 'p', 's', NULL, NULL)
-- statement
INSERT INTO "public".ducklake_schema_versions VALUES (1,1,1)
-- statement
INSERT INTO "public".ducklake_inlined_data_tables VALUES (1, 'ducklake_inlined_data_1_1', 1)
-- statement
INSERT INTO "public".ducklake_table VALUES (1, '01a22a8f-7421-711b-b6f5-516e8673243a', 1, NULL, 0, 't', 't/', true)
-- statement
INSERT INTO "public".ducklake_column VALUES (4, 5, NULL, 1, 4, 'k', 'int32', NULL, 'NULL', false, 1, '', 'duckdb')
-- statement
INSERT INTO "public".ducklake_inlined_data_1_1 VALUES (0, 3, NULL, 1)
-- statement
INSERT INTO "public".ducklake_table_stats VALUES (1, 1, 1, 0)
-- statement
INSERT INTO "public".ducklake_file_column_stats VALUES (5, 1, 1, 29, 1, 0, '2', '2', NULL, NULL)
-- statement
INSERT INTO "public".ducklake_column VALUES (4, 3, NULL, 1, 4, 'c1', 'int32', NULL, 'NULL', false, 3, '', 'duckdb'),(8, 3, NULL, 1, 8, 'c3', 'int8', NULL, 'NULL', true, 3, 'literal', 'duckdb')
-- statement
INSERT INTO "public".ducklake_table_column_stats VALUES (2, 1, true, NULL, '1', '1', NULL)
-- statement
INSERT INTO "public".ducklake_table_column_stats VALUES (1, 1, true, NULL, 'x', 'z', NULL),(1, 2, true, NULL, 'p', 's', NULL)
-- statement
INSERT INTO "public".ducklake_inlined_data_1_1 VALUES (0, 2, NULL, 1), (1, 2, NULL, 2)
-- statement
INSERT INTO "public".ducklake_delete_file VALUES (2, 1, 3, NULL,  0, 'ducklake-01a22a92-35e1-73f6-8bea-dd56362f4fbc-delete.parquet', true, 'parquet', 2, 992, 767, NULL, 4)
-- statement
INSERT INTO "public".ducklake_view VALUES (1, '203c7322-34a8-4981-98f2-fea78d53f7fb', 1, NULL, 0, 'v', 'duckdb', 'SELECT 1', '')
-- statement
INSERT INTO "public".ducklake_partition_info VALUES (2, 1, 2, NULL)
-- statement
INSERT INTO "public".ducklake_data_file VALUES (2, 1, 3, NULL, NULL, 'my_file.parquet', true, 'parquet', 1, 309, 234, 1, NULL, NULL, 1, NULL),(3, 1, 3, NULL, NULL, 'my_file_2.parquet', true, 'parquet', 1, 289, 218, 2, NULL, NULL, 1, NULL)
-- statement
INSERT INTO "public".ducklake_files_scheduled_for_deletion VALUES (0, 'main/t/ducklake-01a22a90-6897-7024-a3e4-8a1c39fa5bd7.parquet', true, NOW()), (1, 'main/t/ducklake-01a22a90-68a2-7efe-9638-97229be88977.parquet', true, NOW())
-- statement
INSERT INTO "public".ducklake_column_mapping VALUES (0, 1, 'map_by_name')
-- statement
INSERT INTO "public".ducklake_sort_info VALUES (2, 1, 6, NULL)
-- statement
INSERT INTO "public".ducklake_file_partition_value VALUES (8, 1, 0, '2'),(9, 1, 0, '1')
-- statement
INSERT INTO "public".ducklake_partition_column VALUES (2, 1, 0, 2, 'year')
-- statement
INSERT INTO "public".ducklake_inlined_delete_1 VALUES (1, 0, 3)
-- statement
INSERT INTO "public".ducklake_macro_parameters values(3,0,0,'x','int64','1','int32')
-- statement
INSERT INTO "public".ducklake_name_mapping VALUES (0, 0, 's', 1, NULL, false), (0, 1, 'j', 3, 0, false)
-- statement
INSERT INTO "public".ducklake_file_partition_value VALUES (6, 1, 0, '2')
-- statement
INSERT INTO "public".ducklake_sort_expression VALUES (2, 1, 0, 'b', 'duckdb', 'ASC', 'NULLS_LAST')
-- statement
INSERT INTO "public".ducklake_macro_impl values(2,0,'duckdb','a','scalar')
-- statement
INSERT INTO "public".ducklake_macro values(0,2,'xt',3, NULL)
-- statement
INSERT INTO "public".ducklake_inlined_delete_1 VALUES (1, 0, 6), (1, 1, 6)
-- statement
INSERT INTO "public".ducklake_files_scheduled_for_deletion VALUES (1, 'main/t/ducklake-01a22a91-639b-7092-9f59-be5a35e009c5-delete.parquet', true, NOW())
-- statement
INSERT INTO "public".ducklake_name_mapping VALUES (4, 0, 'i', 1, NULL, false)
-- statement
INSERT INTO "public".ducklake_schema VALUES (1, '01a22a8f-e547-7b81-9842-5c9c42695430', 1, NULL, 's', 's/', true)
-- statement
INSERT INTO "public".ducklake_sort_expression VALUES (6, 5, 0, 'a', 'duckdb', 'ASC', 'NULLS_LAST'), (6, 5, 1, 'b', 'duckdb', 'DESC', 'NULLS_LAST')
-- statement
INSERT INTO "public".ducklake_partition_column VALUES (2, 1, 0, 2, 'year'), (2, 1, 1, 2, 'month')
-- statement
INSERT INTO "public".ducklake_tag VALUES (1, 7, NULL, 'comment', NULL)
-- statement
INSERT INTO "public".ducklake_delete_file VALUES (8, 1, 7, NULL,  1, 'ducklake-01a22a93-ada6-7fc5-9e59-d984a41cb00a-delete.parquet', true, 'parquet', 1, 1169, 935, NULL, 7),(9, 1, 7, NULL,  3, 'ducklake-01a22a93-ada5-74f6-ba4c-6e0f2d1f6888-delete.parquet', true, 'parquet', 1, 1169, 935, NULL, 7)
-- statement
INSERT INTO "public".ducklake_file_variant_stats VALUES (0, 1, 2, 'root', 'int32', 29, 1, 0, '42', '42', NULL, NULL)
-- statement
INSERT INTO "public".ducklake_column_tag VALUES (1, 1, 5, NULL, 'comment', NULL)
-- statement
INSERT INTO "public".ducklake_file_variant_stats VALUES (9, 10, 1, '"c"', 'varchar', 43, 1, 3, 'test', 'test', NULL, NULL),(9, 10, 1, '"b"', 'boolean', 36, 1, 3, '1', '1', NULL, NULL)
-- statement
INSERT INTO "public".ducklake_inlined_data_tables VALUES (1, 'ducklake_inlined_data_1_2', 2), (2, 'ducklake_inlined_data_2_2', 2)
-- statement
INSERT INTO "public".ducklake_table VALUES (7, '01a22a8f-f1e0-7c6f-b174-1d7e18b6d7d5', 10, NULL, 5, 'tbl', 'tbl/', true), (8, '01a22a8f-f1e0-729c-8883-5246e44df155', 10, NULL, 6, 'tbl', 'tbl/', true)
-- statement
INSERT INTO "public".ducklake_schema VALUES (5, '01a22a94-9141-7703-90e9-9b25045988a4', 8, NULL, 's2', 's2/', true),(6, '01a22a94-9141-7d51-9dc3-369545361b57', 8, NULL, 's1', 's1/', true)
-- statement
INSERT INTO "public".ducklake_partition_info VALUES (4, 1, 3, NULL), (3, 2, 3, NULL)
-- statement
INSERT INTO "public".ducklake_view VALUES (7, '99264805-7de5-476b-9e46-750931429ace', 8, NULL, 5, 'v1', 'duckdb', 'SELECT ''hello'' AS a, ''world'' AS b', ''), (8, '498618bc-a847-469f-be47-fb870ce15faa', 8, NULL, 6, 'v1', 'duckdb', 'SELECT 42 AS i', '')
