"""Ordered-set aggregates: percentile_cont, percentile_disc and mode, as folds over a sorted list.

Source: PostgreSQL manual, Ordered-Set Aggregate Functions.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import Decimal
from typing import Any

from sqlglot import exp

from rocklake_server.adhoc.fragments import Fragment, reads, uniform_scale
from rocklake_server.adhoc.reading import Reading
from rocklake_server.adhoc.reading import reads as reads_nodes
from rocklake_server.adhoc.values import owned
from rocklake_server.errors import GroupingProblem, NumericOutOfRange, Unsupported
from rocklake_server.plan.casts import implicit
from rocklake_server.plan.comparisons import equality_key
from rocklake_server.plan.compiler import settle
from rocklake_server.plan.dispatch import label, only
from rocklake_server.plan.expressions import Constant, Expr
from rocklake_server.schema.types import DOUBLE, ColumnType, Value

Fold = Callable[[list[Any]], Value]


def _continuous(fraction: float) -> Fold:
    def fold(rows: list[Any]) -> Value:
        if not rows:
            return None
        place = fraction * (len(rows) - 1)
        low, high = rows[math.floor(place)][0], rows[math.ceil(place)][0]
        value: float = low if place == math.floor(place) else low + (high - low) * (place - math.floor(place))
        return value

    return fold


def _discrete(fraction: float) -> Fold:
    def fold(rows: list[Any]) -> Value:
        found: Value = rows[max(math.ceil(fraction * len(rows)), 1) - 1][0] if rows else None
        return found

    return fold


def _mode(kind: ColumnType) -> Fold:
    key = equality_key(kind)

    def fold(rows: list[Any]) -> Value:
        counts: dict[Any, int] = {}
        firsts: dict[Any, Value] = {}
        for (value,) in rows:
            counts[key(value)] = counts.get(key(value), 0) + 1
            firsts.setdefault(key(value), value)
        return firsts[max(counts, key=counts.__getitem__)] if counts else None

    return fold


def _fraction(reading: Reading, node: exp.Expr) -> float:
    """Raises Unsupported for one that is no literal, NumericOutOfRange outside of 0 and 1."""
    found = reading.expression(node)
    content = found.content if isinstance(found, Constant) else None
    if isinstance(content, bool) or not isinstance(content, int | float | Decimal):
        raise Unsupported("a percentile whose fraction is no literal number is not supported")
    if not 0 <= content <= 1:
        raise NumericOutOfRange(f"percentile value {content} is not between 0 and 1")
    return float(content)


@reads_nodes(exp.WithinGroup)
def _ordered_set(reading: Reading, node: exp.WithinGroup) -> Expr:
    if not reading.aggregates:
        raise GroupingProblem(f"aggregate functions are not allowed in {reading.clause}")
    only(node, "this", "expression")
    only(node.expression, "expressions")
    if len(node.expression.expressions) != 1:
        raise Unsupported("an ordered-set aggregate over several columns is not supported")
    inner, function, order = reading.below("an aggregate"), node.this, node.expression.expressions[0]
    value = settle(inner.expression(order.this))
    if isinstance(function, exp.PercentileCont):
        value = implicit(value, DOUBLE)
        fold = _continuous(_fraction(inner, function.this))
    elif isinstance(function, exp.PercentileDisc):
        fold = _discrete(_fraction(inner, function.this))
    elif isinstance(function, exp.Mode):
        fold = _mode(value.type)
    else:
        raise Unsupported(f"the ordered-set aggregate {label(function)} is not supported")
    out = reading.statement.out
    name = out.fold(value.type, value.type, fold, keeps_null=False)
    direction = "DESC" if order.args.get("desc") else "ASC"
    text = f"{name}(list({out.sql(value)} ORDER BY {out.order(value)} {direction} NULLS LAST))"
    text = owned(text, value.type)
    return Fragment(value.type, -1, sql=text, scope_number=-1, scale=uniform_scale(value), reads=reads(value))
