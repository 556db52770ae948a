SELECT x FROM t
SELECT t.x FROM t
SELECT z.a FROM t
SELECT a FROM nope
SELECT a FROM nosuch.t
SELECT id FROM u x WHERE u.id = 1
SELECT a FROM t, u
SELECT a FROM t JOIN u ON a = a
SELECT t.a FROM t, t
SELECT 1/0
SELECT a / 0 FROM t
SELECT 1 % 0
SELECT 1.5 / 0
SELECT 1::float8 / 0
SELECT 'x'::bigint
SELECT a = 'x' FROM t
SELECT 'x' + 1
SELECT true + 1
SELECT a = b FROM t
SELECT c = 1 FROM t
SELECT a AND true FROM t
SELECT NOT a FROM t
SELECT a FROM t WHERE a
SELECT a FROM t WHERE 'maybe'
SELECT nosuch(1)
SELECT lower(1)
SELECT length(1)
SELECT max(c) FROM t
SELECT sum(b) FROM t
SELECT a, count(*) FROM t
SELECT b FROM t GROUP BY a
SELECT count(*) FROM t WHERE count(*) > 1
SELECT max(max(a)) FROM t
SELECT a FROM t GROUP BY count(*)
SELECT * FROM t GROUP BY a
SELECT a FROM t ORDER BY 9
SELECT a FROM t ORDER BY 0
SELECT a FROM t GROUP BY 9
SELECT a FROM t LIMIT -1
SELECT a FROM t OFFSET -1
SELECT DISTINCT a FROM t ORDER BY b
SELECT 1 UNION SELECT 1, 2
SELECT 1 UNION SELECT true
SELECT 1 UNION SELECT 'x'
SELECT (SELECT a FROM t)
SELECT (SELECT 1, 2)
SELECT a IN (SELECT 1, 2) FROM t
SELECT CASE WHEN 1 THEN 2 END
SELECT CASE WHEN true THEN 1 ELSE true END
SELECT CASE WHEN true THEN 1 ELSE 'x' END
SELECT COALESCE(1, true)
SELECT 9223372036854775807 + 1
SELECT 2147483647 + 1
SELECT 32767::smallint + 1::smallint
SELECT 2147483647 * 2
SELECT 300::smallint * 300::smallint
SELECT 99999999999::integer
SELECT 40000::smallint
SELECT '99999999999999999999'::bigint
SELECT 1e400::float8
SELECT 1e40::real
SELECT 'NaN'::float8::bigint
SELECT 123.456::numeric(4,2)
SELECT '2024-13-01'::date
SELECT 'x'::timestamp
SELECT 'x'::uuid
SELECT 'x'::boolean
SELECT '\xzz'::bytea
SELECT true::date
SELECT 1::uuid
SELECT '2024-01-01'::date::bigint
SELECT 1::nosuchtype
SELECT 'a' LIKE 1
SELECT 1 LIKE 'a'
SELECT a LIKE 'a' FROM t
SELECT 'a' ~ '('
SELECT substring('abc', 1, -1)
SELECT split_part('a', ',', 0)
SELECT current_setting('no.such.setting')
SELECT 'nosuchtable'::regclass
SELECT * 
SELECT nope.* FROM t
SELECT a FROM (SELECT 1)  v
SELECT * FROM (VALUES (1), (2, 3)) v
VALUES (1), ('x')
SELECT * FROM t x(a1, b1, c1, d1, e1, f1, g1, h1, i1, j1, k1, l1, m1, o1, p1)
WITH x AS (SELECT 1), x AS (SELECT 2) SELECT 1
SELECT * FROM t JOIN u USING (nosuch)
SELECT h = 1 FROM t
SELECT g = a FROM t
SELECT ctid = 1 FROM t
SELECT a IN (1, 'x') FROM t
SELECT a BETWEEN 'x' AND 2 FROM t
SELECT c || c FROM t
SELECT - b FROM t
SELECT count(*, 1) FROM t
SELECT a COLLATE "C" FROM t
SELECT a FROM t WHERE (SELECT 1)
SELECT abs('x')
SELECT 1 WHERE 1
SELECT count(DISTINCT) FROM t
SELECT a + 1 AS z FROM t ORDER BY z DESC LIMIT 2
SELECT b FROM t ORDER BY a + 1 DESC
SELECT ctid, a FROM empty, t WHERE false
SELECT 'infinity'::timestamp - '2024-01-01'::timestamp
SELECT '{'::json
SELECT '{"a": 1,}'::jsonb
SELECT x::json FROM (VALUES ('[1, 2'), ('x')) v(x)
SELECT 'NaN'::jsonb
SELECT '"\u0000"'::jsonb
SELECT '{"a": "\u0000"}'::json ->> 'a'
SELECT '"\ud800"'::jsonb
SELECT json '[1, 2]' -> 1.5
SELECT '{"a": 1}'::json -> 1::bigint
SELECT '{}'::json @> '{}'::json
SELECT '{}'::json ? 'a'
SELECT 'x'::text -> 'a'
SELECT 1 -> 'a'
SELECT '{}'::json = '{}'::json
SELECT DISTINCT x FROM (VALUES ('{}'::json), ('[]')) v(x)
SELECT x, count(*) FROM (VALUES ('{}'::json), ('[]')) v(x) GROUP BY x
SELECT x FROM (VALUES ('{}'::json), ('[]')) v(x) ORDER BY x
SELECT count(DISTINCT x) FROM (VALUES ('{}'::json), ('[]')) v(x)
SELECT json_agg(DISTINCT x) FROM (VALUES ('{}'::json), ('[]')) v(x)
SELECT min(x) FROM (VALUES ('{}'::jsonb), ('[]')) v(x)
SELECT json_build_object('a')
SELECT json_build_object(NULL, 1)
SELECT jsonb_build_object('a', 1, NULL, 1)
SELECT json_build_object(ARRAY[1], 1)
SELECT json_build_object('{}'::json, 1)
SELECT to_json('x')
SELECT to_jsonb(NULL)
SELECT json_agg('x')
SELECT to_json(1, 2)
SELECT row_to_json(1)
SELECT json_object_agg(x, 1) FROM (VALUES ('a'), (NULL)) v(x)
SELECT jsonb_object_agg(x, 1) FROM (VALUES ('a'), (NULL)) v(x)
SELECT json_array_length('{}')
SELECT jsonb_array_length('5')
SELECT json_array_length('x')
SELECT json_typeof('[1]'::text)
SELECT jsonb_typeof('[1]'::json)
SELECT * FROM json_each('[1]')
SELECT * FROM jsonb_each('5')
SELECT * FROM json_object_keys('[]')
SELECT * FROM json_array_elements('{}')
SELECT * FROM jsonb_array_elements_text('1')
SELECT * FROM json_array_elements('[1'::text)
SELECT '1'::jsonb - 'a'
SELECT '{}'::jsonb - 1
SELECT '{}'::json - 'a'
SELECT '{}'::json || '{}'::json
SELECT json_extract_path('{}')
SELECT json_agg(a, b) FROM t
SELECT json_nope('{}')
SELECT '"1"'::jsonb::int
SELECT 'null'::jsonb::numeric
SELECT '1'::jsonb::bool
SELECT '70000'::jsonb::smallint
SELECT '1'::json::int
SELECT '1'::jsonb::date
SELECT 1::jsonb
SELECT now() AT TIME ZONE 'Europe/Atlantis'
SELECT now() AT TIME ZONE INTERVAL '1 month'
SELECT '2024-07-01 12:00 Europe/Atlantis'::timestamptz
SELECT date_trunc('day', now(), 'Mars/Olympus')
