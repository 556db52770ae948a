"""The relations of pg_catalog that are always empty: objects, statistics and progress that a lake never has, and the
operators, casts and operator families, which are built in and listed nowhere.

Columns are those of PostgreSQL 15 (PostgreSQL manual, System Catalogs and System Views)."""

from __future__ import annotations

from rocklake_server.plan.system.relation import constant

_ABSENT = {
    "pg_available_extension_versions":
        "name name, version text, installed bool, superuser bool, trusted bool, relocatable bool, schema "
        "name, requires _name, comment text",
    "pg_available_extensions": "name name, default_version text, installed_version text, comment text",
    "pg_conversion":
        "oid oid, conname name, connamespace oid, conowner oid, conforencoding int4, contoencoding int4, "
        "conproc regproc, condefault bool",
    "pg_db_role_setting": "setdatabase oid, setrole oid, setconfig _text",
    "pg_default_acl": "oid oid, defaclrole oid, defaclnamespace oid, defaclobjtype char, defaclacl _aclitem",
    "pg_init_privs": "objoid oid, classoid oid, objsubid int4, privtype char, initprivs _aclitem",
    "pg_largeobject": "loid oid, pageno int4, data bytea",
    "pg_largeobject_metadata": "oid oid, lomowner oid, lomacl _aclitem",
    "pg_parameter_acl": "oid oid, parname text, paracl _aclitem",
    "pg_policies":
        "schemaname name, tablename name, policyname name, permissive text, roles _name, cmd text, qual "
        "text, with_check text",
    "pg_prepared_xacts": "transaction xid, gid text, prepared timestamptz, owner name, database name",
    "pg_publication_tables": "pubname name, schemaname name, tablename name, attnames _name, rowfilter text",
    "pg_replication_origin": "roident oid, roname text",
    "pg_replication_origin_status": "local_id oid, external_id text, remote_lsn pg_lsn, local_lsn pg_lsn",
    "pg_replication_slots":
        "slot_name name, plugin name, slot_type text, datoid oid, database name, temporary bool, active "
        "bool, active_pid int4, xmin xid, catalog_xmin xid, restart_lsn pg_lsn, confirmed_flush_lsn pg_lsn, "
        "wal_status text, safe_wal_size int8, two_phase bool",
    "pg_rules": "schemaname name, tablename name, rulename name, definition text",
    "pg_seclabel": "objoid oid, classoid oid, objsubid int4, provider text, label text",
    "pg_seclabels":
        "objoid oid, classoid oid, objsubid int4, objtype text, objnamespace oid, objname text, provider "
        "text, label text",
    "pg_shdepend": "dbid oid, classid oid, objid oid, objsubid int4, refclassid oid, refobjid oid, deptype char",
    "pg_shseclabel": "objoid oid, classoid oid, provider text, label text",
    "pg_stat_progress_analyze":
        "pid int4, datid oid, datname name, relid oid, phase text, sample_blks_total int8, "
        "sample_blks_scanned int8, ext_stats_total int8, ext_stats_computed int8, child_tables_total int8, "
        "child_tables_done int8, current_child_table_relid oid",
    "pg_stat_progress_basebackup":
        "pid int4, phase text, backup_total int8, backup_streamed int8, tablespaces_total int8, "
        "tablespaces_streamed int8",
    "pg_stat_progress_cluster":
        "pid int4, datid oid, datname name, relid oid, command text, phase text, cluster_index_relid oid, "
        "heap_tuples_scanned int8, heap_tuples_written int8, heap_blks_total int8, heap_blks_scanned int8, "
        "index_rebuild_count int8",
    "pg_stat_progress_copy":
        "pid int4, datid oid, datname name, relid oid, command text, type text, bytes_processed int8, "
        "bytes_total int8, tuples_processed int8, tuples_excluded int8",
    "pg_stat_progress_create_index":
        "pid int4, datid oid, datname name, relid oid, index_relid oid, command text, phase text, "
        "lockers_total int8, lockers_done int8, current_locker_pid int8, blocks_total int8, blocks_done "
        "int8, tuples_total int8, tuples_done int8, partitions_total int8, partitions_done int8",
    "pg_stat_progress_vacuum":
        "pid int4, datid oid, datname name, relid oid, phase text, heap_blks_total int8, heap_blks_scanned "
        "int8, heap_blks_vacuumed int8, index_vacuum_count int8, max_dead_tuples int8, num_dead_tuples int8",
    "pg_stat_replication":
        "pid int4, usesysid oid, usename name, application_name text, client_addr inet, client_hostname "
        "text, client_port int4, backend_start timestamptz, backend_xmin xid, state text, sent_lsn pg_lsn, "
        "write_lsn pg_lsn, flush_lsn pg_lsn, replay_lsn pg_lsn, write_lag interval, flush_lag interval, "
        "replay_lag interval, sync_priority int4, sync_state text, reply_time timestamptz",
    "pg_stat_replication_slots":
        "slot_name text, spill_txns int8, spill_count int8, spill_bytes int8, stream_txns int8, "
        "stream_count int8, stream_bytes int8, total_txns int8, total_bytes int8, stats_reset timestamptz",
    "pg_stat_subscription":
        "subid oid, subname name, pid int4, relid oid, received_lsn pg_lsn, last_msg_send_time timestamptz, "
        "last_msg_receipt_time timestamptz, latest_end_lsn pg_lsn, latest_end_time timestamptz",
    "pg_stat_subscription_stats":
        "subid oid, subname name, apply_error_count int8, sync_error_count int8, stats_reset timestamptz",
    "pg_stat_user_functions":
        "funcid oid, schemaname name, funcname name, calls int8, total_time float8, self_time float8",
    "pg_statio_all_sequences": "relid oid, schemaname name, relname name, blks_read int8, blks_hit int8",
    "pg_statio_sys_sequences": "relid oid, schemaname name, relname name, blks_read int8, blks_hit int8",
    "pg_statio_user_sequences": "relid oid, schemaname name, relname name, blks_read int8, blks_hit int8",
    "pg_statistic":
        "starelid oid, staattnum int2, stainherit bool, stanullfrac float4, stawidth int4, stadistinct "
        "float4, stakind1 int2, stakind2 int2, stakind3 int2, stakind4 int2, stakind5 int2, staop1 oid, "
        "staop2 oid, staop3 oid, staop4 oid, staop5 oid, stacoll1 oid, stacoll2 oid, stacoll3 oid, stacoll4 "
        "oid, stacoll5 oid, stanumbers1 _float4, stanumbers2 _float4, stanumbers3 _float4, stanumbers4 "
        "_float4, stanumbers5 _float4, stavalues1 anyarray, stavalues2 anyarray, stavalues3 anyarray, "
        "stavalues4 anyarray, stavalues5 anyarray",
    "pg_statistic_ext_data":
        "stxoid oid, stxdinherit bool, stxdndistinct pg_ndistinct, stxddependencies pg_dependencies, "
        "stxdmcv pg_mcv_list, stxdexpr _pg_statistic",
    "pg_stats":
        "schemaname name, tablename name, attname name, inherited bool, null_frac float4, avg_width int4, "
        "n_distinct float4, most_common_vals anyarray, most_common_freqs _float4, histogram_bounds "
        "anyarray, correlation float4, most_common_elems anyarray, most_common_elem_freqs _float4, "
        "elem_count_histogram _float4",
    "pg_stats_ext":
        "schemaname name, tablename name, statistics_schemaname name, statistics_name name, "
        "statistics_owner name, attnames _name, exprs _text, kinds _char, inherited bool, n_distinct "
        "pg_ndistinct, dependencies pg_dependencies, most_common_vals _text, most_common_val_nulls _bool, "
        "most_common_freqs _float8, most_common_base_freqs _float8",
    "pg_stats_ext_exprs":
        "schemaname name, tablename name, statistics_schemaname name, statistics_name name, "
        "statistics_owner name, expr text, inherited bool, null_frac float4, avg_width int4, n_distinct "
        "float4, most_common_vals anyarray, most_common_freqs _float4, histogram_bounds anyarray, "
        "correlation float4, most_common_elems anyarray, most_common_elem_freqs _float4, "
        "elem_count_histogram _float4",
    "pg_subscription":
        "oid oid, subdbid oid, subskiplsn pg_lsn, subname name, subowner oid, subenabled bool, subbinary "
        "bool, substream bool, subtwophasestate char, subdisableonerr bool, subconninfo text, subslotname "
        "name, subsynccommit text, subpublications _text",
    "pg_subscription_rel": "srsubid oid, srrelid oid, srsubstate char, srsublsn pg_lsn",
    "pg_transform": "oid oid, trftype oid, trflang oid, trffromsql regproc, trftosql regproc",
    "pg_ts_config": "oid oid, cfgname name, cfgnamespace oid, cfgowner oid, cfgparser oid",
    "pg_ts_config_map": "mapcfg oid, maptokentype int4, mapseqno int4, mapdict oid",
    "pg_ts_dict":
        "oid oid, dictname name, dictnamespace oid, dictowner oid, dicttemplate oid, dictinitoption text",
    "pg_ts_parser":
        "oid oid, prsname name, prsnamespace oid, prsstart regproc, prstoken regproc, prsend regproc, "
        "prsheadline regproc, prslextype regproc",
    "pg_ts_template": "oid oid, tmplname name, tmplnamespace oid, tmplinit regproc, tmpllexize regproc",
    "pg_user_mapping": "oid oid, umuser oid, umserver oid, umoptions _text",
    "pg_user_mappings": "umid oid, srvid oid, srvname name, umuser oid, usename name, umoptions _text",
}

_BUILT_IN = {
    "pg_aggregate":
        "aggfnoid regproc, aggkind char, aggnumdirectargs int2, aggtransfn regproc, aggfinalfn regproc, "
        "aggcombinefn regproc, aggserialfn regproc, aggdeserialfn regproc, aggmtransfn regproc, "
        "aggminvtransfn regproc, aggmfinalfn regproc, aggfinalextra bool, aggmfinalextra bool, "
        "aggfinalmodify char, aggmfinalmodify char, aggsortop oid, aggtranstype oid, aggtransspace int4, "
        "aggmtranstype oid, aggmtransspace int4, agginitval text, aggminitval text",
    "pg_amop":
        "oid oid, amopfamily oid, amoplefttype oid, amoprighttype oid, amopstrategy int2, amoppurpose char, "
        "amopopr oid, amopmethod oid, amopsortfamily oid",
    "pg_amproc":
        "oid oid, amprocfamily oid, amproclefttype oid, amprocrighttype oid, amprocnum int2, amproc regproc",
    "pg_cast": "oid oid, castsource oid, casttarget oid, castfunc oid, castcontext char, castmethod char",
    "pg_operator":
        "oid oid, oprname name, oprnamespace oid, oprowner oid, oprkind char, oprcanmerge bool, oprcanhash "
        "bool, oprleft oid, oprright oid, oprresult oid, oprcom oid, oprnegate oid, oprcode regproc, "
        "oprrest regproc, oprjoin regproc",
    "pg_opfamily": "oid oid, opfmethod oid, opfname name, opfnamespace oid, opfowner oid",
}

RELATIONS = tuple(
    constant("pg_catalog", name, declaration) for name, declaration in (_ABSENT | _BUILT_IN).items()
)
