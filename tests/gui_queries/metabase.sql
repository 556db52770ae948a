-- Of the shape of what Metabase asks (metabase/metabase, src/metabase/driver/postgres.clj and sql_jdbc/sync), in our own
-- words.

-- sent by Metabase at connect: whether it answers
SELECT 1;

-- sent by Metabase (sql_jdbc/sync/describe_database.clj): schemas
SELECT nspname AS table_schem FROM pg_catalog.pg_namespace
WHERE nspname <> 'pg_toast' AND (nspname !~ '^pg_temp_' OR nspname = (pg_catalog.current_schemas(true))[1])
ORDER BY table_schem;

-- sent by Metabase (postgres.clj, get-tables-sql)
SELECT n.nspname AS schema, c.relname AS name,
  CASE c.relkind WHEN 'r' THEN 'TABLE' WHEN 'p' THEN 'PARTITIONED TABLE' WHEN 'v' THEN 'VIEW'
    WHEN 'f' THEN 'FOREIGN TABLE' WHEN 'm' THEN 'MATERIALIZED VIEW' ELSE NULL END AS type,
  d.description AS description, NULLIF(stat.n_live_tup, 0) AS estimated_row_count
FROM pg_catalog.pg_class AS c
INNER JOIN pg_catalog.pg_namespace AS n ON c.relnamespace = n.oid
LEFT JOIN pg_catalog.pg_description AS d ON c.oid = d.objoid AND d.objsubid = 0
LEFT JOIN pg_stat_user_tables AS stat ON n.nspname = stat.schemaname AND c.relname = stat.relname
WHERE c.relkind IN ('r', 'p', 'v', 'f', 'm') AND n.nspname = 'public'
ORDER BY type ASC, schema ASC, name ASC;

-- sent by Metabase (postgres.clj, describe-fields-sql)
SELECT c.column_name AS name,
  CASE WHEN c.udt_schema IN ('public', 'pg_catalog') THEN FORMAT('%s', c.udt_name)
    ELSE FORMAT('"%s"."%s"', c.udt_schema, c.udt_name) END AS "database-type",
  c.ordinal_position - 1 AS "database-position", c.table_schema AS "table-schema", c.table_name AS "table-name",
  pk.column_name IS NOT NULL AS "pk?",
  COL_DESCRIPTION(CAST(CAST(FORMAT('%I.%I', CAST(c.table_schema AS TEXT), CAST(c.table_name AS TEXT)) AS REGCLASS) AS OID),
    c.ordinal_position) AS "field-comment",
  (column_default IS NULL OR lower(column_default) = 'null') AND is_nullable = 'NO'
    AND NOT (column_default IS NOT NULL AND column_default LIKE '%nextval(%') AND is_identity = 'NO' AS "database-required"
FROM information_schema.columns AS c
LEFT JOIN (
  SELECT tc.table_schema, tc.table_name, kc.column_name
  FROM information_schema.table_constraints AS tc
  INNER JOIN information_schema.key_column_usage AS kc
    ON tc.constraint_name = kc.constraint_name AND tc.table_schema = kc.table_schema AND tc.table_name = kc.table_name
  WHERE tc.constraint_type = 'PRIMARY KEY'
) AS pk ON c.table_schema = pk.table_schema AND c.table_name = pk.table_name AND c.column_name = pk.column_name
WHERE c.table_schema !~ '^information_schema|catalog_history|pg_' AND c.table_schema = 'public'
ORDER BY "table-schema", "table-name", "database-position";

-- sent by Metabase (postgres.clj, describe-fks-sql)
SELECT fk_ns.nspname AS "fk-table-schema", fk_table.relname AS "fk-table-name", fk_column.attname AS "fk-column-name"
FROM pg_constraint AS c
INNER JOIN pg_class AS fk_table ON c.conrelid = fk_table.oid
INNER JOIN pg_namespace AS fk_ns ON c.connamespace = fk_ns.oid
INNER JOIN pg_attribute AS fk_column ON c.conrelid = fk_column.attrelid
WHERE fk_ns.nspname !~ '^information_schema|catalog_history|pg_' AND c.contype = 'f' AND fk_column.attnum = ANY(c.conkey)
ORDER BY 1, 2;

-- sent by Metabase (postgres.clj, describe-indexes): leading columns of indexes
SELECT tmp.table_schem AS "table-schema", tmp.table_name AS "table-name",
  trim(both '"' FROM pg_catalog.pg_get_indexdef(tmp.ci_oid, tmp.pos, false)) AS "field-name"
FROM (
  SELECT n.nspname AS table_schem, ct.relname AS table_name, ci.oid AS ci_oid, 1 AS pos
  FROM pg_catalog.pg_class AS ct
  INNER JOIN pg_catalog.pg_namespace AS n ON ct.relnamespace = n.oid
  INNER JOIN pg_catalog.pg_index AS i ON ct.oid = i.indrelid
  INNER JOIN pg_catalog.pg_class AS ci ON ci.oid = i.indexrelid
  WHERE pg_catalog.pg_get_expr(i.indpred, i.indrelid) IS NULL AND n.nspname = 'public'
) AS tmp
ORDER BY 1, 2, 3;

-- sent by Metabase (postgres.clj, current-user-table-privileges)
SELECT t.schemaname AS schema, t.tablename AS "table",
  pg_catalog.has_table_privilege(current_user, '"' || t.schemaname || '"."' || t.tablename || '"', 'SELECT') AS "select",
  pg_catalog.has_table_privilege(current_user, '"' || t.schemaname || '"."' || t.tablename || '"', 'UPDATE') AS "update"
FROM pg_catalog.pg_tables t
WHERE t.schemaname = 'public' AND t.tablename LIKE 'ducklake%'
ORDER BY 2;

-- sent by Metabase (postgres.clj, enum-types)
SELECT nspname, typname FROM pg_catalog.pg_type t JOIN pg_catalog.pg_namespace n ON n.oid = t.typnamespace
WHERE t.oid IN (SELECT DISTINCT enumtypid FROM pg_enum e);

-- sent by Metabase (sql_jdbc/execute.clj): the time zone
SHOW TIMEZONE;
