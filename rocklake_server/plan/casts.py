"""Conversions between types: explicit casts, assignment casts and the reading of untyped literals.

Source: PostgreSQL manual, CREATE CAST and Type Conversion. Zone-less and zoned timestamps meet in UTC.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from decimal import ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal
from typing import Any, TypeAlias

from rocklake_server.errors import CannotCoerce, DatatypeMismatch, NumericOutOfRange, UndefinedTable
from rocklake_server.pgformat.numbers import encode_double, encode_real, round_to_real
from rocklake_server.pgformat.coerce import coerce
from rocklake_server.pgformat.text import text_decoder, text_encoder
from rocklake_server.plan.expressions import Constant, Contextual, Expr, Parameter, Slot, Strict
from rocklake_server.plan.relation_names import relation_oid
from rocklake_server.plan.type_rules import (
    INTEGER_BOUNDS,
    INTEGERS,
    OIDS,
    assignable,
    is_number,
    is_string,
)
from rocklake_server.schema.types import (
    BOOLEAN,
    BPCHAR,
    DATE,
    INTEGER,
    INTERVAL,
    NUMERIC,
    REAL,
    REGCLASS,
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
            number = float(value)
            return round_to_real(number) if target.oid == REAL.oid else number
        except OverflowError:
            raise NumericOutOfRange("value out of range: overflow") from None

    return convert


def _float_to_numeric(source: ColumnType) -> Convert:
    digits = 6 if source.oid == REAL.oid else 15

    def convert(value: float) -> Decimal:
        if value != value or value in (float("inf"), float("-inf")):
            return Decimal(encode_double(value))
        shortest = Decimal(f"{value:.{digits - 1}e}").normalize()
        return shortest.quantize(Decimal(1)) if shortest.as_tuple().exponent > 0 else shortest  # type: ignore[operator]

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


_MOMENTS: dict[tuple[int, int], Convert] = {
    (DATE.oid, TIMESTAMP.oid): _date_to_timestamp,
    (DATE.oid, TIMESTAMPTZ.oid): _date_to_timestamp,
    (TIMESTAMP.oid, DATE.oid): _timestamp_to_date,
    (TIMESTAMPTZ.oid, DATE.oid): _timestamp_to_date,
    (TIMESTAMP.oid, TIMESTAMPTZ.oid): lambda moment: moment,
    (TIMESTAMPTZ.oid, TIMESTAMP.oid): int,
    (TIMESTAMP.oid, TIME.oid): lambda moment: moment % DAY_US,
    (TIMESTAMPTZ.oid, TIME.oid): lambda moment: moment % DAY_US,
    (TIMESTAMPTZ.oid, TIMETZ.oid): lambda moment: (moment % DAY_US, 0),
    (TIME.oid, TIMETZ.oid): lambda clock: (clock, 0),
    (TIMETZ.oid, TIME.oid): lambda clock: clock[0],
    (TIME.oid, INTERVAL.oid): lambda clock: (0, 0, clock),
    (INTERVAL.oid, TIME.oid): lambda interval: interval[2] % DAY_US,
    (BOOLEAN.oid, INTEGER.oid): int,
    (INTEGER.oid, BOOLEAN.oid): bool,
}


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
    return text_encoder(kind)


def conversion(source: ColumnType, target: ColumnType) -> Convert:
    """The value conversion of an explicit cast, without the target's modifier. Raises CannotCoerce."""
    if source.oid == target.oid:
        return lambda value: value
    if source.oid == UNKNOWN.oid or (is_string(source) and not is_string(target)):
        return text_decoder(target.with_typmod(-1))
    if is_string(target):
        to_text = render(source)
        if target.oid == TEXT.oid or target.typname in ("varchar", "bpchar"):
            return to_text
        decode = text_decoder(target)
        return lambda value: decode(to_text(value))
    found: Convert | None = None
    if (is_number(source) or source.oid in OIDS) and (is_number(target) or target.oid in OIDS):
        found = _number(source, target)
    elif source.form is Form.ARRAY and target.form is Form.ARRAY and source.element and target.element:
        inner = conversion(source.element, target.element)
        return lambda values: tuple(None if value is None else inner(value) for value in values)
    found = found or _MOMENTS.get((source.oid, target.oid))
    if found is None:
        raise CannotCoerce(f"cannot cast type {source.name} to {target.name}")
    return found


def _modifier(target: ColumnType, *, explicit: bool) -> Convert | None:
    """What applies the target's length, precision or scale; an explicit cast cuts strings silently."""
    if target.typmod == -1:
        return None
    if explicit and target.form is Form.TEXT:
        length, pads = target.typmod - 4, target.oid == BPCHAR.oid
        return lambda value: value[:length].ljust(length) if pads else value[:length]
    return coerce(target)


def converter(source: ColumnType, target: ColumnType, *, explicit: bool) -> Convert | None:
    """Conversion and modifier in one function; ``None`` when nothing is to be done."""
    modify = None if source == target else _modifier(target, explicit=explicit)
    if source.oid == target.oid:
        return modify
    convert = conversion(source, target)
    return convert if modify is None else (lambda value: modify(convert(value)))


def read_untyped(node: Expr, target: ColumnType) -> Expr:
    """An untyped literal, NULL or parameter as ``target``."""
    bare = target.with_typmod(-1)
    if isinstance(node, Parameter):
        node.types.decide(node.number, bare)
        return replace(node, type=bare)
    if isinstance(node, Constant) and node.content is None:
        return Constant(bare, None)
    if target.oid == REGCLASS.oid:
        return Contextual(target, relation_oid, (node,))
    decode = text_decoder(bare)
    if isinstance(node, Constant):
        assert isinstance(node.content, str)
        return Constant(bare, decode(node.content))
    return Strict(bare, decode, (node,))


def cast(node: Expr, target: ColumnType) -> Expr:
    """``CAST(node AS target)``."""
    if node.type.oid == UNKNOWN.oid:
        node = read_untyped(node, target)
    elif target.oid == REGCLASS.oid and is_string(node.type):
        return Contextual(target, relation_oid, (node,))
    return _converted(node, target, explicit=True)


def implicit(node: Expr, target: ColumnType) -> Expr:
    """``node`` as ``target`` where type resolution chose that type."""
    if node.type.oid == UNKNOWN.oid:
        return read_untyped(node, target)
    return _converted(node, target, explicit=False)


def assign(node: Expr, target: ColumnType, column: str) -> Expr:
    """``node`` stored in a column. Raises DatatypeMismatch."""
    if node.type.oid == UNKNOWN.oid:
        node = read_untyped(node, target)
    if not assignable(node.type, target):
        raise DatatypeMismatch(
            f'column "{column}" is of type {target.name} but expression is of type {node.type.name}',
            hint="You will need to rewrite or cast the expression.",
        )
    return _converted(node, target, explicit=False)


def _converted(node: Expr, target: ColumnType, *, explicit: bool) -> Expr:
    if node.type == target:
        return node
    function = converter(node.type, target, explicit=explicit)
    if function is None:
        return retyped(node, target)
    if isinstance(node, Constant):
        return Constant(target, None if node.content is None else function(node.content))
    return Strict(target, function, (node,))


def retyped(node: Expr, target: ColumnType) -> Expr:
    """The same values under another name."""
    if isinstance(node, Slot | Constant):
        return replace(node, type=target)
    return Strict(target, lambda value: value, (node,))


__all__ = ["NUMERIC", "Convert", "assign", "cast", "conversion", "converter", "implicit", "read_untyped", "render"]
