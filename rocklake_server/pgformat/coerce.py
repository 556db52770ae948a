"""Assignment checks: a value of a type's form becomes one that the type and its modifier can hold."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from rocklake_server.errors import NumericOutOfRange, Unsupported
from rocklake_server.pgformat.datetimes import (
    TIMESTAMP_INFINITY,
    TIMESTAMP_MINUS_INFINITY,
    check_date,
    check_timestamp,
    micros_rounder,
)
from rocklake_server.pgformat.integers import INT_RANGES
from rocklake_server.pgformat.numbers import numeric_coercer, round_to_real
from rocklake_server.pgformat.strings import length_coercer, truncate_name
from rocklake_server.schema.types import ColumnType, Form

Coercer = Callable[[Any], Any]
_INTERVAL_PRECISION_FULL = 0xFFFF
_INTERVAL_FIELDS_FULL = 0x7FFF


def fits_any_typmod(column_type: ColumnType) -> bool:
    """Whether the type has no modifier that changes or limits values."""
    return column_type.typmod == -1


def _unchanged(value: Any) -> Any:
    return value


def range_checker(type_name: str, low: int, high: int) -> Coercer:
    """Raises 22003 "smallint out of range" outside ``low`` … ``high``."""

    def check(value: int) -> int:
        if low <= value <= high:
            return value
        raise NumericOutOfRange(f"{type_name} out of range")

    return check


def _check_real(value: float) -> float:
    try:
        return round_to_real(value)
    except OverflowError:
        raise NumericOutOfRange("value out of range: overflow") from None


def _rounds(column_type: ColumnType) -> Callable[[int], int] | None:
    """The rounding that a time-like type's modifier asks for. Raises 0A000 for interval fields."""
    if column_type.typmod == -1:
        return None
    precision = column_type.typmod & 0xFFFF
    if column_type.form is Form.INTERVAL:
        if column_type.typmod >> 16 not in (0, _INTERVAL_FIELDS_FULL):
            raise Unsupported("interval fields are not supported")
        if precision == _INTERVAL_PRECISION_FULL:
            return None
    return micros_rounder(min(precision, 6))


def _datetime_coercer(column_type: ColumnType) -> Coercer:
    rounded = _rounds(column_type)
    if column_type.form is Form.TIMESTAMP:
        if rounded is None:
            return check_timestamp
        infinities = (TIMESTAMP_INFINITY, TIMESTAMP_MINUS_INFINITY)
        return lambda value: value if value in infinities else check_timestamp(rounded(value))
    if rounded is None:
        return _unchanged
    if column_type.form is Form.TIME:
        return rounded
    if column_type.form is Form.TIMETZ:
        return lambda value: (rounded(value[0]), value[1])
    return lambda value: (value[0], value[1], rounded(value[2]))


def _text_coercer(column_type: ColumnType) -> Coercer:
    if column_type.typname == "name":
        return truncate_name
    if column_type.typname in ("varchar", "bpchar") and column_type.typmod >= 4:
        return length_coercer(column_type.name, column_type.typmod - 4, pad=column_type.typname == "bpchar")
    return _unchanged


@cache
def coerce(column_type: ColumnType) -> Coercer:
    """The function from a value (not None) of the type's form to one that fits its modifier and range.

    Numerics round half away from zero (22003 "numeric field overflow"), texts lose only trailing spaces (22001),
    integers are range checked (22003 "smallint out of range"), times round to their precision (22008 at the ends).
    """
    form = column_type.form
    if form is Form.INT:
        low, high = INT_RANGES.get(column_type.name, (0, 0xFFFF_FFFF))
        return range_checker("OID" if column_type.typname == "oid" else column_type.name, low, high)
    if form is Form.NUMERIC:
        return _unchanged if column_type.typmod == -1 else numeric_coercer(column_type.typmod)
    if form is Form.FLOAT:
        return _check_real if column_type.typname == "float4" else _unchanged
    if form is Form.TEXT:
        return _text_coercer(column_type)
    if form is Form.DATE:
        return check_date
    if form in (Form.TIMESTAMP, Form.TIME, Form.TIMETZ, Form.INTERVAL):
        return _datetime_coercer(column_type)
    if form is Form.ARRAY and column_type.element is not None:
        fit = coerce(column_type.element)
        return lambda values: tuple([None if value is None else fit(value) for value in values])
    if form in (Form.BOOL, Form.BYTES, Form.UUID, Form.TID):
        return _unchanged
    raise AssertionError(form)
