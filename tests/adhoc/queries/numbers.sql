SELECT a + 1, a - i, i * 2, j + j, i / 2, i % 4, -i, abs(i), row_number() OVER (ORDER BY a) FROM t WHERE a IN (1, 2) ORDER BY a
SELECT 7 / 2, -7 / 2, 7 / -2, 7 % 3, -7 % 3, 7 % -3, 1 / 3, 2147483647 + 1::bigint, row_number() OVER ()
SELECT 7.0 / 2, 1.0 / 3, 10 / 4.0, 1.10 * 2.20, 0.1 + 0.2, 1.5 - 0.25, 5.5 % 2, 100000000000000000000.5 * 2, 22.5 / 7.25, row_number() OVER ()
SELECT e, e + 1, e * 2, e / 3, e - 0.001, -e, abs(e), e % 2, row_number() OVER (ORDER BY a) FROM t WHERE a < 3 ORDER BY a
SELECT d, d + 1, d * 2, d / 4, -d, k, k + 1, k * 2, d + k, row_number() OVER (ORDER BY a) FROM t ORDER BY a
SELECT sum(a), avg(a), min(a), max(a), count(a), sum(i), avg(i), sum(j), avg(j) FROM t WHERE a < 100
SELECT sum(e), avg(e), min(e), max(e), sum(d), avg(d), min(d), max(d), sum(k), avg(k) FROM t WHERE a IN (1, 2)
SELECT c, sum(a), avg(a), sum(e), avg(e) FROM t WHERE a < 100 GROUP BY c ORDER BY c
SELECT table_id, count(*), sum(file_size_bytes), avg(file_size_bytes), min(record_count), max(record_count) FROM ducklake_data_file GROUP BY table_id ORDER BY table_id
SELECT table_id, sum(record_count) * 100 / sum(sum(record_count)) OVER (), round(avg(record_count), 2) FROM ducklake_data_file GROUP BY table_id ORDER BY table_id
SELECT sum(file_size_bytes) / count(*), sum(file_size_bytes)::float8 / count(*), sum(file_size_bytes) % 7, round(sum(file_size_bytes) / 1024.0, 1) FROM ducklake_data_file
SELECT stddev(a), stddev_samp(a), stddev_pop(a), variance(a), var_samp(a), var_pop(a) FROM u
SELECT stddev(record_count), variance(file_size_bytes), var_pop(record_count), stddev_pop(file_size_bytes) FROM ducklake_data_file
SELECT table_id, stddev(record_count), variance(record_count) FROM ducklake_data_file GROUP BY table_id ORDER BY 1
SELECT stddev(e), variance(e), var_pop(d), stddev_pop(d), stddev(k) FROM t WHERE a IN (1, 2)
SELECT stddev(x), variance(x), var_pop(x) FROM (VALUES (5), (5), (5)) v(x)
SELECT stddev(x), var_pop(x), variance(x) FROM (VALUES (1)) v(x)
SELECT bit_and(id), bit_or(id), bit_xor(id), bool_and(flag), bool_or(flag), every(flag) FROM u
SELECT round(2.5), round(-2.5), round(1234.567, 2), round(1234.567, -2), round(2.5::float8), trunc(2.7), trunc(-2.7), trunc(1234.567, 1), trunc(1234.567, -2), ceil(2.1), floor(-2.1), ceil(-0.5), sign(-3), row_number() OVER ()
SELECT round(e), round(e, 1), trunc(e), ceil(e), floor(e), round(d), trunc(d), row_number() OVER (ORDER BY a) FROM t WHERE a IN (1, 2) ORDER BY a
SELECT sqrt(2), sqrt(16::bigint), power(2, 10), power(2.0::float8, 0.5), 2 ^ 10, exp(1), ln(10), log(1000), cbrt(27), pi(), degrees(pi()), radians(180), sin(0), cos(0), atan(1)
SELECT mod(17, 5), mod(-17, 5), mod(5.5, 2), div(17, 5), div(-17, 5), gcd(12, 18), lcm(4, 6), width_bucket(5.0::float8, 0, 10, 5), abs(-5), abs(-5.5)
SELECT 5 & 3, 5 | 3, 5 # 3, ~5, 1 << 4, 16 >> 2, -1 >> 1, 1::bigint << 40, a & 1, id | 8 FROM u ORDER BY id
SELECT a::text AS x, i::bigint, a::int AS y, j::int, e::int, d::int, e::float8, d::numeric, a::numeric AS z, i::real, row_number() OVER (ORDER BY a) FROM t WHERE a IN (1, 2) ORDER BY t.a
SELECT '42'::int, '42'::bigint, '4.25'::numeric, '1e3'::float8, ' 7 '::int, 42::text, 4.50::text, 1.0::float8::text, true::int, 0::boolean, row_number() OVER ()
SELECT min_value::bigint, max_value::int + 1, (min_value || '0')::numeric / 3 FROM ducklake_file_column_stats WHERE data_file_id < 4 ORDER BY data_file_id, column_id
SELECT 1.5::numeric(5,2), 123.456::numeric(5,1), 2.345::numeric(4,2), e::numeric(12,4), 1e10::numeric, .5, 1e-3, row_number() OVER (ORDER BY a) FROM t WHERE a < 3 ORDER BY a
SELECT 'NaN'::float8 = 'NaN'::float8, 'NaN'::float8 > 'Infinity'::float8, 'NaN'::numeric > 1, d > 0, d = 'NaN', row_number() OVER (ORDER BY a) FROM t ORDER BY a
SELECT a, d FROM t ORDER BY d DESC, a
SELECT a, d FROM t ORDER BY d NULLS FIRST, a
SELECT a, k, e FROM t ORDER BY k, e DESC NULLS LAST, a
SELECT e FROM t ORDER BY e / 3, a
SELECT a, sum(e) FROM t GROUP BY a HAVING sum(e) > 0 ORDER BY sum(e), a
SELECT count(*), sum(e) FROM t HAVING count(*) > 2
SELECT e > 10, e = 10.25, e < d, e >= a, e BETWEEN 0 AND 100, e IN (10.25, 1), e <> 1, row_number() OVER (ORDER BY a) FROM t ORDER BY a
SELECT e = ANY (ARRAY[10.25, -0.01]), e IN (SELECT e FROM t WHERE a = 1), e > ALL (SELECT -1.5), row_number() OVER (ORDER BY a) FROM t ORDER BY a
SELECT DISTINCT e FROM t ORDER BY e
SELECT e FROM t UNION SELECT 1.25 ORDER BY 1
SELECT greatest(1, 2.5), least(a, e), greatest(d, 1), coalesce(e, 0), nullif(e, 10.25), row_number() OVER (ORDER BY a) FROM t ORDER BY a
SELECT CASE WHEN a > 2 THEN 1 ELSE 2.5 END, CASE WHEN a > 2 THEN a WHEN i > 0 THEN i END, CASE WHEN a <> 2 THEN 10 / (a - 2) END, rank() OVER (ORDER BY a) FROM t WHERE a < 100 ORDER BY a
SELECT (1 + 2) * 3 - 4 / 2, 2 + 3 * 4 % 5, -2 ^ 2, row_number() OVER ()
SELECT sum(x), avg(x), count(*) FROM generate_series(1, 1000) g(x) WHERE x % 7 = 0
SELECT sum(x * x), sum(x::numeric / 7), avg(x / 3.0) FROM generate_series(1, 50) g(x)
SELECT x, x * 1.1, x / 7.0, (x / 7.0)::float8, round(x / 7.0, 3) FROM generate_series(1, 5) g(x)
SELECT sum(9223372036854775807::bigint) FROM u
SELECT 12345678901234567890 * 98765432109876543210, 1::numeric / 3 * 3, 0.000001 * 0.000001, row_number() OVER ()
SELECT avg(x), sum(x) FROM (VALUES (1.10), (2.205), (NULL)) v(x)
SELECT max(x), min(x), count(DISTINCT x) FROM (VALUES (1.10), (2.205), (NULL), (1.10)) v(x)
SELECT x / 7.0 FROM generate_series(1, 3) g(x) UNION SELECT 1 / 7.0 UNION SELECT 0.5 ORDER BY 1
SELECT DISTINCT x / 4.0 FROM (VALUES (1), (2), (1)) v(x) ORDER BY 1
SELECT x / 4.0, count(*) FROM (VALUES (1), (2), (1)) v(x) GROUP BY x / 4.0 ORDER BY 1
