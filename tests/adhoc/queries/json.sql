-- casts, and what is kept of a text
SELECT '{"b" : 1,  "a":2, "b":3}'::json, '{"b" : 1,  "a":2, "b":3}'::jsonb, '[1.00, 1e3, -0, 1.5e-2]'::jsonb, ' [1 ,2] '::json
SELECT json '{"a": 1}', jsonb '{"aa": 1, "b": [true, null]}', 'null'::jsonb, '"é\u00e9\n"'::jsonb, '"\u0041"'::json
SELECT x::json, x::jsonb, x::json::text, x::jsonb::text, x::jsonb::json FROM (VALUES ('{"k": [1, {"z": null}]}'), ('"s"'), (NULL)) v(x)
SELECT x::json::jsonb FROM (VALUES ('{"zz": 1, "a": 2, "b": 3}')) v(x)
-- operators
SELECT '{"a": {"b": [10, 20, "x"]}}'::json -> 'a', '{"a": {"b" :  [10, 20]}}'::json -> 'a' -> 'b', '{"a": 1, "a": 2}'::json -> 'a'
SELECT '{"a": {"b": [10, 20, "x"]}}'::jsonb -> 'a' -> 'b' -> 2, '[1, 2, 3]'::jsonb -> -1, '[1, 2, 3]'::jsonb -> 3, '[1, 2]'::json -> -3
SELECT '{"a": "t\"x", "b": null, "c": [ 1,2 ], "d": 1.50}'::json ->> k FROM unnest(ARRAY['a', 'b', 'c', 'd', 'e']) u(k)
SELECT '{"a": "t\"x", "b": null, "c": [ 1,2 ], "d": 1.50}'::jsonb ->> k FROM unnest(ARRAY['a', 'b', 'c', 'd', 'e']) u(k)
SELECT '[1, "zwei", null, {"a": 1}, [2]]'::json ->> n, '[1, "zwei", null, {"a": 1}, [2]]'::jsonb -> n FROM generate_series(-6, 6) g(n)
SELECT '{"a": {"b": [1, {"c": "deep"}]}}'::json #> '{a,b,1,c}', '{"a": {"b": [1, {"c": "deep"}]}}'::jsonb #>> '{a,b,-1,c}'
SELECT '{"a": [1, 2]}'::jsonb #> '{a,x}', '{"a": [1, 2]}'::jsonb #> '{}', '"s"'::json #>> '{}', '{"a": [1, 2]}'::json #> ARRAY['a', NULL]
SELECT '"s"'::jsonb -> 'a', '1'::json -> 'a', '[1]'::jsonb -> 'a', '{"0": 1}'::jsonb -> 0, '[1]'::json ->> 'a', '"x"'::jsonb #>> '{}'
SELECT '1'::json -> 0, '{"0": "zero"}'::jsonb #> '{0}', '[[1,2],[3]]'::json -> 0 ->> 1, '[" a "]'::json ->> 0
SELECT '{"a": 1, "b": {"c": 2}}'::jsonb @> '{"b": {}}', '[1, 2, [3]]'::jsonb @> '[[3], 1]', '["foo", "bar"]'::jsonb @> '"bar"', '"bar"'::jsonb @> '["bar"]'
SELECT '[1, 2]'::jsonb @> '1.0', '{"a": [1, {"b": 2}]}'::jsonb @> '{"a": [{"b": 2.00}]}', '{"a": 1}'::jsonb <@ '{"a": 1, "b": 2}', '[[1]]'::jsonb @> '[1]'
SELECT '{"a": null}'::jsonb @> '{"a": null}', '[]'::jsonb @> '[]', '{}'::jsonb @> '[]', '[true]'::jsonb @> 'true', '{"a":[1]}'::jsonb @> '{"a":1}'
SELECT '{"a": 1}'::jsonb ? 'a', '["a", "b"]'::jsonb ? 'b', '"a"'::jsonb ? 'a', '{"a": 1}'::jsonb ? 'b', '[1]'::jsonb ? '1', '{"x":{"a":1}}'::jsonb ? 'a'
SELECT '{"a": 1}'::jsonb ?| ARRAY['x', 'a'], '{"a": 1, "b": 2}'::jsonb ?& ARRAY['a', 'b'], '["a"]'::jsonb ?& ARRAY['a', 'c'], '{"a": 1}'::jsonb ?| '{}'
SELECT '{"a": 1, "b": 2}'::jsonb || '{"b": 3, "c": 4}', '[1]'::jsonb || '[2]', '1'::jsonb || '2', '[1]'::jsonb || '{"a": 2}', '{"a": 1}'::jsonb || '5', '[]'::jsonb || '1'
SELECT '{"a": 1, "b": 2}'::jsonb - 'a', '["a", "b", "a"]'::jsonb - 'a', '[1, 2, 3]'::jsonb - 1, '[1, 2, 3]'::jsonb - -1, '{"a": 1, "b": 2}'::jsonb - ARRAY['a', 'b'], '[1]'::jsonb - 5
SELECT 'x' || ('{"a": "b"}'::json ->> 'a'), ('{"a": 5}'::json ->> 'a')::int + 1, '{"a": "b"}'::json ->> 'a' = 'b', '{"a": "bc"}'::jsonb ->> 'a' LIKE 'b%'
SELECT '{"a.b": 1, "$": 2, "": 3, "a[0]": 4}'::json -> 'a.b', '{"a.b": 1, "$": 2, "": 3}'::jsonb -> '$', '{"": 3}'::json -> '', '{"a[0]": 4}'::jsonb ->> 'a[0]'
SELECT NULL::json -> 'a', '{}'::jsonb -> NULL, NULL::jsonb @> '{}', '{}'::jsonb ? NULL
-- order and equality of jsonb
SELECT '{"a": 1}'::jsonb = '{"a": 1.0}', '[1, 2]'::jsonb < '[3]', '{}'::jsonb > '[]', '"b"'::jsonb > '"a"', '1'::jsonb <> 'true', '[]'::jsonb < 'null', 'null'::jsonb < '"a"'
SELECT x FROM (VALUES ('[1, 2]'), ('[3]'), ('{"a": 1}'), ('{}'), ('[]'), ('null'), ('true'), ('2'), ('10'), ('"x"'), ('[[]]'), ('{"b": 1}'), ('{"a": 1, "b": 0}'), (NULL)) v(x) WHERE x::jsonb >= '1' OR x IS NULL
SELECT x FROM (VALUES ('{"a": 1}'::jsonb), ('{"a": 2}')) v(x) WHERE x = '{"a":1}'
SELECT x::jsonb IN ('1', '[2]'), x::jsonb IS DISTINCT FROM '1' FROM (VALUES ('1.0'), ('[2]'), ('3'), (NULL)) v(x)
-- functions that make json
SELECT json_build_object('a', 1, 'b', 'x', 'c', NULL, 'd', true, 'e', 1.50, 'f', ARRAY[1, 2], 'g', '{"k" : 1}'::json), json_build_object()
SELECT jsonb_build_object('bb', 1, 'a', 'x', 'bb', 2, 'd', true, 'e', 1.50, 'f', ARRAY['x', NULL], 'g', '{"k" : 1}'::json), jsonb_build_object()
SELECT json_build_array(1, 'a', NULL, true, 2.50, DATE '2024-02-29', ARRAY[true, false]), jsonb_build_array(1, 'a', NULL, 1e20::float8), json_build_array(), jsonb_build_array()
SELECT json_build_object(1, 2, true, 3, DATE '2024-01-01', 4, 1.5, 5, 'a"b', 6), jsonb_build_object(1, 2, 2.50, '3')
SELECT to_json(a), to_json(b), to_json(c), to_json(d), to_json(e), to_json(f), to_json(g), to_json(h), to_json(i), to_json(j), to_json(k), to_json(m), to_json(o) FROM t
SELECT to_jsonb(a), to_jsonb(b), to_jsonb(c), to_jsonb(d), to_jsonb(e), to_jsonb(f), to_jsonb(g), to_jsonb(h), to_jsonb(k), to_jsonb(m), to_jsonb(o) FROM t
SELECT to_json(f AT TIME ZONE 'UTC'), to_json(INTERVAL '1 day 02:03:04'), to_json(ARRAY[f]), to_json(ARRAY['a"b', NULL]), to_jsonb('x'::text), to_json(5::oid) FROM t WHERE a = 1
SELECT array_to_json(ARRAY[1, NULL, 3]), to_json('{"a":  1}'::json), to_jsonb('{"a":  1}'::json), to_json('{"b":1,"a":2}'::jsonb), to_json(TIMESTAMP '0044-03-15 10:00:00 BC')
SELECT to_json('é \ " / ' || chr(1) || chr(127) || chr(10) || chr(9)), to_jsonb('é \ " / ' || chr(1) || chr(127) || chr(10) || chr(9)), to_json('NaN'::numeric), to_jsonb('Infinity'::float8)
-- rows
SELECT row_to_json(q) FROM (SELECT a, b, c, g FROM t) q
SELECT to_json(q), to_jsonb(q), row_to_json(q.*) FROM (SELECT id, name AS "the name", flag FROM u) q
SELECT json_agg(q) FROM (SELECT id, a FROM u ORDER BY id) q
SELECT json_agg(row_to_json(q) ORDER BY q.id DESC) FROM u q
SELECT jsonb_agg(to_jsonb(u) ORDER BY id) FILTER (WHERE a IS NOT NULL) FROM u
SELECT t.a, json_agg(u ORDER BY u.id) FROM t LEFT JOIN u ON u.a = t.a WHERE t.a < 4 GROUP BY t.a ORDER BY t.a
SELECT t.a, row_to_json(x) FROM t LEFT JOIN LATERAL (SELECT id, name FROM u WHERE u.a = t.a ORDER BY id LIMIT 1) x ON true WHERE t.a < 10 ORDER BY t.a
SELECT t.a, coalesce(x.list, '[]'), row_to_json(x.*) FROM t LEFT JOIN LATERAL (SELECT json_agg(u) AS list FROM u WHERE u.a = t.a) x ON true WHERE t.a IS NOT NULL ORDER BY t.a
WITH c AS (SELECT a, b FROM t WHERE a IN (1, 2)) SELECT json_agg(c ORDER BY c.a) FROM c
WITH c AS (SELECT a, b FROM t WHERE a = 1) SELECT u.id, row_to_json(c), json_build_object('c', c, 'n', 1) FROM u LEFT JOIN c ON c.a = u.a ORDER BY u.id
SELECT coalesce(json_agg(s), '[]'::json) FROM (SELECT * FROM u WHERE false) s
SELECT json_build_array(q, 1), jsonb_build_object('row', q) FROM (SELECT 1 AS x, NULL AS y) q
SELECT row_to_json(row(1, 'x', NULL)), to_json(row(1.50, true)), json_agg(row(id, name)) FROM u WHERE id < 3
SELECT coalesce((json_agg(_postgrest_t)->0)::text, 'null'), count(_postgrest_t.id) FROM (SELECT u.id, u.name FROM u ORDER BY u.id) _postgrest_t
SELECT row_to_json(s) FROM ducklake_schema s ORDER BY schema_id
SELECT id, (SELECT row_to_json(t) FROM (SELECT t.a, t.b) t) FROM u JOIN t ON t.a = u.a ORDER BY id
SELECT t.a, (SELECT json_build_object('outer', t, 'n', count(*)) FROM u WHERE u.a = t.a) FROM (SELECT a, b FROM t WHERE a < 3) t ORDER BY a
-- aggregates
SELECT json_agg(a ORDER BY a), jsonb_agg(b ORDER BY a), json_agg(c ORDER BY a DESC) FILTER (WHERE a > 1), json_agg(e ORDER BY a) FROM t WHERE a IS NOT NULL
SELECT json_agg(a), jsonb_agg(a), json_object_agg(b, a), jsonb_object_agg(b, a) FROM t WHERE false
SELECT json_agg(DISTINCT i % 3), jsonb_agg(DISTINCT a ORDER BY a DESC) FROM (VALUES (1, 10), (2, 9), (4, 10)) v(a, i)
SELECT json_object_agg(name, id ORDER BY id), jsonb_object_agg(name, id ORDER BY id DESC) FROM u WHERE name IS NOT NULL
SELECT a, json_object_agg(id, flag ORDER BY id), jsonb_object_agg(id, name) FROM u GROUP BY a ORDER BY a
SELECT json_object_agg(k, v ORDER BY v) FILTER (WHERE k IS NOT NULL), jsonb_object_agg(k, v ORDER BY v) FILTER (WHERE k IS NOT NULL) FROM (VALUES ('a', 1), (NULL, 2), ('a', 3)) x(k, v)
SELECT json_agg(ARRAY[a, i::bigint] ORDER BY a), json_agg(json_build_object('a', a, 'b', b) ORDER BY a) FROM t WHERE a < 3
SELECT table_id, json_agg(json_build_object('id', data_file_id, 'bytes', file_size_bytes) ORDER BY data_file_id) FROM ducklake_data_file GROUP BY table_id ORDER BY table_id
SELECT json_agg(x) FROM (SELECT table_id, count(*) AS files, sum(file_size_bytes) AS bytes FROM ducklake_data_file GROUP BY table_id ORDER BY table_id) x
SELECT a, json_agg(id) OVER (ORDER BY id), jsonb_agg(name) OVER (PARTITION BY a ORDER BY id) FROM u ORDER BY id
SELECT json_agg(f ORDER BY a), json_agg(g ORDER BY a), jsonb_agg(d ORDER BY a), json_agg(h ORDER BY a) FROM t WHERE a < 10
-- what is in a json
SELECT json_typeof(x::json), jsonb_typeof(x::jsonb) FROM (VALUES ('{}'), (' [1]'), ('"s"'), ('-1.5'), ('true'), ('false'), ('null'), (NULL)) v(x)
SELECT json_array_length('[1, [2, 3], {"a": 4}]'), jsonb_array_length('[]'), json_array_length('{"a": [1,2]}'::json -> 'a')
SELECT json_extract_path('{"a": {"b": [1, 2]}}', 'a', 'b', '1'), json_extract_path_text('{"a": {"b": "x"}}', 'a', 'b'), jsonb_extract_path('{"a": 1}', 'b'), jsonb_extract_path_text('{"a": [null]}', 'a', '0')
SELECT * FROM json_each('{"b": 1, "a": {"x" : 2}, "b": null}')
SELECT * FROM jsonb_each('{"bb": 1, "a": {"x" : 2}, "c": null}') AS e ORDER BY e.key
SELECT * FROM json_each_text('{"b": "x\ny", "a": {"x" : 2}, "c": null}') AS e(k, v)
SELECT k, v FROM jsonb_each_text('{"b": "x", "a": [1,2], "c": null}') WITH ORDINALITY AS e(k, v, n) WHERE n > 1 ORDER BY n
SELECT json_object_keys('{"b": 1, "a": 2, "b": 3}'), 1
SELECT * FROM jsonb_object_keys('{"bb": 1, "a": 2, "bb": 3}') k
SELECT * FROM json_array_elements('[1, "a", null, {"k" :  [1]}]')
SELECT * FROM jsonb_array_elements('[1, "a", null, {"k" :  [1]}]') WITH ORDINALITY AS e(v, n) ORDER BY n
SELECT value, e.value ->> 'a', e FROM jsonb_array_elements('[{"a": 1}, {"a": "x"}, {}]') e
SELECT e ->> 'name' AS name, (e ->> 'n')::int * 2 AS twice FROM json_array_elements('[{"name": "x", "n": 1}, {"name": "y", "n": "20"}]'::json) AS e ORDER BY 1
SELECT * FROM json_array_elements_text('["a", null, 1.50, {"x": 1}]') AS x(v)
SELECT json_array_elements('[1, [2]]'), jsonb_array_elements_text('["x", "y"]')
SELECT u.id, e.key, e.value FROM u, LATERAL jsonb_each(to_jsonb(u)) e ORDER BY u.id, e.key
SELECT u.id, k.v FROM u CROSS JOIN LATERAL json_array_elements_text(json_build_array(u.name, u.flag, u.a)) WITH ORDINALITY AS k(v, n) ORDER BY u.id, k.n
SELECT sum((e ->> 'n')::numeric), count(*) FROM json_array_elements('[{"n": 1.5}, {"n": 2}, {"m": 3}]') e
SELECT id FROM u WHERE to_jsonb(u) @> '{"flag": true}' ORDER BY id
SELECT id FROM u WHERE to_jsonb(u) ->> 'name' IN ('first', 'fifth') ORDER BY id
SELECT a, x FROM (SELECT a, json_build_object('a', a, 'b', b) AS x FROM t) q WHERE (x ->> 'a')::bigint = 2
SELECT json_agg(value ORDER BY key) FROM json_each('{"b": 1, "a": [true]}')
SELECT jsonb_build_object('t', f) ->> 't', json_build_object('d', g) ->> 'd' FROM t WHERE a < 3 ORDER BY a
SELECT count(*) FROM jsonb_array_elements('[]'), json_each('{"a": 1}')
SELECT x.v -> 'a' FROM (VALUES ('{"a": 1}'::jsonb), ('{"a": 2}')) x(v) UNION ALL SELECT '3'::jsonb
SELECT CASE WHEN a = 1 THEN '{"one": 1}'::jsonb ELSE to_jsonb(b) END, coalesce(NULL::json, '[]') FROM t WHERE a < 3 ORDER BY a
SELECT array_agg(x) FROM (VALUES ('{"a": 1}'::jsonb), ('[1, "b"]'), (NULL)) v(x)
SELECT string_agg(e ->> 'a', ',' ORDER BY e ->> 'a' DESC) FROM json_array_elements('[{"a": "x"}, {"a": "y"}]') e
