SELECT extract(year FROM f), extract(month FROM f), extract(day FROM f), extract(hour FROM f), extract(minute FROM f), extract(second FROM f) FROM t ORDER BY a
SELECT extract(quarter FROM f), extract(week FROM f), extract(isoyear FROM f), extract(dow FROM f), extract(isodow FROM f), extract(doy FROM f) FROM t ORDER BY a
SELECT extract(epoch FROM f), extract(milliseconds FROM f), extract(microseconds FROM f), extract(decade FROM f), extract(century FROM f), extract(millennium FROM f) FROM t ORDER BY a
SELECT extract(year FROM g), extract(month FROM g), extract(day FROM g), extract(dow FROM g), extract(epoch FROM g), extract(week FROM g) FROM t ORDER BY a
SELECT extract(hour FROM o), extract(minute FROM o), extract(second FROM o), extract(epoch FROM o), extract(microseconds FROM o) FROM t ORDER BY a
SELECT extract(year FROM interval '14 months'), extract(month FROM interval '14 months'), extract(day FROM interval '40 days'), extract(hour FROM interval '100 hours'), extract(epoch FROM interval '1 year 2 months 3 days 04:05:06.5'), extract(quarter FROM interval '14 months')
SELECT date_part('year', f), date_part('epoch', f), date_part('dow', g), date_part('second', o) FROM t ORDER BY a
SELECT date_trunc('year', f), date_trunc('quarter', f), date_trunc('month', f), date_trunc('week', f), date_trunc('day', f), date_trunc('hour', f), date_trunc('minute', f), date_trunc('second', f), date_trunc('milliseconds', f) FROM t ORDER BY a
SELECT date_trunc('month', g), date_trunc('decade', g), date_trunc('century', g) FROM t ORDER BY a
SELECT date_trunc('month', '2024-02-29 12:30'::timestamp), date_trunc('hour', interval '1 day 02:03:04'), date_trunc('year', interval '14 months')
SELECT date_trunc('day', snapshot_time), count(*) FROM ducklake_snapshot GROUP BY 1 ORDER BY 1
SELECT date_trunc('month', snapshot_time) AS m, max(snapshot_id) FROM ducklake_snapshot GROUP BY m ORDER BY m DESC
SELECT f + interval '1 day', f - interval '1 day', f + interval '1 month', f - interval '1 year', interval '3 hours' + f FROM t ORDER BY a
SELECT g + interval '1 month', g - interval '1 month', g + 1, g - 1, g + o FROM t ORDER BY a
SELECT '2024-01-31'::date + interval '1 month', '2024-03-31'::timestamp - interval '1 month', '2024-02-29'::date + interval '1 year', '2023-12-31'::timestamptz + interval '2 months 1 day 01:02:03'
SELECT a, f - '2024-01-01'::timestamptz, '2024-01-01'::timestamp - '2023-06-01'::timestamp FROM t WHERE a IN (1, 2) ORDER BY a
SELECT snapshot_id, snapshot_time - lag(snapshot_time) OVER (ORDER BY snapshot_id) FROM ducklake_snapshot ORDER BY snapshot_id
SELECT max(snapshot_time) - min(snapshot_time), g - '2023-01-01'::date FROM ducklake_snapshot, t WHERE a = 1 GROUP BY g
SELECT o + interval '1 hour', o - interval '30 minutes', o - '01:00'::time FROM t ORDER BY a
SELECT interval '1 day' + interval '2 hours', interval '1 month' - interval '1 day', -interval '1 day 02:00:00', interval '1 day' * 2, interval '1 hour' * 1.5, 3 * interval '20 minutes', interval '1 month' / 4, interval '10 days' / 3, interval '1.5 months' * 2.5
SELECT interval '1 year 2 months 3 days', interval '25 hours', interval '-1 day', interval '1 week', interval '90 minutes', interval '1' hour, interval '2' year
SELECT interval '1 day' = interval '24 hours', interval '1 month' > interval '29 days', interval '1 day' < interval '25 hours', interval '0' = interval '0 days'
SELECT sum(x), count(*) FROM (SELECT 1 AS x WHERE interval '1 day' > interval '1 hour') q
SELECT age('2024-03-01'::timestamp, '2023-01-31'::timestamp), age('2024-01-01'::timestamptz, '2024-02-29 10:00'::timestamptz), age('2023-05-15'::timestamp, '2023-05-15'::timestamp), age('2024-12-31 23:59:59'::timestamp, '2000-02-29 00:00:01'::timestamp)
SELECT make_date(2024, 2, 29), make_time(12, 30, 15.5), make_timestamp(2024, 1, 2, 3, 4, 5.678), to_timestamp(0), to_timestamp(1700000000.5)
SELECT to_char(f, 'YYYY-MM-DD HH24:MI:SS'), to_char(f, 'YYYY/MM/DD HH12:MI AM'), to_char(f, 'Mon DD, YYYY'), to_char(f, 'YYYY-MM-DD"T"HH24:MI:SS.MS') FROM t ORDER BY a
SELECT to_char(f, 'Day'), to_char(f, 'FMDay, FMMonth FMDD'), to_char(f, 'DY'), to_char(f, 'D DDD Q WW IW IYYY'), to_char(f, 'US') FROM t WHERE a < 3 ORDER BY a
SELECT to_char(snapshot_time, 'YYYY-MM') AS month, count(*) FROM ducklake_snapshot GROUP BY month ORDER BY month
SELECT to_char('2024-01-02 15:04:05'::timestamp, 'hh24:mi:ss yyyy-mm-dd')
SELECT f AT TIME ZONE 'UTC', (f AT TIME ZONE 'UTC') AT TIME ZONE 'UTC', '2024-01-01'::timestamp AT TIME ZONE 'UTC' FROM t ORDER BY a
SELECT justify_hours(interval '50 hours'), justify_days(interval '65 days'), isfinite('infinity'::date), isfinite('2024-01-01'::timestamp)
SELECT date_bin('15 minutes', '2024-01-01 10:38:40'::timestamp, '2024-01-01'::timestamp)
SELECT g, f::date, f::time, g::timestamp, f::timestamp FROM t WHERE g IS NOT NULL ORDER BY a
SELECT g > '2024-01-01', g BETWEEN '2023-01-01' AND '2024-12-31', f > g, f::date = g, f < '2024-06-01 00:00:00+02' FROM t ORDER BY a
SELECT a FROM t WHERE f > now() - interval '100 years' AND f < now() + interval '100 years' ORDER BY a
SELECT a FROM t WHERE a > 0 AND f::date - g > 0 ORDER BY a
SELECT min(f), max(f), min(g), max(g), min(o), max(o), count(f) FROM t
SELECT min(snapshot_time), max(snapshot_time) FILTER (WHERE snapshot_id < 5) FROM ducklake_snapshot
SELECT x::date FROM generate_series('2024-01-30'::timestamp, '2024-02-02', '1 day') x
SELECT d::date, count(s.snapshot_id) FROM generate_series('2024-01-01'::timestamptz, '2024-09-01', '1 month') d LEFT JOIN ducklake_snapshot s ON date_trunc('month', s.snapshot_time) = d GROUP BY d ORDER BY d
SELECT extract(year FROM snapshot_time)::int AS y, extract(month FROM snapshot_time)::int AS m, count(*) FROM ducklake_snapshot GROUP BY y, m ORDER BY y, m
SELECT '2024-01-01'::date IN ('2024-01-01', '2024-01-02'), greatest('2024-01-01'::date, '2024-02-01'::date), least('2024-01-01'::timestamp, '2023-01-01'::timestamp), coalesce(NULL::date, '2024-01-01')
SELECT now() = now(), current_date = now()::date, localtimestamp = now()::timestamp, now() - now()
SELECT array_agg(g ORDER BY g), array_agg(f ORDER BY f DESC) FROM t WHERE a < 3
SELECT count(*) OVER (ORDER BY snapshot_time RANGE BETWEEN interval '31 days' PRECEDING AND CURRENT ROW) FROM ducklake_snapshot ORDER BY snapshot_id
SELECT interval '1 day 2 hours 3 minutes 4.5 seconds'::text, '2024-01-01'::date::text, '10:00'::time::text, '2024-01-01 10:00:00.5+00'::timestamptz::text
SELECT CASE WHEN f > '2024-03-01' THEN 'late' WHEN f IS NULL THEN 'none' ELSE 'early' END, count(*) FROM t GROUP BY 1 ORDER BY 1
SELECT DISTINCT date_trunc('year', f) FROM t ORDER BY 1
SELECT date_trunc('day', f) + interval '12 hours', extract(epoch FROM f - g) FROM t WHERE a IN (1, 2) ORDER BY a
