"""The fast reader reads what sqlglot reads, and leaves alone what is outside of its grammar."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlglot import exp

from rocklake_server.sql.parse import parse_tree
from rocklake_server.sql.values import (
    SLICE_ROWS_MAX,
    Cell,
    CteValues,
    FieldKind,
    InsertValues,
    ValuesUnfit,
    read_cte_values,
    read_insert_values,
)

_texts = st.text(st.sampled_from("ab'(),; \\\"-N1"), max_size=6).map(lambda text: text.replace("'", "''"))
_numbers = st.sampled_from(["0", "12", "- 3", "-4.5", "1e3", "0.5", "- 122.4194"])
_fields = st.one_of(
    _texts.map(lambda text: f"'{text}'"), _numbers, st.sampled_from(["NULL", "true", "FALSE", "NOW()"]),
    _texts.map(lambda text: f"CAST('{text}' AS VARCHAR)"), _texts.map(lambda text: f"'{text}' :: UUID"),
)
_lists = st.integers(1, 5).flatmap(
    lambda width: st.lists(st.lists(_fields, min_size=width, max_size=width), min_size=1, max_size=6))


def _read(found: InsertValues | CteValues) -> list[tuple[object, ...]]:
    """The rows, each value as ``(kind, text, type)`` or None."""
    rows: list[tuple[object, ...]] = []
    for part in found.slices():
        columns = []
        for column in part.columns:
            assert len(column.cells) == part.count
            columns.append([
                None if cell is None else (cell.kind, cell.text, cell.type_name) if isinstance(cell, Cell)
                else (column.kind, str(cell).lower() if cell in (True, False) else cell, column.type_name)
                for cell in column.cells
            ])
        rows += zip(*columns, strict=True)
    return rows


def _value(node: exp.Expression) -> object:
    match node:
        case exp.Null():
            return None
        case exp.Boolean():
            return FieldKind.BOOL, str(node.this).lower(), None
        case exp.Neg():
            return FieldKind.NUMBER, "-" + str(node.this.this), None
        case exp.Literal():
            return (FieldKind.STRING if node.is_string else FieldKind.NUMBER), str(node.this), None
        case exp.Cast():
            return FieldKind.CAST, str(node.this.this), node.to.sql(dialect="postgres")
        case exp.CurrentTimestamp():
            return FieldKind.NOW, "now", None
    raise AssertionError(repr(node))


@given(_lists, st.sampled_from([", ", ",", " , ", ",\n"]))
def test_rows_are_read_as_sqlglot_reads_them(rows: list[list[str]], separator: str) -> None:
    text = 'INSERT INTO "s".t (a, "B") VALUES ' + separator.join(f"({separator.join(row)})" for row in rows)
    found = read_insert_values(text)
    assert found is not None
    assert (found.target.schema, found.target.name, found.columns, found.width) == ("s", "t", ("a", "B"), len(rows[0]))
    tuples = parse_tree(text).expression.expressions
    assert _read(found) == [tuple(_value(field) for field in row.expressions) for row in tuples]


@given(_lists)
def test_the_rest_of_a_cte_statement_is_found(rows: list[list[str]]) -> None:
    head = f"WITH d(a, b) AS (\nVALUES {','.join('(' + ', '.join(row) + ')' for row in rows)}\n)\n"
    found = read_cte_values(head + "UPDATE t SET x = 1")
    assert found is not None
    assert (found.name, found.columns, found.rest_start) == ("d", ("a", "b"), len(head))
    assert len(_read(found)) == len(rows)


def test_slices_are_bounded() -> None:
    text = "INSERT INTO t VALUES " + ",".join(f"({number}, 'x')" for number in range(SLICE_ROWS_MAX * 2 + 1))
    found = read_insert_values(text)
    assert found is not None
    counts = [part.count for part in found.slices()]
    assert counts == [SLICE_ROWS_MAX, SLICE_ROWS_MAX, 1]
    assert [row[0] for row in _read(found)] == [
        (FieldKind.NUMBER, str(number), None) for number in range(SLICE_ROWS_MAX * 2 + 1)]


@pytest.mark.parametrize("tail", [
    "(1),(1,2)", "(1)(2)", "(1) (2)", "(1),", "(1) RETURNING (a)", "(1), (a)", "(1), (DEFAULT)", "(1),(1+1)",
    "(1), ('a' 'b')", "(1), (E'a')", "(1) ON CONFLICT DO NOTHING", "(1),((2))", "(1),(2", "(1),(2) /* c */",
])
def test_other_forms_are_left_to_the_parser(tail: str) -> None:
    found = read_insert_values("INSERT INTO t VALUES " + tail)
    assert found is not None
    with pytest.raises(ValuesUnfit):
        list(found.slices())


@pytest.mark.parametrize("text", [
    "INSERT INTO t SELECT 1", "INSERT INTO t DEFAULT VALUES", "INSERT INTO t AS u VALUES (1)", "SELECT 1",
    "INSERT INTO t VALUES (a)", "INSERT INTO t VALUES (1", "INSERT INTO t VALUES (E'a')", "INSERT INTO t VALUES",
    "INSERT INTO t VALUES ('x'::decimal + 1)",
])
def test_other_statements_are_none(text: str) -> None:
    assert read_insert_values(text) is None
