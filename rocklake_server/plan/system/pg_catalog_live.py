"""The running server: sessions, locks, and what the session itself has prepared and opened.

Sources: PostgreSQL manual, pg_stat_activity, pg_locks, pg_cursors and pg_prepared_statements.
"""

from __future__ import annotations

from rocklake_server.plan.model import Context
from rocklake_server.plan.system import oids
from rocklake_server.plan.system.relation import SystemRow, live

_BACKEND_TYPE = "client backend"


def _database_oid(context: Context, name: str | None) -> int | None:
    return None if name is None else oids.database_oid(context.view, name)


def _activity(context: Context) -> list[SystemRow]:
    if context.live is None:
        return []
    return [
        (
            _database_oid(context, one.database), one.database, one.process_id, None, oids.OWNER, one.user,
            one.application_name, one.client_address, None, one.client_port, one.began_us, one.transaction_began_us,
            one.statement_began_us, one.state_since_us, *(one.wait or (None, None)), one.state, None, None, None,
            one.statement, _BACKEND_TYPE,
        )
        for one in context.live.activities()
    ]


def _locks(context: Context) -> list[SystemRow]:
    if context.live is None:
        return []
    rows: list[SystemRow] = []
    for lock in context.live.locks():
        advisory = lock.advisory
        kind = "advisory" if advisory is not None else "relation" if lock.relation_oid is not None else "virtualxid"
        place = (None, None, None) if advisory is None else (advisory.classid, advisory.objid, advisory.subid)
        rows.append((
            kind, _database_oid(context, lock.database), lock.relation_oid, None, None, lock.virtual_id, None, *place,
            lock.transaction, lock.process_id, lock.mode, lock.granted, False, lock.waits_since_us,
        ))
    return rows


def _cursors(context: Context) -> list[SystemRow]:
    return [] if context.live is None else list(context.live.cursors())


def _prepared_statements(context: Context) -> list[SystemRow]:
    if context.live is None:
        return []
    return [
        (one.name, one.statement, one.made_us, one.parameter_types, one.from_sql, 0, 0)
        for one in context.live.prepared_statements()
    ]


RELATIONS = (
    live(
        "pg_catalog", "pg_stat_activity",
        "datid oid, datname name, pid int4, leader_pid int4, usesysid oid, usename name, application_name text,"
        "client_addr inet, client_hostname text, client_port int4, backend_start timestamptz,"
        "xact_start timestamptz, query_start timestamptz, state_change timestamptz, wait_event_type text,"
        "wait_event text, state text, backend_xid xid, backend_xmin xid, query_id int8, query text, backend_type text",
        _activity,
    ),
    live(
        "pg_catalog", "pg_locks",
        "locktype text, database oid, relation oid, page int4, tuple int2, virtualxid text, transactionid xid,"
        "classid oid, objid oid, objsubid int2, virtualtransaction text, pid int4, mode text, granted bool,"
        "fastpath bool, waitstart timestamptz",
        _locks,
    ),
    live(
        "pg_catalog", "pg_cursors",
        "name text, statement text, is_holdable bool, is_binary bool, is_scrollable bool, creation_time timestamptz",
        _cursors,
    ),
    live(
        "pg_catalog", "pg_prepared_statements",
        "name text, statement text, prepare_time timestamptz, parameter_types _regtype, from_sql bool,"
        "generic_plans int8, custom_plans int8",
        _prepared_statements,
    ),
)
