"""Variance, standard deviation and folds over bits.

Source: PostgreSQL manual, Aggregate Functions for Statistics. Integers and numerics are summed exactly, the quotient
has the scale of a numeric division; floats are accumulated as Youngs and Cramer do, as PostgreSQL does.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping
from decimal import Context, Decimal
from functools import reduce
from typing import Any, TypeAlias

from rocklake_server.pacing import checked
from rocklake_server.plan.arithmetic import divide_numeric, quantize, scale
from rocklake_server.plan.type_rules import INTEGERS
from rocklake_server.schema.types import DOUBLE, NUMERIC, ColumnType, Form, Value

Fold: TypeAlias = Callable[[list[Any]], Value]

_EXACT = Context(prec=2000)

_SPREADS: Mapping[str, tuple[bool, bool]] = {
    "variance": (True, False), "var_samp": (True, False), "var_pop": (False, False), "stddev": (True, True),
    "stddev_samp": (True, True), "stddev_pop": (False, True),
}
"""Name -> (of a sample, as a standard deviation)."""

_BITS: Mapping[str, Callable[[int, int], int]] = {
    "bit_and": operator.and_, "bit_or": operator.or_, "bit_xor": operator.xor,
}

NAMES = frozenset({*_SPREADS, *_BITS})


def statistic(name: str, kind: ColumnType) -> tuple[ColumnType, Fold] | None:
    """(result type, fold) of an aggregate over one argument; ``None`` when there is none for its type."""
    if name in _BITS and kind.oid in INTEGERS:
        combine = _BITS[name]
        return kind.with_typmod(-1), lambda rows: reduce(combine, (row[0] for row in checked(rows))) if rows else None
    if name not in _SPREADS:
        return None
    sample, root = _SPREADS[name]
    if kind.form is Form.FLOAT:
        return DOUBLE, _of_floats(sample=sample, root=root)
    if kind.oid in INTEGERS or kind.form is Form.NUMERIC:
        return NUMERIC, _of_numerics(sample=sample, root=root)
    return None


def _of_numerics(*, sample: bool, root: bool) -> Fold:
    def fold(rows: list[Any]) -> Value:
        count = len(rows)
        if count == 0 or (sample and count == 1):
            return None
        values = [Decimal(row[0]) for row in checked(rows)]
        if not all(value.is_finite() for value in values):
            return Decimal("NaN")
        total = reduce(_EXACT.add, values)
        squares = reduce(_EXACT.add, [_EXACT.multiply(value, value) for value in values])
        numerator = _EXACT.subtract(_EXACT.multiply(count, squares), _EXACT.multiply(total, total))
        if numerator <= 0:
            return Decimal(0)
        spread = divide_numeric(numerator, Decimal(count * (count - 1 if sample else count)))
        return quantize(_EXACT.sqrt(spread), scale(spread)) if root else spread

    return fold


def _of_floats(*, sample: bool, root: bool) -> Fold:
    def fold(rows: list[Any]) -> Value:
        count, total, squares = 0, 0.0, 0.0
        for (value,) in checked(rows):
            count += 1
            total += value
            if count > 1:
                difference = value * count - total
                squares += difference * difference / (count * (count - 1.0))
            elif not math.isfinite(value):
                squares = math.nan
        if count == 0 or (sample and count == 1):
            return None
        spread = squares / (count - 1.0 if sample else count)
        return math.sqrt(spread) if root else spread

    return fold
