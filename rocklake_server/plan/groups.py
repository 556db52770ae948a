"""The operator that groups rows, and answers from zones what they can answer."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from rocklake_server.catalog.view import Chunk, Row
from rocklake_server.limits import ROWS_HELD_MAX
from rocklake_server.pacing import checked, checkpoint, in_slices, slices
from rocklake_server.plan.aggregation import Aggregate
from rocklake_server.plan.bounds import bounds_of, zone_tests
from rocklake_server.plan.comparisons import equality_key, order_key
from rocklake_server.plan.expressions import ColumnRef, Env, Expr, Getter
from rocklake_server.plan.operators import WORK_AT_ONCE_MAX, Operator, Rows, Scan, bind_all, prepare, too_many_rows
from rocklake_server.plan.rewriting import reads_outer
from rocklake_server.schema.types import Value


@dataclass(frozen=True, slots=True)
class Group:
    """Rows of the keys' values followed by the aggregates' values, one per group; without keys exactly one."""

    source: Operator
    keys: tuple[Expr, ...]
    aggregates: tuple[Aggregate, ...]

    @property
    def from_zones(self) -> bool:
        """Whether the zones of stored chunks answer the aggregates."""
        return not self.keys and isinstance(self.source, Scan) and _answered_by_zones(self.source, self.aggregates)

    async def open(self, env: Env) -> Rows:
        await prepare([*self.keys, *(part for item in self.aggregates for part in item.expressions)], env)
        if self.from_zones and isinstance(self.source, Scan):
            return await self._from_zones(self.source, env)
        rows = await self.source.open(env)
        keys = [key.bind(env) for key in self.keys]
        forms = [equality_key(key.type) for key in self.keys]
        if all(item.name == "count" and not item.arguments and item.where is None for item in self.aggregates):
            return lambda: _counts(rows(), keys, forms, len(self.aggregates))
        values = [item.over(env) for item in self.aggregates]
        return lambda: _groups(rows(), keys, forms, values)

    async def _from_zones(self, scan: Scan, env: Env) -> Rows:
        """count(*), min and max of plain columns: from zones where a whole chunk takes part."""
        await prepare(scan.conditions, env)
        chunks = await env.need().view.chunks(scan.relation, bounds_of(scan.conditions, scan.relation, env))
        keeps, tests = bind_all(scan.conditions, env), zone_tests(scan.conditions, env)
        few = sum(len(chunk.rows) for chunk in chunks) <= WORK_AT_ONCE_MAX
        fold = partial(self._folded, chunks, keeps, tests)
        row = fold() if few else await in_slices(fold)
        return lambda: iter((row,))

    def _folded(self, chunks: Sequence[Chunk], keeps: Getter | None,
                tests: Sequence[Callable[[Chunk], bool]] | None) -> Row:
        parts: list[list[Row]] = [[] for _ in self.aggregates]
        count = 0
        for chunk in chunks:
            checkpoint()
            whole = keeps is None or (tests is not None and all(test(chunk) for test in tests))
            rows = chunk.rows if whole or keeps is None else [
                row for part in slices(chunk.rows) for row in part if keeps(row)]
            count += len(rows)
            for item, found in zip(self.aggregates, parts, strict=True):
                if item.arguments:
                    _extend(item, found, chunk.zone(_column(item)) if whole else None, rows)
        return tuple([
            item.fold(found) if item.arguments else count
            for item, found in zip(self.aggregates, parts, strict=True)
        ])


def _column(item: Aggregate) -> int:
    argument = item.arguments[0]
    assert isinstance(argument, ColumnRef)
    return argument.index


def _extend(item: Aggregate, found: list[Row], zone: Any, rows: Sequence[Row]) -> None:
    if zone is not None:
        if zone.least is not None:
            found.append((zone.least if item.name == "min" else zone.greatest,))
        return
    index = _column(item)
    found.extend((row[index],) for row in rows if row[index] is not None)


def _answered_by_zones(scan: Scan, aggregates: Sequence[Aggregate]) -> bool:
    return not any(reads_outer(condition) for condition in scan.conditions) and all(
        not item.distinct and item.where is None
        and ((item.name == "count" and not item.arguments)
             or (item.name in ("min", "max") and isinstance(item.arguments[0], ColumnRef)
                 and order_key(item.type) is None))
        for item in aggregates
    )


def _groups(rows: Iterator[Row], keys: Sequence[Getter], forms: Sequence[Callable[[Value], Any]],
            values: Sequence[Callable[[list[Row]], Value]]) -> Iterator[Row]:
    groups: dict[Any, tuple[Row, list[Row]]] = {} if keys else {(): ((), [])}
    for number, row in enumerate(rows):
        if number >= ROWS_HELD_MAX:
            raise too_many_rows()
        content = tuple([key(row) for key in keys])
        found = tuple([form(value) for form, value in zip(forms, content, strict=True)])
        groups.setdefault(found, (content, []))[1].append(row)
    for content, members in groups.values():
        yield content + tuple([value(members) for value in values])


def _counts(rows: Iterator[Row], keys: Sequence[Getter], forms: Sequence[Callable[[Value], Any]],
            width: int) -> Iterator[Row]:
    """As ``_groups`` where every aggregate is count(*): no row is held."""
    groups: dict[Any, list[Any]] = {} if keys else {(): [(), 0]}
    for row in rows:
        content = tuple([key(row) for key in keys])
        found = tuple([form(value) for form, value in zip(forms, content, strict=True)])
        group = groups.get(found)
        if group is not None:
            group[1] += 1
        elif len(groups) >= ROWS_HELD_MAX:
            raise too_many_rows()
        else:
            groups[found] = [content, 1]
    for content, count in checked(list(groups.values())):
        yield content + (count,) * width
