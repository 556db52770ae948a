"""Times of settings: the units that they take and are shown in (PostgreSQL manual, Setting Parameters)."""

from __future__ import annotations

UNITS_MS = {"us": 0.001, "ms": 1, "s": 1000, "min": 60_000, "h": 3_600_000, "d": 86_400_000}


def with_unit(milliseconds: int) -> str:
    """A time as SHOW prints it: in the largest unit without a remainder."""
    if milliseconds == 0:
        return "0"
    for unit in ("d", "h", "min", "s"):
        if milliseconds % UNITS_MS[unit] == 0:
            return f"{milliseconds // int(UNITS_MS[unit])}{unit}"
    return f"{milliseconds}ms"
