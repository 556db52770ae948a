"""Order-preserving primitives: bounds, escapes, and text that no client can send but a key must survive."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rocklake_server.encoding import ordered
from rocklake_server.errors import CorruptValue, NumericOutOfRange

any_text = st.text(st.characters(exclude_categories=("Cs",)) | st.just("\0"), max_size=12)


@given(st.lists(any_text, max_size=4))
def test_texts_in_a_row_are_read_back_one_by_one(values: list[str]) -> None:
    encoded = b"".join(map(ordered.encode_text, values))
    offset, decoded = 0, []
    while offset < len(encoded):
        value, offset = ordered.decode_text(encoded, offset)
        decoded.append(value)
    assert decoded == values


@given(any_text, any_text)
def test_text_order_is_code_point_order(low: str, high: str) -> None:
    assert (ordered.encode_text(low) < ordered.encode_text(high)) == (low < high)


@given(st.integers(-(2**63) + 1, 2**63 - 1))
def test_integers_are_read_back(value: int) -> None:
    assert ordered.decode_int(ordered.encode_int(value), 0) == (value, 8)


def test_null_is_what_no_integer_and_no_text_is() -> None:
    assert ordered.encode_int(None) == ordered.encode_text(None) == bytes.fromhex("8000000000000000")
    assert ordered.decode_int(ordered.NULL, 0) == ordered.decode_text(ordered.NULL, 0) == (None, 8)
    with pytest.raises(NumericOutOfRange):
        ordered.encode_int(-(2**63))


def test_nul_is_escaped() -> None:
    assert ordered.encode_text("a\0b").hex() == "6100ff620000"


@pytest.mark.parametrize("broken", ["", "61", "6100", "610001", "80", "8000000000000001", "c30000"])
def test_broken_text_is_corrupt(broken: str) -> None:
    with pytest.raises(CorruptValue):
        ordered.decode_text(bytes.fromhex(broken), 0)
