-- The live files of each table: data files with their rows and bytes, and delete files with the rows that they take away.
SELECT s.schema_name, t.table_name, count(f.data_file_id) AS data_files,
  coalesce(sum(f.record_count), 0) AS rows_in_files, coalesce(sum(f.file_size_bytes), 0) AS data_bytes,
  coalesce(max(d.delete_files), 0) AS delete_files, coalesce(max(d.deleted_rows), 0) AS deleted_rows
FROM ducklake_table t
JOIN ducklake_schema s ON s.schema_id = t.schema_id AND s.end_snapshot IS NULL
LEFT JOIN ducklake_data_file f ON f.table_id = t.table_id AND f.end_snapshot IS NULL
LEFT JOIN (
  SELECT table_id, count(*) AS delete_files, sum(delete_count) AS deleted_rows
  FROM ducklake_delete_file WHERE end_snapshot IS NULL GROUP BY table_id
) d ON d.table_id = t.table_id
WHERE t.end_snapshot IS NULL
GROUP BY s.schema_name, t.table_name
ORDER BY data_bytes DESC, s.schema_name, t.table_name;
