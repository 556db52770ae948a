"""One lake's part of a transaction: staged changes over a root. Read-your-writes, savepoints, primary keys."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

from rocklake_server.catalog.access import Access, access_of
from rocklake_server.catalog.conflicts import (
    has_declared_prefix,
    require_keys_unchanged,
    require_relations_unchanged,
)
from rocklake_server.catalog.lake import Lake
from rocklake_server.catalog.presence import primary_is_taken, row_is_present
from rocklake_server.catalog.reading import ReadView
from rocklake_server.catalog.relations import Relations, row_transform
from rocklake_server.catalog.root import Root
from rocklake_server.catalog.staged import Entry, Savepoint, Staged
from rocklake_server.catalog.view import Match, Row
from rocklake_server.catalog.waits import Holder
from rocklake_server.errors import NotNullViolation, SerializationFailure, UniqueViolation
from rocklake_server.pacing import Turns
from rocklake_server.schema.model import Relation
from rocklake_server.schema.types import Value
from rocklake_server.store.base import Key, WriteBatch

ROWS_PER_LOOK = 128
"""Rows staged between two looks at the clock."""


class LakeTransaction(ReadView):
    """Created at the transaction's first statement. READ COMMITTED moves ``root`` forward with ``refresh``."""

    def __init__(
        self,
        lake: Lake,
        holder: Holder,
        lock_timeout_s: float | None = None,
        *,
        serializable: bool = False,
        root: Root | None = None,
    ) -> None:
        super().__init__(lake, lake.hold(root))
        self.serializable = serializable
        self.holder = holder
        self.lock_timeout_s = lock_timeout_s
        self.created: dict[int, Relation] = {}
        self.if_not_exists: set[int] = set()
        self.dropped: dict[int, Relation] = {}
        self.altered: dict[int, Relation] = {}
        self.beside: list[Callable[[WriteBatch, int], None]] = []
        """What its commit writes beside rows and definitions, told the commit's number."""
        self.comments: dict[str, str] = {}
        self._savepoints: list[Savepoint] = []
        self._undo: list[tuple[Staged, Key, Entry | None] | Callable[[], None]] = []

    # -- ends -------------------------------------------------------------------------------------------------------

    @property
    def writes(self) -> bool:
        """Whether COMMIT has anything to write."""
        if self.created or self.dropped or self.altered or self.comments:
            return True
        return bool(self.staged) and any(staged.is_effective for staged in self.staged.values())

    def refresh(self) -> None:
        """READ COMMITTED: go on from the newest root, with the staged changes laid over it. Raises
        SerializationFailure when a commit since the last statement changed what they are about."""
        newest = self.lake.newest
        if newest is self.root:
            return
        written = [i for i, staged in self.staged.items() if staged.entries]
        for relation_id in (*written, *self.altered, *self.dropped):
            if newest.relations.by_id.get(relation_id) is not self.root.relations.by_id.get(relation_id):
                raise SerializationFailure.update()
        committed = [record.changes for record in self.lake.log.after(self.root.sequence)]
        require_keys_unchanged(committed, self.staged)
        require_relations_unchanged(committed, self.dropped.values())
        old, self.root = self.root, self.lake.hold()
        self.lake.release(old)
        self.relations = self._own_relations()
        self.overlays.clear()

    def end(self) -> None:
        """Give everything back, after COMMIT or for ROLLBACK."""
        self.lake.release(self.root)
        self.lake.pending.release(self.holder)
        self.lake.snapshot_turn.release(self.holder)

    # -- rows -------------------------------------------------------------------------------------------------------

    async def insert(
        self, relation: Relation, rows: Sequence[Sequence[Value]], written: list[Row] | None = None
    ) -> int:
        access, staged = self._staging(relation)
        loads = not relation.partition and not access.keyed_by_ctid
        if rows and loads and relation.relation_id in self.root.relations.by_id:
            await self.lake.complete(self.root, self.root.relations.by_id[relation.relation_id])
        turns = Turns()
        for start in range(0, len(rows), ROWS_PER_LOOK):
            await turns.take()
            run = rows[start : start + ROWS_PER_LOOK]
            made = [(*values, ctid) for values, ctid in zip(run, self.lake.allocate_ctids(len(run)), strict=True)]
            if not self._stage_new(relation, access, staged, made):
                for row in made:
                    _check_required(relation, access, row)
                    await self._stage(relation, access, staged, row)
            if written is not None:
                written += made
        return len(rows)

    def _stage_new(self, relation: Relation, access: Access, staged: Staged, rows: Sequence[Row]) -> bool:
        """Stage rows whose keys are certainly new. Without that certainty, and when a value is missing, nothing is
        done: the rows go one by one then, and the first that is at fault is told. Snapshot rows have their turns."""
        if access.snapshot_time is not None or not self._are_new(relation, access, rows):
            return False
        if any(row[index] is None for index in access.required for row in rows):
            return False
        keyed = dict(zip(access.keys(rows), rows, strict=True))
        if len(keyed) < len(rows) or not staged.entries.keys().isdisjoint(keyed):
            return False
        if relation.primary_key and not self._claim_all(relation, access, staged, keyed):
            return False
        staged.put_new(keyed)
        self._note_undo(staged, keyed)
        return True

    def _claim_all(self, relation: Relation, access: Access, staged: Staged, rows: Mapping[Key, Row]) -> bool:
        """Claim the primary keys of all rows, if it is certain that nobody has or claims one of them."""
        if relation.relation_id not in self.created:
            for counters in {id(root): root.counters for root in (self.root, self.lake.newest)}.values():
                if not access.all_fresh(counters, rows.values()):
                    return False
        primaries = list(map(access.primary_of, rows.values()))
        if len(set(primaries)) < len(primaries) or not staged.primary.keys().isdisjoint(primaries):
            return False
        tokens = [(relation.relation_id, primary) for primary in primaries]
        if not self.lake.pending.take_all_now(tokens, self.holder):
            return False
        staged.primary.update(zip(primaries, rows, strict=True))
        return True

    async def _stage(self, relation: Relation, access: Access, staged: Staged, row: Row) -> None:
        primary = access.primary_key(row)
        if primary is None:
            key = await self._free_key(relation, access, staged, row)
        else:
            key = await self._claim(relation, access, staged, row)
            staged.primary[primary] = key
        before = staged.entries.get(key)
        self._put(staged, key, Entry(None, row) if before is None else before._replace(new=row))

    async def update(
        self,
        relation: Relation,
        changes: Sequence[tuple[Match, Sequence[Value]]],
        written: list[Row] | None = None,
    ) -> int:
        access, staged = self._staging(relation)
        turns = Turns()
        for start in range(0, len(changes), ROWS_PER_LOOK):
            await turns.take()
            run = changes[start : start + ROWS_PER_LOOK]
            if not self._stage_changed(access, staged, run, written):
                await self._update_each(relation, access, staged, run, written)
        return len(changes)

    def _stage_changed(
        self, access: Access, staged: Staged, run: Sequence[tuple[Match, Sequence[Value]]], written: list[Row] | None
    ) -> bool:
        """Stage changes of rows that keep their keys and that this transaction has not changed before. Nothing is done
        when there are others, or when a value is missing."""
        if any(values[i] is None for i in access.required for _, values in run):
            return False
        if any(values[i] != match.row[i] for i in access.identifying for match, values in run):
            return False
        ctids = self.lake.allocate_ctids(len(run))
        made = {match.key: (match.row, (*values, ctid)) for (match, values), ctid in zip(run, ctids, strict=True)}
        if len(made) < len(run) or not staged.entries.keys().isdisjoint(made):
            return False
        staged.put_changed(made)
        self._note_undo(staged, made)
        if written is not None:
            written += [new for _, new in made.values()]
        return True

    def _note_undo(self, staged: Staged, keys: Iterable[Key]) -> None:
        """Keys that were staged nowhere before."""
        if self._savepoints:
            self._undo += [(staged, key, None) for key in keys]

    async def _update_each(
        self,
        relation: Relation,
        access: Access,
        staged: Staged,
        changes: Sequence[tuple[Match, Sequence[Value]]],
        written: list[Row] | None,
    ) -> None:
        for (key, old), values in changes:
            _check_required(relation, access, values)
            if all(values[i] == old[i] for i in access.identifying):
                row: Row = (*values, self.lake.allocate_ctid())
                before = staged.entries.get(key)
                self._put(staged, key, before._replace(new=row) if before else Entry(old, row))
                if written is not None:
                    written.append(row)
            else:
                self._remove(access, staged, key, old, retire=False)
                await self.insert(relation, [values], written)

    async def delete(self, relation: Relation, matches: Sequence[Match]) -> int:
        access, staged = self._staging(relation)
        turns = Turns()
        for start in range(0, len(matches), ROWS_PER_LOOK):
            await turns.take()
            run = matches[start : start + ROWS_PER_LOOK]
            gone = {match.key: (match.row, None) for match in run}
            if relation.primary_key or len(gone) < len(run) or not staged.entries.keys().isdisjoint(gone):
                for key, row in run:
                    self._remove(access, staged, key, row, retire=True)
            else:
                staged.put_changed(gone, retired=True)
                self._note_undo(staged, gone)
        return len(matches)

    def _remove(self, access: Access, staged: Staged, key: Key, row: Row, *, retire: bool) -> None:
        """``retire`` tells a DELETE from an UPDATE that moves the row to another key."""
        before = staged.entries.get(key)
        if before is None:
            entry = Entry(row, None, retired=retire)
        else:
            entry = before._replace(new=None, retired=before.retired or (retire and before.base is not None))
        self._put(staged, key, entry)
        primary = access.primary_key(row)
        if primary is not None and access.durable:
            self.lake.pending.take_now((access.relation.relation_id, primary), self.holder)

    async def _claim(self, relation: Relation, access: Access, staged: Staged, row: Row) -> Key:
        """The key for a row with a primary key. Waits for another open transaction that holds the same one, and a
        snapshot row for another session's turn."""
        primary = access.primary_key(row)
        if primary is None:
            raise AssertionError("only rows with a primary key are claimed")
        if staged.holds_primary(primary):
            raise UniqueViolation.of(relation.name)
        turn = self.lake.snapshot_turn
        while access.snapshot_time is not None and access.durable and not turn.insert_now(self.holder):
            await self._require_free(relation, row, staged)  # each turn may have taken it
            await turn.wait(self.holder, self.lock_timeout_s)
        pending, token = self.lake.pending, (relation.relation_id, primary)
        already_held = pending.count(self.holder)
        if not pending.take_now(token, self.holder):
            await pending.take(token, self.holder, self.lock_timeout_s)
        try:
            await self._require_free(relation, row, staged)
        except UniqueViolation:
            pending.release_since(self.holder, already_held)
            raise
        return access.key(row)

    async def _require_free(self, relation: Relation, row: Row, staged: Staged) -> None:
        """Raises UniqueViolation when a row with the same primary key is committed."""
        roots = (self.root,) if self.root is self.lake.newest else (self.root, self.lake.newest)
        for root in roots:
            if await primary_is_taken(self.lake, root, relation, row, staged):
                raise UniqueViolation.of(relation.name)

    async def _free_key(self, relation: Relation, access: Access, staged: Staged, row: Row) -> Key:
        """A key that no row has: the row's own, or with the lowest tie-breaker that is free."""
        ordinal = 0
        key = access.key(row)
        while await self._is_present(relation, access, staged, row, key):
            ordinal += 1
            key = access.key(row, ordinal)
        return key

    def _are_new(self, relation: Relation, access: Access, rows: Collection[Row]) -> bool:
        """Whether the rows' keys are certainly none that the root has."""
        if access.keyed_by_ctid or relation.relation_id in self.created:
            return True
        return access.all_fresh(self.root.counters, rows)

    async def _is_present(self, relation: Relation, access: Access, staged: Staged, row: Row, key: Key) -> bool:
        entry = staged.entries.get(key)
        if entry is not None:
            return entry.new is not None
        if self._are_new(relation, access, (row,)):
            return False
        return await row_is_present(self.lake, self.root, relation, access, row, key)

    def _staging(self, relation: Relation) -> tuple[Access, Staged]:
        staged = self.staged.get(relation.relation_id)
        if staged is None:
            staged = self.staged[relation.relation_id] = Staged(access_of(relation))
        return staged.access, staged

    def _put(self, staged: Staged, key: Key, entry: Entry) -> None:
        before = staged.put(key, entry)
        if self._savepoints:
            self._undo.append((staged, key, before))

    # -- definitions ------------------------------------------------------------------------------------------------

    def create(self, relation: Relation, *, if_not_exists: bool) -> None:
        created = {**self.created, relation.relation_id: relation}
        self._redefine(created=created, relations=self.relations.with_relation(relation))
        if if_not_exists:
            self.if_not_exists.add(relation.relation_id)

    async def drop(self, relation: Relation) -> None:
        """Remove the definition. Rows of a declared relation go with it; rows under a relation id of their own stay
        in the store, unreachable, until they are excised."""
        relation_id = relation.relation_id
        if has_declared_prefix(relation):
            for image in await self.images(relation):
                await self.delete(relation, [Match(key, row) for key, row in image.entries()])
        else:
            self._replace_staged(relation_id, Staged(access_of(relation)))
        if relation_id in self.created:
            self._redefine(created={i: r for i, r in self.created.items() if i != relation_id})
        else:
            base = self.root.relations.by_id.get(relation_id, relation)
            self._redefine(dropped={**self.dropped, relation_id: base})

    def alter(self, old: Relation, new: Relation) -> None:
        """Put ``new`` in place of ``old``; rows that are staged are rewritten, stored ones read as the new shape."""
        relation_id = old.relation_id
        staged = self.staged.get(relation_id)
        if staged is not None:
            self._replace_staged(relation_id, staged.transformed(access_of(new), row_transform(old, new)))
        self._drop_overlays(relation_id)
        if relation_id in self.created:
            self._redefine(created={**self.created, relation_id: new})
        else:
            self._redefine(altered={**self.altered, relation_id: new})

    def comment(self, name: str, text: str) -> None:
        """A comment of the lake itself, under the system key of that name."""
        self._redefine(comments={**self.comments, name: text})

    def _redefine(
        self,
        *,
        created: dict[int, Relation] | None = None,
        altered: dict[int, Relation] | None = None,
        dropped: dict[int, Relation] | None = None,
        comments: dict[str, str] | None = None,
        relations: Relations | None = None,
    ) -> None:
        before = self.created, self.altered, self.dropped, self.comments

        def restore() -> None:
            self.created, self.altered, self.dropped, self.comments = before
            self.relations = self._own_relations()

        self.created = self.created if created is None else created
        self.altered = self.altered if altered is None else altered
        self.dropped = self.dropped if dropped is None else dropped
        self.comments = self.comments if comments is None else comments
        self.relations = self._own_relations() if relations is None else relations
        if self._savepoints:
            self._undo.append(restore)

    def _own_relations(self) -> Relations:
        """The root's relations with this transaction's definitions in their place."""
        if not (self.created or self.altered or self.dropped or self.comments):
            return self.root.relations
        by_id = {**self.root.relations.by_id, **self.altered, **self.created}
        kept = (relation for i, relation in by_id.items() if i not in self.dropped)
        return Relations.of(kept, {**self.root.relations.comments, **self.comments})

    def _replace_staged(self, relation_id: int, staged: Staged) -> None:
        before = self.staged.get(relation_id)

        def restore() -> None:
            if before is None:
                self.staged.pop(relation_id, None)
            else:
                self.staged[relation_id] = before

        self.staged[relation_id] = staged
        self._drop_overlays(relation_id)
        if self._savepoints:
            self._undo.append(restore)

    # -- savepoints -------------------------------------------------------------------------------------------------

    def savepoint(self, name: str) -> None:
        self._savepoints.append(Savepoint(name, len(self._undo), self.lake.pending.count(self.holder)))

    def rollback_to(self, depth: int) -> None:
        """Undo everything since savepoint number ``depth`` (0 is the outermost), which stays."""
        self.lake.pending.release_since(self.holder, self._savepoints[depth].keys_held)
        target = self._savepoints[depth].undo_length
        changed: set[int] = set()
        while len(self._undo) > target:
            step = self._undo.pop()
            if callable(step):
                step()
            else:
                staged, key, before = step
                staged.restore(key, before)
                changed.add(id(staged))
        for staged in self.staged.values():
            if id(staged) in changed:
                staged.reindex()
        self.overlays.clear()
        del self._savepoints[depth + 1 :]

    def release(self, depth: int) -> None:
        """Forget savepoint ``depth`` and those inside it; their changes stay."""
        del self._savepoints[depth:]
        if not self._savepoints:
            self._undo.clear()

    def _drop_overlays(self, relation_id: int) -> None:
        for overlay_key in [k for k in self.overlays if k[0] == relation_id]:
            del self.overlays[overlay_key]


def _check_required(relation: Relation, access: Access, values: Sequence[Value]) -> None:
    for index in access.required:
        if values[index] is None:
            raise NotNullViolation.of(relation.name, relation.columns[index].name)
