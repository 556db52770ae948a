"""The statistics views of tables, indexes and the database. The server counts none of this by table: the counters are
NULL, which says that nobody knows, and not 0."""

from __future__ import annotations

from collections.abc import Callable

from rocklake_server.catalog.view import TransactionView
from rocklake_server.plan.system import oids
from rocklake_server.plan.system.indexes import indexes_of
from rocklake_server.plan.system.relation import (
    Scope,
    SystemRelation,
    SystemRows,
    columns,
    constant,
    from_each_relation,
    from_view,
)
from rocklake_server.schema.model import Relation

_TABLE = "relid oid, schemaname name, relname name"
_INDEX = "relid oid, indexrelid oid, schemaname name, relname name, indexrelname name"
_SCANS = (
    "seq_scan int8, seq_tup_read int8, idx_scan int8, idx_tup_fetch int8, n_tup_ins int8, n_tup_upd int8,"
    "n_tup_del int8, n_tup_hot_upd int8"
)
_VACUUM = (
    "n_live_tup int8, n_dead_tup int8, n_mod_since_analyze int8, n_ins_since_vacuum int8, last_vacuum timestamptz,"
    "last_autovacuum timestamptz, last_analyze timestamptz, last_autoanalyze timestamptz, vacuum_count int8,"
    "autovacuum_count int8, analyze_count int8, autoanalyze_count int8"
)
_BLOCKS = (
    "heap_blks_read int8, heap_blks_hit int8, idx_blks_read int8, idx_blks_hit int8, toast_blks_read int8,"
    "toast_blks_hit int8, tidx_blks_read int8, tidx_blks_hit int8"
)
_OF_TABLES = {
    "pg_stat_{}_tables": f"{_TABLE}, {_SCANS}, {_VACUUM}",
    "pg_stat_xact_{}_tables": f"{_TABLE}, {_SCANS}",
    "pg_statio_{}_tables": f"{_TABLE}, {_BLOCKS}",
}
_OF_INDEXES = {
    "pg_stat_{}_indexes": f"{_INDEX}, idx_scan int8, idx_tup_read int8, idx_tup_fetch int8",
    "pg_statio_{}_indexes": f"{_INDEX}, idx_blks_read int8, idx_blks_hit int8",
}


def _unknown(declaration: str, known: int) -> tuple[None, ...]:
    return (None,) * (len(columns(declaration)) - known)


def _table_rows(declaration: str) -> Callable[[Relation, Scope], SystemRows]:
    unknown = _unknown(declaration, 3)
    return lambda relation, scope: ((relation.oid, scope.schema, relation.name, *unknown),)


def _index_rows(declaration: str) -> Callable[[Relation, Scope], SystemRows]:
    unknown = _unknown(declaration, 5)
    return lambda relation, scope: tuple(
        (relation.oid, index.oid, scope.schema, relation.name, index.name, *unknown) for index in indexes_of(relation))


_DATABASE = (
    "datid oid, datname name, numbackends int4, xact_commit int8, xact_rollback int8, blks_read int8, blks_hit int8,"
    "tup_returned int8, tup_fetched int8, tup_inserted int8, tup_updated int8, tup_deleted int8, conflicts int8,"
    "temp_files int8, temp_bytes int8, deadlocks int8, checksum_failures int8, checksum_last_failure timestamptz,"
    "blk_read_time float8, blk_write_time float8, session_time float8, active_time float8,"
    "idle_in_transaction_time float8, sessions int8, sessions_abandoned int8, sessions_fatal int8,"
    "sessions_killed int8, stats_reset timestamptz"
)


def _database(view: TransactionView) -> SystemRows:
    return ((oids.database_oid(view, view.database), view.database, *_unknown(_DATABASE, 2)),)


def _of_system(name: str, declaration: str) -> SystemRelation:
    """The system relations are computed; they are in no list of tables."""
    return constant("pg_catalog", name.format("sys"), declaration)


RELATIONS = (
    *(from_each_relation("pg_catalog", name.format(which), declaration, _table_rows(declaration))
      for name, declaration in _OF_TABLES.items() for which in ("all", "user")),
    *(from_each_relation("pg_catalog", name.format(which), declaration, _index_rows(declaration))
      for name, declaration in _OF_INDEXES.items() for which in ("all", "user")),
    *(_of_system(name, declaration) for name, declaration in (_OF_TABLES | _OF_INDEXES).items()),
    from_view("pg_catalog", "pg_stat_database", _DATABASE, _database),
)
