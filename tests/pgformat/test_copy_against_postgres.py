"""Whole COPY streams compared with a real PostgreSQL."""

from __future__ import annotations

from collections.abc import Iterator

import psycopg
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rocklake_server.errors import CatalogError
from rocklake_server.pgformat.copy_binary import framed_rows, with_header
from rocklake_server.pgformat.copy_binary_reader import read_all
from rocklake_server.pgformat.copy_text import TextCopyReader, TextFormat, text_row_encoder
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
        opened.execute("CREATE TEMP TABLE two_texts (a text, b text)")
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
