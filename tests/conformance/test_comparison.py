"""What counts as the expected result, and what does not."""

from __future__ import annotations

import hashlib

import pytest

from tests.conformance.comparison import Mismatch, compare, digest, expected_rows, is_hash, values_match
from tests.conformance.printing import Result, printed

TWO_ROWS = Result(("INTEGER", "VARCHAR"), (("2", "b"), ("1", "a")))


@pytest.mark.parametrize(
    ("got", "want", "type_name"),
    [
        ("a", "a", "VARCHAR"), ("NULL", "NULL", "INTEGER"), ("1", "true", "BOOLEAN"), ("0", "False", "BOOLEAN"),
        ("1.5", "1.50", "DECIMAL(4,1)"), ("7", "7.0", "BIGINT"), ("0.333333", "0.3334", "DOUBLE"),
        ("nan", "NaN", "FLOAT"),
        ("inf", "inf", "DOUBLE"), ("1e10", "10000000000", "DOUBLE"), ("any\nthing", "<REGEX>:any.*", "VARCHAR"),
        ("this", "<!REGEX>:that", "VARCHAR"),
    ],
)  # fmt: skip
def test_values_that_match(got: str, want: str, type_name: str) -> None:
    assert values_match(got, want, type_name)


@pytest.mark.parametrize(
    ("got", "want", "type_name"),
    [
        ("a", "A", "VARCHAR"), ("1", "1.0", "VARCHAR"), ("NULL", "0", "INTEGER"), ("0", "NULL", "DOUBLE"),
        ("1", "0", "BOOLEAN"), ("1.5", "1.51", "DECIMAL(4,2)"), ("1", "2", "DOUBLE"), ("1", "inf", "DOUBLE"),
        ("nan", "0", "FLOAT"), ("x", "1", "INTEGER"), ("anything", "<REGEX>:any", "VARCHAR"),
        ("that", "<!REGEX>:that", "VARCHAR"), ("12", "<REGEX>:1", "INTEGER"),
    ],
)  # fmt: skip
def test_values_that_do_not_match(got: str, want: str, type_name: str) -> None:
    assert not values_match(got, want, type_name)


def test_rows_are_a_line_each_or_a_value_a_line() -> None:
    compare(TWO_ROWS, ["2\tb", "1\ta"], "nosort")
    compare(TWO_ROWS, ["2", "b", "1", "a"], "nosort")


def test_order_counts_unless_a_sort_is_asked_for() -> None:
    with pytest.raises(Mismatch, match="row 1 column 1: 2 instead of 1"):
        compare(TWO_ROWS, ["1\ta", "2\tb"], "nosort")
    compare(TWO_ROWS, ["1\ta", "2\tb"], "rowsort")
    compare(TWO_ROWS, ["2", "1", "b", "a"], "valuesort")
    with pytest.raises(Mismatch):
        compare(TWO_ROWS, ["1\tb", "2\ta"], "rowsort")


@pytest.mark.parametrize(
    ("lines", "reason"),
    [
        (["2\tb"], "2 rows instead of 1"),
        ([], "2 rows instead of 0"),
        (["2\tb", "1\ta", "3\tc"], "2 rows instead of 3"),
        (["2\tb\tx", "1\ta\tx"], "another number of columns"),
        (["2", "b", "1"], "3 expected values do not make rows of 2"),
    ],
)
def test_other_shapes_are_mismatches(lines: list[str], reason: str) -> None:
    with pytest.raises(Mismatch, match=reason):
        compare(TWO_ROWS, lines, "nosort")


def test_a_single_column_may_hold_tabs() -> None:
    assert expected_rows(["a\tb"], 1, 1) == [["a\tb"]]


def test_a_digest_is_of_the_values_with_line_ends() -> None:
    md5 = hashlib.md5(b"1\na\n").hexdigest()
    assert digest(["1", "a"]) == f"2 values hashing to {md5}"
    assert digest(["1", "a"]) != digest(["1a", ""])
    assert is_hash([digest([])])
    assert not is_hash(["2 values hashing to x"])
    assert not is_hash([digest([]), "more"])


@pytest.mark.parametrize(
    ("value", "type_name", "text"),
    [(None, "VARCHAR", "NULL"), ("", "VARCHAR", "(empty)"), ("true", "BOOLEAN", "1"), ("a\0b", "VARCHAR", "a\\0b")],
)
def test_values_are_printed_as_files_write_them(value: str | None, type_name: str, text: str) -> None:
    assert printed(value, type_name) == text
