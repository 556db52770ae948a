-- Of the shape of what Grafana asks (grafana/grafana, public/app/plugins/datasource/grafana-postgresql-datasource,
-- postgresMetaQuery.ts), in our own words.

-- sent by Grafana to detect its features
SELECT current_setting('server_version_num')::int / 10000 AS version;

-- sent by Grafana to detect its features
SELECT extversion FROM pg_extension WHERE extname = 'timescaledb';

-- sent by Grafana: schemas
SELECT schema_name AS "name" FROM information_schema.schemata
WHERE schema_name NOT IN ('information_schema', 'pg_catalog', 'pg_toast', '_timescaledb_internal')
ORDER BY schema_name;

-- sent by Grafana: tables, those of the search path without their schema and first
SELECT CASE WHEN quote_ident(table_schema) IN (
    SELECT CASE WHEN trim(s[i]) = '"$user"' THEN user ELSE trim(s[i]) END
    FROM generate_series(
        array_lower(string_to_array(current_setting('search_path'), ','), 1),
        array_upper(string_to_array(current_setting('search_path'), ','), 1)) AS i,
      string_to_array(current_setting('search_path'), ',') s)
  THEN quote_ident(table_name) ELSE quote_ident(table_schema) || '.' || quote_ident(table_name) END AS "table"
FROM information_schema.tables
WHERE quote_ident(table_schema) NOT IN ('information_schema', 'pg_catalog', '_timescaledb_internal')
ORDER BY 1;

-- sent by Grafana: tables of one schema
SELECT quote_ident(table_name) AS "table" FROM information_schema.tables
WHERE quote_ident(table_schema) = 'public' ORDER BY 1;

-- sent by Grafana: columns of a table
SELECT quote_ident(column_name) AS "column", data_type AS "type" FROM information_schema.columns
WHERE CASE WHEN array_length(parse_ident('ducklake_snapshot'), 1) = 2
    THEN quote_ident(table_schema) = (parse_ident('ducklake_snapshot'))[1]
      AND quote_ident(table_name) = (parse_ident('ducklake_snapshot'))[2]
    ELSE quote_ident(table_name) = 'ducklake_snapshot' END
ORDER BY ordinal_position;
