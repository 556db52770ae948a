SELECT TIMESTAMPTZ '2024-07-01 12:00:00+00' AT TIME ZONE 'Europe/Berlin', TIMESTAMP '2024-07-01 14:00:00' AT TIME ZONE 'Europe/Berlin'
SELECT TIMESTAMPTZ '2024-01-01 12:00:00+00' AT TIME ZONE 'America/New_York', TIMESTAMP '2024-01-01 07:00:00' AT TIME ZONE 'America/New_York'
SELECT TIMESTAMP '2024-03-31 02:30:00' AT TIME ZONE 'Europe/Berlin', TIMESTAMP '2024-10-27 02:30:00' AT TIME ZONE 'Europe/Berlin', TIMESTAMP '2024-03-31 02:00:00' AT TIME ZONE 'Europe/Berlin', TIMESTAMP '2024-03-31 03:00:00' AT TIME ZONE 'Europe/Berlin'
SELECT TIMESTAMP '2024-11-03 01:30:00' AT TIME ZONE 'America/New_York', TIMESTAMP '2024-03-10 02:30:00' AT TIME ZONE 'America/New_York', TIMESTAMP '2014-10-26 01:30:00' AT TIME ZONE 'Europe/Moscow', TIMESTAMP '2011-12-30 12:00:00' AT TIME ZONE 'Pacific/Apia'
SELECT x AT TIME ZONE 'UTC' AT TIME ZONE 'Asia/Kolkata', x AT TIME ZONE 'Australia/Lord_Howe', x AT TIME ZONE 'Asia/Kathmandu' FROM (VALUES (TIMESTAMPTZ '2024-04-06 15:00:00+00'), ('2024-04-06 14:30:00+00'), ('infinity'), (NULL), ('-infinity')) v(x)
SELECT TIMESTAMPTZ '1850-01-01 00:00:00+00' AT TIME ZONE 'Europe/Berlin', TIMESTAMPTZ '0044-03-15 12:00:00+00 BC' AT TIME ZONE 'Europe/Berlin', TIMESTAMPTZ '1893-04-01 00:00:00+00' AT TIME ZONE 'Europe/Berlin', TIMESTAMP '1800-06-01 12:00:00' AT TIME ZONE 'Europe/Amsterdam'
SELECT TIMESTAMPTZ '2050-07-01 12:00:00+00' AT TIME ZONE 'Europe/Berlin', TIMESTAMPTZ '9999-12-31 23:30:00+00' AT TIME ZONE 'Europe/Berlin', TIMESTAMPTZ '12024-07-01 12:00:00+00' AT TIME ZONE 'America/New_York', TIMESTAMP '50000-03-01 12:00:00' AT TIME ZONE 'Europe/London'
SELECT f AT TIME ZONE 'Europe/Paris', f AT TIME ZONE 'europe/paris', (f AT TIME ZONE 'America/Sao_Paulo')::date FROM t ORDER BY a
SELECT f AT TIME ZONE 'Etc/GMT+5', f AT TIME ZONE 'UTC', f AT TIME ZONE 'GMT', f AT TIME ZONE 'EST5EDT', f AT TIME ZONE 'UTC+3', f AT TIME ZONE 'GMT-05:30' FROM t WHERE a IN (1, 2) ORDER BY a
SELECT z, f AT TIME ZONE z FROM t, (VALUES ('Asia/Tokyo'), ('Africa/Cairo'), ('America/St_Johns'), ('Antarctica/Troll')) v(z) WHERE a IN (1, 2) ORDER BY z, a
SELECT timezone('Europe/Berlin', f), timezone('Europe/Berlin', f::timestamp), f AT TIME ZONE INTERVAL '5 hours 30 minutes', f::timestamp AT TIME ZONE INTERVAL '-3 hours' FROM t WHERE a IN (1, 2) ORDER BY a
SELECT g AT TIME ZONE 'Europe/Berlin' FROM t WHERE a IN (1, 2) ORDER BY a
SELECT date_trunc('day', f, 'Europe/Berlin'), date_trunc('hour', f, 'Asia/Kolkata'), date_trunc('month', f, 'America/New_York'), date_trunc('year', f, 'UTC') FROM t ORDER BY a
SELECT date_trunc('day', snapshot_time AT TIME ZONE 'America/Los_Angeles') AS day, count(*) FROM ducklake_snapshot GROUP BY 1 ORDER BY 1
SELECT extract(hour FROM snapshot_time AT TIME ZONE 'Asia/Tokyo'), snapshot_time AT TIME ZONE 'Asia/Tokyo', row_number() OVER (ORDER BY snapshot_id) FROM ducklake_snapshot ORDER BY snapshot_id
SELECT to_char(f AT TIME ZONE 'Europe/Berlin', 'YYYY-MM-DD HH24:MI:SS.MS') FROM t WHERE a IN (1, 2) ORDER BY a
SELECT extract(timezone FROM f), extract(timezone_hour FROM f), extract(timezone_minute FROM f), date_part('timezone', f) FROM t ORDER BY a
SELECT '2024-07-01 12:00 Europe/Berlin'::timestamptz, '2024-01-01 12:00 america/new_york'::timestamptz, '2024-07-01 12:00 Europe/Berlin'::timestamp
SELECT f FROM t WHERE f AT TIME ZONE 'Europe/Berlin' >= '2024-06-01' ORDER BY a
