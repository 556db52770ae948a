"""Functions that return sets: in FROM, and those that stand in a select list."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from sqlglot import exp

from rocklake_server.adhoc.emission import Emitter
from rocklake_server.adhoc.fragments import Fragment, reads, uniform_scale
from rocklake_server.adhoc.reading import Reading
from rocklake_server.adhoc.reading import reads as reads_nodes
from rocklake_server.adhoc.statement import Column
from rocklake_server.errors import InvalidParameterValue, UndefinedFunction, Unsupported
from rocklake_server.pgformat.datetimes import MICROS_PER_DAY
from rocklake_server.pgformat.zones import Zone, session_zone
from rocklake_server.plan.applications import Strict
from rocklake_server.plan.calls import call_name
from rocklake_server.plan.casts import implicit
from rocklake_server.plan.dispatch import label, only
from rocklake_server.plan.expressions import Expr
from rocklake_server.plan.lowering.query import Output
from rocklake_server.plan.moments import Interval, add_on_clock, infinite
from rocklake_server.plan.overloads import undefined_function, unknown_function
from rocklake_server.plan.set_functions import SERIES_ROWS_MAX, SET_FUNCTIONS, SetCall
from rocklake_server.plan.type_rules import INTEGERS, wider
from rocklake_server.schema.types import (
    BIGINT,
    DATE,
    INTEGER,
    INTERVAL,
    TIMESTAMP,
    TIMESTAMPTZ,
    UNKNOWN,
    ColumnType,
    Form,
    Value,
    array_of,
)


@dataclass(frozen=True, slots=True)
class TableFunction:
    """``text`` is a query whose columns are c0, c1, …; ``scalar``: one column, which takes the item's alias
    unless it is ``named``."""

    name: str
    text: str
    columns: tuple[Column, ...]
    scalar: bool = True
    named: bool = False


def table_function(reading: Reading, node: exp.Expr, *, with_ordinality: bool) -> TableFunction:
    """A function in FROM. Raises UndefinedFunction, Unsupported."""
    if isinstance(node, exp.ExplodingGenerateSeries | exp.GenerateSeries):
        made = _series(reading, node, with_ordinality=with_ordinality)
    elif isinstance(node, exp.Unnest | exp.Explode):
        made = _unnest(reading, node, with_ordinality=with_ordinality)
    elif isinstance(node, exp.Anonymous):
        made = _elements(reading, node, with_ordinality=with_ordinality)
    elif isinstance(node, exp.Func):
        raise UndefinedFunction(f"function {type(node).sql_names()[0].lower()} does not exist in FROM")
    else:
        raise Unsupported(f"{label(node)} in FROM is not supported")
    return made


def _numbered(name: str, inner: str, column: Column, *, with_ordinality: bool) -> TableFunction:
    if not with_ordinality:
        return TableFunction(name, inner, (column,))
    text = f"SELECT s.c0 AS c0, row_number() OVER () AS c1 FROM ({inner}) AS s"
    return TableFunction(name, text, (column, Column(Output("ordinality", BIGINT))))


def _parallel(name: str, columns: tuple[Column, ...], texts: Sequence[str], *,
              with_ordinality: bool) -> TableFunction:
    """Arrays side by side."""
    listed = ", ".join(f"unnest({text}) AS c{position}" for position, text in enumerate(texts))
    if not with_ordinality:
        return TableFunction(name, f"SELECT {listed}", columns, scalar=False)
    names = ", ".join(f"s.c{position} AS c{position}" for position in range(len(texts)))
    text = f"SELECT {names}, row_number() OVER () AS c{len(texts)} FROM (SELECT {listed}) AS s"
    return TableFunction(name, text, (*columns, Column(Output("ordinality", BIGINT))), scalar=False)


@dataclass(frozen=True, slots=True)
class Series:
    """generate_series as a list. ``call`` are its arguments as the engine takes them, where it makes the list."""

    kind: ColumnType
    listed: str
    reads: frozenset[int]
    call: str = ""


def _series_of(out: Emitter, kind: ColumnType, typed: list[Expr]) -> Series:
    call = ", ".join(map(out.sql, typed))
    return Series(kind, f"generate_series({call})", reads_of(typed), call)


def _on_clock(out: Emitter, zone: Zone, typed: list[Expr]) -> Series:
    """Days and months are those of the session's calendar."""
    def moments(start: int, stop: int, step: Interval) -> Value:
        forward = sum(part * weight for part, weight in zip(step, _STEP_WEIGHTS, strict=True)) > 0
        found: list[int] = []
        while not infinite(start) and (start <= stop if forward else start >= stop):
            if len(found) == SERIES_ROWS_MAX:
                raise Unsupported(f"generate_series() of more than {SERIES_ROWS_MAX} rows is not supported here")
            found.append(start)
            start = add_on_clock(zone, start, step)
        return tuple(found)

    given = tuple(Fragment(node.type, -1, sql=out.sql(node), scope_number=-1, reads=reads(node)) for node in typed)
    return Series(TIMESTAMPTZ, out.function(Strict(array_of(TIMESTAMPTZ), moments, given)), reads_of(typed))


_STEP_WEIGHTS = (30 * MICROS_PER_DAY, MICROS_PER_DAY, 1)


def _no_zero(value: Value) -> Value:
    if value == 0 or value == (0, 0, 0):
        raise InvalidParameterValue("step size cannot equal zero")
    return value


def series(reading: Reading, node: exp.Expr) -> Series:
    """The arguments of generate_series. Raises UndefinedFunction, Unsupported."""
    only(node, "start", "end", "step", "is_end_exclusive")
    nodes = [node.args[name] for name in ("start", "end", "step") if node.args.get(name) is not None]
    arguments = [reading.expression(part) for part in nodes]
    kinds = [argument.type for argument in arguments]
    out = reading.statement.out
    if len(arguments) == 3 and INTERVAL.oid in (kinds[2].oid, UNKNOWN.oid):
        moments = {kind.oid for kind in kinds[:2]} - {UNKNOWN.oid}
        if moments and moments <= {TIMESTAMP.oid, TIMESTAMPTZ.oid, DATE.oid}:
            kind = TIMESTAMP if moments == {TIMESTAMP.oid} else TIMESTAMPTZ
            typed = [implicit(arguments[0], kind), implicit(arguments[1], kind),
                     Strict(INTERVAL, _no_zero, (implicit(arguments[2], INTERVAL),))]
            zone = session_zone() if kind is TIMESTAMPTZ else None
            return _series_of(out, kind, typed) if zone is None else _on_clock(out, zone, typed)
    chosen: ColumnType | None = INTEGER
    for kind in kinds:
        if kind.oid != UNKNOWN.oid and chosen is not None:
            chosen = wider(chosen, kind)
    if chosen is None or chosen.oid not in INTEGERS:
        if chosen is not None and chosen.form is Form.NUMERIC:
            raise Unsupported("generate_series over numeric is not supported")
        raise undefined_function("generate_series", arguments)
    typed = [implicit(implicit(argument, chosen), BIGINT) for argument in arguments]
    if len(typed) == 3:
        typed[2] = Strict(BIGINT, _no_zero, (typed[2],))
    return _series_of(out, chosen, typed)


def reads_of(nodes: list[Expr]) -> frozenset[int]:
    return frozenset(number for node in nodes for number in reads(node))


def _series(reading: Reading, node: exp.Expr, *, with_ordinality: bool) -> TableFunction:
    made = series(reading, node)
    value = f"CAST(g.v AS {_narrow(made.kind)})" if made.kind.form is Form.INT else "g.v"
    source = f"generate_series({made.call}) AS g(v)" if made.call else f"(SELECT unnest({made.listed}) AS v) AS g"
    inner = f"SELECT {value} AS c0 FROM {source}"
    return _numbered("generate_series", inner, Column(Output("generate_series", made.kind)),
                     with_ordinality=with_ordinality)


def _narrow(kind: ColumnType) -> str:
    return "INTEGER" if kind.oid == INTEGER.oid else "BIGINT"


def _array(reading: Reading, node: exp.Expr) -> Expr:
    array = reading.expression(node)
    if array.type.element is None:
        raise undefined_function("unnest", [array])
    return array


def _unnest(reading: Reading, node: exp.Expr, *, with_ordinality: bool) -> TableFunction:
    nodes = node.expressions if isinstance(node, exp.Unnest) else [node.this, *node.expressions]
    arrays = [_array(reading, part) for part in nodes]
    out = reading.statement.out
    columns = tuple(Column(Output("unnest", array.type.element), uniform_scale(array))
                    for array in arrays if array.type.element is not None)
    texts = [out.sql(array) for array in arrays]
    if len(texts) == 1:
        return _numbered("unnest", f"SELECT unnest({texts[0]}) AS c0", columns[0], with_ordinality=with_ordinality)
    return _parallel("unnest", columns, texts, with_ordinality=with_ordinality)


def _own_call(reading: Reading, node: exp.Anonymous) -> SetCall:
    """What a function of the plan's own returns. Raises UndefinedFunction."""
    name = call_name(node)
    arguments = [reading.expression(argument) for argument in node.expressions]
    if name not in SET_FUNCTIONS:
        raise unknown_function(name, arguments)
    return SET_FUNCTIONS[name](arguments)


def _elements(reading: Reading, node: exp.Anonymous, *, with_ordinality: bool) -> TableFunction:
    name, made = call_name(node), _own_call(reading, node)
    columns = tuple(Column(Output(shown, kind)) for shown, kind in made.columns)
    texts = [reading.statement.out.sql(array) for array in made.arrays]
    if not made.is_scalar:
        return _parallel(name, columns, texts, with_ordinality=with_ordinality)
    found = _numbered(name, f"SELECT unnest({texts[0]}) AS c0", columns[0], with_ordinality=with_ordinality)
    return replace(found, named=made.named)


# -- in a select list -------------------------------------------------------------------------------------------------


def _set(reading: Reading, make: Callable[[], Fragment]) -> Fragment:
    if not reading.sets:
        raise Unsupported(f"set-returning functions are not supported in {reading.clause}")
    return make()


@reads_nodes(exp.ExplodingGenerateSeries, exp.GenerateSeries)
def _series_in_list(reading: Reading, node: exp.Expr) -> Expr:
    def make() -> Fragment:
        made = series(reading, node)
        text = f"unnest({made.listed})"
        if made.kind.form is Form.INT:
            text = f"CAST({text} AS {_narrow(made.kind)})"
        return Fragment(made.kind, -1, "", sql=text, scope_number=-1, reads=made.reads)

    return _set(reading, make)


@reads_nodes(exp.Explode, exp.Unnest)
def _unnest_in_list(reading: Reading, node: exp.Expr) -> Expr:
    def make() -> Fragment:
        nodes = node.expressions if isinstance(node, exp.Unnest) else [node.this, *node.expressions]
        if len(nodes) != 1:
            raise Unsupported("unnest of several arrays is supported in FROM only")
        return _unnested(reading, _array(reading, nodes[0]))

    return _set(reading, make)


def named_set(reading: Reading, node: exp.Anonymous) -> Expr | None:
    """A set-returning function that the parser has no node for."""
    if call_name(node) not in SET_FUNCTIONS:
        return None

    def make() -> Fragment:
        arrays = _own_call(reading, node).arrays
        if len(arrays) != 1:
            raise Unsupported(f"{call_name(node)}() is supported in FROM only")
        return _unnested(reading, arrays[0])

    return _set(reading, make)


def _unnested(reading: Reading, array: Expr) -> Fragment:
    assert array.type.element is not None
    return Fragment(array.type.element, -1, "", sql=f"unnest({reading.statement.out.sql(array)})", scope_number=-1,
                    scale=uniform_scale(array), reads=reads(array))
