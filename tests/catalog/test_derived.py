"""What can be derived again is kept within its bytes, and goes with its owner."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from rocklake_server.catalog.derived import BoundedCache, Derived


def test_what_was_not_used_for_longest_goes_first() -> None:
    cache: BoundedCache[bytes] = BoundedCache(10, len)
    first, second = Derived(cache), Derived(cache)
    first["a"] = b"1234"
    second["a"] = b"5678"
    assert first.get("a") == b"1234"
    second["b"] = b"90"
    assert cache.bytes == 10
    second["c"] = b"ab"
    assert (first.get("a"), second.get("a"), second.get("b"), second.get("c")) == (b"1234", None, b"90", b"ab")
    assert (len(first), len(second)) == (1, 2)


def test_what_is_larger_than_the_cache_is_not_kept() -> None:
    cache: BoundedCache[bytes] = BoundedCache(3, len)
    owner = Derived(cache)
    owner["small"] = b"1"
    owner["large"] = b"1234"
    assert owner.get("large") is None
    assert owner.get("small") == b"1"


def test_what_an_owner_had_is_given_back_when_it_goes() -> None:
    cache: BoundedCache[bytes] = BoundedCache(10, len)
    owner, other = Derived(cache), Derived(cache)
    owner["a"] = b"123"
    other["a"] = b"4"
    del owner
    assert cache.bytes == 1
    other["a"] = b"56"
    assert cache.bytes == 2


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3), st.binary(max_size=7))))
def test_the_bytes_are_those_of_what_is_there(steps: list[tuple[int, int, bytes]]) -> None:
    cache: BoundedCache[bytes] = BoundedCache(12, len)
    owners = [Derived(cache) for _ in range(4)]
    written: dict[tuple[int, int], bytes] = {}
    for place, name, value in steps:
        owners[place][name] = value
        written[place, name] = value
        present = {key: found for key in written if (found := owners[key[0]].get(key[1])) is not None}
        assert all(written[key] == found for key, found in present.items())
        assert cache.bytes == sum(map(len, present.values())) <= 12
        assert len(value) > 12 or owners[place].get(name) == value
