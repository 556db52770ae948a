SELECT ARRAY[1, 2, NULL], ARRAY['a', 'b c', NULL, ''], ARRAY[1.5, 2], ARRAY[true, false], row_number() OVER ()
SELECT array_length(ARRAY[1, 2], 1), array_length('{}'::int[], 1), array_upper(ARRAY[1, 2], 1), array_lower(ARRAY[1], 1), cardinality(ARRAY[1, 2, 3]), cardinality('{}'::int[]), array_ndims(ARRAY[1])
SELECT array_append(ARRAY[1], 2), array_prepend(0, ARRAY[1]), array_cat(ARRAY[1], ARRAY[2, 3]), ARRAY[1] || 2, 0 || ARRAY[1], ARRAY[1] || ARRAY[2], ARRAY['a'] || 'b'::text
SELECT array_position(ARRAY['a', 'b'], 'b'), array_position(ARRAY[1, NULL], NULL), array_positions(ARRAY[1, 2, 1], 1), array_remove(ARRAY[1, 2, 1], 1)
SELECT (ARRAY[10, 20, 30])[2], (ARRAY[10, 20])[5], (ARRAY[1, 2, 3])[2:3], (ARRAY[1, 2, 3])[:2], (string_to_array('a/b/c', '/'))[3]
SELECT ARRAY[1, 2] @> ARRAY[1], ARRAY[1] <@ ARRAY[1, 2], ARRAY[1, 2] && ARRAY[2, 3], ARRAY[1] && ARRAY[2]
SELECT ARRAY[1, 2] = ARRAY[1, 2], ARRAY[1, 2] < ARRAY[1, 3], ARRAY[1] <> ARRAY[2], ARRAY['a'] = '{a}', row_number() OVER ()
SELECT 1 = ANY (ARRAY[1, 2]), 3 = ANY (ARRAY[1, NULL]), 1 <> ALL (ARRAY[2, 3]), a = ANY ('{1,5}'), b = ANY (ARRAY['one', 'é']) FROM t ORDER BY a
SELECT array_agg(id ORDER BY id DESC), array_agg(name), array_agg(a ORDER BY a NULLS FIRST, id), array_agg(DISTINCT a) FROM u
SELECT table_id, array_agg(data_file_id ORDER BY data_file_id) FILTER (WHERE data_file_id < 12) FROM ducklake_data_file GROUP BY table_id ORDER BY table_id
SELECT array_to_string(array_agg(path ORDER BY path), ', ') FROM ducklake_delete_file
SELECT x, count(*) FROM unnest(ARRAY['a', 'b', 'a']) x GROUP BY x ORDER BY x
SELECT u.id, x FROM u, unnest(ARRAY[u.id, u.a]) x ORDER BY u.id, x
SELECT id, n, x FROM u, unnest(string_to_array(name, 'i')) WITH ORDINALITY AS s(x, n) ORDER BY id, n
SELECT id, n, x, row_number() OVER (ORDER BY id, n) FROM u, LATERAL unnest(ARRAY[u.id, u.a]) WITH ORDINALITY AS s(x, n) ORDER BY id, n
SELECT s.n, (ARRAY[7, 8, 9])[s.n] FROM pg_catalog.generate_series(1, 4) s(n) ORDER BY 1
SELECT unnest(string_to_array('a,b,c', ','))
SELECT unnest(array_agg(id ORDER BY id)) FROM u
SELECT ARRAY(SELECT name FROM u WHERE name IS NOT NULL ORDER BY id), ARRAY(SELECT id FROM u WHERE u.a = t.a ORDER BY id) FROM t ORDER BY t.a
SELECT '{1,2,3}'::int[], '{a,"b c",NULL}'::text[], ARRAY[1, 2]::text, ARRAY[1, 2]::bigint[], ARRAY['1', '2']::int[], row_number() OVER ()
SELECT array_to_string(ARRAY[1, NULL, 3], ','), array_to_string(ARRAY['x', NULL], '-', '?'), row_number() OVER ()
SELECT sum(x), max(y) FROM unnest(ARRAY[1, 2, 3], ARRAY['a', 'b']) AS u(x, y)
SELECT g.x, ARRAY[g.x, g.x * 2] FROM generate_series(1, 3) AS g(x) ORDER BY g.x DESC
SELECT ARRAY[f, NULL], ARRAY[g], ARRAY[h], ARRAY[m], row_number() OVER (ORDER BY a) FROM t ORDER BY a
SELECT DISTINCT ARRAY[c, NULL] FROM t ORDER BY 1
