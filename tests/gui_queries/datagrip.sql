-- Of the shape of what DataGrip asks, as logged by a PostgreSQL in datafusion-contrib/datafusion-postgres issue 165 and
-- named in MaterializeInc/materialize issue 9720 and cube-js/cube issue 7714, in our own words.

-- sent by DataGrip at connect
SELECT current_database() AS a, current_schemas(false) AS b;

-- sent by DataGrip at connect
SHOW TRANSACTION ISOLATION LEVEL;

-- sent by DataGrip at connect
SELECT current_database(), current_schema(), current_user;

-- sent by DataGrip: databases
SELECT n.oid AS id, datname AS name, d.description, datistemplate AS is_template, datallowconn AS allow_connections
FROM pg_catalog.pg_database n LEFT JOIN pg_catalog.pg_shdescription d ON n.oid = d.objoid
WHERE datname = current_database()
ORDER BY CASE WHEN datname = pg_catalog.current_database() THEN -1::bigint ELSE n.oid::bigint END;

-- sent by DataGrip: schemas
SELECT n.nspname AS name, d.description, pg_catalog.pg_get_userbyid(n.nspowner) AS "owner"
FROM pg_catalog.pg_namespace n
LEFT JOIN pg_catalog.pg_description d ON n.oid = d.objoid
WHERE n.nspname IN ('public', 'pg_catalog', 'information_schema')
ORDER BY CASE WHEN nspname = pg_catalog.current_schema() THEN -1::bigint ELSE n.oid::bigint END;

-- sent by DataGrip: roles
SELECT R.rolname AS role_name, rolsuper AS is_super, rolinherit AS is_inherit, rolcreaterole AS can_createrole,
  rolcanlogin AS can_login, rolconnlimit AS conn_limit, rolvaliduntil AS valid_until, rolconfig AS config,
  D.description AS description
FROM pg_catalog.pg_roles R LEFT JOIN pg_catalog.pg_shdescription D ON D.objoid = R.oid
WHERE R.rolname !~ '^pg_';

-- sent by DataGrip: memberships
SELECT member id, roleid role_id, admin_option FROM pg_catalog.pg_auth_members
WHERE member NOT IN (SELECT oid FROM pg_catalog.pg_roles WHERE rolname ~ '^pg_') ORDER BY id, roleid::text;

-- sent by DataGrip: tablespaces
SELECT T.oid::bigint AS id, T.spcname AS name, T.spcowner AS owner, pg_catalog.pg_tablespace_location(T.oid) AS location,
  T.spcoptions AS options, D.description AS comment
FROM pg_catalog.pg_tablespace T LEFT JOIN pg_catalog.pg_shdescription D ON D.objoid = T.oid
ORDER BY T.spcname;

-- sent by DataGrip: access methods, extensions, languages, casts
SELECT A.oid AS access_method_id, A.amname AS access_method_name, A.amhandler::oid AS handler_id,
  CASE A.amtype WHEN 'i' THEN 'index' ELSE 'table' END AS kind
FROM pg_catalog.pg_am A WHERE A.amname IN ('heap', 'btree');

-- sent by DataGrip
SELECT E.oid AS id, E.extname AS name, E.extversion AS version, N.nspname AS schema_name
FROM pg_catalog.pg_extension E JOIN pg_catalog.pg_namespace N ON E.extnamespace = N.oid;

-- sent by DataGrip: tables with what it draws of them
SELECT T.relkind AS table_kind, T.relname AS table_name, T.relpersistence AS persistence,
  T.reltablespace AS tablespace_id, T.reloptions AS options, T.relispartition AS is_partition,
  (SELECT pg_catalog.array_agg(inhparent::bigint ORDER BY inhseqno)::varchar FROM pg_catalog.pg_inherits
   WHERE T.oid = inhrelid) AS ancestors,
  (SELECT pg_catalog.array_agg(inhrelid::bigint ORDER BY inhrelid)::varchar FROM pg_catalog.pg_inherits
   WHERE T.oid = inhparent) AS successors,
  pg_catalog.pg_get_userbyid(T.relowner) AS "owner"
FROM pg_catalog.pg_class T
WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'm', 'v', 'f', 'p')
ORDER BY table_kind, table_name;

-- sent by DataGrip: columns
SELECT C.attrelid AS table_id, C.attnum AS column_position, C.attname AS column_name,
  C.atttypmod AS type_mod, C.attndims AS dimensions_number,
  pg_catalog.format_type(C.atttypid, C.atttypmod) AS type_spec, C.attnotnull AS mandatory,
  pg_catalog.pg_get_expr(D.adbin, T.oid) AS column_default_expression, C.attidentity AS identity_kind
FROM pg_catalog.pg_attribute C
JOIN pg_catalog.pg_class T ON C.attrelid = T.oid
LEFT JOIN pg_catalog.pg_attrdef D ON C.attrelid = D.adrelid AND C.attnum = D.adnum
WHERE T.relnamespace = 'public'::regnamespace AND T.relkind = 'r' AND C.attnum > 0 AND NOT C.attisdropped
ORDER BY T.relname, C.attnum;

-- sent by DataGrip: indexes
SELECT tab.relname AS table_name, ind_stor.relname AS index_name, ind_head.indisunique AS is_unique,
  ind_head.indisprimary AS is_primary, ind_head.indkey AS column_positions, ind_head.indclass AS column_operators,
  ind_head.indoption AS column_options, pg_catalog.pg_get_expr(ind_head.indpred, ind_head.indrelid) AS condition,
  opcmethod AS access_method_id
FROM pg_catalog.pg_class tab
JOIN pg_catalog.pg_index ind_head ON ind_head.indrelid = tab.oid
JOIN pg_catalog.pg_class ind_stor ON tab.relnamespace = ind_stor.relnamespace AND ind_stor.oid = ind_head.indexrelid
LEFT JOIN pg_catalog.pg_opclass ON pg_opclass.oid = ANY(indclass)
WHERE tab.relnamespace = 'public'::regnamespace AND tab.relkind IN ('r', 'm', 'v', 'p') AND ind_head.indisprimary
ORDER BY tab.relname, ind_stor.relname;

-- sent by DataGrip: constraints
SELECT T.relkind AS table_kind, C.conname AS con_name, C.contype AS con_kind, C.conkey AS con_columns,
  C.confrelid AS ref_table_id, C.condeferrable AS is_deferrable, C.condeferred AS is_init_deferred,
  C.connoinherit AS no_inherit, pg_catalog.pg_get_expr(C.conbin, T.oid) AS con_expression
FROM pg_catalog.pg_constraint C
JOIN pg_catalog.pg_class T ON C.conrelid = T.oid
WHERE T.relkind IN ('r', 'v', 'f', 'p') AND C.connamespace = 'public'::regnamespace AND C.contype IN ('p', 'u', 'f', 'c', 'x')
ORDER BY con_name;

-- sent by DataGrip: comments
SELECT D.objoid AS id, C.relkind AS kind, D.objsubid AS sub_id, D.description
FROM pg_catalog.pg_description D
JOIN pg_catalog.pg_class C ON D.objoid = C.oid
WHERE C.relnamespace = 'public'::regnamespace AND C.relkind != 'c' AND D.classoid = 'pg_catalog.pg_class'::regclass
ORDER BY C.relname, D.objsubid;

-- sent by DataGrip: rules, triggers, statistics of views that are not there
SELECT R.ev_class AS view_id, R.oid AS rule_id, R.rulename AS rule_name, R.is_instead FROM pg_catalog.pg_rewrite R
WHERE R.ev_class IN (SELECT oid FROM pg_catalog.pg_class WHERE relnamespace = 'public'::regnamespace)
ORDER BY R.ev_class::bigint;
