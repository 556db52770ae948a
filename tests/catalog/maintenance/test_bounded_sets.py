"""Sets of ids and of entries that take little memory say what ordinary ones say."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from rocklake_server.catalog.maintenance.entry_sums import EntrySums, bucket_of
from rocklake_server.catalog.maintenance.id_set import IdSet

NUMBERS = st.integers(-(2**63), 2**63 - 1) | st.integers(-3000, 3000)
ENTRIES = st.sets(st.tuples(st.binary(max_size=3), st.binary(max_size=2)), max_size=20)


@given(st.lists(NUMBERS), st.lists(NUMBERS))
def test_a_set_of_ids_holds_what_was_added(added: list[int], asked: list[int]) -> None:
    ids, expected = IdSet(), set[int]()
    for number in added:
        assert ids.add(number) == (number not in expected)
        expected.add(number)
    assert all((number in ids) == (number in expected) for number in (*added, *asked))


@given(ENTRIES, ENTRIES)
def test_buckets_differ_where_entries_do(left: set[tuple[bytes, bytes]], right: set[tuple[bytes, bytes]]) -> None:
    sides = []
    for entries in (left, right):
        sums = EntrySums()
        for key, value in entries:
            sums.add(key, value)
        sides.append(sums)
    differing = sides[0].differing(sides[1])
    assert differing == {bucket_of(*entry)[0] for entry in left ^ right}
    assert differing == sides[1].differing(sides[0])
