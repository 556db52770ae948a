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
_INTEGER = re.compile(r"[ \t\n\v\f\r]*([+-]?[0-9]+)[ \t\n\v\f\r]*").fullmatch


def invalid_syntax(type_name: str, text: str) -> InvalidTextRepresentation:
    """PostgreSQL's 22P02 for a text that is no value of ``type_name``."""
    return InvalidTextRepresentation(f'invalid input syntax for type {type_name}: "{text}"')


def integer_decoder(type_name: str) -> Callable[[str], int]:
    """Decoder of smallint, integer or bigint. Raises 22P02 and 22003."""
    low, high = INT_RANGES[type_name]

    def decode(text: str) -> int:
        match = _INTEGER(text)
        if match is None:
            raise invalid_syntax(type_name, text)
        digits = match[1]
        # int() refuses very long digit strings, so a long one is measured first.
        value = int(digits) if len(digits) < 40 or len(digits.lstrip("+-0")) < 40 else high + 1
        if not low <= value <= high:
            raise NumericOutOfRange(f'value "{text}" is out of range for type {type_name}')
        return value

    return decode


def unsigned_decoder(type_name: str) -> Callable[[str], int]:
    """Decoder of oid and xid: 32 bits unsigned; a negative int32 wraps, as in PostgreSQL."""

    def decode(text: str) -> int:
        match = _INTEGER(text)
        if match is None:
            raise invalid_syntax(type_name, text)
        digits = match[1]
        value = int(digits) if len(digits) < 40 else 1 << 32
        if not -(1 << 31) <= value < 1 << 32:
            raise NumericOutOfRange(f'value "{text}" is out of range for type {type_name}')
        return value & 0xFFFF_FFFF

    return decode
