"""A COPY that is read by its shape is the statement that its own text says."""

from __future__ import annotations

import pytest

from rocklake_server.errors import CatalogError
from rocklake_server.sql.copy_shapes import CopyShapes
from rocklake_server.sql.parse import _parse_anew
from rocklake_server.sql.statements import CopyOut, Query, UtilityStatement

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


@pytest.fixture
def anew() -> list[str]:
    """The texts that were parsed."""
    return []


@pytest.fixture
def shapes() -> CopyShapes:
    return CopyShapes()


def parsed(shapes: CopyShapes, text: str, anew: list[str]) -> UtilityStatement | Query:
    def parse(given: str) -> UtilityStatement | Query:
        anew.append(given)
        return _parse_anew(given)

    return shapes.parse(text, parse)


@pytest.mark.parametrize("query", QUERIES)
def test_the_second_text_of_a_shape_gives_what_parsing_it_gives(
        shapes: CopyShapes, anew: list[str], query: str) -> None:
    for value in ("1", "22", "333", "o''clock" if "'{" in query else "4"):
        text = f"COPY ({query.format(value)}){BINARY}"
        found, expected = parsed(shapes, text, anew), _parse_anew(text)
        assert found == expected
        assert isinstance(found, CopyOut)
        assert isinstance(expected, CopyOut)
        assert found.query is not None
        assert expected.query is not None
        assert found.query.template == expected.query.template


def test_it_is_parsed_once(shapes: CopyShapes, anew: list[str]) -> None:
    for number in range(10):
        parsed(shapes, f"COPY (SELECT {number}){BINARY}", anew)
    assert len(anew) == 1


@pytest.mark.parametrize("text", [
    "SELECT 1", "COPY t TO STDOUT", "COPY t FROM STDIN", "COPY (SELECT 1) TO STDOUT (DELIMITER '|')",
    "COPY (SELECT a -- 1) TO STDOUT\n) TO STDOUT",
])
def test_other_texts_are_parsed_each_time_as_they_are(shapes: CopyShapes, anew: list[str], text: str) -> None:
    for _ in range(3):
        assert parsed(shapes, text, anew) == _parse_anew(text)


@pytest.mark.parametrize("behind", ["", " TO", " TO STDOUT (FORMAT csv)", " TO 'file'", f"{BINARY} x", ")"])
def test_refusals_stay_refusals(shapes: CopyShapes, anew: list[str], behind: str) -> None:
    parsed(shapes, f"COPY (SELECT 1){BINARY}", anew)
    for number in range(2):
        text = f"COPY (SELECT {number}){behind}"
        with pytest.raises(CatalogError) as expected:
            _parse_anew(text)
        with pytest.raises(type(expected.value)) as found:
            parsed(shapes, text, anew)
        assert (str(found.value), found.value.position) == (str(expected.value), expected.value.position)


def test_the_shapes_that_are_kept_are_bounded(shapes: CopyShapes, anew: list[str]) -> None:
    for number in range(2000):
        parsed(shapes, f"COPY (SELECT a{number} FROM t WHERE n = {number}){BINARY}", anew)
    assert len(shapes._shapes) <= 512
