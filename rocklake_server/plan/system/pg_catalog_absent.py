"""The relations of pg_catalog whose rows describe what a lake never has: views, sequences, triggers,
publications.

They are empty, which is the truth; system views are left out as the system relations are.
"""

from __future__ import annotations

from rocklake_server.plan.system.relation import constant

_DECLARATIONS = {
    "pg_depend":
        "classid oid, objid oid, objsubid int4, refclassid oid, refobjid oid, refobjsubid int4,"
        "deptype char",
    "pg_description": "objoid oid, classoid oid, objsubid int4, description text",
    "pg_enum": "oid oid, enumtypid oid, enumsortorder float4, enumlabel name",
    "pg_event_trigger":
        "oid oid, evtname name, evtevent name, evtowner oid, evtfoid oid, evtenabled char, evttags _text",
    "pg_extension":
        "oid oid, extname name, extowner oid, extnamespace oid, extrelocatable bool, extversion text,"
        "extconfig _oid, extcondition _text",
    "pg_foreign_data_wrapper":
        "oid oid, fdwname name, fdwowner oid, fdwhandler oid, fdwvalidator oid, fdwacl _aclitem,"
        "fdwoptions _text",
    "pg_foreign_server":
        "oid oid, srvname name, srvowner oid, srvfdw oid, srvtype text, srvversion text, srvacl _aclitem,"
        "srvoptions _text",
    "pg_foreign_table": "ftrelid oid, ftserver oid, ftoptions _text",
    "pg_inherits": "inhrelid oid, inhparent oid, inhseqno int4, inhdetachpending bool",
    "pg_matviews":
        "schemaname name, matviewname name, matviewowner name, tablespace name, hasindexes bool,"
        "ispopulated bool, definition text",
    "pg_partitioned_table":
        "partrelid oid, partstrat char, partnatts int2, partdefid oid, partattrs int2vector,"
        "partclass oidvector, partcollation oidvector, partexprs pg_node_tree",
    "pg_policy":
        "oid oid, polname name, polrelid oid, polcmd char, polpermissive bool, polroles _oid,"
        "polqual pg_node_tree, polwithcheck pg_node_tree",
    "pg_publication":
        "oid oid, pubname name, pubowner oid, puballtables bool, pubinsert bool, pubupdate bool,"
        "pubdelete bool, pubtruncate bool, pubviaroot bool",
    "pg_publication_namespace": "oid oid, pnpubid oid, pnnspid oid",
    "pg_publication_rel": "oid oid, prpubid oid, prrelid oid, prqual pg_node_tree, prattrs int2vector",
    "pg_range":
        "rngtypid oid, rngsubtype oid, rngmultitypid oid, rngcollation oid, rngsubopc oid,"
        "rngcanonical regproc, rngsubdiff regproc",
    "pg_rewrite":
        "oid oid, rulename name, ev_class oid, ev_type char, ev_enabled char, is_instead bool,"
        "ev_qual pg_node_tree, ev_action pg_node_tree",
    "pg_sequence":
        "seqrelid oid, seqtypid oid, seqstart int8, seqincrement int8, seqmax int8, seqmin int8,"
        "seqcache int8, seqcycle bool",
    "pg_sequences":
        "schemaname name, sequencename name, sequenceowner name, data_type regtype, start_value int8,"
        "min_value int8, max_value int8, increment_by int8, cycle bool, cache_size int8, last_value int8",
    "pg_shdescription": "objoid oid, classoid oid, description text",
    "pg_stat_wal_receiver":
        "pid int4, status text, receive_start_lsn pg_lsn, receive_start_tli int4, written_lsn pg_lsn,"
        "flushed_lsn pg_lsn, received_tli int4, last_msg_send_time timestamptz,"
        "last_msg_receipt_time timestamptz, latest_end_lsn pg_lsn, latest_end_time timestamptz,"
        "slot_name text, sender_host text, sender_port int4, conninfo text",
    "pg_statistic_ext":
        "oid oid, stxrelid oid, stxname name, stxnamespace oid, stxowner oid, stxstattarget int4,"
        "stxkeys int2vector, stxkind _char, stxexprs pg_node_tree",
    "pg_trigger":
        "oid oid, tgrelid oid, tgparentid oid, tgname name, tgfoid oid, tgtype int2, tgenabled char,"
        "tgisinternal bool, tgconstrrelid oid, tgconstrindid oid, tgconstraint oid, tgdeferrable bool,"
        "tginitdeferred bool, tgnargs int2, tgattr int2vector, tgargs bytea, tgqual pg_node_tree,"
        "tgoldtable name, tgnewtable name",
    "pg_views": "schemaname name, viewname name, viewowner name, definition text",
}

RELATIONS = tuple(constant("pg_catalog", name, declaration) for name, declaration in _DECLARATIONS.items())
