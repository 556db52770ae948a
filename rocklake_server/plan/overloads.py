"""Choosing among the functions of one name by argument types (PostgreSQL manual, Function Type Resolution)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from rocklake_server.errors import CatalogError, UndefinedFunction, Unsupported
from rocklake_server.pgformat.zones import Zone, session_zone
from rocklake_server.plan.applications import Contextual, Lenient, Strict, Volatile, Waiting
from rocklake_server.plan.casts import implicit
from rocklake_server.plan.expressions import Expr
from rocklake_server.plan.postgres_functions import NAMES
from rocklake_server.plan.type_rules import NUMBER_RANK, category
from rocklake_server.schema.types import TIMESTAMPTZ, TIMETZ, UNKNOWN, ColumnType, Value


@dataclass(frozen=True, slots=True)
class Overload:
    """One function: ``node`` is the kind of node that calls ``function``; ``variadic`` repeats the last argument
    type; ``optional`` counts the trailing arguments that may be missing. ``in_zone`` makes the function for a session
    that is not in UTC, ``any_zone``: it is the same there; one of a timestamptz that says neither is refused there."""

    arguments: tuple[ColumnType, ...]
    result: ColumnType
    function: Callable[..., Value]
    node: type[Strict | Lenient | Contextual | Volatile | Waiting] = Strict
    optional: int = 0
    variadic: bool = False
    in_zone: Callable[[Zone], Callable[..., Value]] | None = None
    any_zone: bool = False

    def types_for(self, count: int) -> tuple[ColumnType, ...] | None:
        """The argument types of a call with ``count`` arguments."""
        if self.variadic and count >= len(self.arguments):
            return self.arguments + self.arguments[-1:] * (count - len(self.arguments))
        if len(self.arguments) - self.optional <= count <= len(self.arguments):
            return self.arguments[:count]
        return None


def _score(given: ColumnType, wanted: ColumnType) -> int | None:
    """2: the same type; 1: converts by itself; ``None``: does not."""
    if given.oid == wanted.oid:
        return 2
    if given.oid == UNKNOWN.oid:
        return 1
    if given.oid in NUMBER_RANK and wanted.oid in NUMBER_RANK:
        return 1 if NUMBER_RANK[given.oid] <= NUMBER_RANK[wanted.oid] else None
    return 1 if category(given) == category(wanted) else None


def _in_session(name: str, chosen: Overload) -> Callable[..., Value]:
    """Raises Unsupported."""
    zone = session_zone()
    if zone is None or chosen.any_zone:
        return chosen.function
    if chosen.in_zone is not None:
        return chosen.in_zone(zone)
    for kind in chosen.arguments:
        if kind.oid in (TIMESTAMPTZ.oid, TIMETZ.oid):
            raise Unsupported(f"{name}() of type {kind.name} is supported in sessions in UTC only")
    return chosen.function


def undefined_function(name: str, arguments: Sequence[Expr]) -> UndefinedFunction:
    shown = ", ".join(argument.type.name for argument in arguments)
    return UndefinedFunction(
        f"function {name}({shown}) does not exist",
        hint="No function matches the given name and argument types. You might need to add explicit type casts.",
    )


def unknown_function(name: str, arguments: Sequence[Expr]) -> CatalogError:
    """The error for a name that is no function here: one of PostgreSQL's is not supported, another does not exist."""
    return Unsupported(f"function {name}() is not supported") if name in NAMES else undefined_function(name, arguments)


def call(name: str, overloads: Sequence[Overload], arguments: Sequence[Expr]) -> Expr:
    """The call of the overload that fits best, the first of equals. Raises UndefinedFunction."""
    best: tuple[int, Overload, tuple[ColumnType, ...]] | None = None
    for overload in overloads:
        types = overload.types_for(len(arguments))
        if types is None:
            continue
        scores = [_score(argument.type, wanted) for argument, wanted in zip(arguments, types, strict=True)]
        if None in scores:
            continue
        total = sum(score for score in scores if score is not None)
        if best is None or total > best[0]:
            best = (total, overload, types)
    if best is None:
        raise undefined_function(name, arguments)
    _total, chosen, types = best
    typed = tuple(implicit(argument, wanted) for argument, wanted in zip(arguments, types, strict=True))
    return chosen.node(chosen.result, _in_session(name, chosen), typed)
