SELECT table_id, end_snapshot IS NULL AS live, count(*) FROM ducklake_data_file GROUP BY table_id, live ORDER BY 1, 2, 3
SELECT table_id, path_is_relative, sum(record_count) FROM ducklake_data_file GROUP BY CUBE (table_id, path_is_relative) ORDER BY 1, 2, 3
SELECT table_id, column_id, sum(value_count), grouping(table_id), grouping(column_id) FROM ducklake_file_column_stats GROUP BY GROUPING SETS ((table_id), (column_id), ()) ORDER BY 4, 5, 1, 2
SELECT table_id % 2 AS even, count(*), min(path), max(path) FROM ducklake_data_file GROUP BY even ORDER BY even
SELECT table_id % 2, count(*) FROM ducklake_data_file GROUP BY 1 HAVING count(*) > 1 ORDER BY 2, 1
SELECT count(*), count(end_snapshot), count(DISTINCT table_id), count(DISTINCT path_is_relative) FROM ducklake_data_file
SELECT count(*) FILTER (WHERE end_snapshot IS NULL), sum(record_count) FILTER (WHERE table_id = 1), avg(record_count) FILTER (WHERE table_id > 99), string_agg(path, ',') FILTER (WHERE data_file_id < 0) FROM ducklake_data_file
SELECT table_id, bool_and(path_is_relative), bool_or(path_is_relative), every(record_count > 3) FROM ducklake_data_file GROUP BY table_id ORDER BY table_id
SELECT f.data_file_id, f.path, count(s.column_id) FROM ducklake_data_file f JOIN ducklake_file_column_stats s ON s.data_file_id = f.data_file_id GROUP BY f.data_file_id ORDER BY 1 LIMIT 5
SELECT s.snapshot_id, s.*, count(*) FROM ducklake_snapshot s JOIN u ON u.id = s.snapshot_id GROUP BY s.snapshot_id ORDER BY 1
SELECT length(path) AS n, count(*), array_agg(DISTINCT table_id) FROM ducklake_data_file GROUP BY length(path) ORDER BY n
SELECT upper(left(b, 1)) AS letter, count(*), max(a) FROM t GROUP BY upper(left(b, 1)) ORDER BY letter NULLS FIRST
SELECT c, i > 0, count(*) FROM t GROUP BY c, i > 0 ORDER BY 1, 2
SELECT DISTINCT c, i > 0 FROM t ORDER BY 1, 2
SELECT DISTINCT ON (table_id) table_id, data_file_id, record_count FROM ducklake_data_file ORDER BY table_id, record_count DESC, data_file_id
SELECT DISTINCT ON (c) c, a FROM t ORDER BY c NULLS FIRST, a DESC
SELECT count(*) FROM (SELECT DISTINCT table_id, begin_snapshot FROM ducklake_data_file) q
SELECT sum(n) FROM (SELECT count(*) AS n FROM ducklake_data_file GROUP BY table_id) q
SELECT max(total) FROM (SELECT table_id, sum(record_count) AS total FROM ducklake_data_file GROUP BY table_id) q
SELECT table_id FROM ducklake_data_file GROUP BY table_id ORDER BY sum(file_size_bytes) DESC, table_id
SELECT table_id, count(*) AS n FROM ducklake_data_file GROUP BY table_id ORDER BY n DESC, table_id
SELECT table_id, sum(record_count) OVER (PARTITION BY table_id), count(*) FROM ducklake_data_file GROUP BY table_id, record_count ORDER BY 1, 2, 3 LIMIT 10
SELECT rank() OVER (ORDER BY count(*) DESC, table_id), table_id FROM ducklake_data_file GROUP BY table_id ORDER BY 1
SELECT x FROM (SELECT 1 AS x UNION ALL SELECT 2 UNION ALL SELECT 2) q GROUP BY x HAVING count(*) > 1
SELECT table_id FROM ducklake_data_file INTERSECT SELECT table_id FROM ducklake_delete_file ORDER BY 1
SELECT data_file_id FROM ducklake_data_file WHERE data_file_id < 9 EXCEPT SELECT data_file_id FROM ducklake_delete_file ORDER BY 1
SELECT a FROM t INTERSECT ALL SELECT a FROM u ORDER BY 1
SELECT a FROM u EXCEPT ALL SELECT a FROM t ORDER BY 1
(SELECT a FROM t ORDER BY a LIMIT 1) UNION ALL (SELECT id FROM u ORDER BY id DESC LIMIT 1) ORDER BY 1
SELECT 1 UNION SELECT 2.5 UNION SELECT NULL ORDER BY 1 NULLS FIRST
SELECT max(x), count(*) FROM (VALUES (1), (NULL), (3)) v(x)
SELECT count(*), sum(x), max(y), array_agg(x), string_agg(y, ',') FROM empty
SELECT x, count(*) FROM empty GROUP BY x
SELECT 'all' AS k, count(*) FROM u GROUP BY k
SELECT table_id, path_is_relative, count(*) FROM ducklake_data_file GROUP BY ROLLUP (table_id, path_is_relative) ORDER BY 1, 2, 3
