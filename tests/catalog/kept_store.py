"""A store in memory that can be opened again after it was closed, as a folder can."""

from __future__ import annotations

from rocklake_server.store.memory import MemoryStore


class KeptStore(MemoryStore):
    async def close(self) -> None:
        return
