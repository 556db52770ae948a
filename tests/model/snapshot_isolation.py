"""A model of the engine in plain Python: snapshot isolation, first committer wins. Nothing here is fast or clever.

Rows are told apart by a marker that is given once and never changes. A row is a dict from column number to value;
a number that is missing reads the column's default.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass, field, replace
from itertools import count

from rocklake_server.errors import CatalogError, SerializationFailure, UniqueViolation
from rocklake_server.schema.types import Value

Cells = dict[int, Value]
_uids = count(1)


@dataclass(frozen=True)
class Col:
    number: int
    name: str
    default: Value = None


@dataclass(frozen=True)
class Kept:
    """A committed row; ``version`` is the commit that wrote it."""

    cells: Cells
    version: int


@dataclass(frozen=True)
class Table:
    """A committed relation. ``key`` are the numbers of its key columns, ``primary`` those of its primary key."""

    name: str
    columns: tuple[Col, ...]
    key: tuple[int, ...] = ()
    primary: tuple[int, ...] = ()
    declared: bool = False
    rows: dict[int, Kept] = field(default_factory=dict)
    defined: int = 0

    def values(self, cells: Cells) -> tuple[Value, ...]:
        return tuple(cells.get(column.number, column.default) for column in self.columns)

    def key_of(self, cells: Cells) -> tuple[Value, ...]:
        return tuple(cells.get(number) for number in self.key)

    def primary_of(self, cells: Cells) -> tuple[Value, ...]:
        return tuple(cells.get(number) for number in self.primary)


State = dict[int, Table]


@dataclass
class Change:
    """What a transaction did to one row: ``base`` is the committed row, ``cells`` what is there now."""

    base: Kept | None
    cells: Cells | None
    retired: bool = False


@dataclass
class Own:
    """Everything a transaction has staged."""

    changes: dict[int, dict[int, Change]] = field(default_factory=dict)
    created: dict[int, Table] = field(default_factory=dict)
    altered: dict[int, tuple[Col, ...]] = field(default_factory=dict)
    dropped: set[int] = field(default_factory=set)
    if_not_exists: set[int] = field(default_factory=set)


class Transaction:
    def __init__(self, world: World, *, read_committed: bool) -> None:
        self.world = world
        self.read_committed = read_committed
        self.root: State = world.state
        self.seen = len(world.log)
        self.own = Own()
        self.savepoints: list[tuple[str, Own]] = []
        self.held: set[tuple[int, tuple[Value, ...]]] = set()

    # -- reading

    def tables(self) -> dict[int, Table]:
        """Definitions as the transaction has them (rows are the root's)."""
        found = {**self.root, **self.own.created}
        for uid, columns in self.own.altered.items():
            found[uid] = replace(found[uid], columns=columns)
        return {uid: table for uid, table in found.items() if uid not in self.own.dropped}

    def find(self, name: str) -> int | None:
        return next((uid for uid, table in self.tables().items() if table.name == name), None)

    def rows(self, uid: int) -> dict[int, Cells]:
        base = self.root[uid].rows if uid in self.root else {}
        found = {marker: kept.cells for marker, kept in base.items()}
        for marker, change in self.own.changes.get(uid, {}).items():
            found.pop(marker, None)
            if change.cells is not None:
                found[marker] = change.cells
        return found

    # -- writing

    def _change(self, uid: int, marker: int) -> Change:
        changes = self.own.changes.setdefault(uid, {})
        if marker not in changes:
            base = self.root[uid].rows[marker]
            changes[marker] = Change(base, base.cells)
        return changes[marker]

    def insert(self, uid: int, marker: int, cells: Cells) -> None:
        table = self.tables()[uid]
        if table.primary:
            primary = table.primary_of(cells)
            self.held.add((uid, primary))
            if any(table.primary_of(there) == primary for there in self.rows(uid).values()):
                raise UniqueViolation.of(table.name)
            self._require_free(uid, table, primary)
        self.own.changes.setdefault(uid, {})[marker] = Change(None, cells)

    def _require_free(self, uid: int, table: Table, primary: tuple[Value, ...]) -> None:
        """Neither the root nor the newest state has the primary key, but for rows that this transaction removed."""
        removed = {
            table.key_of(c.base.cells) for c in self.own.changes.get(uid, {}).values() if c.base is not None
            and (c.cells is None or table.key_of(c.cells) != table.key_of(c.base.cells))
        }
        for state in (self.root, self.world.state):
            there = state[uid].rows.values() if uid in state else ()
            for kept in there:
                if table.primary_of(kept.cells) == primary and table.key_of(kept.cells) not in removed:
                    raise UniqueViolation.of(table.name)

    def update(self, uid: int, marker: int, cells: Cells) -> None:
        table = self.tables()[uid]
        old = self.rows(uid)[marker]
        new = {**old, **cells}
        if table.key_of(new) != table.key_of(old):
            primary = table.primary_of(new)
            self.held.add((uid, primary))
            change = self._change(uid, marker)
            change.cells = None  # a row may move back to where it was
            self._require_free(uid, table, primary)
            change.cells = new
        else:
            self._change(uid, marker).cells = new

    def delete(self, uid: int, marker: int) -> None:
        table = self.tables()[uid]
        change = self._change(uid, marker)
        if change.base is not None and change.cells is not None:
            stays = table.key_of(change.cells) == table.key_of(change.base.cells)
            change.retired = change.retired or stays
        if table.primary and change.cells is not None:
            self.held.add((uid, table.primary_of(change.cells)))
        change.cells = None

    def create(self, table: Table, *, if_not_exists: bool) -> None:
        uid = next(_uids)
        self.own.created[uid] = table
        if if_not_exists:
            self.own.if_not_exists.add(uid)

    def drop(self, uid: int) -> None:
        table = self.tables()[uid]
        if table.declared:
            for marker in self.rows(uid):
                self.delete(uid, marker)
        else:
            self.own.changes.pop(uid, None)
        if uid in self.own.created:
            del self.own.created[uid]
        else:
            self.own.dropped.add(uid)

    def alter(self, uid: int, columns: tuple[Col, ...]) -> None:
        if uid in self.own.created:
            self.own.created[uid] = replace(self.own.created[uid], columns=columns)
        else:
            self.own.altered[uid] = columns

    # -- savepoints

    def savepoint(self, name: str) -> None:
        self.savepoints.append((name, copy.deepcopy(self.own)))

    def rollback_to(self, name: str) -> None:
        depth = max(i for i, (known, _) in enumerate(self.savepoints) if known == name)
        del self.savepoints[depth + 1 :]
        self.own = copy.deepcopy(self.savepoints[depth][1])

    def release(self, name: str) -> None:
        del self.savepoints[max(i for i, (known, _) in enumerate(self.savepoints) if known == name) :]

    # -- READ COMMITTED

    def refresh(self) -> tuple[bool, bool]:
        """(it may fail, it must fail). Moves on to the newest state when it need not fail."""
        must = self._redefined(self.root, self.world.state) or self._rows_changed() or self._dropped_changed()
        may = must or bool(self._staged_keys() & self._changed_keys())
        return may, must

    def move_on(self) -> None:
        self.root, self.seen = self.world.state, len(self.world.log)

    def _staged_keys(self) -> set[tuple[int, tuple[Value, ...]]]:
        """Of tables with key columns: what a staged row has or had as its key fields."""
        found = set()
        for own in (self.own, *(own for _, own in self.savepoints)):
            for uid, changes in own.changes.items():
                table = self.root.get(uid) or own.created.get(uid)
                if table is not None and table.key:
                    for change in changes.values():
                        states = (change.cells, change.base.cells if change.base else None)
                        found |= {(uid, table.key_of(cells)) for cells in states if cells}
        return found | {(uid, primary) for uid, primary in self.held_keys}

    @property
    def held_keys(self) -> set[tuple[int, tuple[Value, ...]]]:
        return {(uid, key) for uid, key in self.held if uid in self.root and len(self.root[uid].key) == len(key)}

    def _changed_keys(self) -> set[tuple[int, tuple[Value, ...]]]:
        return {key for keys in self.world.log[self.seen :] for key in keys}

    # -- COMMIT

    def writes(self) -> bool:
        changed = any(
            change.base is not None or change.cells is not None
            for changes in self.own.changes.values() for change in changes.values()
        )
        return bool(changed or self.own.created or self.own.altered or self.own.dropped)

    def _effective(self, uid: int) -> dict[int, Change]:
        changes = self.own.changes.get(uid, {})
        return {m: c for m, c in changes.items() if c.base is not None or c.cells is not None}

    def _redefined(self, then: State, now: State) -> bool:
        written = {uid for uid, changes in self.own.changes.items() if changes}
        for uid in (written | self.own.altered.keys() | self.own.dropped) & then.keys():
            if uid not in now or now[uid].defined != then[uid].defined:
                return True
        return False

    def _rows_changed(self) -> bool:
        for uid, changes in self.own.changes.items():
            now = self.world.state.get(uid)
            for marker, change in changes.items():
                if change.base is not None and (now is None or now.rows.get(marker) != change.base):
                    return True
        return False

    def _dropped_changed(self) -> bool:
        touched = {uid for uid, _ in self._changed_keys()}
        return any(self.root[uid].declared and uid in touched for uid in self.own.dropped)

    def commit_errors(self) -> set[type[CatalogError]]:
        """The errors that COMMIT may raise; empty when it has to succeed."""
        errors: set[type[CatalogError]] = set()
        now = self.world.state
        if self._redefined(self.root, now) or self._rows_changed() or self._dropped_changed():
            errors.add(SerializationFailure)
        names = {table.name: uid for uid, table in now.items() if uid not in self.own.dropped}
        for uid, table in self.own.created.items():
            if table.name in names and not self._adopts(uid, now[names[table.name]]):
                errors.add(UniqueViolation)
        return errors

    def _adopts(self, uid: int, there: Table) -> bool:
        mine = self.own.created[uid]
        same = [c.name for c in mine.columns] == [c.name for c in there.columns]
        return uid in self.own.if_not_exists and same


class World:
    """The committed state, and the log of (table, key fields) that each commit changed."""

    def __init__(self) -> None:
        self.state: State = {}
        self.log: list[set[tuple[int, tuple[Value, ...]]]] = []
        self.retired: list[tuple[int, int, Cells]] = []
        self.definitions = count(1)

    def commit(self, transaction: Transaction, sequence: int) -> None:
        """Make a transaction's changes, which are known to fit. ``sequence`` is that of the engine's batch."""
        own, state, touched = transaction.own, dict(self.state), set()
        version = len(self.log) + 1
        for uid in own.dropped:
            self._apply_rows(state, uid, uid, transaction, version, sequence, touched)
            del state[uid]
        for uid, table in own.created.items():
            there = next((u for u, t in state.items() if t.name == table.name), None)
            if there is None:
                there = uid
                state[uid] = replace(table, rows={}, defined=next(self.definitions))
            self._apply_rows(state, uid, there, transaction, version, sequence, touched)
        for uid, columns in own.altered.items():
            if uid in state:
                state[uid] = replace(state[uid], columns=columns, defined=next(self.definitions))
        for uid in own.changes:
            if uid in state and uid not in own.created:
                self._apply_rows(state, uid, uid, transaction, version, sequence, touched)
        self.state = state
        self.log.append(touched)

    def _apply_rows(self, state: State, uid: int, target: int, transaction: Transaction, version: int,
                    sequence: int, touched: set[tuple[int, tuple[Value, ...]]]) -> None:
        table = state[target]
        rows = dict(table.rows)
        for marker, change in transaction.own.changes.get(uid, {}).items():
            if change.base is not None:
                touched.add((target, table.key_of(change.base.cells)))
                if change.retired:
                    self.retired.append((sequence, target, change.base.cells))
            rows.pop(marker, None)
            if change.cells is not None:
                touched.add((target, table.key_of(change.cells)))
                rows[marker] = Kept(change.cells, version)
        state[target] = replace(table, rows=rows)
