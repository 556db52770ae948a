"""Reading test files: records, expected lines, blocks, and what the dialect does not have."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.conformance.dialect import LOOPS, SINGLE_LINE, Condition, Record, parse
from tests.conformance.exchange import FileFailed


def lines(*text: str) -> str:
    return "\n".join(text) + "\n"


def test_statements_and_queries_carry_sql_and_expected_lines() -> None:
    text = lines(
        "# a comment", "", "statement ok con1", "CREATE TABLE t(", "  i INTEGER)", "",
        "query IT rowsort label", "SELECT 1, 'x'", "----", "1\tx", "# not a comment", "",
        "statement error", "bad", "----", "Parser Error", "",
    )  # fmt: skip
    create, select, bad = parse(text)
    assert create == Record("statement", 3, ("ok", "con1"), "CREATE TABLE t(\n  i INTEGER)")
    assert select == Record("query", 7, ("IT", "rowsort", "label"), "SELECT 1, 'x'", ("1\tx", "# not a comment"))
    assert bad == Record("statement", 13, ("error",), "bad", ("Parser Error",))


def test_no_expected_lines_differ_from_no_separator() -> None:
    without, empty = parse(lines("query I", "SELECT 1", "", "query I", "SELECT 1", "----", ""))
    assert (without.expected, empty.expected) == (None, ())


def test_a_comment_ends_the_sql() -> None:
    (record,) = parse(lines("statement ok", "SELECT 1", "# SELECT 2", ""))
    assert record.sql == "SELECT 1"


def test_line_ends_of_windows_are_no_part_of_the_text() -> None:
    assert parse("query I\r\nSELECT 1\r\n----\r\n1\r\n") == parse("query I\nSELECT 1\n----\n1\n")


def test_loops_hold_their_records() -> None:
    outer, after = parse(
        lines("loop i 0 2", "foreach x a b", "statement ok", "SELECT 1", "", "endloop", "tags x", "endloop", "halt")
    )
    assert (outer.kind, outer.arguments, after.kind) == ("loop", ("i", "0", "2"), "halt")
    assert [record.kind for record in outer.body] == ["foreach", "tags"]
    assert [record.kind for record in outer.body[0].body] == ["statement"]


def test_mode_skip_leaves_out_even_unknown_commands() -> None:
    text = lines("mode skip", "unheard of", "query", "mode unskip", "statement ok", "SELECT 1")
    assert [record.line for record in parse(text)] == [5]


@pytest.mark.parametrize(
    ("line", "kept"),
    [("skipif duckdb", False), ("onlyif duckdb", True), ("onlyif sqlite", False), ("skipif sqlite", True)],
)
def test_records_for_one_system(line: str, kept: bool) -> None:
    text = lines(line, "statement ok", "SELECT 1", "", "statement ok", "SELECT 2")
    assert [record.sql for record in parse(text)] == (["SELECT 1"] if kept else []) + ["SELECT 2"]


def test_a_whole_loop_can_be_left_out() -> None:
    text = lines("skipif duckdb", "loop i 0 2", "statement ok", "SELECT 1", "", "endloop", "halt")
    assert [record.kind for record in parse(text)] == ["halt"]


def test_conditions_on_loop_variables_go_with_the_next_record_only() -> None:
    loop, _ = parse(lines("loop i 0 3", "skipif i=1", "onlyif i<2", "halt", "halt", "endloop", "halt"))
    first, second = loop.body
    assert first.conditions == (Condition(True, "i", "=", "1"), Condition(False, "i", "<", "2"))
    assert second.conditions == ()


@pytest.mark.parametrize(
    ("skip", "operator", "value", "allowed"),
    [
        (True, "=", "5", False), (False, "=", "5", True), (False, "!=", "5", False), (False, "<>", "6", True),
        (False, "<", "10", True), (True, "<", "10", False), (False, ">=", "6", False), (False, "<=", "5", True),
        (False, ">", "10", False),
    ],
)  # fmt: skip
def test_conditions_compare_numbers_by_value(skip: bool, operator: str, value: str, allowed: bool) -> None:
    assert Condition(skip, "i", operator, value).allows({"i": "5"}) is allowed


def test_a_condition_on_an_unknown_name_fails_the_file() -> None:
    with pytest.raises(FileFailed, match="j is not a loop variable"):
        Condition(True, "j", "=", "1").allows({"i": "1"})


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        ("\nunheard of\n", 2, "unknown command: unheard of"),
        ("statement good\nSELECT 1\n", 1, "unknown statement kind: statement good"),
        ("statement\nSELECT 1\n", 1, "unknown statement kind: statement"),
        ("query X\nSELECT 1\n", 1, "unknown type string: query X"),
        ("loop i 0 2\nhalt\n", 3, "loop without endloop"),
    ],
)
def test_what_the_dialect_does_not_have_is_refused_with_its_line(text: str, line: int, reason: str) -> None:
    with pytest.raises(FileFailed) as caught:
        parse(text)
    assert (caught.value.kind, caught.value.line, caught.value.reason) == ("dialect", line, reason)


@given(st.lists(st.sampled_from(sorted(SINGLE_LINE - {"endloop"})), max_size=6), st.sampled_from(sorted(LOOPS)))
def test_every_command_is_read_inside_and_outside_of_loops(commands: list[str], loop: str) -> None:
    inside = parse(lines(f"{loop} i 0 2", *commands, "endloop"))
    assert [record.kind for record in inside[0].body] == commands
    assert [record.kind for record in parse(lines(*commands))] == commands


@given(st.lists(st.text(st.characters(exclude_characters="\r\n", exclude_categories=["Cs"])).filter(str.strip)))
def test_expected_lines_are_kept_as_they_are(expected: list[str]) -> None:
    (record,) = parse(lines("query T", "SELECT 1", "----", *expected, ""))
    assert record.expected == tuple(expected)
