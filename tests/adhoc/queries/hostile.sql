-- each one is an error, soon; the server goes on
SELECT * FROM read_csv('/etc/passwd')
SELECT * FROM read_csv_auto('/etc/passwd')
SELECT * FROM read_text('/etc/passwd')
SELECT * FROM read_blob('/etc/passwd')
SELECT * FROM read_parquet('/tmp/x.parquet')
SELECT * FROM parquet_scan('/tmp/x.parquet')
SELECT * FROM parquet_metadata('/tmp/x.parquet')
SELECT * FROM parquet_schema('/tmp/x.parquet')
SELECT * FROM read_json('/etc/passwd')
SELECT * FROM read_ndjson_objects('/etc/passwd')
SELECT * FROM sniff_csv('/etc/passwd')
SELECT * FROM glob('/etc/*')
SELECT * FROM '/etc/passwd'
SELECT * FROM 'file.csv'
SELECT * FROM "/etc/passwd"
SELECT * FROM "file.csv"
SELECT * FROM "s3://bucket/file.parquet"
SELECT * FROM "https://example.org/x.csv"
SELECT getenv('HOME')
SELECT getvariable('x')
SELECT * FROM duckdb_settings()
SELECT * FROM duckdb_tables()
SELECT * FROM duckdb_databases()
SELECT * FROM duckdb_secrets()
SELECT * FROM duckdb_functions()
SELECT * FROM pragma_version()
SELECT * FROM pragma_database_list
SELECT * FROM pragma_table_info('t')
SELECT * FROM pragma_storage_info('r1')
SELECT * FROM sqlite_master
SELECT * FROM duckdb_extensions()
SELECT current_setting('memory_limit'), row_number() OVER ()
SELECT current_setting('access_mode'), row_number() OVER ()
SELECT * FROM query('SELECT 1')
SELECT * FROM query_table('t')
SELECT * FROM query_table(ARRAY['t', 'u'])
SELECT * FROM arrow_scan(1, 2, 3)
SELECT * FROM arrow_scan_dumb(140234234, 140234234, 140234234)
SELECT * FROM python_map_function()
SELECT * FROM pandas_scan(140234234)
SELECT * FROM seq_scan('t')
SELECT * FROM repeat_row('x', num_rows = 3)
SELECT * FROM checkpoint()
SELECT * FROM force_checkpoint()
SELECT * FROM postgres_scan('host=127.0.0.1', 'public', 't')
SELECT * FROM postgres_query('db', 'SELECT 1')
SELECT * FROM sqlite_scan('/tmp/x.db', 't')
SELECT * FROM iceberg_scan('/tmp/x')
SELECT * FROM summary((SELECT 1))
SELECT * FROM test_all_types()
SELECT * FROM which_secret('s3://x', 's3')
SELECT * FROM r1
SELECT * FROM r1 AS t1, t AS r1
SELECT c0 FROM t
SELECT t1.c0 FROM t
SELECT * FROM k1
SELECT f1(1), row_number() OVER ()
SELECT a1(1), row_number() OVER ()
SELECT numeric_key('1'), row_number() OVER ()
SELECT error('x'), row_number() OVER ()
SELECT sleep_ms(100000), row_number() OVER ()
SELECT pg_sleep(100000), row_number() OVER ()
SELECT pg_read_file('/etc/passwd'), row_number() OVER ()
SELECT pg_ls_dir('/'), row_number() OVER ()
SELECT lo_import('/etc/passwd'), row_number() OVER ()
SELECT dblink('host=x', 'SELECT 1'), row_number() OVER ()
SELECT system('id'), row_number() OVER ()
SELECT write_log('x'), row_number() OVER ()
SELECT nextval('x'), row_number() OVER ()
SELECT list_transform(ARRAY[1], x -> x + 1), row_number() OVER ()
SELECT COLUMNS('a.*') FROM t
SELECT * EXCLUDE (a) FROM t
SELECT * REPLACE (1 AS a) FROM t
SELECT * FROM t USING SAMPLE 1
SELECT * FROM t TABLESAMPLE SYSTEM (10)
SELECT * FROM t QUALIFY row_number() OVER () = 1
SELECT * FROM (PIVOT t ON a USING sum(i))
SELECT * FROM (DESCRIBE t) d
SELECT * FROM (SHOW TABLES) d
SELECT * FROM (SUMMARIZE t) d
SELECT {'a': 1}, row_number() OVER ()
SELECT MAP {'a': 1}, row_number() OVER ()
FROM t
COPY t TO '/tmp/x.csv'
COPY (SELECT row_number() OVER () FROM t) TO '/tmp/x.csv'
COPY t FROM '/etc/passwd'
COPY t TO PROGRAM 'id'
ATTACH '/tmp/x.db' AS x
DETACH x
INSTALL httpfs
LOAD httpfs
LOAD '/tmp/x.so'
PRAGMA database_list
PRAGMA enable_external_access
EXPORT DATABASE '/tmp/x'
IMPORT DATABASE '/tmp/x'
SET memory_limit = '100GB'
SET enable_external_access = true
SET GLOBAL threads = 100
CALL pragma_version()
USE memory
CREATE MACRO m() AS 1
CREATE SECRET s (TYPE s3)
CREATE TABLE x AS SELECT row_number() OVER () FROM t
CREATE VIEW v AS SELECT 1
INSERT INTO t (a) SELECT row_number() OVER () FROM u
UPDATE t SET a = (SELECT row_number() OVER () FROM u LIMIT 1)
DELETE FROM t WHERE a IN (SELECT row_number() OVER () FROM u)
WITH x AS (DELETE FROM t RETURNING a) SELECT row_number() OVER () FROM x
WITH x AS (INSERT INTO t (a) VALUES (1) RETURNING a) SELECT a FROM x
WITH x AS (UPDATE t SET a = 1 RETURNING a) SELECT a FROM x
SELECT row_number() OVER () FROM t FOR UPDATE
SELECT a FROM t FOR SHARE
SELECT a INTO x FROM t
SELECT row_number() OVER () INTO x FROM t
SELECT 1; SELECT * FROM read_csv('/etc/passwd')
SELECT row_number() OVER () FROM "t; DROP TABLE t; --"
SELECT row_number() OVER () FROM "t"" AS t1; COPY (SELECT 1) TO '/tmp/x'; --"
SELECT "a"" FROM read_csv('/etc/passwd') --" FROM t
SELECT row_number() OVER (ORDER BY "a) FROM t; SELECT (1")  FROM t
SELECT row_number() OVER () AS "x FROM duckdb_settings(); --" FROM nope
SELECT $x$ $x$ || nope FROM t
SELECT '''; SELECT 1; --' || nope FROM t
SELECT 1 /* */ FROM read_csv(/* '*/ '/etc/passwd')
SELECT * FROM generate_series(1, 1000000000000) ORDER BY 1 DESC
SELECT count(*) FROM generate_series(1, 1000000000000)
SELECT generate_series(1, 1000000000000)
SELECT unnest(array_agg(x)) FROM generate_series(1, 1000000000) g(x)
SELECT string_agg(x::text, ',') FROM generate_series(1, 1000000000) g(x)
SELECT count(*) FROM ducklake_data_file a, ducklake_data_file b, ducklake_data_file c, ducklake_data_file d, ducklake_data_file e, ducklake_data_file f, ducklake_data_file g, generate_series(1, 1000) h
SELECT a.path, row_number() OVER (ORDER BY a.path || b.path || c.path || d.path || e.path) FROM ducklake_data_file a, ducklake_data_file b, ducklake_data_file c, ducklake_data_file d, ducklake_data_file e
SELECT DISTINCT a.path || b.path || c.path || d.path || e.path FROM ducklake_data_file a, ducklake_data_file b, ducklake_data_file c, ducklake_data_file d, ducklake_data_file e
WITH RECURSIVE r(n) AS (SELECT 1::bigint UNION ALL SELECT n + 1 FROM r) SELECT count(*) FROM r
WITH RECURSIVE r(n) AS (SELECT 'x' UNION ALL SELECT n || n FROM r) SELECT max(n) FROM r
WITH RECURSIVE r(n) AS (SELECT 1::bigint UNION ALL SELECT n FROM r, generate_series(1, 10)) SELECT count(*) FROM r
SELECT sum(length(b || x.n)) FROM t, generate_series(1, 100000000000) x(n) WHERE lower(b) ~ '(o|x)+' AND md5(x.n::text) = 'x'
SELECT repeat('x', 1000000000), row_number() OVER ()
SELECT lpad('x', 1000000000), row_number() OVER ()
SELECT replace(repeat('x', 10000000), 'x', repeat('y', 10000)), row_number() OVER ()
SELECT repeat(b, 300000000), row_number() OVER () FROM t
SELECT '(' ~ repeat('(', 100000), row_number() OVER ()
SELECT b ~ '(x+x+)+y\1', row_number() OVER () FROM t
SELECT 'x' ~ '(?=x)', row_number() OVER ()
SELECT b ~ '((((a{1,255}){1,255}){1,255}){1,255})', row_number() OVER () FROM t
SELECT 10 ^ 1000000, row_number() OVER ()
SELECT repeat('[', 1000000)::json, row_number() OVER ()
SELECT repeat('[', 1000000)::jsonb -> 0, row_number() OVER ()
SELECT (repeat('{"a":', 100000) || '1' || repeat('}', 100000))::json #> '{a,a}'
SELECT ('[' || repeat('1,', 10000000) || '1]')::json -> 5, row_number() OVER ()
SELECT json_agg(repeat(b, 1000)) FROM t, generate_series(1, 100000000) g
SELECT json_object_agg(x, b) FROM t, generate_series(1, 1000000000) y(x)
SELECT * FROM json_each('{}'), read_csv('/etc/passwd')
SELECT json_serialize_sql('SELECT 1'), row_number() OVER ()
SELECT json_execute_serialized_sql('x'), row_number() OVER ()
SELECT * FROM json_execute_serialized_sql('x')
SELECT json_extract('{}', '$'), row_number() OVER ()
SELECT row_to_json(r1), row_number() OVER () FROM t
SELECT present FROM t, (SELECT json_agg(t) FROM u t) q
SELECT ('[' || repeat('[1],', 100000) || '[2]]')::jsonb @> ('[' || repeat('[3],', 100000) || '[4]]')::jsonb, row_number() OVER ()
SELECT (repeat('[', 800) || repeat('1,', 100000) || '1' || repeat(']', 800))::jsonb #> string_to_array(repeat('0,', 799) || '0', ','), row_number() OVER ()
SELECT ('{"a": 1}' || repeat(' ', 4000000))::json -> 'a', repeat('x', 2000000000)
SELECT f AT TIME ZONE repeat('x/', 10000000) FROM t, generate_series(1, 3)
SELECT f AT TIME ZONE '../../etc/passwd' FROM t, generate_series(1, 3)
SELECT count(*) FROM generate_series('2000-01-01'::timestamptz, '9999-01-01', '1 microsecond')
