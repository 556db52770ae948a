"""Functions that ask the session, the transaction or the catalog, one row each."""

from __future__ import annotations

from collections.abc import Mapping

from rocklake_server.errors import Unsupported
from rocklake_server.plan import catalog_functions
from rocklake_server.plan.applications import Contextual
from rocklake_server.plan.catalog_functions import context_call
from rocklake_server.plan.model import Context
from rocklake_server.plan.overloads import Overload
from rocklake_server.plan.relation_names import to_regclass
from rocklake_server.schema.types import (
    BOOLEAN,
    DATE,
    INTEGER,
    NAME,
    REGCLASS,
    TEXT,
    TIMESTAMPTZ,
    array_of,
)

VERSION = "PostgreSQL 15.0 (RockLake) on Python, SlateDB storage"
_DAY_US = 86_400_000_000


def _export_snapshot(context: Context) -> str:
    if context.callbacks.export_snapshot is None:
        raise Unsupported("pg_export_snapshot() is not supported here")
    return context.callbacks.export_snapshot()


FUNCTIONS: Mapping[str, tuple[Overload, ...]] = {
    "version": context_call(lambda _context: VERSION),
    "now": context_call(lambda context: context.view.now_us, result=TIMESTAMPTZ),
    "current_date": (
        Overload((), DATE, lambda context: context.view.now_us // _DAY_US, Contextual,
                 in_zone=lambda zone: lambda context: zone.local(context.view.now_us) // _DAY_US),
    ),
    "current_database": context_call(lambda context: context.database, result=NAME),
    "current_schema": context_call(lambda _context: "public", result=NAME),
    "current_schemas": context_call(
        lambda _context, implicit: ("pg_catalog", "public") if implicit else ("public",), BOOLEAN,
        result=array_of(NAME),
    ),
    "current_user": context_call(lambda context: context.user, result=NAME),
    "session_user": context_call(lambda context: context.user, result=NAME),
    "pg_backend_pid": context_call(lambda context: context.backend_pid, result=INTEGER),
    "inet_client_addr": context_call(lambda context: context.client_address),
    "to_regclass": context_call(to_regclass, TEXT, result=REGCLASS),
    "pg_is_in_recovery": context_call(lambda _context: False, result=BOOLEAN),
    "pg_export_snapshot": context_call(_export_snapshot),
    **catalog_functions.FUNCTIONS,
}
