"""Aggregates: their types and folds, and the operators that group rows."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import reduce
from operator import itemgetter
from typing import Any, TypeAlias

from rocklake_server.catalog.view import Row
from rocklake_server.errors import NumericOutOfRange
from rocklake_server.pacing import checked
from rocklake_server.plan.arithmetic import arithmetic, divide_numeric
from rocklake_server.plan.casts import implicit
from rocklake_server.plan.comparisons import equality_key, order_key
from rocklake_server.plan.expressions import ColumnRef, Env, Expr
from rocklake_server.plan.json_aggregates import NAMES as JSON_AGGREGATES
from rocklake_server.plan.json_aggregates import json_aggregate
from rocklake_server.plan.overloads import undefined_function
from rocklake_server.plan.sorting import SortKey, sort_rows
from rocklake_server.plan.statistics import NAMES as STATISTICS
from rocklake_server.plan.statistics import statistic
from rocklake_server.plan.type_rules import is_string
from rocklake_server.schema.types import (
    BIGINT,
    BOOLEAN,
    BYTEA,
    DOUBLE,
    INTEGER,
    JSON,
    JSONB,
    NUMERIC,
    REAL,
    SMALLINT,
    TEXT,
    UNKNOWN,
    ColumnType,
    Form,
    Value,
    array_of,
)

Fold: TypeAlias = Callable[[list[Row]], Value]
"""From the argument tuples of a group's rows to the aggregate's value."""


@dataclass(frozen=True, slots=True)
class Aggregate:
    """One aggregate call. ``keeps_null``: rows whose first argument is NULL take part."""

    name: str
    type: ColumnType
    arguments: tuple[Expr, ...]
    fold: Fold
    distinct: bool = False
    order: tuple[SortKey, ...] = ()
    where: Expr | None = None
    keeps_null: bool = False

    @property
    def expressions(self) -> list[Expr]:
        extra = [] if self.where is None else [self.where]
        return [*self.arguments, *(key.expression for key in self.order), *extra]

    def over(self, env: Env) -> Callable[[list[Row]], Value]:
        """The value for a group's rows."""
        bound = [argument.bind(env) for argument in self.arguments]
        where = None if self.where is None else self.where.bind(env)
        order = [(key.expression.bind(env), key) for key in self.order]
        distinct = [equality_key(argument.type) for argument in self.arguments] if self.distinct else None

        def value(rows: list[Row]) -> Value:
            if where is not None:
                rows = [row for row in checked(rows) if where(row)]
            if order:
                rows = list(rows)
                sort_rows(rows, order)
            tuples = [tuple([item(row) for item in bound]) for row in checked(rows)]
            if not self.keeps_null and bound:
                tuples = [item for item in checked(tuples) if item[0] is not None]
            if distinct is not None:
                unique = {tuple([key(part) for key, part in zip(distinct, item, strict=True)]): item
                          for item in checked(tuples[::-1])}
                tuples = list(unique.values())[::-1]
                if not order:
                    sort_rows(tuples, [(itemgetter(0), SortKey(self.arguments[0]))])
            return self.fold(tuples)

        return value


def _floats(rows: list[Row]) -> Iterator[float]:
    return (value for (value, *_rest) in checked(rows) if isinstance(value, float))


def _integers(rows: list[Row]) -> Iterator[int]:
    return (value for (value, *_rest) in checked(rows) if isinstance(value, int))


def _sum(kind: ColumnType) -> tuple[ColumnType, Fold]:
    if kind.oid in (SMALLINT.oid, INTEGER.oid):
        return BIGINT, _sum_bigint
    if kind.form is Form.FLOAT:
        result = kind.with_typmod(-1)
        return result, lambda rows: reduce(operator.add, _floats(rows)) if rows else None
    return NUMERIC, lambda rows: _sum_numeric(rows) if rows else None


def _sum_bigint(rows: list[Row]) -> Value:
    if not rows:
        return None
    total = sum(_integers(rows))
    if not -(2**63) <= total < 2**63:
        raise NumericOutOfRange("bigint out of range")
    return total


def _sum_numeric(rows: list[Row]) -> Decimal:
    if isinstance(rows[0][0], int):
        return Decimal(sum(_integers(rows)))
    add = arithmetic("+", ColumnRef(NUMERIC, 0), ColumnRef(NUMERIC, 1)).getter(Env(()))
    total: Value = Decimal(0)
    for row in checked(rows):
        total = add((total, row[0]))
    assert isinstance(total, Decimal)
    return total


def _average(kind: ColumnType) -> tuple[ColumnType, Fold]:
    if kind.form is Form.FLOAT:
        return DOUBLE, lambda rows: reduce(operator.add, _floats(rows)) / len(rows) if rows else None
    return NUMERIC, lambda rows: divide_numeric(_sum_numeric(rows), Decimal(len(rows))) if rows else None


def _extreme(kind: ColumnType, choose: Callable[..., Any]) -> Fold:
    key = order_key(kind)
    if key is None:
        return lambda rows: choose(row[0] for row in checked(rows)) if rows else None
    return lambda rows: choose((row[0] for row in checked(rows)), key=key) if rows else None


def _join_text(rows: list[Row]) -> Value:
    if not rows:
        return None
    parts: list[Any] = [rows[0][0]]
    for row in checked(rows[1:]):
        parts.extend((row[1], row[0]) if row[1] is not None else (row[0],))
    empty = b"" if isinstance(parts[0], bytes) else ""
    joined: Value = empty.join(parts)
    return joined


def aggregate(name: str, arguments: Sequence[Expr], *, distinct: bool = False, order: tuple[SortKey, ...] = (),
              where: Expr | None = None) -> Aggregate:
    """The aggregate of that name over ``arguments`` (none: count(*)). Raises UndefinedFunction."""
    kinds = [argument.type for argument in arguments]
    made: tuple[ColumnType, Fold] | None = None
    chosen = list(arguments)
    if name == "count" and len(chosen) <= 1:
        made = (BIGINT, len)
    elif name == "string_agg" and len(chosen) == 2:
        target = BYTEA if BYTEA.oid in (kinds[0].oid, kinds[1].oid) else TEXT
        if kinds[0].oid in (UNKNOWN.oid, target.oid) or is_string(kinds[0]):
            chosen = [implicit(argument, target) for argument in chosen]
            made = (target, _join_text)
    elif name in JSON_AGGREGATES:
        result, folded, fold = json_aggregate(name, arguments, distinct=distinct)
        chosen, made = [folded], (result, fold)
    elif len(chosen) == 1:
        kind = kinds[0]
        number = kind.oid in (SMALLINT.oid, INTEGER.oid, BIGINT.oid, NUMERIC.oid, REAL.oid, DOUBLE.oid)
        if name in ("min", "max") and kind.form not in (Form.BOOL, Form.UUID, Form.BYTES) \
                and kind.oid not in (JSON.oid, JSONB.oid):
            if kind.oid == UNKNOWN.oid or (is_string(kind) and kind.typname in ("varchar", "name")):
                chosen = [implicit(chosen[0], TEXT)]
                kind = TEXT
            made = (kind, _extreme(kind, min if name == "min" else max))
        elif name in ("sum", "avg") and number:
            made = _sum(kind) if name == "sum" else _average(kind)
        elif name in ("bool_and", "every", "bool_or") and kind.oid in (BOOLEAN.oid, UNKNOWN.oid):
            chosen = [implicit(chosen[0], BOOLEAN)]
            test = any if name == "bool_or" else all
            made = (BOOLEAN, lambda rows: test(row[0] for row in checked(rows)) if rows else None)
        elif name in STATISTICS:
            made = statistic(name, kind)
        elif name == "array_agg":
            element = TEXT if kind.oid == UNKNOWN.oid else kind.with_typmod(-1)
            chosen = [implicit(chosen[0], element)]
            made = (array_of(element), lambda rows: tuple(row[0] for row in checked(rows)) if rows else None)
    if made is None:
        raise undefined_function(name, arguments)
    keeps_null = name == "array_agg" or name in JSON_AGGREGATES
    return Aggregate(name, made[0], tuple(chosen), made[1], distinct, order, where, keeps_null)


