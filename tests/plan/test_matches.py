"""The rows that UPDATE and DELETE are about, found by a list of values first, are those that meet the condition."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rocklake_server.catalog.chunk import PackedChunk, RowChunk
from rocklake_server.catalog.view import EVERYTHING, Bounds, Row
from rocklake_server.plan.operators import _matches
from rocklake_server.store.base import Key

rows = st.lists(st.tuples(st.integers(0, 40) | st.none(), st.integers(0, 3) | st.none()), max_size=200)


@pytest.mark.parametrize("packed", [False, True])
@given(rows, st.frozensets(st.integers(0, 40), max_size=40), st.integers(0, 3), st.booleans())
@settings(max_examples=200, deadline=None)
def test_listed_values_narrow_and_do_not_decide(
        packed: bool, values: list[Row], wanted: frozenset[int], other: int, is_listed: bool) -> None:
    keys = [Key(b"key%04d" % place) for place in range(len(values))]
    whole = [(*value, place) for place, value in enumerate(values)]
    chunk = RowChunk(keys, whole)
    if packed and whole:
        chunk = chunk.packed()
        assert isinstance(chunk, PackedChunk)

    def keeps(row: Row) -> bool:
        return row[0] in wanted and row[1] == other

    found = _matches(chunk, Bounds({0: wanted}) if is_listed else EVERYTHING, keeps)
    assert found == [(key, row) for key, row in zip(keys, whole, strict=True) if keeps(row)]


def test_without_a_condition_all_rows_match() -> None:
    chunk = RowChunk([Key(b"a"), Key(b"b")], [(1, 10), (2, 11)])
    assert _matches(chunk, EVERYTHING, None) == [(b"a", (1, 10)), (b"b", (2, 11))]
