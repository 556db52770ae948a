"""Functions that act on the running session or on others: notifications, advisory locks, cancellation.

Source: PostgreSQL manual, System Administration Functions and NOTIFY.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping

from rocklake_server.catalog.advisory_locks import AdvisoryKey, LockMode, Scope
from rocklake_server.errors import AdminShutdown, QueryCanceled, Unsupported
from rocklake_server.pacing import can_wait, waited
from rocklake_server.plan.applications import Volatile, Waiting
from rocklake_server.plan.expressions import Expr
from rocklake_server.plan.live_session import LiveSession
from rocklake_server.plan.model import Context
from rocklake_server.plan.overloads import Overload
from rocklake_server.schema.types import (
    BIGINT,
    BOOLEAN,
    DOUBLE,
    INTEGER,
    TEXT,
    VOID,
    ColumnType,
    Value,
    array_of,
)

_DONE = ""
"""The value of a function without a result."""


def _live(context: Context) -> LiveSession:
    if context.live is None:
        raise Unsupported("this function needs a session")
    return context.live


def _notify(context: Context, channel: str | None, payload: str | None) -> Value:
    _live(context).notify(channel or "", payload or "")
    return _DONE


def _sleep(_context: Context, seconds: float | None) -> Value:
    if seconds is None:
        return None
    if seconds > 0:
        if not can_wait():
            raise Unsupported("pg_sleep() is not supported here")
        waited(lambda: asyncio.sleep(seconds))
    return _DONE


def _cancel(context: Context, process_id: int | None) -> Value:
    if process_id is None:
        return None
    if process_id == context.backend_pid:
        raise QueryCanceled("canceling statement due to user request")
    return _told(context, process_id, _live(context).cancel(process_id))


def _terminate(context: Context, process_id: int | None, _timeout_ms: int | None = 0) -> Value:
    if process_id is None:
        return None
    if process_id == context.backend_pid:
        raise AdminShutdown("terminating connection due to administrator command")
    return _told(context, process_id, _live(context).terminate(process_id))


def _told(context: Context, process_id: int, found: bool) -> bool:
    if not found:
        _live(context).warn(f"PID {process_id} is not a PostgreSQL backend process")
    return found


def _blockers(context: Context, process_id: int | None) -> Value:
    return None if process_id is None else _live(context).blockers(process_id)


def _lock(mode: LockMode, scope: Scope) -> Callable[..., Value]:
    def lock(context: Context, *numbers: int | None) -> Value:
        known = [number for number in numbers if number is not None]
        if len(known) < len(numbers):
            return None
        _live(context).lock(AdvisoryKey.of(context.database, *known), mode, scope)
        return _DONE

    return lock


def _try_lock(mode: LockMode, scope: Scope) -> Callable[..., Value]:
    def try_lock(context: Context, *numbers: int | None) -> Value:
        known = [number for number in numbers if number is not None]
        if len(known) < len(numbers):
            return None
        return _live(context).try_lock(AdvisoryKey.of(context.database, *known), mode, scope)

    return try_lock


def _unlock(mode: LockMode) -> Callable[..., Value]:
    def unlock(context: Context, *numbers: int | None) -> Value:
        known = [number for number in numbers if number is not None]
        if len(known) < len(numbers):
            return None
        released = _live(context).unlock(AdvisoryKey.of(context.database, *known), mode)
        if not released:
            _live(context).warn(f"you don't own a lock of type {mode.value}")
        return released

    return unlock


def _unlock_all(context: Context) -> Value:
    _live(context).unlock_all()
    return _DONE


def _volatile(
    function: Callable[..., Value], *arguments: ColumnType, result: ColumnType, optional: int = 0
) -> tuple[Overload, ...]:
    return (Overload(arguments, result, function, Volatile, optional),)


def _by_number(
    function: Callable[..., Value], result: ColumnType, node: type[Volatile | Waiting] = Volatile
) -> tuple[Overload, ...]:
    """For one bigint, and for two integers."""
    return tuple(Overload(numbers, result, function, node) for numbers in ((BIGINT,), (INTEGER, INTEGER)))


def _advisory() -> Mapping[str, tuple[Overload, ...]]:
    found: dict[str, tuple[Overload, ...]] = {}
    for mode, ending in ((LockMode.EXCLUSIVE, ""), (LockMode.SHARED, "_shared")):
        for scope, infix in ((Scope.SESSION, ""), (Scope.TRANSACTION, "_xact")):
            found[f"pg_advisory{infix}_lock{ending}"] = _by_number(_lock(mode, scope), VOID, Waiting)
            found[f"pg_try_advisory{infix}_lock{ending}"] = _by_number(_try_lock(mode, scope), BOOLEAN)
        found[f"pg_advisory_unlock{ending}"] = _by_number(_unlock(mode), BOOLEAN)
    return found


FUNCTIONS: Mapping[str, tuple[Overload, ...]] = {
    "pg_notify": _volatile(_notify, TEXT, TEXT, result=VOID),
    "pg_sleep": (Overload((DOUBLE,), VOID, _sleep, Waiting),),
    "pg_cancel_backend": _volatile(_cancel, INTEGER, result=BOOLEAN),
    "pg_terminate_backend": _volatile(_terminate, INTEGER, BIGINT, result=BOOLEAN, optional=1),
    "pg_blocking_pids": _volatile(_blockers, INTEGER, result=array_of(INTEGER)),
    **_advisory(),
    "pg_advisory_unlock_all": _volatile(_unlock_all, result=VOID),
}

_NAMES = {overload.function: name for name, overloads in FUNCTIONS.items() for overload in overloads}


def acting_function(node: Expr) -> str | None:
    """The name of a function in ``node`` that acts on the session or asks about it at each row."""
    if isinstance(node, Volatile):
        return _NAMES[node.function]
    return next((name for child in node.children if (name := acting_function(child)) is not None), None)
