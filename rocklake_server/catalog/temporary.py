"""A session's temporary tables: a lake of its own in memory, never in the store."""

from __future__ import annotations

from rocklake_server.catalog.commit import Committer
from rocklake_server.catalog.databases import OpenLake
from rocklake_server.catalog.lake import Lake
from rocklake_server.catalog.relations import TEMPORARY_SLOT
from rocklake_server.clock import Clock
from rocklake_server.store.memory import MemoryStore

TEMPORARY_SCHEMA = "pg_temp"


class TemporaryTables:
    """Opened when a session creates its first temporary table; ``discard`` forgets them all."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._opened: OpenLake | None = None

    @property
    def opened(self) -> OpenLake | None:
        return self._opened

    async def open(self) -> OpenLake:
        if self._opened is None:
            lake = await Lake.open(
                MemoryStore(), schema=TEMPORARY_SCHEMA, slot=TEMPORARY_SLOT, clock=self._clock
            )
            self._opened = OpenLake(lake, Committer(lake))
        return self._opened

    def discard(self) -> None:
        self._opened = None
