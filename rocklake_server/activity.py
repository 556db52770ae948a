"""What the server counts while it works: plain numbers, turned into metrics when somebody asks for them.

Only the event loop's thread writes them. A histogram is Prometheus' (its documentation, "Metric types"): how many
values were at most each bound, and their sum; here each bucket counts its own values, and the reader adds them up.
"""

from __future__ import annotations

from bisect import bisect_left

DURATION_BOUNDS_S = (
    0.00005, 0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0,
)  # fmt: skip
"""Upper bounds of the buckets of durations: a cached statement takes tens of microseconds, a stalled commit seconds."""

GROUP_BOUNDS = (1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 256.0)
"""Upper bounds of the buckets of group sizes."""


class Histogram:
    """``counts[i]`` values were above ``bounds[i - 1]`` and at most ``bounds[i]``; the last count has no bound."""

    __slots__ = ("bounds", "counts", "sum")

    def __init__(self, bounds: tuple[float, ...] = DURATION_BOUNDS_S) -> None:
        self.bounds = bounds
        self.counts = [0] * (len(bounds) + 1)
        self.sum = 0.0

    def observe(self, value: float) -> None:
        self.counts[bisect_left(self.bounds, value)] += 1
        self.sum += value

    @property
    def count(self) -> int:
        """How many values there were."""
        return sum(self.counts)


class Activity:
    """Of one server, since it started."""

    def __init__(self) -> None:
        self.statements: dict[str, Histogram] = {}
        """By kind of statement, in seconds."""
        self.commits = Histogram()
        """Seconds from asking for a commit to its being durable and published."""
        self.commits_waiting = 0
        """Transactions whose commit was asked for and is not decided."""
        self.groups = Histogram(GROUP_BOUNDS)
        """Transactions that shared one write batch."""
        self.store_writes = Histogram()
        """Seconds until a write batch was durable."""
        self.store_write_failures = 0
        self.sessions_begun = 0
        self.errors: dict[str, int] = {}
        """Errors that clients were told, by SQLSTATE."""

    def failed(self, sqlstate: str) -> None:
        self.errors[sqlstate] = self.errors.get(sqlstate, 0) + 1
