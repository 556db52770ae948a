"""From syntax nodes to expressions: names, literals, operators and subqueries in one scope."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING

from sqlglot import exp

from rocklake_server.errors import DatatypeMismatch
from rocklake_server.pgformat.numbers import decode_numeric
from rocklake_server.plan.casts import read_untyped
from rocklake_server.plan.dispatch import compiler_of
from rocklake_server.plan.expressions import Constant, Expr, Parameter, Slot
from rocklake_server.plan.scope import Scope
from rocklake_server.schema.types import (
    BIGINT,
    BOOLEAN,
    INTEGER,
    NUMERIC,
    TEXT,
    UNKNOWN,
    ColumnType,
    Value,
)
from rocklake_server.sql.template import slot_of

if TYPE_CHECKING:
    from rocklake_server.plan.lowering.query import QueryLowering


def number_value(text: str) -> int | Decimal:
    """The value of a number as written."""
    return int(text) if text.isdecimal() or text.lstrip("-").isdecimal() else Decimal(text)


def number_type(value: Value) -> ColumnType:
    """The type that PostgreSQL gives to a numeric literal."""
    if isinstance(value, int):
        if -(2**31) <= value < 2**31:
            return INTEGER
        if -(2**63) <= value < 2**63:
            return BIGINT
    return NUMERIC


@dataclass(slots=True)
class Compiler:
    """Compiles expressions of one query. ``intercept`` sees every node first: grouped queries put in what they have
    computed. ``aggregates_in`` names the clause in which an aggregate may not stand."""

    queries: QueryLowering
    scope: Scope
    clause: str = "SELECT"
    intercept: Callable[[exp.Expr], Expr | None] | None = None

    def compile(self, node: exp.Expr) -> Expr:
        """The typed expression of ``node``. Raises the error PostgreSQL's analysis has, or Unsupported."""
        if self.intercept is not None:
            ready = self.intercept(node)
            if ready is not None:
                return ready
        slot = slot_of(node) if isinstance(node, exp.Placeholder) else None
        if slot is not None:
            kind = self.queries.slot_types[slot.index]
            return Slot(kind, slot.index)
        return compiler_of(node)(self, node)

    def condition(self, node: exp.Expr, what: str) -> Expr:
        """A boolean expression. Raises DatatypeMismatch."""
        return boolean(self.compile(node), what)

    def typed(self, node: exp.Expr) -> Expr:
        """An expression whose untyped literals have become text."""
        return settle(self.compile(node))


def boolean(node: Expr, what: str) -> Expr:
    if node.type.oid == UNKNOWN.oid:
        return read_untyped(node, BOOLEAN)
    if node.type.oid != BOOLEAN.oid:
        raise DatatypeMismatch(f"argument of {what} must be type boolean, not type {node.type.name}")
    return node


def settle(node: Expr) -> Expr:
    """An untyped literal, parameter or column as text."""
    return read_untyped(node, TEXT) if node.type.oid == UNKNOWN.oid else node


def literal(text: str, *, is_string: bool) -> Constant:
    if is_string:
        return Constant(UNKNOWN, text)
    value = number_value(text)
    kind = number_type(value)
    if kind.oid != NUMERIC.oid:
        return Constant(kind, value)
    exact = decode_numeric(text)
    return Constant(kind, abs(exact) if exact == 0 else exact)


def parameter(compiler: Compiler, number: int) -> Parameter:
    compiler.queries.contextual = True
    types = compiler.queries.parameter_types
    return Parameter(types.note(number), number, types)
