"""COPY BINARY: framing as DuckDB needs it, generated encoders equal to plain ones, a strict reader."""

from __future__ import annotations

import contextlib
import struct
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rocklake_server.errors import (
    BadCopyFileFormat,
    CharacterNotInRepertoire,
    InvalidBinaryRepresentation,
    ProgramLimitExceeded,
)
from rocklake_server.pgformat import copy_binary_reader
from rocklake_server.pgformat.binary import binary_encoder
from rocklake_server.pgformat.compare import sort_key
from rocklake_server.pgformat.copy_binary import (
    HEADER,
    TRAILER,
    TupleEncoder,
    frame,
    framed_rows,
    tuple_encoder,
    with_header,
)
from rocklake_server.pgformat.copy_binary_reader import BinaryCopyReader, read_all
from rocklake_server.schema import types
from rocklake_server.schema.types import ALL_TYPES, BIGINT, BOOLEAN, INTEGER, TEXT, ColumnType
from tests.pgformat.strategies import values

table = st.lists(st.sampled_from([t for t in ALL_TYPES if t.typname != "void"]), min_size=1, max_size=8).flatmap(
    lambda chosen: st.tuples(
        st.just(chosen), st.lists(st.tuples(*[st.none() | values(t) for t in chosen]), max_size=8)
    )
)


def messages(stream: bytes) -> list[bytes]:
    """The payloads of concatenated CopyData messages."""
    found = []
    position = 0
    while position < len(stream):
        assert stream[position : position + 1] == b"d"
        (length,) = struct.unpack_from("!i", stream, position + 1)
        found.append(stream[position + 5 : position + 1 + length])
        position += 1 + length
    assert position == len(stream)
    return found


def plain_tuple(chosen: list[ColumnType], row: tuple[object, ...]) -> bytes:
    """A tuple by the manual's words, column by column."""
    out = struct.pack("!h", len(chosen))
    for column_type, value in zip(chosen, row, strict=True):
        if value is None:
            out += struct.pack("!i", -1)
        else:
            payload = binary_encoder(column_type)(value)
            out += struct.pack("!i", len(payload)) + payload
    return out


@given(table)
@settings(max_examples=150)
def test_generated_encoders_write_what_the_manual_says(
    drawn: tuple[list[ColumnType], list[tuple[object, ...]]]
) -> None:
    chosen, rows = drawn
    expected = [plain_tuple(chosen, row) for row in rows]
    assert messages(framed_rows(chosen, rows)) == expected
    assert [TupleEncoder(chosen).encode(row) for row in rows] == expected


@given(table, st.data())
@settings(max_examples=80)
def test_projection_equals_encoding_projected_rows(
    drawn: tuple[list[ColumnType], list[tuple[object, ...]]], data: st.DataObject
) -> None:
    chosen, rows = drawn
    columns = data.draw(st.lists(st.none() | st.integers(0, len(chosen) - 1), max_size=6))
    shown = [TEXT if column is None else chosen[column] for column in columns]
    projected = [tuple([None if column is None else row[column] for column in columns]) for row in rows]
    assert tuple_encoder(shown, columns).framed(rows) == framed_rows(shown, projected)


@given(table)
@settings(max_examples=80)
def test_the_header_joins_the_first_tuple_and_each_tuple_has_its_message(
    drawn: tuple[list[ColumnType], list[tuple[object, ...]]]
) -> None:
    chosen, rows = drawn
    encoder = tuple_encoder(chosen)
    tuples = [encoder.encode(row) for row in rows]
    expected = [HEADER + tuples[0], *tuples[1:], TRAILER] if tuples else [HEADER + TRAILER]
    half = len(rows) // 2
    assert messages(b"".join(with_header([encoder.framed(rows[:half]), b"", encoder.framed(rows[half:])]))) == expected
    assert messages(b"".join(frame(tuples))) == expected


@given(table, st.integers(1, 40))
@settings(max_examples=100)
def test_reading_is_the_inverse_however_the_stream_is_cut(
    drawn: tuple[list[ColumnType], list[tuple[object, ...]]], size: int
) -> None:
    chosen, rows = drawn
    stream = HEADER + b"".join([plain_tuple(chosen, row) for row in rows]) + TRAILER
    reader = BinaryCopyReader(chosen)
    found = [row for start in range(0, len(stream), size) for row in reader.feed(stream[start : start + size])]
    reader.finish()
    keys = [sort_key(column_type) for column_type in chosen]

    def comparable(row: tuple[object, ...]) -> list[object]:
        return [value if value is None else key(value) for key, value in zip(keys, row, strict=True)]

    assert [comparable(row) for row in found] == [comparable(row) for row in rows]
    assert read_all(chosen, stream) == found or "nan" in repr(found).lower()


def test_rows_whose_nulls_alternate() -> None:
    rows = [(number, None if number % 3 else number, number % 2 == 0 if number % 5 else None) for number in range(60)]
    chosen = [BIGINT, INTEGER, BOOLEAN]
    assert messages(framed_rows(chosen, rows)) == [plain_tuple(chosen, row) for row in rows]


def test_the_same_row_many_times() -> None:
    rows = [(1, None)] * 3 + [(None, 2)] * 2 + [(1, None)]
    assert messages(framed_rows([BIGINT, BIGINT], rows)) == [plain_tuple([BIGINT, BIGINT], row) for row in rows]


def test_more_null_patterns_than_are_kept() -> None:
    rows = [tuple([bit if number >> bit & 1 else None for bit in range(10)]) for number in range(1024)]
    chosen = [BIGINT] * 10
    assert messages(framed_rows(chosen, rows)) == [plain_tuple(chosen, row) for row in rows]


def test_rows_without_columns() -> None:
    assert messages(framed_rows([], [(), ()])) == [b"\0\0", b"\0\0"]


@pytest.mark.parametrize(("column_type", "value"), [(BIGINT, 1 << 63), (BIGINT, "7"), (TEXT, b"x"), (TEXT, 5)])
def test_a_value_of_the_wrong_form_never_becomes_bytes(column_type: ColumnType, value: object) -> None:
    with pytest.raises((struct.error, AttributeError, TypeError)):
        framed_rows([column_type], [(value,)])


def test_a_row_of_the_wrong_width_never_becomes_bytes() -> None:
    with pytest.raises(ValueError, match="number of values"):
        framed_rows([BIGINT], [(1, 2)])


def read_bytewise(stream: bytes) -> None:
    reader = BinaryCopyReader([BIGINT, TEXT])
    for byte in stream:
        reader.feed(bytes((byte,)))
    reader.finish()


ROW = plain_tuple([BIGINT, TEXT], (1, "ab"))
GOOD = HEADER + ROW + TRAILER


@pytest.mark.parametrize(("stream", "error", "message"), [
    (b"", BadCopyFileFormat, "COPY file signature not recognized"),
    (b"PGCOPX\n\xff\r\n\0" + bytes(8), BadCopyFileFormat, "COPY file signature not recognized"),
    (HEADER[:15], BadCopyFileFormat, r"invalid COPY file header \(missing flags\)"),
    (HEADER[:11] + b"\0\x01\0\0" + bytes(4) + TRAILER, BadCopyFileFormat, "WITH OIDS"),
    (HEADER[:11] + b"\x80\0\0\0" + bytes(4) + TRAILER, BadCopyFileFormat, "unrecognized critical flags"),
    (HEADER[:15] + b"\xff\xff\xff\xff", BadCopyFileFormat, "wrong length"),
    (HEADER, BadCopyFileFormat, "unexpected EOF in COPY data"),
    (HEADER + ROW, BadCopyFileFormat, "unexpected EOF in COPY data"),
    (GOOD[:-1], BadCopyFileFormat, "unexpected EOF in COPY data"),
    (HEADER + ROW[:-1], BadCopyFileFormat, "unexpected EOF in COPY data"),
    (GOOD + b"\0", BadCopyFileFormat, "received copy data after EOF marker"),
    (HEADER + plain_tuple([BIGINT], (1,)) + TRAILER, BadCopyFileFormat, "row field count is 1, expected 2"),
    (HEADER + b"\0\2\0\0\0\4\0\0\0\1" + ROW[14:] + TRAILER, InvalidBinaryRepresentation, "incorrect binary"),
    (HEADER + b"\0\2\xff\xff\xff\xfe" + TRAILER, BadCopyFileFormat, "invalid field size"),
])
def test_broken_streams_are_refused(stream: bytes, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        read_all([BIGINT, TEXT], stream)
    with pytest.raises(error, match=message):
        read_bytewise(stream)


def test_unknown_flags_that_are_not_critical_and_the_extension_area_are_skipped() -> None:
    stream = HEADER[:11] + b"\0\0\0\1" + b"\0\0\0\3" + b"abc" + ROW + TRAILER
    for size in (1, 5, len(stream)):
        reader = BinaryCopyReader([BIGINT, TEXT])
        rows = [row for start in range(0, len(stream), size) for row in reader.feed(stream[start : start + size])]
        reader.finish()
        assert rows == [(1, "ab")]


@given(st.binary(max_size=80), st.booleans())
@settings(max_examples=200)
def test_any_bytes_give_rows_or_a_client_error(data: bytes, headed: bool) -> None:
    with contextlib.suppress(BadCopyFileFormat, InvalidBinaryRepresentation, CharacterNotInRepertoire):
        read_all([types.BIGINT, types.TEXT, types.NUMERIC], HEADER + data if headed else data)


def test_a_wide_row_in_small_pieces_costs_time_in_proportion() -> None:
    """Fields that were read are not read again when the next one arrives."""
    width, field = 1500, (4000).to_bytes(4, "big") + b"x" * 4000
    stream = HEADER + width.to_bytes(2, "big") + field * width + TRAILER
    reader = BinaryCopyReader([TEXT] * width)
    began = time.process_time()
    rows = [row for start in range(0, len(stream), 4000) for row in reader.feed(stream[start : start + 4000])]
    reader.finish()
    assert time.process_time() - began < 3.0
    assert rows == [("x" * 4000,) * width]


def test_a_row_has_its_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(copy_binary_reader, "MESSAGE_BYTES_MAX", 100)
    reader = BinaryCopyReader([TEXT, TEXT])
    with pytest.raises(ProgramLimitExceeded, match="longer than 100 bytes"):
        reader.feed(HEADER + b"\0\2" + (b"\0\0\0\x50" + b"x" * 80) * 2)
