WITH f AS (SELECT table_id, count(*) AS n FROM ducklake_data_file GROUP BY table_id) SELECT t.table_name, f.n, sum(f.n) OVER () FROM f JOIN ducklake_table t USING (table_id) ORDER BY 1
WITH a AS (SELECT 1 AS x), b AS (SELECT x + 1 AS y FROM a) SELECT a.x, b.y, row_number() OVER () FROM a, b
WITH a(p, q) AS (SELECT id, name FROM u) SELECT p, q, lead(p) OVER (ORDER BY p) FROM a ORDER BY p
WITH big AS MATERIALIZED (SELECT * FROM ducklake_data_file WHERE record_count > 50) SELECT count(*), max(path), (SELECT count(*) FROM big b WHERE b.table_id = 1) FROM big
WITH x AS NOT MATERIALIZED (SELECT a FROM t) SELECT count(*), count(DISTINCT a) FROM x WHERE a IN (SELECT a FROM x WHERE a > 1)
WITH RECURSIVE s(n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM s WHERE n < 10) SELECT sum(n), count(*) FROM s
WITH RECURSIVE s AS (SELECT 1 AS n, 1::numeric AS f UNION ALL SELECT n + 1, f * (n + 1) FROM s WHERE n < 25) SELECT n, f FROM s ORDER BY n
WITH RECURSIVE fib(a, b) AS (SELECT 0::bigint, 1::bigint UNION ALL SELECT b, a + b FROM fib WHERE b < 1000) SELECT a FROM fib ORDER BY a
WITH RECURSIVE walk AS (SELECT id, a, name::text AS trail FROM u WHERE id = 3 UNION ALL SELECT u.id, u.a, walk.trail || '/' || coalesce(u.name, '-') FROM u JOIN walk ON u.id = walk.a AND u.id <> walk.id) SELECT * FROM walk ORDER BY id
WITH RECURSIVE p(d) AS (SELECT '2024-01-01'::date UNION ALL SELECT d + 1 FROM p WHERE d < '2024-01-05') SELECT d, extract(dow FROM d) FROM p ORDER BY d
WITH RECURSIVE c(n) AS (SELECT 0 UNION SELECT (n + 3) % 10 FROM c) SELECT array_agg(n ORDER BY n) FROM c
WITH RECURSIVE one AS (SELECT 1 AS x), two AS (SELECT x + 1 AS y FROM one) SELECT * FROM two
SELECT * FROM (WITH q AS (SELECT id FROM u) SELECT max(id) AS m FROM q) s, (WITH q AS (SELECT a FROM t) SELECT min(a) AS n FROM q) r
SELECT (WITH q AS (SELECT count(*) AS n FROM u) SELECT n FROM q), row_number() OVER ()
WITH q AS (SELECT * FROM u) SELECT q.id, r.id FROM q JOIN q r ON q.id = r.id + 1 ORDER BY 1
WITH q AS (VALUES (1, 'a'), (2, 'b')) SELECT column1, column2, rank() OVER (ORDER BY column1 DESC) FROM q ORDER BY 1
WITH t AS (SELECT 5 AS a) SELECT a, row_number() OVER () FROM t
WITH q AS (SELECT id, flag FROM u ORDER BY id DESC LIMIT 3) SELECT id, bool_or(flag) OVER () FROM q ORDER BY id
WITH w AS (SELECT table_id, record_count, ntile(4) OVER (ORDER BY record_count, data_file_id) AS q FROM ducklake_data_file) SELECT q, min(record_count), max(record_count), count(*) FROM w GROUP BY q ORDER BY q
