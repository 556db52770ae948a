"""Work that nobody waits for, until the event loop has nobody to answer.

A commit leaves such work behind: images to bring up to date, SlateDB's copy of the write. Done at once, it would stand
between the commit and its answer, and before what the client asks right behind it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from weakref import WeakKeyDictionary

from rocklake_server.telemetry import apart

LATEST_S = 0.003
"""How long work is put off when no moment is quiet. Timers of the event loop have a resolution of a millisecond."""


class QuietMoments:
    """Of one event loop. Whoever watches its clients tells when a moment is quiet, and in
    ``serves_one`` whether only one of them says anything; nobody has to."""

    def __init__(self) -> None:
        self.serves_one = False
        self._work: list[Callable[[], object]] = []
        self._timer: asyncio.TimerHandle | None = None

    def put_off(self, work: Callable[[], object]) -> None:
        """Call ``work`` in the next quiet moment, or after ``LATEST_S``."""
        self._work.append(work)
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(LATEST_S, self.come, context=apart())

    def come(self) -> None:
        """A moment is quiet. Each piece of work has a turn of the event loop of its own."""
        if self._timer is None:
            return
        self._timer.cancel()
        self._timer = None
        work, self._work = self._work, []
        loop = asyncio.get_running_loop()
        for each in work:
            loop.call_soon(each, context=apart())


_BY_LOOP: WeakKeyDictionary[asyncio.AbstractEventLoop, QuietMoments] = WeakKeyDictionary()


def quiet_moments() -> QuietMoments:
    """Those of the running event loop."""
    loop = asyncio.get_running_loop()
    found = _BY_LOOP.get(loop)
    if found is None:
        found = _BY_LOOP[loop] = QuietMoments()
    return found
