"""What the proxies before a server share: a listener on loopback, in a thread with an event loop of its own."""

from __future__ import annotations

import asyncio
import threading
from abc import ABC, abstractmethod


class ThreadedProxy(ABC):
    """``port`` is known once ``start`` has returned; ``stop`` ends every connection."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.port = 0
        self._loop = loop
        self._listening = threading.Event()
        self._stopping = asyncio.Event()
        self._thread = threading.Thread(target=lambda: self._loop.run_until_complete(self._serve()), daemon=True)

    def start(self) -> None:
        self._thread.start()
        self._listening.wait()

    def stop(self) -> None:
        self._loop.call_soon_threadsafe(self._stopping.set)
        self._thread.join()
        self._loop.close()

    async def _serve(self) -> None:
        server = await asyncio.start_server(self._accept, "127.0.0.1", 0)
        self.port = server.sockets[0].getsockname()[1]
        self._listening.set()
        await self._stopping.wait()
        server.close()
        connections = asyncio.all_tasks() - {asyncio.current_task()}
        for task in connections:
            task.cancel()
        await asyncio.gather(*connections, return_exceptions=True)

    @abstractmethod
    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Serve one client until it leaves or the task is cancelled."""
