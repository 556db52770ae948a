"""The binary form of arrays (PostgreSQL source, array_send).

Dimension count, NULL flag, the element's OID, (length, lower bound) per dimension, then the elements.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Any

from rocklake_server.errors import DatatypeMismatch, InvalidBinaryRepresentation, Unsupported

_HEAD = struct.Struct("!iii")
_BOUNDS = struct.Struct("!ii")
_LENGTH = struct.Struct("!i")
_NULL = b"\xff\xff\xff\xff"


def array_encoder(element_oid: int, encode: Callable[[Any], bytes], first: int = 1) -> Callable[[Any], bytes]:
    """Encoder of tuples whose elements ``encode`` renders; None is a NULL element. ``first`` is the lower bound."""

    def encode_array(values: tuple[Any, ...]) -> bytes:
        if not values and first:
            return _HEAD.pack(0, 0, element_oid)
        parts = [_HEAD.pack(1, int(None in values), element_oid), _BOUNDS.pack(len(values), first)]
        for value in values:
            if value is None:
                parts.append(_NULL)
            else:
                payload = encode(value)
                parts += (_LENGTH.pack(len(payload)), payload)
        return b"".join(parts)

    return encode_array


def array_decoder(
    element_oid: int, decode: Callable[[bytes], Any], first: int = 1
) -> Callable[[bytes], tuple[Any, ...]]:
    """Decoder to tuples. Raises 22P03 for malformed bytes, 42804 for another element type, 0A000 for other shapes."""

    def decode_array(data: bytes) -> tuple[Any, ...]:
        try:
            dimensions, flag, oid = _HEAD.unpack_from(data)
            if flag not in (0, 1):
                raise InvalidBinaryRepresentation("invalid array flags")
            if oid != element_oid:
                raise DatatypeMismatch("wrong element type")
            if dimensions == 0:
                return _exact((), _HEAD.size, data)
            if dimensions != 1:
                raise Unsupported("arrays of more than one dimension are not supported")
            count, lower = _BOUNDS.unpack_from(data, _HEAD.size)
            if lower != first:
                raise Unsupported(f"arrays with a lower bound other than {first} are not supported")
            return _elements(data, count, decode)
        except struct.error:
            raise InvalidBinaryRepresentation("incorrect binary data format") from None

    return decode_array


def _elements(data: bytes, count: int, decode: Callable[[bytes], Any]) -> tuple[Any, ...]:
    position = _HEAD.size + _BOUNDS.size
    if not 0 <= count <= (len(data) - position) // _LENGTH.size:
        raise InvalidBinaryRepresentation("incorrect binary data format")
    values: list[Any] = []
    for _ in range(count):
        (length,) = _LENGTH.unpack_from(data, position)
        position += _LENGTH.size
        if length == -1:
            values.append(None)
            continue
        if not 0 <= length <= len(data) - position:
            raise InvalidBinaryRepresentation("insufficient data left in message")
        values.append(decode(data[position : position + length]))
        position += length
    return _exact(tuple(values), position, data)


def _exact(values: tuple[Any, ...], position: int, data: bytes) -> tuple[Any, ...]:
    if position != len(data):
        raise InvalidBinaryRepresentation("incorrect binary data format")
    return values
