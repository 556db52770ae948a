-- PostgreSQL runs these; they are refused by name
SELECT row_number() OVER () FROM t FOR UPDATE
SELECT a FROM t FOR SHARE
SELECT a INTO x FROM t
SELECT a FROM t TABLESAMPLE SYSTEM (10)
SELECT b FROM t WHERE b ~ '(?=o)one'
SELECT b ~ '(o)\1', row_number() OVER () FROM t
SELECT b ~ 'o+?', row_number() OVER () FROM t
SELECT x, count(*), row_number() OVER () FROM (VALUES ('{}'::jsonb), ('[]')) v(x) GROUP BY x
SELECT row_number() OVER (ORDER BY x) FROM (VALUES ('{}'::jsonb), ('[]')) v(x)
SELECT jsonb_set('{}', '{a}', '1'), row_number() OVER ()
SELECT jsonb_path_query('{}', '$.a')
SELECT '{}'::jsonb @? '$.a'
SELECT '{"a": 1}'::jsonb #- '{a}'
SELECT ('{"a": 1}'::jsonb)['a']
SELECT * FROM json_to_recordset('[{"a": 1}]') AS x(a int)
SELECT * FROM json_populate_record('{}'::json, '{"a": 1}')
SELECT (json_each('{"a": 1}')).* FROM t
SELECT json_each('{"a": 1}')
SELECT row_to_json(q, true) FROM (SELECT 1 AS a) q
SELECT count(q) FROM (SELECT 1 AS a) q
SELECT q IS NULL FROM (SELECT 1 AS a) q
SELECT json_object_agg(DISTINCT b, a) FROM t
SELECT corr(a, i) FROM t
SELECT random(), row_number() OVER ()
SELECT clock_timestamp()
SELECT sqrt(2.0)
SELECT 2.0 ^ 3
SELECT ln(2.5)
SELECT to_char(e, '999.99') FROM t
SELECT to_char(f, 'J') FROM t
SELECT f AT TIME ZONE 'CET' FROM t
SELECT regexp_replace(b, 'a|b', 'x') FROM t
SELECT a FROM t ORDER BY a FETCH FIRST 1 ROW WITH TIES
SELECT (a, i) IN (SELECT a, i FROM t) FROM t
SELECT sum(x), y FROM (VALUES (1.0, 1.50), (2, 1.5)) v(x, y) GROUP BY ROLLUP (y)
SELECT current_time
SELECT '10:00+02'::timetz, row_number() OVER ()
SELECT ARRAY[[1, 2], [3, 4]], row_number() OVER ()
SELECT lag(a) IGNORE NULLS OVER (ORDER BY a) FROM t
SELECT sum(DISTINCT a) OVER () FROM t
SELECT generate_series(1.5, 3)
SELECT t FROM t
SELECT a FROM t WHERE row(a, i) < row(1, 2)
SELECT * FROM ROWS FROM (generate_series(1, 2), generate_series(1, 3)) AS z(a, b)
SELECT pg_notify('news', 'x'), row_number() OVER ()
SELECT pg_try_advisory_lock_shared(g), row_number() OVER () FROM generate_series(1, 3) g
