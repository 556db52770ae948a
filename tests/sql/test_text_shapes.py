"""A text that is read by its shape gives the statements that its own parsing gives."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rocklake_server.errors import CatalogError
from rocklake_server.sql.parse import _all_statements
from rocklake_server.sql.statements import CopyOut, Query, UtilityStatement
from rocklake_server.sql.text_shapes import Statement, TextShapes

BINARY = ' TO STDOUT (FORMAT "binary")'
QUERIES = (
    "SELECT \"a\" FROM \"public\".t WHERE \"n\" <= '{}'",
    "SELECT a FROM t WHERE n = {0} AND b IN ('x', '{0}')",
    "(SELECT a FROM t WHERE n = {}) UNION (SELECT ')' FROM t)",
    "SELECT 'a ({}' AS \"b)\"",
    "  SELECT {} \n",
    "SELECT a -- {}\n FROM t",
    "SELECT $${}$$",
    "WITH c AS (SELECT {}) SELECT * FROM c",
)
BATCHES = (
    "SELECT {}",
    "SELECT {};",
    "INSERT INTO t VALUES ({0}, NOW(), '{0}', -{0});UPDATE t SET a={0} WHERE b = 'x;{0}'; ",
    "BEGIN; INSERT INTO \"a;b\" VALUES ('{0}');\nCOMMIT",
    "CREATE TABLE IF NOT EXISTS t(a INTEGER); INSERT INTO t VALUES ({0}), ({0})",
    "CREATE TABLE t(a INTEGER DEFAULT {0});SELECT {0}",
    "WITH v(a) AS (VALUES ({0}, 'y'), ({0}, NULL))\nUPDATE t SET b = v.a FROM v WHERE v.a = t.a;"
    "DELETE FROM t WHERE a IN (1, {0})",
    "SET statement_timeout = {0}; SELECT {0}",
    f"SELECT 1; COPY (SELECT {{0}}){BINARY};  COPY (SELECT '{{0}}', {{0}} FROM t){BINARY}",
    ";;SELECT {0};;  ;SELECT 'a'",
)


@pytest.fixture
def anew() -> list[str]:
    """The texts that were parsed."""
    return []


@pytest.fixture
def shapes() -> TextShapes:
    return TextShapes()


def parsed(shapes: TextShapes, text: str, anew: list[str]) -> tuple[Statement, ...]:
    def parse(given_text: str) -> tuple[UtilityStatement | Query, ...]:
        anew.append(given_text)
        return _all_statements(given_text)

    return shapes.parse(text, parse)


def query_of(statement: Statement) -> Query | None:
    return statement.query if isinstance(statement, CopyOut) else statement if isinstance(statement, Query) else None


def require_same(found: tuple[Statement, ...], expected: tuple[Statement, ...]) -> None:
    assert found == expected
    for one, other in zip(map(query_of, found), map(query_of, expected), strict=True):
        assert (one is None) == (other is None)
        if one is not None and other is not None:
            assert (one.text, one.offset, one.template) == (other.text, other.offset, other.template)


@pytest.mark.parametrize("text", [*(f"COPY ({query}){BINARY}" for query in QUERIES), *BATCHES])
def test_a_later_text_of_a_shape_gives_what_parsing_it_gives(shapes: TextShapes, anew: list[str], text: str) -> None:
    for value in ("1", "22", "333", "o''clock" if "'{" in text and "{0}" not in text else "4"):
        given_text = text.format(value)
        require_same(parsed(shapes, given_text, anew), _all_statements(given_text))


@given(values=st.lists(st.integers(0, 10**12), min_size=3, max_size=3), texts=st.lists(
    st.text(st.characters(codec="utf-8", exclude_characters="'\0")), min_size=3, max_size=3))
def test_whatever_the_literals_are(values: list[int], texts: list[str]) -> None:
    shapes = TextShapes()
    for value, content in zip(values, texts, strict=True):
        text = f"INSERT INTO t VALUES ({value}, '{content}');COPY (SELECT a FROM t WHERE b = '{content}'){BINARY};"
        require_same(parsed(shapes, text, []), _all_statements(text))


@pytest.mark.parametrize("text", [
    f"COPY (SELECT {{0}}){BINARY}",
    "INSERT INTO t VALUES ({0}, '{0}');UPDATE t SET a = {0};CREATE TABLE u(a INTEGER)",
])
def test_it_is_parsed_until_it_has_come_twice(shapes: TextShapes, anew: list[str], text: str) -> None:
    for number in range(10):
        parsed(shapes, text.format(number), anew)
    assert len(anew) == 2


@pytest.mark.parametrize("text", [
    "COPY t TO STDOUT", "COPY t FROM STDIN", "COPY (SELECT 1) TO STDOUT (DELIMITER '|')", "SET a.b = 'x'",
    "COPY (SELECT a -- 1) TO STDOUT\n) TO STDOUT", "SELECT E'\\n'; SELECT 1", "", " ; ",
])
def test_other_texts_are_parsed_as_they_are(shapes: TextShapes, anew: list[str], text: str) -> None:
    for _ in range(3):
        require_same(parsed(shapes, text, anew), _all_statements(text))


@pytest.mark.parametrize("behind", ["", " TO", " TO STDOUT (FORMAT xml)", " TO 'file'", f"{BINARY} x", ")"])
def test_refusals_stay_refusals(shapes: TextShapes, anew: list[str], behind: str) -> None:
    for number in range(3):
        parsed(shapes, f"COPY (SELECT {number}){BINARY}", anew)
    for number in range(3):
        text = f"COPY (SELECT {number}){behind}"
        with pytest.raises(CatalogError) as expected:
            _all_statements(text)
        with pytest.raises(type(expected.value)) as found:
            parsed(shapes, text, anew)
        assert (str(found.value), found.value.position) == (str(expected.value), expected.value.position)


def test_what_is_kept_is_bounded(shapes: TextShapes, anew: list[str]) -> None:
    for number in range(6000):
        for value in (1, 2):
            parsed(shapes, f"COPY (SELECT a{number} FROM t WHERE n = {value}){BINARY}", anew)
    assert len(shapes._shapes) <= 512
    assert len(shapes._seen) <= 4096
