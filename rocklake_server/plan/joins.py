"""Joins by hash on equality conditions, else by nested loops, and the set operations."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from rocklake_server.catalog.view import Row
from rocklake_server.pacing import checked
from rocklake_server.plan.conditions import Compare
from rocklake_server.plan.expressions import ColumnRef, Env, Expr, Getter
from rocklake_server.plan.operators import Operator, Rows, SystemScan, bind_all, collected, held, prepare
from rocklake_server.plan.rewriting import reads_outer, references, shift
from rocklake_server.plan.sorting import row_key
from rocklake_server.schema.types import ColumnType, Value


@dataclass(frozen=True, slots=True)
class Join:
    """``kind`` is inner, left, right or full. ``pairs`` are (left expression, right expression over the right row,
    left key, right key); ``residual`` conditions see the joined row."""

    left: Operator
    right: Operator
    kind: str
    left_width: int
    right_width: int
    pairs: tuple[Compare, ...] = ()
    residual: tuple[Expr, ...] = ()
    asked: _Asked | None = field(init=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "asked", _asked(self))

    async def open(self, env: Env) -> Rows:
        await prepare(self.residual, env)
        left, right = await self._open_sides(env)
        keeps = bind_all(self.residual, env)
        probe = _side([(pair.left, pair.left_key) for pair in self.pairs], env)
        build = _side([(pair.right, pair.right_key) for pair in self.pairs], env)
        return lambda: self._rows(left(), held(right()), probe, build, keeps)

    async def _open_sides(self, env: Env) -> tuple[Rows, Rows]:
        if self.asked is None:
            return await self.left.open(env), await self.right.open(env)
        asked, other, column, key = self.asked
        others = await _kept(other, env)
        value = key.bind(env)
        found = await asked.open_for(env, {column: {value(row) for row in others()}})
        return (found, others) if asked is self.left else (others, found)

    def _rows(self, left: Iterator[Row], right: list[Row], probe: Callable[[Row], Any],
              build: Callable[[Row], Any], keeps: Getter | None) -> Iterator[Row]:
        table: dict[Any, list[int]] = {}
        for number, row in enumerate(checked(right)):
            key = build(row)
            if key is not None:
                table.setdefault(key, []).append(number)
        matched: set[int] = set()
        track = self.kind in ("right", "full")
        fill = (None,) * self.right_width if self.kind in ("left", "full") else None
        for row in left:
            found = False
            for number in checked(table.get(probe(row), ())):
                joined = row + right[number]
                if keeps is None or keeps(joined):
                    found = True
                    if track:
                        matched.add(number)
                    yield joined
            if not found and fill is not None:
                yield row + fill
        if track:
            nothing = (None,) * self.left_width
            yield from (nothing + row for number, row in enumerate(checked(right)) if number not in matched)


def _is_closed(operator: Operator) -> bool:
    """Whether it is made of system relations, and says the same for every row of an enclosing query."""
    if isinstance(operator, SystemScan):
        return not any(map(reads_outer, operator.conditions))
    if isinstance(operator, Join):
        conditions = (*operator.residual, *operator.pairs)
        return _is_closed(operator.left) and _is_closed(operator.right) and not any(map(reads_outer, conditions))
    return False


class _Asked(NamedTuple):
    """A system relation that is asked only for what may meet the rows of the ``other`` side, whose ``key`` is compared
    with its ``column``: a database has many schemas, and most queries are about one."""

    scan: SystemScan
    other: Operator
    column: int
    key: Expr


def _asked(join: Join) -> _Asked | None:
    """The side of ``join`` that can be asked by the other one's values."""
    if not join.pairs or join.kind not in ("inner", "left"):
        return None
    pair = join.pairs[0]
    if pair.left_key is not None or pair.right_key is not None:
        return None
    sides = [(join.right, pair.right, join.left, pair.left), (join.left, pair.left, join.right, pair.right)]
    for scan, column, other, key in sides if join.kind == "inner" else sides[:1]:
        if isinstance(scan, SystemScan) and isinstance(column, ColumnRef) and column.index in scan.relation.narrowed:
            return _Asked(scan, other, column.index, key) if _is_closed(join.left) and _is_closed(join.right) else None
    return None


async def _kept(operator: Operator, env: Env) -> Rows:
    rows = await collected(operator, env)
    return lambda: iter(rows)


def _side(parts: Sequence[tuple[Expr, Callable[[Value], Value] | None]], env: Env) -> Callable[[Row], Any]:
    """The join key of one side's row; ``None`` when a part is NULL, so that it meets nothing."""
    bound = [(part.bind(env), key) for part, key in parts]
    if len(bound) == 1 and bound[0][1] is None:
        return bound[0][0]

    def key_of(row: Row) -> Any:
        values = []
        for getter, key in bound:
            value = getter(row)
            if value is None:
                return None
            values.append(value if key is None else key(value))
        return tuple(values)

    return key_of


def join(left: Operator, right: Operator, kind: str, left_width: int, right_width: int,
         conditions: Sequence[Expr]) -> Join:
    """The join on ``conditions`` (over the joined row), hashed on those that compare one side with the other."""
    pairs: list[Compare] = []
    residual: list[Expr] = []
    for condition in conditions:
        pair = equality_pair(condition, left_width)
        if pair is None:
            residual.append(condition)
        else:
            pairs.append(pair)
    return Join(left, right, kind, left_width, right_width, tuple(pairs), tuple(residual))


def equality_pair(condition: Expr, left_width: int) -> Compare | None:
    """An equality of one side with the other, its ``right`` over the right side's own rows; else ``None``."""
    if not isinstance(condition, Compare) or condition.operator != "=" or condition.subqueries:
        return None
    first, second = references(condition.left), references(condition.right)
    if not first or not second:
        return None
    if max(first) < left_width <= min(second):
        return Compare(operator="=", left=condition.left, right=shift(condition.right, -left_width),
                       test=condition.test, left_key=condition.left_key,
                       right_key=condition.right_key, plain=condition.plain)
    if max(second) < left_width <= min(first):
        return Compare(operator="=", left=condition.right, right=shift(condition.left, -left_width),
                       test=condition.test, left_key=condition.right_key,
                       right_key=condition.left_key, plain=condition.plain)
    return None


@dataclass(frozen=True, slots=True)
class SetOperation:
    """UNION, INTERSECT and EXCEPT [ALL] of two sources with the same column types."""

    kind: str
    left: Operator
    right: Operator
    types: tuple[ColumnType, ...]
    every: bool

    async def open(self, env: Env) -> Rows:
        left, right = await self.left.open(env), await self.right.open(env)
        key = row_key(self.types)
        if self.kind == "UNION" and self.every:
            return lambda: _chain(left(), right())
        if self.kind == "UNION":
            return lambda: _first_of_each(_chain(left(), right()), key)
        return lambda: self._by_count(left(), right(), key)

    def _by_count(self, left: Iterator[Row], right: Iterator[Row], key: Callable[[Row], Any]) -> Iterator[Row]:
        counts = Counter(key(row) for row in right)
        keep_matches = self.kind == "INTERSECT"
        rows = left if self.every else _first_of_each(left, key)
        for row in rows:
            found = key(row)
            present = counts[found] > 0
            if present and self.every:
                counts[found] -= 1
            if present is keep_matches:
                yield row


def _chain(left: Iterator[Row], right: Iterator[Row]) -> Iterator[Row]:
    yield from left
    yield from right


def _first_of_each(rows: Iterator[Row], key: Callable[[Row], Any]) -> Iterator[Row]:
    seen: set[Any] = set()
    for row in rows:
        found = key(row)
        if found not in seen:
            seen.add(found)
            yield row
