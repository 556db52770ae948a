"""Whether the server can be sent clients: asked of the store itself, in bounded time, by one question at a time."""

from __future__ import annotations

import asyncio

from rocklake_server.catalog.databases import Databases
from rocklake_server.errors import CatalogError
from rocklake_server.limits import READY_TIMEOUT_S

KEPT_S = 1.0
"""How long an answer is given again: however many ask, the store is not asked more often."""


class Readiness:
    """Of one server."""

    def __init__(self, timeout_s: float = READY_TIMEOUT_S) -> None:
        self._timeout_s = timeout_s
        self._asking: asyncio.Task[str | None] | None = None
        self._asked_s = 0.0

    async def problem(self, databases: Databases) -> str | None:
        """Why the server is not ready, in one sentence; ``None`` when it is."""
        now_s = asyncio.get_running_loop().time()
        if self._asking is None or (self._asking.done() and now_s - self._asked_s >= KEPT_S):
            self._asked_s = now_s
            self._asking = asyncio.create_task(self._ask(databases))
        return await asyncio.shield(self._asking)

    async def _ask(self, databases: Databases) -> str | None:
        try:
            async with asyncio.timeout(self._timeout_s):
                await databases.probe()
        except TimeoutError:
            return f"the store did not answer within {self._timeout_s:g} s"
        except CatalogError as error:
            return str(error)
        return None

    async def close(self) -> None:
        if self._asking is not None:
            self._asking.cancel()
            await asyncio.wait([self._asking])
