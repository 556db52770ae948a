"""Bounds of a column's values in the text in which DuckLake keeps them.

DuckLake takes a missing bound for that of a column without values, and replaces it with those of the next file. So a
bound that cannot be known is the least or greatest value of the type, never nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from functools import cache
from typing import Any

_INTEGER = re.compile(r"(u?)int(8|16|32|64|128)")
_DECIMAL = re.compile(r"decimal\((\d+),\s*(\d+)\)")
_PLAIN_TEMPORAL = re.compile(r"\d{4}-\d\d-\d\d( \d\d:\d\d:\d\d(\.\d+)?(\+00)?)?")
"""Texts whose order is that of the moments: years of four digits, no BC, UTC."""

_GREATEST_TEXT = "\U0010ffff" * 8
_EXTREMES = {
    "float32": ("-inf", "inf"),
    "float64": ("-inf", "inf"),
    "boolean": ("0", "1"),
    "time": ("00:00:00", "24:00:00"),
    "varchar": ("", _GREATEST_TEXT),
    "json": ("", _GREATEST_TEXT),
    "blob": ("", "FF" * 16),
    "uuid": ("00000000-0000-0000-0000-000000000000", "ffffffff-ffff-ffff-ffff-ffffffffffff"),
}
_TEMPORAL = ("date", "timestamp")


@cache
def extremes(column_type: str) -> tuple[str, str] | None:
    """The least and greatest value of a type of ducklake_column; ``None`` for types that have no bounds."""
    kind = column_type.lower()
    if found := _INTEGER.fullmatch(kind):
        bits = int(found[2])
        return ("0", str(2**bits - 1)) if found[1] else (str(-(2 ** (bits - 1))), str(2 ** (bits - 1) - 1))
    if found := _DECIMAL.fullmatch(kind):
        width, scale = int(found[1]), int(found[2])
        greatest = f"{'9' * (width - scale) or '0'}.{'9' * scale}".rstrip(".")
        return f"-{greatest}", greatest
    if kind.startswith(_TEMPORAL):
        return "-infinity", "infinity"
    return _EXTREMES.get(kind)


@cache
def _order(column_type: str) -> Callable[[str], Any]:
    """What texts of the type are compared by. It raises ValueError for one whose place is not known."""
    kind = column_type.lower()
    if _INTEGER.fullmatch(kind) or _DECIMAL.fullmatch(kind) or kind.startswith(("float", "decimal")):
        return _number
    return _moment if kind.startswith(_TEMPORAL) else str.encode


def _number(text: str) -> Decimal:
    try:
        found = Decimal(text)
    except InvalidOperation:
        raise ValueError from None
    if found.is_nan():
        raise ValueError
    return found


def _moment(text: str) -> str:
    if not _PLAIN_TEMPORAL.fullmatch(text):
        raise ValueError
    return text


@dataclass(slots=True)
class Bounds:
    """Of one column. ``least`` and ``greatest`` are ``None`` as long as there are no values."""

    column_type: str
    least: str | None = None
    greatest: str | None = None
    has_null: bool = False
    has_nan: bool = False

    def include(self, least: str | None, greatest: str | None) -> None:
        """Values between these two."""
        known = extremes(self.column_type)
        if known is None or (self.least, self.greatest) == known:
            return
        if least is None or greatest is None:
            self.widen()
            return
        order = _order(self.column_type)
        try:
            self.least = min((least, least if self.least is None else self.least), key=order)
            self.greatest = max((greatest, greatest if self.greatest is None else self.greatest), key=order)
        except ValueError:
            self.widen()

    def widen(self) -> None:
        """Values that are not known."""
        known = extremes(self.column_type)
        if known is not None:
            self.least, self.greatest = known
