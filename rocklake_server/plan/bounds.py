"""What a scan's conditions tell the engine: bounds on columns, and tests that a chunk's zones can answer."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rocklake_server.catalog.view import EVERYTHING, Bounds, Chunk, Interval, Row
from rocklake_server.plan.comparisons import MIRRORED, TESTS
from rocklake_server.plan.conditions import Compare, InList, IsNull, Or
from rocklake_server.plan.expressions import ColumnRef, Env, Expr
from rocklake_server.schema.model import Relation
from rocklake_server.schema.types import Form, Value

_NEVER_ENDS = 2**63 - 1
_NARROWING_FORMS = frozenset({
    Form.BOOL, Form.INT, Form.TEXT, Form.BYTES, Form.UUID, Form.TIMESTAMP, Form.DATE, Form.TIME, Form.TID,
})


def column_against_constant(node: Expr) -> tuple[ColumnRef, str, Expr] | None:
    """(column, operator, constant) of a comparison in which Python's order of the raw values is SQL's."""
    if not isinstance(node, Compare) or not node.plain:
        return None
    if isinstance(node.left, ColumnRef) and node.right.constant:
        column, symbol, other = node.left, node.operator, node.right
    elif isinstance(node.right, ColumnRef) and node.left.constant:
        column, symbol, other = node.right, MIRRORED[node.operator], node.left
    else:
        return None
    if column.type.form not in _NARROWING_FORMS or other.type.form is not column.type.form:
        return None
    return column, symbol, other


class _Collector:
    def __init__(self) -> None:
        self.values: dict[int, frozenset[Value]] = {}
        self.ranges: dict[int, Interval] = {}
        self.nulls: set[int] = set()
        self.live_after: int | None = None

    def within(self, column: int, members: frozenset[Value]) -> None:
        members = frozenset(member for member in members if member is not None)
        known = self.values.get(column)
        self.values[column] = members if known is None else known & members

    def between(self, column: int, least: Value, greatest: Value) -> None:
        known = self.ranges.get(column, Interval(None, None))
        if least is not None and known.least is not None:
            least = max(known.least, least)
        if greatest is not None and known.greatest is not None:
            greatest = min(known.greatest, greatest)
        self.ranges[column] = Interval(
            known.least if least is None else least, known.greatest if greatest is None else greatest
        )

    def live(self, snapshot: int) -> None:
        self.live_after = snapshot if self.live_after is None else max(self.live_after, snapshot)

    def add(self, node: Expr, end_column: int | None, env: Env) -> None:
        comparison = column_against_constant(node)
        if comparison is not None:
            column, symbol, other = comparison
            self._compare(column.index, symbol, other.value(env), end_column)
        elif isinstance(node, InList) and isinstance(node.operand, ColumnRef):
            if all(item.constant for item in node.items):
                self.within(node.operand.index, node.members(env))
        elif isinstance(node, IsNull) and not node.negated and isinstance(node.operand, ColumnRef):
            self.nulls.add(node.operand.index)
            if node.operand.index == end_column:
                self.live(_NEVER_ENDS)
        elif isinstance(node, Or) and end_column is not None:
            self._either(node, end_column, env)

    def _compare(self, column: int, symbol: str, value: Value, end_column: int | None) -> None:
        if value is None:
            self.within(column, frozenset())
        elif symbol == "=":
            self.within(column, frozenset((value,)))
        elif symbol in (">", ">="):
            self.between(column, value, None)
            if column == end_column and isinstance(value, int):
                self.live(value if symbol == ">" else value - 1)
        elif symbol in ("<", "<="):
            self.between(column, None, value)

    def _either(self, node: Or, end_column: int, env: Env) -> None:
        """``end_snapshot IS NULL OR end_snapshot > n``."""
        open_ended, after = False, None
        for operand in node.operands:
            comparison = column_against_constant(operand)
            if isinstance(operand, IsNull) and not operand.negated and isinstance(operand.operand, ColumnRef):
                open_ended = open_ended or operand.operand.index == end_column
            elif comparison is not None and comparison[0].index == end_column and comparison[1] in (">", ">="):
                value = comparison[2].value(env)
                after = value - (comparison[1] == ">=") if isinstance(value, int) else after
        if open_ended and after is not None and len(node.operands) == 2:
            self.live(after)


def bounds_of(conditions: Sequence[Expr], relation: Relation, env: Env) -> Bounds:
    """The bounds that a conjunction of ``conditions`` over ``relation``'s rows implies."""
    if not conditions:
        return EVERYTHING
    collector = _Collector()
    end_column = relation.index.get("end_snapshot")
    if end_column is not None and relation.columns[end_column].type.form is not Form.INT:
        end_column = None
    for condition in conditions:
        collector.add(condition, end_column, env)
    return Bounds(collector.values, collector.ranges, frozenset(collector.nulls), collector.live_after)


def values_of(conditions: Sequence[Expr], env: Env) -> Mapping[int, frozenset[Value]]:
    """The values that a conjunction leaves to single columns, by index."""
    collector = _Collector()
    for condition in conditions:
        collector.add(condition, None, env)
    return collector.values


def zone_test(condition: Expr, env: Env) -> Callable[[Chunk], bool] | None:
    """Whether zones tell that a whole chunk passes ``condition``; ``None`` when they cannot."""
    comparison = column_against_constant(condition)
    if comparison is not None:
        column, symbol, other = comparison
        value = other.value(env)
        return None if value is None else ZoneTest(column.index, symbol, value)
    if isinstance(condition, IsNull) and isinstance(condition.operand, ColumnRef):
        return _null_test(condition.operand.index, negated=condition.negated)
    return None


@dataclass(slots=True)
class ZoneTest:
    """``column symbol value`` asked of a chunk's zone."""

    column: int
    symbol: str
    value: Value

    def passes(self, row: Row) -> bool:
        """As the comparison says of one row, unknown as false."""
        value = row[self.column]
        return value is not None and bool(TESTS[self.symbol](value, self.value))

    def __call__(self, chunk: Chunk) -> bool:
        zone = chunk.zone(self.column)
        if zone is None or zone.has_null or zone.least is None:
            return False
        least: Any = zone.least
        greatest: Any = zone.greatest
        symbol, value = self.symbol, self.value
        if symbol == "=":
            return bool(least == value == greatest)
        if symbol == "<>":
            return bool(greatest < value or least > value)
        return bool(TESTS[symbol](greatest if symbol[0] == "<" else least, value))


def _null_test(column: int, *, negated: bool) -> Callable[[Chunk], bool]:
    def passes(chunk: Chunk) -> bool:
        zone = chunk.zone(column)
        if zone is None:
            return False
        return not zone.has_null if negated else zone.has_null and zone.least is None

    return passes


def zone_tests(conditions: Sequence[Expr], env: Env) -> tuple[Callable[[Chunk], bool], ...] | None:
    """A test per condition; ``None`` when zones cannot answer one of them."""
    tests = [zone_test(condition, env) for condition in conditions]
    found = tuple(test for test in tests if test is not None)
    return found if len(found) == len(tests) else None
