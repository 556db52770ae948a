"""Turns at the embedded engine: only so many statements run in it at the same time."""

from __future__ import annotations

import asyncio
import threading
from collections import deque

from rocklake_server.errors import OutOfMemory
from rocklake_server.limits import ENGINE_STATEMENTS_MAX, ENGINE_WAIT_S_MAX


class Slots:
    """Waited for in event loops, released in any thread."""

    def __init__(self, count: int = ENGINE_STATEMENTS_MAX) -> None:
        self._lock = threading.Lock()
        self._free = count
        self._waiting: deque[asyncio.Event] = deque()
        self._loops: dict[asyncio.Event, asyncio.AbstractEventLoop] = {}

    async def acquire(self) -> None:
        """Raises OutOfMemory after ENGINE_WAIT_S_MAX."""
        with self._lock:
            if self._free:
                self._free -= 1
                return
            turn = asyncio.Event()
            self._waiting.append(turn)
            self._loops[turn] = asyncio.get_running_loop()
        try:
            async with asyncio.timeout(ENGINE_WAIT_S_MAX):
                await turn.wait()
        except BaseException as problem:
            self._leave(turn)
            if isinstance(problem, TimeoutError):
                raise OutOfMemory(
                    "the embedded engine runs as many statements as it has memory for",
                    hint="Close cursors that are open, or try again later.") from None
            raise

    def _leave(self, turn: asyncio.Event) -> None:
        """Wait no longer; a turn that came meanwhile is somebody else's."""
        with self._lock:
            waiting = self._loops.pop(turn, None) is not None
            if waiting:
                self._waiting.remove(turn)
        if not waiting:
            self.release()

    def release(self) -> None:
        with self._lock:
            if not self._waiting:
                self._free += 1
                return
            turn = self._waiting.popleft()
            loop = self._loops.pop(turn)
        loop.call_soon_threadsafe(turn.set)
