"""Concurrent transactions against a model of snapshot isolation: every open one sees exactly what it should, and the
store holds exactly what was committed."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from itertools import count
from typing import Any, TypeVar

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from rocklake_server.catalog.database_transaction import DatabaseTransaction
from rocklake_server.catalog.view import Bounds, ColumnDefinition, IsolationLevel, Match
from rocklake_server.errors import CatalogError, SerializationFailure, UniqueViolation
from rocklake_server.schema.model import Relation
from rocklake_server.schema.registry import BY_NAME
from rocklake_server.schema.types import BIGINT, VARCHAR, Value
from tests.catalog import audit
from tests.catalog.engine import DATABASE, Engine, matches
from tests.model.snapshot_isolation import Cells, Col, Table, Transaction, World
from tests.verified import engine_damage_in

T = TypeVar("T")
Open = tuple[DatabaseTransaction, Transaction]

FILES, SNAPSHOTS, TAGS = "ducklake_data_file", "ducklake_snapshot", "ducklake_tag"
INLINED = "ducklake_inlined_data_1_1"
MARKER = {FILES: "path", SNAPSHOTS: "schema_version", TAGS: "value"}
SAVEPOINTS = ("one", "two")
small = st.integers(0, 3)
choice = st.integers(0, 1 << 16)
ALL = (FILES, SNAPSHOTS, TAGS, "notes", "extra", INLINED)
levels = st.booleans()


def definitions(name: str) -> tuple[list[ColumnDefinition], tuple[str, ...]]:
    if name in BY_NAME:
        table = BY_NAME[name]
        columns = [ColumnDefinition(c.name, c.type, c.nullable) for c in table.columns if c.until is None]
        return columns, table.primary_key
    names = ("row_id", "begin_snapshot", "end_snapshot", "a") if name == INLINED else ("a", "b")
    return [ColumnDefinition(column, BIGINT) for column in names], ()


def as_table(relation: Relation) -> Table:
    columns = tuple(Col(c.number, c.name, c.default) for c in relation.columns)
    key = tuple(relation.columns[i].number for i in relation.key_columns if i is not None)
    primary = tuple(relation.columns[i].number for i in relation.primary_key)
    return Table(relation.name, columns, key, primary, declared=len(relation.key_prefix) == 1)


class EngineMachine(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.loop = asyncio.new_event_loop()
        self.engine = self.run(Engine().open())
        self.world = World()
        self.open: list[Open] = []
        self.markers = count(1)
        self.names = count(1)

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        return self.loop.run_until_complete(asyncio.wait_for(work, 5))

    @initialize(focus=st.lists(st.sampled_from(ALL), min_size=1, max_size=2, unique=True), level=levels)
    def create_relations(self, focus: list[str], level: bool) -> None:
        """One example turns around one or two relations, with a few rows each, so that transactions meet."""
        self.focus = focus
        self.begin(read_committed=False)
        for name in dict.fromkeys((FILES, SNAPSHOTS, TAGS, "notes", *focus)):
            self._create(self.open[0], name, if_not_exists=False)
        for table in focus:
            for number in range(3):
                self._insert(self.open[0], table, number, number, None)
        self.commit_together([0], level)

    def _fill(self, read_committed: bool) -> None:
        """At least two open transactions at all times."""
        while len(self.open) < 2:
            self.begin(read_committed)

    def _table(self, pick: int) -> str:
        return self.focus[pick % len(self.focus)]

    # -- transactions

    @rule(read_committed=levels)
    @precondition(lambda self: len(self.open) < 3)
    def begin(self, read_committed: bool) -> None:
        level = IsolationLevel.READ_COMMITTED if read_committed else IsolationLevel.REPEATABLE_READ
        engine_side = self.run(self.engine.begin(level))
        self.open.append((engine_side, Transaction(self.world, read_committed=read_committed)))

    @rule(which=st.lists(choice, min_size=1, max_size=3), level=levels)
    def commit_together(self, which: list[int], level: bool) -> None:
        """Commits that are asked for at once go into one batch, in their order."""
        picked = [self.open[i] for i in dict.fromkeys(n % len(self.open) for n in which)]
        before = self._sequence()

        async def commit_all() -> list[BaseException | None]:
            return await asyncio.gather(*(engine.commit() for engine, _ in picked), return_exceptions=True)

        published = False
        for (_, model), outcome in zip(picked, self.run(commit_all()), strict=True):
            expected = model.commit_errors()
            if not expected:
                assert outcome is None, outcome
                if model.writes():
                    self.world.commit(model, before + 1)
                    published = True
            else:
                assert type(outcome) in expected, (outcome, expected)
        self.open = [pair for pair in self.open if pair not in picked]
        assert self._sequence() == before + published
        self._audit()
        self._fill(level)

    @rule(which=choice)
    def roll_back(self, which: int) -> None:
        engine_side, _ = self.open.pop(which % len(self.open))
        self.run(engine_side.rollback())
        self._fill(read_committed=True)

    @rule(which=choice, name=st.sampled_from(SAVEPOINTS))
    def savepoint(self, which: int, name: str) -> None:
        engine_side, model = self.open[which % len(self.open)]
        engine_side.savepoint(name)
        model.savepoint(name)

    @rule(which=choice, name=st.sampled_from(SAVEPOINTS), release=st.booleans())
    @precondition(lambda self: any(model.savepoints for _, model in self.open))
    def end_savepoint(self, which: int, name: str, release: bool) -> None:
        candidates = [p for p in self.open if any(known == name for known, _ in p[1].savepoints)]
        if candidates:
            engine_side, model = candidates[which % len(candidates)]
            if release:
                engine_side.release_savepoint(name)
                model.release(name)
            else:
                engine_side.rollback_to(name)
                model.rollback_to(name)

    @rule()
    def reopen(self) -> None:
        for engine_side, _ in self.open:
            self.run(engine_side.rollback())
        self.open.clear()
        self._audit()
        loaded = self._images()
        self.engine = self.run(self.engine.reopen())
        assert self._images() == loaded
        self._fill(read_committed=False)

    # -- statements

    def _statement(self, which: int) -> Open | None:
        """The transaction at its next statement; None when READ COMMITTED found that it cannot go on."""
        engine_side, model = self.open[which % len(self.open)]
        if not model.read_committed:
            self.run(engine_side.begin_statement())
            return engine_side, model
        may_fail, must_fail = model.refresh()
        try:
            self.run(engine_side.begin_statement())
        except SerializationFailure:
            assert may_fail
            self._abort(engine_side, model)
            return None
        assert not must_fail
        model.move_on()
        return engine_side, model

    def _abort(self, engine_side: DatabaseTransaction, model: Transaction) -> None:
        self.run(engine_side.rollback())
        self.open.remove((engine_side, model))
        self._fill(read_committed=True)

    def _held_elsewhere(self, model: Transaction, uid: int, primary: tuple[Value, ...]) -> bool:
        return any((uid, primary) in other.held for _, other in self.open if other is not model)

    @rule(which=choice, table=choice, a=small, b=small, end=st.none() | small)
    def insert(self, which: int, table: int, a: int, b: int, end: int | None) -> None:
        pair = self._statement(which)
        if pair is not None:
            self._insert(pair, self._table(table), a, b, end)

    def _insert(self, pair: Open, table: str, a: int, b: int, end: int | None) -> None:
        uid = pair[1].find(table)
        if uid is None:
            return
        engine_side, model = pair
        relation = engine_side.resolve(None, table)
        marker = next(self.markers)
        given = self._row(table, marker, a, b, end)
        values = [given.get(column.name, column.default) for column in relation.columns]
        cells: Cells = {column.number: value for column, value in zip(relation.columns, values, strict=True)}
        shape = model.tables()[uid]
        if shape.primary and self._held_elsewhere(model, uid, shape.primary_of(cells)):
            return  # it would wait
        expected = _outcome(lambda: model.insert(uid, marker, cells))
        assert _engine_outcome(self.run, engine_side.insert(relation, [values])) is expected

    def _row(self, table: str, marker: int, a: int, b: int, end: int | None) -> dict[str, Value]:
        match table:
            case "ducklake_data_file":
                return {"data_file_id": a * 4 + b, "table_id": a, "begin_snapshot": b, "end_snapshot": end,
                        "path": str(marker)}
            case "ducklake_snapshot":
                return {"snapshot_id": a * 4 + b, "snapshot_time": 1, "schema_version": marker}
            case "ducklake_tag":
                return {"object_id": a, "begin_snapshot": b, "key": "k", "value": str(marker)}
            case "ducklake_inlined_data_1_1":
                return {"row_id": a, "begin_snapshot": b, "end_snapshot": end, "a": marker}
            case _:
                return {"a": marker, "b": a}

    @rule(which=choice, focus=choice, pick=choice, value=small, column=st.sampled_from(("end_snapshot", "table_id")))
    def update(self, which: int, focus: int, pick: int, value: int, column: str) -> None:
        pair, table = self._statement(which), self._table(focus)
        uid = pair[1].find(table) if pair else None
        if pair is None or uid is None or not pair[1].rows(uid):
            return
        engine_side, model = pair
        relation = engine_side.resolve(None, table)
        if column not in relation.index:
            column = {SNAPSHOTS: "next_file_id", TAGS: "end_snapshot"}.get(table, "b")
        if column not in relation.index:
            return
        marker, match = self._pick(engine_side, model, uid, table, pick)
        number = relation.columns[relation.index[column]].number
        new = list(match.row[:-1])
        new[relation.index[column]] = value
        shape = model.tables()[uid]
        if column == "table_id" and self._held_elsewhere(model, uid, shape.primary_of(model.rows(uid)[marker])):
            return  # it might wait
        expected = _outcome(lambda: model.update(uid, marker, {number: value}))
        assert _engine_outcome(self.run, engine_side.update(relation, [(match, new)])) is expected
        if expected is not None:
            self._abort(engine_side, model)

    @rule(which=choice, focus=choice, pick=choice)
    def delete(self, which: int, focus: int, pick: int) -> None:
        pair, table = self._statement(which), self._table(focus)
        uid = pair[1].find(table) if pair else None
        if pair is None or uid is None or not pair[1].rows(uid):
            return
        engine_side, model = pair
        marker, match = self._pick(engine_side, model, uid, table, pick)
        assert self.run(engine_side.delete(engine_side.resolve(None, table), [match])) == 1
        model.delete(uid, marker)

    def _pick(self, engine_side: DatabaseTransaction, model: Transaction, uid: int, table: str, pick: int
              ) -> tuple[int, Match]:
        markers = sorted(model.rows(uid))
        marker = markers[pick % len(markers)]
        return marker, self._by_marker(engine_side, table)[marker]

    def _by_marker(
        self, engine_side: DatabaseTransaction, table: str, bounds: Bounds | None = None
    ) -> dict[int, Match]:
        at = engine_side.resolve(None, table).index[MARKER.get(table, "a")]
        found = self.run(matches(engine_side, table, bounds or Bounds()))
        by_marker = {int(str(match.row[at])): match for match in found}
        assert len(by_marker) == len(found)
        return by_marker

    @precondition(lambda self: FILES in self.focus)
    @rule(which=choice, a=small, ids=st.frozensets(st.integers(0, 15), max_size=4), after=small, how=st.integers(0, 3))
    def probe_files(self, which: int, a: int, ids: frozenset[int], after: int, how: int) -> None:
        """Bounds may add rows, and leave out none that lies within them."""
        pair = self._statement(which)
        if pair is None:
            return
        engine_side, model = pair
        at = engine_side.resolve(None, FILES).index
        bounds = (
            Bounds(values={at["table_id"]: frozenset({a})}, live_after=after),
            Bounds(values={at["data_file_id"]: ids}),
            Bounds(values={at["table_id"]: frozenset({a})}, nulls=frozenset({at["end_snapshot"]})),
            Bounds(nulls=frozenset({at["end_snapshot"]})),
        )[how]

        def within(row: tuple[Value, ...]) -> bool:
            end = row[at["end_snapshot"]]
            return (
                all(row[column] in wanted for column, wanted in bounds.values.items())
                and all(row[column] is None for column in bounds.nulls)
                and (bounds.live_after is None or end is None or int(str(end)) > bounds.live_after)
            )

        uid = model.find(FILES)
        assert uid is not None
        shape = model.tables()[uid]
        expected = {m for m, cells in model.rows(uid).items() if within(shape.values(cells))}
        found = self._by_marker(engine_side, FILES, bounds)
        assert {m for m, match in found.items() if within(match.row)} == expected

    # -- definitions

    @rule(which=choice, focus=choice, if_not_exists=st.booleans())
    def create(self, which: int, focus: int, if_not_exists: bool) -> None:
        pair, name = self._statement(which), self._table(focus)
        if pair is not None and pair[1].find(name) is None:
            self._create(pair, name, if_not_exists=if_not_exists)

    def _create(self, pair: Open, name: str, *, if_not_exists: bool) -> None:
        columns, primary_key = definitions(name)
        assert self.run(pair[0].create_relation(None, name, columns, primary_key, if_not_exists=if_not_exists))
        pair[1].create(as_table(pair[0].resolve(None, name)), if_not_exists=if_not_exists)

    @rule(which=choice, focus=choice)
    def drop(self, which: int, focus: int) -> None:
        pair, name = self._statement(which), self._table(focus)
        uid = pair[1].find(name) if pair else None
        if pair is not None and uid is not None and name not in (FILES, SNAPSHOTS):
            self.run(pair[0].drop_relation(pair[0].resolve(None, name)))
            pair[1].drop(uid)

    @rule(which=choice, focus=choice, pick=choice, default=st.none() | st.just("d"))
    def alter(self, which: int, focus: int, pick: int, default: str | None) -> None:
        """Adds a column, or drops or renames one that was added."""
        pair, name = self._statement(which), self._table(focus)
        uid = pair[1].find(name) if pair else None
        if pair is None or uid is None:
            return
        engine_side, model = pair
        relation = engine_side.resolve(None, name)
        added = [column.name for column in relation.columns if column.name.startswith("added")]
        fresh = f"added_{next(self.names)}"
        if not added or pick % 3 == 0:
            column = ColumnDefinition(fresh, VARCHAR, default=default)
            self.run(engine_side.add_column(relation, column))
        elif pick % 3 == 1:
            self.run(engine_side.drop_column(relation, added[0]))
        else:
            self.run(engine_side.rename_column(relation, added[0], fresh))
        model.alter(uid, as_table(engine_side.resolve(None, name)).columns)

    # -- what has to hold

    @invariant()
    def every_transaction_sees_its_rows(self) -> None:
        for engine_side, model in self.open:
            seen = model.tables()
            assert {r.name for r in engine_side.relations()} == {table.name for table in seen.values()}
            for uid, table in seen.items():
                expected = {marker: table.values(cells) for marker, cells in model.rows(uid).items()}
                found = self._by_marker(engine_side, table.name)
                assert {marker: match.row[:-1] for marker, match in found.items()} == expected

    @property
    def _lake(self) -> Any:
        return self.run(self.engine.databases.lakes_of(DATABASE))["public"].lake

    def _sequence(self) -> int:
        lakes = self.run(self.engine.databases.lakes_of(DATABASE))
        return lakes["public"].lake.newest.sequence if lakes else 0

    def _images(self) -> dict[str, list[tuple[bytes, tuple[Value, ...]]]]:
        lake = self._lake
        found = {}
        for relation in lake.newest.relations.by_id.values():
            complete = self.run(lake.complete(lake.newest, relation))
            entries = [entry for part in complete.parts.values() for entry in part.image.entries()]
            found[relation.name] = sorted(entries)
        return found

    def _audit(self) -> None:
        """The store by itself: rows, retired rows, indexes, counters, sequence."""
        found = self.run(audit.audit(self.engine.stores["lakes/1"]))
        audit.check(found)
        assert self.run(engine_damage_in(self.engine.stores["lakes/1"])) == []
        assert found.system["commit-sequence"] == self._sequence()
        assert {r.name for r in found.relations.values()} == {table.name for table in self.world.state.values()}
        for table in self.world.state.values():
            expected = sorted((table.values(kept.cells) for kept in table.rows.values()), key=repr)
            assert sorted((row[:-1] for row in found.rows_of(table.name)), key=repr) == expected
        assert sorted(sequence for sequence, _ in found.retired) == sorted(s for s, _, _ in self.world.retired)

    def teardown(self) -> None:
        for engine_side, _ in self.open:
            self.run(engine_side.rollback())
        self.run(self.engine.databases.close())
        self.loop.close()


def _outcome(change: Any) -> type[CatalogError] | None:
    try:
        change()
    except UniqueViolation as error:
        return type(error)
    return None


def _engine_outcome(run: Any, work: Coroutine[Any, Any, int]) -> type[CatalogError] | None:
    try:
        assert run(work) == 1
    except UniqueViolation as error:
        return type(error)
    return None


TestEngine = EngineMachine.TestCase
TestEngine.settings = settings(
    max_examples=50, stateful_step_count=40, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
