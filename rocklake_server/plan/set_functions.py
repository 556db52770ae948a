"""Functions that return a set of rows: in FROM, where they may read the items before them, and as an item of SELECT.

They are here for what asks the catalogs. Beside rows of a lake, and for long series, the embedded engine has them.

Source: PostgreSQL manual, Set Returning Functions and Table Functions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias, cast, overload

from rocklake_server.catalog.view import Row
from rocklake_server.errors import InvalidParameterValue, Unsupported
from rocklake_server.pacing import checked
from rocklake_server.plan.applications import Lenient, Strict, Volatile
from rocklake_server.plan.casts import implicit
from rocklake_server.plan.expressions import Constant, Env, Expr, Getter, Parameter, Slot
from rocklake_server.plan.model import Context
from rocklake_server.plan.operators import WORK_AT_ONCE_MAX, Operator, Rows, bind_all, held, prepare
from rocklake_server.plan.overloads import undefined_function
from rocklake_server.plan.system.keywords import KEYWORDS
from rocklake_server.plan.type_rules import INTEGERS
from rocklake_server.schema.types import (
    BIGINT,
    BOOLEAN,
    CHAR,
    INTEGER,
    NAME,
    REGCLASS,
    TEXT,
    VECTORS,
    ColumnType,
    Value,
    array_of,
)

SERIES_ROWS_MAX = 65_536
"""Longer series are left to the embedded engine, which gives their rows as they are taken."""

Columns: TypeAlias = tuple[tuple[str, ColumnType], ...]


Expand: TypeAlias = Callable[[Any], Sequence[Row]]


def _as_it_is(rows: Any) -> Sequence[Row]:
    return cast("Sequence[Row]", rows)


def elements(values: Any) -> Sequence[Row]:
    """The rows of a call whose argument is the array of its one column's values."""
    return [(value,) for value in values]


class _Numbers(Sequence[Row]):
    """The numbers of a range as rows, made when they are asked for."""

    def __init__(self, numbers: range) -> None:
        self._numbers = numbers

    def __len__(self) -> int:
        return len(self._numbers)

    @overload
    def __getitem__(self, index: int) -> Row: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Row]: ...
    def __getitem__(self, index: int | slice) -> Row | Sequence[Row]:
        found = self._numbers[index]
        return (found,) if isinstance(found, int) else [(number,) for number in found]


@dataclass(frozen=True, slots=True)
class SetCall:
    """A call: ``expand`` makes rows of the value of ``argument``, unless that is NULL; ``columns`` are named as
    PostgreSQL names them where no alias does."""

    argument: Expr
    columns: Columns
    expand: Expand = _as_it_is
    named: bool = False
    """The one column has a name of its own, which an alias of the function leaves alone."""

    @property
    def is_scalar(self) -> bool:
        """Whether a row is the value of its one column: an alias of the function means that, too."""
        return len(self.columns) == 1

    @property
    def arrays(self) -> tuple[Expr, ...]:
        """The columns as arrays. Raises Unsupported where they are not made from rows."""
        if self.expand is elements:
            return (self.argument,)
        if self.expand is not _as_it_is:
            raise Unsupported(f"{self.columns[0][0]}() is not supported here")
        return tuple(
            Strict(array_of(kind), lambda rows, place=place: tuple(row[place] for row in rows), (self.argument,))
            for place, (_name, kind) in enumerate(self.columns)
        )


def names_its_bounds(arguments: Sequence[Expr]) -> bool:
    """Whether a series is between values that the statement names, and not read from a row."""
    return all(isinstance(argument, Constant | Slot | Parameter) for argument in arguments)


def series(arguments: Sequence[Expr], rows_max: int = SERIES_ROWS_MAX) -> SetCall:
    if not 2 <= len(arguments) <= 3:
        raise undefined_function("generate_series", arguments)
    if any(argument.type.oid not in INTEGERS for argument in arguments):
        raise Unsupported("generate_series over other types than integers is not supported here")
    kind = BIGINT if any(argument.type.oid == BIGINT.oid for argument in arguments) else INTEGER
    typed = tuple(implicit(argument, kind) for argument in arguments)

    def bounds(start: int, stop: int, step: int = 1) -> Value:
        if step == 0:
            raise InvalidParameterValue("step size cannot equal zero")
        if (stop - start) // step >= rows_max:
            raise Unsupported(f"generate_series() of more than {rows_max} rows is not supported here")
        return start, stop + (1 if step > 0 else -1), step

    return SetCall(Strict(array_of(kind), bounds, typed), (("generate_series", kind),),
                   lambda found: _Numbers(range(*found)))


def _unnest(arguments: Sequence[Expr]) -> SetCall:
    if not arguments or any(argument.type.element is None for argument in arguments):
        raise undefined_function("unnest", arguments)
    columns = tuple(("unnest", argument.type.element) for argument in arguments if argument.type.element)

    def unnest(*arrays: tuple[Value, ...] | None) -> Value:
        longest = max((len(array) for array in arrays if array is not None), default=0)
        return tuple(
            tuple(array[place] if array is not None and place < len(array) else None for array in arrays)
            for place in range(longest)
        )

    return SetCall(Lenient(columns[0][1], unnest, tuple(arguments)), columns)


def _string_to_table(arguments: Sequence[Expr]) -> SetCall:
    if len(arguments) != 2:
        raise undefined_function("string_to_table", arguments)
    typed = tuple(implicit(argument, TEXT) for argument in arguments)

    def split(text: str | None, separator: str | None) -> Value:
        if not text:
            return ()
        parts = list(text) if separator is None else text.split(separator) if separator else [text]
        return tuple(parts)

    return SetCall(Lenient(array_of(TEXT), split, typed), (("string_to_table", TEXT),), elements)


def _subscripts(arguments: Sequence[Expr]) -> SetCall:
    """Those of an array's first dimension; there is no other."""
    if len(arguments) not in (2, 3) or arguments[0].type.element is None:
        raise undefined_function("generate_subscripts", arguments)
    first = 0 if arguments[0].type in VECTORS else 1
    kinds = (arguments[0].type, INTEGER, BOOLEAN)
    typed = tuple(implicit(argument, kind) for argument, kind in zip(arguments, kinds, strict=False))

    def subscripts(values: tuple[Value, ...], dimension: int, reverse: bool = False) -> Value:
        if dimension != 1:
            return ()
        found = tuple(range(first, first + len(values)))
        return found[::-1] if reverse else found

    return SetCall(Strict(array_of(INTEGER), subscripts, typed), (("generate_subscripts", INTEGER),), elements)


_KEYWORD_COLUMNS: Columns = (
    ("word", TEXT), ("catcode", CHAR), ("barelabel", BOOLEAN), ("catdesc", TEXT), ("baredesc", TEXT),
)


def _keywords(arguments: Sequence[Expr]) -> SetCall:
    if arguments:
        raise undefined_function("pg_get_keywords", arguments)
    return SetCall(Constant(array_of(TEXT), KEYWORDS), _KEYWORD_COLUMNS)


def _nothing(name: str, taken: int, *columns: tuple[str, ColumnType]) -> Callable[[Sequence[Expr]], SetCall]:
    """A function of ``taken`` arguments about what no lake has."""
    def call(arguments: Sequence[Expr]) -> SetCall:
        if len(arguments) != taken:
            raise undefined_function(name, arguments)
        return SetCall(Constant(array_of(TEXT), ()), columns)

    return call


def _channels(arguments: Sequence[Expr]) -> SetCall:
    if arguments:
        raise undefined_function("pg_listening_channels", arguments)

    def channels(context: Context) -> Value:
        return () if context.live is None else tuple((channel,) for channel in context.live.channels())

    return SetCall(Volatile(array_of(TEXT), channels), (("pg_listening_channels", TEXT),))


SET_FUNCTIONS: dict[str, Callable[[Sequence[Expr]], SetCall]] = {
    "pg_listening_channels": _channels,
    "generate_series": series,
    "generate_subscripts": _subscripts,
    "unnest": _unnest,
    "string_to_table": _string_to_table,
    "pg_get_keywords": _keywords,
    "pg_partition_tree": _nothing(
        "pg_partition_tree", 1,
        ("relid", REGCLASS), ("parentrelid", REGCLASS), ("isleaf", BOOLEAN), ("level", INTEGER)),
    "pg_partition_ancestors": _nothing("pg_partition_ancestors", 1, ("relid", REGCLASS)),
    "pg_available_extensions": _nothing(
        "pg_available_extensions", 0, ("name", NAME), ("default_version", TEXT), ("comment", TEXT)),
}


def scalar_call(name: str, value: Expr) -> SetCall:
    """A function that returns one value, in FROM: one row of it."""
    def one(found: Value) -> Value:
        return ((found,),)

    return SetCall(Lenient(value.type, one, (value,)), ((name, value.type),))


@dataclass(frozen=True, slots=True)
class FunctionScan:
    """The rows of a call; ``ordinality`` counts them in a column after its own."""

    call: SetCall
    ordinality: bool = False

    async def open(self, env: Env) -> Rows:
        await prepare((self.call.argument,), env)
        env.reads(WORK_AT_ONCE_MAX + 1)  # how many rows a call has is not known before
        found = self.call.argument.bind(env)
        return lambda: self._rows(found)

    def _rows(self, found: Getter) -> Iterator[Row]:
        argument = found(())
        if argument is None:
            return
        for number, row in enumerate(checked(self.call.expand(argument)), 1):
            yield (*row, number) if self.ordinality else row


@dataclass(frozen=True, slots=True)
class LateralJoin:
    """A join whose right side reads the left side's row, as the current row of scope ``scope_number``. ``kind`` is
    inner or left."""

    left: Operator
    right: Operator
    kind: str
    right_width: int
    scope_number: int
    conditions: tuple[Expr, ...] = ()

    async def open(self, env: Env) -> Rows:
        await prepare(self.conditions, env)
        left, right = await self.left.open(env), await self.right.open(env)
        keeps = bind_all(self.conditions, env)
        cell = env.cell(self.scope_number)
        nothing = (None,) * self.right_width

        def rows() -> Iterator[Row]:
            for row in left():
                saved, cell[0] = cell[0], row
                try:
                    joined = [row + found for found in held(right())]
                finally:
                    cell[0] = saved
                kept = joined if keeps is None else [each for each in joined if keeps(each)]
                yield from kept
                if not kept and self.kind == "left":
                    yield row + nothing

        return rows


@dataclass(frozen=True, slots=True)
class ProjectSet:
    """SELECT with calls that return sets among its items: as many rows as the longest of them has, the others NULL
    where they have ended. ``expansions`` has what makes rows of the items that are calls."""

    source: Operator
    expressions: tuple[Expr, ...]
    expansions: tuple[Expand | None, ...]

    async def open(self, env: Env) -> Rows:
        await prepare(self.expressions, env)
        source = await self.source.open(env)
        bound = [expression.bind(env) for expression in self.expressions]
        return lambda: (made for row in source() for made in self._rows([each(row) for each in bound]))

    def _rows(self, values: list[Value]) -> Iterator[Row]:
        columns = [
            value if expand is None else [row[0] for row in checked(expand(value))] if value is not None else []
            for value, expand in zip(values, self.expansions, strict=True)
        ]
        sets = [column for column in columns if isinstance(column, list)]
        for place in range(max(map(len, sets))):
            yield tuple([
                (column[place] if place < len(column) else None) if isinstance(column, list) else column
                for column in columns
            ])
