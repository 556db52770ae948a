"""Commits of a lake whose store this process owns while no server runs: bounded batches, each with its audit record."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from rocklake_server.catalog.access import access_of
from rocklake_server.catalog.lake import packed_ctid
from rocklake_server.catalog.lake_reader import LakeReader
from rocklake_server.catalog.maintenance.audit import audit_time, write_audit
from rocklake_server.catalog.system_keys import write_definition, write_drop, write_opening, write_sequence
from rocklake_server.encoding.keys import retired_key, system_key
from rocklake_server.limits import GROUP_BYTES_MAX
from rocklake_server.schema.model import Relation
from rocklake_server.schema.system_subspaces import SYSTEM_DROPPED
from rocklake_server.schema.types import Value
from rocklake_server.store.base import Key, WriteBatch
from rocklake_server.store.ownership import Ownership


class Writable(Protocol):
    """As much of a store as commits need."""

    async def write(self, batch: WriteBatch) -> None: ...


@dataclass(slots=True)
class _Open:
    """The commit that is being gathered. ``counts`` are of rows by what was done and relation, ``notes`` other actions
    of its audit record."""

    batch: WriteBatch = field(default_factory=WriteBatch)
    size_bytes: int = 0
    counts: Counter[tuple[str, str]] = field(default_factory=Counter)
    notes: list[Mapping[str, object]] = field(default_factory=list)


class OfflineCommits:
    """What is gathered between two calls of ``commit_if_full`` lands together. ``when`` is the time of all."""

    def __init__(
        self, store: Writable, ownership: Ownership, lake: LakeReader, *, command: str, who: str, now_us: int
    ) -> None:
        """``lake`` is the newest state of ``store``; ``now_us`` as of a Clock."""
        self.who = who
        self.when = audit_time(now_us)
        self.now_us = now_us
        self._command = command
        self._store = store
        self._ownership = ownership
        self._state = lake.state  # as it was; what every commit moves is beside it
        self._sequence, self._next_row = lake.state.sequence, lake.state.next_row
        self._stored_bytes = lake.state.stored_bytes
        self._open = _Open()
        self._is_first = True

    @property
    def has_gathered(self) -> bool:
        return bool(self._open.batch.operations or self._open.notes)

    @property
    def sequence(self) -> int:
        """Of the commit that is being gathered."""
        return self._sequence + 1

    def put_system(self, key: Key, value: bytes | None) -> None:
        """A system key, or ``None`` to remove it."""
        self._open.batch.operations[key] = value

    def count(self, what: str, relation: str) -> None:
        """One more row, for the audit record."""
        self._open.counts[what, relation] += 1

    def note(self, action: Mapping[str, object]) -> None:
        """For the audit record, as JSON has it."""
        self._open.notes.append(action)

    def insert(self, relation: Relation, values: Mapping[str, Value]) -> None:
        """A row whose key is free; columns that are not named are NULL."""
        ctid = packed_ctid(self._next_row)
        self._next_row += 1
        access = access_of(relation)
        row = (*(values.get(column.name) for column in relation.columns), ctid)
        self._put(access.key(row, 0), access.codec.encode(row))

    def retire(self, relation: Relation, key: Key, value: bytes) -> None:
        """As SQL DELETE: the row is kept under this commit's number, its index entries go."""
        self.remove_index_entries(relation, key, value)
        self.remove(key, value)
        self._put(retired_key(self.sequence, key), value)
        self.count("retired", relation.name)

    def bring_back(self, relation: Relation, retired: Key, key: Key, value: bytes) -> None:
        """A retired row to its own key, which is free, with its index entries."""
        self.remove(retired, value)
        self._put(key, value)
        access = access_of(relation)
        if access.index_entries is not None:
            for index_key, reference in access.index_entries(access.codec.decode(key, value)):
                self._put(index_key, reference)
        self.count("brought_back", relation.name)

    def remove(self, key: Key, value: bytes) -> None:
        """A row, retired row or index entry for good."""
        self._open.batch.delete(key)
        self._open.size_bytes += len(key)
        self._stored_bytes -= len(key) + len(value)

    def remove_index_entries(self, relation: Relation, key: Key, value: bytes) -> None:
        access = access_of(relation)
        if access.index_entries is not None:
            for index_key, reference in access.index_entries(access.codec.decode(key, value)):
                self.remove(index_key, reference)

    def drop(self, relation: Relation) -> None:
        """The definition; rows that are left stay under the relation's number until they are excised."""
        write_drop(self._open.batch, relation, self.sequence)
        self._open.notes.append({"dropped": relation.name})

    def define_again(self, relation: Relation) -> None:
        """The inverse of ``drop``, of a relation whose name is free."""
        write_definition(self._open.batch, relation)
        self._open.batch.delete(system_key(SYSTEM_DROPPED, relation.relation_id))
        self._open.notes.append({"defined_again": relation.name})

    def _put(self, key: Key, value: bytes) -> None:
        self._open.batch.put(key, value)
        self._open.size_bytes += len(key) + len(value)
        self._stored_bytes += len(key) + len(value)

    async def commit_if_full(self) -> None:
        """Raises what ``finish`` raises."""
        if self._open.size_bytes >= GROUP_BYTES_MAX:
            await self.finish()

    async def finish(self) -> None:
        """Writes what was gathered, if anything. Raises CannotConnectNow when the lease was lost, StoreUnavailable,
        OutcomeUnknown."""
        if not self.has_gathered:
            return
        batch, self._open = self.gathered(), _Open()
        self._is_first = False
        self._sequence += 1
        self._ownership.require()
        await self._store.write(batch)

    def gathered(self) -> WriteBatch:
        """What ``finish`` would write now."""
        sequence, batch = self.sequence, WriteBatch(dict(self._open.batch.operations))
        if self._is_first:
            write_opening(batch, self._state)
        write_sequence(batch, sequence, next_row=self._next_row, next_relation_id=self._state.next_relation_id,
                       stored_bytes=self._stored_bytes)  # fmt: skip
        counts = ({"relation": name, what: rows} for (what, name), rows in self._open.counts.items())
        actions = [*self._open.notes, *counts]
        write_audit(batch, sequence, command=self._command, who=self.who, now_us=self.now_us, actions=actions)
        return batch
