"""The last runs of procedures, scheduled or called: for /status, metrics and ``rocklake.maintenance``."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from enum import Enum

from rocklake_server.activity import Histogram
from rocklake_server.clock import Clock, elapsed_s
from rocklake_server.errors import CatalogError
from rocklake_server.limits import MAINTENANCE_RUNS_MAX


class Result(Enum):
    """How a run stands."""

    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELED = "canceled"

    __hash__ = object.__hash__  # members are singletons; Enum's own hash is a Python call


@dataclass(slots=True)
class Run:
    """``started_us`` is as of a Clock; ``facts`` are what the procedure answered."""

    number: int
    job: str
    database: str
    schema: str
    who: str
    started_us: int
    seconds: float | None = None
    result: Result = Result.RUNNING
    facts: Mapping[str, object] | None = None
    error: str | None = None


class MaintenanceRuns:
    """Of one server since it started. ``following_us`` is when a scheduled job runs next, as of a Clock."""

    def __init__(self, clock: Clock) -> None:
        self.counts: Counter[tuple[str, str]] = Counter()
        self.seconds: dict[str, Histogram] = {}
        self.following_us: dict[str, int] = {}
        self._clock = clock
        self._runs: deque[Run] = deque(maxlen=MAINTENANCE_RUNS_MAX)
        self._latest: dict[tuple[str, str, str], Run] = {}
        self._number = 0

    @contextmanager
    def running(self, job: str, database: str, schema: str, who: str) -> Iterator[Run]:
        """While the block runs; an error that leaves it is the run's."""
        self._number += 1
        run = Run(self._number, job, database, schema, who, self._clock.now_us())
        self._runs.append(run)
        self._latest[job, database, schema] = run
        began_s = elapsed_s()
        try:
            yield run
            run.result = Result.DONE
        except Exception as error:
            run.result = Result.FAILED
            run.error = str(error) if isinstance(error, CatalogError) else f"internal error: {type(error).__name__}"
            raise
        except BaseException:
            run.result = Result.CANCELED
            raise
        finally:
            run.seconds = elapsed_s() - began_s
            self.counts[job, run.result.value] += 1
            self.seconds.setdefault(job, Histogram()).observe(run.seconds)

    def of(self, database: str) -> list[Run]:
        """The last ones in a database, oldest first."""
        return [run for run in self._runs if run.database == database]

    def latest(self, limit: int) -> list[Run]:
        """The last one of each job in each lake, the newest first, at most so many."""
        newest = sorted(self._latest.values(), key=lambda run: run.number, reverse=True)
        return newest[:limit]

    @property
    def now(self) -> int:
        """How many are running."""
        return sum(run.result is Result.RUNNING for run in self._latest.values())

    def forget(self, listed: set[tuple[str, str]]) -> None:
        """Lakes that are on the list no more."""
        self._latest = {key: run for key, run in self._latest.items() if key[1:] in listed}
