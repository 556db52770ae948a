"""A scripted workload over the engine, and a ledger of what its commits were told.

Every step is one transaction. A step that returned is in every state that may be found afterwards, one that failed
with a definite error in none, one that was cut off or whose outcome is unknown is there wholly or not at all.
"""

from __future__ import annotations

import asyncio
import copy
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from rocklake_server.catalog.view import ColumnDefinition
from rocklake_server.errors import CatalogError, OutcomeUnknown
from rocklake_server.schema.types import BIGINT, Value
from tests.catalog.engine import Engine, delete, insert, select, update

State = dict[tuple[str, str], set[tuple[Value, ...]]]
"""The rows that count, by schema and relation; a relation that does not exist has no entry."""

SNAPSHOTS, STATS = ("public", "ducklake_snapshot"), ("public", "ducklake_table_stats")
NOTES, FAR_NOTES = ("public", "notes"), ("far", "notes")
READ_COLUMNS = {SNAPSHOTS: ("snapshot_id",), STATS: ("table_id", "record_count"),
                NOTES: ("number", "part"), FAR_NOTES: ("number", "part")}


@dataclass(frozen=True)
class Step:
    """``run`` does on an engine what ``apply`` does on a state."""

    name: str
    run: Callable[[Engine], Awaitable[None]]
    apply: Callable[[State], None]


@dataclass
class Ledger:
    """Which states may be found, after what the steps were told so far."""

    allowed: list[State] = field(default_factory=lambda: [{}])
    acknowledged: int = 0
    refused: list[str] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)
    under_way: dict[str, Step] = field(default_factory=dict)

    async def take(self, engine: Engine, step: Step) -> None:
        self.under_way[step.name] = step
        try:
            await step.run(engine)
        except OutcomeUnknown as error:
            self.unknown.append(f"{step.name}: {error}")
            self._branch(step)
        except CatalogError as error:
            self.refused.append(f"{step.name}: {error}")
        else:
            self.acknowledged += 1
            for state in self.allowed:
                step.apply(state)
        del self.under_way[step.name]

    def cut_off(self) -> None:
        """Nobody will hear the outcome of what is under way."""
        for step in self.under_way.values():
            self._branch(step)
        self.under_way.clear()

    def _branch(self, step: Step) -> None:
        landed = copy.deepcopy(self.allowed)
        for state in landed:
            step.apply(state)
        self.allowed += [state for state in landed if state not in self.allowed]


def pair(number: int) -> Step:
    """A snapshot row and three rows of another relation."""
    stats = [(100 * number + part, number) for part in range(3)]

    async def run(engine: Engine) -> None:
        transaction = await engine.begin()
        await insert(transaction, "ducklake_snapshot", {"snapshot_id": number})
        await insert(transaction, "ducklake_table_stats", *({"table_id": t, "record_count": c} for t, c in stats))
        await transaction.commit()

    def apply(state: State) -> None:
        state[SNAPSHOTS].add((number,))
        state[STATS] |= set(stats)

    return Step(f"pair {number}", run, apply)


def _create_catalog() -> Step:
    async def run(engine: Engine) -> None:
        await engine.create_catalog()

    def apply(state: State) -> None:
        state[SNAPSHOTS], state[STATS] = set(), set()

    return Step("create the catalog", run, apply)


def _create_notes(schema: str) -> Step:
    async def run(engine: Engine) -> None:
        transaction = await engine.begin()
        if schema != "public":
            await transaction.create_schema(schema)
        await transaction.create_relation(schema, "notes", [ColumnDefinition(c, BIGINT) for c in ("number", "part")])
        await transaction.insert(transaction.resolve(schema, "notes"), [[1, 1], [1, 2]])
        await transaction.commit()

    def apply(state: State) -> None:
        state[schema, "notes"] = {(1, 1), (1, 2)}

    return Step(f"create {schema}.notes", run, apply)


def _change_stats() -> Step:
    async def run(engine: Engine) -> None:
        transaction = await engine.begin()
        await update(transaction, "ducklake_table_stats", {"table_id": 100}, record_count=-1)
        await delete(transaction, "ducklake_table_stats", table_id=101)
        await transaction.commit()

    def apply(state: State) -> None:
        changed = {(t, -1 if t == 100 else c) for t, c in state[STATS] if t != 101}
        state[STATS] = changed

    return Step("change the stats", run, apply)


def _drop_notes() -> Step:
    async def run(engine: Engine) -> None:
        transaction = await engine.begin()
        await transaction.drop_relation(transaction.resolve(None, "notes"))
        await insert(transaction, "ducklake_snapshot", {"snapshot_id": 70})
        await transaction.commit()

    def apply(state: State) -> None:
        state.pop(NOTES, None)
        state[SNAPSHOTS].add((70,))

    return Step("drop public.notes", run, apply)


def _drop_far() -> Step:
    async def run(engine: Engine) -> None:
        transaction = await engine.begin()
        await transaction.drop_schema("far", cascade=True)
        await transaction.commit()

    def apply(state: State) -> None:
        state.pop(FAR_NOTES, None)

    return Step("drop schema far", run, apply)


async def run(engine: Engine, ledger: Ledger) -> None:
    """Commits, groups, definitions, memtable flushes, a clean stop in the middle and another at the end."""
    await engine.open()
    await ledger.take(engine, _create_catalog())
    await ledger.take(engine, pair(1))
    await asyncio.gather(*(ledger.take(engine, pair(number)) for number in (2, 3, 4)))
    await ledger.take(engine, _create_notes("public"))
    await ledger.take(engine, _change_stats())
    await ledger.take(engine, _create_notes("far"))
    await engine.databases.close()
    await engine.open()
    await ledger.take(engine, pair(5))
    await ledger.take(engine, _drop_notes())
    await ledger.take(engine, _drop_far())
    await ledger.take(engine, pair(6))
    await engine.databases.close()


async def contents(engine: Engine) -> State:
    """What a new transaction sees of the relations that count."""
    transaction = await engine.begin()
    there = {(relation.schema, relation.name) for relation in transaction.relations()}
    found: State = {}
    for (schema, name), columns in READ_COLUMNS.items():
        if (schema, name) in there and schema == "public":
            found[schema, name] = set(await select(transaction, name, *columns))
        elif (schema, name) in there:
            chunks = await transaction.chunks(transaction.resolve(schema, name))
            found[schema, name] = {row[:2] for chunk in chunks for row in chunk.rows}
    await transaction.rollback()
    return found
