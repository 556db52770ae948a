"""Hypothesis strategies of values per column type, and the server side of the differential tests."""

from __future__ import annotations

import json
import math
import struct
from decimal import Decimal

from hypothesis import strategies as st

from rocklake_server.errors import CatalogError
from rocklake_server.pgformat.datetimes import DATE_DAY_LAST, DAY_FIRST, TIMESTAMP_END, TIMESTAMP_FIRST
from rocklake_server.pgformat.json_text import jsonb_text
from rocklake_server.schema.types import VECTORS, ColumnType, Form


def one_nan(value: float) -> float:
    """The NaN that PostgreSQL makes from text: a NaN's other bits have no text form."""
    return math.nan if value != value else value


CLIENT_ERRORS = tuple(kind for sqlstate, kind in CatalogError.by_sqlstate.items() if not sqlstate.startswith("XX"))
"""What a codec may raise for bad input."""
INT32 = (-(1 << 31), (1 << 31) - 1)
INT64 = (-(1 << 63), (1 << 63) - 1)
INT_BOUNDS = {"int2": (-(1 << 15), (1 << 15) - 1), "int4": INT32, "int8": INT64}
MICROS_PER_DAY = 86_400_000_000
characters = st.characters(codec="utf-8", exclude_characters="\0")
texts = st.text(characters, max_size=40)
float4 = st.floats(width=32).map(one_nan)
spread_doubles = st.builds(
    lambda bits: struct.unpack("!d", struct.pack("!Q", bits))[0], st.integers(0, (1 << 64) - 1)
)
numerics = st.one_of(
    st.sampled_from([Decimal("NaN"), Decimal("Infinity"), Decimal("-Infinity"), Decimal("0.000"), Decimal("10000")]),
    st.builds(
        lambda number, scale: Decimal(number).scaleb(-scale) if number else Decimal((0, (0,), -scale)),
        st.integers(-(10**25), 10**25), st.integers(0, 24),
    ),
)
BY_FORM: dict[Form, st.SearchStrategy[object]] = {
    Form.BOOL: st.booleans(),
    Form.FLOAT: st.one_of(st.floats(), spread_doubles, st.integers(-(1 << 70), 1 << 70).map(float)).map(one_nan),
    Form.NUMERIC: numerics,
    Form.TEXT: texts,
    Form.BYTES: st.binary(max_size=40),
    Form.UUID: st.binary(min_size=16, max_size=16),
    Form.TIMESTAMP: st.one_of(
        st.integers(TIMESTAMP_FIRST, TIMESTAMP_END - 1), st.sampled_from(INT64), st.integers(-(10**16), 10**16)
    ),
    Form.DATE: st.one_of(st.integers(DAY_FIRST, DATE_DAY_LAST), st.sampled_from(INT32), st.integers(-(10**6), 10**6)),
    Form.TIME: st.integers(0, MICROS_PER_DAY),
    Form.TIMETZ: st.tuples(
        st.integers(0, MICROS_PER_DAY),
        st.one_of(st.integers(-57_599, 57_599), st.sampled_from([0, -19_800, 3600, 12_600])),
    ),
    Form.INTERVAL: st.tuples(
        st.one_of(st.integers(-2000, 2000), st.integers(*INT32)),
        st.one_of(st.integers(-2000, 2000), st.integers(*INT32)),
        st.one_of(st.integers(-(10**12), 10**12), st.integers(-(1 << 62), 1 << 62)),
    ),
    Form.TID: st.builds(lambda block, offset: block << 16 | offset, st.integers(0, 0xFFFFFFFF), st.integers(0, 0xFFFF)),
}


documents = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=6,
)


def values(column_type: ColumnType) -> st.SearchStrategy[object]:
    """Values (not None) of a type without a modifier."""
    if column_type in VECTORS and column_type.element is not None:
        return st.lists(values(column_type.element), max_size=5).map(tuple)
    if column_type.element is not None:
        return st.lists(st.none() | values(column_type.element), max_size=5).map(tuple)
    match column_type.typname:
        case "void":
            return st.just("")
        case "char":
            return st.sampled_from(["", "a", "Z", '"', "\\", " ", "{"])
        case "name":
            return st.text(characters, max_size=15)
        case "float4":
            return float4
        case "json":
            return documents.map(json.dumps) | st.sampled_from([' {"b" :1, "a": [ 1e3, true,null ] } ', '"\\ud800"'])
        case "jsonb":
            return documents.map(lambda document: jsonb_text(json.dumps(document)))
    if column_type.form is Form.INT:
        return st.integers(*INT_BOUNDS.get(column_type.typname, (0, 0xFFFFFFFF)))
    return BY_FORM[column_type.form]
