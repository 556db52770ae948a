SELECT 1
SELECT 1 AS one, 'x', NULL, true, 1.5, 3000000000, 99999999999999999999
SELECT -1, - 5, +3, -(-2), -2147483648, -9223372036854775808, 2147483648
SELECT 1 + 2, 7 / 2, -7 / 2, 7 % 3, -7 % 3, 7 % -3, 2 * 3.5, 1.0 / 3, 10 / 4.0
SELECT 1.5 + 2, 3 - 0.25, 1.10 * 2.20, 100.0 / 7, 1 / 3.0, 22.5 / 7.25, 0.0001 / 12345, 123456789.123 / 0.001
SELECT 5.5 % 2, -5.5 % 2, 5 % 2.25
SELECT a + 1, a * 2, a - i, i + j, j + 1, d + 1, d * e, k + 1, k * d, e / 3 FROM t WHERE a = 1
SELECT i / 2, i % 4, j / 1 FROM t ORDER BY a
SELECT '5' + 1, 1 + '5', '1.5' + 2.5, '7'::bigint / '2'
SELECT 'a' || 'b', 'a' || 1, 1 || 'a', 'x' || NULL, b || l FROM t WHERE a <= 2 ORDER BY a
SELECT true AND NULL, false AND NULL, true OR NULL, false OR NULL, NOT NULL::boolean, NULL AND NULL, NULL OR NULL
SELECT true AND true, true AND false, false OR true, NOT true, NOT false
SELECT 1 = 1, 1 <> 2, 1 != 1, 1 < 2, 1 > 2, 1 <= 1, 1 >= 2, NULL = 1, NULL = NULL, 1 = NULL
SELECT 'a' = 'a', 'a' < 'b', 'B' < 'a', 'é' > 'z', '' < 'a', 'a' = 'a '
SELECT 1 = 1.0, 1.5 > 1, 2 = '2', '2' = 2, 1.0 = '1.00', 1::real = 1.0, 0.1::real = 0.1::double precision
SELECT a = '1', a IN ('1', '2'), a > '1', c = 'true', c = 't', f = '2024-01-02 03:04:05.678', g >= '2024-01-01', h = '01A22A8F7421711BB6F5516E8673243A' FROM t ORDER BY a
SELECT 1 IN (1, 2), 3 IN (1, 2), NULL IN (1), 1 IN (2, NULL), 1 IN (1, NULL), 1 NOT IN (2, NULL), 1 NOT IN (2, 3)
SELECT 'a' IN ('a', 'b'), 'c' NOT IN ('a', 'b'), 1 IN (1.0, 2), 1.5 IN (1, 2)
SELECT NULL IS NULL, 1 IS NULL, 1 IS NOT NULL, NULL IS NOT NULL, 'x' IS NULL
SELECT true IS TRUE, NULL IS TRUE, false IS NOT TRUE, NULL IS NOT FALSE, true IS FALSE, NULL IS UNKNOWN, true IS NOT UNKNOWN
SELECT 1 IS DISTINCT FROM 2, 1 IS DISTINCT FROM 1, NULL IS DISTINCT FROM NULL, NULL IS DISTINCT FROM 1, 1 IS NOT DISTINCT FROM NULL, NULL IS NOT DISTINCT FROM NULL
SELECT a IS DISTINCT FROM 1, b IS NOT DISTINCT FROM 'one', d IS DISTINCT FROM 'NaN' FROM t ORDER BY a
SELECT 5 BETWEEN 1 AND 10, 0 BETWEEN 1 AND 10, NULL BETWEEN 1 AND 2, 5 NOT BETWEEN 1 AND 3, 5 BETWEEN SYMMETRIC 10 AND 1, '5' BETWEEN 1 AND 9, 3 BETWEEN '1' AND '9'
SELECT 'abc' LIKE 'a%', 'abc' LIKE '_b_', 'abc' LIKE 'abc', 'abc' LIKE 'b', 'a%c' LIKE 'a\%c', 'abc' NOT LIKE 'x%', 'ABC' ILIKE 'abc', NULL LIKE 'a', 'a' LIKE NULL
SELECT l LIKE 'A\_b%', l LIKE '%''%', b LIKE 'o%', b ILIKE 'TW%', b NOT LIKE '%o%' FROM t ORDER BY a
SELECT 'abc' ~ 'b', 'abc' ~ '^b', 'abc' ~* 'B', 'abc' !~ 'x', 'abc' ~ '^(a|x)bc$'
SELECT CASE WHEN 1 = 1 THEN 'yes' ELSE 'no' END, CASE 2 WHEN 1 THEN 'a' WHEN 2 THEN 'b' END, CASE WHEN NULL THEN 1 END, CASE WHEN false THEN 1 ELSE 2.5 END
SELECT CASE WHEN a > 1 THEN a ELSE 0 END, CASE c WHEN true THEN 1 WHEN false THEN 0 ELSE -1 END, CASE WHEN b = 'one' THEN b END AS named FROM t ORDER BY a
SELECT CASE WHEN a <> 0 THEN 10 / a ELSE NULL END FROM t WHERE a < 6 ORDER BY a
SELECT CASE WHEN true THEN 1 ELSE 1 / 0 END
SELECT COALESCE(NULL, 1), COALESCE(NULL, NULL), COALESCE('a', 'b'), COALESCE(NULL, 2, 3), COALESCE(1, 2.5), COALESCE(NULL, 'x'::varchar)
SELECT COALESCE(b, 'none'), COALESCE(i, a), COALESCE(j, i), COALESCE(e, 0), COALESCE(a, '7') FROM t ORDER BY a
SELECT NULLIF(1, 1), NULLIF(1, 2), NULLIF('a', 'a'), NULLIF(NULL, 1), NULLIF(a, 1), NULLIF(b, 'one') FROM t ORDER BY a
SELECT GREATEST(1, 2, 3), LEAST(1, NULL, -3), GREATEST(NULL, NULL), GREATEST('a', 'b'), LEAST(1, 2.5), GREATEST(a, i) FROM t ORDER BY a
SELECT '12'::bigint, '1.5'::numeric, 'true'::boolean, 'abc'::text, 'abc'::varchar, '2024-02-29'::date, '2024-01-01 10:00'::timestamp, '2024-01-01 10:00+02'::timestamptz, '10:00'::time, '1 day'::interval, '\x01'::bytea, '01a22a8f-7421-711b-b6f5-516e8673243a'::uuid
SELECT CAST('7' AS INTEGER), CAST(7.5 AS INTEGER), CAST(-7.5 AS INTEGER), CAST(6.5 AS BIGINT), CAST(2.5::float8 AS INTEGER), CAST(3.5::float8 AS INTEGER), CAST('x' AS VARCHAR(3)), CAST('abcdef' AS VARCHAR(3)), CAST(1 AS BOOLEAN), CAST(true AS INTEGER), CAST(true AS TEXT), CAST(123 AS VARCHAR(2))
SELECT CAST(NULL AS BOOLEAN), CAST(NULL AS BIGINT), NULL::text, NULL::uuid
SELECT CAST(1.005 AS NUMERIC(10,2)), CAST(123.456 AS NUMERIC(5,1)), CAST(5 AS NUMERIC(4,2)), 1e3, 1.5e-3, .5, 5.::numeric, 1e0, 0.10
SELECT 1::double precision, 1.1::real, 0.1::real::double precision, 1e20::double precision, 1e-7::double precision, 123456789::real, 1.5::float8::numeric, 0.1::real::numeric, 'NaN'::float8, '-Infinity'::float8, 'NaN'::numeric
SELECT a::text, b::text, c::text, d::text, e::text, f::text, g::text, h::text, m::text, o::text FROM t ORDER BY a
SELECT a::varchar, c::varchar, d::varchar(3), e::varchar, g::varchar FROM t ORDER BY a
SELECT a::double precision, a::numeric, i::bigint, i::smallint, j::integer, e::bigint, e::double precision, k::double precision FROM t WHERE a IN (1, 2) ORDER BY t.a
SELECT f::date, f::timestamp, g::timestamp, g::timestamptz, f::time FROM t ORDER BY a
SELECT 'abc' COLLATE "C", b COLLATE "C", b COLLATE "default" FROM t WHERE b = 'one' COLLATE "C" ORDER BY a
SELECT length('abc'), length('é'), lower('ABC'), upper('aé'), substring('abcdef', 2), substring('abcdef', 2, 3), substring('abc', 0, 2), substring('abc', -1, 3), substring('abc' FROM 2 FOR 1), left('abc', 2), left('abc', -1), right('abc', 2), right('abc', -1)
SELECT replace('banana', 'an', 'x'), split_part('a,b,c', ',', 2), split_part('a,b,c', ',', 9), split_part('a,b,c', ',', -1), trim('  x '), trim(both 'x' from 'xxaxx'), ltrim('  a '), rtrim(' a  '), btrim('xyax', 'xy'), strpos('abc', 'c')
SELECT concat('a', NULL, 1, true), concat_ws(',', 'a', NULL, 'b'), md5('a'), starts_with('abc', 'ab'), quote_ident('a'), quote_ident('A b'), quote_literal('it''s')
SELECT abs(-5), abs(-5.5), abs(-1::bigint), round(2.5), round(-2.5), round(1.2345, 2), round(1234.5, -2), round(2.5::float8), round(3.5::float8), floor(2.7), floor(-2.7), ceil(2.1), floor(2.7::float8), ceil(-0.5::float8), sign(-3), sign(2.5)
SELECT abs(a), abs(i), abs(j), round(e), round(d), floor(e), floor(d), ceil(k) FROM t WHERE a <> 3 ORDER BY a
SELECT length(b), upper(b), lower(l), length(m), substring(b, 1, 1) FROM t ORDER BY a
SELECT ARRAY[1, 2, NULL], ARRAY['a', 'b'], 2 = ANY(ARRAY[1, 2]), 3 = ANY(ARRAY[1, 2]), NULL = ANY(ARRAY[1]), 3 = ANY(ARRAY[1, NULL]), array_to_string(ARRAY[1, NULL, 3], ','), array_to_string(ARRAY['a', NULL], '-', '*'), '{1,2}'::int[], 1 = ANY('{1,2}')
SELECT current_database(), current_schema(), current_schema, current_user, session_user, user, pg_is_in_recovery(), pg_backend_pid() > 0
SELECT current_setting('server_version') IS NOT NULL, current_setting('no.such', true), format_type(20, NULL), format_type(1043, 14), format_type(1700, 655366), pg_encoding_to_char(6), current_schemas(false)
SELECT now() = now(), now() = CURRENT_TIMESTAMP, now() > '2000-01-01', now() IS NULL
SELECT ctid = ctid, ctid IS NULL, ctid > '(0,0)', ctid BETWEEN '(0,0)'::tid AND '(4294967295,0)'::tid, ctid IN ('(9999,1)') FROM t
SELECT (a, b) = (1, 'one'), (a, b) IN ((1, 'one'), (2, 'x')), (a, b) <> (1, 'one') FROM t ORDER BY a
SELECT f > g, g < f, f = '2024-01-02 03:04:05.678'::timestamptz, g = '2024-01-02'::date, g + 1, g - 1, g - '2023-01-01'::date FROM t ORDER BY a
SELECT d = 'NaN', d > 1, d < 'NaN', d = d, k = 'NaN', k > d FROM t ORDER BY a
SELECT e = 10.25, e > 10, e < d, e = a, i = a, j < i, k = d FROM t ORDER BY a
SELECT c AND a > 1, c OR a > 1, NOT c, c = true, c <> true, c IS TRUE, c IS NOT FALSE FROM t ORDER BY a
SELECT 1::text AS x, 1::bigint, true::text, (1)::smallint, 'a'::varchar(5), '1'::"char", 'n'::name, 26::oid, -1::smallint
SELECT '(0,1)'::tid, '(0,1)'::tid < '(0,2)'::tid, '(1,1)'::tid = '(1,1)'
SELECT "a", "b" AS "B c", t."a", t.a AS A FROM t ORDER BY 1
SELECT 'it''s', E'a\nb', 'back\slash', $$dollar$$
SELECT '2024-01-01'::date = '2024-01-01 00:00'::timestamp, '2024-01-01'::date < now(), time '10:00' < '11:00', interval '1 day' = '24 hours', date '2024-01-01'
SELECT NULL = 'a', NULL || 'a', NULL + 1, -NULL::int, NULL::boolean IS NOT TRUE
SELECT '' = '', ' ' = '', ''::varchar = '', 'a'::char(3) = 'a', 'a'::char(3)::text = 'a'
SELECT 10::bigint * 10::integer, 10::smallint * 10::smallint, 1::real + 1::double precision, 1::numeric + 1::double precision, 1::bigint + 1.5, 1::real * 2
SELECT obj_description(1, 'pg_class'), col_description(1, 1), pg_get_userbyid(10), has_schema_privilege('public', 'usage'), octet_length('é')
SELECT '2024-01-02 03:00'::timestamptz - '2024-01-02 05:00'::timestamptz, '2024-01-01 10:00'::timestamp - '2023-12-25 11:00:00.5'::timestamp, now() - now() FROM t ORDER BY a
SELECT 6 & 3, 6 | 1, 6 # 3, 5::bigint & 4::smallint, i & 1 FROM t ORDER BY a
SELECT json_build_object('a', 1, 'b', NULL, 'c', c, 'd', e, 'e', 'x"y', 'f', b, 'g', '[1]'::json, 'h', d) FROM t ORDER BY a
SELECT '{"b" : 1, "a":[1.50]}'::jsonb, '[1]'::json, '{"a":1}'::jsonb::text, '"x"'::text::json, '{"a" : 1}'::json::jsonb
SELECT (ARRAY['x', 'y', 'z'])[a], (ARRAY['x', 'y', 'z'])[a + 1], (ARRAY['x', 'y', 'z'])[a * 2 - 1] FROM t WHERE a BETWEEN 0 AND 100 ORDER BY a
SELECT '{"b" : 1,  "a":2, "b":3}'::json, '{"b" : 1,  "a":2, "b":3}'::jsonb, '[1.00, 1e3, -0, 1.5e-2]'::jsonb, ' [1 ,2] '::json
SELECT x::json, x::jsonb, x::json::text, x::jsonb::text, x::jsonb::json FROM (VALUES ('{"k": [1, {"z": null}]}'), ('"s"'), (NULL)) v(x)
SELECT '{"a": {"b": [10, 20, "x"]}}'::json -> 'a', '{"a": {"b" :  [10, 20]}}'::json -> 'a' -> 'b', '{"a": 1, "a": 2}'::json -> 'a'
SELECT '{"a": {"b": [1, {"c": "deep"}]}}'::json #> '{a,b,1,c}', '{"a": {"b": [1, {"c": "deep"}]}}'::jsonb #>> '{a,b,-1,c}'
SELECT '"s"'::jsonb -> 'a', '1'::json -> 'a', '[1]'::jsonb -> 'a', '{"0": 1}'::jsonb -> 0, '[1]'::json ->> 'a', '"x"'::jsonb #>> '{}'
SELECT '{"a": 1, "b": {"c": 2}}'::jsonb @> '{"b": {}}', '[1, 2, [3]]'::jsonb @> '[[3], 1]', '["foo", "bar"]'::jsonb @> '"bar"', '"bar"'::jsonb @> '["bar"]'
SELECT '{"a": null}'::jsonb @> '{"a": null}', '[]'::jsonb @> '[]', '{}'::jsonb @> '[]', '[true]'::jsonb @> 'true', '{"a":[1]}'::jsonb @> '{"a":1}'
SELECT '{"a": 1}'::jsonb ?| ARRAY['x', 'a'], '{"a": 1, "b": 2}'::jsonb ?& ARRAY['a', 'b'], '["a"]'::jsonb ?& ARRAY['a', 'c'], '{"a": 1}'::jsonb ?| '{}'
SELECT '{"a": 1, "b": 2}'::jsonb - 'a', '["a", "b", "a"]'::jsonb - 'a', '[1, 2, 3]'::jsonb - 1, '[1, 2, 3]'::jsonb - -1, '{"a": 1, "b": 2}'::jsonb - ARRAY['a', 'b'], '[1]'::jsonb - 5
SELECT '{"a.b": 1, "$": 2, "": 3, "a[0]": 4}'::json -> 'a.b', '{"a.b": 1, "$": 2, "": 3}'::jsonb -> '$', '{"": 3}'::json -> '', '{"a[0]": 4}'::jsonb ->> 'a[0]'
SELECT '{"a": 1}'::jsonb = '{"a": 1.0}', '[1, 2]'::jsonb < '[3]', '{}'::jsonb > '[]', '"b"'::jsonb > '"a"', '1'::jsonb <> 'true', '[]'::jsonb < 'null', 'null'::jsonb < '"a"'
SELECT x FROM (VALUES ('{"a": 1}'::jsonb), ('{"a": 2}')) v(x) WHERE x = '{"a":1}'
SELECT json_build_object('a', 1, 'b', 'x', 'c', NULL, 'd', true, 'e', 1.50, 'f', ARRAY[1, 2], 'g', '{"k" : 1}'::json), json_build_object()
SELECT json_build_array(1, 'a', NULL, true, 2.50, DATE '2024-02-29', ARRAY[true, false]), jsonb_build_array(1, 'a', NULL, 1e20::float8), json_build_array(), jsonb_build_array()
SELECT array_to_json(ARRAY[1, NULL, 3]), to_json('{"a":  1}'::json), to_jsonb('{"a":  1}'::json), to_json('{"b":1,"a":2}'::jsonb), to_json(TIMESTAMP '0044-03-15 10:00:00 BC')
SELECT json_typeof(x::json), jsonb_typeof(x::jsonb) FROM (VALUES ('{}'), (' [1]'), ('"s"'), ('-1.5'), ('true'), ('false'), ('null'), (NULL)) v(x)
SELECT json_extract_path('{"a": {"b": [1, 2]}}', 'a', 'b', '1'), json_extract_path_text('{"a": {"b": "x"}}', 'a', 'b'), jsonb_extract_path('{"a": 1}', 'b'), jsonb_extract_path_text('{"a": [null]}', 'a', '0')
SELECT * FROM jsonb_each('{"bb": 1, "a": {"x" : 2}, "c": null}') AS e ORDER BY e.key
SELECT k, v FROM jsonb_each_text('{"b": "x", "a": [1,2], "c": null}') WITH ORDINALITY AS e(k, v, n) WHERE n > 1 ORDER BY n
SELECT * FROM jsonb_object_keys('{"bb": 1, "a": 2, "bb": 3}') k
SELECT * FROM jsonb_array_elements('[1, "a", null, {"k" :  [1]}]') WITH ORDINALITY AS e(v, n) ORDER BY n
SELECT e ->> 'name' AS name, (e ->> 'n')::int * 2 AS twice FROM json_array_elements('[{"name": "x", "n": 1}, {"name": "y", "n": "20"}]'::json) AS e ORDER BY 1
SELECT json_array_elements('[1, [2]]'), jsonb_array_elements_text('["x", "y"]')
SELECT count(*) FROM jsonb_array_elements('[]'), json_each('{"a": 1}')
SELECT '1.5'::jsonb::numeric, '2.5'::jsonb::int, ('{"a": 7}'::jsonb -> 'a')::bigint, '1e3'::jsonb::float8, 'true'::jsonb::bool, '12.345'::jsonb::numeric(4,1), '3'::jsonb::real
SELECT TIMESTAMPTZ '2024-07-01 12:00:00+00' AT TIME ZONE 'Europe/Berlin', TIMESTAMP '2024-07-01 14:00:00' AT TIME ZONE 'Europe/Berlin'
SELECT TIMESTAMPTZ '2024-01-01 12:00:00+00' AT TIME ZONE 'America/New_York', TIMESTAMP '2024-01-01 07:00:00' AT TIME ZONE 'America/New_York'
SELECT TIMESTAMP '2024-03-31 02:30:00' AT TIME ZONE 'Europe/Berlin', TIMESTAMP '2024-10-27 02:30:00' AT TIME ZONE 'Europe/Berlin', TIMESTAMP '2024-03-31 02:00:00' AT TIME ZONE 'Europe/Berlin', TIMESTAMP '2024-03-31 03:00:00' AT TIME ZONE 'Europe/Berlin'
SELECT TIMESTAMP '2024-11-03 01:30:00' AT TIME ZONE 'America/New_York', TIMESTAMP '2024-03-10 02:30:00' AT TIME ZONE 'America/New_York', TIMESTAMP '2014-10-26 01:30:00' AT TIME ZONE 'Europe/Moscow', TIMESTAMP '2011-12-30 12:00:00' AT TIME ZONE 'Pacific/Apia'
SELECT x AT TIME ZONE 'UTC' AT TIME ZONE 'Asia/Kolkata', x AT TIME ZONE 'Australia/Lord_Howe', x AT TIME ZONE 'Asia/Kathmandu' FROM (VALUES (TIMESTAMPTZ '2024-04-06 15:00:00+00'), ('2024-04-06 14:30:00+00'), ('infinity'), (NULL), ('-infinity')) v(x)
SELECT TIMESTAMPTZ '1850-01-01 00:00:00+00' AT TIME ZONE 'Europe/Berlin', TIMESTAMPTZ '0044-03-15 12:00:00+00 BC' AT TIME ZONE 'Europe/Berlin', TIMESTAMPTZ '1893-04-01 00:00:00+00' AT TIME ZONE 'Europe/Berlin', TIMESTAMP '1800-06-01 12:00:00' AT TIME ZONE 'Europe/Amsterdam'
SELECT TIMESTAMPTZ '2050-07-01 12:00:00+00' AT TIME ZONE 'Europe/Berlin', TIMESTAMPTZ '9999-12-31 23:30:00+00' AT TIME ZONE 'Europe/Berlin', TIMESTAMPTZ '12024-07-01 12:00:00+00' AT TIME ZONE 'America/New_York', TIMESTAMP '50000-03-01 12:00:00' AT TIME ZONE 'Europe/London'
SELECT DATE '2024-07-01'::timestamp, TIMESTAMP '2024-07-01 12:30'::date::text, TIME '12:00'::interval, '2024-07-01'::date::timestamp
