"""Comparison operators over two typed nodes, and orderings and equality keys for sorting, grouping and joining."""

from __future__ import annotations

import operator
from collections.abc import Callable
from decimal import Decimal
from typing import Any, TypeAlias

from rocklake_server.errors import UndefinedFunction, Unsupported
from rocklake_server.pgformat import json_parts
from rocklake_server.pgformat.compare import natively_ordered, sort_key
from rocklake_server.pgformat.zones import session_zone
from rocklake_server.plan.casts import implicit
from rocklake_server.plan.conditions import Compare, InList
from rocklake_server.plan.conversions import conversion
from rocklake_server.plan.expressions import Expr
from rocklake_server.plan.type_rules import MOMENTS, OIDS, comparable
from rocklake_server.schema.types import (
    BPCHAR,
    DATE,
    DOUBLE,
    JSON,
    JSONB,
    NUMERIC,
    TEXT,
    TIMESTAMP,
    TIMESTAMPTZ,
    TIMETZ,
    UNKNOWN,
    ColumnType,
    Form,
    Value,
)

Key: TypeAlias = Callable[[Any], Any]

TESTS: dict[str, Callable[[Any, Any], Any]] = {
    "=": operator.eq, "<>": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
}
MIRRORED = {"=": "=", "<>": "<>", "<": ">", "<=": ">=", ">": "<", ">=": "<="}


def undefined_operator(symbol: str, *kinds: ColumnType) -> UndefinedFunction:
    """PostgreSQL's 42883 for an operator without such argument types."""
    shown = f"{kinds[0].name} {symbol} {kinds[1].name}" if len(kinds) == 2 else f"{symbol} {kinds[0].name}"
    hint = "No operator matches the given name and argument types. You might need to add explicit type casts."
    return UndefinedFunction(f"operator does not exist: {shown}", hint=hint)


def unify_unknown(left: Expr, right: Expr) -> tuple[Expr, Expr]:
    """Give an untyped side the other side's type; two untyped sides are text."""
    if left.type.oid == UNKNOWN.oid and right.type.oid == UNKNOWN.oid:
        return implicit(left, TEXT), implicit(right, TEXT)
    if left.type.oid == UNKNOWN.oid:
        return implicit(left, right.type), right
    if right.type.oid == UNKNOWN.oid:
        return left, implicit(right, left.type)
    return left, right


def compare(symbol: str, left: Expr, right: Expr) -> Compare:
    """``left symbol right``. Raises UndefinedFunction."""
    left, right = unify_unknown(left, right)
    if not comparable(left.type, right.type):
        raise undefined_operator(symbol, left.type, right.type)
    left_key, right_key = _keys(left.type, right.type)
    return Compare(
        operator=symbol, left=left, right=right, test=TESTS[symbol], left_key=left_key, right_key=right_key,
        plain=left_key is None and right_key is None,
    )


def _keys(left: ColumnType, right: ColumnType) -> tuple[Key | None, Key | None]:
    """What brings the values of both sides into one ordered form; ``None`` when they are already."""
    if left.oid == right.oid:
        key = order_key(left)
        return key, key
    if Form.FLOAT in (left.form, right.form):
        key = sort_key(DOUBLE)
        return _as_float(left, key), _as_float(right, key)
    if Form.NUMERIC in (left.form, right.form):
        return _as_numeric(left), _as_numeric(right)
    if left.oid in MOMENTS and right.oid in MOMENTS:
        zoned = session_zone() is not None and TIMESTAMPTZ.oid in (left.oid, right.oid)
        return (_as_instant(left), _as_instant(right)) if zoned else (_as_moment(left), _as_moment(right))
    if Form.TIMETZ in (left.form, right.form):
        key = sort_key(TIMETZ)
        return _through(left, TIMETZ, key), _through(right, TIMETZ, key)
    return order_key(left), order_key(right)


def _as_float(kind: ColumnType, key: Key) -> Key:
    return key if kind.form is Form.FLOAT else lambda value: key(float(value))


def _as_numeric(kind: ColumnType) -> Key:
    key = sort_key(NUMERIC)
    return key if kind.form is Form.NUMERIC else lambda value: key(Decimal(value))


def _as_moment(kind: ColumnType) -> Key | None:
    return conversion(DATE, TIMESTAMP) if kind.oid == DATE.oid else None


def _as_instant(kind: ColumnType) -> Key | None:
    return None if kind.oid == TIMESTAMPTZ.oid else conversion(kind, TIMESTAMPTZ)


def _through(kind: ColumnType, target: ColumnType, key: Key) -> Key:
    convert = conversion(kind, target)
    return lambda value: key(convert(value))


def order_key(kind: ColumnType) -> Key | None:
    """What orders values of one type; ``None`` when Python's own order is SQL's. Raises UndefinedFunction or
    Unsupported for a type without an order."""
    scalar = kind if kind.element is None else kind.element
    if scalar.oid == JSON.oid:
        raise UndefinedFunction(f"could not identify an equality operator for type {scalar.name}")
    if scalar.oid == JSONB.oid:
        if kind.element is not None:
            raise Unsupported("comparing arrays of jsonb is not supported")
        return json_parts.order_key
    if kind.oid == BPCHAR.oid:
        return lambda value: value.rstrip(" ")
    if natively_ordered(kind):
        return None
    return sort_key(kind)


def compare_list(operand: Expr, items: list[Expr]) -> Expr | None:
    """``operand IN (items)`` as one membership test, when items are constants of the operand's plain type."""
    kind = operand.type
    if kind.oid == UNKNOWN.oid or order_key(kind) is not None or kind.form is Form.ARRAY:
        return None
    chosen: list[Expr] = []
    for item in items:
        typed = implicit(item, kind) if item.type.oid == UNKNOWN.oid else item
        same = typed.type.oid == kind.oid or (typed.type.form is kind.form is Form.INT and kind.oid not in OIDS)
        if not (typed.constant and same and comparable(kind, typed.type)):
            return None
        chosen.append(typed)
    return InList(operand=operand, items=tuple(chosen))


def equality_key(kind: ColumnType) -> Callable[[Value], Any]:
    """A hashable form under which equal values are equal (grouping, DISTINCT)."""
    key = order_key(kind)
    if kind.form is Form.ARRAY:
        return lambda value: value
    if key is None:
        return lambda value: value
    return lambda value: None if value is None else key(value)
