"""Integers from text (PostgreSQL manual, Integer Types), and what every decoder shares."""

from __future__ import annotations

import re
from collections.abc import Callable

from rocklake_server.errors import InvalidTextRepresentation, NumericOutOfRange

SPACES = " \t\n\v\f\r"
"""What C's isspace() calls white space."""
INT_RANGES = {
    "smallint": (-(1 << 15), (1 << 15) - 1),
    "integer": (-(1 << 31), (1 << 31) - 1),
    "bigint": (-(1 << 63), (1 << 63) - 1),
}
DIGITS_MAX = 40
"""More digits than any integer type takes."""

_INTEGER = re.compile(r"[ \t\n\v\f\r]*([+-]?[0-9]+)[ \t\n\v\f\r]*").fullmatch


def invalid_syntax(type_name: str, text: str) -> InvalidTextRepresentation:
    """PostgreSQL's 22P02 for a text that is no value of ``type_name``."""
    return InvalidTextRepresentation(f'invalid input syntax for type {type_name}: "{text}"')


def _whole(digits: str) -> int | None:
    """The number; ``None`` for one that is beyond every type. int() itself refuses very long texts, zeros included."""
    if len(digits) < DIGITS_MAX:
        return int(digits)
    size = digits.lstrip("+-").lstrip("0") or "0"
    if len(size) >= DIGITS_MAX:
        return None
    return -int(size) if digits[0] == "-" else int(size)


def integer_decoder(type_name: str) -> Callable[[str], int]:
    """Decoder of smallint, integer or bigint. Raises 22P02 and 22003."""
    low, high = INT_RANGES[type_name]

    def decode(text: str) -> int:
        match = _INTEGER(text)
        if match is None:
            raise invalid_syntax(type_name, text)
        value = _whole(match[1])
        if value is None or not low <= value <= high:
            raise NumericOutOfRange(f'value "{text}" is out of range for type {type_name}')
        return value

    return decode


def unsigned_decoder(type_name: str) -> Callable[[str], int]:
    """Decoder of oid and xid: 32 bits unsigned; a negative int32 wraps, as in PostgreSQL."""

    def decode(text: str) -> int:
        match = _INTEGER(text)
        if match is None:
            raise invalid_syntax(type_name, text)
        value = _whole(match[1])
        if value is None or not -(1 << 31) <= value < 1 << 32:
            raise NumericOutOfRange(f'value "{text}" is out of range for type {type_name}')
        return value & 0xFFFF_FFFF

    return decode
