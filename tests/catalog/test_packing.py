"""Packed columns, keys and chunks give back exactly what went in."""

from __future__ import annotations

from decimal import Decimal
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rocklake_server.catalog import chunk as chunk_module
from rocklake_server.catalog.chunk import PackedChunk, RowChunk, chunk_of, rows_bytes
from rocklake_server.catalog.derived import BoundedCache
from rocklake_server.catalog.packing import Constant, PackedKeys, pack_column
from rocklake_server.catalog.view import Bounds, Interval, Now, Row
from rocklake_server.limits import PACKED_ROWS_MIN
from rocklake_server.schema.types import SCALARS, Value
from rocklake_server.store.base import Key
from tests.strategies import values_of

KINDS = [values_of(scalar) for scalar in SCALARS if scalar.storable]
few = st.sampled_from(("", "a", "b\u00e9", None))
columns = st.one_of(
    *(st.lists(st.none() | kind, min_size=1, max_size=30) for kind in KINDS),
    st.lists(few, min_size=1, max_size=60),
    st.lists(st.integers(-1, 300), min_size=1, max_size=900),
    st.lists(st.floats() | st.none(), min_size=1),
)


def identical(left: Value, right: Value) -> bool:
    """Equal to the last bit and of one type: 1 is not true, 0.0 is not -0.0, 1.0 is not 1.00."""
    return type(left) is type(right) and repr(left) == repr(right)


def require_same(given_: list[Value], found: list[Value]) -> None:
    assert len(found) == len(given_)
    assert all(identical(a, b) for a, b in zip(given_, found, strict=True))


@given(columns)
@settings(max_examples=400, deadline=None)
def test_a_column_gives_back_what_was_packed(values: list[Value]) -> None:
    column = pack_column(values)
    require_same(values, list(column.values()))
    require_same(values, list(column.values()))
    assert {repr(value) for value in column.distinct()} == {repr(value) for value in values}


@pytest.mark.parametrize("values", [
    [1, True, 1.0, Decimal(1)], [0.0, -0.0] * 40, [Decimal("1.0"), Decimal("1.00")] * 40, [Now(5)] * 40,
    ["a\0b", "c"], ["\ud800"] * 3 + ["b"], [2**63 - 1, -(2**63)], [2**70, 1], [None] * 5, [True, None, False] * 30,
    [(1, 2), (3, 4), None], [b"\0", b""], list(range(300)), [None, *range(300)], [0, 2**32 - 1], [-1, 2**32],
])
def test_values_that_look_alike_stay_apart(values: list[Value]) -> None:
    require_same(values, list(pack_column(values).values()))


def test_a_column_of_one_value_takes_no_memory_for_each_row() -> None:
    assert isinstance(pack_column(["parquet"] * 2000), Constant)
    assert pack_column(list(range(10**6, 10**6 + 2000))).size_bytes == 4 * 2000
    assert pack_column([7, 8] * 1000).size_bytes < 2200


@given(st.lists(st.binary(max_size=6) | st.binary(min_size=3, max_size=3).map(b"\x13\0".__add__), min_size=1),
       st.integers(-70, 70), st.integers(-70, 70))
def test_keys_give_back_what_was_packed(keys: list[bytes], start: int, stop: int) -> None:
    packed = PackedKeys([Key(key) for key in keys])
    assert list(packed) == keys
    assert [packed[place] for place in range(-len(keys), len(keys))] == keys * 2
    assert packed[start:stop] == keys[start:stop]
    for place in (len(keys), -len(keys) - 1):
        with pytest.raises(IndexError):
            packed[place]


@st.composite
def entries(draw: st.DrawFn) -> tuple[list[Key], list[Row]]:
    content: dict[bytes, tuple[Value, ...]] = draw(st.dictionaries(
        st.binary(min_size=1, max_size=3), st.tuples(st.none() | st.integers(-3, 9), few, st.floats(width=16)),
        min_size=1, max_size=40))
    ctids = draw(st.permutations(range(len(content)))) if draw(st.booleans()) else range(len(content))
    keys = sorted(content)
    return [Key(key) for key in keys], [(*content[key], ctid) for key, ctid in zip(keys, ctids, strict=True)]


def shown(chunk: RowChunk | None) -> object:
    return None if chunk is None else ([*chunk.keys], [*map(repr, chunk.rows)])


@given(entries(), st.binary(max_size=2), st.none() | st.binary(max_size=2), st.integers(-4, 10), few,
       st.sampled_from((0, 1000, 1 << 20)))
@settings(max_examples=300, deadline=None)
def test_a_packed_chunk_answers_as_a_plain_one(
    content: tuple[list[Key], list[Row]], start: bytes, stop: bytes | None, number: int, text: str | None, room: int
) -> None:
    """Also when there is no room for what it derives."""
    with patch.object(chunk_module, "unpacked", BoundedCache(room, rows_bytes)):
        plain = RowChunk(*content)
        packed = plain.packed()
        assert isinstance(packed, PackedChunk)
        assert packed.packed() is packed
        for _ in range(2):
            assert shown(packed) == shown(plain)
            assert len(packed.rows) == len(plain.rows)
            assert [packed.zone(column) for column in range(4)] == [plain.zone(column) for column in range(4)]
            assert shown(packed.between(start, stop)) == shown(plain.between(start, stop))
            assert shown(packed.in_insertion_order()) == shown(plain.in_insertion_order())
            assert packed.in_insertion_order().in_insertion_order() is packed.in_insertion_order()
            assert packed.keys_by((0, 3)) == plain.keys_by((0, 3))
        bounds = Bounds({1: frozenset({text})} if text else {}, {0: Interval(number, None)})
        assert packed.may_match(bounds) == plain.may_match(bounds)
        more = [Key(b"\xff\xff\xff\xff" + bytes([place])) for place in range(2)]
        rows: list[Row] = [(number, text, 0.5, 1000), (None, None, -0.0, 1001)]
        assert shown(packed.appended(more, rows)) == shown(plain.appended(more, rows))


def test_what_is_known_of_a_chunk_survives_packing() -> None:
    plain = RowChunk([Key(bytes([n])) for n in range(9)], [(n, n) for n in range(9)])
    plain.encodings["projection"] = b"bytes"
    zone = plain.zone(0)
    packed = plain.packed()
    assert packed.encodings.get("projection") == b"bytes"
    assert packed.zone(0) is zone


def test_chunks_of_many_rows_are_packed_and_small() -> None:
    keys = [Key(b"\x13" + n.to_bytes(8, "big")) for n in range(PACKED_ROWS_MIN)]
    rows: list[Row] = [(n, 1, "parquet", None, str(n), n) for n in range(PACKED_ROWS_MIN)]
    assert not isinstance(chunk_of(keys[:-1], rows[:-1]), PackedChunk)
    packed = chunk_of(keys, rows)
    assert isinstance(packed, PackedChunk)
    assert packed.size_bytes * 10 < RowChunk(keys, rows).size_bytes
