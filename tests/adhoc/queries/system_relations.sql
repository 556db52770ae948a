SELECT c.relname, a.attname, a.attnum, rank() OVER (PARTITION BY c.relname ORDER BY a.attnum) FROM pg_catalog.pg_class c JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid WHERE c.relname IN ('t', 'u', 's') AND a.attnum > 0 AND NOT a.attisdropped ORDER BY 1, 3
SELECT table_name, count(*), string_agg(column_name, ',' ORDER BY ordinal_position) FROM information_schema.columns WHERE table_schema = 'public' AND table_name IN ('t', 'u') GROUP BY table_name ORDER BY 1
SELECT table_name, row_number() OVER (ORDER BY table_name) FROM information_schema.tables WHERE table_schema = 'public' AND table_name LIKE 'ducklake%' ORDER BY 1
SELECT c.relname FROM pg_class c LEFT JOIN LATERAL (SELECT count(*) AS n FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attnum > 0) x ON true WHERE c.relname IN ('t', 'u') AND x.n > 3 ORDER BY 1
SELECT n.nspname, c.relname, c.relkind::text FROM pg_class c, pg_namespace n WHERE n.oid = c.relnamespace AND c.relname OPERATOR(pg_catalog.~) '^(u|empty)$' COLLATE pg_catalog.default AND EXISTS (SELECT 1 WHERE true) ORDER BY 1, 2
SELECT format_type(a.atttypid, a.atttypmod), count(*) OVER (PARTITION BY a.atttypid) FROM pg_attribute a WHERE a.attrelid = 't'::regclass AND a.attnum > 0 ORDER BY a.attnum
SELECT c.oid::regclass::text, row_number() OVER (ORDER BY c.relname) FROM pg_class c WHERE c.relname IN ('t', 'u') ORDER BY 2
SELECT pg_table_is_visible(c.oid), c.relname, dense_rank() OVER (ORDER BY c.relname) FROM pg_class c WHERE c.relname IN ('t', 'u') ORDER BY 2
SELECT conname, contype::text, (SELECT string_agg(a.attname, ',') FROM pg_attribute a WHERE a.attrelid = c.conrelid AND a.attnum = ANY (c.conkey)) FROM pg_constraint c WHERE c.conrelid = 's'::regclass
SELECT current_database() IS NOT NULL, current_schema(), current_setting('server_encoding'), row_number() OVER ()
SELECT typname, rank() OVER (ORDER BY typname) FROM pg_type WHERE typname IN ('int8', 'text', 'bool') ORDER BY 1
SELECT coalesce(obj_description(c.oid, 'pg_class'), '-'), c.relname, count(*) OVER () FROM pg_class c WHERE c.relname = 'u'
