"""COPY TEXT: both directions, DuckDB's NULL marker, streams cut anywhere."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rocklake_server.errors import BadCopyFileFormat, CatalogError, CharacterNotInRepertoire, ProgramLimitExceeded
from rocklake_server.pgformat import copy_text
from rocklake_server.pgformat.copy_format import Header, TextFormat
from rocklake_server.pgformat.copy_text import TextCopyReader, header_line, text_row_encoder
from rocklake_server.schema.types import BIGINT, BYTEA, INTEGER, TEXT, array_of
from tests.pgformat.strategies import values

DUCKDB = TextFormat(null="\b")
FORMATS = [TextFormat(), DUCKDB, TextFormat(delimiter=",", null=""), TextFormat(delimiter="|", null="NULL")]
TYPES = (TEXT, BIGINT, array_of(TEXT), BYTEA)
NAMES = ("a", "b", "c", "d")


def read(data: bytes, options: TextFormat = DUCKDB, columns: int = 2, size: int = 0) -> list[tuple[object, ...]]:
    reader = TextCopyReader([TEXT] * columns, NAMES[:columns], options)
    step = size or max(len(data), 1)
    rows = [row for start in range(0, len(data), step) for row in reader.feed(data[start : start + step])]
    return rows + reader.finish()


@given(
    st.lists(st.tuples(*[st.none() | values(column_type) for column_type in TYPES]), max_size=5),
    st.sampled_from(FORMATS), st.integers(1, 30),
)
@settings(max_examples=150)
def test_reading_is_the_inverse_however_the_stream_is_cut(
    rows: list[tuple[object, ...]], options: TextFormat, size: int
) -> None:
    # A value that looks like a marker of letters is read as NULL, as in PostgreSQL.
    rows = [row for row in rows if options.null == "" or row[0] != options.null]
    rows = [row for row in rows if options.null != "" or row[0] != ""]
    encode = text_row_encoder(TYPES, options)
    stream = b"".join(map(encode, rows))
    reader = TextCopyReader(TYPES, NAMES, options)
    found = [row for start in range(0, len(stream), size) for row in reader.feed(stream[start : start + size])]
    assert found + reader.finish() == rows


@pytest.mark.parametrize(("data", "expected"), [
    (b"1\t2\n", [("1", "2")]),
    (b"1\t2", [("1", "2")]),
    (b"1\t2\r\n3\t4\r\n", [("1", "2"), ("3", "4")]),
    (b"1\t2\r\n3\t4", [("1", "2"), ("3", "4")]),
    (b"\b\t\\b\n", [(None, "\b")]),
    (b"\\N\t\\\\N\n", [("N", "\\N")]),
    (b"a\\tb\\n\\r\\v\\f\t\\q\n", [("a\tb\n\r\v\f", "q")]),
    (b"a\\\tb\tc\n", [("a\tb", "c")]),
    (b"a\\\nb\tc\n", [("a\nb", "c")]),
    (b"a\\\\\tc\n", [("a\\", "c")]),
    (b"\\101\\x42\\x4z\t\\303\\251\n", [("AB\x04z", "\u00e9")]),
    (b"1\t2\n\\.\n", [("1", "2")]),
    (b"1\t2\n\\.", [("1", "2")]),
    (b"a\t\\\n\n", [("a", "\n")]),
    (b"", []),
])
def test_escapes_and_line_ends(data: bytes, expected: list[tuple[object, ...]]) -> None:
    for size in (0, 1, 2, 3):
        assert read(data, size=size) == expected


def test_the_default_marker_is_not_an_escape() -> None:
    assert read(b"\\N\t\\\\N\n", TextFormat()) == [(None, "\\N")]


def test_a_header_line_is_skipped_and_written() -> None:
    options = TextFormat(header=Header.PRESENT)
    assert read(header_line(["a\tb", "c"], options) + b"1\t2\n", options) == [("1", "2")]


def test_an_empty_line_is_one_empty_value() -> None:
    assert read(b"\n\n", columns=1) == [("",), ("",)]


@pytest.mark.parametrize(("data", "error", "message"), [
    (b"1\n", BadCopyFileFormat, 'missing data for column "b"'),
    (b"1\t2\t3\n", BadCopyFileFormat, "extra data after last expected column"),
    (b"1\t2\n\\.\n3\t4\n", BadCopyFileFormat, "received copy data after EOF marker"),
    (b"1\t2\n\\.\n3", BadCopyFileFormat, "received copy data after EOF marker"),
    (b"1\t2\n3\r4\t5\n", BadCopyFileFormat, "literal carriage return found in data"),
    (b"1\t2\r\n3\t4\n", BadCopyFileFormat, "literal newline found in data"),
    (b"1\t\\.\n", BadCopyFileFormat, "end-of-copy marker corrupt"),
    (b"\xff\t2\n", CharacterNotInRepertoire, "0xff"),
    (b"\\xff\t2\n", CharacterNotInRepertoire, "0xff"),
    (b"\\0\t2\n", CharacterNotInRepertoire, "0x00"),
])
def test_broken_streams_are_refused(data: bytes, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        read(data)


def test_a_value_of_the_wrong_form_is_refused() -> None:
    reader = TextCopyReader([INTEGER], ["a"], DUCKDB)
    with pytest.raises(CatalogError, match='invalid input syntax for type integer: "x"'):
        reader.feed(b"x\n")


@given(st.binary(max_size=60), st.integers(1, 60))
@settings(max_examples=200)
def test_any_bytes_give_the_same_answer_however_they_are_cut(data: bytes, size: int) -> None:
    def outcome(step: int) -> object:
        try:
            return read(data, size=step)
        except CatalogError as error:
            return str(error)

    assert outcome(size) == outcome(0)


def test_a_value_of_escaped_newlines_costs_time_in_proportion() -> None:
    reader = TextCopyReader([TEXT], ["a"])
    began = time.process_time()
    for _ in range(100):
        assert reader.feed(b"\\\n" * 1000) == []
    assert reader.feed(b"\n") == [("\n" * 100_000,)]
    assert time.process_time() - began < 5.0


def test_a_line_has_its_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(copy_text, "MESSAGE_BYTES_MAX", 100)
    reader = TextCopyReader([TEXT], ["a"])
    assert reader.feed(b"x" * 60 + b"\n" + b"x" * 60) == [("x" * 60,)]
    with pytest.raises(ProgramLimitExceeded, match="longer than 100 bytes"):
        reader.feed(b"x" * 60)
