"""Conversions of single values whose Python form is not what protobuf holds.

TIMETZ and INTERVAL are packed as PostgreSQL's binary format sends them: int64 microseconds and int32 seconds
west of UTC; int64 microseconds, int32 days and int32 months; all big endian. NUMERIC is its exact text.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from decimal import Decimal, InvalidOperation
from typing import Any

from rocklake_server.schema.types import Form, Value

_TIMETZ = struct.Struct(">qi")
_INTERVAL = struct.Struct(">qii")
UUID_BYTES = 16


def _pack_numeric(value: Any) -> str:
    if not isinstance(value, Decimal) or value.is_snan():
        raise TypeError("a numeric is a Decimal")
    return str(value)


def _unpack_numeric(stored: Any) -> Decimal:
    try:
        return Decimal(stored)
    except InvalidOperation as error:
        raise ValueError("not a number") from error


def _check_uuid(value: Any) -> bytes:
    if not isinstance(value, bytes) or len(value) != UUID_BYTES:
        raise ValueError("a uuid has 16 bytes")
    return value


def _pack_timetz(value: Any) -> bytes:
    microseconds, seconds_west = value
    return _TIMETZ.pack(microseconds, seconds_west)


def _unpack_timetz(stored: Any) -> tuple[int, int]:
    microseconds, seconds_west = _TIMETZ.unpack(stored)
    return microseconds, seconds_west


def _pack_interval(value: Any) -> bytes:
    months, days, microseconds = value
    return _INTERVAL.pack(microseconds, days, months)


def _unpack_interval(stored: Any) -> tuple[int, int, int]:
    microseconds, days, months = _INTERVAL.unpack(stored)
    return months, days, microseconds


PACK: dict[Form, Callable[[Any], Value]] = {
    Form.NUMERIC: _pack_numeric,
    Form.UUID: _check_uuid,
    Form.TIMETZ: _pack_timetz,
    Form.INTERVAL: _pack_interval,
}
"""Value -> what protobuf holds; forms that are missing are held as they are. Raise ValueError, TypeError or
struct.error."""

UNPACK: dict[Form, Callable[[Any], Value]] = {
    Form.NUMERIC: _unpack_numeric,
    Form.UUID: _check_uuid,
    Form.TIMETZ: _unpack_timetz,
    Form.INTERVAL: _unpack_interval,
}
"""The inverse of ``PACK``. Raise ValueError or struct.error."""
