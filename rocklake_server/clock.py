"""Time arrives through ``Clock``, so that tests can set it."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Protocol

POSTGRES_EPOCH_UNIX_S = 946_684_800
"""2000-01-01 00:00:00 UTC in seconds since 1970: the zero of PostgreSQL's timestamps."""


class Clock(Protocol):
    def now_us(self) -> int:
        """Microseconds since 2000-01-01 00:00:00 UTC."""


class SystemClock:
    """The machine's wall clock."""

    def now_us(self) -> int:
        return time.time_ns() // 1000 - POSTGRES_EPOCH_UNIX_S * 1_000_000


def age_s(unix_s: int | None, now_us: int) -> float | None:
    """Seconds from a time since 1970 until a Clock's."""
    return None if unix_s is None else max(now_us / 1e6 + POSTGRES_EPOCH_UNIX_S - unix_s, 0.0)


class ManualClock:
    """A clock that tests set by hand."""

    def __init__(self, now_us: int = 0) -> None:
        self.value_us = now_us

    def now_us(self) -> int:
        return self.value_us


ElapsedClock = Callable[[], float]
"""Seconds since some moment, never set back."""

_ELAPSED_CLOCK = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)


def elapsed_s() -> float:
    """An ElapsedClock that goes on while the process is stopped and, where the system can tell, the machine sleeps."""
    return time.clock_gettime(_ELAPSED_CLOCK)
