SELECT t.table_name, count(f.data_file_id), sum(f.file_size_bytes) FROM ducklake_table t LEFT JOIN ducklake_data_file f USING (table_id) GROUP BY t.table_name ORDER BY 1
SELECT t.table_name, c.column_name, row_number() OVER (PARTITION BY t.table_id ORDER BY c.column_order) FROM ducklake_table t JOIN ducklake_column c ON c.table_id = t.table_id ORDER BY 1, 3
SELECT s.schema_name, t.table_name FROM ducklake_schema s FULL JOIN ducklake_table t ON s.schema_id = t.schema_id AND t.table_id > 1 ORDER BY 1, 2
SELECT f.data_file_id, d.delete_count, rank() OVER (ORDER BY d.delete_count DESC NULLS LAST) FROM ducklake_data_file f LEFT JOIN ducklake_delete_file d ON d.data_file_id = f.data_file_id WHERE f.data_file_id < 9 ORDER BY f.data_file_id
SELECT * FROM ducklake_table_stats NATURAL JOIN (SELECT table_id, table_name FROM ducklake_table) t ORDER BY table_id
SELECT a.id, b.id FROM u a CROSS JOIN u b WHERE a.id < b.id AND a.a = b.a ORDER BY 1, 2
SELECT x.id, y.n FROM u x CROSS JOIN LATERAL (SELECT count(*) AS n FROM u y WHERE y.id <= x.id) y ORDER BY 1
SELECT t.table_id, f.path FROM ducklake_table t CROSS JOIN LATERAL (SELECT path FROM ducklake_data_file f WHERE f.table_id = t.table_id ORDER BY file_size_bytes DESC LIMIT 2) f ORDER BY 1, 2
SELECT t.table_id, f.path FROM ducklake_table t LEFT JOIN LATERAL (SELECT path FROM ducklake_data_file f WHERE f.table_id = t.table_id AND f.data_file_id > 57 LIMIT 1) f ON true ORDER BY 1
SELECT t.table_name FROM ducklake_table t WHERE EXISTS (SELECT 1 FROM ducklake_data_file f WHERE f.table_id = t.table_id AND f.record_count > (SELECT avg(record_count) FROM ducklake_data_file g WHERE g.table_id = t.table_id)) ORDER BY 1
SELECT t.table_name FROM ducklake_table t WHERE t.table_id NOT IN (SELECT table_id FROM ducklake_delete_file WHERE delete_count > 5) ORDER BY 1
SELECT t.table_id, (SELECT max(f.path) FROM ducklake_data_file f WHERE f.table_id = t.table_id), (SELECT count(*) FROM ducklake_delete_file d WHERE d.table_id = t.table_id) FROM ducklake_table t ORDER BY 1
SELECT f.table_id, f.n, f.n::numeric / sum(f.n) OVER () FROM (SELECT table_id, count(*) AS n FROM ducklake_data_file WHERE data_file_id > 3 GROUP BY table_id) f ORDER BY 1
SELECT id FROM u WHERE a = ANY (SELECT a FROM t WHERE c) ORDER BY id
SELECT id FROM u WHERE a > ALL (SELECT a FROM t WHERE a < 2) ORDER BY id
SELECT id, a IN (SELECT a FROM t), a NOT IN (SELECT a FROM t WHERE a > 1), EXISTS (SELECT 1 FROM t WHERE t.a = u.a), row_number() OVER (ORDER BY id) FROM u ORDER BY id
SELECT s.snapshot_id, count(f.data_file_id) FROM ducklake_snapshot s LEFT JOIN ducklake_data_file f ON f.begin_snapshot <= s.snapshot_id AND (f.end_snapshot IS NULL OR s.snapshot_id < f.end_snapshot) GROUP BY s.snapshot_id ORDER BY 1
SELECT s.snapshot_id, s.schema_version, count(*) FROM ducklake_snapshot s JOIN ducklake_data_file f ON f.begin_snapshot = s.snapshot_id GROUP BY s.snapshot_id ORDER BY 1
SELECT x.id, y.id, z.id FROM u x LEFT JOIN (u y JOIN u z ON y.id = z.a) ON x.id = y.id ORDER BY 1, 2, 3
SELECT * FROM u x JOIN u y USING (id) JOIN u z USING (id) WHERE id < 3 ORDER BY id
SELECT u.*, t.b, row_number() OVER (ORDER BY u.id) FROM u LEFT JOIN t USING (a) ORDER BY u.id
SELECT a, u.id, t.b FROM u FULL JOIN t USING (a) ORDER BY a, u.id, t.b
SELECT a, count(*) OVER (PARTITION BY a) FROM u RIGHT JOIN t USING (a) ORDER BY a
SELECT v.n, u.name, lag(u.name) OVER (ORDER BY v.n) FROM (VALUES (1), (3), (9)) v(n) LEFT JOIN u ON u.id = v.n ORDER BY 1
SELECT t1.a, t2.a FROM t t1 JOIN t t2 ON t1.i = -t2.i AND t1.a <> t2.a ORDER BY 1, 2
SELECT t.a, u.id FROM t JOIN u ON t.e > u.id AND u.flag ORDER BY 1, 2
SELECT x.a FROM t x JOIN t y ON x.e = y.e ORDER BY 1
