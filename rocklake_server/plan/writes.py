"""Writes as the transaction takes them: rows completed with defaults, matched rows changed or removed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from rocklake_server.catalog.view import Bounds, Chunk, Match, Row, TransactionView
from rocklake_server.pacing import checked, checkpoint
from rocklake_server.plan.bounds import bounds_of
from rocklake_server.plan.conditions import Compare
from rocklake_server.plan.expressions import ColumnRef, Env, Expr
from rocklake_server.plan.lowering.targets import column_indexes, writable
from rocklake_server.plan.model import Outcome
from rocklake_server.plan.operators import DENSE, Operator, Scan, bind_all, collected, computed, prepare
from rocklake_server.plan.returning import Returning
from rocklake_server.schema.model import Relation
from rocklake_server.schema.types import Value
from rocklake_server.sql.names import QualifiedName


@dataclass(frozen=True, slots=True)
class CopyTarget:
    """Where COPY FROM puts its rows: fields arrive in the order of ``indexes``."""

    relation: Relation
    indexes: tuple[int, ...]


def copy_target(view: TransactionView, name: QualifiedName, columns: Sequence[str] | None) -> CopyTarget:
    """Raises UndefinedTable, UndefinedColumn, DuplicateColumn."""
    relation = writable(view, name)
    return CopyTarget(relation, column_indexes(relation, columns))


def completed(relation: Relation, indexes: Sequence[int], rows: Sequence[Row]) -> Sequence[Row]:
    """Rows of all columns from rows of ``indexes``; the other columns take their defaults."""
    if tuple(indexes) == tuple(range(len(relation.columns))):
        return rows
    places = {index: position for position, index in enumerate(indexes)}
    plan = [(places.get(index), column.default) for index, column in enumerate(relation.columns)]
    return [tuple([default if place is None else row[place] for place, default in plan]) for row in checked(rows)]


async def insert_rows(view: TransactionView, relation: Relation, indexes: Sequence[int], rows: Sequence[Row],
                      written: list[Row] | None = None) -> int:
    """Insert typed rows whose values are those of ``indexes``. Returns their number; ``written`` gets them as they are
    staged."""
    return await view.insert(relation, await computed(lambda: completed(relation, indexes, rows), len(rows)), written)


@dataclass(frozen=True, slots=True)
class InsertSource:
    """INSERT of a query's rows, already converted to the columns' types."""

    relation: Relation
    indexes: tuple[int, ...]
    source: Operator
    returning: Returning | None = None

    async def run(self, env: Env) -> Outcome:
        rows = await collected(self.source, env)
        view, returning = env.need().view, self.returning
        if returning is None:
            return Outcome(f"INSERT 0 {await insert_rows(view, self.relation, self.indexes, rows)}")
        await returning.prepare(env)
        written: list[Row] = []
        count = await insert_rows(view, self.relation, self.indexes, rows, written)
        return await returning.outcome(f"INSERT 0 {count}", written, env)


Assignments = Sequence[tuple[int, Expr]]


def changer(assignments: Assignments, width: int, env: Env) -> Callable[[Row], Row]:
    """The new values of a row, from the row (and what is joined to it)."""
    bound = [(index, expression.bind(env)) for index, expression in assignments]

    def change(row: Row) -> Row:
        values = list(row[:width])
        for index, value in bound:
            values[index] = value(row)
        return tuple(values)

    return change


@dataclass(frozen=True, slots=True)
class Update:
    """UPDATE of one relation by conditions on its own rows."""

    relation: Relation
    conditions: tuple[Expr, ...]
    assignments: tuple[tuple[int, Expr], ...]
    returning: Returning | None = None

    async def run(self, env: Env) -> Outcome:
        matches = await Scan(self.relation, self.conditions).matches(env)
        await prepare([expression for _index, expression in self.assignments], env)
        change = changer(self.assignments, len(self.relation.columns), env)
        changes = await computed(lambda: [(match, change(match.row)) for match in checked(matches)], len(matches))
        view, returning = env.need().view, self.returning
        if returning is None:
            return Outcome(f"UPDATE {await view.update(self.relation, changes)}")
        await returning.prepare(env)
        written: list[Row] = []
        count = await view.update(self.relation, changes, written)
        return await returning.outcome(f"UPDATE {count}", written, env)


@dataclass(frozen=True, slots=True)
class UpdateFrom:
    """UPDATE .. FROM: ``source`` gives the joined rows of FROM; conditions and assignments see the target's row,
    ctid included, followed by one of them. A target row meets the first that fits, and only that one."""

    relation: Relation
    source: Operator
    own: tuple[Expr, ...]
    pairs: tuple[Compare, ...]
    residual: tuple[Expr, ...]
    assignments: tuple[tuple[int, Expr], ...]
    returning: Returning | None = None

    async def run(self, env: Env) -> Outcome:
        await prepare([*self.own, *self.residual, *(value for _index, value in self.assignments)], env)
        others = await collected(self.source, env)
        table = await computed(lambda: self._table(env, others), len(others))
        if not table:
            return Outcome("UPDATE 0")
        view, returning = env.need().view, self.returning
        if returning is None:
            return Outcome(f"UPDATE {await view.update(self.relation, await self._changes(env, table))}")
        await returning.prepare(env)
        met: list[Row] = []
        written: list[Row] = []
        count = await view.update(self.relation, await self._changes(env, table, met), written)
        joined = [row + other for row, other in zip(written, met, strict=True)]
        return await returning.outcome(f"UPDATE {count}", joined, env)

    def _table(self, env: Env, others: Sequence[Row]) -> dict[tuple[Value, ...], list[Row]]:
        """The rows of FROM by the values that the target's rows are compared with."""
        keys = [pair.right.bind(env) for pair in self.pairs]
        table: dict[tuple[Value, ...], list[Row]] = {}
        for row in checked(others):
            key = tuple([
                None if (value := get(row)) is None else value if pair.right_key is None else pair.right_key(value)
                for get, pair in zip(keys, self.pairs, strict=True)
            ])
            if None not in key:
                table.setdefault(key, []).append(row)
        return table

    async def _changes(self, env: Env, table: dict[tuple[Value, ...], list[Row]],
                       met: list[Row] | None = None) -> list[tuple[Match, Row]]:
        """Each row that is changed, and its new values. ``met`` gets the row of FROM that it met."""
        bounds = await computed(lambda: self._bounds(env, table), len(table))
        chunks = await env.need().view.chunks(self.relation, bounds)
        candidates = len(table) * sum([len(chunk.keys) for chunk in chunks])
        return await computed(lambda: self._matched(env, table, chunks, met), candidates)

    def _bounds(self, env: Env, table: dict[tuple[Value, ...], list[Row]]) -> Bounds:
        """Where the target's rows lie that may meet a row of FROM."""
        own = bounds_of(self.own, self.relation, env)
        values = dict(own.values)
        for pair, found in zip(self.pairs, zip(*table, strict=True), strict=False):
            if isinstance(pair.left, ColumnRef) and pair.plain:
                members = frozenset(found)
                values[pair.left.index] = values.get(pair.left.index, members) & members
        return own._replace(values=values)

    def _matched(self, env: Env, table: dict[tuple[Value, ...], list[Row]],
                 chunks: Sequence[Chunk], met: list[Row] | None) -> list[tuple[Match, Row]]:
        keeps, fits = bind_all(self.own, env), bind_all(self.residual, env)
        probes = [(pair.left.bind(env), pair.left_key) for pair in self.pairs]
        change = changer(self.assignments, len(self.relation.columns), env)
        changes: list[tuple[Match, Row]] = []
        for chunk in chunks:
            rows = chunk.rows
            numbers = self._candidates(chunk, table)
            keys = list(chunk.keys) if len(numbers) * DENSE > len(rows) else chunk.keys
            for number in checked(numbers):
                row = rows[number]
                key = tuple([
                    None if (value := get(row)) is None else value if form is None else form(value)
                    for get, form in probes
                ])
                candidates = table.get(key)
                if candidates is None or (keeps is not None and not keeps(row)):
                    continue
                for other in checked(candidates):
                    joined = row + other
                    if fits is None or fits(joined):
                        changes.append((Match(keys[number], row), change(joined)))
                        if met is not None:
                            met.append(other)
                        break
        return changes

    def _candidates(self, chunk: Chunk, table: dict[tuple[Value, ...], list[Row]]) -> Sequence[int]:
        """The places of rows that may meet a row of FROM: where one column alone is compared, those that do."""
        checkpoint()
        if len(self.pairs) != 1:
            return range(len(chunk.rows))
        (pair,) = self.pairs
        left = pair.left
        if not isinstance(left, ColumnRef) or pair.left_key is not None:
            return range(len(chunk.rows))
        return [place for place, value in enumerate(chunk.values(left.index)) if (value,) in table]


@dataclass(frozen=True, slots=True)
class Delete:
    """DELETE by conditions on the relation's rows."""

    relation: Relation
    conditions: tuple[Expr, ...]
    returning: Returning | None = None

    async def run(self, env: Env) -> Outcome:
        matches = await Scan(self.relation, self.conditions).matches(env)
        returning = self.returning
        if returning is not None:
            await returning.prepare(env)
        tag = f"DELETE {await env.need().view.delete(self.relation, matches)}"
        return Outcome(tag) if returning is None else await returning.outcome(tag, [row for _key, row in matches], env)
