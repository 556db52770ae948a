"""Expressions of one query level: what the plan's compiler knows is compiled by it; columns, aggregates, windows and
subqueries become fragments of the engine's text."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeAlias

from sqlglot import exp

from rocklake_server.adhoc.fragments import Fragment, fragments
from rocklake_server.adhoc.statement import Statement
from rocklake_server.errors import GroupingProblem
from rocklake_server.plan.compiler import Compiler, settle
from rocklake_server.plan.dispatch import compiler_of
from rocklake_server.plan.expressions import Expr
from rocklake_server.plan.scope import Scope

if TYPE_CHECKING:
    from rocklake_server.adhoc.queries import Queries

Handler: TypeAlias = "Callable[[Reading, Any], Expr | None]"
_HANDLERS: dict[type[exp.Expr], Handler] = {}


def reads(*classes: type[exp.Expr]) -> Callable[[Handler], Handler]:
    """Register what reads nodes of these classes; it may leave a node to the plan's compiler."""

    def register(handler: Handler) -> Handler:
        for node_class in classes:
            if node_class in _HANDLERS:
                raise ValueError(f"{node_class.__name__} is read twice")
            _HANDLERS[node_class] = handler
        return handler

    return register


@dataclass(slots=True)
class Grouped:
    """GROUP BY's expressions as nodes and compiled."""

    nodes: list[exp.Expr] = field(default_factory=list)
    keys: list[Expr] = field(default_factory=list)


@dataclass(slots=True)
class Reading:
    """One clause of one query. ``grouped`` is set above grouping; ``windows`` are those that the query names."""

    queries: Queries
    scope: Scope
    clause: str
    grouped: Grouped | None = None
    aggregates: bool = False
    window_functions: bool = False
    sets: bool = False
    windows: dict[str, exp.Window] = field(default_factory=dict)

    @property
    def statement(self) -> Statement:
        return self.queries.statement

    @property
    def compiler(self) -> Compiler:
        return Compiler(self.statement.lowering, self.scope, self.clause, self._intercept)

    def expression(self, node: exp.Expr) -> Expr:
        return self.compiler.compile(node)

    def typed(self, node: exp.Expr) -> Expr:
        """With untyped literals as text."""
        return settle(self.compiler.compile(node))

    def condition(self, node: exp.Expr) -> Expr:
        return self.compiler.condition(node, self.clause)

    def below(self, clause: str) -> Reading:
        """Arguments of an aggregate: below grouping, without aggregates, windows and sets."""
        return replace(self, clause=clause, grouped=None, aggregates=False, window_functions=False, sets=False)

    def _intercept(self, node: exp.Expr) -> Expr | None:
        if self.grouped is not None:
            for known, key in zip(self.grouped.nodes, self.grouped.keys, strict=True):
                if known == node:
                    return key
        handler = _HANDLERS.get(type(node))
        return None if handler is None else handler(self, node)

    def require_grouped(self, found: Expr) -> None:
        """Raises GroupingProblem for a column that does not follow from the grouping keys."""
        if self.grouped is None:
            return
        known = {fragment.sql for key in self.grouped.keys for fragment in fragments(key) if key is fragment}
        for fragment in fragments(found):
            if fragment.scope_number != self.scope.number or fragment.sql in known:
                continue
            source = self.statement.place(fragment.scope_number, fragment.index).source
            name = next((column.name for column in source.columns if column.index == fragment.index), fragment.name)
            raise GroupingProblem(
                f'column "{source.alias}.{name}" must appear in the GROUP BY clause or be used in an aggregate function'
            )


@reads(exp.Column)
def _column(reading: Reading, node: exp.Column) -> Expr:
    compiled = compiler_of(node)(reading.compiler, node)
    found = reading.statement.resolved(compiled, reading.scope)
    if reading.grouped is not None and isinstance(found, Fragment):
        found = reading.queries.dependent(reading, found)
    reading.require_grouped(found)
    return found
