"""Ordering and equality of values as PostgreSQL's operators see them, text under the C collation.

``sort_key(type)`` maps a value to a hashable key: keys are equal exactly when the values are equal in SQL, and
order as ORDER BY does. NULL is the caller's business except inside arrays, where it is greater than any element.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from functools import cache
from typing import Any

from rocklake_server.pgformat.datetimes import MICROS_PER_DAY, MICROS_PER_SECOND
from rocklake_server.schema.types import ColumnType, Form

SortKey = Callable[[Any], Any]
_DAYS_PER_MONTH = 30
_NATIVE = frozenset(
    {Form.BOOL, Form.INT, Form.TEXT, Form.BYTES, Form.UUID, Form.TIMESTAMP, Form.DATE, Form.TIME, Form.TID}
)
_NAN_KEY = (1, 0)


@cache
def natively_ordered(column_type: ColumnType) -> bool:
    """Whether ``==``, ``<`` and ``hash`` of Python on the values are already PostgreSQL's.

    Python compares str by code point, which is the byte order of UTF-8. ``character`` ignores trailing spaces.
    """
    return column_type.form in _NATIVE and column_type.typname != "bpchar"


def _unchanged(value: Any) -> Any:
    return value


def _float_key(value: float) -> tuple[int, float]:
    return (0, value) if value == value else _NAN_KEY


def _numeric_key(value: Decimal) -> tuple[int, Decimal | int]:
    return _NAN_KEY if value.is_nan() else (0, value)


def _interval_key(value: tuple[int, int, int]) -> int:
    months, days, micros = value
    return (months * _DAYS_PER_MONTH + days) * MICROS_PER_DAY + micros


def _timetz_key(value: tuple[int, int]) -> tuple[int, int]:
    micros, west = value
    return micros + west * MICROS_PER_SECOND, west


def _bpchar_key(value: str) -> str:
    return value.rstrip(" ")


_KEYS: dict[Form, SortKey] = {
    Form.FLOAT: _float_key,
    Form.NUMERIC: _numeric_key,
    Form.INTERVAL: _interval_key,
    Form.TIMETZ: _timetz_key,
}


@cache
def sort_key(column_type: ColumnType) -> SortKey:
    """The key function of a type; the identity where ``natively_ordered``."""
    if natively_ordered(column_type):
        return _unchanged
    if column_type.element is not None:
        key = sort_key(column_type.element)
        return lambda values: tuple([(1, 0) if value is None else (0, key(value)) for value in values])
    if column_type.typname == "bpchar":
        return _bpchar_key
    return _KEYS[column_type.form]


@cache
def comparator(column_type: ColumnType) -> Callable[[Any, Any], int]:
    """Three-way comparison: negative, zero or positive, as PostgreSQL's btree support function."""
    key = sort_key(column_type)

    def compare(left: Any, right: Any) -> int:
        a, b = key(left), key(right)
        return int(a > b) - int(a < b)

    return compare
