"""A sample of the crash points of the scripted workload; ``make crash-points`` tries every one."""

from __future__ import annotations

import pytest

from tests.crash_points.points import Mode, Point, all_points, requests_of_the_workload, try_point

pytestmark = pytest.mark.slow

POINTS = [
    Point("PUT", "wal", 2, Mode.CRASH_BEFORE),  # creating the catalog
    Point("PUT", "wal", 4, Mode.CRASH_AFTER),
    Point("PUT", "wal", 6, Mode.CRASH_AND_LATE),
    Point("PUT", "wal", 7, Mode.ANSWER_LOST),
    Point("PUT", "wal", 9, Mode.REFUSED),
    Point("PUT", "wal", 11, Mode.CRASH_TORN),
    Point("PUT", "wal", 13, Mode.CRASH_EMPTY),
    Point("PUT", "compacted", 1, Mode.CRASH_AFTER),
    Point("PUT", "compacted", 2, Mode.CRASH_BEFORE),
    Point("PUT", "manifest", 3, Mode.CRASH_AFTER),
    Point("PUT", "manifest", 8, Mode.CRASH_AND_LATE),
    Point("PUT", "manifest", 14, Mode.CRASH_BEFORE),
    Point("PUT", "compactions", 4, Mode.ANSWER_LOST),
    Point("GET", "manifest", 5, Mode.REFUSED),
    Point("LIST", "wal", 2, Mode.CRASH_BEFORE),
]


@pytest.mark.parametrize("point", POINTS, ids=str)
def test_after_a_crash_every_commit_is_there_wholly_or_not_at_all(point: Point) -> None:
    result = try_point(point)
    assert result.met
    assert result.problems == []


async def test_the_workload_makes_requests_of_every_kind() -> None:
    """It flushes memtables, opens again and stops: a sweep over it would otherwise miss what happens there."""
    requests = await requests_of_the_workload()
    kinds = ("wal", "manifest", "compacted", "compactions")
    assert all(requests["PUT", kind] > 8 for kind in kinds)
    assert len(all_points(requests)) > 9 * sum(requests["PUT", kind] for kind in kinds)
