"""A validated transaction as keys and values: rows, retired rows, indexes, counters, definitions."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import chain
from typing import TypeAlias, cast

from rocklake_server.catalog.access import Access, PrimaryKey, access_of
from rocklake_server.catalog.image import Partition
from rocklake_server.catalog.indexes import IndexEntries
from rocklake_server.catalog.lake import Lake
from rocklake_server.catalog.relations import row_transform
from rocklake_server.catalog.staged import Changed, Entry
from rocklake_server.catalog.system_keys import write_comments, write_counters, write_definition, write_drop
from rocklake_server.catalog.validation import ROWS_PER_TURN, Member, Working, with_commit_time
from rocklake_server.catalog.view import Now, Row
from rocklake_server.encoding.keys import retired_key, retired_prefix
from rocklake_server.schema.annotations import same_rows
from rocklake_server.schema.model import Relation
from rocklake_server.schema.system_subspaces import COUNTER_CATALOG, COUNTER_FILE
from rocklake_server.store.base import Key, WriteBatch

RowChanges: TypeAlias = dict[Partition, dict[Key, Row | None]]


@dataclass(slots=True)
class Draft:
    """One member's contribution, complete before any of it reaches the group. ``redefine`` makes its definitions part
    of the group, before its rows. ``counted`` is for the lake's survey, which counts anew without it."""

    redefine: Callable[[Working, WriteBatch], None]
    last_snapshot_us: int | None
    batch: WriteBatch = field(default_factory=WriteBatch)
    changes: dict[int, RowChanges] = field(default_factory=dict)
    primaries: dict[int, dict[PrimaryKey, bool]] = field(default_factory=dict)
    counters: dict[str, int] = field(default_factory=dict)
    grown_bytes: int = 0
    size_bytes: int = 0
    counted: Changed | None = None


async def draft_of(lake: Lake, working: Working, member: Member, sequence: int) -> Draft:
    """A member's changes as the group's batch would take them. A value that cannot be encoded fails the member."""
    draft = Draft(partial(_apply_definitions, member, sequence), working.last_snapshot_us)
    draft.counted = member.definitions, member.rows
    for relation_id, entries in member.rows.items():
        access = access_of(member.definitions[relation_id])
        entries = await _with_times(lake, working, access, entries, draft)
        await _write_rows(working, access, entries, draft, sequence)
    for note in member.transaction.beside:
        note(draft.batch, sequence)
    draft.size_bytes = draft.batch.size_bytes
    return draft


def apply_draft(working: Working, draft: Draft, batch: WriteBatch) -> None:
    """Make the draft, which was drawn on ``working`` as it is, part of it and of the group's batch."""
    batch.operations.update(draft.batch.operations)
    working.counted.append(draft.counted)
    draft.redefine(working, batch)
    working.last_snapshot_us = draft.last_snapshot_us
    for relation_id, partitions in draft.changes.items():
        into = working.changes.setdefault(relation_id, {})
        for partition, rows in partitions.items():
            into.setdefault(partition, {}).update(rows)
    for relation_id, primaries in draft.primaries.items():
        working.primaries.setdefault(relation_id, {}).update(primaries)
    working.stored_bytes += draft.grown_bytes
    working.counters.update(draft.counters)
    write_counters(batch, draft.counters)


async def _with_times(
    lake: Lake, working: Working, access: Access, entries: list[tuple[Key, Entry]], draft: Draft
) -> list[tuple[Key, Entry]]:
    """Snapshot rows that say NOW() get their time here: the clock's, but after every earlier snapshot's."""
    index = access.snapshot_time
    if index is None:
        return entries
    last_us = draft.last_snapshot_us
    if last_us is None:
        last_us = await _last_snapshot_time(lake, working, access.relation)
    timed: list[tuple[Key, Entry]] = []
    for key, entry in entries:
        if entry.new is not None and isinstance(entry.new[index], Now):
            entry = with_commit_time(access, entry, max(lake.clock.now_us(), last_us + 1))
        if entry.new is not None and isinstance(time_us := entry.new[index], int):
            last_us = max(last_us, time_us)
        timed.append((key, entry))
    draft.last_snapshot_us = last_us
    return timed


_BEFORE_ALL_TIMES = -(1 << 62)


async def _last_snapshot_time(lake: Lake, working: Working, relation: Relation) -> int:
    if lake.last_snapshot_us is not None:
        return lake.last_snapshot_us
    base = working.root.relations.by_id.get(relation.relation_id)
    if base is None:
        return _BEFORE_ALL_TIMES
    complete = await lake.complete(working.root, base)
    zones = [
        chunk.zone(base.index["snapshot_time"]) for part in complete.parts.values() for chunk in part.image.chunks
    ]
    return max((cast("int", zone.greatest) for zone in zones if zone is not None and zone.greatest is not None),
               default=_BEFORE_ALL_TIMES)


async def _write_rows(
    working: Working, access: Access, entries: list[tuple[Key, Entry]], draft: Draft, sequence: int
) -> None:
    relation = access.relation
    changes = draft.changes.setdefault(relation.relation_id, {})
    for start in range(0, len(entries), ROWS_PER_TURN):
        if start:
            await asyncio.sleep(0)
        run = entries[start : start + ROWS_PER_TURN]
        if not _write_alike(access, run, draft, changes, sequence):
            for key, entry in run:
                _write_entry(access, key, entry, draft, changes, sequence)
    if relation.primary_key:
        draft.primaries[relation.relation_id] = _primaries(access, entries)
    _raise_counters(working, access, [entry.new for _, entry in entries if entry.new is not None], draft.counters)


def _write_alike(
    access: Access, run: Sequence[tuple[Key, Entry]], draft: Draft, changes: RowChanges, sequence: int
) -> bool:
    """A run of entries that are all new, all removed or all changed, at once; False for others."""
    fresh = {key: entry.new for key, entry in run if entry.base is None and entry.new is not None}
    if len(fresh) == len(run):
        _write_new(access, fresh, draft, changes)
        return True
    base = {key: entry.base for key, entry in run if entry.base is not None}
    if len(base) < len(run) or access.index_entries is not None:
        return False
    new = {key: entry.new for key, entry in run if entry.new is not None}
    retired = [entry.retired for _, entry in run]
    if not new and all(retired):
        _write_removed(access, base, draft, changes, sequence)
    elif len(new) == len(run) and not any(retired):
        _write_changed(access, base, new, draft, changes)
    else:
        return False
    return True


def _write_new(access: Access, rows: Mapping[Key, Row], draft: Draft, changes: RowChanges) -> None:
    """Rows that replace none, a run at once."""
    written = dict(zip(rows, map(access.codec.encode, rows.values()), strict=True))
    if access.index_entries is not None:
        written.update(chain.from_iterable(map(access.index_entries, rows.values())))
    draft.batch.operations.update(written)
    draft.grown_bytes += sum(map(len, written)) + sum(map(len, written.values()))
    for partition, part in access.by_partition(rows).items():
        changes.setdefault(partition, {}).update(part)


def _write_removed(
    access: Access, rows: Mapping[Key, Row], draft: Draft, changes: RowChanges, sequence: int
) -> None:
    """Rows without index entries that SQL DELETE removed: each is kept under another key."""
    prefix = retired_prefix(sequence)
    kept = {Key(prefix + key): old for key, old in zip(rows, map(access.codec.encode, rows.values()), strict=True)}
    draft.batch.operations.update(kept)
    draft.batch.operations.update(dict.fromkeys(rows))
    draft.grown_bytes += len(prefix) * len(rows)
    for partition, part in access.by_partition(rows).items():
        changes.setdefault(partition, {}).update(dict.fromkeys(part))


def _write_changed(
    access: Access, base: Mapping[Key, Row], new: Mapping[Key, Row], draft: Draft, changes: RowChanges
) -> None:
    """Rows without index entries that keep their keys."""
    encode = access.codec.encode
    written = dict(zip(new, map(encode, new.values()), strict=True))
    draft.batch.operations.update(written)
    draft.grown_bytes += sum(map(len, written.values())) - sum([len(encode(old)) for old in base.values()])
    for partition, part in access.by_partition(new).items():
        changes.setdefault(partition, {}).update(part)


def _write_entry(
    access: Access, key: Key, entry: Entry, draft: Draft, changes: RowChanges, sequence: int
) -> None:
    """A row that is changed or removed, too."""
    base, new, is_retired = entry
    operations = draft.batch.operations
    if base is not None:
        old = access.codec.encode(base)
        draft.grown_bytes -= len(key) + len(old)
        if is_retired:
            retired = retired_key(sequence, key)
            operations[retired] = old
            draft.grown_bytes += len(retired) + len(old)
    if new is None:
        operations[key] = None
    else:
        operations[key] = value = access.codec.encode(new)
        draft.grown_bytes += len(key) + len(value)
    if access.index_entries is not None:
        draft.grown_bytes += _write_index_entries(access.index_entries, entry, draft.batch)
    row = new if new is not None else base
    if row is not None:
        changes.setdefault(access.partition(row), {})[key] = new


def _primaries(access: Access, entries: list[tuple[Key, Entry]]) -> dict[PrimaryKey, bool]:
    """The primary keys that are taken by the entries, and those that they set free."""
    before = (access.primary_key(entry.base) for _, entry in entries if entry.base is not None)
    after = (access.primary_key(entry.new) for _, entry in entries if entry.new is not None)
    freed = {primary: False for primary in before if primary is not None}
    return freed | {primary: True for primary in after if primary is not None}


def _write_index_entries(index_entries: IndexEntries, entry: Entry, batch: WriteBatch) -> int:
    """Returns the bytes that the indexes grow by."""
    grown_bytes = 0
    if entry.base is not None:
        for index_key, value in index_entries(entry.base):
            batch.delete(index_key)
            grown_bytes -= len(index_key) + len(value)
    if entry.new is not None:
        for index_key, value in index_entries(entry.new):
            batch.put(index_key, value)
            grown_bytes += len(index_key) + len(value)
    return grown_bytes


def _raise_counters(working: Working, access: Access, rows: list[Row], counters: dict[str, int]) -> None:
    """Counters stay above every id that was ever inserted, and mirror what snapshot rows announce."""
    greatest = access.greatest_ids(rows)
    if access.snapshot_time is not None:
        index = access.relation.index
        for column, name in (("next_catalog_id", COUNTER_CATALOG), ("next_file_id", COUNTER_FILE)):
            for row in rows if column in index else ():
                if isinstance(value := row[index[column]], int):
                    greatest[name] = max(value - 1, greatest.get(name, value - 1))
    for name, value in greatest.items():
        if value >= counters.get(name, working.counters.get(name, 0)):
            counters[name] = value + 1


def _apply_definitions(member: Member, sequence: int, working: Working, batch: WriteBatch) -> None:
    """Before the member's own rows: what earlier members changed takes the new shape."""
    transaction = member.transaction
    for relation_id, dropped in transaction.dropped.items():
        write_drop(batch, working.relations.by_id.get(relation_id, dropped), sequence)
        working.relations = working.relations.without(dropped)
        working.redefined.add(relation_id)
    for relation in member.created:
        write_definition(batch, relation)
        working.relations = working.relations.with_relation(relation)
        working.redefined.add(relation.relation_id)
    for relation_id in transaction.altered:
        relation_now = member.definitions.get(relation_id)
        if relation_now is None or relation_id in transaction.dropped:
            continue
        write_definition(batch, relation_now)
        before = working.relations.by_id[relation_id]
        if not same_rows(before, relation_now):
            working.altered[relation_id] = before, relation_now
            working.reshape(relation_id, row_transform(before, relation_now))
        working.relations = working.relations.with_relation(relation_now)
        working.redefined.add(relation_id)
    if transaction.comments:
        write_comments(batch, transaction.comments)
        working.relations = working.relations.with_comments(transaction.comments)
