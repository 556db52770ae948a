"""COPY CSV: both directions, streams cut anywhere, and lines that are bounded. PostgreSQL's reading and writing are
compared in ``test_copy_against_postgres``."""

from __future__ import annotations

import time
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rocklake_server.errors import BadCopyFileFormat, CatalogError, ProgramLimitExceeded
from rocklake_server.pgformat import copy_csv_reader
from rocklake_server.pgformat.copy_csv import csv_header_line, csv_row_encoder
from rocklake_server.pgformat.copy_csv_reader import CsvCopyReader
from rocklake_server.pgformat.copy_format import CsvFormat, Header
from rocklake_server.schema.types import BIGINT, BYTEA, TEXT, array_of
from tests.pgformat.strategies import values

FORMATS = [
    CsvFormat(), CsvFormat(delimiter=";", null="\\N"), CsvFormat(escape="\\"), CsvFormat(quote="'", null="NULL"),
    CsvFormat(delimiter="\t", force_quote=frozenset({0, 1, 2, 3})), CsvFormat(delimiter="|", quote="~", escape="^"),
]  # fmt: skip
TYPES = (TEXT, BIGINT, array_of(TEXT), BYTEA)
NAMES = ("a", "b", "c", "d")
awkward = st.text(st.sampled_from('ab",;\\\r\n\'|~^N. '), max_size=12)


def read(data: bytes, options: CsvFormat | None = None, columns: int = 2, size: int = 0) -> list[tuple[object, ...]]:
    reader = CsvCopyReader([TEXT] * columns, NAMES[:columns], options or CsvFormat())
    step = size or max(len(data), 1)
    rows = [row for start in range(0, len(data), step) for row in reader.feed(data[start : start + step])]
    return rows + reader.finish()


@given(
    st.lists(st.tuples(*[st.none() | values(column_type) for column_type in TYPES]), max_size=5),
    st.sampled_from(FORMATS), st.integers(1, 30),
)
@settings(max_examples=150, deadline=None)
def test_reading_is_the_inverse_however_the_stream_is_cut(
    rows: list[tuple[object, ...]], options: CsvFormat, size: int
) -> None:
    stream = b"".join(map(csv_row_encoder(TYPES, options), rows))
    reader = CsvCopyReader(TYPES, NAMES, options)
    found = [row for start in range(0, len(stream), size) for row in reader.feed(stream[start : start + size])]
    assert found + reader.finish() == rows


@given(st.lists(st.tuples(st.none() | awkward, st.none() | awkward), max_size=6), st.sampled_from(FORMATS),
       st.integers(1, 9))
@settings(max_examples=300, deadline=None)
def test_texts_of_marks_come_back_with_a_header(
    rows: list[tuple[str | None, str | None]], options: CsvFormat, size: int
) -> None:
    marked = CsvFormat(options.delimiter, options.null, Header.MATCH, options.quote, options.escape)
    names = ("a", 'b"\n,')
    stream = csv_header_line(names, marked) + b"".join(map(csv_row_encoder((TEXT, TEXT), marked), rows))
    reader = CsvCopyReader((TEXT, TEXT), names, marked)
    found = [row for start in range(0, len(stream), size) for row in reader.feed(stream[start : start + size])]
    assert found + reader.finish() == rows


@given(st.text(st.sampled_from('a,"\\\r\n.'), max_size=30), st.sampled_from(FORMATS[:3]), st.integers(1, 5))
@settings(max_examples=500, deadline=None)
def test_the_cuts_of_any_stream_change_nothing(text: str, options: CsvFormat, size: int) -> None:
    def outcome(step: int) -> object:
        try:
            return read(text.encode(), options, size=step)
        except CatalogError as error:
            return f"{error.sqlstate} {error}"

    assert outcome(size) == outcome(0)


def test_a_quoted_value_of_newlines_and_quotes_costs_time_in_proportion() -> None:
    reader = CsvCopyReader([TEXT], ["a"])
    began = time.process_time()
    assert reader.feed(b'"') == []
    for _ in range(100):
        assert reader.feed(b'\n""' * 1000) == []
    assert reader.feed(b'"\n') == [('\n"' * 100_000,)]
    assert time.process_time() - began < 5.0


@pytest.mark.parametrize("line", [b'"a"x' * 200_000, b'"' + b"x" * 1_000_000, b"x" * 1_000_000, b'""' * 500_000])
def test_a_first_line_in_small_pieces_costs_time_in_proportion(line: bytes) -> None:
    reader = CsvCopyReader([TEXT], ["a"])
    began = time.process_time()
    for start in range(0, len(line), 1000):
        assert reader.feed(line[start : start + 1000]) == []
    with suppress(BadCopyFileFormat):
        reader.finish()
    assert time.process_time() - began < 5.0


def test_a_line_has_its_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(copy_csv_reader, "MESSAGE_BYTES_MAX", 100)
    reader = CsvCopyReader([TEXT], ["a"])
    assert reader.feed(b"x" * 60 + b"\n" + b"x" * 60) == [("x" * 60,)]
    with pytest.raises(ProgramLimitExceeded, match="longer than 100 bytes"):
        reader.feed(b'"' + b"x\n" * 60)
