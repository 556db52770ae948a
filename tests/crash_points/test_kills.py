"""kill -9 in the middle of commits, some times; ``make crash-points`` does it at 200 moments."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.crash_points.kills import kill_in_commits

pytestmark = pytest.mark.slow

KILLS = 10


def test_kills_inside_commits_lose_nothing_and_leave_nothing_half(tmp_path: Path) -> None:
    figures = kill_in_commits(tmp_path, KILLS, seed=20240229)
    assert figures.problems == []
    assert figures.kills == KILLS
    assert figures.in_a_commit >= 0.9 * KILLS
    assert figures.acknowledged > KILLS
