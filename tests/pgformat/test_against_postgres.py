"""Text and binary forms compared with a real PostgreSQL, for generated values and a list of odd inputs."""

from __future__ import annotations

from collections.abc import Iterator

import psycopg
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rocklake_server.errors import CatalogError
from rocklake_server.pgformat.binary import binary_encoder
from rocklake_server.pgformat.compare import comparator
from rocklake_server.pgformat.numbers import numeric_modifier
from rocklake_server.pgformat.text import text_decoder, text_encoder
from rocklake_server.schema import types
from rocklake_server.schema.types import ALL_TYPES, ColumnType, Form
from tests.pgformat.grammar import TEXTS
from tests.pgformat.inputs import ODD_INPUTS
from tests.pgformat.strategies import values

pytestmark = pytest.mark.postgres

NOT_IN_SQL = ("unknown", "void")
COMPARED = [t for t in ALL_TYPES if t.typname not in NOT_IN_SQL]
NAMES = frozenset(kind.typname for kind in types.REGISTERED)
"""Types whose values print as names where there is an object."""
UNORDERED = (*NAMES, "xid", "json", "jsonb")
ORDERED = [t for t in COMPARED if t not in types.VECTORS and (t.element or t).typname not in UNORDERED]
BATCH = 40
slow_fixture = settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.fixture(scope="module")
def connection(postgres_dsn: str) -> Iterator[psycopg.Connection]:
    with psycopg.connect(postgres_dsn, autocommit=True) as opened:
        opened.execute("SET TimeZone = 'UTC'")
        yield opened


def sql_type(column_type: ColumnType) -> str:
    """The type's name in SQL; "character" alone would mean one character, and a scale may be negative there."""
    if column_type in types.VECTORS:
        return column_type.typname
    if column_type.element is not None:
        return sql_type(column_type.element) + "[]"
    if column_type.typname == "bpchar":
        return "bpchar"
    if column_type.form is Form.NUMERIC and column_type.typmod != -1:
        return "numeric({},{})".format(*numeric_modifier(column_type.typmod))
    return column_type.sql


def sql_literal(text: str) -> str:
    """An escape string, so that any character passes."""
    return "E'" + text.replace("\\", "\\\\").replace("'", "''") + "'"


def postgres_forms(
    connection: psycopg.Connection, column_type: ColumnType, texts: list[str]
) -> list[tuple[str, bytes]]:
    """What PostgreSQL makes of each text: its own text output and its binary output."""
    forms = []
    for binary in (False, True):
        name = sql_type(column_type)
        items = ", ".join(f"({number}, {sql_literal(text)}::{name})" for number, text in enumerate(texts))
        cursor = connection.cursor(binary=binary)
        cursor.execute(f"SELECT v FROM (VALUES {items}) AS t(i, v) ORDER BY i")
        result = cursor.pgresult
        assert result is not None
        forms.append([result.get_value(row, 0) for row in range(result.ntuples)])
    return [(text.decode(), payload) for text, payload in zip(*forms, strict=True)]


@pytest.mark.parametrize("column_type", COMPARED, ids=lambda t: t.typname)
@given(data=st.data())
@slow_fixture
def test_output_equals_postgres(connection: psycopg.Connection, column_type: ColumnType, data: st.DataObject) -> None:
    if (column_type.element or column_type).typname in NAMES:
        # Numbers of existing objects print as names there.
        oids = st.integers(1 << 30, 0xFFFFFFFF)
        strategy = oids if column_type.element is None else st.lists(oids, max_size=4).map(tuple)
    else:
        strategy = values(column_type)
    drawn = data.draw(st.lists(strategy, min_size=1, max_size=BATCH))
    encode_text, encode_binary = text_encoder(column_type), binary_encoder(column_type)
    texts = [encode_text(value) for value in drawn]
    found = postgres_forms(connection, column_type, texts)
    assert [text for text, _ in found] == texts
    assert [payload for _, payload in found] == [encode_binary(value) for value in drawn]


@pytest.mark.parametrize("column_type", ORDERED, ids=lambda t: t.typname)
@given(data=st.data())
@slow_fixture
def test_ordering_equals_postgres(connection: psycopg.Connection, column_type: ColumnType, data: st.DataObject) -> None:
    pairs = data.draw(st.lists(st.tuples(values(column_type), values(column_type)), min_size=1, max_size=BATCH))
    pairs += [(pairs[0][0], pairs[0][0])]
    encode, compare = text_encoder(column_type), comparator(column_type)
    collation = ' COLLATE "C"' if column_type.typname in ("text", "varchar", "bpchar", "name") else ""
    name = sql_type(column_type)
    items = ", ".join(
        f"({number}, {sql_literal(encode(left))}::{name}, {sql_literal(encode(right))}::{name})"
        for number, (left, right) in enumerate(pairs)
    )
    rows = connection.execute(
        f"SELECT (a > b{collation})::int - (a < b{collation})::int FROM (VALUES {items}) AS t(i, a, b) ORDER BY i"
    ).fetchall()
    assert [row[0] for row in rows] == [compare(left, right) for left, right in pairs]


def postgres_reading(connection: psycopg.Connection, column_type: ColumnType, text: str) -> str:
    """The output text of an input text, or the SQLSTATE and message of its refusal."""
    try:
        row = connection.execute(f"SELECT {sql_literal(text)}::{sql_type(column_type)}::text").fetchone()
    except psycopg.Error as error:
        return f"{error.sqlstate}: {error.diag.message_primary}"
    assert row is not None
    return str(row[0])


def our_reading(column_type: ColumnType, text: str) -> str:
    try:
        value = text_decoder(column_type)(text)
    except CatalogError as error:
        return f"{error.sqlstate}: {error}"
    if column_type.form is Form.BOOL:
        return "true" if value else "false"
    return text_encoder(column_type)(value)


@pytest.mark.parametrize(
    ("column_type", "text"), [(t, text) for t, texts in ODD_INPUTS for text in texts],
    ids=lambda value: sql_type(value) if isinstance(value, ColumnType) else ascii(value),
)
def test_odd_inputs_read_as_postgres_reads_them(
    connection: psycopg.Connection, column_type: ColumnType, text: str
) -> None:
    assert our_reading(column_type, text) == postgres_reading(connection, column_type, text)


@given(value=st.floats(width=32) | st.floats(), exponent=st.integers(-60, 60))
@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_float_texts_read_as_postgres_reads_them(
    connection: psycopg.Connection, value: float, exponent: int
) -> None:
    scaled = f"{value}e{exponent}" if "e" not in repr(value) else "0"
    for text in (repr(value), f"{value:.3e}", f"{value:.20g}", scaled):
        for column_type in (types.REAL, types.DOUBLE):
            assert our_reading(column_type, text) == postgres_reading(connection, column_type, text)


def is_refusal(reading: str) -> bool:
    return reading[5:7] == ": " and reading[:2] == "22"


@pytest.mark.parametrize(("column_type", "texts"), TEXTS, ids=lambda value: getattr(value, "sql", ""))
@given(data=st.data())
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_what_is_accepted_means_what_postgres_takes_it_for(
    connection: psycopg.Connection, column_type: ColumnType, texts: st.SearchStrategy[str], data: st.DataObject
) -> None:
    """Some odd texts that PostgreSQL reads are refused here; none is read differently."""
    text = data.draw(texts)
    ours = our_reading(column_type, text)
    theirs = postgres_reading(connection, column_type, text)
    if is_refusal(theirs):
        assert is_refusal(ours)
    elif not is_refusal(ours):
        assert ours == theirs
