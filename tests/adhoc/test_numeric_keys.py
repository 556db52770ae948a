"""Keys of numerics order and compare as the numbers do."""

from __future__ import annotations

from decimal import Decimal

from hypothesis import given
from hypothesis import strategies as st

from rocklake_server.adhoc.numeric_keys import numeric_key
from rocklake_server.pgformat.compare import sort_key
from rocklake_server.schema.types import NUMERIC

numbers = st.one_of(
    st.decimals(allow_nan=False, allow_infinity=True),
    st.builds(lambda digits, scale: Decimal(digits).scaleb(-scale), st.integers(-10**30, 10**30), st.integers(0, 30)),
    st.sampled_from(["0", "0.00", "-0", "1", "1.0", "1.10", "-1", "-1.00", "10", "9.99", "NaN"]).map(Decimal),
).map(lambda value: Decimal(0) if value == 0 else value)


@given(numbers, numbers)
def test_keys_order_as_numbers_do(left: Decimal, right: Decimal) -> None:
    order = sort_key(NUMERIC)
    assert (numeric_key(left) < numeric_key(right)) == (order(left) < order(right))
    assert (numeric_key(left) == numeric_key(right)) == (order(left) == order(right))
