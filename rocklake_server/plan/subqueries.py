"""Subqueries as expressions: scalar, EXISTS and IN, run once or once per enclosing row."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from sqlglot import exp

from rocklake_server.catalog.view import Row
from rocklake_server.errors import CardinalityViolation, SyntaxProblem
from rocklake_server.pacing import in_slices
from rocklake_server.plan.comparisons import compare
from rocklake_server.plan.conditions import Compare
from rocklake_server.plan.dispatch import compiles, only
from rocklake_server.plan.expressions import ColumnRef, Env, Expr, Getter, Prepared
from rocklake_server.schema.types import BOOLEAN, Value, array_of

if TYPE_CHECKING:
    from rocklake_server.plan.compiler import Compiler


class Runs(Protocol):
    def __call__(self) -> Iterator[Row]: ...


class Opens(Protocol):
    async def open(self, env: Env) -> Runs: ...


@dataclass(frozen=True, slots=True, eq=False)
class Subquery(Expr):
    """What the kinds share. ``correlated``: it reads rows of enclosing queries; then ``scope_number`` is where the
    row of the query it stands in goes."""

    source: Opens | None = None
    scope_number: int = 0
    correlated: bool = False

    @property
    def constant(self) -> bool:
        return not self.correlated and all(child.constant for child in self.children)

    @property
    def static(self) -> bool:
        return False

    @property
    def subqueries(self) -> tuple[Prepared, ...]:
        inner = tuple(subquery for child in self.children for subquery in child.subqueries)
        return (*inner, self)

    async def prepare(self, env: Env) -> None:
        assert self.source is not None
        rows = await self.source.open(env)
        env.results[id(self)] = rows if self.correlated else await in_slices(lambda: self.reduce(rows()))

    def reduce(self, rows: Iterator[Row]) -> Any:
        raise NotImplementedError

    def reduced(self, env: Env) -> Any:
        """A function of the enclosing row that gives ``reduce``'s result."""
        ready = env.results[id(self)]
        if not self.correlated:
            return lambda _row: ready
        cell = env.cell(self.scope_number)
        assert callable(ready)

        def run(row: Row) -> Any:
            saved, cell[0] = cell[0], row
            try:
                return self.reduce(ready())
            finally:
                cell[0] = saved

        return run

    def getter(self, env: Env) -> Getter:
        found: Getter = self.reduced(env)
        return found


@dataclass(frozen=True, slots=True, eq=False)
class Scalar(Subquery):
    def reduce(self, rows: Iterator[Row]) -> Value:
        first = next(rows, None)
        if first is None:
            return None
        if next(rows, None) is not None:
            raise CardinalityViolation("more than one row returned by a subquery used as an expression")
        return first[0]


@dataclass(frozen=True, slots=True, eq=False)
class ExistsIn(Subquery):
    def reduce(self, rows: Iterator[Row]) -> Value:
        return next(rows, None) is not None


@dataclass(frozen=True, slots=True, eq=False)
class ArrayOf(Subquery):
    """``ARRAY(subquery)``"""

    def reduce(self, rows: Iterator[Row]) -> Value:
        return tuple([row[0] for row in rows])


@dataclass(frozen=True, slots=True, eq=False)
class MemberOf(Subquery):
    """``operand IN (subquery)``; ``probe`` compares the operand with the subquery's column."""

    probe: Compare = field(default_factory=Compare)

    @property
    def children(self) -> tuple[Expr, ...]:
        return (self.probe.left,)

    def reduce(self, rows: Iterator[Row]) -> Any:
        member = self.probe.right.getter(Env(()))
        key = self.probe.right_key
        present: set[Any] = set()
        has_null = False
        for row in rows:
            value = member((row[0],))
            if value is None:
                has_null = True
            else:
                present.add(value if key is None else key(value))
        return present, has_null

    def getter(self, env: Env) -> Getter:
        operand, key, reduced = self.probe.left.bind(env), self.probe.left_key, self.reduced(env)

        def member(row: Row) -> Value:
            present, has_null = reduced(row)
            value = operand(row)
            if value is None:
                return None if present or has_null else False
            if (value if key is None else key(value)) in present:
                return True
            return None if has_null else False

        return member


@compiles(exp.Subquery)
def _scalar(compiler: Compiler, node: exp.Subquery) -> Expr:
    only(node, "this")
    lowered = compiler.queries.subquery(node.this, compiler.scope)
    if len(lowered.outputs) != 1:
        raise SyntaxProblem("subquery must return only one column")
    lowered = lowered.settled()
    return Scalar(lowered.outputs[0].type, lowered.operator, compiler.scope.number, bool(lowered.correlated))


def array_of_subquery(compiler: Compiler, query: exp.Expr) -> Expr:
    """``ARRAY(query)``. Raises SyntaxProblem for more than one column."""
    lowered = compiler.queries.subquery(query, compiler.scope)
    if len(lowered.outputs) != 1:
        raise SyntaxProblem("subquery must return only one column")
    lowered = lowered.settled()
    kind = array_of(lowered.outputs[0].type.with_typmod(-1))
    return ArrayOf(kind, lowered.operator, compiler.scope.number, bool(lowered.correlated))


@compiles(exp.Exists)
def _exists(compiler: Compiler, node: exp.Exists) -> Expr:
    only(node, "this")
    query = node.this.this if isinstance(node.this, exp.Subquery) else node.this
    lowered = compiler.queries.subquery(query, compiler.scope)
    return ExistsIn(BOOLEAN, lowered.operator, compiler.scope.number, bool(lowered.correlated))


def in_subquery(compiler: Compiler, operand: Expr, query: exp.Expr) -> Expr:
    """``operand IN (query)``."""
    lowered = compiler.queries.subquery(query.this if isinstance(query, exp.Subquery) else query, compiler.scope)
    if len(lowered.outputs) != 1:
        few = not lowered.outputs
        raise SyntaxProblem("subquery has too few columns" if few else "subquery has too many columns")
    lowered = lowered.settled()
    probe = compare("=", operand, ColumnRef(lowered.outputs[0].type, 0))
    return MemberOf(BOOLEAN, lowered.operator, compiler.scope.number, bool(lowered.correlated), probe)
