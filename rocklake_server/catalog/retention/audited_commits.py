"""Commits of operators' commands: what is gathered becomes bounded commits of a lake, each with its audit record."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from rocklake_server.catalog.access import access_of
from rocklake_server.catalog.maintenance.audit import audit_time, write_audit
from rocklake_server.catalog.system_keys import write_definition, write_drop
from rocklake_server.encoding.keys import retired_prefix, system_key
from rocklake_server.pacing import checked
from rocklake_server.schema.model import Relation
from rocklake_server.schema.system_subspaces import SYSTEM_DROPPED
from rocklake_server.schema.types import Value
from rocklake_server.store.base import Entry, Key, WriteBatch

ENTRY_BYTES = 64
"""What an entry counts beside its key and value, so that many small ones fill a commit too."""


RETIRED, BROUGHT_BACK = "retired", "brought_back"
"""Words of audit records."""


class RowChange(NamedTuple):
    """What becomes of a row of a live relation, as values are stored: ``None`` where there is none. ``why`` is its word
    in the audit record. ``retired`` keeps ``old`` under the commit's number, ``returned`` is the key under which
    ``new`` was kept until now, and ``along`` that of a row without whose change this one is left out."""

    relation: Relation
    key: Key
    old: bytes | None
    new: bytes | None
    why: str = ""
    retired: bool = False
    returned: Key | None = None
    along: Key | None = None


class EntryChange(NamedTuple):
    """What becomes of an index entry."""

    key: Key
    old: bytes | None
    new: bytes | None


@dataclass(slots=True)
class Gathered:
    """One commit, before its number is known. ``removed`` are entries that no live relation has; ``entries`` are of
    indexes. Counters and the next numbers are at least what stands here, ``grown_bytes`` corrects the lake's size.
    ``counts`` are of rows by what was done and relation, ``notes`` other actions of the audit record."""

    rows: list[RowChange] = field(default_factory=list)
    removed: list[Entry] = field(default_factory=list)
    entries: list[EntryChange] = field(default_factory=list)
    counters: dict[str, int] = field(default_factory=dict)
    next_row: int = 0
    next_relation_id: int = 0
    grown_bytes: int = 0
    system: dict[Key, bytes | None] = field(default_factory=dict)
    numbered: list[Callable[[int], tuple[Key, bytes | None]]] = field(default_factory=list)
    dropped: list[Relation] = field(default_factory=list)
    defined_again: list[Relation] = field(default_factory=list)
    size_bytes: int = 0
    counts: Counter[tuple[str, str]] = field(default_factory=Counter)
    notes: list[Mapping[str, object]] = field(default_factory=list)

    @property
    def writes(self) -> bool:
        return bool(
            self.rows or self.removed or self.entries or self.counters or self.system or self.numbered or self.dropped
            or self.defined_again or self.next_row or self.next_relation_id or self.grown_bytes
        )  # fmt: skip

    def leave_out(self, gone: Collection[Key]) -> list[RowChange]:
        """Rows under these keys are there no more, so that nothing becomes of them. Returns their changes."""
        left_out = [change for change in self.rows if change.key in gone or change.along in gone]
        self.rows = [change for change in self.rows if change.key not in gone and change.along not in gone]
        for change in left_out:
            if change.why:
                self.counts[change.why, change.relation.name] -= 1
        return left_out

    def rendered(self, sequence: int) -> tuple[WriteBatch, int]:
        """The keys of commit ``sequence``, and the bytes by which rows, retired rows and indexes grow. With
        checkpoints, for ``in_slices``."""
        batch, grown_bytes = WriteBatch(), self.grown_bytes
        operations, prefix = batch.operations, retired_prefix(sequence)
        for change in checked(self.rows):
            grown_bytes += _render(operations, prefix, change)
        for key, value in checked(self.removed):
            operations[key] = None
            grown_bytes -= len(key) + len(value)
        for key, old, new in checked(self.entries):
            operations[key] = new
            grown_bytes += _size(key, new) - _size(key, old)
        operations.update(self.system)
        operations.update(make(sequence) for make in self.numbered)
        for relation in self.dropped:
            write_drop(batch, relation, sequence)
        for relation in self.defined_again:
            write_definition(batch, relation)
            batch.delete(system_key(SYSTEM_DROPPED, relation.relation_id))
        return batch, grown_bytes

    @property
    def actions(self) -> list[Mapping[str, object]]:
        """For the audit record."""
        counts = ({"relation": name, what: rows} for (what, name), rows in self.counts.items() if rows)
        return [*self.notes, *counts]


def _size(key: Key, value: bytes | None) -> int:
    return 0 if value is None else len(key) + len(value)


def _render(operations: dict[Key, bytes | None], prefix: bytes, change: RowChange) -> int:
    """Returns the bytes that it grows by."""
    relation, key, old, new, _, retired, returned, _ = change
    operations[key] = new
    grown_bytes = 0
    if old is not None:
        grown_bytes -= len(key) + len(old)
        if retired:
            kept = Key(prefix + key)
            operations[kept] = old
            grown_bytes += len(kept) + len(old)
    if new is not None:
        grown_bytes += len(key) + len(new)
        if returned is not None:
            operations[returned] = None
            grown_bytes -= len(returned) + len(new)
    access = access_of(relation)
    if access.index_entries is not None:
        for value, sign in ((old, -1), (new, 1)):
            for index_key, reference in _index_entries(relation, key, value):
                operations[index_key] = reference if sign > 0 else None
                grown_bytes += sign * (len(index_key) + len(reference))
    return grown_bytes


def _index_entries(relation: Relation, key: Key, value: bytes | None) -> Iterator[Entry]:
    access = access_of(relation)
    if value is not None and access.index_entries is not None:
        yield from access.index_entries(access.codec.decode(key, value))


class AuditedCommits(ABC):
    """What is gathered between two calls of ``commit_if_full`` lands together. ``when`` is the time of all."""

    bytes_max: int

    def __init__(self, *, command: str, who: str, now_us: int) -> None:
        """``now_us`` as of a Clock."""
        self.who = who
        self.when = audit_time(now_us)
        self.now_us = now_us
        self._command = command
        self._open = Gathered()

    @property
    def has_gathered(self) -> bool:
        return self._open.writes

    def put_system(self, key: Key, value: bytes | None) -> None:
        """A system key, or ``None`` to remove it."""
        self._open.system[key] = value

    def put_numbered(self, make: Callable[[int], tuple[Key, bytes | None]]) -> None:
        """A system key that is told the number of its commit."""
        self._open.numbered.append(make)

    def note(self, action: Mapping[str, object]) -> None:
        """For the audit record, as JSON has it."""
        self._open.notes.append(action)

    def insert(self, relation: Relation, values: Mapping[str, Value], along: Key | None = None) -> None:
        """A row whose key is free; columns that are not named are NULL. It is left out if the row that has, or had, the
        key ``along`` is."""
        access = access_of(relation)
        row = (*(values.get(column.name) for column in relation.columns), self._new_ctid())
        self._change(RowChange(relation, access.key(row, 0), None, access.codec.encode(row), along=along))

    def retire(self, relation: Relation, key: Key, value: bytes) -> None:
        """As SQL DELETE: the row is kept under its commit's number, its index entries go."""
        self._change(RowChange(relation, key, value, None, RETIRED, retired=True))
        self._open.counts[RETIRED, relation.name] += 1

    def bring_back(self, relation: Relation, retired: Key, key: Key, value: bytes) -> None:
        """A retired row to its own key, which is free, with its index entries."""
        self._change(RowChange(relation, key, None, value, BROUGHT_BACK, returned=retired))
        self._open.counts[BROUGHT_BACK, relation.name] += 1

    def remove_rows(self, relation: Relation, entries: Sequence[Entry], why: str) -> None:
        """Rows of a live relation, for good. ``why`` is a word for the audit record."""
        for key, value in entries:
            self._change(RowChange(relation, key, value, None, why))
        self._open.counts[why, relation.name] += len(entries)

    def remove_kept(self, relation: Relation, entries: Sequence[Entry], why: str) -> None:
        """For good: retired rows of a relation, or rows of a dropped one, under the keys that they have."""
        self._open.removed += entries
        self._open.size_bytes += sum([len(key) + ENTRY_BYTES for key, _ in entries])
        self._open.counts[why, relation.name] += len(entries)

    def change_entry(self, key: Key, old: bytes | None, new: bytes | None) -> None:
        """An index entry that does not follow a change of a row."""
        self._open.entries.append(EntryChange(key, old, new))
        self._open.size_bytes += len(key) + ENTRY_BYTES

    def raise_counters(self, counters: Mapping[str, int]) -> None:
        """To at least these numbers."""
        self._open.counters.update(counters)

    def raise_next(self, *, row: int = 0, relation_id: int = 0) -> None:
        """The numbers that are given next, to at least these."""
        self._open.next_row = max(self._open.next_row, row)
        self._open.next_relation_id = max(self._open.next_relation_id, relation_id)

    def correct_size(self, grown_bytes: int) -> None:
        """The size that the lake is said to have, by so many bytes."""
        self._open.grown_bytes += grown_bytes

    def drop(self, relation: Relation) -> None:
        """The definition; rows that are left stay under the relation's number until they are excised."""
        self._open.dropped.append(relation)
        self._open.notes.append({"dropped": relation.name})

    def define_again(self, relation: Relation) -> None:
        """The inverse of ``drop``, of a relation whose name is free."""
        self._open.defined_again.append(relation)
        self._open.notes.append({"defined_again": relation.name})

    def _change(self, change: RowChange) -> None:
        self._open.rows.append(change)
        value = change.old or change.new or b""
        self._open.size_bytes += 2 * len(change.key) + len(value) + ENTRY_BYTES

    async def commit_if_full(self) -> None:
        """Raises what ``finish`` raises."""
        if self._open.size_bytes >= self.bytes_max:
            await self.finish()

    async def finish(self, *, notes_alone: bool = False) -> int | None:
        """Writes what was gathered, if it is more than notes, or with ``notes_alone`` those as well. Returns the number
        of the commit. Raises CannotConnectNow when the lease was lost, StoreUnavailable, OutcomeUnknown,
        SerializationFailure."""
        if not (self.has_gathered or (notes_alone and self._open.notes)):
            return None
        gathered, self._open = self._open, Gathered()
        return await self._write(gathered)

    def _add_audit(self, batch: WriteBatch, sequence: int, gathered: Gathered) -> None:
        """None for what changes nothing that anybody would look for."""
        if gathered.actions:
            write_audit(
                batch, sequence, command=self._command, who=self.who, now_us=self.now_us, actions=gathered.actions
            )

    @abstractmethod
    async def gathered(self) -> WriteBatch:
        """What ``finish`` would write now."""

    @abstractmethod
    async def _write(self, gathered: Gathered) -> int: ...

    @abstractmethod
    def _new_ctid(self) -> int: ...
