-- Of the shape of what DBeaver asks (dbeaver/dbeaver, plugins/org.jkiss.dbeaver.ext.postgresql, the classes named), in
-- our own words.

-- sent by DBeaver at connect (PostgreExecutionContext)
SELECT current_schema(), session_user;

-- sent by DBeaver at connect (PostgreDataSource): databases
SELECT d.oid, d.datname, d.datdba, d.encoding, d.datistemplate, d.datallowconn, d.datconnlimit, d.dattablespace, s.description
FROM pg_catalog.pg_database d
LEFT OUTER JOIN pg_catalog.pg_shdescription s ON s.objoid = d.oid
WHERE d.datallowconn AND NOT d.datistemplate AND d.datname = current_database()
ORDER BY d.datname;

-- sent by DBeaver (PostgreDatabase): schemas with their comments
SELECT n.oid, n.nspname, n.nspowner, d.description
FROM pg_catalog.pg_namespace n
LEFT OUTER JOIN pg_catalog.pg_description d
  ON d.objoid = n.oid AND d.objsubid = 0 AND d.classoid = 'pg_namespace'::regclass
WHERE n.nspname IN ('public', 'pg_catalog', 'information_schema')
ORDER BY n.nspname;

-- sent by DBeaver through pgjdbc (TypeInfoCache): whether a type is an array, nearest schema first
SELECT typinput = 'pg_catalog.array_in'::regproc AS is_array, typtype, typname, pg_type.oid
FROM pg_catalog.pg_type
LEFT JOIN (
  SELECT ns.oid AS nspoid, ns.nspname, r.r
  FROM pg_namespace AS ns
  JOIN (SELECT s.r, (current_schemas(false))[s.r] AS nspname
        FROM generate_series(1, array_upper(current_schemas(false), 1)) AS s(r)) AS r USING (nspname)
) AS sp ON sp.nspoid = typnamespace
WHERE pg_type.oid = 1007 OR pg_type.typname = 'int4'
ORDER BY sp.r, pg_type.oid DESC;

-- sent by DBeaver through pgjdbc (TypeInfoCache): a type's name as one writes it
SELECT n.nspname = ANY(current_schemas(true)), n.nspname, t.typname
FROM pg_catalog.pg_type t JOIN pg_catalog.pg_namespace n ON t.typnamespace = n.oid
WHERE t.oid = 1043;

-- sent by DBeaver through pgjdbc (PgDatabaseMetaData.getSQLKeywords)
SELECT string_agg(word, ',') FROM pg_catalog.pg_get_keywords()
WHERE word <> ALL ('{a,abs,absolute,action,add,all,allocate,alter,and,any,are,array,as,asc}'::text[]);

-- sent by DBeaver (PostgreDatabase): types with what they belong to
SELECT t.oid, t.typname, t.typtype, t.typcategory, t.typrelid, c.relkind,
  format_type(nullif(t.typbasetype, 0), t.typtypmod) AS base_type_name
FROM pg_catalog.pg_type t
LEFT OUTER JOIN pg_catalog.pg_type et ON et.oid = t.typelem
LEFT OUTER JOIN pg_catalog.pg_class c ON c.oid = t.typrelid
WHERE t.typname IN ('bool', 'int4', 'text', 'uuid', 'varchar', '_int4') AND (c.relkind IS NULL OR c.relkind = 'c')
ORDER BY t.oid;

-- sent by DBeaver (PostgreSchema): the tables of a schema with their comments and partition keys
SELECT c.oid, c.relname, c.relkind, c.relpersistence, c.relhasindex, c.reltuples, d.description,
  pg_catalog.pg_get_expr(c.relpartbound, c.oid) AS partition_expr,
  pg_catalog.pg_get_partkeydef(c.oid) AS partition_key
FROM pg_catalog.pg_class c
INNER JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
LEFT OUTER JOIN pg_catalog.pg_description d
  ON d.objoid = c.oid AND d.objsubid = 0 AND d.classoid = 'pg_class'::regclass
WHERE n.nspname = 'public' AND c.relkind NOT IN ('i', 'I', 'c')
ORDER BY c.relname;

-- sent by DBeaver (PostgreTableBase): the columns of a table
SELECT c.relname, a.attname, a.attnum, a.atttypid, a.atttypmod, a.attnotnull, a.attidentity,
  pg_catalog.pg_get_expr(ad.adbin, ad.adrelid, true) AS def_value, dsc.description, dep.objid
FROM pg_catalog.pg_attribute a
INNER JOIN pg_catalog.pg_class c ON a.attrelid = c.oid
LEFT OUTER JOIN pg_catalog.pg_attrdef ad ON a.attrelid = ad.adrelid AND a.attnum = ad.adnum
LEFT OUTER JOIN pg_catalog.pg_description dsc ON c.oid = dsc.objoid AND a.attnum = dsc.objsubid
LEFT OUTER JOIN pg_catalog.pg_depend dep
  ON dep.refobjid = a.attrelid AND dep.deptype = 'i' AND dep.refobjsubid = a.attnum AND dep.classid = dep.refclassid
WHERE NOT a.attisdropped AND c.relkind NOT IN ('i', 'I', 'c') AND c.oid = '{ducklake_column}' AND a.attnum > 0
ORDER BY a.attnum;

-- sent by DBeaver (PostgreSchema): constraints, and what they refer to
SELECT c.conname, c.contype, c.conkey, t.relname AS tabrelname, rt.relnamespace AS refnamespace, d.description,
  pg_catalog.pg_get_constraintdef(c.oid) AS definition
FROM pg_catalog.pg_constraint c
INNER JOIN pg_catalog.pg_class t ON t.oid = c.conrelid
LEFT OUTER JOIN pg_catalog.pg_class rt ON rt.oid = c.confrelid
LEFT OUTER JOIN pg_catalog.pg_description d
  ON d.objoid = c.oid AND d.objsubid = 0 AND d.classoid = 'pg_constraint'::regclass
WHERE c.conrelid = '{ducklake_snapshot}'
ORDER BY c.conname;

-- sent by DBeaver (PostgreSchema): indexes, with their keys, columns and sizes
SELECT c.relname, i.indisunique, i.indisprimary, i.indkey, i.indoption, i.indnkeyatts, tabc.relname AS tabrelname,
  dsc.description, pg_catalog.pg_get_expr(i.indpred, i.indrelid) AS pred_expr,
  pg_catalog.pg_get_expr(i.indexprs, i.indrelid, true) AS expr
FROM pg_catalog.pg_index i
INNER JOIN pg_catalog.pg_class c ON c.oid = i.indexrelid
INNER JOIN pg_catalog.pg_class tabc ON tabc.oid = i.indrelid
LEFT OUTER JOIN pg_catalog.pg_description dsc ON i.indexrelid = dsc.objoid
WHERE tabc.relnamespace = 'public'::regnamespace
ORDER BY tabc.relname, c.relname;

-- sent by DBeaver (PostgreSchema): functions of a schema
SELECT p.oid, p.proname, p.proargtypes, p.prorettype, l.lanname, pg_catalog.pg_get_expr(p.proargdefaults, 0) AS arg_defaults
FROM pg_catalog.pg_proc p
LEFT OUTER JOIN pg_catalog.pg_language l ON l.oid = p.prolang
WHERE p.pronamespace = 'public'::regnamespace
ORDER BY p.proname;

-- sent by DBeaver (PostgreSchema): sequences, triggers, rules and policies of which there are none
SELECT c.relname, s.seqtypid FROM pg_catalog.pg_class c JOIN pg_catalog.pg_sequence s ON s.seqrelid = c.oid;

-- sent by DBeaver (PostgreTableBase)
SELECT x.oid, x.tgname, p.pronamespace AS func_schema_id, d.description
FROM pg_catalog.pg_trigger x
LEFT OUTER JOIN pg_catalog.pg_proc p ON p.oid = x.tgfoid
LEFT OUTER JOIN pg_catalog.pg_description d ON d.objoid = x.oid AND d.objsubid = 0
WHERE x.tgrelid = '{ducklake_table}' AND NOT x.tgisinternal;

-- sent by DBeaver (PostgreDataSource): roles
SELECT r.rolname, r.rolsuper, r.rolcreaterole, r.rolcanlogin, pg_catalog.shobj_description(r.oid, 'pg_authid') AS description
FROM pg_catalog.pg_roles r WHERE r.rolname !~ '^pg_'
ORDER BY r.rolname;

-- sent by DBeaver (PostgreDatabase): a setting
SELECT name, setting, vartype, context FROM pg_catalog.pg_settings WHERE name = 'standard_conforming_strings';

-- sent by DBeaver (PostgreDatabase): event triggers and extensions
SELECT e.oid, e.evtname FROM pg_catalog.pg_event_trigger e;

-- sent by DBeaver (PostgreDatabase)
SELECT e.extname, e.extversion, n.nspname FROM pg_catalog.pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace;
