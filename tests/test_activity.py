"""Histograms count each value in the bucket that Prometheus would."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from rocklake_server.activity import DURATION_BOUNDS_S, GROUP_BOUNDS, Activity, Histogram

VALUES = st.floats(min_value=0, max_value=100) | st.sampled_from(DURATION_BOUNDS_S)


@given(st.lists(VALUES))
def test_a_bucket_counts_the_values_up_to_its_bound(values: list[float]) -> None:
    histogram = Histogram()
    for value in values:
        histogram.observe(value)
    for index, bound in enumerate(histogram.bounds):
        assert sum(histogram.counts[: index + 1]) == sum(value <= bound for value in values)
    assert histogram.count == len(values)
    assert histogram.sum == sum(values)


def test_bounds_grow() -> None:
    for bounds in (DURATION_BOUNDS_S, GROUP_BOUNDS):
        assert list(bounds) == sorted(set(bounds))


def test_errors_are_counted_by_sqlstate() -> None:
    activity = Activity()
    for sqlstate in ("40001", "23505", "40001"):
        activity.failed(sqlstate)
    assert activity.errors == {"40001": 2, "23505": 1}
