SELECT * FROM generate_series(1, 3)
SELECT * FROM generate_series(1, 10, 4) AS g(x)
SELECT g FROM generate_series(3, 1, -1) g
SELECT * FROM generate_series(1, 3) WITH ORDINALITY AS g(x, o)
SELECT * FROM generate_series('2024-01-01'::timestamp, '2024-01-03'::timestamp, '1 day') d
SELECT * FROM generate_series('2024-01-01'::date, '2024-01-02'::date, interval '12 hours') d
SELECT * FROM unnest(ARRAY[1, 2, NULL]) u
SELECT * FROM unnest(ARRAY['a', 'b'], ARRAY[1, 2, 3]) AS u(x, y)
SELECT unnest(ARRAY[1, 2]), generate_series(1, 3)
SELECT u.id, x.n FROM u, LATERAL (SELECT count(*) AS n FROM t WHERE t.a = u.a) x ORDER BY 1
SELECT u.id, g FROM u, generate_series(1, u.id) g WHERE u.id < 3 ORDER BY 1, 2
SELECT u.id, x.m FROM u LEFT JOIN LATERAL (SELECT max(i) AS m FROM t WHERE t.a = u.a) x ON true ORDER BY 1
SELECT * FROM (VALUES (1, 'a'), (2, 'b')) v(n, s) JOIN LATERAL (SELECT n * 2 AS m) l ON true ORDER BY n
SELECT u.id, x, row_number() OVER (ORDER BY u.id, x) FROM u, string_to_table(u.name, 'i') AS x ORDER BY u.id, x
SELECT n, part FROM string_to_table('a,b,c', ',') WITH ORDINALITY AS s(part, n), generate_series(1, 2) ORDER BY n
SELECT generate_subscripts(ARRAY[u.id, u.a], 1), row_number() OVER (ORDER BY id) FROM u ORDER BY 2, 1
SELECT i, (ARRAY['x', 'y'])[i] FROM generate_subscripts(ARRAY['x', 'y'], 1, true) AS i, generate_series(1, 1) ORDER BY i
