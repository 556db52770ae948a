"""The joined items of one FROM, and the conditions that move down to the item they are about."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from rocklake_server.plan.expressions import Expr
from rocklake_server.plan.joins import join
from rocklake_server.plan.operators import Filter, OneRow, Operator, Scan, SystemScan
from rocklake_server.plan.rewriting import has_correlation, references, shift
from rocklake_server.plan.scope import Scope
from rocklake_server.plan.set_functions import LateralJoin


@dataclass(slots=True)
class Item:
    """One FROM item; ``optional``: a join may fill it with NULLs, so WHERE may not move below it;
    ``lateral``: it reads the items before it."""

    operator: Operator
    start: int
    width: int
    optional: bool = False
    lateral: bool = False
    conditions: list[Expr] = field(default_factory=list)

    def filtered(self) -> Operator:
        moved = tuple(shift(condition, -self.start) for condition in self.conditions)
        if not moved:
            return self.operator
        if isinstance(self.operator, Scan | SystemScan):
            return replace(self.operator, conditions=self.operator.conditions + moved)
        return Filter(self.operator, moved)


@dataclass(slots=True)
class Step:
    """How the item at the same position joins those before it."""

    kind: str
    conditions: list[Expr]


@dataclass(slots=True)
class FromTree:
    """The joined items of one query."""

    scope: Scope
    items: list[Item] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)

    def operator(self, where: list[Expr]) -> Operator:
        """The rows of the whole FROM that meet ``where``."""
        if not self.items:
            return Filter(OneRow(), tuple(where)) if where else OneRow()
        rest = self._move_down(where)
        tree: Operator = self.items[0].filtered()
        width = self.items[0].width
        for item, step in zip(self.items[1:], self.steps[1:], strict=True):
            if item.lateral:
                conditions = tuple(step.conditions)
                tree = LateralJoin(tree, item.filtered(), step.kind, item.width, self.scope.number, conditions)
            else:
                tree = join(tree, item.filtered(), step.kind, width, item.width, step.conditions)
            width += item.width
        return Filter(tree, tuple(rest)) if rest else tree

    def _move_down(self, where: list[Expr]) -> list[Expr]:
        inner = all(step.kind == "inner" for step in self.steps)
        pool = list(where)
        if inner:
            for step in self.steps:
                pool.extend(step.conditions)
                step.conditions = []
        rest: list[Expr] = []
        for condition in pool:
            place = self._place(condition, inner)
            if place is None:
                rest.append(condition)
            else:
                place.append(condition)
        return rest

    def _place(self, condition: Expr, inner: bool) -> list[Expr] | None:
        """Where a condition can be checked first."""
        if len(self.items) == 1:
            return self.items[0].conditions
        if has_correlation(condition):
            return None
        columns = references(condition)
        if not columns:
            return self.items[0].conditions if inner else None
        read = {self._item_of(column) for column in columns}
        if any(self.items[number].optional for number in read):
            return None
        last = max(read)
        if len(read) == 1:
            return self.items[last].conditions
        return self.steps[last].conditions if self.steps[last].kind == "inner" else None

    def _item_of(self, column: int) -> int:
        return next(
            number for number, item in enumerate(self.items) if item.start <= column < item.start + item.width
        )
