"""Commits of a lake whose store this process owns while no server runs."""

from __future__ import annotations

from typing import Protocol

from rocklake_server.catalog.lake import packed_ctid
from rocklake_server.catalog.lake_reader import LakeReader
from rocklake_server.catalog.retention.audited_commits import AuditedCommits, Gathered
from rocklake_server.catalog.system_keys import write_counters, write_opening, write_sequence
from rocklake_server.limits import GROUP_BYTES_MAX
from rocklake_server.pacing import in_slices
from rocklake_server.store.base import WriteBatch
from rocklake_server.store.ownership import Ownership


class Writable(Protocol):
    """As much of a store as commits need."""

    async def write(self, batch: WriteBatch) -> None: ...


class OfflineCommits(AuditedCommits):
    """Nobody else commits meanwhile: what was read stays true."""

    def __init__(
        self, store: Writable, ownership: Ownership, lake: LakeReader, *, command: str, who: str, now_us: int
    ) -> None:
        """``lake`` is the newest state of ``store``; ``now_us`` as of a Clock."""
        super().__init__(command=command, who=who, now_us=now_us)
        self.bytes_max = GROUP_BYTES_MAX
        self._store = store
        self._ownership = ownership
        self._state = lake.state  # as it was; what every commit moves is beside it
        self._sequence, self._stored_bytes = lake.state.sequence, lake.state.stored_bytes
        self._next_row, self._next_relation_id = lake.state.next_row, lake.state.next_relation_id
        self._counters = lake.state.counters
        self._is_first = True

    async def _write(self, gathered: Gathered) -> int:
        self._next_row = max(self._next_row, gathered.next_row)
        self._next_relation_id = max(self._next_relation_id, gathered.next_relation_id)
        batch, grown_bytes = await self._rendered(gathered)
        self._is_first = False
        self._sequence += 1
        self._stored_bytes += grown_bytes
        self._ownership.require()
        await self._store.write(batch)
        return self._sequence

    async def gathered(self) -> WriteBatch:
        batch, _ = await self._rendered(self._open)
        return batch

    async def _rendered(self, gathered: Gathered) -> tuple[WriteBatch, int]:
        sequence = self._sequence + 1
        batch, grown_bytes = await in_slices(lambda: gathered.rendered(sequence))
        if self._is_first:
            write_opening(batch, self._state)
        write_sequence(batch, sequence, next_row=self._next_row, next_relation_id=self._next_relation_id,
                       stored_bytes=self._stored_bytes + grown_bytes)  # fmt: skip
        before = self._counters
        write_counters(batch, {name: max(value, before.get(name, 0)) for name, value in gathered.counters.items()})
        self._add_audit(batch, sequence, gathered)
        return batch, grown_bytes

    def _new_ctid(self) -> int:
        ctid = packed_ctid(self._next_row)
        self._next_row += 1
        return ctid
