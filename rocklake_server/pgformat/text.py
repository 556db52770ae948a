"""Text codecs of every column type: what PostgreSQL's output and input functions do.

``None`` (SQL NULL) never reaches a codec except inside arrays. Registered types (regclass, regproc, regtype)
are numbers here: turning a relation's name into its OID needs a catalog.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, lru_cache
from typing import Any

from rocklake_server.errors import UndefinedFunction, UndefinedObject, UndefinedTable
from rocklake_server.pgformat import arrays, datetime_input, datetimes, integers, json_text, numbers, strings
from rocklake_server.pgformat.coerce import coerce, fits_any_typmod
from rocklake_server.pgformat.interval_input import decode_interval
from rocklake_server.pgformat.zones import SESSION_ZONE, Zone
from rocklake_server.schema.types import (
    ALL_TYPES,
    BY_NAME,
    BY_OID,
    TIMESTAMPTZ,
    TIMETZ,
    VECTORS,
    ColumnType,
    Form,
    NamedOid,
)

TextEncoder = Callable[[Any], str]
TextDecoder = Callable[[str], Any]


def _regtype_text(oid: int) -> str:
    if oid == 0 or isinstance(oid, NamedOid):
        return _registered_text(oid)
    known = BY_OID.get(oid)
    return str(oid) if known is None else known.name


def _registered_text(oid: int) -> str:
    if isinstance(oid, NamedOid):
        return oid.name
    return str(oid) if oid else "-"


def _registered_decoder(type_name: str) -> TextDecoder:
    """Numbers and ``-``; a known type's name for regtype. Raises 42P01, 42883 or 42704 for other names."""
    decode_number = integers.unsigned_decoder("oid")

    def decode(text: str) -> int:
        stripped = text.strip(integers.SPACES)
        if stripped == "-":
            return 0
        if stripped.isascii() and stripped.isdigit():
            return decode_number(stripped)
        if type_name == "regclass":
            raise UndefinedTable(f'relation "{stripped}" does not exist')
        if type_name == "regproc":
            raise UndefinedFunction(f'function "{stripped}" does not exist')
        if type_name != "regtype":
            raise UndefinedObject(f'"{stripped}" is no name of a {type_name} here')
        known = BY_NAME.get(stripped.lower())
        if known is None:
            raise UndefinedObject(f'type "{stripped}" does not exist')
        return known.oid

    return decode


def _discard(_: str) -> str:
    return ""


def _void_text(_: object) -> str:
    return ""


_CODECS: dict[str, tuple[TextEncoder, TextDecoder]] = {
    "bool": (strings.encode_bool, strings.decode_bool),
    "bytea": (strings.encode_bytea, strings.decode_bytea),
    "char": (str, strings.decode_char),
    "name": (str, strings.truncate_name),
    "int8": (str, integers.integer_decoder("bigint")),
    "int2": (str, integers.integer_decoder("smallint")),
    "int4": (str, integers.integer_decoder("integer")),
    "regproc": (_registered_text, _registered_decoder("regproc")),
    "text": (str, strings.check_text),
    "oid": (str, integers.unsigned_decoder("oid")),
    "tid": (strings.encode_tid, strings.decode_tid),
    "xid": (str, integers.unsigned_decoder("xid")),
    "float4": (numbers.encode_real, numbers.decode_real),
    "float8": (numbers.encode_double, numbers.decode_double),
    "unknown": (str, strings.check_text),
    "bpchar": (str, strings.check_text),
    "varchar": (str, strings.check_text),
    "date": (datetimes.encode_date, datetime_input.decode_date),
    "time": (datetimes.encode_time, datetime_input.decode_time),
    "timestamp": (
        datetimes.timestamp_encoder(""),
        datetime_input.timestamp_decoder("timestamp", zoned=False),
    ),
    "timestamptz": (
        datetimes.timestamp_encoder("+00"),
        datetime_input.timestamp_decoder("timestamp with time zone", zoned=True),
    ),
    "interval": (datetimes.encode_interval, decode_interval),
    "timetz": (datetimes.encode_timetz, datetime_input.decode_timetz),
    "numeric": (numbers.encode_numeric, numbers.decode_numeric),
    "regclass": (_registered_text, _registered_decoder("regclass")),
    "regtype": (_regtype_text, _registered_decoder("regtype")),
    **{name: (_registered_text, _registered_decoder(name)) for name in ("regprocedure", "regnamespace", "regrole")},
    **{name: (str, _registered_decoder(name)) for name in ("regoper", "regoperator")},
    "void": (_void_text, _discard),
    "uuid": (strings.encode_uuid, strings.decode_uuid),
    "json": (str, json_text.check_json),
    "jsonb": (str, json_text.jsonb_text),
}

_missing = [t.name for t in ALL_TYPES if t.form is not Form.ARRAY and t.typname not in _CODECS]
if _missing:
    raise ValueError(f"types without a text codec: {_missing}")


@cache
def text_encoder(column_type: ColumnType) -> TextEncoder:
    """The function from a value (not None) to PostgreSQL's text output."""
    if column_type.element is not None:
        encode = text_encoder(column_type.element)
        return arrays.vector_encoder(encode) if column_type in VECTORS else arrays.array_encoder(encode)
    return _CODECS[column_type.typname][0]


@cache
def text_decoder(column_type: ColumnType) -> TextDecoder:
    """The function from text to a value that fits the type's modifier.

    It raises ``InvalidTextRepresentation``, ``InvalidDatetime``, ``DatetimeOverflow``, ``NumericOutOfRange``,
    ``StringTooLong`` and, rarely, others of ``rocklake_server.errors``, with PostgreSQL's wording.
    """
    if column_type.element is not None:
        element = text_decoder(column_type.element)
        return arrays.vector_decoder(element) if column_type in VECTORS else arrays.array_decoder(element)
    decode = _CODECS[column_type.typname][1]
    if fits_any_typmod(column_type):
        return decode
    fit = coerce(column_type)
    return lambda text: fit(decode(text))


def session_text_encoder(column_type: ColumnType) -> TextEncoder:
    """As ``text_encoder``, in the session's time zone."""
    zone = SESSION_ZONE.get()
    return text_encoder(column_type) if zone is None else _encoder_in(column_type, zone)


def session_text_decoder(column_type: ColumnType) -> TextDecoder:
    """As ``text_decoder``; times without an offset are in the session's time zone."""
    zone = SESSION_ZONE.get()
    return text_decoder(column_type) if zone is None else _decoder_in(column_type, zone)


@lru_cache(maxsize=1024)
def _encoder_in(column_type: ColumnType, zone: Zone) -> TextEncoder:
    if column_type.element is not None and column_type not in VECTORS:
        return arrays.array_encoder(_encoder_in(column_type.element, zone))
    return datetimes.timestamp_encoder_in(zone) if column_type.oid == TIMESTAMPTZ.oid else text_encoder(column_type)


@lru_cache(maxsize=1024)
def _decoder_in(column_type: ColumnType, zone: Zone) -> TextDecoder:
    if column_type.element is not None and column_type not in VECTORS:
        return arrays.array_decoder(_decoder_in(column_type.element, zone))
    if column_type.oid == TIMETZ.oid:
        decode: TextDecoder = datetime_input.decode_timetz_in_zone
    elif column_type.oid == TIMESTAMPTZ.oid:
        decode = datetime_input.timestamp_decoder(TIMESTAMPTZ.name, zoned=True, zone=zone)
    else:
        return text_decoder(column_type)
    if fits_any_typmod(column_type):
        return decode
    fit = coerce(column_type)
    return lambda text: fit(decode(text))
