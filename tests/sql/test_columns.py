"""Columns that are known by their text are what reading them word by word gives, wrong ones included."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rocklake_server.errors import CatalogError
from rocklake_server.schema import types
from rocklake_server.sql import columns, ddl
from rocklake_server.sql.cursor import Cursor
from rocklake_server.sql.definitions import ColumnDefinition

NAMES = st.sampled_from([
    "a", "B", "_c1", '"A b"', '"d""e"', '"f,g"', '"h)"', "ünï", "like", "Primary", "unique",
    "constraint", "checks", "foreign", "exclude", "null", "select", "j$", "1k", "", '""',
])
TYPES = st.sampled_from([
    "INTEGER", "bigint", "DECIMAL(18,3)", "numeric (4 , 2)", "VARCHAR(10)", "VARCHAR", "DOUBLE PRECISION",
    "TIMESTAMP WITH TIME ZONE", "timestamp(3) with time zone", "INTEGER[]", "foo", "oid", "char(0)", "KEY",
    "decimal(1001)", "bytea -- x\n", "text/*,*/", "",
])
CLAUSES = st.sampled_from([
    "", "", "", "NOT NULL", "NULL", "PRIMARY KEY", "DEFAULT 1", "DEFAULT 'a,b)'", "DEFAULT NULL", "NULL NOT NULL",
    "UNIQUE", "COLLATE x", "CONSTRAINT n NOT NULL", "GENERATED ALWAYS AS (1)",
])
COLUMNS = st.tuples(NAMES, TYPES, CLAUSES, st.sampled_from([" ", "  ", "\n", "\t"])).map(
    lambda parts: parts[3].join(part for part in parts[:3] if part))
ELEMENTS = COLUMNS | st.sampled_from(
    ["PRIMARY KEY (a)", "CONSTRAINT k PRIMARY KEY (a)", "UNIQUE (a)", "LIKE t", "CHECK (1)"])


def outcome(text: str) -> object:
    try:
        return ddl.parse_ddl(text)
    except CatalogError as error:
        return type(error), str(error), error.position


@settings(max_examples=400, deadline=None)
@given(elements=st.lists(ELEMENTS, max_size=5), comma=st.sampled_from([",", ", ", " ,\n"]),
       end=st.sampled_from([")", "", ",)", " )"]))
def test_a_table_is_read_the_same_with_and_without_known_columns(elements: list[str], comma: str, end: str) -> None:
    text = f"CREATE TABLE t({comma.join(elements)}{end}"
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(ddl, "plain_columns", lambda _: [])
        expected = outcome(text)
    assert outcome(text) == expected


def test_columns_that_are_written_alike_are_read_once() -> None:
    columns._column_of.cache_clear()
    for table in range(20):
        ddl.parse_ddl(f'CREATE TABLE t{table}(row_id BIGINT, "a" INTEGER NOT NULL, b DECIMAL(18,3))')
    assert columns._column_of.cache_info().misses == 3


def test_reading_stops_before_what_is_not_plain() -> None:
    cursor = Cursor("a INTEGER,b TEXT, c TEXT DEFAULT 'x', d INTEGER)")
    assert columns.plain_columns(cursor) == [ColumnDefinition("a", types.INTEGER), ColumnDefinition("b", types.TEXT)]
    assert cursor.take(",")
    assert cursor.name() == "c"
    assert columns.plain_columns(cursor) == []
