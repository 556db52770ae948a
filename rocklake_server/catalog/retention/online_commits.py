"""Commits of an operator's command through the server that has the lake open: members of its groups, in slices.

The command reads one picture of the lake. What other sessions commit meanwhile is watched: a row that they removed is
left out, one that they changed ends the command, whose earlier commits stay. Each commit leaves the lake whole, so that
the next run takes what is left.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from functools import partial

from rocklake_server.catalog.access import access_of
from rocklake_server.catalog.batches import Draft
from rocklake_server.catalog.databases import OpenLake
from rocklake_server.catalog.image import WHOLE, Partition
from rocklake_server.catalog.lake import Lake
from rocklake_server.catalog.lake_reader import LakeReader
from rocklake_server.catalog.retention.audited_commits import AuditedCommits, Gathered, RowChange
from rocklake_server.catalog.root import Watch
from rocklake_server.catalog.validation import Working
from rocklake_server.clock import elapsed_s
from rocklake_server.errors import SerializationFailure
from rocklake_server.limits import ONLINE_COMMIT_BYTES_MAX
from rocklake_server.pacing import checked, in_slices
from rocklake_server.schema.model import Relation
from rocklake_server.store.base import Key, WriteBatch

BUSY_COMMIT_S = 0.1
REST_S_MAX = 2.0
"""After a commit that took longer, a command rests for as long as it took: a store that cannot keep up, or a machine
that is busy, is the sessions' first."""


class OnlineCommits(AuditedCommits):
    """``watch`` began when the picture was taken that the command reads."""

    def __init__(self, opened: OpenLake, watch: Watch, *, command: str, who: str, now_us: int) -> None:
        """``now_us`` as of a Clock."""
        super().__init__(command=command, who=who, now_us=now_us)
        self.bytes_max = ONLINE_COMMIT_BYTES_MAX
        self.gone: Counter[str] = Counter()
        """Rows that others removed before this command came to them, by relation."""
        self._opened = opened
        self._watch = watch
        self.undisturbed: Undisturbed | None = None

    async def finish_undisturbed(self, lake: LakeReader, spared: Collection[str] = ()) -> int | None:
        """As ``finish``, for what was proven of ``lake``, the picture that was read: nobody may have changed or removed
        a row of it since, but for rows of relations that are ``spared``. New rows do no harm. Raises
        SerializationFailure."""
        self.undisturbed = Undisturbed(lake, self._watch, spared)
        await self.undisturbed.require({})
        return await self.finish()

    async def _write(self, gathered: Gathered) -> int:
        commit, began_s = _OnlineCommit(self, gathered), elapsed_s()
        await self._opened.committer.commit_drafted(commit.draft)
        took_s = elapsed_s() - began_s
        if took_s > BUSY_COMMIT_S:
            await asyncio.sleep(min(took_s, REST_S_MAX))
        for change in gathered.rows:
            self._watch.forget(change.relation.relation_id, change.key)
        self.gone.update(change.relation.name for change in commit.left_out if change.why)
        return commit.sequence

    async def gathered(self) -> WriteBatch:
        sequence = self._opened.lake.newest.sequence + 1
        batch, _ = await in_slices(lambda: self._open.rendered(sequence))
        return batch

    def _new_ctid(self) -> int:
        return self._opened.lake.allocate_ctid()

    def add_audit(self, batch: WriteBatch, sequence: int, gathered: Gathered) -> None:
        self._add_audit(batch, sequence, gathered)

    def changed_to(self, relation: Relation, key: Key) -> bool | None:
        """Whether there is a row under ``key`` since others changed it; ``None`` when they left it as it was."""
        return self._watch.changed.get(relation.relation_id, {}).get(key)


class Undisturbed:
    """Whether everything that a picture of a lake shows is still so. What was looked up once is not looked up again."""

    def __init__(self, lake: LakeReader, watch: Watch, spared: Collection[str]) -> None:
        by_name = lake.relations.by_name
        self._lake = lake
        self._watch = watch
        self._spared = {by_name[name].relation_id for name in spared if name in by_name}
        self._new: set[Key] = set()

    async def require(self, uncommitted: Mapping[int, Mapping[Partition, Collection[Key]]]) -> None:
        """``uncommitted`` is what earlier members of the open group change. Raises SerializationFailure."""
        if not self._watch.redefined.isdisjoint(self._lake.relations.by_id):
            raise SerializationFailure.update()
        changed = [(relation_id, list(keys)) for relation_id, keys in self._watch.changed.items()]
        changed += [(number, list(keys)) for number, rows in uncommitted.items() for keys in rows.values()]
        for relation_id, keys in changed:
            if relation_id not in self._spared:
                await self._require_new(keys)

    async def _require_new(self, keys: Sequence[Key]) -> None:
        for key in keys:
            if key in self._new:
                continue
            if await self._lake.snapshot.get(key) is not None:
                raise SerializationFailure.update()
            self._new.add(key)


class _OnlineCommit:
    """One of them. ``sequence`` and ``left_out`` are known once it was drafted."""

    def __init__(self, commits: OnlineCommits, gathered: Gathered) -> None:
        self.sequence = 0
        self.left_out: list[RowChange] = []
        self._commits = commits
        self._gathered = gathered

    async def draft(self, lake: Lake, working: Working, sequence: int) -> Draft:
        """Raises SerializationFailure when somebody changed what it is about."""
        self.sequence = sequence
        lake.raise_marks(self._gathered.next_row, self._gathered.next_relation_id)
        if (undisturbed := self._commits.undisturbed) is not None:
            await undisturbed.require(working.changes)
        return await in_slices(lambda: self._drafted(working, sequence))

    def _drafted(self, working: Working, sequence: int) -> Draft:
        gathered = self._gathered
        self._require_definitions(working)
        if gone := self._gone(working):
            self.left_out = gathered.leave_out(gone)
        draft = Draft(partial(_redefine, gathered.dropped, gathered.defined_again), working.last_snapshot_us)
        draft.batch, draft.grown_bytes = gathered.rendered(sequence)
        self._commits.add_audit(draft.batch, sequence, gathered)
        for change in checked(gathered.rows):
            _note_change(draft, change)
        draft.counters = {
            name: max(value, working.counters.get(name, 0)) for name, value in gathered.counters.items()
        }
        draft.size_bytes = gathered.size_bytes
        if not gathered.rows:
            draft.counted = {}, {}
        return draft

    def _require_definitions(self, working: Working) -> None:
        by_id, by_name = working.relations.by_id, working.relations.by_name
        again = {relation.relation_id for relation in self._gathered.defined_again}
        for relation in {change.relation.relation_id: change.relation for change in self._gathered.rows}.values():
            if relation.relation_id not in by_id and relation.relation_id not in again:
                raise SerializationFailure.update()
        for relation in self._gathered.dropped:
            if relation.relation_id not in by_id:
                raise SerializationFailure.update()
        if any(relation.name in by_name for relation in self._gathered.defined_again):
            raise SerializationFailure.update()

    def _gone(self, working: Working) -> set[Key]:
        """Keys of rows that others removed. Raises SerializationFailure for one that they changed, or put there."""
        gone: set[Key] = set()
        for change in checked(self._gathered.rows):
            there = self._commits.changed_to(change.relation, change.key)
            mine = working.changes.get(change.relation.relation_id)
            if mine is not None:
                for rows in mine.values():
                    if change.key in rows:
                        there = rows[change.key] is not None
            if there:
                raise SerializationFailure.update()
            if there is False and change.old is not None:
                gone.add(change.key)
        return gone


def _note_change(draft: Draft, change: RowChange) -> None:
    """For images, and for what others have staged. Primary keys that become free are not noted: what goes was there
    before every open transaction began."""
    relation, key, new = change.relation, change.key, change.new
    access = access_of(relation)
    row = None if new is None else access.codec.decode(key, new)
    partition = access.partition_of_key(key) if relation.partition else WHOLE
    draft.changes.setdefault(relation.relation_id, {}).setdefault(partition, {})[key] = row
    if row is not None and (primary := access.primary_key(row)) is not None:
        draft.primaries.setdefault(relation.relation_id, {})[primary] = True


def _redefine(
    dropped: Sequence[Relation], defined_again: Sequence[Relation], working: Working, batch: WriteBatch
) -> None:
    """The keys are in the draft's batch already, except where another member redefined what is dropped."""
    del batch
    for relation in dropped:
        working.relations = working.relations.without(working.relations.by_id[relation.relation_id])
        working.redefined.add(relation.relation_id)
    for relation in defined_again:
        working.relations = working.relations.with_relation(relation)
        working.redefined.add(relation.relation_id)
        working.returned.add(relation.relation_id)
