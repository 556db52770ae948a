"""The binary form of numeric: base-10000 digits behind four int16 words (PostgreSQL source, numeric_send).

Words: digit count, weight of the first digit, sign, display scale.
"""

from __future__ import annotations

import struct
from decimal import ROUND_DOWN, Decimal

from rocklake_server.errors import InvalidBinaryRepresentation
from rocklake_server.pgformat.numbers import EXACT, NUMERIC_SCALE_MAX

_HEAD = struct.Struct("!HhHH")
_POSITIVE, _NEGATIVE = 0x0000, 0x4000
_NAN, _INFINITY, _MINUS_INFINITY = 0xC000, 0xD000, 0xF000


def encode_numeric(value: Decimal) -> bytes:
    """The payload of ``value``; its scale is the number of decimal places it was written with."""
    sign, digits, exponent = value.as_tuple()
    if isinstance(exponent, str):
        special = _NAN if value.is_nan() else _MINUS_INFINITY if sign else _INFINITY
        return _HEAD.pack(0, 0, special, 0x20 if special != _NAN else 0)
    scale = max(-exponent, 0)
    if not value:
        return _HEAD.pack(0, 0, _POSITIVE, scale)
    text = "".join(map(str, digits)).lstrip("0")
    # Zeros are added so that groups of four line up with the decimal point.
    text += "0" * (exponent % 4)
    exponent -= exponent % 4
    text = "0" * (-len(text) % 4) + text
    groups = [int(text[i : i + 4]) for i in range(0, len(text), 4)]
    weight = len(groups) + exponent // 4 - 1
    while groups[-1] == 0:
        groups.pop()
    return struct.pack(f"!HhHH{len(groups)}H", len(groups), weight, _NEGATIVE if sign else _POSITIVE, scale, *groups)


def decode_numeric(data: bytes) -> Decimal:
    """The value of a payload. Raises 22P03 with PostgreSQL's wording for each malformed word."""
    if len(data) < _HEAD.size:
        raise InvalidBinaryRepresentation("incorrect binary data format")
    count, weight, sign, scale = _HEAD.unpack_from(data)
    if len(data) != _HEAD.size + 2 * count:
        raise InvalidBinaryRepresentation("incorrect binary data format")
    if sign == _NAN:
        return Decimal("NaN")
    if sign in (_INFINITY, _MINUS_INFINITY):
        return Decimal("Infinity" if sign == _INFINITY else "-Infinity")
    if sign not in (_POSITIVE, _NEGATIVE):
        raise InvalidBinaryRepresentation('invalid sign in external "numeric" value')
    if scale > NUMERIC_SCALE_MAX:
        raise InvalidBinaryRepresentation('invalid scale in external "numeric" value')
    groups = struct.unpack_from(f"!{count}H", data, _HEAD.size)
    if any(group > 9999 for group in groups):
        raise InvalidBinaryRepresentation('invalid digit in external "numeric" value')
    number = Decimal((1 if sign else 0, tuple(map(int, "".join([f"{group:04d}" for group in groups]))) or (0,),
                      4 * (weight - count + 1)))
    value = number.quantize(Decimal((0, (1,), -scale)), rounding=ROUND_DOWN, context=EXACT)
    return value if value else value.copy_abs()
