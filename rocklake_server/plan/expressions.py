"""Expressions: typed nodes that bind to Python closures over row tuples.

A node is compiled once and bound for each execution, when the literals (slots), parameters and subquery results are
known. A bound closure takes the current row and returns a value; ``None`` is NULL, so predicates return True, False
or None. Nodes that depend on no row are folded when they are bound.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple, Protocol, TypeAlias

from rocklake_server.catalog.view import Now, Row, TransactionView
from rocklake_server.errors import InternalProblem, UndefinedParameter
from rocklake_server.schema.types import BOOLEAN, TIMESTAMPTZ, UNKNOWN, ColumnType, Value

if TYPE_CHECKING:
    from rocklake_server.plan.model import Context

Getter: TypeAlias = Callable[[Row], Value]


class Input(NamedTuple):
    """Rows of a system relation, and how they were found in the transaction's view."""

    read: Callable[[TransactionView], Sequence[Row]]
    rows: Sequence[Row]


@dataclass(slots=True, eq=False)
class Env:
    """One execution: the statement's literals, and what subqueries and enclosing rows are at the moment.

    ``slots`` are the decoded literals of the statement's text: str for strings, int or Decimal for numbers.
    ``outer`` holds, per scope number, the enclosing query's current row in a one-element list. ``given`` are rows that
    were read from the statement's text. ``waits``: a function in it may wait. ``inputs`` notes what system relations
    held, as long as the execution asks its context for nothing else.
    """

    slots: Sequence[Value]
    context: Context | None = None
    results: dict[int, object] = field(default_factory=dict)
    outer: dict[int, list[Row]] = field(default_factory=dict)
    given: Sequence[Row] = ()
    work: int = 1
    waits: bool = False
    inputs: list[Input] | None = None

    def reads(self, rows: int) -> None:
        """One more source of so many rows: ``work`` bounds the rows that all of them together can be combined to."""
        self.work *= max(rows, 1)

    def need(self) -> Context:
        self.inputs = None
        return self._context()

    def input(self, read: Callable[[TransactionView], Sequence[Row]]) -> Sequence[Row]:
        """Rows of a system relation."""
        rows = read(self._context().view)
        if self.inputs is not None:
            self.inputs.append(Input(read, rows))
        return rows

    def _context(self) -> Context:
        if self.context is None:
            raise InternalProblem("an expression was bound without an execution")
        return self.context

    def cell(self, scope_number: int) -> list[Row]:
        return self.outer.setdefault(scope_number, [()])


class Prepared(Protocol):
    """A subquery inside an expression, which runs (or opens) before the expression binds."""

    async def prepare(self, env: Env) -> None: ...


class _Derived:
    """What is found out about a node at the first use, and kept: each execution asks."""

    __slots__ = ("_constant", "_subqueries")
    _constant: bool
    _subqueries: tuple[Prepared, ...]


@dataclass(frozen=True, slots=True)
class Expr(_Derived):
    """A typed node. ``constant``: its value depends on no row, neither of this query nor of an enclosing one.
    ``static``: its value needs no Context, only slots. ``subqueries`` must be prepared before it binds."""

    type: ColumnType

    @property
    def children(self) -> tuple[Expr, ...]:
        return ()

    @property
    def constant(self) -> bool:
        try:
            return self._constant
        except AttributeError:
            found = all(child.constant for child in self.children)
            object.__setattr__(self, "_constant", found)
            return found

    @property
    def static(self) -> bool:
        return all(child.static for child in self.children)

    @property
    def subqueries(self) -> tuple[Prepared, ...]:
        try:
            return self._subqueries
        except AttributeError:
            found = tuple(subquery for child in self.children for subquery in child.subqueries)
            object.__setattr__(self, "_subqueries", found)
            return found

    def getter(self, env: Env) -> Getter:
        """The closure, not folded."""
        raise NotImplementedError(type(self).__name__, env)

    def bind(self, env: Env) -> Getter:
        """The closure; a constant node is evaluated here. Raises what evaluation raises."""
        if self.constant:
            value = self.value(env)
            return lambda _row: value
        return self.getter(env)

    def value(self, env: Env) -> Value:
        """The value of a constant node."""
        return self.getter(env)(())


@dataclass(frozen=True, slots=True)
class Constant(Expr):
    content: Value = None

    @property
    def constant(self) -> bool:
        return True

    def getter(self, _env: Env) -> Getter:
        value = self.content
        return lambda _row: value

    def value(self, _env: Env) -> Value:
        return self.content


@dataclass(frozen=True, slots=True)
class Slot(Expr):
    """A literal of the statement's text, known when the plan is bound."""

    index: int = 0

    @property
    def constant(self) -> bool:
        return True

    def getter(self, env: Env) -> Getter:
        value = env.slots[self.index]
        return lambda _row: value

    def value(self, env: Env) -> Value:
        return env.slots[self.index]


class ParameterTypes:
    """The types of the client's parameters as the compiler learns them; the first use decides."""

    def __init__(self, declared: Sequence[ColumnType] = ()) -> None:
        self.found: dict[int, ColumnType] = {
            number: kind for number, kind in enumerate(declared, 1) if kind.oid not in (0, UNKNOWN.oid)
        }
        self.highest = len(declared)
        self.used: set[int] = set()

    def note(self, number: int) -> ColumnType:
        self.highest = max(self.highest, number)
        self.used.add(number)
        return self.found.get(number, UNKNOWN)

    def decide(self, number: int, kind: ColumnType) -> None:
        self.found.setdefault(number, kind.with_typmod(-1))


@dataclass(frozen=True, slots=True)
class Parameter(Expr):
    """``$n``; the session has decoded it to the type that Describe told."""

    number: int = 1
    types: ParameterTypes = field(default_factory=ParameterTypes, compare=False)

    @property
    def static(self) -> bool:
        return False

    def getter(self, env: Env) -> Getter:
        parameters = env.need().parameters
        if self.number > len(parameters):
            raise UndefinedParameter(f"there is no parameter ${self.number}")
        value = parameters[self.number - 1]
        return lambda _row: value


@dataclass(frozen=True, slots=True)
class ColumnRef(Expr):
    """A value of the current row."""

    index: int = 0
    name: str = ""
    table_oid: int = 0
    attnum: int = 0

    @property
    def constant(self) -> bool:
        return False

    def getter(self, _env: Env) -> Getter:
        index = self.index
        return lambda row: row[index]


@dataclass(frozen=True, slots=True)
class OuterRef(Expr):
    """A value of an enclosing query's current row."""

    scope_number: int = 0
    index: int = 0

    @property
    def constant(self) -> bool:
        return False

    @property
    def static(self) -> bool:
        return False

    def getter(self, env: Env) -> Getter:
        cell, index = env.cell(self.scope_number), self.index
        return lambda _row: cell[0][index]


@dataclass(frozen=True, slots=True)
class NowRef(Expr):
    """NOW(): the transaction's start, marked so that a snapshot row can take its time at commit."""

    type: ColumnType = TIMESTAMPTZ

    @property
    def static(self) -> bool:
        return False

    def getter(self, env: Env) -> Getter:
        value = self.value(env)
        return lambda _row: value

    def value(self, env: Env) -> Value:
        return Now(env.need().view.now_us)


TRUE = Constant(BOOLEAN, True)
NULL = Constant(UNKNOWN, None)
