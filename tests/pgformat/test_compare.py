"""Ordering without a server: keys are a total order, and native order is claimed only where it holds."""

from __future__ import annotations

import itertools
import math
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rocklake_server.pgformat.compare import comparator, natively_ordered, sort_key
from rocklake_server.schema import types
from rocklake_server.schema.types import ALL_TYPES, ColumnType, array_of
from tests.pgformat.strategies import values

by_name = pytest.mark.parametrize("column_type", ALL_TYPES, ids=lambda t: t.typname)


@by_name
@given(data=st.data())
@settings(max_examples=30)
def test_keys_are_hashable_and_totally_ordered(column_type: ColumnType, data: st.DataObject) -> None:
    a, b = data.draw(values(column_type)), data.draw(values(column_type))
    key, compare = sort_key(column_type), comparator(column_type)
    assert compare(a, a) == 0
    assert compare(a, b) == -compare(b, a)
    assert (compare(a, b) == 0) == (key(a) == key(b))
    if key(a) == key(b):
        assert hash(key(a)) == hash(key(b))


@by_name
@given(data=st.data())
@settings(max_examples=30)
def test_native_order_is_the_values_own(column_type: ColumnType, data: st.DataObject) -> None:
    if natively_ordered(column_type):
        a, b = data.draw(values(column_type)), data.draw(values(column_type))
        assert comparator(column_type)(a, b) == (a > b) - (a < b)
    else:
        assert column_type.form in (types.Form.FLOAT, types.Form.NUMERIC, types.Form.INTERVAL, types.Form.TIMETZ,
                                    types.Form.ARRAY, types.Form.TEXT)


@pytest.mark.parametrize(("column_type", "ascending"), [
    (types.DOUBLE, [-math.inf, -1.5, 0.0, math.inf, math.nan]),
    (types.NUMERIC, [Decimal("-Infinity"), Decimal("1.0"), Decimal("1.01"), Decimal("Infinity"), Decimal("NaN")]),
    (types.TEXT, ["", "A", "a", "a\u00e9", "\uffff", "\U00010000"]),
    (types.INTERVAL, [(0, -1, 0), (0, 0, 1), (0, 29, 0), (1, 0, 1), (0, 31, 0)]),
    (types.TIMETZ, [(0, 0), (3_600_000_000, -3600 + 3600), (3_600_000_000, 3600)]),
    (array_of(types.INTEGER), [(), (1,), (1, 2), (1, None), (2,), (None,)]),
])
def test_examples_ascend(column_type: ColumnType, ascending: list[object]) -> None:
    compare = comparator(column_type)
    for low, high in itertools.pairwise(ascending):
        assert compare(low, high) == -1


def test_equal_values_of_different_forms() -> None:
    assert comparator(types.NUMERIC)(Decimal("1.0"), Decimal("1.000")) == 0
    assert comparator(types.DOUBLE)(0.0, -0.0) == 0
    assert comparator(types.DOUBLE)(math.nan, -math.nan) == 0
    assert comparator(types.INTERVAL)((1, 0, 0), (0, 30, 0)) == 0
    assert comparator(types.BPCHAR)("a ", "a") == 0
