"""Binary codecs of every column type: what PostgreSQL's send and receive functions do.

A payload has no length word. Decoders check the length exactly and raise ``InvalidBinaryRepresentation``.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from functools import cache
from typing import Any

from rocklake_server.errors import DatetimeOverflow, InvalidBinaryRepresentation
from rocklake_server.pgformat.binary_array import array_decoder, array_encoder
from rocklake_server.pgformat.binary_numeric import decode_numeric, encode_numeric
from rocklake_server.pgformat.coerce import coerce, fits_any_typmod
from rocklake_server.pgformat.datetimes import MICROS_PER_DAY, check_date, check_timestamp
from rocklake_server.pgformat.json_text import decode_json, decode_jsonb, encode_jsonb
from rocklake_server.pgformat.strings import decode_utf8, truncate_name
from rocklake_server.schema.types import ALL_TYPES, VECTORS, ColumnType, Form

BinaryEncoder = Callable[[Any], bytes]
BinaryDecoder = Callable[[bytes], Any]

_INT2, _INT4, _INT8 = struct.Struct("!h"), struct.Struct("!i"), struct.Struct("!q")
_UINT4, _FLOAT4, _FLOAT8 = struct.Struct("!I"), struct.Struct("!f"), struct.Struct("!d")
_TIMETZ, _INTERVAL = struct.Struct("!qi"), struct.Struct("!qii")
_ZONE_SECONDS_MAX = 16 * 3600 - 1

STRUCT_CODES: dict[str, str] = {
    "bool": "?", "int2": "h", "int4": "i", "int8": "q", "oid": "I", "xid": "I", "regclass": "I", "regtype": "I",
    "regproc": "I", "regprocedure": "I", "regoper": "I", "regoperator": "I", "regnamespace": "I", "regrole": "I",
    "float4": "f", "float8": "d", "date": "i", "time": "q", "timestamp": "q", "timestamptz": "q",
}
"""Types whose payload is one field of the struct module, with its format character."""


def incorrect() -> InvalidBinaryRepresentation:
    """PostgreSQL's 22P03 for a payload of the wrong length."""
    return InvalidBinaryRepresentation("incorrect binary data format")


def _fixed_decoder(layout: struct.Struct) -> BinaryDecoder:
    unpack, size = layout.unpack, layout.size

    def decode(data: bytes) -> Any:
        if len(data) != size:
            raise incorrect()
        return unpack(data)[0]

    return decode


def _decode_bool(data: bytes) -> bool:
    if len(data) != 1:
        raise incorrect()
    return data[0] != 0


def _checked(decode: BinaryDecoder, check: Callable[[Any], Any]) -> BinaryDecoder:
    return lambda data: check(decode(data))


def _check_time(micros: int) -> int:
    if 0 <= micros <= MICROS_PER_DAY:
        return micros
    raise DatetimeOverflow("time out of range")


def _encode_timetz(value: tuple[int, int]) -> bytes:
    return _TIMETZ.pack(*value)


def _decode_timetz(data: bytes) -> tuple[int, int]:
    if len(data) != _TIMETZ.size:
        raise incorrect()
    micros, west = _TIMETZ.unpack(data)
    if abs(west) > _ZONE_SECONDS_MAX:
        raise DatetimeOverflow("time zone displacement out of range")
    return _check_time(micros), west


def _encode_interval(value: tuple[int, int, int]) -> bytes:
    months, days, micros = value
    return _INTERVAL.pack(micros, days, months)


def _decode_interval(data: bytes) -> tuple[int, int, int]:
    if len(data) != _INTERVAL.size:
        raise incorrect()
    micros, days, months = _INTERVAL.unpack(data)
    return months, days, micros


def _encode_tid(value: int) -> bytes:
    return value.to_bytes(6, "big")


def _decode_tid(data: bytes) -> int:
    if len(data) != 6:
        raise incorrect()
    return int.from_bytes(data, "big")


def _encode_char(value: str) -> bytes:
    return value.encode("ascii") or b"\0"


def _decode_char(data: bytes) -> str:
    if len(data) != 1 or data[0] > 127:
        raise incorrect()
    return "" if data == b"\0" else chr(data[0])


def _decode_uuid(data: bytes) -> bytes:
    if len(data) != 16:
        raise incorrect()
    return bytes(data)


def _void_payload(_: object) -> bytes:
    return b""


def _decode_name(data: bytes) -> str:
    return truncate_name(decode_utf8(data))


_TEXT: tuple[BinaryEncoder, BinaryDecoder] = (str.encode, decode_utf8)
_OID: tuple[BinaryEncoder, BinaryDecoder] = (_UINT4.pack, _fixed_decoder(_UINT4))
_TIMESTAMP: tuple[BinaryEncoder, BinaryDecoder] = (_INT8.pack, _checked(_fixed_decoder(_INT8), check_timestamp))
_CODECS: dict[str, tuple[BinaryEncoder, BinaryDecoder]] = {
    "bool": (struct.Struct("!?").pack, _decode_bool),
    "bytea": (bytes, bytes),
    "char": (_encode_char, _decode_char),
    "name": (str.encode, _decode_name),
    "int8": (_INT8.pack, _fixed_decoder(_INT8)),
    "int2": (_INT2.pack, _fixed_decoder(_INT2)),
    "int4": (_INT4.pack, _fixed_decoder(_INT4)),
    "regproc": _OID,
    "text": _TEXT,
    "oid": _OID,
    "tid": (_encode_tid, _decode_tid),
    "xid": _OID,
    "float4": (_FLOAT4.pack, _fixed_decoder(_FLOAT4)),
    "float8": (_FLOAT8.pack, _fixed_decoder(_FLOAT8)),
    "unknown": _TEXT,
    "bpchar": _TEXT,
    "varchar": _TEXT,
    "date": (_INT4.pack, _checked(_fixed_decoder(_INT4), check_date)),
    "time": (_INT8.pack, _checked(_fixed_decoder(_INT8), _check_time)),
    "timestamp": _TIMESTAMP,
    "timestamptz": _TIMESTAMP,
    "interval": (_encode_interval, _decode_interval),
    "timetz": (_encode_timetz, _decode_timetz),
    "numeric": (encode_numeric, decode_numeric),
    "regclass": _OID,
    "regtype": _OID,
    **dict.fromkeys(("regprocedure", "regoper", "regoperator", "regnamespace", "regrole"), _OID),
    "void": (_void_payload, decode_utf8),
    "uuid": (bytes, _decode_uuid),
    "json": (str.encode, decode_json),
    "jsonb": (encode_jsonb, decode_jsonb),
}

_missing = [t.name for t in ALL_TYPES if t.form is not Form.ARRAY and t.typname not in _CODECS]
if _missing:
    raise ValueError(f"types without a binary codec: {_missing}")


@cache
def binary_encoder(column_type: ColumnType) -> BinaryEncoder:
    """The function from a value (not None) to its payload. Values must fit the type: see ``coerce``."""
    if column_type.element is not None:
        first = int(column_type not in VECTORS)
        return array_encoder(column_type.element.oid, binary_encoder(column_type.element), first)
    return _CODECS[column_type.typname][0]


@cache
def binary_decoder(column_type: ColumnType) -> BinaryDecoder:
    """The function from a payload to a value that fits the type's modifier.

    Raises ``InvalidBinaryRepresentation`` for a wrong length, ``CharacterNotInRepertoire`` for text that is not
    UTF-8, and the errors of ``coerce``.
    """
    if column_type.element is not None:
        first = int(column_type not in VECTORS)
        return array_decoder(column_type.element.oid, binary_decoder(column_type.element), first)
    decode = _CODECS[column_type.typname][1]
    return decode if fits_any_typmod(column_type) else _checked(decode, coerce(column_type))
