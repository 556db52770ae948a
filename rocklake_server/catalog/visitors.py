"""Who is connected to which database: what DROP and ALTER DATABASE have to know, and to end."""

from __future__ import annotations

import asyncio
from typing import Protocol


class Visitor(Protocol):
    """A session."""

    @property
    def database(self) -> str: ...

    def stop(self, *, at_once: bool = False) -> None:
        """End it. A commit under way is seen through first; then this has to be asked for again."""


class Visitors:
    """Of all databases."""

    def __init__(self) -> None:
        self._by_database: dict[str, set[Visitor]] = {}

    def enter(self, visitor: Visitor) -> None:
        self._by_database.setdefault(visitor.database, set()).add(visitor)

    def leave(self, visitor: Visitor) -> None:
        """Harmless for one that never entered."""
        found = self._by_database.get(visitor.database)
        if found is not None:
            found.discard(visitor)
            if not found:
                del self._by_database[visitor.database]

    def of(self, database: str) -> frozenset[Visitor]:
        return frozenset(self._by_database.get(database, ()))

    async def see_off(self, database: str, timeout_s: float, pause_s: float = 0.05) -> None:
        """End all sessions of a database, and wait until they are gone, or for ``timeout_s``."""
        loop = asyncio.get_running_loop()
        until_s = loop.time() + timeout_s
        while (found := self.of(database)) and loop.time() < until_s:
            for visitor in found:
                visitor.stop(at_once=True)
            await asyncio.sleep(pause_s)
