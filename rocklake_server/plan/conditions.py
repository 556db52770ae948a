"""Boolean nodes with SQL's three-valued logic, CASE, and the node forms that bounds and zones look into."""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass, field

from rocklake_server.catalog.view import Row
from rocklake_server.errors import CatalogError
from rocklake_server.plan.applications import Strict
from rocklake_server.plan.expressions import ColumnRef, Env, Expr, Getter, Slot
from rocklake_server.schema.types import BOOLEAN, UNKNOWN, ColumnType, Value


@dataclass(frozen=True, slots=True)
class And(Expr):
    type: ColumnType = BOOLEAN
    operands: tuple[Expr, ...] = ()

    @property
    def children(self) -> tuple[Expr, ...]:
        return self.operands

    def getter(self, env: Env) -> Getter:
        bound = [operand.bind(env) for operand in self.operands]

        def conjunction(row: Row) -> Value:
            unknown = False
            for operand in bound:
                value = operand(row)
                if value is False:
                    return False
                unknown = unknown or value is None
            return None if unknown else True

        return conjunction


@dataclass(frozen=True, slots=True)
class Or(Expr):
    type: ColumnType = BOOLEAN
    operands: tuple[Expr, ...] = ()

    @property
    def children(self) -> tuple[Expr, ...]:
        return self.operands

    def getter(self, env: Env) -> Getter:
        bound = [operand.bind(env) for operand in self.operands]

        def disjunction(row: Row) -> Value:
            unknown = False
            for operand in bound:
                value = operand(row)
                if value is True:
                    return True
                unknown = unknown or value is None
            return None if unknown else False

        return disjunction


@dataclass(frozen=True, slots=True)
class Not(Strict):
    """NOT of a boolean."""

    function: Callable[..., Value] = field(default=operator.not_)


@dataclass(frozen=True, slots=True)
class IsNull(Expr):
    type: ColumnType = BOOLEAN
    operand: Expr = field(default_factory=lambda: Expr(BOOLEAN))
    negated: bool = False

    @property
    def children(self) -> tuple[Expr, ...]:
        return (self.operand,)

    def getter(self, env: Env) -> Getter:
        operand, negated = self.operand.bind(env), self.negated
        return lambda row: (operand(row) is None) is not negated


@dataclass(frozen=True, slots=True)
class IsTruth(Expr):
    """``operand IS [NOT] TRUE`` or ``FALSE``, which is never unknown."""

    type: ColumnType = BOOLEAN
    operand: Expr = field(default_factory=lambda: Expr(BOOLEAN))
    wanted: bool = True
    negated: bool = False

    @property
    def children(self) -> tuple[Expr, ...]:
        return (self.operand,)

    def getter(self, env: Env) -> Getter:
        operand, wanted, negated = self.operand.bind(env), self.wanted, self.negated
        return lambda row: (operand(row) is wanted) is not negated


@dataclass(frozen=True, slots=True)
class Compare(Expr):
    """``left operator right``. ``test`` compares the values after ``left_key`` and ``right_key`` (``None``: as they
    are); ``plain`` tells that Python's order of the raw values is SQL's."""

    type: ColumnType = BOOLEAN
    operator: str = "="
    left: Expr = field(default_factory=lambda: Expr(BOOLEAN))
    right: Expr = field(default_factory=lambda: Expr(BOOLEAN))
    test: Callable[[Value, Value], Value] = field(default=lambda _left, _right: None)
    left_key: Callable[[Value], Value] | None = None
    right_key: Callable[[Value], Value] | None = None
    plain: bool = True

    @property
    def children(self) -> tuple[Expr, ...]:
        return (self.left, self.right)

    def getter(self, env: Env) -> Getter:
        left, right, test = _keyed(self.left, self.left_key, env), _keyed(self.right, self.right_key, env), self.test
        if self.right.constant:
            fixed = right(())
            if fixed is None:
                return lambda _row: None
            if isinstance(self.left, ColumnRef) and self.left_key is None:
                index = self.left.index
                return lambda row: None if (value := row[index]) is None else test(value, fixed)
            return lambda row: None if (value := left(row)) is None else test(value, fixed)

        def compare(row: Row) -> Value:
            first = left(row)
            if first is None:
                return None
            second = right(row)
            return None if second is None else test(first, second)

        return compare


@dataclass(frozen=True, slots=True)
class InList(Expr):
    """``operand IN (items)`` over constant items of the operand's own plainly ordered type."""

    type: ColumnType = BOOLEAN
    operand: Expr = field(default_factory=lambda: Expr(BOOLEAN))
    items: tuple[Expr, ...] = ()

    @property
    def children(self) -> tuple[Expr, ...]:
        return (self.operand, *self.items)

    def members(self, env: Env) -> frozenset[Value]:
        return frozenset(item.value(env) for item in self.items)

    def getter(self, env: Env) -> Getter:
        operand, members = self.operand.bind(env), self.members(env)
        absent = None if None in members else False

        def member(row: Row) -> Value:
            value = operand(row)
            if value is None:
                return None
            return True if value in members else absent

        return member


@dataclass(frozen=True, slots=True)
class Distinctness(Expr):
    """``left IS [NOT] DISTINCT FROM right``; ``equality`` compares values that are not NULL."""

    type: ColumnType = BOOLEAN
    left: Expr = field(default_factory=lambda: Expr(BOOLEAN))
    right: Expr = field(default_factory=lambda: Expr(BOOLEAN))
    equality: Expr = field(default_factory=lambda: Expr(BOOLEAN))
    distinct: bool = True

    @property
    def children(self) -> tuple[Expr, ...]:
        return (self.left, self.right, self.equality)

    def getter(self, env: Env) -> Getter:
        left, right = self.left.bind(env), self.right.bind(env)
        equal, distinct = self.equality.bind(env), self.distinct

        def compare(row: Row) -> Value:
            first, second = left(row), right(row)
            same = first is second if first is None or second is None else equal(row) is True
            return same is not distinct

        return compare


def _keyed(node: Expr, key: Callable[[Value], Value] | None, env: Env) -> Getter:
    bound = node.bind(env)
    if key is None:
        return bound
    return lambda row: None if (value := bound(row)) is None else key(value)


def _is_untyped(node: Expr) -> bool:
    return isinstance(node, Slot) and node.type.oid == UNKNOWN.oid


def _guarded(node: Expr, env: Env) -> Getter:
    """Bind a branch that may never run: its constants' errors wait until it does, those of untyped literals do not."""
    if isinstance(node, Strict) and all(_is_untyped(part) for part in node.arguments):
        return node.bind(env)
    try:
        return node.bind(env)
    except CatalogError as error:
        problem = error

        def fail(_row: Row) -> Value:
            raise problem

        return fail


@dataclass(frozen=True, slots=True)
class CaseWhen(Expr):
    """CASE: pairs of a boolean condition and a value, then the default."""

    branches: tuple[tuple[Expr, Expr], ...] = ()
    default: Expr | None = None

    @property
    def children(self) -> tuple[Expr, ...]:
        pairs = tuple(part for branch in self.branches for part in branch)
        return pairs if self.default is None else (*pairs, self.default)

    def getter(self, env: Env) -> Getter:
        bound = [(_guarded(condition, env), _guarded(value, env)) for condition, value in self.branches]
        default = None if self.default is None else _guarded(self.default, env)

        def case(row: Row) -> Value:
            for condition, value in bound:
                if condition(row) is True:
                    return value(row)
            return None if default is None else default(row)

        return case


@dataclass(frozen=True, slots=True)
class CoalesceOf(Expr):
    operands: tuple[Expr, ...] = ()

    @property
    def children(self) -> tuple[Expr, ...]:
        return self.operands

    def getter(self, env: Env) -> Getter:
        bound = [_guarded(operand, env) for operand in self.operands]

        def coalesce(row: Row) -> Value:
            for operand in bound:
                value = operand(row)
                if value is not None:
                    return value
            return None

        return coalesce


def conjuncts(node: Expr | None) -> list[Expr]:
    """The parts of a condition that must all be true."""
    if node is None:
        return []
    if isinstance(node, And):
        return [part for operand in node.operands for part in conjuncts(operand)]
    return [node]
