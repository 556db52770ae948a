-- What the statistics of a table say beside what its live files hold. Deleted rows explain a difference of rows, and
-- rows that are inlined do; DuckLake plans with these numbers and answers no query from them.
SELECT t.table_name, st.record_count AS rows_by_statistics, coalesce(f.rows, 0) AS rows_in_files,
  coalesce(d.rows, 0) AS deleted_rows, st.record_count - coalesce(f.rows, 0) AS drift_rows,
  st.file_size_bytes AS bytes_by_statistics, coalesce(f.bytes, 0) AS bytes_in_files,
  st.file_size_bytes - coalesce(f.bytes, 0) AS drift_bytes,
  (SELECT count(*) FROM ducklake_inlined_data_tables i WHERE i.table_id = t.table_id) AS inlined_tables
FROM ducklake_table t
JOIN ducklake_table_stats st ON st.table_id = t.table_id
LEFT JOIN (
  SELECT table_id, sum(record_count) AS rows, sum(file_size_bytes) AS bytes
  FROM ducklake_data_file WHERE end_snapshot IS NULL GROUP BY table_id
) f ON f.table_id = t.table_id
LEFT JOIN (
  SELECT table_id, sum(delete_count) AS rows FROM ducklake_delete_file WHERE end_snapshot IS NULL GROUP BY table_id
) d ON d.table_id = t.table_id
WHERE t.end_snapshot IS NULL
ORDER BY abs(st.record_count - coalesce(f.rows, 0)) DESC, t.table_name;
