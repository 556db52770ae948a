"""Mathematical functions, one row each, and the operators on bits.

Source: PostgreSQL manual, Mathematical Functions and Operators. Functions that PostgreSQL computes for numerics to a
scale of their own are there for double precision only.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from decimal import ROUND_DOWN, Decimal

from rocklake_server.errors import (
    DivisionByZero,
    InvalidParameterValue,
    LogarithmProblem,
    NumericOutOfRange,
    PowerProblem,
    Unsupported,
)
from rocklake_server.plan.applications import Lenient, Strict
from rocklake_server.plan.arithmetic import arithmetic, divide_numeric
from rocklake_server.plan.casts import implicit
from rocklake_server.plan.comparisons import undefined_operator, unify_unknown
from rocklake_server.plan.expressions import ColumnRef, Env, Expr
from rocklake_server.plan.overloads import Overload
from rocklake_server.plan.type_rules import INTEGERS, wider
from rocklake_server.schema.types import BIGINT, DOUBLE, INTEGER, NUMERIC, SMALLINT, ColumnType, Form, Value

_BITS = {SMALLINT.oid: 16, INTEGER.oid: 32, BIGINT.oid: 64}


def _refuse_numeric(name: str) -> Callable[..., Value]:
    def refuse(*_arguments: Value) -> Value:
        raise Unsupported(f"{name}() of numeric is not supported", hint="Cast the argument to double precision.")

    return refuse


def _checked(function: Callable[..., float]) -> Callable[..., float]:
    def compute(*arguments: float) -> float:
        try:
            result = function(*arguments)
        except OverflowError:
            raise NumericOutOfRange("value out of range: overflow") from None
        except ValueError:
            raise NumericOutOfRange("input is out of range") from None
        if math.isinf(result) and not any(math.isinf(argument) for argument in arguments):
            raise NumericOutOfRange("value out of range: overflow")
        return result

    return compute


def _sqrt(value: float) -> float:
    if value < 0:
        raise PowerProblem("cannot take square root of a negative number")
    return math.sqrt(value)


def _logarithm(function: Callable[[float], float]) -> Callable[[float], float]:
    def compute(value: float) -> float:
        if value == 0:
            raise LogarithmProblem("cannot take logarithm of zero")
        if value < 0:
            raise LogarithmProblem("cannot take logarithm of a negative number")
        return function(value)

    return compute


def _power(base: float, exponent: float) -> float:
    if base == 0 and exponent < 0:
        raise PowerProblem("zero raised to a negative power is undefined")
    if base < 0 and math.isfinite(exponent) and exponent != math.floor(exponent):
        raise PowerProblem("a negative number raised to a non-integer power yields a complex result")
    return math.pow(base, exponent)


def _truncate_float(value: float) -> float:
    return math.copysign(float(math.trunc(value)), value) if math.isfinite(value) else value


def truncate_numeric(value: Decimal, digits: int = 0) -> Decimal:
    """Towards zero at ``digits`` decimals (negative: before the point)."""
    if not value.is_finite():
        return value
    digits = max(min(digits, 1000), -1000)
    if digits >= 0:
        cut = value.quantize(Decimal(1).scaleb(-digits), ROUND_DOWN)
    else:
        cut = value.quantize(Decimal(1).scaleb(-digits), ROUND_DOWN).quantize(Decimal(1))
    return abs(cut) if cut == 0 else cut


def _quotient(left: Decimal, right: Decimal) -> Decimal:
    if right == 0:
        raise DivisionByZero("division by zero")
    if not (left.is_finite() and right.is_finite()):
        return divide_numeric(left, right)
    whole = (abs(left) // abs(right)).to_integral_value(ROUND_DOWN)
    return whole if (left < 0) == (right < 0) or whole == 0 else -whole


def _gcd(kind: ColumnType) -> Overload:
    return Overload((kind, kind), kind, math.gcd)


def _lcm(kind: ColumnType) -> Overload:
    bits = _BITS[kind.oid]

    def least(left: int, right: int) -> int:
        found = math.lcm(left, right)
        if found >= 1 << (bits - 1):
            raise NumericOutOfRange(f"{kind.name} out of range")
        return found

    return Overload((kind, kind), kind, least)


def _width_bucket(value: float, low: float, high: float, count: int) -> int:
    if count <= 0:
        raise InvalidParameterValue("count must be greater than zero")
    if low == high:
        raise InvalidParameterValue("lower bound cannot equal upper bound")
    if (value < low) if low < high else (value > low):
        return 0
    if (value >= high) if low < high else (value <= high):
        return count + 1
    return int(count * ((value - low) / (high - low))) + 1


def _remainder(kind: ColumnType) -> Overload:
    compute = arithmetic("%", ColumnRef(kind, 0), ColumnRef(kind, 1)).getter(Env(()))
    return Overload((kind, kind), kind, lambda left, right: compute((left, right)))


def _double(name: str, function: Callable[..., float], count: int = 1) -> tuple[Overload, ...]:
    """For double precision; a numeric argument chooses the overload that refuses."""
    return (
        Overload((DOUBLE,) * count, DOUBLE, _checked(function)),
        Overload((NUMERIC,) * count, NUMERIC, _refuse_numeric(name)),
    )


def _only_double(function: Callable[..., float]) -> tuple[Overload, ...]:
    return (Overload((DOUBLE,), DOUBLE, _checked(function)),)


FUNCTIONS: Mapping[str, tuple[Overload, ...]] = {
    "sqrt": _double("sqrt", _sqrt),
    "exp": _double("exp", math.exp),
    "ln": _double("ln", _logarithm(math.log)),
    "log": _double("log", _logarithm(math.log10)),
    "log10": _double("log10", _logarithm(math.log10)),
    "power": _double("power", _power, 2),
    "cbrt": _only_double(math.cbrt),
    "degrees": _only_double(lambda value: value / (math.pi / 180.0)),
    "radians": _only_double(lambda value: value * (math.pi / 180.0)),
    "sin": _only_double(math.sin), "cos": _only_double(math.cos), "tan": _only_double(math.tan),
    "asin": _only_double(math.asin), "acos": _only_double(math.acos), "atan": _only_double(math.atan),
    "pi": (Overload((), DOUBLE, lambda: math.pi),),
    "trunc": (
        Overload((DOUBLE,), DOUBLE, _truncate_float), Overload((NUMERIC,), NUMERIC, truncate_numeric),
        Overload((NUMERIC, INTEGER), NUMERIC, truncate_numeric),
    ),
    "div": (Overload((NUMERIC, NUMERIC), NUMERIC, _quotient),),
    "mod": tuple(_remainder(kind) for kind in (SMALLINT, INTEGER, BIGINT, NUMERIC)),
    "gcd": (_gcd(INTEGER), _gcd(BIGINT)),
    "lcm": (_lcm(INTEGER), _lcm(BIGINT)),
    "width_bucket": (Overload((DOUBLE, DOUBLE, DOUBLE, INTEGER), INTEGER, _width_bucket),),
}


def counted_nulls(name: str, arguments: list[Expr]) -> Expr:
    """num_nulls and num_nonnulls, over arguments of any types."""
    wanted = name == "num_nulls"
    return Lenient(INTEGER, lambda *values: sum((value is None) is wanted for value in values), tuple(arguments))


def power_operator(left: Expr, right: Expr) -> Expr:
    """``left ^ right``. Raises Unsupported for numerics."""
    if Form.NUMERIC in (left.type.form, right.type.form) and Form.FLOAT not in (left.type.form, right.type.form):
        raise Unsupported("^ over numeric is not supported", hint="Cast an operand to double precision.")
    return Strict(DOUBLE, _checked(_power), (implicit(left, DOUBLE), implicit(right, DOUBLE)))


def _signed(value: int, bits: int) -> int:
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> (bits - 1) else value


_BITWISE: dict[str, Callable[[int, int], int]] = {
    "&": lambda left, right: left & right, "|": lambda left, right: left | right,
    "#": lambda left, right: left ^ right,
}


def bitwise(symbol: str, left: Expr, right: Expr) -> Expr:
    """``& | # << >>`` over integers. Raises UndefinedFunction."""
    left, right = unify_unknown(left, right)
    if left.type.oid not in INTEGERS or right.type.oid not in INTEGERS:
        raise undefined_operator(symbol, left.type, right.type)
    if symbol in _BITWISE:
        kind = wider(left.type, right.type)
        assert kind is not None
        return Strict(kind, _BITWISE[symbol], (left, right))
    bits = _BITS[left.type.oid]
    if symbol == "<<":
        return Strict(left.type, lambda value, count: _signed(value << (count % bits), bits), (left, right))
    return Strict(left.type, lambda value, count: value >> (count % bits), (left, right))


def complement(operand: Expr) -> Expr:
    """``~ integer``. Raises UndefinedFunction."""
    if operand.type.oid not in INTEGERS:
        raise undefined_operator("~", operand.type)
    return Strict(operand.type, lambda value: ~value, (operand,))
