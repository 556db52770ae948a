-- Rows that refer to what is not there: no rows is what a whole lake answers. "rocklake verify" looks for more.
SELECT 'data file of no table' AS what, f.data_file_id AS id, f.table_id AS refers_to
FROM ducklake_data_file f LEFT JOIN ducklake_table t ON t.table_id = f.table_id WHERE t.table_id IS NULL
UNION ALL
SELECT 'delete file of no data file', d.delete_file_id, d.data_file_id
FROM ducklake_delete_file d LEFT JOIN ducklake_data_file f ON f.data_file_id = d.data_file_id
WHERE f.data_file_id IS NULL
UNION ALL
SELECT DISTINCT 'statistics of no data file', st.data_file_id, st.table_id
FROM ducklake_file_column_stats st LEFT JOIN ducklake_data_file f ON f.data_file_id = st.data_file_id
WHERE f.data_file_id IS NULL
UNION ALL
SELECT 'column of no table', c.column_id, c.table_id
FROM ducklake_column c LEFT JOIN ducklake_table t ON t.table_id = c.table_id WHERE t.table_id IS NULL
UNION ALL
SELECT 'table of no schema', t.table_id, t.schema_id
FROM ducklake_table t LEFT JOIN ducklake_schema s ON s.schema_id = t.schema_id WHERE s.schema_id IS NULL
UNION ALL
SELECT 'changes of no snapshot', c.snapshot_id, c.snapshot_id
FROM ducklake_snapshot_changes c LEFT JOIN ducklake_snapshot s ON s.snapshot_id = c.snapshot_id
WHERE s.snapshot_id IS NULL
ORDER BY 1, 2, 3;
