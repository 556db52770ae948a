"""Telling the log about a commit that does not become durable."""

from __future__ import annotations

import asyncio
import logging
from types import TracebackType

logger = logging.getLogger(__name__)

STALL_LOG_AFTER_S = 10.0
"""The first report; each later one comes after twice the time of the one before."""


class StallWatch:
    """Entered for as long as one commit is written and, if need be, read back."""

    def __init__(self, lake: str, sequence: int) -> None:
        self._lake = lake
        self._sequence = sequence
        self._after_s = STALL_LOG_AFTER_S
        self._began = 0.0
        self._reported = False
        self._timer: asyncio.TimerHandle | None = None

    def __enter__(self) -> StallWatch:
        self._began = asyncio.get_running_loop().time()
        self._wait()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._timer is not None:
            self._timer.cancel()
        if self._reported:
            self._log("the stall of commit %d ended after %.0f s")

    def _wait(self) -> None:
        self._timer = asyncio.get_running_loop().call_at(self._began + self._after_s, self._report)

    def _report(self) -> None:
        self._reported = True
        self._log("commit %d is stalled: not durable after %.0f s")
        self._after_s *= 2
        self._wait()

    def _log(self, what: str) -> None:
        elapsed_s = asyncio.get_running_loop().time() - self._began
        logger.warning("%s: " + what, self._lake, self._sequence, elapsed_s)
