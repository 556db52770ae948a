-- The live data files of each table by size: many in the first bands call for ducklake_merge_adjacent_files.
SELECT t.table_name, b.band, count(*) AS files, sum(f.file_size_bytes) AS bytes
FROM ducklake_data_file f
JOIN ducklake_table t ON t.table_id = f.table_id AND t.end_snapshot IS NULL
JOIN (VALUES
  (1, 'below 1 MiB', 0, 1048576), (2, '1 to 8 MiB', 1048576, 8388608), (3, '8 to 64 MiB', 8388608, 67108864),
  (4, '64 to 512 MiB', 67108864, 536870912), (5, '512 MiB and more', 536870912, 9223372036854775807)
) AS b(number, band, least, below) ON f.file_size_bytes >= b.least AND f.file_size_bytes < b.below
WHERE f.end_snapshot IS NULL
GROUP BY t.table_name, b.number, b.band
ORDER BY t.table_name, b.number;
