"""Plans that the session runs: compiled queries and writes with their literals bound, and fast inserts."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Hashable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from rocklake_server.catalog.view import Row, TransactionView
from rocklake_server.errors import CatalogError, Unsupported
from rocklake_server.plan.expressions import Env, Input
from rocklake_server.plan.lowering.query import Lowered
from rocklake_server.plan.model import BaseScan, Context, Outcome, ResultColumn
from rocklake_server.plan.operators import WORK_AT_ONCE_MAX, collected
from rocklake_server.plan.scan_shape import ScanShape
from rocklake_server.plan.system.relation import definitions_key
from rocklake_server.plan.system_relations import SystemRelation
from rocklake_server.plan.text_values import assigned, rows_of
from rocklake_server.plan.writes import insert_rows
from rocklake_server.schema.model import Relation
from rocklake_server.schema.types import ColumnType, Value
from rocklake_server.sql.values import InsertValues, ValuesUnfit

KEPT_RESULTS_MAX = 256
"""Results over system relations that one compiled query keeps."""

KEPT_INPUT_ROWS_MAX = 4096
"""Rows of system relations that are kept with a result, to know it again after a change elsewhere."""


class Kept(NamedTuple):
    """A result of system relations, and the ``definitions_key`` that it follows from; ``None`` where it follows from
    its literals alone. ``inputs``: what those relations held for it, when it follows from that and is not much."""

    definitions: Hashable
    outcome: Outcome
    inputs: Sequence[Input] = ()

    def is_of(self, view: TransactionView) -> bool:
        """Whether they hold the same now."""
        return bool(self.inputs) and all(each.read(view) == each.rows for each in self.inputs)


@dataclass(slots=True, eq=False)
class Compiled:
    """What one template compiles to; shared by sessions. ``relations`` must still resolve as they did.

    ``kept``: results of a query that reads nothing but system relations and literals, by literals and database;
    ``newest``: the last one by literals, which may be that of other databases with the same relations.
    """

    columns: tuple[ResultColumn, ...] | None
    parameters: tuple[ColumnType, ...]
    writes: bool
    relations: tuple[tuple[str | None, str, Relation], ...]
    lowered: Lowered | None = None
    execute: Callable[[Env], Awaitable[Outcome]] | None = None
    keepable: tuple[SystemRelation, ...] | None = None
    shape: ScanShape | None = None
    kept: dict[tuple[Value, ...], Kept] = field(default_factory=dict)
    newest: dict[tuple[Value, ...], Kept] = field(default_factory=dict)

    def keep(self, key: tuple[Value, ...], found: Kept, among: dict[tuple[Value, ...], Kept] | None = None) -> Kept:
        entries = self.kept if among is None else among
        if key not in entries and len(entries) >= KEPT_RESULTS_MAX:
            del entries[next(iter(entries))]
        entries[key] = found
        return found

    def valid(self, view: TransactionView) -> bool:
        """Whether every name still means the relation that the plan was made for."""
        for schema, name, relation in self.relations:
            try:
                found = view.resolve(schema, name)
            except CatalogError:
                return False
            if found is not relation and found != relation:
                return False
        return True


@dataclass(slots=True, eq=False)
class BoundPlan:
    """A compiled statement with its literals. ``given`` is set when a VALUES list was read beside the template."""

    compiled: Compiled
    slots: tuple[Value, ...] = ()
    given: Callable[[Context], list[Row]] | None = None

    @property
    def constant(self) -> Outcome | None:
        """The result of a query about nothing but its literals, once it ran; it needs no transaction."""
        found = self.compiled.kept.get(self.slots) if self.compiled.keepable == () else None
        return None if found is None else found.outcome

    @property
    def columns(self) -> tuple[ResultColumn, ...] | None:
        return self.compiled.columns

    @property
    def parameters(self) -> tuple[ColumnType, ...]:
        return self.compiled.parameters

    @property
    def writes(self) -> bool:
        return self.compiled.writes

    async def base_scan(self, view: TransactionView) -> BaseScan | None:
        shape = self.compiled.shape
        if shape is None:
            return None
        if not shape.extremes:
            return shape.bind(self.slots)
        return shape.bind((*self.slots, *[await extreme.value(view) for extreme in shape.extremes]))

    async def run(self, context: Context) -> Outcome:
        compiled = self.compiled
        env = Env(self.slots, context)
        if self.given is not None:
            env.given = self.given(context)
        if compiled.execute is not None:
            return await compiled.execute(env)
        assert compiled.lowered is not None
        if compiled.keepable is not None:
            return await self._kept(compiled, env, context.view)
        rows = await self._scanned(context.view)
        if rows is None:
            rows = await collected(compiled.lowered.operator, env)
        return Outcome(f"SELECT {len(rows)}", rows)

    async def _scanned(self, view: TransactionView) -> list[Row] | None:
        """The rows of a base scan of few rows, without operators; ``None`` for anything else."""
        scan = await self.base_scan(view)
        if scan is None or scan.limit is not None:
            return None
        chunks = await view.chunks(scan.relation, scan.bounds)
        if sum([len(chunk.keys) for chunk in chunks]) > WORK_AT_ONCE_MAX:
            return None
        keeps, projection = scan.predicate, scan.projection
        return [
            tuple([None if index is None else row[index] for index in projection])
            for chunk in chunks
            for row in chunk.rows
            if keeps is None or keeps(row) is True
        ]

    async def _kept(self, compiled: Compiled, env: Env, view: TransactionView) -> Outcome:
        assert compiled.keepable is not None
        assert compiled.lowered is not None
        definitions = definitions_key(view) if compiled.keepable else None
        key = (*self.slots, view.database) if compiled.keepable else self.slots
        found = compiled.kept.get(key)
        if found is not None and found.definitions == definitions:
            return found.outcome
        for other in (found, compiled.newest.get(self.slots)):
            if other is not None and other.is_of(view):
                return compiled.keep(key, other._replace(definitions=definitions)).outcome
        env.inputs = []
        rows = await collected(compiled.lowered.operator, env)
        read = env.inputs or ()
        inputs = read if sum([len(each.rows) for each in read]) <= KEPT_INPUT_ROWS_MAX else ()
        made = compiled.keep(key, Kept(definitions, Outcome(f"SELECT {len(rows)}", rows, encodings={}), inputs))
        if inputs:
            compiled.keep(self.slots, made, compiled.newest)
        return made.outcome


@dataclass(frozen=True, slots=True)
class InsertPlan:
    """INSERT .. VALUES read by the fast reader, slice by slice. ``parsed`` plans the statement by its tree, for a list
    that turns out to hold what the reader does not know."""

    relation: Relation
    indexes: tuple[int, ...]
    values: InsertValues
    writes: bool
    parsed: Callable[[TransactionView], BoundPlan]

    @property
    def columns(self) -> None:
        return None

    @property
    def parameters(self) -> tuple[ColumnType, ...]:
        return ()

    async def base_scan(self, _view: TransactionView) -> None:
        return None

    async def rows(self, context: Context) -> list[Row]:
        """All rows, typed; other sessions run between two slices. Raises what an assignment raises, before anything
        is written, and ValuesUnfit."""
        targets = [self.relation.columns[index] for index in self.indexes]
        content: list[Row] = []
        for part in self.values.slices():
            if content:
                await asyncio.sleep(0)
            typed = [assigned(column, target, context) for column, target in zip(part.columns, targets, strict=True)]
            content.extend(rows_of(typed, part.count))
        return content

    async def run(self, context: Context) -> Outcome:
        try:
            rows = await self.rows(context)
        except ValuesUnfit:
            plan = self.parsed(context.view)
            if plan.columns is not None:
                raise Unsupported("a RETURNING clause that is so long is not supported") from None
            return await plan.run(context)
        count = await insert_rows(context.view, self.relation, self.indexes, rows)
        return Outcome(f"INSERT 0 {count}")
