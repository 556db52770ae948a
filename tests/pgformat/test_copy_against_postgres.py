"""Whole COPY streams compared with a real PostgreSQL."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import psycopg
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rocklake_server.errors import CatalogError
from rocklake_server.pgformat.copy_binary import framed_rows, with_header
from rocklake_server.pgformat.copy_binary_reader import read_all
from rocklake_server.pgformat.copy_csv import csv_header_line, csv_row_encoder
from rocklake_server.pgformat.copy_csv_reader import CsvCopyReader
from rocklake_server.pgformat.copy_format import CsvFormat, Header, TextFormat
from rocklake_server.pgformat.copy_text import TextCopyReader, text_row_encoder
from rocklake_server.schema.types import STORABLE, TEXT
from tests.pgformat.strategies import values
from tests.pgformat.test_copy_binary import messages

pytestmark = pytest.mark.postgres
COLUMNS = [t for t in STORABLE if t.typname not in ("float4", "float8")]
rows_of_all_types = st.lists(st.tuples(*[st.none() | values(t) for t in COLUMNS]), max_size=10)
slow_fixture = settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.fixture(scope="module")
def connection(postgres_dsn: str) -> Iterator[psycopg.Connection]:
    with psycopg.connect(postgres_dsn, autocommit=True) as opened:
        columns = ", ".join(f"c{number} {column_type.name}" for number, column_type in enumerate(COLUMNS))
        opened.execute(f"SET TimeZone = 'UTC'; CREATE TEMP TABLE every_type ({columns})")
        opened.execute("CREATE TEMP TABLE two_texts (a text, b text); CREATE TEMP TABLE one_text (c0 text)")
        opened.execute("CREATE TEMP TABLE two_columns (c0 text, c1 text)")
        yield opened


def copy_in(connection: psycopg.Connection, sql: str, stream: bytes) -> None:
    with connection.cursor().copy(sql) as copy:
        copy.write(stream)


def copy_out(connection: psycopg.Connection, sql: str) -> list[bytes]:
    with connection.cursor().copy(sql) as copy:
        return [bytes(chunk) for chunk in copy]


@given(rows_of_all_types)
@slow_fixture
def test_binary_streams_agree_message_by_message(
    connection: psycopg.Connection, rows: list[tuple[object, ...]]
) -> None:
    connection.execute("TRUNCATE every_type")
    ours = messages(b"".join(with_header([framed_rows(COLUMNS, rows)])))
    copy_in(connection, "COPY every_type FROM STDIN (FORMAT binary)", b"".join(ours))
    theirs = copy_out(connection, "COPY (SELECT * FROM every_type) TO STDOUT (FORMAT binary)")
    assert theirs == ours
    assert [str(row) for row in read_all(COLUMNS, b"".join(theirs))] == [str(row) for row in rows]


@pytest.mark.parametrize("options", [TextFormat(), TextFormat(null="\b"), TextFormat("|", "")], ids=str)
@given(rows=rows_of_all_types)
@slow_fixture
def test_text_streams_agree(
    connection: psycopg.Connection, rows: list[tuple[object, ...]], options: TextFormat
) -> None:
    connection.execute("TRUNCATE every_type")
    encode = text_row_encoder(COLUMNS, options)
    ours = b"".join(map(encode, rows))
    clause = f"(FORMAT text, DELIMITER E'{options.delimiter}', NULL '{options.null}')"
    copy_in(connection, f"COPY every_type FROM STDIN {clause}", ours)
    theirs = copy_out(connection, f"COPY (SELECT * FROM every_type) TO STDOUT {clause}")
    assert b"".join(theirs) == ours
    assert len(theirs) == len(rows)


# PostgreSQL 15 ends the data at a marker in the middle of a line; the reader refuses that instead.
RAW_STREAMS = [
    b"a\tb\n", b"a\tb", b"a\n", b"a\tb\tc\n", b"\\N\t\\\\N\n", b"a\\\tb\tc\n", b"a\\\nb\tc\n",
    b"\\101\\x42\\x4z\t\\303\\251\n",
    b"a\tb\r\nc\td\r\n", b"a\tb\r\nc\td\n", b"a\tb\nc\rd\te\n", b"a\tb\n\\.\n", b"\xff\tb\n",
    b"\\xff\tb\n", b"\\0\tb\n", b"\n",
    b"a\t\\q\\z\n", b"a\t\\8\n", b"a\t\\xg\n", b"a\tb\\\\\n", b"\\1234\tb\n", b"a\\\rb\tc\n",
    b"a\t\\", b"", b"a\tb\r\nc\td", b"a\t\\400\n",
]


@pytest.mark.parametrize("stream", RAW_STREAMS, ids=repr)
def test_text_streams_are_read_as_postgres_reads_them(connection: psycopg.Connection, stream: bytes) -> None:
    connection.execute("TRUNCATE two_texts")
    expected: object
    try:
        copy_in(connection, "COPY two_texts FROM STDIN", stream)
        expected = connection.execute("SELECT a, b FROM two_texts").fetchall()
    except psycopg.Error as error:
        expected = f"{error.sqlstate}: {error.diag.message_primary}"
    found: object
    try:
        reader = TextCopyReader([TEXT, TEXT], ["a", "b"])
        found = reader.feed(stream) + reader.finish()
    except CatalogError as error:
        found = f"{error.sqlstate}: {error}"
    assert found == expected


CSV_FORMATS = [
    CsvFormat(), CsvFormat(header=Header.PRESENT, delimiter=";", null="\\N"), CsvFormat(escape="\\"),
    CsvFormat(quote="'", escape="'", null="NULL"), CsvFormat(delimiter="\t", force_quote=frozenset({0, 3, 5})),
    CsvFormat(delimiter="|", quote="~", escape="^", header=Header.PRESENT),
]  # fmt: skip


def csv_clause(options: CsvFormat) -> str:
    clause = f"FORMAT csv, DELIMITER E'{options.delimiter}', NULL '{options.null}', HEADER {options.header.value}"
    clause += ", QUOTE '{}', ESCAPE '{}'".format(*(mark.replace("'", "''") for mark in (options.quote, options.escape)))
    for name in ("force_quote", "force_not_null", "force_null"):
        columns = ", ".join(f"c{number}" for number in sorted(getattr(options, name)))
        clause += f", {name} ({columns})" if columns else ""
    return f"({clause})"


@pytest.mark.parametrize("options", CSV_FORMATS, ids=str)
@given(rows=rows_of_all_types)
@slow_fixture
def test_csv_streams_agree_byte_by_byte(
    connection: psycopg.Connection, rows: list[tuple[object, ...]], options: CsvFormat
) -> None:
    connection.execute("TRUNCATE every_type")
    names = [f"c{number}" for number in range(len(COLUMNS))]
    ours = [csv_header_line(names, options)] if options.header is Header.PRESENT else []
    ours += map(csv_row_encoder(COLUMNS, options), rows)
    clause = csv_clause(options)
    taken = csv_clause(replace(options, force_quote=frozenset()))
    copy_in(connection, f"COPY every_type FROM STDIN {taken}", b"".join(ours))
    theirs = copy_out(connection, f"COPY (SELECT * FROM every_type) TO STDOUT {clause}")
    assert theirs == ours
    reader = CsvCopyReader(COLUMNS, names, options)
    assert [str(row) for row in reader.feed(b"".join(theirs)) + reader.finish()] == [str(row) for row in rows]


awkward = st.text(st.sampled_from("ab\",;\\\r\n'|~^N. "), max_size=12)


@pytest.mark.parametrize("options", CSV_FORMATS, ids=str)
@given(rows=st.lists(st.tuples(st.none() | awkward), max_size=8))
@slow_fixture
def test_csv_of_one_column_of_marks_agrees(
    connection: psycopg.Connection, rows: list[tuple[str | None]], options: CsvFormat
) -> None:
    connection.execute("TRUNCATE one_text")
    options = replace(options, force_quote=frozenset())
    with connection.cursor() as cursor:
        cursor.executemany("INSERT INTO one_text VALUES (%s)", rows)
    theirs = copy_out(connection, f"COPY one_text TO STDOUT {csv_clause(options)}")
    ours = [csv_header_line(["c0"], options)] if options.header is Header.PRESENT else []
    assert theirs == ours + list(map(csv_row_encoder([TEXT], options), rows))


RAW_CSV = [
    b"a,b\n", b"a,b", b"a\n", b"a,b,c\n", b",\n", b'"",\n', b'"a""b","c,d"\n', b'"a\nb",c\n', b'"a\r\nb",c\r\nd,e\r\n',
    b'a"b"c,d\n', b'a"b"c"d"e,"f"g\n', b'"a,b\n', b'"a,b', b'a,"b""', b"a,b\r\nc,d\r\n", b"a,b\r\nc,d\n",
    b"a,b\nc,d\r\n", b"a,b\nc\rd,e\n", b"a,b\rc,d\r", b"a,b\rc,d", b"a,b\rc,d\n", b"a,b\n\\.\nrubbish",
    b"a,b\r\n\\.\r\nrubbish", b"\\.\n", b"\\.", b"\\.,b\n", b"a,\\.\n", b"\xff,b\n", b"\n", b"", b"\r\n", b"\r",
    b"a,b\r",
    b'"\\"",x\n', b'"\\\\",x\n', b'"a\\b",x\n', b'"a\\', b"\\,x\n", b'a\\"b",c\n', b"a,b\r\nc,d\r", b"a,\0\n",
    b'"a\rb",c\nd"\r",e\n', b'"a",b"\r"\rc,d\n', b'"a\n\\.\n",b\n', b" a , b \n", b'"a" ,b\n', b"a,b\n\\.\r\n",
    b"a,b\n\\.",
    b"a,b\r\\.\nc,d\r", b"a,b\r\\.\rc", b"a,b\r\n\\.\n", b"a,b\r\n\\.\rx\r\n",
    b"c0,c1\na,b\n", b'"c0","c1"\n', b"c0\n", b"c1,c0\n", b"c0,\n", b"c0,c1", b"c0,c1,c2\n",
]  # fmt: skip
READINGS = [
    CsvFormat(), CsvFormat(escape="\\"), CsvFormat(null="a", force_null=frozenset({0}), force_not_null=frozenset({1})),
    CsvFormat(force_not_null=frozenset({0, 1})), CsvFormat(header=Header.PRESENT), CsvFormat(header=Header.MATCH),
    CsvFormat(force_null=frozenset({0})),
]  # fmt: skip


@pytest.mark.parametrize("options", READINGS, ids=str)
@pytest.mark.parametrize("stream", RAW_CSV, ids=repr)
def test_csv_streams_are_read_as_postgres_reads_them(
    connection: psycopg.Connection, stream: bytes, options: CsvFormat
) -> None:
    connection.execute("TRUNCATE two_columns")
    expected: object
    try:
        copy_in(connection, f"COPY two_columns FROM STDIN {csv_clause(options)}", stream)
        expected = connection.execute("SELECT c0, c1 FROM two_columns").fetchall()
    except psycopg.Error as error:
        expected = (error.sqlstate, error.diag.message_primary, error.diag.message_hint)
    found: object
    try:
        reader = CsvCopyReader([TEXT, TEXT], ["c0", "c1"], options)
        found = reader.feed(stream) + reader.finish()
    except CatalogError as error:
        found = (error.sqlstate, str(error), error.hint)
    assert found == expected


TEXT_HEADERS = [b"a\tb\n1\t2\n", b"b\ta\n", b"a\n", b"a\tb", b"", b"a\\tb\n", b"a\t\\N\n", b"\\.\n"]


@pytest.mark.parametrize("stream", TEXT_HEADERS, ids=repr)
@pytest.mark.parametrize("header", [Header.PRESENT, Header.MATCH])
def test_headers_of_text_streams_are_read_as_postgres_reads_them(
    connection: psycopg.Connection, stream: bytes, header: Header
) -> None:
    connection.execute("TRUNCATE two_texts")
    expected: object
    try:
        copy_in(connection, f"COPY two_texts FROM STDIN (HEADER {header.value})", stream)
        expected = connection.execute("SELECT a, b FROM two_texts").fetchall()
    except psycopg.Error as error:
        expected = f"{error.sqlstate}: {error.diag.message_primary}"
    found: object
    try:
        reader = TextCopyReader([TEXT, TEXT], ["a", "b"], TextFormat(header=header))
        found = reader.feed(stream) + reader.finish()
    except CatalogError as error:
        found = f"{error.sqlstate}: {error}"
    assert found == expected
