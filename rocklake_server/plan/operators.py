"""Operators: where rows come from and what becomes of them.

``open`` does everything that waits (subqueries, chunks of stored relations) and binds the expressions; what it
returns gives the rows, in memory, each time it is called. So a correlated subquery opens once and runs per row.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from typing import Any, Protocol, TypeAlias, TypeVar

from rocklake_server.catalog.view import Bounds, Chunk, Match, Row, TransactionView
from rocklake_server.errors import InvalidRowCount, InvalidRowOffset, OutOfMemory
from rocklake_server.limits import ROWS_HELD_MAX
from rocklake_server.pacing import Turns, checked, checkpoint, in_slices, slices
from rocklake_server.plan.bounds import bounds_of, values_of, zone_tests
from rocklake_server.plan.expressions import ColumnRef, Env, Expr, Getter
from rocklake_server.plan.sorting import SortKey, row_key, sort_rows
from rocklake_server.plan.system.relation import Narrowed
from rocklake_server.plan.system_relations import SystemRelation
from rocklake_server.schema.model import Relation
from rocklake_server.schema.types import ColumnType, Value

WORK_AT_ONCE_MAX = 256
"""Rows that are computed without a turn of the event loop: less than it takes to give one."""

Rows: TypeAlias = Callable[[], Iterator[Row]]


T = TypeVar("T")


class Operator(Protocol):
    async def open(self, env: Env) -> Rows: ...


async def collected(source: Operator, env: Env) -> list[Row]:
    """All rows of ``source``; the event loop has its turns meanwhile, unless they are few."""
    rows = await source.open(env)
    return await (in_slices(lambda: held(rows())) if env.waits else computed(lambda: held(rows()), env.work))


async def computed(compute: Callable[[], T], rows: int) -> T:
    """What ``compute`` makes of so many rows; the event loop has its turns meanwhile, unless they are few."""
    return compute() if rows <= WORK_AT_ONCE_MAX else await in_slices(compute)


def held(rows: Iterator[Row]) -> list[Row]:
    """All rows, as far as memory is meant for them. Raises OutOfMemory."""
    found = list(islice(rows, ROWS_HELD_MAX + 1))
    if len(found) > ROWS_HELD_MAX:
        raise too_many_rows()
    return found


def too_many_rows() -> OutOfMemory:
    return OutOfMemory(f"out of memory: the statement would hold more than {ROWS_HELD_MAX} rows at the same time")


async def prepare(expressions: Iterable[Expr], env: Env) -> None:
    """Run or open the subqueries of ``expressions``."""
    for expression in expressions:
        for subquery in expression.subqueries:
            await subquery.prepare(env)


def bind_all(conditions: Sequence[Expr], env: Env) -> Getter | None:
    """One predicate for a conjunction in WHERE, where unknown is as good as false; ``None`` when there is none."""
    bound = [condition.bind(env) for condition in conditions]
    if not bound:
        return None
    if len(bound) == 1:
        return bound[0]
    if len(bound) == 2:
        first, second = bound
        return lambda row: first(row) and second(row)
    return lambda row: all(condition(row) for condition in bound)


DENSE = 8
"""From one match in so many rows on, all keys of a chunk are taken at once."""


@dataclass(frozen=True, slots=True)
class Scan:
    """A stored relation's rows, ctid last, that meet ``conditions``."""

    relation: Relation
    conditions: tuple[Expr, ...] = ()

    async def open(self, env: Env) -> Rows:
        await prepare(self.conditions, env)
        chunks = await env.need().view.chunks(self.relation, bounds_of(self.conditions, self.relation, env))
        keeps = bind_all(self.conditions, env)
        tests = zone_tests(self.conditions, env)
        env.reads(sum(len(chunk.rows) for chunk in chunks))

        def rows() -> Iterator[Row]:
            for chunk in chunks:
                whole = keeps is None or (tests is not None and all(test(chunk) for test in tests))
                for part in slices(chunk.rows):
                    yield from part if whole or keeps is None else [row for row in part if keeps(row)]

        return rows

    async def matches(self, env: Env) -> list[Match]:
        """The rows with the keys they are stored under."""
        await prepare(self.conditions, env)
        bounds = bounds_of(self.conditions, self.relation, env)
        chunks = await env.need().view.chunks(self.relation, bounds)
        keeps = bind_all(self.conditions, env)
        return await computed(
            lambda: [match for chunk in chunks for match in _matches(chunk, bounds, keeps)],
            sum([len(chunk.keys) for chunk in chunks]))


def _matches(chunk: Chunk, bounds: Bounds, keeps: Getter | None) -> list[Match]:
    """The rows of ``chunk`` that are kept. One column that must have one of some values is compared first, on its own:
    a list of ids is most of what writes are about."""
    checkpoint()
    rows = chunk.rows
    listed = next(iter(bounds.values.items()), None)
    if keeps is None or listed is None:
        places = [place for place, row in enumerate(checked(rows)) if keeps is None or keeps(row)]
    else:
        column, wanted = listed
        values = list(chunk.values(column))
        if wanted.isdisjoint(values):
            return []
        places = [place for place, value in enumerate(values) if value in wanted]
        places = [place for place in places if keeps(rows[place])]
    keys = list(chunk.keys) if len(places) * DENSE > len(rows) else chunk.keys
    return [Match(keys[place], rows[place]) for place in places]


@dataclass(frozen=True, slots=True)
class SystemScan:
    """The computed rows of a system relation."""

    relation: SystemRelation
    conditions: tuple[Expr, ...] = ()

    async def open(self, env: Env) -> Rows:
        return await self.open_for(env, {})

    async def open_for(self, env: Env, wanted: Mapping[int, Collection[Value]]) -> Rows:
        """Rows that have other values than ``wanted`` ones may be left out, by column."""
        await prepare(self.conditions, env)
        keeps = bind_all(self.conditions, env)
        content = self._content(env, {**values_of(self.conditions, env), **wanted})
        env.reads(len(content))
        if keeps is None:
            return lambda: iter(checked(content))
        return lambda: (row for row in checked(content) if keeps(row))

    def _content(self, env: Env, wanted: Mapping[int, Collection[Value]]) -> Sequence[Row]:
        relation = self.relation
        if relation.live is not None:
            return relation.live(env.need())
        for column, narrowed in relation.narrowed.items():
            if column in wanted:
                return env.input(partial(_narrowed, narrowed, wanted[column]))
        return env.input(relation.rows)


def _narrowed(narrowed: Narrowed, values: Collection[Value], view: TransactionView) -> Sequence[Row]:
    return narrowed(view, values)


@dataclass(frozen=True, slots=True)
class OneRow:
    """SELECT without FROM."""

    async def open(self, _env: Env) -> Rows:
        return lambda: iter(((),))


@dataclass(frozen=True, slots=True)
class ValuesRows:
    """VALUES: one tuple of expressions per row."""

    lines: tuple[tuple[Expr, ...], ...]
    constant: bool = field(init=False)
    """Whether every item is, and there are few."""

    def __post_init__(self) -> None:
        items = [item for line in self.lines for item in line]
        few = len(items) <= WORK_AT_ONCE_MAX
        object.__setattr__(self, "constant", few and all(item.constant and not item.subqueries for item in items))

    async def open(self, env: Env) -> Rows:
        if self.constant:
            found = [tuple([item.value(env) for item in line]) for line in self.lines]
            env.reads(len(found))
            return lambda: iter(found)
        turns = Turns()
        bound = []
        for line in self.lines:
            await prepare(line, env)
            await turns.take()
            bound.append([item.bind(env) for item in line])
        env.reads(len(bound))
        return lambda: (tuple([item(()) for item in line]) for line in checked(bound))


@dataclass(frozen=True, slots=True)
class GivenRows:
    """Rows that were read from the statement's text."""

    async def open(self, env: Env) -> Rows:
        env.reads(len(env.given))
        return lambda: iter(checked(env.given))


@dataclass(frozen=True, slots=True)
class Filter:
    source: Operator
    conditions: tuple[Expr, ...]

    async def open(self, env: Env) -> Rows:
        await prepare(self.conditions, env)
        rows = await self.source.open(env)
        keeps = bind_all(self.conditions, env)
        if keeps is None:
            return rows
        return lambda: (row for row in rows() if keeps(row))


@dataclass(frozen=True, slots=True)
class Project:
    source: Operator
    expressions: tuple[Expr, ...]

    async def open(self, env: Env) -> Rows:
        await prepare(self.expressions, env)
        rows = await self.source.open(env)
        if all(isinstance(expression, ColumnRef) for expression in self.expressions):
            return self._pick(rows)
        bound = [expression.bind(env) for expression in self.expressions]
        return lambda: (tuple([item(row) for item in bound]) for row in rows())

    def _pick(self, rows: Rows) -> Rows:
        indexes = [expression.index for expression in self.expressions if isinstance(expression, ColumnRef)]
        return lambda: (tuple([row[index] for index in indexes]) for row in rows())


@dataclass(frozen=True, slots=True)
class Distinct:
    source: Operator
    types: tuple[ColumnType, ...]

    async def open(self, env: Env) -> Rows:
        rows, key = await self.source.open(env), row_key(self.types)

        def distinct() -> Iterator[Row]:
            seen: set[Any] = set()
            for row in rows():
                found = key(row)
                if found not in seen:
                    if len(seen) >= ROWS_HELD_MAX:
                        raise too_many_rows()
                    seen.add(found)
                    yield row

        return distinct


@dataclass(frozen=True, slots=True)
class Sort:
    source: Operator
    keys: tuple[SortKey, ...]

    async def open(self, env: Env) -> Rows:
        await prepare([key.expression for key in self.keys], env)
        rows = await self.source.open(env)
        bound = [(key.expression.bind(env), key) for key in self.keys]

        def ordered() -> Iterator[Row]:
            content = held(rows())
            sort_rows(content, bound)
            return iter(checked(content))

        return ordered


@dataclass(frozen=True, slots=True)
class Limit:
    source: Operator
    count: Expr | None
    offset: Expr | None

    async def open(self, env: Env) -> Rows:
        await prepare([part for part in (self.count, self.offset) if part is not None], env)
        rows = await self.source.open(env)
        count = None if self.count is None else self.count.value(env)
        offset = None if self.offset is None else self.offset.value(env)
        if isinstance(count, int) and count < 0:
            raise InvalidRowCount("LIMIT must not be negative")
        if isinstance(offset, int) and offset < 0:
            raise InvalidRowOffset("OFFSET must not be negative")
        start = offset if isinstance(offset, int) else 0
        stop = start + count if isinstance(count, int) else None

        def limited() -> Iterator[Row]:
            if stop == start:
                return
            for position, row in enumerate(rows(), 1):
                if position > start:
                    yield row
                if position == stop:
                    return

        return limited


