"""Scalar functions on plain values, one row each.

Source: PostgreSQL manual, String Functions and Mathematical Functions.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from string import ascii_lowercase, ascii_uppercase

from rocklake_server.errors import InvalidParameterValue, SubstringProblem
from rocklake_server.plan import datetime_functions, number_functions, text_functions
from rocklake_server.plan.applications import Lenient
from rocklake_server.plan.arithmetic import quantize
from rocklake_server.plan.overloads import Overload
from rocklake_server.plan.system.identifiers import quote_identifier
from rocklake_server.schema.types import (
    BIGINT,
    BOOLEAN,
    BYTEA,
    DOUBLE,
    INTEGER,
    NUMERIC,
    REAL,
    SMALLINT,
    TEXT,
    ColumnType,
    Form,
    Value,
)

_TO_LOWER = str.maketrans(ascii_uppercase, ascii_lowercase)
_TO_UPPER = str.maketrans(ascii_lowercase, ascii_uppercase)
"""The C collation knows the case of ASCII letters only."""


def _substring(text: str, start: int, length: int | None = None) -> str:
    first = start - 1
    if length is None:
        return text[max(first, 0):]
    if length < 0:
        raise SubstringProblem("negative substring length not allowed")
    return text[max(first, 0):max(first + length, 0)]


def _split_part(text: str, delimiter: str, number: int) -> str:
    if number == 0:
        raise InvalidParameterValue("field position must not be zero")
    parts = text.split(delimiter) if delimiter else [text]
    position = number - 1 if number > 0 else len(parts) + number
    return parts[position] if 0 <= position < len(parts) else ""


def _replace(text: str, old: str, new: str) -> str:
    if not old:
        return text
    if len(new) > len(old):
        text_functions.bounded(len(text) + text.count(old) * (len(new) - len(old)))
    return text.replace(old, new)


def _left(text: str, count: int) -> str:
    return text[:count]


def _right(text: str, count: int) -> str:
    return text[max(len(text) - count, 0):] if count >= 0 else text[-count:]


def _concat(*parts: Value) -> str:
    return "".join(str(part) for part in parts if part is not None)


def _concat_ws(separator: Value, *parts: Value) -> Value:
    return None if separator is None else str(separator).join(str(part) for part in parts if part is not None)


def _round_float(value: float) -> float:
    if not math.isfinite(value):
        return value
    return math.copysign(float(round(value)), value)


def _floor_float(value: float) -> float:
    return math.copysign(float(math.floor(value)), value) if math.isfinite(value) else value


def _ceil_float(value: float) -> float:
    return math.copysign(float(math.ceil(value)), value) if math.isfinite(value) else value


def _whole(rounding: str) -> Overload:
    def convert(value: Decimal) -> Decimal:
        if not value.is_finite():
            return value
        whole = value.to_integral_value(rounding)
        return abs(whole) if whole == 0 else whole

    return Overload((NUMERIC,), NUMERIC, convert)


def _abs(kind: ColumnType) -> Overload:
    return Overload((kind,), kind, Decimal.copy_abs if kind.form is Form.NUMERIC else abs)


def _text(function: object, *arguments: ColumnType, result: ColumnType = TEXT) -> tuple[Overload, ...]:
    assert callable(function)
    return (Overload(arguments, result, function),)


def _stripped(side: str) -> tuple[Overload, ...]:
    strips = {"both": str.strip, "left": str.lstrip, "right": str.rstrip}
    strip = strips[side]
    return (
        Overload((TEXT,), TEXT, lambda text: strip(text, " ")),
        Overload((TEXT, TEXT), TEXT, lambda text, letters: strip(text, letters) if letters else text),
    )


_OWN: Mapping[str, tuple[Overload, ...]] = {
    "lower": _text(lambda text: text.translate(_TO_LOWER), TEXT),
    "upper": _text(lambda text: text.translate(_TO_UPPER), TEXT),
    "length": (Overload((TEXT,), INTEGER, len), Overload((BYTEA,), INTEGER, len)),
    "octet_length": (
        Overload((TEXT,), INTEGER, lambda text: len(text.encode())), Overload((BYTEA,), INTEGER, len),
    ),
    "replace": _text(_replace, TEXT, TEXT, TEXT),
    "split_part": _text(_split_part, TEXT, TEXT, INTEGER),
    "substring": (Overload((TEXT, INTEGER, INTEGER), TEXT, _substring, optional=1),),
    "left": _text(_left, TEXT, INTEGER),
    "right": _text(_right, TEXT, INTEGER),
    "strpos": _text(lambda text, part: text.find(part) + 1, TEXT, TEXT, result=INTEGER),
    "starts_with": _text(str.startswith, TEXT, TEXT, result=BOOLEAN),
    "btrim": _stripped("both"),
    "ltrim": _stripped("left"),
    "rtrim": _stripped("right"),
    "md5": _text(lambda text: hashlib.md5(text.encode(), usedforsecurity=False).hexdigest(), TEXT),
    "quote_ident": _text(quote_identifier, TEXT),
    "concat": (Overload((TEXT,), TEXT, _concat, Lenient, variadic=True),),
    "concat_ws": (Overload((TEXT, TEXT), TEXT, _concat_ws, Lenient, variadic=True),),
    "abs": tuple(_abs(kind) for kind in (DOUBLE, SMALLINT, INTEGER, BIGINT, NUMERIC, REAL)),
    "round": (
        Overload((DOUBLE,), DOUBLE, _round_float),
        Overload((NUMERIC,), NUMERIC, lambda value: quantize(value, 0)),
        Overload((NUMERIC, INTEGER), NUMERIC, quantize),
    ),
    "floor": (Overload((DOUBLE,), DOUBLE, _floor_float), _whole(ROUND_FLOOR)),
    "ceil": (Overload((DOUBLE,), DOUBLE, _ceil_float), _whole(ROUND_CEILING)),
    "sign": (
        Overload((DOUBLE,), DOUBLE, lambda value: value if value != value else float((value > 0) - (value < 0))),
        Overload((NUMERIC,), NUMERIC, lambda value: Decimal((value > 0) - (value < 0))),
    ),
}

FUNCTIONS: Mapping[str, tuple[Overload, ...]] = {
    **_OWN, **text_functions.FUNCTIONS, **number_functions.FUNCTIONS, **datetime_functions.FUNCTIONS,
}
