"""Arithmetic on numbers, with PostgreSQL's integer division, overflow errors and numeric scales.

Source: PostgreSQL manual, Mathematical Functions and Operators; the scale of a numeric quotient keeps at least 16
significant digits and both operands' scales.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from decimal import MAX_EMAX, MIN_EMIN, ROUND_HALF_UP, Context, Decimal
from typing import Any

from rocklake_server.errors import DatetimeOverflow, DivisionByZero, NumericOutOfRange
from rocklake_server.pgformat.datetimes import DATE_INFINITY
from rocklake_server.pgformat.numbers import round_to_real
from rocklake_server.plan.applications import Strict
from rocklake_server.plan.casts import implicit
from rocklake_server.plan.comparisons import undefined_operator, unify_unknown
from rocklake_server.plan.expressions import Constant, Expr
from rocklake_server.plan.moments import moment_arithmetic, negated
from rocklake_server.plan.type_rules import INTEGER_BOUNDS, OIDS, is_number, wider
from rocklake_server.schema.types import DATE, DOUBLE, INTEGER, NUMERIC, REAL, ColumnType, Form, Value

_EXACT = Context(prec=2000, Emax=MAX_EMAX, Emin=MIN_EMIN, rounding=ROUND_HALF_UP)
_QUOTIENT_DIGITS = 16
_SCALE_MAX = 1000


def _divide_integers(left: int, right: int) -> int:
    if right == 0:
        raise DivisionByZero("division by zero")
    quotient = abs(left) // abs(right)
    return quotient if (left < 0) == (right < 0) else -quotient


def _remainder_integers(left: int, right: int) -> int:
    if right == 0:
        raise DivisionByZero("division by zero")
    size = abs(left) % abs(right)
    return -size if left < 0 else size


_INTEGER: dict[str, Callable[[int, int], int]] = {
    "+": lambda left, right: left + right,
    "-": lambda left, right: left - right,
    "*": lambda left, right: left * right,
    "/": _divide_integers,
    "%": _remainder_integers,
}


def scale(value: Decimal) -> int:
    """Digits after the point that the value shows."""
    exponent = value.as_tuple().exponent
    return -exponent if isinstance(exponent, int) and exponent < 0 else 0


def _leading(value: Decimal) -> tuple[int, int]:
    """(weight, first digit) of the value in base 10,000."""
    if value == 0:
        return 0, 0
    weight, place = divmod(value.adjusted(), 4)
    digits = value.as_tuple().digits[: place + 1]
    first = int("".join(map(str, digits)).ljust(place + 1, "0"))
    return weight, first


def divide_numeric(left: Decimal, right: Decimal) -> Decimal:
    """left / right at PostgreSQL's scale. Raises DivisionByZero."""
    if left.is_nan() or right.is_nan():
        return Decimal("NaN")
    if right == 0:
        raise DivisionByZero("division by zero")
    if not (left.is_finite() and right.is_finite()):
        return _infinite_quotient(left, right)
    left_weight, left_first = _leading(left)
    right_weight, right_first = _leading(right)
    weight = left_weight - right_weight - (1 if left_first <= right_first else 0)
    digits = min(max(_QUOTIENT_DIGITS - weight * 4, scale(left), scale(right), 0), _SCALE_MAX)
    return quantize(_EXACT.divide(left, right), digits)


def _infinite_quotient(left: Decimal, right: Decimal) -> Decimal:
    if not left.is_infinite():
        return Decimal(0)
    if right.is_infinite():
        return Decimal("NaN")
    return left.copy_sign(Decimal(-1 if left.is_signed() != right.is_signed() else 1))


def quantize(value: Decimal, digits: int) -> Decimal:
    """Round half away from zero to ``digits`` decimals (negative: before the point)."""
    if not value.is_finite():
        return value
    rounded = value.quantize(Decimal(1).scaleb(-digits), ROUND_HALF_UP, _EXACT)
    rounded = rounded.quantize(Decimal(1), ROUND_HALF_UP, _EXACT) if digits < 0 else rounded
    return abs(rounded) if rounded == 0 else rounded


def _remainder_numeric(left: Decimal, right: Decimal) -> Decimal:
    if right == 0:
        raise DivisionByZero("division by zero")
    if left.is_nan() or right.is_nan() or left.is_infinite():
        return Decimal("NaN")
    if right.is_infinite():
        return left
    rest = _EXACT.remainder(left, right)
    return quantize(rest, max(scale(left), scale(right)))


def _specials(exact: Callable[[Decimal, Decimal], Decimal]) -> Callable[[Decimal, Decimal], Decimal]:
    def combine(left: Decimal, right: Decimal) -> Decimal:
        if left.is_finite() and right.is_finite():
            return exact(left, right)
        if left.is_nan() or right.is_nan():
            return Decimal("NaN")
        return Decimal(str(_FLOAT_RAW[exact](float(left), float(right))).replace("inf", "Infinity"))

    return combine


_FLOAT_RAW: dict[Any, Callable[[float, float], float]] = {
    _EXACT.add: lambda left, right: left + right,
    _EXACT.subtract: lambda left, right: left - right,
    _EXACT.multiply: lambda left, right: left * right,
}

_NUMERIC: dict[str, Callable[[Decimal, Decimal], Decimal]] = {
    "+": _specials(_EXACT.add),
    "-": _specials(_EXACT.subtract),
    "*": _specials(_EXACT.multiply),
    "/": divide_numeric,
    "%": _remainder_numeric,
}


def _divide_floats(left: float, right: float) -> float:
    if right == 0 and left == left:
        raise DivisionByZero("division by zero")
    return left / right if right else left


_FLOAT: dict[str, Callable[[float, float], float]] = {
    "+": lambda left, right: left + right,
    "-": lambda left, right: left - right,
    "*": lambda left, right: left * right,
    "/": _divide_floats,
}


def _checked_integer(kind: ColumnType, exact: Callable[[int, int], int]) -> Callable[..., Value]:
    least, greatest = INTEGER_BOUNDS[kind.oid]
    problem = f"{kind.name} out of range"

    def combine(left: int, right: int) -> int:
        result = exact(left, right)
        if not least <= result <= greatest:
            raise NumericOutOfRange(problem)
        return result

    return combine


def _checked_float(kind: ColumnType, exact: Callable[[float, float], float]) -> Callable[..., Value]:
    infinities = (float("inf"), float("-inf"))

    def combine(left: float, right: float) -> float:
        try:
            result = exact(left, right)
            result = round_to_real(result) if kind.oid == REAL.oid else result
        except OverflowError:
            raise NumericOutOfRange("value out of range: overflow") from None
        if result in infinities and left not in infinities and right not in infinities:
            raise NumericOutOfRange("value out of range: overflow")
        return result

    return combine


@dataclass(frozen=True, slots=True)
class Arithmetic(Strict):
    """``left symbol right`` over operands of one type."""

    symbol: str = "+"


def arithmetic(symbol: str, left: Expr, right: Expr) -> Expr:
    """``left symbol right`` for + - * / %. Raises UndefinedFunction."""
    if _is_time(left) or _is_time(right):
        found = moment_arithmetic(symbol, left, right)
        if found is not None:
            return found
    left, right = unify_unknown(left, right)
    if {left.type.oid, right.type.oid} <= {DATE.oid, INTEGER.oid} and DATE.oid in (left.type.oid, right.type.oid):
        return _with_days(symbol, left, right)
    kind = wider(left.type, right.type) if is_number(left.type) and is_number(right.type) else None
    if kind is not None and kind.oid == REAL.oid and left.type.oid != right.type.oid:
        kind = DOUBLE
    if kind is None or left.type.oid in OIDS or (symbol == "%" and kind.form is Form.FLOAT):
        raise undefined_operator(symbol, left.type, right.type)
    if kind.form is Form.INT:
        return Arithmetic(kind.with_typmod(-1), _checked_integer(kind, _INTEGER[symbol]), (left, right), symbol)
    left, right = implicit(left, kind.with_typmod(-1)), implicit(right, kind.with_typmod(-1))
    if kind.form is Form.FLOAT:
        return Arithmetic(kind, _checked_float(kind, _FLOAT[symbol]), (left, right), symbol)
    return Arithmetic(NUMERIC, _NUMERIC[symbol], (left, right), symbol)


def _is_time(node: Expr) -> bool:
    return node.type.form in (Form.TIMESTAMP, Form.DATE, Form.TIME, Form.INTERVAL)


def _with_days(symbol: str, left: Expr, right: Expr) -> Expr:
    if symbol == "-" and left.type.oid == right.type.oid == DATE.oid:
        return Strict(INTEGER, _days_between, (left, right))
    if symbol == "-" and left.type.oid == DATE.oid:
        return Strict(DATE, lambda days, count: days - count, (left, right))
    if symbol == "+" and left.type.oid != right.type.oid:
        return Strict(DATE, lambda first, second: first + second, (left, right))
    raise undefined_operator(symbol, left.type, right.type)


def _days_between(later: int, earlier: int) -> int:
    if abs(later) >= DATE_INFINITY or abs(earlier) >= DATE_INFINITY:
        raise DatetimeOverflow("cannot subtract infinite dates")
    return later - earlier


def negate(operand: Expr) -> Expr:
    """Unary minus. Raises UndefinedFunction, NumericOutOfRange."""
    kind = operand.type.with_typmod(-1)
    if kind.form is Form.INTERVAL:
        return Strict(kind, negated, (operand,))
    if not is_number(kind):
        raise undefined_operator("-", operand.type)
    if kind.form is Form.INT:
        exact = _checked_integer(kind, lambda _zero, value: -value)
        return Strict(kind, exact, (Constant(kind, 0), operand))
    if kind.form is Form.NUMERIC:
        return Strict(kind, lambda value: value if value == 0 else value.copy_negate(), (operand,))
    return Strict(kind, lambda value: -value, (operand,))
