-- Of the shape of what TablePlus asks, as its authors and users tell it (TablePlus/TablePlus issues 1213 and 3291,
-- yugabyte/yugabyte-db issue 1251, benbjohnson/postlite issue 11), in our own words.

-- sent by TablePlus at connect
SELECT nspname FROM pg_catalog.pg_namespace WHERE nspname !~ '^pg_toast' ORDER BY nspname;

-- sent by TablePlus: the side bar
(SELECT table_name, table_schema, table_type FROM information_schema.tables WHERE table_schema = 'public')
UNION
(SELECT c.relname AS table_name, n.nspname AS table_schema, 'MATERIALIZED VIEW'
 FROM pg_catalog.pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.relkind = 'm');

-- sent by TablePlus: values of enumerations
SELECT t.oid AS type_oid, t.typname AS type_name, e.enumlabel AS type_define
FROM pg_type AS t JOIN pg_enum AS e ON e.enumtypid = t.oid;

-- sent by TablePlus: functions
SELECT pg_catalog.pg_get_userbyid(p.proowner) AS owner, p.oid AS oid, pg_get_function_identity_arguments(p.oid) AS args,
  n.nspname AS function_schema, p.proname AS function_name,
  CASE p.prokind WHEN 'a' THEN 'aggregate' WHEN 'w' THEN 'window' WHEN 'p' THEN 'procedure' ELSE 'function' END AS function_type
FROM pg_catalog.pg_proc p LEFT JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace
WHERE n.nspname <> 'pg_catalog' AND n.nspname <> 'information_schema';

-- sent by TablePlus: keys of a table
SELECT kc.ordinal_position, tc.table_schema, tc.table_name, tc.constraint_name, kc.column_name
FROM information_schema.table_constraints tc
JOIN information_schema.key_column_usage kc
  ON kc.table_name = tc.table_name AND kc.table_schema = tc.table_schema AND kc.constraint_name = tc.constraint_name
WHERE tc.constraint_type = 'PRIMARY KEY' AND kc.ordinal_position IS NOT NULL AND tc.table_schema = 'public'
ORDER BY tc.table_name, kc.ordinal_position;

-- sent by TablePlus: columns of a table
SELECT ordinal_position, column_name, udt_name AS data_type, numeric_precision, datetime_precision, numeric_scale,
  character_maximum_length AS data_length, is_nullable, column_name AS check_constraint, column_default,
  pg_catalog.col_description('{ducklake_table}'::oid, ordinal_position) AS comment
FROM information_schema.columns
WHERE table_name = 'ducklake_table' AND table_schema = 'public'
ORDER BY ordinal_position;

-- sent by TablePlus: indexes of a table
SELECT ix.relname AS index_name, upper(am.amname) AS index_algorithm, indisunique AS is_unique,
  pg_get_indexdef(indexrelid) AS index_definition, pg_get_expr(indpred, indrelid, true) AS condition,
  pg_catalog.obj_description(i.indexrelid, 'pg_class') AS comment
FROM pg_index i
JOIN pg_class t ON t.oid = i.indrelid
JOIN pg_class ix ON ix.oid = i.indexrelid
JOIN pg_namespace n ON t.relnamespace = n.oid
JOIN pg_am AS am ON ix.relam = am.oid
WHERE t.relname = 'ducklake_schema' AND n.nspname = 'public'
ORDER BY ix.relname;

-- sent by TablePlus: the number of rows, as far as it is known
SELECT reltuples::bigint AS estimate FROM pg_class WHERE oid = 'public.ducklake_data_file'::regclass;
