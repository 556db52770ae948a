"""Value conversions between types, as explicit casts do them.

Source: PostgreSQL manual, CREATE CAST. Zone-less and zoned timestamps meet in the session's zone.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal
from typing import Any, TypeAlias

from rocklake_server.errors import CannotCoerce, InvalidParameterValue, NumericOutOfRange, Unsupported
from rocklake_server.pgformat import json_parts
from rocklake_server.pgformat.numbers import decode_numeric, encode_double, encode_real, round_to_real
from rocklake_server.pgformat.text import session_text_decoder, session_text_encoder
from rocklake_server.pgformat.zones import Zone, session_zone
from rocklake_server.plan.type_rules import (
    INTEGER_BOUNDS,
    INTEGERS,
    OIDS,
    is_number,
    is_string,
)
from rocklake_server.schema.types import (
    BOOLEAN,
    BPCHAR,
    DATE,
    INTEGER,
    INTERVAL,
    JSON,
    JSONB,
    NUMERIC,
    REAL,
    TEXT,
    TIME,
    TIMESTAMP,
    TIMESTAMPTZ,
    TIMETZ,
    UNKNOWN,
    XID,
    ColumnType,
    Form,
    Value,
)

_JSON = frozenset({JSON.oid, JSONB.oid})

Convert: TypeAlias = Callable[[Any], Value]


DAY_US = 86_400_000_000
_INT64_MAX, _INT64_MIN = 2**63 - 1, -(2**63)
_INT32_MAX, _INT32_MIN = 2**31 - 1, -(2**31)


def _to_integer(target: ColumnType) -> Convert:
    least, greatest = INTEGER_BOUNDS.get(target.oid, (0, 2**32 - 1))
    name = "OID" if target.oid in OIDS else target.name

    def convert(value: int | float | Decimal) -> int:
        if isinstance(value, Decimal):
            if not value.is_finite():
                kind = "NaN" if value.is_nan() else "infinity"
                raise NumericOutOfRange(f"cannot convert {kind} to {name}")
            value = int(value.to_integral_value(ROUND_HALF_UP))
        elif isinstance(value, float):
            if value != value or value in (float("inf"), float("-inf")):
                raise NumericOutOfRange(f"{name} out of range")
            value = int(Decimal(value).to_integral_value(ROUND_HALF_EVEN))
        if not least <= value <= greatest:
            raise NumericOutOfRange(f"{name} out of range")
        return value

    return convert


def _to_float(target: ColumnType) -> Convert:
    def convert(value: int | float | Decimal) -> float:
        try:
            number = round_to_real(float(value)) if target.oid == REAL.oid else float(value)
        except OverflowError:
            raise NumericOutOfRange("value out of range: overflow") from None
        if isinstance(value, Decimal) and value.is_finite() and number in (float("inf"), float("-inf")):
            raise NumericOutOfRange("value out of range: overflow")
        return number

    return convert


def _float_to_numeric(source: ColumnType) -> Convert:
    digits = 6 if source.oid == REAL.oid else 15

    def convert(value: float) -> Decimal:
        if value != value or value in (float("inf"), float("-inf")):
            return Decimal(encode_double(value))
        shortest = Decimal(f"{value:.{digits - 1}e}").normalize()
        return Decimal(int(shortest)) if shortest == shortest.to_integral_value() else shortest

    return convert


def _number(source: ColumnType, target: ColumnType) -> Convert | None:
    """Between the number types, object identifiers included."""
    if target.oid in INTEGERS or target.oid in OIDS or target.oid == XID.oid:
        return _to_integer(target)
    if source.oid in OIDS:
        return None
    if target.form is Form.FLOAT:
        return _to_float(target)
    return _float_to_numeric(source) if source.form is Form.FLOAT else Decimal


def _date_to_timestamp(days: int) -> int:
    if days == _INT32_MAX:
        return _INT64_MAX
    return _INT64_MIN if days == _INT32_MIN else days * DAY_US


def _timestamp_to_date(moment: int) -> int:
    if moment == _INT64_MAX:
        return _INT32_MAX
    return _INT32_MIN if moment == _INT64_MIN else moment // DAY_US


def _infinite(moment: int) -> bool:
    return moment in (_INT64_MIN, _INT64_MAX)


_MOMENTS: dict[tuple[int, int], Callable[[Any], Any]] = {
    (DATE.oid, TIMESTAMP.oid): _date_to_timestamp,
    (DATE.oid, TIMESTAMPTZ.oid): _date_to_timestamp,
    (TIMESTAMP.oid, DATE.oid): _timestamp_to_date,
    (TIMESTAMPTZ.oid, DATE.oid): _timestamp_to_date,
    (TIMESTAMP.oid, TIMESTAMPTZ.oid): lambda moment: moment,
    (TIMESTAMPTZ.oid, TIMESTAMP.oid): int,
    (TIMESTAMP.oid, TIME.oid): lambda moment: None if _infinite(moment) else moment % DAY_US,
    (TIMESTAMPTZ.oid, TIME.oid): lambda moment: None if _infinite(moment) else moment % DAY_US,
    (TIMESTAMPTZ.oid, TIMETZ.oid): lambda moment: None if _infinite(moment) else (moment % DAY_US, 0),
    (TIME.oid, TIMETZ.oid): lambda clock: (clock, 0),
    (TIMETZ.oid, TIME.oid): lambda clock: clock[0],
    (TIME.oid, INTERVAL.oid): lambda clock: (0, 0, clock),
    (INTERVAL.oid, TIME.oid): lambda interval: interval[2] % DAY_US,
    (BOOLEAN.oid, INTEGER.oid): int,
    (INTEGER.oid, BOOLEAN.oid): bool,
}


def _moment(source: ColumnType, target: ColumnType) -> Convert | None:
    """Between dates and times; with time zones by way of what the session's clock shows. Raises Unsupported."""
    found, zone = _MOMENTS.get((source.oid, target.oid)), session_zone()
    if found is None or zone is None:
        return found
    if target.oid == TIMETZ.oid:
        return _with_offset(source, zone)
    if source.oid == TIMESTAMPTZ.oid:
        return lambda moment: found(zone.local(moment))
    if target.oid == TIMESTAMPTZ.oid:
        return lambda value: zone.moment(found(value))
    return found


def _with_offset(source: ColumnType, zone: Zone) -> Convert:
    if source.oid != TIMESTAMPTZ.oid:
        raise Unsupported("a time without its offset is supported in sessions in UTC only")

    def convert(moment: int) -> Value:
        return None if _infinite(moment) else (zone.local(moment) % DAY_US, -zone.east_at(moment))

    return convert


def _from_jsonb(target: ColumnType) -> Convert:
    wanted = "boolean" if target.oid == BOOLEAN.oid else "number"
    number = None if target.oid == NUMERIC.oid or wanted == "boolean" else _number(NUMERIC, target)

    def convert(text: str) -> Value:
        kind = json_parts.kind_of(text)
        if kind != wanted:
            named = {"number": "numeric"}.get(kind, kind)
            raise InvalidParameterValue(f"cannot cast jsonb {named} to type {target.name}")
        if wanted == "boolean":
            return text == "true"
        value = decode_numeric(text)
        return value if number is None else number(value)

    return convert


def render(kind: ColumnType) -> Convert:
    """The cast of ``kind`` to text."""
    if kind.oid == BOOLEAN.oid:
        return lambda value: "true" if value else "false"
    if kind.oid == BPCHAR.oid:
        return lambda value: value.rstrip(" ")
    if is_string(kind) or kind.oid == UNKNOWN.oid:
        return lambda value: value
    if kind.oid == REAL.oid:
        return encode_real
    return session_text_encoder(kind)


def conversion(source: ColumnType, target: ColumnType) -> Convert:
    """The value conversion of an explicit cast, without the target's modifier. Raises CannotCoerce."""
    if source.oid == target.oid:
        return lambda value: value
    from_json = source.oid in _JSON and target.oid in _JSON
    if source.oid == UNKNOWN.oid or (is_string(source) and not is_string(target)) or from_json:
        return session_text_decoder(target.with_typmod(-1))
    if is_string(target):
        to_text = render(source)
        if target.oid == TEXT.oid or target.typname in ("varchar", "bpchar"):
            return to_text
        decode = session_text_decoder(target)
        return lambda value: decode(str(to_text(value)))
    found: Convert | None = None
    if source.oid == JSONB.oid and (is_number(target) or target.oid == BOOLEAN.oid):
        found = _from_jsonb(target)
    elif (is_number(source) or source.oid in OIDS) and (is_number(target) or target.oid in OIDS):
        found = _number(source, target)
    elif source.form is Form.ARRAY and target.form is Form.ARRAY and source.element and target.element:
        inner = conversion(source.element, target.element)
        return lambda values: tuple(None if value is None else inner(value) for value in values)
    found = found or _moment(source, target)
    if found is None:
        raise CannotCoerce(f"cannot cast type {source.name} to {target.name}")
    return found
