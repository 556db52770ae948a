"""Visibility of versions, against what the definition says snapshot by snapshot."""

from __future__ import annotations

from dataclasses import dataclass

from hypothesis import given
from hypothesis import strategies as st

from rocklake_server.catalog.mvcc import is_gc_eligible, is_visible, is_visible_in_any, latest_visible_version

LAST = 12
numbers = st.integers(0, LAST)


@dataclass(frozen=True)
class Version:
    begin_snapshot: int
    end_snapshot: int | None


versions = st.builds(Version, numbers, st.none() | numbers)


def snapshots_with(begin: int, end: int | None) -> set[int]:
    """The snapshots of a small lake that a version belongs to: from its begin up to, not including, its end."""
    return set(range(begin, LAST + 2 if end is None else end))


@given(numbers, st.none() | numbers, numbers)
def test_a_version_is_visible_from_its_begin_up_to_its_end(begin: int, end: int | None, snapshot: int) -> None:
    assert is_visible(begin, end, snapshot) is (snapshot in snapshots_with(begin, end))


@given(numbers, st.none() | numbers, st.sets(numbers))
def test_some_snapshots_have_a_version_when_one_of_them_has(begin: int, end: int | None, snapshots: set[int]) -> None:
    assert is_visible_in_any(begin, end, sorted(snapshots)) is bool(snapshots & snapshots_with(begin, end))


@given(st.lists(versions, max_size=6), numbers)
def test_of_several_visible_versions_the_one_that_began_last_is_taken(found: list[Version], snapshot: int) -> None:
    visible = [v for v in found if snapshot in snapshots_with(v.begin_snapshot, v.end_snapshot)]
    chosen = latest_visible_version(found, snapshot)
    if not visible:
        assert chosen is None
    else:
        assert chosen in visible
        assert all(v.begin_snapshot <= chosen.begin_snapshot for v in visible)


@given(versions, numbers)
def test_a_version_may_be_collected_once_no_snapshot_that_is_kept_sees_it(version: Version, retain_from: int) -> None:
    kept = set(range(retain_from, LAST + 2))
    seen = kept & snapshots_with(version.begin_snapshot, version.end_snapshot)
    began_and_ended = version.end_snapshot is not None and version.begin_snapshot < version.end_snapshot
    if began_and_ended:
        assert is_gc_eligible(version.end_snapshot, retain_from) is not bool(seen)
    if version.end_snapshot is None:
        assert not is_gc_eligible(None, retain_from)


@given(st.lists(numbers, min_size=1, max_size=5, unique=True), numbers)
def test_a_chain_of_versions_has_at_most_one_visible(begins: list[int], snapshot: int) -> None:
    begins.sort()
    chain = [Version(b, e) for b, e in zip(begins, [*begins[1:], None], strict=True)]
    visible = [v for v in chain if is_visible(v.begin_snapshot, v.end_snapshot, snapshot)]
    assert len(visible) == (snapshot >= begins[0])
    assert latest_visible_version(chain, snapshot) == (visible[0] if visible else None)
