"""What the server did in each of the last minutes, from its counters: nothing is counted for it on anybody's way."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

from rocklake_server.activity import Activity
from rocklake_server.clock import Clock
from rocklake_server.errors import CatalogError

MINUTES_MAX = 60
_MINUTE_US = 60 * 1_000_000


@dataclass(frozen=True, slots=True)
class Counters:
    """Since the server started."""

    commits: int = 0
    statements: int = 0
    lost: int = 0
    failed: int = 0

    @classmethod
    def of(cls, activity: Activity) -> Counters:
        """``lost`` are errors that running again cures, ``failed`` the others."""
        lost = sum(count for sqlstate, count in activity.errors.items() if CatalogError.by_sqlstate[sqlstate].retryable)
        statements = sum(times.count for times in activity.statements.values())
        return cls(activity.commits.count, statements, lost, sum(activity.errors.values()) - lost)

    def since(self, before: Counters) -> Counters:
        return Counters(self.commits - before.commits, self.statements - before.statements, self.lost - before.lost,
                        self.failed - before.failed)  # fmt: skip


@dataclass(slots=True)
class Minute:
    """One that began at ``began_us`` of the clock; the last one still goes on."""

    began_us: int
    did: Counters


class Minutes:
    """Oldest first, without gaps, at most MINUTES_MAX."""

    def __init__(self, activity: Activity, clock: Clock) -> None:
        self._activity = activity
        self._clock = clock
        self._before = Counters.of(activity)
        self.known: deque[Minute] = deque([Minute(self._this_minute_us(), Counters())], MINUTES_MAX)

    def _this_minute_us(self) -> int:
        return self._clock.now_us() // _MINUTE_US * _MINUTE_US

    def look(self) -> None:
        """Bring the last minute up to date. What was done since the last look and before a new minute began is the
        former one's, as long as looks come often. A clock that is set back stays in its minute; one that jumps leaves
        minutes out in which nothing was seen."""
        now, last = Counters.of(self._activity), self.known[-1]
        last.did = now.since(self._before)
        minute_us = self._this_minute_us()
        if minute_us <= last.began_us:
            return
        self._before = now
        first_us = max(last.began_us + _MINUTE_US, minute_us - MINUTES_MAX * _MINUTE_US)
        for began_us in range(first_us, minute_us + 1, _MINUTE_US):
            self.known.append(Minute(began_us, Counters()))
