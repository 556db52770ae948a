SELECT * FROM t
SELECT t.* FROM t
SELECT a, * FROM u
SELECT x.* FROM u AS x
SELECT * FROM u AS x(p, q)
SELECT p, name FROM u x(p, q) ORDER BY p
SELECT * FROM empty
SELECT a FROM t WHERE a > 1
SELECT a FROM t WHERE a > 1 AND a < 6
SELECT a FROM t WHERE a = 1 OR a = 2
SELECT a FROM t WHERE NOT (a = 1)
SELECT a FROM t WHERE c
SELECT a FROM t WHERE NOT c
SELECT a FROM t WHERE c IS NULL
SELECT a FROM t WHERE b = 'one' AND a IN ('1', '5', '77')
SELECT a FROM t WHERE (a >= '1' AND a <= '3')
SELECT a FROM t WHERE b >= 'a' COLLATE "C" AND b < 'p' COLLATE "C"
SELECT a FROM t WHERE 1 = 1
SELECT a FROM t WHERE 1 = 2
SELECT a FROM t WHERE NULL
SELECT a FROM t WHERE a = NULL
SELECT a FROM t WHERE b LIKE '%o%'
SELECT a FROM t WHERE 5 < a
SELECT a FROM t WHERE a BETWEEN 1 AND 3
SELECT a FROM t WHERE f < '2024-05-01 00:00:00+00'
SELECT a FROM t WHERE h = '00000000-0000-0000-0000-000000000000'
SELECT a FROM t WHERE m = '\x0102'::bytea
SELECT a FROM t WHERE d > 0
SELECT a FROM t WHERE d = 'NaN'
SELECT a FROM t WHERE e <= 10.25
SELECT a FROM t WHERE a <= 2.5
SELECT a FROM t WHERE a = 2.0
SELECT a FROM t WHERE i = 7.0 OR k = 0.5
SELECT a FROM t ORDER BY a
SELECT a FROM t ORDER BY a DESC
SELECT a, b FROM t ORDER BY b, a
SELECT a, b FROM t ORDER BY b DESC, a
SELECT a, b FROM t ORDER BY b NULLS FIRST, a DESC
SELECT a, b FROM t ORDER BY b DESC NULLS LAST, a
SELECT a, d FROM t ORDER BY d, a
SELECT a, d FROM t ORDER BY d DESC, a
SELECT a, k FROM t ORDER BY 2, 1
SELECT a AS z FROM t ORDER BY z
SELECT b FROM t ORDER BY a
SELECT b AS a FROM t ORDER BY a, t.a
SELECT a FROM t ORDER BY a LIMIT 2
SELECT a FROM t ORDER BY a LIMIT 2 OFFSET 1
SELECT a FROM t ORDER BY a OFFSET 4
SELECT a FROM t ORDER BY a LIMIT 0
SELECT a FROM t ORDER BY a LIMIT ALL
SELECT a FROM t ORDER BY a LIMIT NULL
SELECT a FROM t ORDER BY a FETCH FIRST 2 ROWS ONLY
SELECT NULL, NULL LIMIT 0
SELECT DISTINCT b FROM t
SELECT DISTINCT c, b FROM t ORDER BY b, c
SELECT DISTINCT d FROM t
SELECT DISTINCT 1, NULL FROM t
SELECT count(*) FROM t
SELECT count(*), count(a), count(b), count(DISTINCT b), count(1) FROM t
SELECT count(*) FROM empty
SELECT max(x), min(x), sum(x), avg(x), count(x), bool_and(x > 0), string_agg(y, ','), array_agg(x) FROM empty
SELECT max(a), min(a), sum(a), avg(a) FROM t WHERE a < 100
SELECT max(i), min(i), sum(i), avg(i), max(j), sum(j), avg(j) FROM t
SELECT max(d), min(d), max(e), min(e), sum(e), avg(e), max(k), min(k) FROM t
SELECT sum(d), avg(d), sum(k), avg(k) FROM t WHERE a IN (1, 2)
SELECT max(b), min(b), max(l), max(f), min(f), max(g), min(g), max(o) FROM t
SELECT bool_and(c), bool_or(c), every(c) FROM t
SELECT bool_and(flag), bool_or(flag) FROM u WHERE flag
SELECT string_agg(b, ',' ORDER BY a) FROM t
SELECT string_agg(b, ',' ORDER BY b DESC, a) FROM t
SELECT string_agg(DISTINCT b, ',') FROM t
SELECT string_agg(name, '') FROM u WHERE id > 2
SELECT array_agg(a ORDER BY a DESC), array_agg(b ORDER BY a) FROM t WHERE a < 6
SELECT sum(DISTINCT a), count(DISTINCT a) FROM u
SELECT count(*) FILTER (WHERE a > 1), sum(a) FILTER (WHERE c) FROM t WHERE a < 100
SELECT max(a) + 1, 10 * count(*), coalesce(max(a), 0) FROM t WHERE a < 100
SELECT 'x', count(*) FROM t
SELECT c, count(*) FROM t GROUP BY c
SELECT c, count(*) AS n FROM t GROUP BY c ORDER BY n DESC, c
SELECT c, max(a) FROM t GROUP BY 1 ORDER BY 1
SELECT b, c, count(*) FROM t GROUP BY b, c ORDER BY b, c
SELECT a % 2, count(*) FROM t WHERE a < 100 GROUP BY a % 2 ORDER BY 1
SELECT a % 2 AS parity, sum(a) FROM t WHERE a < 100 GROUP BY parity ORDER BY parity
SELECT c FROM t GROUP BY c HAVING count(*) > 1
SELECT c, count(*) FROM t GROUP BY c HAVING max(a) > 3 AND c IS NOT NULL
SELECT count(*) FROM t HAVING count(*) > 100
SELECT c FROM t GROUP BY c ORDER BY max(a)
SELECT t.c, c FROM t GROUP BY t.c ORDER BY 1
SELECT upper(b) FROM t GROUP BY upper(b) ORDER BY 1
SELECT length(b) + 1, count(*) FROM t GROUP BY length(b) ORDER BY 1
SELECT d, count(*) FROM t GROUP BY d ORDER BY d
SELECT t.a, u.id FROM t JOIN u ON t.a = u.a ORDER BY 1, 2
SELECT t.a, u.id FROM t, u WHERE t.a = u.a ORDER BY 1, 2
SELECT t.a, u.id FROM t INNER JOIN u ON t.a = u.a AND u.id > 1 ORDER BY 1, 2
SELECT t.a, u.id FROM t LEFT JOIN u ON t.a = u.a ORDER BY 1, 2
SELECT t.a, u.id FROM t LEFT JOIN u ON t.a = u.a AND u.flag ORDER BY 1, 2
SELECT t.a, u.id FROM t LEFT JOIN u ON t.a = u.a WHERE u.id IS NULL ORDER BY 1
SELECT t.a, u.id FROM t LEFT JOIN u ON t.a = u.a WHERE t.a < 3 AND u.id > 1 ORDER BY 1, 2
SELECT t.a, u.id FROM t RIGHT JOIN u ON t.a = u.a ORDER BY 1, 2
SELECT t.a, u.id FROM t RIGHT JOIN u ON t.a = u.a WHERE u.id > 2 ORDER BY 1, 2
SELECT t.a, u.id FROM t FULL JOIN u ON t.a = u.a ORDER BY 1, 2
SELECT t.a, u.id FROM t FULL OUTER JOIN u ON t.a = u.a WHERE t.a IS NULL OR u.id IS NULL ORDER BY 1, 2
SELECT count(*) FROM t CROSS JOIN u
SELECT count(*) FROM t, u, s
SELECT t.a, u.a FROM t JOIN u ON t.a > u.a WHERE t.a < 6 ORDER BY 1, 2
SELECT t.a, u.id FROM t LEFT JOIN u ON u.a < t.a AND t.a < 3 ORDER BY 1, 2
SELECT a, id FROM t JOIN u USING (a) ORDER BY a, id
SELECT * FROM u JOIN (SELECT a, b FROM t) v USING (a) ORDER BY id
SELECT a, id FROM t LEFT JOIN u USING (a) ORDER BY a, id
SELECT a, id FROM t RIGHT JOIN u USING (a) ORDER BY a, id
SELECT a, id FROM t FULL JOIN u USING (a) ORDER BY a, id
SELECT x.id, y.id FROM u x JOIN u y ON x.a = y.a AND x.id < y.id
SELECT x.id, y.id, z.id FROM u x JOIN u y ON x.a = y.a JOIN u z ON z.id = y.id + 1 ORDER BY 1, 2, 3
SELECT x.id, y.id, z.id FROM u x LEFT JOIN u y ON x.a = y.id LEFT JOIN u z ON z.id = y.a ORDER BY 1, 2, 3
SELECT t.a, v.n FROM t JOIN (SELECT a, count(*) AS n FROM u GROUP BY a) v ON v.a = t.a ORDER BY 1
SELECT u.a = t.i, t.d FROM t JOIN u ON u.a = t.d ORDER BY 1
SELECT u.id FROM u JOIN t ON u.a = t.e * 0 + 1
SELECT v.* FROM (SELECT 1 AS x, 'y' AS y) v
SELECT v.x + 1 FROM (SELECT 1 AS x) AS v
SELECT * FROM (SELECT a FROM t WHERE a > 1 ORDER BY a LIMIT 2) v
SELECT count(*) FROM (SELECT DISTINCT b FROM t) v
SELECT count(*) FROM (SELECT 1 UNION SELECT 2 ORDER BY 1) v
SELECT x FROM (SELECT 'a' AS x) v WHERE x = 'a'
SELECT x || 'b', y FROM (SELECT 'a' AS x, NULL AS y) v
SELECT * FROM (VALUES (1, 'a'), (2, 'b')) v
SELECT * FROM (VALUES (1, 'a'), (2, NULL), (NULL, 'c')) v(p, q) ORDER BY p
SELECT column1, column2 FROM (VALUES (1, 2.5), (2, 3)) v ORDER BY column1
VALUES (1, 'a'), (2, 'b')
VALUES (1, NULL), (2.5, 'x') ORDER BY 1
SELECT a FROM t WHERE a IN (SELECT a FROM u)
SELECT a FROM t WHERE a NOT IN (SELECT a FROM u)
SELECT a FROM t WHERE a NOT IN (SELECT a FROM u WHERE a IS NOT NULL)
SELECT a FROM t WHERE a IN (SELECT x FROM empty)
SELECT a FROM t WHERE a NOT IN (SELECT x FROM empty)
SELECT a FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.a = t.a)
SELECT a FROM t WHERE NOT EXISTS (SELECT 1 FROM u WHERE u.a = t.a)
SELECT EXISTS (SELECT 1 FROM empty), EXISTS (SELECT FROM t)
SELECT a, (SELECT count(*) FROM u WHERE u.a = t.a) FROM t ORDER BY a
SELECT a, (SELECT name FROM u WHERE u.id = t.a) AS n FROM t ORDER BY a
SELECT a FROM t WHERE a = (SELECT max(id) FROM u WHERE id < 3)
SELECT a FROM t WHERE a > (SELECT avg(id) FROM u) ORDER BY a
SELECT (SELECT max(a) FROM t WHERE a < 100), (SELECT NULL), (SELECT 'x')
SELECT (SELECT x FROM empty) IS NULL
SELECT a FROM t WHERE a = ANY (SELECT a FROM u)
SELECT id, (SELECT max(t.a) FROM t WHERE t.a < u.id AND t.a > (SELECT min(v.id) FROM u v WHERE v.id < u.id)) FROM u ORDER BY id
SELECT snapshot_id FROM s WHERE snapshot_id = (SELECT MAX(snapshot_id) FROM s)
SELECT path FROM s WHERE begin_snapshot <= 3 AND (end_snapshot IS NULL OR end_snapshot > 3)
SELECT path FROM s WHERE end_snapshot IS NULL
SELECT path FROM s WHERE end_snapshot IS NOT NULL AND end_snapshot <= 5
SELECT path FROM s WHERE 4 >= begin_snapshot AND (3 < end_snapshot OR end_snapshot IS NULL)
SELECT path FROM s WHERE end_snapshot >= 5 OR end_snapshot IS NULL
SELECT path FROM s WHERE begin_snapshot < 2 OR end_snapshot > 6
SELECT path FROM s WHERE snapshot_id IN (1, 2, 3) AND snapshot_id IN ('3', '4')
SELECT path FROM s WHERE snapshot_id > 1 AND snapshot_id >= 3 AND snapshot_id < 6 AND snapshot_id <= 5
SELECT max(snapshot_id), count(*), min(end_snapshot), max(path) FROM s
SELECT max(snapshot_id), count(*) FROM s WHERE begin_snapshot <= 4
SELECT count(*) FROM s WHERE end_snapshot IS NULL
SELECT 1 UNION SELECT 1
SELECT 1 UNION ALL SELECT 1
SELECT 1 UNION SELECT 2 UNION SELECT 3 ORDER BY 1 DESC
SELECT 1 AS x UNION ALL SELECT 2.5 ORDER BY x
SELECT NULL AS x UNION ALL SELECT 2 ORDER BY x NULLS FIRST
SELECT 2 AS x UNION ALL SELECT NULL ORDER BY x
SELECT NULL UNION SELECT NULL
SELECT 'a' UNION SELECT 'b' ORDER BY 1
SELECT '1' UNION SELECT 2 ORDER BY 1
SELECT a FROM t INTERSECT SELECT a FROM u
SELECT a FROM t EXCEPT SELECT a FROM u ORDER BY a
SELECT a FROM u EXCEPT ALL SELECT 1 ORDER BY a
SELECT a FROM u INTERSECT ALL SELECT a FROM t ORDER BY a
SELECT 1 UNION ALL SELECT 2 UNION SELECT 2
(SELECT a FROM t ORDER BY a LIMIT 1) UNION ALL (SELECT id FROM u ORDER BY id DESC LIMIT 1)
SELECT 1 UNION ALL (SELECT 2 EXCEPT SELECT 2)
SELECT b FROM t UNION SELECT name FROM u ORDER BY 1
WITH x AS (SELECT 1 AS n) SELECT n + 1 FROM x
WITH x(p, q) AS (VALUES (1, 'a'), (2, 'b')) SELECT q, p FROM x ORDER BY p
WITH x AS (SELECT a FROM t WHERE a > 1), y AS (SELECT a FROM x WHERE a < 6) SELECT count(*), max(a) FROM y
WITH x AS (SELECT a FROM t) SELECT x.a, y.a FROM x JOIN x y ON x.a = y.a ORDER BY 1
WITH t AS (SELECT 1 AS a) SELECT * FROM t
SELECT * FROM (WITH x AS (SELECT 5 AS v) SELECT v FROM x) w
WITH x AS (SELECT 1 UNION ALL SELECT 2) SELECT count(*) FROM x
SELECT "public"."t"."a" FROM "public"."t" ORDER BY 1
SELECT public.t.a FROM public.t WHERE public.t.a = 1
SELECT T.A FROM T WHERE T.B = 'one' ORDER BY 1
SELECT a a, b "B" FROM t WHERE a = 1
SELECT snapshot_id, COALESCE((SELECT STRING_AGG(path, '' ORDER BY snapshot_id) FROM s c WHERE c.snapshot_id > 2), '') AS changes, NULL AS z FROM s WHERE snapshot_id = (SELECT MAX(snapshot_id) FROM s) UNION ALL SELECT NULL, NULL, id FROM u LEFT JOIN t USING (a) WHERE id IS NOT NULL ORDER BY z NULLS FIRST
SELECT max(b) FROM t GROUP BY c HAVING count(*) > 0 ORDER BY 1 LIMIT 2
SELECT count(*), c FROM t WHERE a IN (SELECT id FROM u) GROUP BY c ORDER BY c
SELECT DISTINCT c FROM t ORDER BY c DESC LIMIT 2
SELECT id FROM u WHERE name IN ('first', 'fifth') OR flag IS NULL ORDER BY id DESC
SELECT id, name FROM u WHERE (flag OR id = 5) AND name IS NOT NULL ORDER BY name
SELECT 1 FROM t WHERE a IS NOT NULL LIMIT 3
SELECT NULL FROM u
SELECT sum(a) / count(*) FROM u
SELECT avg(a), sum(a) FROM u
SELECT u.id, v.column1 FROM u, (VALUES (1), (3)) v WHERE u.id = v.column1 ORDER BY 1
SELECT i + 1 AS z FROM t WHERE a IN (1, 2) ORDER BY z DESC LIMIT 2
SELECT b FROM t WHERE a < 10 ORDER BY a + 1 DESC
SELECT t.ctid, a FROM empty, t WHERE false
SELECT x.id, y.id, t.a FROM u x, u y LEFT JOIN t ON t.a = y.a WHERE x.id = y.id AND x.id > 1 ORDER BY 1
SELECT x.id, y.id, t.a FROM u x, u y LEFT JOIN t ON t.a = y.a AND t.a > 1 WHERE x.id = y.id + 1 AND (t.a IS NULL OR t.a = 2) ORDER BY 1
SELECT x.id, y.id, z.id FROM u x LEFT JOIN u y ON y.id = x.a JOIN u z ON z.id = x.id WHERE z.id < 4 AND z.a = x.a ORDER BY 1
SELECT x.id, y.id, z.id FROM u x JOIN u y ON y.id = x.a RIGHT JOIN u z ON z.id = x.id WHERE z.id < 4 ORDER BY 3
SELECT x.id, y.id FROM u x FULL JOIN u y ON y.id = x.a WHERE y.id > 2 ORDER BY 1, 2
