\echo # d
\d
\echo # d+
\d+
\echo # dt
\dt
\echo # dt+
\dt+
\echo # dt pattern
\dt duck*_s*
\echo # dt schema.table
\dt public.ducklake_table
\echo # dtisv
\dtisv *macro*
\echo # dn
\dn
\echo # dn+
\dn+ public
\echo # dv
\dv
\echo # dv+
\dv+
\echo # dm
\dm
\echo # ds
\ds
\echo # dE
\dE
\echo # di
\di
\echo # di+
\di+
\echo # df
\df
\echo # df+
\df+
\echo # df name
\df pg_catalog.format_type
\df+ pg_catalog.pg_table_is_visible
\echo # da
\da
\echo # da name
\da pg_catalog.bool_or
\echo # du
\du
\echo # du+
\du+
\echo # dg
\dg
\echo # l
\l :DBNAME
\echo # l+
\l+ :DBNAME
\echo # db
\db
\echo # db+
\db+
\echo # dA
\dA (heap|btree)
\echo # dA+
\dA+ (heap|btree)
\echo # dAc
\dAc btree bigint
\echo # dAf
\dAf nosuch
\echo # dAo
\dAo nosuch
\echo # dAp
\dAp nosuch
\echo # dc
\dc
\echo # dC
\dC nosuch
\echo # dd
\dd
\echo # dD
\dD
\echo # ddp
\ddp
\echo # des
\des
\echo # det
\det
\echo # deu
\deu
\echo # dew
\dew
\echo # dF
\dF nosuch
\echo # dFd
\dFd nosuch
\echo # dFp
\dFp nosuch
\echo # dFt
\dFt nosuch
\echo # dl
\dl
\echo # dL
\dL
\echo # do
\do
\echo # dO
\dO
\echo # dp
\dp
\echo # z
\z duck*
\echo # drds
\drds
\echo # dRp
\dRp
\echo # dRp+
\dRp+
\echo # dRs
\dRs
\echo # dT
\dT
\echo # dT+
\dT+
\echo # dT name
\dT pg_catalog.int4
\echo # dx
\dx nosuch
\echo # dX
\dX
\echo # dy
\dy
\echo # dP
\dP
\echo # dP+
\dP+
\echo # dconfig
\dconfig search_path
\dconfig+ statement_timeout
\echo # sf
\sf nosuch
\echo # sv
\sv nosuch
\echo # encoding
\encoding
\echo # gdesc
SELECT * FROM ducklake_data_file \gdesc
SELECT 1 AS a, 'x' AS b, now() AS c, NULL AS d, 1.5 AS e, ARRAY[1] AS f, 't'::name AS g \gdesc
SELECT oid, relname, relkind, reloptions FROM pg_class \gdesc
SELECT indkey, indclass, indoption FROM pg_index \gdesc
SELECT \gdesc
\echo # x
\x on
SELECT 1 AS one, 'two' AS two;
\x off
\echo # timing
\timing on
\timing off
\echo # gset
SELECT count(*) AS tables FROM pg_tables WHERE schemaname = 'public' \gset
\echo :tables
\echo # gexec
SELECT 'SELECT 7' \gexec
\echo # crosstabview
SELECT 'r' AS r, 'c' AS c, 1 AS v \crosstabview
\echo # d of nothing
\d nosuch
\d "no such"
\echo # copy to
INSERT INTO ducklake_metadata VALUES ('a', E'line\ntwo', NULL, 1), ('b', E'tab\t\\', 'x', NULL);
\copy ducklake_metadata to stdout
\copy (SELECT key, scope_id FROM ducklake_metadata ORDER BY 1) to stdout
\copy ducklake_metadata to stdout csv header
\copy (SELECT key, value FROM ducklake_metadata ORDER BY 1) to stdout with (format csv, delimiter ';', force_quote *)
\echo # copy from
\copy ducklake_metadata (key, value, scope) from stdin
c	copied	\N
d	\\	x\ty
\.
\copy ducklake_metadata (key, value, scope) from stdin with (format csv, header match, force_null (scope))
key,value,scope
e,"csv ""quoted""
over lines",""
\.
SELECT key, value, scope IS NULL FROM ducklake_metadata ORDER BY 1;
DELETE FROM ducklake_metadata;
