"""Every type's text and binary codecs: total over the registry, and inverse to each other."""

from __future__ import annotations

import contextlib
import time
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rocklake_server.errors import (
    CharacterNotInRepertoire,
    DatatypeMismatch,
    InvalidBinaryRepresentation,
    InvalidTextRepresentation,
    NumericOutOfRange,
    StringTooLong,
    Unsupported,
)
from rocklake_server.pgformat.binary import binary_decoder, binary_encoder
from rocklake_server.pgformat.coerce import coerce
from rocklake_server.pgformat.compare import sort_key
from rocklake_server.pgformat.text import text_decoder, text_encoder
from rocklake_server.schema import types
from rocklake_server.schema.types import ALL_TYPES, ColumnType, array_of, numeric, varchar
from tests.pgformat.strategies import CLIENT_ERRORS, values

by_name = pytest.mark.parametrize("column_type", ALL_TYPES, ids=lambda t: t.typname)


def same(column_type: ColumnType, left: object, right: object) -> bool:
    """Equal in SQL and, for numerics, in scale."""
    return sort_key(column_type)(left) == sort_key(column_type)(right) and (
        str(left) == str(right) or column_type.form is not types.Form.NUMERIC
    )


@by_name
@given(data=st.data())
@settings(max_examples=30)
def test_text_round_trip(column_type: ColumnType, data: st.DataObject) -> None:
    value = data.draw(values(column_type))
    assert same(column_type, text_decoder(column_type)(text_encoder(column_type)(value)), value)


@by_name
@given(data=st.data())
@settings(max_examples=30)
def test_binary_round_trip(column_type: ColumnType, data: st.DataObject) -> None:
    value = data.draw(values(column_type))
    assert same(column_type, binary_decoder(column_type)(binary_encoder(column_type)(value)), value)


@by_name
@given(data=st.data())
@settings(max_examples=20)
def test_coercion_keeps_values_of_the_type(column_type: ColumnType, data: st.DataObject) -> None:
    value = data.draw(values(column_type))
    assert same(column_type, coerce(column_type)(value), value)


@by_name
@given(data=st.binary(max_size=60))
@settings(max_examples=30)
def test_binary_decoders_fail_only_with_client_errors(column_type: ColumnType, data: bytes) -> None:
    with contextlib.suppress(*CLIENT_ERRORS):
        binary_decoder(column_type)(data)


@by_name
@given(text=st.text(max_size=20) | st.from_regex(r"[-+0-9a-z:.{},() ]{0,20}", fullmatch=True))
@settings(max_examples=40)
def test_text_decoders_fail_only_with_client_errors(column_type: ColumnType, text: str) -> None:
    with contextlib.suppress(*CLIENT_ERRORS):
        text_decoder(column_type)(text)


@pytest.mark.parametrize("column_type", [t for t in ALL_TYPES if t.size > 0 and t.typname not in ("void", "name")],
                         ids=lambda t: t.typname)
def test_binary_decoders_check_the_length(column_type: ColumnType) -> None:
    for size in (0, column_type.size - 1, column_type.size + 1):
        with pytest.raises(InvalidBinaryRepresentation, match="incorrect binary data format"):
            binary_decoder(column_type)(bytes(size))


@pytest.mark.parametrize(("value", "column_type", "expected"), [
    (Decimal("1.005"), numeric(15, 2), "1.01"),
    (Decimal("-1.005"), numeric(15, 2), "-1.01"),
    (Decimal("1.5"), numeric(5), "2"),
    (Decimal("-0.004"), numeric(5, 2), "0.00"),
    (Decimal("1e3"), numeric(15, 2), "1000.00"),
    (Decimal("123456"), numeric(5, -3), "123000"),
    (Decimal("NaN"), numeric(5, 2), "NaN"),
    ("abc  ", varchar(3), "abc"),
    ("\U0001f600\U0001f600", varchar(2), "\U0001f600\U0001f600"),
    ("a", types.BPCHAR.with_typmod(7), "a  "),
    (-1_500_000, types.TIMESTAMP.with_typmod(0), "1999-12-31 23:59:58"),
    (1_234_567, types.TIME.with_typmod(3), "00:00:01.235"),
    ((0, 0, 1_234_567), types.INTERVAL.with_typmod(2), "00:00:01.23"),
    ((Decimal("1.005"), None), array_of(numeric(15, 2)), "{1.01,NULL}"),
])
def test_assignment_fits_values_to_the_modifier(value: object, column_type: ColumnType, expected: str) -> None:
    assert text_encoder(column_type)(coerce(column_type)(value)) == expected


@pytest.mark.parametrize(("value", "column_type", "error", "message"), [
    (32768, types.SMALLINT, NumericOutOfRange, "smallint out of range"),
    (-(1 << 31) - 1, types.INTEGER, NumericOutOfRange, "integer out of range"),
    (1 << 63, types.BIGINT, NumericOutOfRange, "bigint out of range"),
    (-1, types.OID, NumericOutOfRange, "OID out of range"),
    (Decimal("999.995"), numeric(5, 2), NumericOutOfRange, "numeric field overflow"),
    (Decimal("Infinity"), numeric(5, 2), NumericOutOfRange, "numeric field overflow"),
    ("abcd", varchar(3), StringTooLong, r"value too long for type character varying\(3\)"),
    (1e39, types.REAL, NumericOutOfRange, "out of range"),
])
def test_assignment_refuses_what_does_not_fit(
    value: object, column_type: ColumnType, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        coerce(column_type)(value)


@pytest.mark.parametrize(("payload", "column_type", "error"), [
    (b"\xff", types.TEXT, CharacterNotInRepertoire),
    (b"a\0b", types.VARCHAR, CharacterNotInRepertoire),
    (bytes.fromhex("0001 0000 1234 0000 0001"), types.NUMERIC, InvalidBinaryRepresentation),
    (bytes.fromhex("0001 0000 0000 0000 2710"), types.NUMERIC, InvalidBinaryRepresentation),
    (bytes.fromhex("0002 0000 0000 0000 0001"), types.NUMERIC, InvalidBinaryRepresentation),
    (binary_encoder(array_of(types.TEXT))(("a",)), array_of(types.INTEGER), DatatypeMismatch),
    (bytes.fromhex("00000002 00000000 00000017"), array_of(types.INTEGER), Unsupported),
])
def test_binary_decoders_refuse(payload: bytes, column_type: ColumnType, error: type[Exception]) -> None:
    with pytest.raises(error):
        binary_decoder(column_type)(payload)


def test_numeric_overflow_names_the_bound() -> None:
    with pytest.raises(NumericOutOfRange) as caught:
        coerce(numeric(5, 2))(Decimal(1000))
    expected = "A field with precision 5, scale 2 must round to an absolute value less than 10^3."
    assert caught.value.detail == expected


@given(digits=st.integers(1, 10**38 - 1), scale=st.integers(0, 38), negative=st.booleans())
def test_assignment_keeps_every_digit_that_the_modifier_allows(digits: int, scale: int, negative: bool) -> None:
    value = Decimal((int(negative), tuple(map(int, str(digits))), -scale))
    kept = coerce(numeric(38, scale))(value)
    assert kept.as_tuple() == value.as_tuple()


@pytest.mark.parametrize("column_type", [types.SMALLINT, types.INTEGER, types.BIGINT, types.OID])
def test_an_integer_may_have_any_number_of_zeros_before_it(column_type: ColumnType) -> None:
    assert text_decoder(column_type)("0" * 5000 + "7") == 7
    assert text_decoder(column_type)("0" * 5000) == 0
    with pytest.raises(NumericOutOfRange):
        text_decoder(column_type)("1" + "0" * 5000)


@pytest.mark.parametrize("column_type", [types.DOUBLE, types.REAL])
def test_a_long_number_that_is_none_is_refused_soon(column_type: ColumnType) -> None:
    began = time.process_time()
    with pytest.raises(InvalidTextRepresentation):
        text_decoder(column_type)("0x" + "1" * 50_000 + "g")
    assert time.process_time() - began < 2.0
