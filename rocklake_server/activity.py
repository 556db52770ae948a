"""What the server counts while it works: plain numbers, turned into metrics when somebody asks for them.

Only the event loop's thread writes them. A histogram is Prometheus' (its documentation, "Metric types"): how many
values were at most each bound, and their sum; here each bucket counts its own values, and the reader adds them up.
"""

from __future__ import annotations

from bisect import bisect_left
from time import perf_counter

from rocklake_server.telemetry import Tracer

DURATION_BOUNDS_S = (
    0.00005, 0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0,
)  # fmt: skip
"""Upper bounds of the buckets of durations: a cached statement takes tens of microseconds, a stalled commit seconds."""

GROUP_BOUNDS = (1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 256.0)
"""Upper bounds of the buckets of group sizes."""


STORE_OPERATIONS = ("open", "reopen", "snapshot", "get", "scan", "flush")
"""What is asked of a store, but for writes, which have a histogram of their own."""

COMMIT_STAGES = ("validate", "encode", "durable", "publish")
"""What a group of commits goes through, in this order."""


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


class StageWatch:
    """Where the time of one piece of work went: ``seconds`` by stage, in the order in which stages first ended."""

    __slots__ = ("_since_s", "began_s", "seconds")

    def __init__(self, began_s: float | None = None) -> None:
        """``began_s`` is of ``perf_counter``; now, unless given."""
        self.began_s = self._since_s = perf_counter() if began_s is None else began_s
        self.seconds: dict[str, float] = {}

    def ended(self, stage: str) -> None:
        """What was done since the last stage ended was of ``stage``, which may come several times."""
        now_s = perf_counter()
        self.seconds[stage] = self.seconds.get(stage, 0.0) + now_s - self._since_s
        self._since_s = now_s

    def restart(self) -> None:
        """For the next piece of work, which begins now."""
        self.seconds = {}
        self.began_s = self._since_s = perf_counter()


class _Unwatched(StageWatch):
    """Notes nothing, for work that nobody watches."""

    __slots__ = ()

    def ended(self, stage: str) -> None:  # noqa: ARG002  as StageWatch's
        return


UNWATCHED = _Unwatched(0.0)


class StoreTimes:
    """Seconds that calls to stores took, by operation, those that failed included. Of a scan that is read in batches
    the waits for them count."""

    def __init__(self) -> None:
        self.by_operation = {operation: Histogram() for operation in STORE_OPERATIONS}

    def since(self, operation: str, began_s: float) -> None:
        """One that began at ``began_s`` of ``perf_counter`` ends."""
        self.by_operation[operation].observe(perf_counter() - began_s)


class Activity:
    """Of one server, since it started."""

    def __init__(self) -> None:
        self.is_watched = False
        """Whether somebody may ask for what stages took."""
        self.statements: dict[str, Histogram] = {}
        """By kind of statement, in seconds."""
        self.statement_stages: dict[tuple[str, str], Histogram] = {}
        """By kind of statement and stage, in seconds, of a sample of the statements."""
        self.commit_stages = {stage: Histogram() for stage in COMMIT_STAGES}
        """Seconds of each group that was committed."""
        self.commits = Histogram()
        """Seconds from asking for a commit to its being durable and published."""
        self.commits_waiting = 0
        """Transactions whose commit was asked for and is not decided."""
        self.groups = Histogram(GROUP_BOUNDS)
        """Transactions that shared one write batch."""
        self.store_writes = Histogram()
        """Seconds until a write batch was durable."""
        self.store_write_failures = 0
        self.store_times = StoreTimes()
        self.tracer: Tracer | None = None
        """Told of statements and commits when traces are wanted."""
        self.sessions_begun = 0
        self.errors: dict[str, int] = {}
        """Errors that clients were told, by SQLSTATE."""

    def watch(self) -> StageWatch:
        """For a group of commits that begins now."""
        return StageWatch() if self.is_watched else UNWATCHED

    def commit_done(self, watch: StageWatch) -> None:
        """A group was committed."""
        for stage, took_s in watch.seconds.items():
            self.commit_stages[stage].observe(took_s)

    def statement_done(self, kind: str, watch: StageWatch) -> None:
        """A statement of the sample succeeded."""
        for stage, took_s in watch.seconds.items():
            times = self.statement_stages.get((kind, stage))
            if times is None:
                times = self.statement_stages[kind, stage] = Histogram()
            times.observe(took_s)

    def failed(self, sqlstate: str) -> None:
        self.errors[sqlstate] = self.errors.get(sqlstate, 0) + 1
