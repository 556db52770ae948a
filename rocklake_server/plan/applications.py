"""Nodes that apply a Python function to argument nodes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import cast

from rocklake_server.catalog.view import Row
from rocklake_server.pacing import in_slices
from rocklake_server.plan.expressions import Env, Expr, Getter, Prepared
from rocklake_server.schema.types import Value


@dataclass(frozen=True, slots=True)
class Application(Expr):
    """A Python function and its arguments; each kind says when it is called."""

    function: Callable[..., Value] = field(default=lambda: None)
    arguments: tuple[Expr, ...] = ()

    @property
    def children(self) -> tuple[Expr, ...]:
        return self.arguments


@dataclass(frozen=True, slots=True)
class Strict(Application):
    """A function that is NULL when any argument is NULL."""

    def getter(self, env: Env) -> Getter:
        function = self.function
        bound = [argument.bind(env) for argument in self.arguments]
        if len(bound) == 1:
            only = bound[0]

            def unary(row: Row) -> Value:
                value = only(row)
                return None if value is None else function(value)

            return unary
        if len(bound) == 2:
            first, second = bound

            def binary(row: Row) -> Value:
                left = first(row)
                if left is None:
                    return None
                right = second(row)
                return None if right is None else function(left, right)

            return binary

        def many(row: Row) -> Value:
            values = [argument(row) for argument in bound]
            return None if any(value is None for value in values) else function(*values)

        return many

    def value(self, env: Env) -> Value:
        if len(self.arguments) != 1:
            return self.getter(env)(())
        value = self.arguments[0].value(env)
        return None if value is None else self.function(value)


@dataclass(frozen=True, slots=True)
class Lengthy(Strict):
    """A Strict that takes the longer, the longer its arguments are. A constant one is computed in slices, before
    expressions bind."""

    correlated: bool = field(default=False, init=False)

    @property
    def subqueries(self) -> tuple[Prepared, ...]:
        inner = tuple(subquery for child in self.children for subquery in child.subqueries)
        return (*inner, self) if self.constant else inner

    async def prepare(self, env: Env) -> None:
        env.results[id(self)] = await in_slices(partial(Strict.value, self, env))

    def value(self, env: Env) -> Value:
        known = env.results.get(id(self), self)
        return Strict.value(self, env) if known is self else cast("Value", known)


@dataclass(frozen=True, slots=True)
class Lenient(Application):
    """A function that sees NULL arguments."""

    def getter(self, env: Env) -> Getter:
        function = self.function
        bound = [argument.bind(env) for argument in self.arguments]
        return lambda row: function(*[argument(row) for argument in bound])


@dataclass(frozen=True, slots=True)
class Contextual(Application):
    """A function of the execution: session facts, settings, the transaction's relations. NULL arguments reach it."""

    @property
    def static(self) -> bool:
        return False

    def getter(self, env: Env) -> Getter:
        function, context = self.function, env.need()
        bound = [argument.bind(env) for argument in self.arguments]
        return lambda row: function(context, *[argument(row) for argument in bound])


@dataclass(frozen=True, slots=True)
class Volatile(Contextual):
    """A Contextual that does something, or answers differently each time: it is called for every row."""

    @property
    def constant(self) -> bool:
        return False


@dataclass(frozen=True, slots=True)
class Waiting(Volatile):
    """A Volatile that may wait (see ``pacing.waited``)."""

    def getter(self, env: Env) -> Getter:
        env.waits = True
        return Volatile.getter(self, env)
