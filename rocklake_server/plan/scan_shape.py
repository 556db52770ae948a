"""Recognising a plain projection of one stored relation, so that the session can send its cached encodings.

The shape is found once per compiled statement; binding it with a statement's literals is the hot path of every scan.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from operator import itemgetter
from typing import NamedTuple, TypeAlias

from rocklake_server.catalog.view import Bounds, Chunk, Interval, Row, TransactionView
from rocklake_server.pacing import checkpoint, in_slices
from rocklake_server.plan.applications import Strict
from rocklake_server.plan.bounds import ZoneTest, bounds_of, column_against_constant, zone_tests
from rocklake_server.plan.expressions import ColumnRef, Constant, Env, Expr, Slot
from rocklake_server.plan.groups import Group
from rocklake_server.plan.model import BaseScan
from rocklake_server.plan.operators import Limit, Operator, Project, Scan, bind_all
from rocklake_server.plan.subqueries import Scalar
from rocklake_server.schema.model import Relation
from rocklake_server.schema.types import Form, Value

CHUNKS_AT_ONCE_MAX = 4
"""Chunks whose zones are asked for without a turn of the event loop."""

_EXTREME_FORMS = frozenset({Form.INT, Form.TIMESTAMP, Form.DATE})

Reader: TypeAlias = Callable[[Sequence[Value]], Value]
Comparison: TypeAlias = tuple[int, str, Reader]


class Extreme(NamedTuple):
    """The least or greatest value of one column of a stored relation, as a subquery computes it."""

    relation: Relation
    column: int
    greatest: bool

    async def value(self, view: TransactionView) -> Value:
        """From the zones of the relation's chunks; ``None`` without a value."""
        chunks = await view.chunks(self.relation)
        few = len(chunks) <= CHUNKS_AT_ONCE_MAX
        return self._among(chunks) if few else await in_slices(partial(self._among, chunks))

    def _among(self, chunks: Sequence[Chunk]) -> Value:
        """A zone is measured at its first use, which takes its chunk's rows."""
        choose: Callable[..., Value] = max if self.greatest else min
        found: list[Value] = []
        for chunk in chunks:
            checkpoint()
            zone = chunk.zone(self.column)
            if zone is None:
                found += [value for row in chunk.rows if (value := row[self.column]) is not None]
            elif zone.least is not None:
                found.append(zone.greatest if self.greatest else zone.least)
        return choose(found) if found else None


@dataclass(frozen=True, slots=True)
class ScanShape:
    """A base scan whose literals are not known yet. ``comparisons`` are set when every condition compares a column
    with a constant in a way that bounds and zones express completely. ``extremes``: their values follow the literals
    in the slots that the shape is bound with."""

    relation: Relation
    projection: tuple[int | None, ...]
    conditions: tuple[Expr, ...] = ()
    limit: Expr | None = None
    comparisons: tuple[Comparison, ...] | None = ()
    extremes: tuple[Extreme, ...] = ()

    def bind(self, slots: Sequence[Value]) -> BaseScan | None:
        """The scan with its literals. Raises what reading the literals raises; ``None`` for a limit that is an
        error when it runs, and for an extreme of no rows."""
        limit: Value = None
        if self.limit is not None:
            limit = self.limit.value(Env(slots))
            if isinstance(limit, int) and limit < 0:
                return None
        count = limit if isinstance(limit, int) else None
        if not self.conditions:
            return BaseScan(self.relation, self.projection, limit=count)
        bound = None if self.comparisons is None else _bounds(self.comparisons, slots)
        if self.extremes:
            return None if bound is None else BaseScan(
                self.relation, self.projection, bound[0], partial(_passes_all, bound[1]), bound[1], count)
        predicate = partial(_predicate, self.conditions, slots)
        if bound is not None:
            return BaseScan(self.relation, self.projection, bound[0], predicate, bound[1], count)
        env = Env(slots)
        bounds = bounds_of(self.conditions, self.relation, env)
        return BaseScan(self.relation, self.projection, bounds, predicate, zone_tests(self.conditions, env), count)


def _predicate(conditions: Sequence[Expr], slots: Sequence[Value]) -> Callable[[Row], Value]:
    found = bind_all(conditions, Env(slots))
    assert found is not None
    return found


def _passes_all(tests: Sequence[ZoneTest]) -> Callable[[Row], Value]:
    if len(tests) == 1:
        return tests[0].passes
    return lambda row: all(test.passes(row) for test in tests)


def _bounds(comparisons: Sequence[Comparison], slots: Sequence[Value]) -> tuple[Bounds, tuple[ZoneTest, ...]] | None:
    """``None`` when two conditions are about one column or compare with NULL: the general way knows what to do."""
    values: dict[int, frozenset[Value]] = {}
    ranges: dict[int, Interval] = {}
    tests: list[ZoneTest] = []
    for column, symbol, read in comparisons:
        value = read(slots)
        if value is None:
            return None
        if symbol == "=":
            values[column] = frozenset((value,))
        elif symbol == "<" or symbol == "<=":
            ranges[column] = Interval(None, value)
        else:
            ranges[column] = Interval(value, None)
        tests.append(ZoneTest(column, symbol, value))
    return Bounds(values, ranges), tuple(tests)


def shape_of(operator: Operator) -> ScanShape | None:
    """The shape of ``operator``; ``None`` when it is no base scan, or when it needs the transaction's time, a
    parameter or a subquery."""
    if isinstance(operator, Scan):
        return _scan(operator)
    if isinstance(operator, Project):
        inner = shape_of(operator.source)
        return None if inner is None else _project(operator, inner)
    if isinstance(operator, Limit):
        inner = shape_of(operator.source)
        if inner is None or operator.offset is not None or inner.limit is not None:
            return None
        return replace(inner, limit=operator.count) if operator.count is not None and operator.count.static else None
    return None


def _scan(scan: Scan) -> ScanShape | None:
    extremes = _extremes(scan)
    if extremes is None:
        return None
    comparisons = _comparisons(scan, extremes)
    if extremes and comparisons is None:
        return None
    everything = tuple(range(len(scan.relation.columns) + 1))
    return ScanShape(scan.relation, everything, scan.conditions, None, comparisons, tuple(extremes.values()))


def _extremes(scan: Scan) -> dict[Expr, Extreme] | None:
    """The subqueries among the conditions' constants; ``None`` when a condition needs more than the literals."""
    found: dict[Expr, Extreme] = {}
    for condition in scan.conditions:
        if condition.static:
            continue
        comparison = column_against_constant(condition)
        extreme = None if comparison is None else _extreme(comparison[2])
        if comparison is None or extreme is None:
            return None
        found[comparison[2]] = extreme
    return found


def _extreme(node: Expr) -> Extreme | None:
    """``(SELECT max(column) FROM relation)`` of a column that zones order as SQL does."""
    if not isinstance(node, Scalar) or not isinstance(project := node.source, Project):
        return None
    group = project.source
    if not isinstance(group, Group) or not isinstance(scan := group.source, Scan):
        return None
    if group.keys or scan.conditions or len(group.aggregates) != 1 or not group.from_zones:
        return None
    (aggregate,), (output,) = group.aggregates, project.expressions
    if not aggregate.arguments or not isinstance(output, ColumnRef) or aggregate.type.form not in _EXTREME_FORMS:
        return None
    (argument,) = aggregate.arguments
    assert isinstance(argument, ColumnRef)
    return Extreme(scan.relation, argument.index, aggregate.name == "max")


def _comparisons(scan: Scan, extremes: Mapping[Expr, Extreme]) -> tuple[Comparison, ...] | None:
    found: list[Comparison] = []
    end_column = scan.relation.index.get("end_snapshot")
    places = {node: place - len(extremes) for place, node in enumerate(extremes)}
    for condition in scan.conditions:
        comparison = column_against_constant(condition)
        if comparison is None:
            return None
        column, symbol, other = comparison
        repeated = any(column.index == known for known, _symbol, _read in found)
        if repeated or symbol == "<>" or column.index == end_column:
            return None
        found.append((column.index, symbol, itemgetter(places[other]) if other in places else _reader(other)))
    return tuple(found)


def _reader(node: Expr) -> Reader:
    """How a constant is read from the slots; the common forms without a closure tree."""
    if isinstance(node, Slot):
        index = node.index
        return lambda slots: slots[index]
    if isinstance(node, Strict) and len(node.arguments) == 1 and isinstance(node.arguments[0], Slot):
        function, place = node.function, node.arguments[0].index
        return lambda slots: function(slots[place])
    return lambda slots: node.value(Env(slots))


def _project(project: Project, inner: ScanShape) -> ScanShape | None:
    projection: list[int | None] = []
    for expression in project.expressions:
        if isinstance(expression, ColumnRef):
            projection.append(inner.projection[expression.index])
        elif isinstance(expression, Constant) and expression.content is None:
            projection.append(None)
        else:
            return None
    return replace(inner, projection=tuple(projection))
