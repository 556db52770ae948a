"""Whether the event loop may wait for a disk itself. A change of threads, there and back, costs a commit a few tenths
of a millisecond, and more on a busy machine: longer than some disks take to sync.
"""

from __future__ import annotations

from collections import deque

LOOKED_BACK = 32
"""So many last writes tell what the next one may take: three quarters of them were short, and none was ``LONG_S``."""

LONG_S = 0.005
"""The loop is not held for longer by anything."""

SHORT_S = 0.00015
"""What others may wait for a commit at any time."""

SHORT_FOR_ONE_S = 0.001
"""What the loop may wait while it serves one client, who waits for the commit anyway."""

BYTES_MAX = 64 * 1024
"""Longer records take their time on any disk."""


class DiskPace:
    """Of the disk below one database, as one handle has seen it."""

    def __init__(self) -> None:
        self._last_s: deque[float] = deque(maxlen=LOOKED_BACK)

    def note(self, took_s: float) -> None:
        """A write and its sync took so long."""
        self._last_s.append(took_s)

    def is_short(self, size_bytes: int, *, serves_one: bool) -> bool:
        """Whether the next write will hardly be felt. Not before LOOKED_BACK of them are known."""
        if size_bytes > BYTES_MAX or len(self._last_s) < LOOKED_BACK:
            return False
        limit_s = SHORT_FOR_ONE_S if serves_one else SHORT_S
        short = sum([took_s < limit_s for took_s in self._last_s])
        return short * 4 >= LOOKED_BACK * 3 and max(self._last_s) < LONG_S
