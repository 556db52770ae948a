-- Of the shape of what pgAdmin 4 asks (package pgadmin4, pgadmin/browser/server_groups/servers, the templates named), in
-- our own words.

-- sent by pgAdmin at connect (utils/driver/psycopg3/connection.py)
SELECT db.oid AS did, db.datname, db.datallowconn, pg_encoding_to_char(db.encoding) AS serverencoding,
  has_database_privilege(db.oid, 'CREATE') AS cancreate, datistemplate
FROM pg_catalog.pg_database db WHERE db.datname = current_database();

-- sent by pgAdmin at connect (utils/driver/psycopg3/connection.py): what the role may do
SELECT roles.rolname, roles.rolsuper AS is_superuser,
  CASE WHEN roles.rolsuper THEN true ELSE roles.rolcreaterole END AS can_create_role,
  CASE WHEN roles.rolsuper THEN true ELSE roles.rolcreatedb END AS can_create_db,
  CASE WHEN 'pg_signal_backend' = ANY(ARRAY(
    WITH memberships AS (SELECT oid FROM pg_catalog.pg_roles WHERE rolname = CURRENT_USER)
    SELECT r.rolname FROM pg_catalog.pg_auth_members m
    JOIN pg_catalog.pg_roles r ON r.oid = m.roleid
    WHERE m.member IN (SELECT oid FROM memberships)))
  THEN true ELSE false END AS can_signal_backend
FROM pg_catalog.pg_roles AS roles WHERE rolname = CURRENT_USER;

-- sent by pgAdmin (databases/sql/nodes.sql)
SELECT db.oid AS did, db.datname AS name, db.dattablespace AS spcoid, spcname, datallowconn,
  pg_catalog.has_database_privilege(db.oid, 'CREATE') AS cancreate, datdba AS owner, descr.description
FROM pg_catalog.pg_database db
LEFT OUTER JOIN pg_catalog.pg_tablespace ta ON db.dattablespace = ta.oid
LEFT OUTER JOIN pg_catalog.pg_shdescription descr
  ON (db.oid = descr.objoid AND descr.classoid = 'pg_database'::regclass)
WHERE db.datname = current_database()
ORDER BY datname;

-- sent by pgAdmin (tablespaces/sql/nodes.sql)
SELECT ts.oid AS oid, spcname AS name, spcowner AS owner, pg_catalog.shobj_description(oid, 'pg_tablespace') AS description
FROM pg_catalog.pg_tablespace ts ORDER BY name;

-- sent by pgAdmin (roles/sql/nodes.sql)
SELECT r.oid, r.rolname, r.rolcanlogin, r.rolsuper, pg_catalog.shobj_description(r.oid, 'pg_authid') AS description
FROM pg_catalog.pg_roles r WHERE r.rolname NOT LIKE 'pg\_%' ORDER BY r.rolcanlogin, r.rolname;

-- sent by pgAdmin (schemas/pg/sql/nodes.sql)
SELECT nsp.oid, nsp.nspname AS name, pg_catalog.has_schema_privilege(nsp.oid, 'CREATE') AS can_create,
  pg_catalog.has_schema_privilege(nsp.oid, 'USAGE') AS has_usage, des.description
FROM pg_catalog.pg_namespace nsp
LEFT OUTER JOIN pg_catalog.pg_description des ON (des.objoid = nsp.oid AND des.classoid = 'pg_namespace'::regclass)
WHERE nspname NOT LIKE E'pg\\_%'
  AND NOT ((nsp.nspname = 'pg_catalog' AND EXISTS
    (SELECT 1 FROM pg_catalog.pg_class WHERE relname = 'pg_class' AND relnamespace = nsp.oid LIMIT 1))
    OR (nsp.nspname = 'information_schema'))
ORDER BY nspname;

-- sent by pgAdmin (tables/sql/nodes.sql)
SELECT rel.oid, rel.relname AS name,
  (SELECT count(*) FROM pg_catalog.pg_trigger WHERE tgrelid = rel.oid AND tgisinternal = FALSE) AS triggercount,
  (SELECT count(*) FROM pg_catalog.pg_trigger WHERE tgrelid = rel.oid AND tgisinternal = FALSE AND tgenabled = 'O')
    AS has_enable_triggers,
  (CASE WHEN rel.relkind = 'p' THEN true ELSE false END) AS is_partitioned,
  (SELECT count(1) FROM pg_catalog.pg_inherits WHERE inhrelid = rel.oid LIMIT 1) AS is_inherits,
  (SELECT count(1) FROM pg_catalog.pg_inherits WHERE inhparent = rel.oid LIMIT 1) AS is_inherited,
  des.description
FROM pg_catalog.pg_class rel
LEFT OUTER JOIN pg_catalog.pg_description des
  ON (des.objoid = rel.oid AND des.objsubid = 0 AND des.classoid = 'pg_class'::regclass)
WHERE rel.relkind IN ('r', 's', 't', 'p') AND rel.relnamespace = 'public'::regnamespace AND NOT rel.relispartition
ORDER BY rel.relname;

-- sent by pgAdmin (columns/sql/nodes.sql)
SELECT DISTINCT att.attname AS name, att.attnum AS oid, pg_catalog.format_type(ty.oid, NULL) AS datatype,
  pg_catalog.format_type(ty.oid, att.atttypmod) AS displaytypname, att.attnotnull AS not_null,
  CASE WHEN att.atthasdef OR att.attidentity != '' OR ty.typdefault IS NOT NULL THEN true ELSE false END AS has_default_val,
  des.description, seq.seqtypid
FROM pg_catalog.pg_attribute att
JOIN pg_catalog.pg_type ty ON ty.oid = atttypid
JOIN pg_catalog.pg_namespace tn ON tn.oid = ty.typnamespace
JOIN pg_catalog.pg_class cl ON cl.oid = att.attrelid
LEFT OUTER JOIN pg_catalog.pg_type et ON et.oid = ty.typelem
LEFT OUTER JOIN pg_catalog.pg_description des
  ON (des.objoid = att.attrelid AND des.objsubid = att.attnum AND des.classoid = 'pg_class'::regclass)
LEFT OUTER JOIN pg_catalog.pg_sequence seq ON cl.oid = seq.seqrelid
WHERE att.attrelid = '{ducklake_data_file}' AND att.attnum > 0 AND att.attisdropped IS FALSE
ORDER BY att.attnum;

-- sent by pgAdmin (indexes/sql/nodes.sql)
SELECT DISTINCT ON (cls.relname) cls.oid, cls.relname AS name, indrelid, indisclustered, indisvalid, indisunique, indisprimary,
  n.nspname, indnatts, cls.reltablespace AS spcoid, des.description
FROM pg_catalog.pg_index idx
JOIN pg_catalog.pg_class cls ON cls.oid = indexrelid
JOIN pg_catalog.pg_class tab ON tab.oid = indrelid
JOIN pg_catalog.pg_namespace n ON n.oid = tab.relnamespace
LEFT JOIN pg_catalog.pg_depend dep ON (dep.classid = cls.tableoid AND dep.objid = cls.oid AND dep.refobjsubid = '0'
  AND dep.refclassid = (SELECT oid FROM pg_catalog.pg_class WHERE relname = 'pg_constraint') AND dep.deptype = 'i')
LEFT OUTER JOIN pg_catalog.pg_description des ON des.objoid = cls.oid
WHERE n.nspname = 'public' AND NOT indisprimary
ORDER BY cls.relname;

-- sent by pgAdmin (index_constraint/sql/nodes.sql)
SELECT cls.oid, cls.relname AS name, CASE contype WHEN 'p' THEN desp.description ELSE des.description END AS comment
FROM pg_catalog.pg_index idx
JOIN pg_catalog.pg_class cls ON cls.oid = indexrelid
JOIN pg_catalog.pg_constraint con ON (con.conrelid = indrelid AND con.conindid = indexrelid AND contype IN ('p', 'u'))
LEFT OUTER JOIN pg_catalog.pg_description des ON (des.objoid = cls.oid AND des.classoid = 'pg_class'::regclass)
LEFT OUTER JOIN pg_catalog.pg_description desp
  ON (desp.objoid = con.oid AND desp.objsubid = 0 AND desp.classoid = 'pg_constraint'::regclass)
WHERE contype = 'p' AND con.connamespace = 'public'::regnamespace
ORDER BY cls.relname;

-- sent by pgAdmin (views/pg/sql/nodes.sql)
SELECT c.oid, c.relname AS name, description AS comment FROM pg_catalog.pg_class c
LEFT OUTER JOIN pg_catalog.pg_description des ON (des.objoid = c.oid AND des.objsubid = 0)
WHERE c.relkind = 'v' AND c.relnamespace = 'public'::regnamespace ORDER BY c.relname;

-- sent by pgAdmin (functions/sql/nodes.sql)
SELECT pr.oid, pr.proname || '(' || COALESCE(pg_catalog.pg_get_function_identity_arguments(pr.oid), '') || ')' AS name,
  lanname, pg_catalog.pg_get_userbyid(proowner) AS funcowner, description
FROM pg_catalog.pg_proc pr
JOIN pg_catalog.pg_type typ ON typ.oid = prorettype
JOIN pg_catalog.pg_language lng ON lng.oid = prolang
LEFT OUTER JOIN pg_catalog.pg_description des ON (des.objoid = pr.oid AND des.classoid = 'pg_proc'::regclass)
WHERE pr.prokind IN ('f', 'w') AND pronamespace = 'public'::regnamespace AND typname NOT IN ('trigger', 'event_trigger')
ORDER BY proname;

-- sent by pgAdmin (tables/sql/statistics.sql)
SELECT cl.relname, pg_catalog.pg_size_pretty(pg_catalog.pg_relation_size(st.relid)
  + CASE WHEN cl.reltoastrelid = 0 THEN 0 ELSE pg_catalog.pg_relation_size(cl.reltoastrelid) END) AS size
FROM pg_catalog.pg_stat_all_tables st JOIN pg_catalog.pg_class cl ON cl.oid = st.relid
WHERE schemaname = 'public' ORDER BY 1;
