"""Whether a transaction may commit on top of what others committed, and under which keys its new rows go.

First committer wins: a row that another commit changed since the transaction saw it, or a relation that another
commit redefined, fails the later one with a retryable error.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from rocklake_server.activity import StageWatch
from rocklake_server.catalog.access import Access, PrimaryKey, access_of
from rocklake_server.catalog.conflicts import (
    has_declared_prefix,
    require_relations_unchanged,
    require_rows_unchanged,
)
from rocklake_server.catalog.earlier import Earlier
from rocklake_server.catalog.image import Changes, Partition
from rocklake_server.catalog.lake import Lake
from rocklake_server.catalog.presence import primary_is_taken, row_is_present
from rocklake_server.catalog.relations import Relations
from rocklake_server.catalog.root import CommitRecord, Root
from rocklake_server.catalog.staged import Changed, Entry, Staged
from rocklake_server.catalog.transaction import LakeTransaction
from rocklake_server.catalog.view import Row
from rocklake_server.errors import SerializationFailure, UniqueViolation
from rocklake_server.schema.annotations import is_annotated
from rocklake_server.schema.model import Relation
from rocklake_server.store.base import Key

ROWS_PER_TURN = 200
"""Rows handled between two turns of the event loop."""


@dataclass(slots=True)
class Working:
    """The state that the open group has reached: the newest root and what its earlier members change. ``returned`` are
    relations that were dropped once and are defined again: they may have rows."""

    root: Root
    relations: Relations
    counters: dict[str, int]
    changes: dict[int, dict[Partition, dict[Key, Row | None]]] = field(default_factory=dict)
    primaries: dict[int, dict[PrimaryKey, bool]] = field(default_factory=dict)
    redefined: set[int] = field(default_factory=set)
    returned: set[int] = field(default_factory=set)
    altered: dict[int, tuple[Relation, Relation]] = field(default_factory=dict)
    last_snapshot_us: int | None = None
    stored_bytes: int = 0
    counted: list[Changed | None] = field(default_factory=list)
    stages: StageWatch | None = None

    def record(self, sequence: int) -> CommitRecord:
        frozen: Mapping[int, Mapping[Partition, Changes]] = self.changes
        return CommitRecord(sequence, frozen, self.primaries, frozenset(self.redefined))

    def reshape(self, relation_id: int, change: Callable[[Row], Row]) -> None:
        """ALTER TABLE: the rows that earlier members changed, in the relation's new shape."""
        for rows in self.changes.get(relation_id, {}).values():
            rows.update({key: change(row) for key, row in rows.items() if row is not None})


@dataclass(slots=True)
class Member:
    """One transaction of a group, validated: its effective changes under their final keys."""

    transaction: LakeTransaction
    rows: dict[int, list[tuple[Key, Entry]]] = field(default_factory=dict)
    definitions: dict[int, Relation] = field(default_factory=dict)
    created: list[Relation] = field(default_factory=list)


async def validate(lake: Lake, working: Working, transaction: LakeTransaction) -> Member:
    """The transaction's changes as they apply to ``working``. Raises SerializationFailure, UniqueViolation."""
    member = Member(transaction)
    if transaction.serializable:
        _check_reads(lake, working, transaction)
    if transaction.created or transaction.altered:
        _require_index_names_free(working, transaction)
    for relation_id in _written(transaction):
        relation = _definition(working, transaction, relation_id, member)
        if relation is not None:
            member.definitions[relation_id] = relation
    earlier = Earlier([*lake.log.after(transaction.root.sequence), working])
    committed = [commit.changes for commit in earlier.commits]
    require_rows_unchanged(committed, transaction.staged)
    require_relations_unchanged(committed, transaction.dropped.values())
    for relation_id, staged in transaction.staged.items():
        relation = member.definitions.get(relation_id)
        if relation is None or (relation_id in transaction.dropped and not has_declared_prefix(relation)):
            continue
        member.rows[relation_id] = await _settled(lake, working, earlier, relation, staged)
    return member


def _check_reads(lake: Lake, working: Working, transaction: LakeTransaction) -> None:
    """SERIALIZABLE: no relation that the transaction read was changed since its root. Coarser than PostgreSQL's
    predicate locks, never weaker."""
    changed = set(working.changes) | working.redefined
    for record in lake.log.after(transaction.root.sequence):
        changed |= record.changes.keys() | record.redefined
    if changed & transaction.read:
        raise SerializationFailure.update()


def _require_index_names_free(working: Working, transaction: LakeTransaction) -> None:
    """Indexes and relations share their names. Raises UniqueViolation for one that another transaction gave to an
    index, or that this one gives to an index and another to anything, since the root."""
    root, mine, now = transaction.root.relations, transaction.relations, working.relations
    if now is root:
        return
    my_indexes, their_indexes = (each.by_index_name.keys() - root.by_index_name.keys() for each in (mine, now))
    my_names = my_indexes | (mine.by_name.keys() - root.by_name.keys())
    their_names = their_indexes | (now.by_name.keys() - root.by_name.keys())
    if (my_indexes & their_names) | (my_names & their_indexes):
        raise UniqueViolation.of("pg_class_relname_nsp")


def _written(transaction: LakeTransaction) -> list[int]:
    staged = [i for i, s in transaction.staged.items() if s.is_effective]
    return [*dict.fromkeys([*transaction.created, *transaction.altered, *transaction.dropped, *staged])]


def _definition(
    working: Working, transaction: LakeTransaction, relation_id: int, member: Member
) -> Relation | None:
    """The definition that the changes to a relation go by. ``None``: it was created and dropped again."""
    if relation_id in transaction.created:
        return _created_definition(working, transaction, relation_id, member)
    now = working.relations.by_id.get(relation_id)
    if now is None or now is not transaction.root.relations.by_id.get(relation_id):
        raise SerializationFailure.update()
    mine = transaction.relations.by_id.get(relation_id)
    if mine is not None and mine.name != now.name and mine.name in working.relations.by_name:
        raise UniqueViolation.of("pg_class_relname_nsp")
    return mine if mine is not None else now


def _created_definition(
    working: Working, transaction: LakeTransaction, relation_id: int, member: Member
) -> Relation | None:
    relation = transaction.relations.by_id.get(relation_id)
    if relation is None:
        return None
    there = working.relations.by_name.get(relation.name)
    gone = {dropped.name for dropped in transaction.dropped.values()}
    if there is None or there.name in gone:
        member.created.append(relation)
        return relation
    same = [(c.name, c.type) for c in there.columns] == [(c.name, c.type) for c in relation.columns]
    if relation_id in transaction.if_not_exists and same and not is_annotated(relation):
        return there
    raise UniqueViolation.of("pg_class_relname_nsp")


async def _settled(
    lake: Lake, working: Working, earlier: Earlier, relation: Relation, staged: Staged
) -> list[tuple[Key, Entry]]:
    """The effective entries under their final keys: new rows whose key was taken meanwhile get a tie-breaker, or fail
    if it is a primary key. Keys and primary keys were free at the transaction's root, so that what came after it
    decides, without a read; only a relation that another transaction created in its place is looked at."""
    access = access_of(relation)
    moved = access is not staged.access and relation.relation_id != staged.access.relation.relation_id
    if not moved and not earlier.touch(relation.relation_id):
        return staged.effective()
    settled: list[tuple[Key, Entry]] = []
    taken: set[Key] = set()
    for count, (key, entry) in enumerate(staged.effective()):
        if count and not count % ROWS_PER_TURN:
            await asyncio.sleep(0)
        row = entry.new
        if entry.base is None and row is not None:
            if relation.primary_key and await _primary_is_taken(lake, working, earlier, access, row, staged, moved):
                raise UniqueViolation.of(relation.name)
            if not access.keyed_by_ctid:
                key = await _free_key(lake, working, earlier, access, None if moved else key, row, taken)
        taken.add(key)
        settled.append((key, entry))
    return settled


async def _free_key(
    lake: Lake, working: Working, earlier: Earlier, access: Access, staged_key: Key | None, row: Row, taken: set[Key]
) -> Key:
    """``staged_key`` or else the row's own key, with the lowest tie-breaker that nobody took."""
    key = access.key(row) if staged_key is None else staged_key
    ordinal = 0
    while key in taken or await _is_taken(lake, working, earlier, access, key, row, known=key is staged_key):
        ordinal += 1
        key = access.key(row, ordinal)
    return key


async def _is_taken(
    lake: Lake, working: Working, earlier: Earlier, access: Access, key: Key, row: Row, *, known: bool
) -> bool:
    """Whether a row is stored under ``key``. ``known``: none was at the transaction's root."""
    was_changed, now = earlier.changed_to(access.relation.relation_id, access.partition(row), key)
    if was_changed:
        return now is not None
    if known or access.freshness(working.root.counters)(row):
        return False
    return await row_is_present(lake, working.root, access.relation, access, row, key)


async def _primary_is_taken(
    lake: Lake, working: Working, earlier: Earlier, access: Access, row: Row, staged: Staged, moved: bool
) -> bool:
    """A staged primary key was free when it was claimed, and the claim keeps other transactions from it."""
    primary = access.primary_key(row)
    if primary is not None and earlier.took(access.relation.relation_id, primary):
        return True
    return moved and await primary_is_taken(lake, working.root, access.relation, row, staged)


def with_commit_time(access: Access, entry: Entry, time_us: int) -> Entry:
    """The entry of a snapshot row whose time is the commit's."""
    index = access.snapshot_time
    if entry.new is None or index is None:
        return entry
    return entry._replace(new=(*entry.new[:index], time_us, *entry.new[index + 1 :]))
