from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rocklake_server.catalog.rollback.bounds import Bounds, extremes


def bounds_of(column_type: str, *texts: str) -> tuple[str | None, str | None]:
    bounds = Bounds(column_type)
    for text in texts:
        bounds.include(text, text)
    return bounds.least, bounds.greatest


@pytest.mark.parametrize(
    ("column_type", "texts", "expected"),
    [
        ("int32", ["10", "9", "-2"], ("-2", "10")),
        ("decimal(9,2)", ["10.50", "9.75"], ("9.75", "10.50")),
        ("float64", ["1e3", "20.0", "-inf"], ("-inf", "1e3")),
        ("varchar", ["b", "a", "ab"], ("a", "b")),
        ("date", ["2020-02-01", "2019-12-31"], ("2019-12-31", "2020-02-01")),
        ("timestamp", ["2020-01-01 00:00:00.5", "2020-01-01 00:00:00"],
         ("2020-01-01 00:00:00", "2020-01-01 00:00:00.5")),
        ("timestamptz", ["2020-01-01 00:00:00.5+00", "2020-01-01 00:00:00+00"],
         ("2020-01-01 00:00:00+00", "2020-01-01 00:00:00.5+00")),
        ("varchar", [], (None, None)),
        ("interval", ["1 day"], (None, None)),
    ],
)  # fmt: skip
def test_values_are_compared_as_their_type_is(
    column_type: str, texts: list[str], expected: tuple[str | None, str | None]
) -> None:
    assert bounds_of(column_type, *texts) == expected


@pytest.mark.parametrize(
    ("column_type", "text"),
    [("date", "0044-03-15 (BC)"), ("date", "10000-01-01"), ("timestamp", "infinity"), ("float32", "nan"),
     ("int8", "many")],
)  # fmt: skip
def test_a_value_whose_place_is_not_known_widens_to_all_of_the_type(column_type: str, text: str) -> None:
    assert bounds_of(column_type, text) == extremes(column_type)
    assert bounds_of(column_type, "2020-01-01", text, "2020-01-02") == extremes(column_type)


def test_an_unknown_bound_is_never_a_missing_one() -> None:
    bounds = Bounds("int16")
    bounds.include(None, "5")
    assert (bounds.least, bounds.greatest) == ("-32768", "32767")
    bounds.include("7", "7")
    assert (bounds.least, bounds.greatest) == ("-32768", "32767")


def test_extremes_of_numbers_are_those_of_their_width() -> None:
    assert extremes("uint8") == ("0", "255")
    assert extremes("decimal(4,2)") == ("-99.99", "99.99")
    assert extremes("decimal(3,0)") == ("-999", "999")
    assert extremes("decimal(2,2)") == ("-0.99", "0.99")
    assert extremes("interval") is None


@given(numbers=st.lists(st.integers(-(2**31), 2**31 - 1), min_size=1))
def test_bounds_of_integers_hold_every_one(numbers: list[int]) -> None:
    least, greatest = bounds_of("int32", *map(str, numbers))
    assert least is not None
    assert greatest is not None
    assert (Decimal(least), Decimal(greatest)) == (min(numbers), max(numbers))
