"""Looking for a client's next message without going to sleep, for a moment after each answer.

DuckDB sends a dozen statements one after another. A process that sleeps in between needs some 45 µs to wake up once its
core has gone idle, which is more than most statements take. Polling costs a core that moment, so it is for a client on
this machine that is alone: with several the server has something to do anyway, and the cores are theirs. A client that
has sent nothing by then does something else: the moment is quiet.
"""

from __future__ import annotations

import asyncio
import os
from time import perf_counter

from rocklake_server.quiet import QuietMoments, quiet_moments

ALONE_S = 0.01
"""How long no other client may have said anything."""


class BusyPoll:
    """One event loop's. ``duration_s`` is how long it is looked for a message; 0 never."""

    def __init__(self, duration_s: float) -> None:
        self._duration_s = duration_s if cores() > 1 else 0.0
        self._client: object = None
        self._alone_from_s = 0.0
        self._until_s = 0.0
        self._looks = False
        self._quiet: QuietMoments | None = None

    @property
    def looks(self) -> bool:
        """Whether the loop does not sleep now."""
        return self._looks

    def answered(self, client: object, *, is_near: bool = True) -> None:
        """This client was answered, and is waited for; only one on this machine, ``is_near``, is looked for."""
        now_s = perf_counter()
        if client is not self._client:
            self._client, self._alone_from_s = client, now_s + ALONE_S
        is_alone = now_s >= self._alone_from_s
        if self._quiet is None:
            self._quiet = quiet_moments()
        self._quiet.serves_one = is_alone
        if not self._duration_s or not is_near or not is_alone:
            return
        self._until_s = now_s + self._duration_s
        if not self._looks:
            self._looks = True
            asyncio.get_running_loop().call_soon(self._look)

    def heard(self) -> None:
        """A client said something: there is work to do."""
        self._until_s = 0.0

    def _look(self) -> None:
        """A callback that is due keeps the loop from sleeping."""
        if perf_counter() < self._until_s:
            asyncio.get_running_loop().call_soon(self._look)
        else:
            self._looks = False
            if self._until_s and self._quiet is not None:
                self._quiet.come()


def cores() -> int:
    """Those that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
