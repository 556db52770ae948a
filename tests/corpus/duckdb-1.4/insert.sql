-- statement
INSERT INTO "public".ducklake_schema_versions VALUES (1,1)
-- statement
INSERT INTO "public".ducklake_column VALUES (4, 3, NULL, 1, 4, 'k', 'int8', NULL, NULL, true, 1)
-- statement
INSERT INTO "public".ducklake_column VALUES (4, 3, NULL, 1, 4, 'c1', 'int32', NULL, NULL, false, 3),(8, 3, NULL, 1, 8, 'c3', 'int8', NULL, NULL, true, 3)
-- statement
INSERT INTO "public".ducklake_delete_file VALUES (2, 1, 4, NULL, 0, 'ducklake-01a22a95-b15d-70a1-a841-2b19c59f8dcc-delete.parquet', true, 'parquet', 2, 879, 679, NULL)
-- statement
INSERT INTO "public".ducklake_delete_file VALUES (3, 1, 2, NULL, 1, 'ducklake-01a22a97-787c-7162-a59c-2527cc25a881-delete.parquet', true, 'parquet', 2, 941, 731, NULL),(4, 1, 2, NULL, 0, 'ducklake-01a22a97-787d-7728-bf8c-e029b9ec7246-delete.parquet', true, 'parquet', 3, 949, 731, NULL)
