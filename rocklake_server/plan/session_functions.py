"""Functions that ask the session, the transaction or the catalog, one row each."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from rocklake_server.errors import UndefinedObject, UndefinedTable, Unsupported
from rocklake_server.plan.applications import Contextual
from rocklake_server.plan.model import Context
from rocklake_server.plan.overloads import Overload
from rocklake_server.plan.relation_names import PG_CATALOG, to_regclass
from rocklake_server.plan.system_relations import SYSTEM_RELATIONS
from rocklake_server.schema.model import Relation
from rocklake_server.schema.types import (
    BIGINT,
    BOOLEAN,
    BY_OID,
    DATE,
    INTEGER,
    NAME,
    OID,
    REGCLASS,
    TEXT,
    TIMESTAMPTZ,
    VOID,
    ColumnType,
    Value,
    array_of,
)
from rocklake_server.sql.names import quote

VERSION = "PostgreSQL 15.0 (RockLake) on Python, SlateDB storage"
_DAY_US = 86_400_000_000


def _current_setting(context: Context, name: str | None, missing_ok: bool | None = False) -> str | None:
    if name is None:
        return None
    value = context.settings.get(name.lower())
    if value is None and not missing_ok:
        raise UndefinedObject(f'unrecognized configuration parameter "{name}"')
    return value


def _set_config(context: Context, name: str | None, value: str | None, local: bool | None) -> str:
    if context.callbacks.set_config is None:
        raise Unsupported("set_config() is not supported here")
    if name is None:
        raise UndefinedObject("SET requires parameter name")
    return context.callbacks.set_config(name, value or "", bool(local))


def _export_snapshot(context: Context) -> str:
    if context.callbacks.export_snapshot is None:
        raise Unsupported("pg_export_snapshot() is not supported here")
    return context.callbacks.export_snapshot()


def _database_size(context: Context, name: str | None) -> int | None:
    if context.callbacks.database_size is None:
        raise Unsupported("pg_database_size() is not supported here")
    return None if name is None else context.callbacks.database_size(name)


def relation_by_oid(context: Context, oid: int) -> Relation | None:
    return context.view.relation_of_oid(oid)


def _relation_size(context: Context, oid: int | None, *_fork: str) -> int | None:
    if context.callbacks.relation_size is None:
        raise Unsupported("relation sizes are not supported here")
    relation = None if oid is None else relation_by_oid(context, oid)
    return None if relation is None else context.callbacks.relation_size(relation)


def _format_type(_context: Context, oid: int | None, typmod: int | None) -> str | None:
    if oid is None:
        return None
    kind = BY_OID.get(oid)
    if kind is None:
        return "-" if oid == 0 else "???"
    return kind.sql if typmod is None or typmod == -1 else kind.with_typmod(typmod).sql


def _constraint_definition(context: Context, oid: int | None, _pretty: bool | None = None) -> str | None:
    """PRIMARY KEY is the only constraint there is."""
    constraints = SYSTEM_RELATIONS[(PG_CATALOG, "pg_constraint")]
    place = {column.name: position for position, column in enumerate(constraints.columns)}
    for row in constraints.rows(context.view):
        if row[place["oid"]] == oid:
            owner = row[place["conrelid"]]
            relation = relation_by_oid(context, owner) if isinstance(owner, int) else None
            if relation is not None:
                names = ", ".join(quote(relation.columns[index].name) for index in relation.primary_key)
                return f"PRIMARY KEY ({names})"
    return None


def _visible(context: Context, oid: int | None) -> bool | None:
    if oid is None:
        return None
    relation = relation_by_oid(context, oid)
    if relation is None:
        return True
    try:
        return context.view.resolve(None, relation.name).oid == oid
    except UndefinedTable:
        return False


def _context(
    function: Callable[..., Value], *arguments: ColumnType, result: ColumnType = TEXT, optional: int = 0
) -> tuple[Overload, ...]:
    return (Overload(arguments, result, function, Contextual, optional),)


_SIZE = (Overload((REGCLASS, TEXT), BIGINT, _relation_size, Contextual, optional=1),)
_TRUE = _context(lambda _context, _oid: True, OID, result=BOOLEAN)

FUNCTIONS: Mapping[str, tuple[Overload, ...]] = {
    "version": _context(lambda _context: VERSION),
    "now": _context(lambda context: context.view.now_us, result=TIMESTAMPTZ),
    "current_date": _context(lambda context: context.view.now_us // _DAY_US, result=DATE),
    "current_database": _context(lambda context: context.database, result=NAME),
    "current_schema": _context(lambda _context: "public", result=NAME),
    "current_schemas": _context(
        lambda _context, implicit: ("pg_catalog", "public") if implicit else ("public",), BOOLEAN,
        result=array_of(NAME),
    ),
    "current_user": _context(lambda context: context.user, result=NAME),
    "session_user": _context(lambda context: context.user, result=NAME),
    "pg_backend_pid": _context(lambda context: context.backend_pid, result=INTEGER),
    "inet_client_addr": _context(lambda context: context.client_address),
    "current_setting": _context(_current_setting, TEXT, BOOLEAN, optional=1),
    "set_config": _context(_set_config, TEXT, TEXT, BOOLEAN),
    "to_regclass": _context(to_regclass, TEXT, result=REGCLASS),
    "pg_is_in_recovery": _context(lambda _context: False, result=BOOLEAN),
    "pg_export_snapshot": _context(_export_snapshot),
    "pg_advisory_unlock_all": _context(lambda _context: "", result=VOID),
    "pg_database_size": _context(_database_size, NAME, result=BIGINT),
    "pg_relation_size": _SIZE,
    "pg_total_relation_size": _SIZE,
    "pg_table_size": _SIZE,
    "format_type": _context(_format_type, OID, INTEGER),
    "obj_description": _context(lambda _context, *_arguments: None, OID, NAME, optional=1),
    "col_description": _context(lambda _context, *_arguments: None, OID, INTEGER),
    "shobj_description": _context(lambda _context, *_arguments: None, OID, NAME),
    "pg_table_is_visible": _context(_visible, OID, result=BOOLEAN),
    "pg_type_is_visible": _TRUE,
    "pg_function_is_visible": _TRUE,
    "pg_encoding_to_char": _context(
        lambda _context, code: None if code is None else ("UTF8" if code == 6 else ""), INTEGER, result=NAME
    ),
    "pg_get_expr": _context(lambda _context, text, *_arguments: text, TEXT, OID, BOOLEAN, optional=1),
    "pg_get_constraintdef": _context(_constraint_definition, OID, BOOLEAN, optional=1),
}
