SELECT f, f::text, 'x' || f, ARRAY[f, NULL], f::timestamp, f::date, f::time FROM t ORDER BY a
SELECT TIMESTAMPTZ '2024-07-01 12:00:00', TIMESTAMPTZ '2024-01-01', '2024-07-01 12:00:00+00'::timestamptz, '2024-07-01T12:00:00Z'::timestamptz, '2024-12-24 18:00 America/New_York'::timestamptz
SELECT TIMESTAMPTZ '2024-03-31 02:30', TIMESTAMPTZ '2024-10-27 02:30', TIMESTAMPTZ '2024-11-03 01:30', TIMESTAMPTZ '1850-06-01 12:00', TIMESTAMPTZ '0044-03-15 12:00 BC', TIMESTAMPTZ 'infinity', TIMESTAMPTZ '12024-07-01'
SELECT TIMESTAMP '2024-07-01 12:00'::timestamptz, DATE '2024-07-01'::timestamptz, '2024-07-01 12:00'::text::timestamptz, '{"2024-07-01 12:00", NULL}'::timestamptz[]
SELECT TIMESTAMPTZ '2024-06-30 22:30:00+00'::date, TIMESTAMPTZ '2024-06-30 22:30:00+00'::timestamp, TIMESTAMPTZ '2024-06-30 22:30:00.5+00'::time, TIMESTAMPTZ '2024-06-30 22:30:00+00'::timestamptz(0)
SELECT extract(hour FROM f), extract(day FROM f), extract(epoch FROM f), extract(timezone FROM f), extract(timezone_hour FROM f), extract(timezone_minute FROM f), date_part('minute', f), extract(dow FROM f) FROM t ORDER BY a
SELECT date_trunc('hour', f), date_trunc('day', f), date_trunc('week', f), date_trunc('month', f), date_trunc('year', f), date_trunc('minute', f) FROM t ORDER BY a
SELECT date_trunc('hour', TIMESTAMPTZ '2024-10-27 00:30:00+00'), date_trunc('hour', TIMESTAMPTZ '2024-10-27 01:30:00+00'), date_trunc('day', TIMESTAMPTZ '2024-10-27 12:30:00+00'), date_trunc('day', DATE '2024-03-31')
SELECT date_trunc('day', f, 'Asia/Tokyo'), f AT TIME ZONE 'Asia/Tokyo', f::timestamp AT TIME ZONE 'Asia/Tokyo', g AT TIME ZONE 'Asia/Tokyo' FROM t ORDER BY a
SELECT to_char(f, 'YYYY-MM-DD HH24:MI:SS.US'), to_char(f::timestamp, 'HH12:MI AM'), to_char(g, 'YYYY-MM-DD HH24:MI') FROM t ORDER BY a
SELECT TIMESTAMPTZ '2024-03-30 12:00' + INTERVAL '1 day', TIMESTAMPTZ '2024-03-30 12:00' + INTERVAL '24 hours', TIMESTAMPTZ '2024-10-26 12:00' + INTERVAL '1 day 1 hour', TIMESTAMPTZ '2024-04-30 12:00' - INTERVAL '1 month 1 day', TIMESTAMPTZ '2024-01-31 02:30' + INTERVAL '2 months'
SELECT f + INTERVAL '6 months', f - INTERVAL '1 year', f + INTERVAL '90 minutes', INTERVAL '1 week' + f, g + INTERVAL '1 hour' FROM t ORDER BY a
SELECT f - TIMESTAMPTZ '2024-01-01', f - TIMESTAMP '2024-01-01', f - g FROM t WHERE a IN (1, 2) ORDER BY a
SELECT age(f, '2023-05-31 12:00'), age(f, TIMESTAMPTZ '2020-02-29'), age(TIMESTAMP '2024-03-01', TIMESTAMP '2023-01-31') FROM t WHERE a IN (1, 2) ORDER BY a
SELECT f = TIMESTAMP '2024-05-31 22:00', f > DATE '2024-06-01', f < '2024-06-01 00:00', g < f, f BETWEEN '2024-01-02' AND '2024-01-03' FROM t ORDER BY a
SELECT a FROM t WHERE f >= '2024-01-02 03:00' AND f < DATE '2024-06-01' ORDER BY a
SELECT a FROM t WHERE f::date = '2024-06-01' OR f::date = '2024-05-31' OR f::date = '2024-01-02' ORDER BY a
SELECT f::date, count(*), min(f), max(f) FROM t GROUP BY f::date ORDER BY 1
SELECT coalesce(f, TIMESTAMP '2024-01-01 12:00'), CASE WHEN a = 1 THEN f ELSE DATE '2024-02-02' END, greatest(f, DATE '2024-03-03') FROM t ORDER BY a
SELECT to_json(f), to_jsonb(f), json_build_object('f', f, 'g', g, 't', f::timestamp), json_agg(f) OVER (ORDER BY a) FROM t ORDER BY a
SELECT row_to_json(q) FROM (SELECT a, f FROM t) q
SELECT current_setting('TimeZone'), current_date = now()::date, localtimestamp = now()::timestamp, now() = now()::timestamp::timestamptz
SELECT snapshot_id, snapshot_time, date_trunc('day', snapshot_time) AS day, extract(hour FROM snapshot_time) FROM ducklake_snapshot ORDER BY snapshot_id
SELECT date_trunc('day', snapshot_time) AS day, count(*), rank() OVER (ORDER BY count(*)) FROM ducklake_snapshot GROUP BY 1 ORDER BY 1
SELECT lag(f) OVER (ORDER BY a), first_value(f::date) OVER (ORDER BY a), row_number() OVER (ORDER BY f, a) FROM t ORDER BY a
SELECT d, d::date FROM generate_series('2024-03-30'::timestamptz, '2024-04-02', '1 day') d
SELECT d FROM generate_series('2024-10-26 12:00'::timestamptz, '2024-10-28', '8 hours') d
SELECT d, row_number() OVER () FROM generate_series(DATE '2024-05-31', DATE '2024-01-01', '-1 month') d
SELECT generate_series('2024-11-01'::timestamptz, '2024-11-05', '25 hours'), 1
SELECT TIMESTAMP '2024-07-01'::date::text, DATE '2024-07-01'::timestamptz::timestamp, TIME '12:00'::text, JSON '[1]'::text, UUID '00000000-0000-0000-0000-000000000001'::text
SELECT f::text, f::date, f + INTERVAL '1 month', row_number() OVER (ORDER BY a) FROM t ORDER BY a
SELECT f FROM t WHERE a = 1 UNION ALL SELECT TIMESTAMP '2024-07-07 07:00' UNION ALL SELECT DATE '2024-08-08' ORDER BY 1
SELECT array_agg(f ORDER BY a), string_agg(f::text, ', ' ORDER BY a) FROM t WHERE a < 10
SELECT to_timestamp(0), to_timestamp(1719830000.5), make_timestamp(2024, 7, 1, 12, 0, 0)::timestamptz, date_bin('15 minutes', TIMESTAMPTZ '2024-07-01 12:07+00', TIMESTAMPTZ '2024-01-01 00:00+00')
SELECT t.a, s.snapshot_id FROM t JOIN ducklake_snapshot s ON s.snapshot_time::date = t.g ORDER BY 1, 2
SELECT isfinite(f), f IS DISTINCT FROM TIMESTAMP '2024-05-31 22:00', f IN ('2024-01-02 03:04:05.678+00', '2024-06-01 00:00') FROM t ORDER BY a
SELECT TIMESTAMPTZ '2024-07-01 12:00:00+00' AT TIME ZONE 'UTC', '2024-07-01 12:00' AT TIME ZONE 'Europe/Berlin', timezone('America/New_York', TIMESTAMP '2024-07-01 12:00')
SELECT TIMESTAMPTZ '1000-07-01 12:00:00+00', TIMESTAMPTZ '1940-07-01 12:00:00+00', TIMESTAMPTZ '1945-07-01 12:00:00+00', TIMESTAMPTZ '2037-12-01 12:00:00+00', TIMESTAMPTZ '2038-07-01 12:00:00+00', TIMESTAMPTZ '30000-07-01 12:00:00+00'
SELECT '12:00+02'::timetz, TIMESTAMPTZ '2024-07-01 12:00:00+00'::timetz
