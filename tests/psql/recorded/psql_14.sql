-- sent by psql 14, for \d of a table: publications, none of which are of schemas
SELECT pubname
FROM pg_catalog.pg_publication p
JOIN pg_catalog.pg_publication_rel pr ON p.oid = pr.prpubid
WHERE pr.prrelid = '{ducklake_data_file}'
UNION ALL
SELECT pubname
FROM pg_catalog.pg_publication p
WHERE p.puballtables AND pg_catalog.pg_relation_is_publishable('{ducklake_data_file}')
ORDER BY 1;

-- sent by psql 14, for \df
SELECT n.nspname as "Schema",
  p.proname as "Name",
  pg_catalog.pg_get_function_result(p.oid) as "Result data type",
  pg_catalog.pg_get_function_arguments(p.oid) as "Argument data types",
 CASE p.prokind
  WHEN 'a' THEN 'agg'
  WHEN 'w' THEN 'window'
  WHEN 'p' THEN 'proc'
  ELSE 'func'
 END as "Type"
FROM pg_catalog.pg_proc p
     LEFT JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace
WHERE pg_catalog.pg_function_is_visible(p.oid)
      AND n.nspname <> 'pg_catalog'
      AND n.nspname <> 'information_schema'
ORDER BY 1, 2, 4;

-- sent by psql 14, for \du+
SELECT r.rolname, r.rolsuper, r.rolinherit,
  r.rolcreaterole, r.rolcreatedb, r.rolcanlogin,
  r.rolconnlimit, r.rolvaliduntil,
  ARRAY(SELECT b.rolname
        FROM pg_catalog.pg_auth_members m
        JOIN pg_catalog.pg_roles b ON (m.roleid = b.oid)
        WHERE m.member = r.oid) as memberof
, pg_catalog.shobj_description(r.oid, 'pg_authid') AS description
, r.rolreplication
, r.rolbypassrls
FROM pg_catalog.pg_roles r
WHERE r.rolname !~ '^pg_'
ORDER BY 1;

-- sent by psql 14, to complete the name of a table: quoted names, compared by their beginnings
SELECT pg_catalog.quote_ident(c.relname) FROM pg_catalog.pg_class c WHERE c.relkind IN ('r', 'p', 'S', 'v', 'm', 'f') AND substring(pg_catalog.quote_ident(c.relname),1,11)='ducklake_sc' AND pg_catalog.pg_table_is_visible(c.oid) AND c.relnamespace <> (SELECT oid FROM pg_catalog.pg_namespace WHERE nspname = 'pg_catalog')
UNION
SELECT pg_catalog.quote_ident(n.nspname) || '.' FROM pg_catalog.pg_namespace n WHERE substring(pg_catalog.quote_ident(n.nspname) || '.',1,11)='ducklake_sc' AND (SELECT pg_catalog.count(*) FROM pg_catalog.pg_namespace WHERE substring(pg_catalog.quote_ident(nspname) || '.',1,11) = substring('ducklake_sc',1,pg_catalog.length(pg_catalog.quote_ident(nspname))+1)) > 1
UNION
SELECT pg_catalog.quote_ident(n.nspname) || '.' || pg_catalog.quote_ident(c.relname) FROM pg_catalog.pg_class c, pg_catalog.pg_namespace n WHERE c.relnamespace = n.oid AND c.relkind IN ('r', 'p', 'S', 'v', 'm', 'f') AND substring(pg_catalog.quote_ident(n.nspname) || '.' || pg_catalog.quote_ident(c.relname),1,11)='ducklake_sc' AND substring(pg_catalog.quote_ident(n.nspname) || '.',1,11) = substring('ducklake_sc',1,pg_catalog.length(pg_catalog.quote_ident(n.nspname))+1) AND (SELECT pg_catalog.count(*) FROM pg_catalog.pg_namespace WHERE substring(pg_catalog.quote_ident(nspname) || '.',1,11) = substring('ducklake_sc',1,pg_catalog.length(pg_catalog.quote_ident(nspname))+1)) = 1
LIMIT 1000;

-- sent by psql 14, to complete the name of a column
SELECT pg_catalog.quote_ident(attname) FROM pg_catalog.pg_attribute a, pg_catalog.pg_class c WHERE c.oid = a.attrelid AND a.attnum > 0 AND NOT a.attisdropped AND substring(pg_catalog.quote_ident(attname),1,1)='k' AND (pg_catalog.quote_ident(relname)='ducklake_metadata' OR '"' || relname || '"'='ducklake_metadata') AND pg_catalog.pg_table_is_visible(c.oid)
LIMIT 1000;

-- sent by psql 14, to complete the name of a schema
SELECT pg_catalog.quote_ident(nspname) FROM pg_catalog.pg_namespace WHERE substring(pg_catalog.quote_ident(nspname),1,2)='pu'
LIMIT 1000;

-- sent by psql 14, to complete the name of a setting
SELECT name FROM (SELECT pg_catalog.lower(name) AS name FROM pg_catalog.pg_settings WHERE context != 'internal' UNION ALL SELECT 'session authorization' UNION ALL SELECT 'all') ss WHERE substring(name,1,8)='search_p'
LIMIT 1000;

-- sent by psql 14, to complete the name of a role
SELECT pg_catalog.quote_ident(rolname) FROM pg_catalog.pg_roles WHERE substring(pg_catalog.quote_ident(rolname),1,4)='rock'
LIMIT 1000;

-- sent by psql 14, for \d of a table: the columns, with compression
SELECT a.attname,
  pg_catalog.format_type(a.atttypid, a.atttypmod),
  (SELECT pg_catalog.pg_get_expr(d.adbin, d.adrelid, true)
   FROM pg_catalog.pg_attrdef d
   WHERE d.adrelid = a.attrelid AND d.adnum = a.attnum AND a.atthasdef),
  a.attnotnull,
  (SELECT c.collname FROM pg_catalog.pg_collation c, pg_catalog.pg_type t
   WHERE c.oid = a.attcollation AND t.oid = a.atttypid AND a.attcollation <> t.typcollation) AS attcollation,
  a.attidentity,
  a.attgenerated,
  a.attstorage,
  a.attcompression AS attcompression,
  CASE WHEN a.attstattarget=-1 THEN NULL ELSE a.attstattarget END AS attstattarget,
  pg_catalog.col_description(a.attrelid, a.attnum)
FROM pg_catalog.pg_attribute a
WHERE a.attrelid = '{ducklake_table}' AND a.attnum > 0 AND NOT a.attisdropped
ORDER BY a.attnum;

-- sent by psql 14, for \dX
SELECT
es.stxnamespace::pg_catalog.regnamespace::pg_catalog.text AS "Schema",
es.stxname AS "Name",
pg_catalog.format('%s FROM %s',
  pg_catalog.pg_get_statisticsobjdef_columns(es.oid),
  es.stxrelid::pg_catalog.regclass) AS "Definition",
CASE WHEN 'd' = any(es.stxkind) THEN 'defined'
END AS "Ndistinct"
FROM pg_catalog.pg_statistic_ext es
WHERE pg_catalog.pg_statistics_obj_is_visible(es.oid)
ORDER BY 1, 2;
