"""Values on their way into the embedded engine and out of it: one engine type and one Arrow type per column type.

Numerics travel as their text, since their scale is part of the value; uuids as their 16 bytes, which order as uuids do;
object identifiers and ctids as 64-bit numbers. Times are in UTC, as the server stores them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

from rocklake_server.errors import Unsupported
from rocklake_server.pgformat.datetimes import (
    DATE_INFINITY,
    DATE_MINUS_INFINITY,
    TIMESTAMP_INFINITY,
    TIMESTAMP_MINUS_INFINITY,
)
from rocklake_server.pgformat.numbers import decode_numeric, encode_numeric
from rocklake_server.pgformat.zones import session_zone
from rocklake_server.schema.types import BIGINT, DOUBLE, INTEGER, SMALLINT, TIMESTAMPTZ, ColumnType, Form, Value

EPOCH_DAYS = 10_957
"""Days from 1970-01-01, the engine's day 0, to 2000-01-01."""

EPOCH_US = EPOCH_DAYS * 86_400_000_000
_INT64_MAX = 2**63 - 1
_INT32_MAX = 2**31 - 1

_ENGINE_TYPES = {
    Form.BOOL: "BOOLEAN", Form.FLOAT: "FLOAT", Form.NUMERIC: "VARCHAR", Form.TEXT: "VARCHAR", Form.BYTES: "BLOB",
    Form.UUID: "BLOB", Form.TIMESTAMP: "TIMESTAMP", Form.DATE: "DATE", Form.TIME: "TIME", Form.INTERVAL: "INTERVAL",
    Form.TID: "BIGINT", Form.INT: "BIGINT",
}
_BY_OID = {SMALLINT.oid: "SMALLINT", INTEGER.oid: "INTEGER", BIGINT.oid: "BIGINT", DOUBLE.oid: "DOUBLE"}


def engine_type(kind: ColumnType) -> str:
    """The engine's type for values of ``kind``. Raises Unsupported."""
    if kind.element is not None:
        return f"{engine_type(kind.element)}[]"
    found = _BY_OID.get(kind.oid) or _ENGINE_TYPES.get(kind.form)
    if found is None:
        raise Unsupported(f"type {kind.name} is not supported in a statement of this kind")
    return found


def refuse_zone(kind: ColumnType, what: str) -> None:
    """What the engine adds to a timestamptz is in UTC. Raises Unsupported in a session that is not."""
    if kind.oid == TIMESTAMPTZ.oid and session_zone() is not None:
        raise Unsupported(f"{what} {kind.name} is supported in sessions in UTC only")


def owned(call: str, kind: ColumnType) -> str:
    """A function's call, its texts copied to memory of the engine's own: CASE and COALESCE keep pointers to texts that
    Arrow holds, and not Arrow's arrays."""
    found = engine_type(kind)
    if found == "VARCHAR":
        return f"({call} || '')"
    return f"({call} || CAST('' AS BLOB))" if found == "BLOB" else call


@cache
def _storage(kind: ColumnType) -> tuple[Any, Any]:
    """(Arrow type that Python's numbers and texts become, Arrow type that the engine reads)."""
    import pyarrow as pa

    if kind.element is not None:
        stored, final = _storage(kind.element)
        return pa.list_(stored), pa.list_(final)
    by_oid = {SMALLINT.oid: pa.int16(), INTEGER.oid: pa.int32(), BIGINT.oid: pa.int64(), DOUBLE.oid: pa.float64()}
    by_form = {
        Form.BOOL: (pa.bool_(), pa.bool_()), Form.FLOAT: (pa.float32(), pa.float32()),
        Form.NUMERIC: (pa.string(), pa.string()), Form.TEXT: (pa.string(), pa.string()),
        Form.BYTES: (pa.binary(), pa.binary()), Form.UUID: (pa.binary(), pa.binary()),
        Form.TIMESTAMP: (pa.int64(), pa.timestamp("us")), Form.DATE: (pa.int32(), pa.date32()),
        Form.TIME: (pa.int64(), pa.time64("us")), Form.TID: (pa.int64(), pa.int64()),
        Form.INT: (pa.int64(), pa.int64()),
        Form.INTERVAL: (pa.month_day_nano_interval(), pa.month_day_nano_interval()),
    }
    if kind.oid in by_oid:
        return by_oid[kind.oid], by_oid[kind.oid]
    if kind.form not in by_form:
        raise Unsupported(f"type {kind.name} is not supported in a statement of this kind")
    return by_form[kind.form]


def _timestamp_in(moment: int) -> int:
    if moment == TIMESTAMP_INFINITY:
        return _INT64_MAX
    if moment == TIMESTAMP_MINUS_INFINITY:
        return -_INT64_MAX
    moved = moment + EPOCH_US
    if moved >= _INT64_MAX:
        raise Unsupported("a timestamp after the year 294246 is not supported in a statement of this kind")
    return moved


def _timestamp_out(moment: int) -> int:
    if moment == _INT64_MAX:
        return TIMESTAMP_INFINITY
    return TIMESTAMP_MINUS_INFINITY if moment == -_INT64_MAX else moment - EPOCH_US


def _date_in(days: int) -> int:
    if days == DATE_INFINITY:
        return _INT32_MAX
    return -_INT32_MAX if days == DATE_MINUS_INFINITY else days + EPOCH_DAYS


def _date_out(days: int) -> int:
    if days == _INT32_MAX:
        return DATE_INFINITY
    return DATE_MINUS_INFINITY if days == -_INT32_MAX else days - EPOCH_DAYS


def _interval_in(interval: tuple[int, int, int]) -> tuple[int, int, int]:
    months, days, micros = interval
    if not -(2**63) <= micros * 1000 < 2**63:
        raise Unsupported("an interval with a time of more than 292 years is not supported in a statement of this kind")
    return months, days, micros * 1000


def _interval_out(interval: tuple[int, int, int]) -> tuple[int, int, int]:
    months, days, nanos = interval
    return months, days, nanos // 1000


_IN: dict[Form, Callable[[Any], Any]] = {
    Form.TIMESTAMP: _timestamp_in, Form.DATE: _date_in, Form.INTERVAL: _interval_in, Form.NUMERIC: encode_numeric,
}
_OUT: dict[Form, Callable[[Any], Any]] = {
    Form.TIMESTAMP: _timestamp_out, Form.DATE: _date_out, Form.INTERVAL: _interval_out, Form.NUMERIC: decode_numeric,
}


def _converted(kind: ColumnType, table: dict[Form, Callable[[Any], Any]], make: type) -> Callable[[Any], Any] | None:
    """What converts one value that is not NULL; ``None`` when nothing is to be done."""
    if kind.element is None:
        return table.get(kind.form)
    inner = _converted(kind.element, table, make)
    if inner is None:
        return make
    return lambda items: make(None if item is None else inner(item) for item in items)


def to_arrow(values: Sequence[Value], kind: ColumnType) -> Any:
    """Values as an Arrow array. Raises Unsupported for values that the engine does not have."""
    import pyarrow as pa

    stored, final = _storage(kind)
    convert = _converted(kind, _IN, list)
    content = values if convert is None else [None if value is None else convert(value) for value in values]
    array = pa.array(content, stored)
    return array if final == stored else array.cast(final)


def from_arrow(array: Any, kind: ColumnType) -> list[Value]:
    """The values of an Arrow array that the engine made."""
    stored, final = _storage(kind)
    content = (array if final == stored else array.cast(stored)).to_pylist()
    convert = _converted(kind, _OUT, tuple)
    return content if convert is None else [None if value is None else convert(value) for value in content]


def argument(value: Value, kind: ColumnType) -> Any:
    """A value as it is bound to a parameter of the engine; ``argument_sql`` says what is made of it there."""
    if value is None:
        return None
    if kind.element is not None:
        element = kind.element
        assert isinstance(value, tuple)
        return [argument(item, element) for item in value]
    if kind.form is Form.INTERVAL:
        assert isinstance(value, tuple)
        months, days, micros = value
        return f"{months!r} months {days!r} days {micros!r} microseconds"
    if kind.form is Form.TIME:
        assert isinstance(value, int)
        seconds, micros = divmod(value, 1_000_000)
        return f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}.{micros:06}"
    if kind.form in (Form.TIMESTAMP, Form.DATE):
        assert isinstance(value, int)
        return _IN[kind.form](value)
    return _IN[kind.form](value) if kind.form in _IN else value


def argument_sql(name: str, kind: ColumnType) -> str:
    """The engine's expression for the parameter ``name``."""
    if kind.element is not None:
        if kind.element.form in (Form.TIMESTAMP, Form.DATE):
            raise Unsupported(f"a constant of type {kind.name} is not supported in a statement of this kind")
        return f"CAST(${name} AS {engine_type(kind)})"
    if kind.form is Form.TIMESTAMP:
        return _with_infinities(f"CAST(${name} AS BIGINT)", _INT64_MAX, "TIMESTAMP", "make_timestamp({})")
    if kind.form is Form.DATE:
        return _with_infinities(f"CAST(${name} AS INTEGER)", _INT32_MAX, "DATE", "DATE '1970-01-01' + {}")
    return f"CAST(${name} AS {engine_type(kind)})"


def _with_infinities(number: str, infinity: int, kind: str, finite: str) -> str:
    """The moment that a number of microseconds or days since 1970 stands for."""
    return (f"(CASE {number} WHEN {infinity} THEN CAST('infinity' AS {kind}) "
            f"WHEN -{infinity} THEN CAST('-infinity' AS {kind}) ELSE {finite.format(number)} END)")
