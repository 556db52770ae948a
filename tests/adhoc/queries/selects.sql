WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < 5) SELECT * FROM r
WITH RECURSIVE r AS (SELECT 1 AS n, 'a'::text AS p UNION ALL SELECT n + 1, p || 'b' FROM r WHERE n < 4) SELECT n, p FROM r ORDER BY n DESC
WITH RECURSIVE r(n) AS (SELECT 1 UNION SELECT (n + 1) % 3 FROM r) SELECT * FROM r ORDER BY 1
SELECT DISTINCT ON (a) a, id FROM u ORDER BY a, id DESC
SELECT DISTINCT ON (flag) flag, name FROM u ORDER BY flag, name
SELECT * FROM u NATURAL JOIN (SELECT 1::bigint AS id, 'x' AS other) z
SELECT c, count(*) FROM t GROUP BY ROLLUP (c) ORDER BY 1, 2
SELECT c, i, count(*), grouping(c), grouping(c, i) FROM t GROUP BY CUBE (c, i) ORDER BY 1, 2, 3, 4, 5
SELECT c, i, count(*) FROM t GROUP BY GROUPING SETS ((c), (i), ()) ORDER BY 1, 2, 3
SELECT count(*) FILTER (WHERE a > 1), string_agg(b, ',' ORDER BY a), array_agg(DISTINCT c), array_agg(a ORDER BY a DESC) FROM t
SELECT 5 = ALL (ARRAY[5, 5]), 5 > ALL (SELECT id FROM u), 3 < ANY (SELECT id FROM u), 5 <> ALL (ARRAY[1, NULL])
SELECT ARRAY(SELECT id FROM u ORDER BY id DESC), ARRAY(SELECT id FROM u WHERE false)
SELECT s.snapshot_id, max(s.path) FROM s GROUP BY s.snapshot_id ORDER BY 1
SELECT s.snapshot_id, s.path, count(*) FROM s JOIN u ON u.id = s.begin_snapshot GROUP BY s.snapshot_id ORDER BY 1
SELECT a FROM t UNION SELECT id FROM u ORDER BY 1 DESC NULLS LAST LIMIT 3
SELECT a, sum(e) FROM t GROUP BY a ORDER BY sum(e) DESC, a
SELECT b FROM t WHERE b ~ '[[:alpha:]]+' AND b !~ '\d' ORDER BY b
SELECT count(DISTINCT e) FROM t
SELECT e, count(*) FROM t GROUP BY e ORDER BY e
SELECT avg(e), avg(d), sum(d), sum(k) FROM t WHERE a < 3
SELECT a / 2, a % 2, a / NULLIF(i, 0) FROM t WHERE a < 100 ORDER BY a
SELECT i / (a - 2), i % (a - 3) FROM t WHERE a > 3 AND a < 100 ORDER BY a
TABLE u
SELECT relname FROM pg_catalog.pg_class WHERE relname OPERATOR(pg_catalog.~) '^(u)$' COLLATE pg_catalog.default
SELECT id FROM u ORDER BY (SELECT count(*) FROM t WHERE t.a = u.a), id
SELECT (SELECT string_agg(name, '-' ORDER BY id) FROM u) AS names
SELECT id FROM u WHERE EXISTS (SELECT 1 FROM t WHERE t.a = u.a AND t.c) ORDER BY 1
SELECT id FROM u FETCH FIRST 2 ROWS ONLY
SELECT id, a NOT IN (SELECT a FROM t WHERE a IS NOT NULL) FROM u ORDER BY id
