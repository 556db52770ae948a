"""Window functions and their frames."""

from __future__ import annotations

from dataclasses import replace

from sqlglot import exp

from rocklake_server.adhoc.aggregates import called
from rocklake_server.adhoc.emission import Emitter
from rocklake_server.adhoc.fragments import Fragment, reads
from rocklake_server.adhoc.reading import Reading
from rocklake_server.adhoc.reading import reads as reads_nodes
from rocklake_server.adhoc.values import refuse_zone
from rocklake_server.errors import UndefinedObject, Unsupported, WindowingProblem
from rocklake_server.plan.casts import implicit
from rocklake_server.plan.compiler import settle
from rocklake_server.plan.dispatch import label, only
from rocklake_server.plan.expressions import Expr
from rocklake_server.plan.lowering.grouping import is_aggregate
from rocklake_server.plan.naming import identifier
from rocklake_server.plan.type_rules import common_type
from rocklake_server.schema.types import BIGINT, DOUBLE, INTEGER, INTERVAL, ColumnType, Form

_NUMBERS: dict[type[exp.Expr], tuple[str, ColumnType]] = {
    exp.RowNumber: ("row_number", BIGINT), exp.Rank: ("rank", BIGINT), exp.DenseRank: ("dense_rank", BIGINT),
    exp.PercentRank: ("percent_rank", DOUBLE), exp.CumeDist: ("cume_dist", DOUBLE),
}
_VALUES: dict[type[exp.Expr], str] = {
    exp.Lag: "lag", exp.Lead: "lead", exp.FirstValue: "first_value", exp.LastValue: "last_value",
    exp.NthValue: "nth_value",
}
_SIDES = {"PRECEDING", "FOLLOWING"}
_EXCLUSIONS = {"CURRENT ROW", "GROUP", "TIES", "NO OTHERS"}


@reads_nodes(exp.Window)
def _window(reading: Reading, node: exp.Window) -> Expr:
    if not reading.window_functions:
        raise WindowingProblem(f"window functions are not allowed in {reading.clause}")
    only(node, "this", "partition_by", "order", "spec", "alias", "over")
    inner = replace(reading, window_functions=False, sets=False)
    over, read = _over(inner, _whole(reading, node))
    function = node.this
    if isinstance(function, exp.Filter) or is_aggregate(function):
        found = called(inner, function, over)
    else:
        found = _function(inner, function, over)
    return replace(found, reads=found.reads | read)


@reads_nodes(*_NUMBERS, *_VALUES, exp.Ntile)
def _without_over(_reading: Reading, node: exp.Expr) -> Expr:
    raise WindowingProblem(f"window function {label(node).lower().replace(' ', '_')} requires an OVER clause")


def _whole(reading: Reading, node: exp.Window) -> exp.Window:
    """The window with the clauses of the one that it names."""
    name = node.args.get("alias")
    if name is None:
        return node
    base = reading.windows.get(identifier(name))
    if base is None:
        raise UndefinedObject(f'window "{identifier(name)}" does not exist')
    base = _whole(reading, base)
    if node.args.get("partition_by"):
        raise WindowingProblem(f'cannot override PARTITION BY clause of window "{identifier(name)}"')
    if node.args.get("order") and base.args.get("order"):
        raise WindowingProblem(f'cannot override ORDER BY clause of window "{identifier(name)}"')
    return exp.Window(
        this=node.this, partition_by=base.args.get("partition_by"),
        order=node.args.get("order") or base.args.get("order"), spec=node.args.get("spec") or base.args.get("spec"),
    )


def _over(inner: Reading, node: exp.Window) -> tuple[str, frozenset[int]]:
    """(`` OVER (...)``, what it reads)."""
    out = inner.statement.out
    parts: list[str] = []
    partition = [settle(inner.expression(part)) for part in node.args.get("partition_by") or ()]
    read = frozenset(number for key in partition for number in reads(key))
    if partition:
        parts.append(f"PARTITION BY {', '.join(_partition_key(out, key) for key in partition)}")
    order = node.args.get("order")
    keys: list[Expr] = []
    if order is not None:
        only(order, "expressions")

        def resolve(part: exp.Expr) -> Expr:
            keys.append(settle(inner.expression(part)))
            return keys[-1]

        parts.append(inner.queries.ordered(order.expressions, resolve).strip())
    read |= frozenset(number for key in keys for number in reads(key))
    spec = node.args.get("spec")
    if spec is not None:
        parts.append(_frame(inner, spec, keys))
    return f" OVER ({' '.join(part for part in parts if part)})", read


def _partition_key(out: Emitter, key: Expr) -> str:
    return out.order(key) if key.type.form is Form.NUMERIC else out.key(key, "PARTITION BY")


def _frame(inner: Reading, spec: exp.WindowSpec, keys: list[Expr]) -> str:
    only(spec, "kind", "start", "start_side", "end", "end_side", "exclude")
    kind = str(spec.args.get("kind") or "RANGE").upper()
    if kind not in ("ROWS", "RANGE", "GROUPS"):
        raise Unsupported(f"a frame of {kind} is not supported")
    start = _edge(inner, kind, spec.args.get("start"), spec.args.get("start_side"), keys)
    end = spec.args.get("end")
    shown_end = "CURRENT ROW" if end is None else _edge(inner, kind, end, spec.args.get("end_side"), keys)
    exclude = spec.args.get("exclude")
    word = "" if exclude is None else str(exclude.name if isinstance(exclude, exp.Expr) else exclude).upper()
    if word and word not in _EXCLUSIONS:
        raise Unsupported(f"EXCLUDE {word} is not supported")
    return f"{kind} BETWEEN {start} AND {shown_end}{' EXCLUDE ' + word if word else ''}"


def _edge(inner: Reading, kind: str, value: object, side: object, keys: list[Expr]) -> str:
    word = str(side or "").upper()
    if value == "CURRENT ROW":
        return "CURRENT ROW"
    if word not in _SIDES:
        raise Unsupported("this frame is not supported")
    if value == "UNBOUNDED":
        return f"UNBOUNDED {word}"
    assert isinstance(value, exp.Expr)
    offset = inner.expression(value)
    if kind != "RANGE":
        offset = implicit(offset, BIGINT)
    else:
        if len(keys) != 1:
            raise WindowingProblem("RANGE with offset PRECEDING/FOLLOWING requires exactly one ORDER BY column")
        key = keys[0].type
        if key.form is Form.INT:
            offset = implicit(offset, key)
        elif key.form in (Form.DATE, Form.TIMESTAMP):
            refuse_zone(key, "RANGE with an offset over")
            offset = implicit(offset, INTERVAL)
        else:
            raise Unsupported(f"RANGE with an offset over type {key.name} is not supported")
    return f"{inner.statement.out.sql(offset)} {word}"


def _function(inner: Reading, node: exp.Expr, over: str) -> Fragment:
    out = inner.statement.out
    if type(node) in _NUMBERS:
        only(node)
        name, kind = _NUMBERS[type(node)]
        return Fragment(kind, -1, sql=f"{name}(){over}", scope_number=-1)
    if isinstance(node, exp.Ntile):
        only(node, "this")
        count = implicit(inner.expression(node.this), INTEGER)
        return Fragment(INTEGER, -1, sql=f"CAST(ntile({out.sql(count)}){over} AS INTEGER)", scope_number=-1)
    if type(node) not in _VALUES:
        raise Unsupported(f"the window function {label(node)} is not supported")
    return _value(inner, node, over)


def _value(inner: Reading, node: exp.Expr, over: str) -> Fragment:
    out = inner.statement.out
    only(node, "this", "offset", "default")
    value = settle(inner.expression(node.this))
    arguments: list[Expr] = []
    offset, default = node.args.get("offset"), node.args.get("default")
    if offset is not None:
        arguments.append(implicit(implicit(inner.expression(offset), INTEGER), BIGINT))
    if default is not None:
        second = inner.expression(default)
        kind = common_type([value.type, second.type], "LAG")
        value = implicit(value, kind)
        arguments.append(implicit(second, kind))
    text = ", ".join(out.sql(argument) for argument in (value, *arguments))
    read = frozenset(number for argument in (value, *arguments) for number in reads(argument))
    return Fragment(value.type, -1, sql=f"{_VALUES[type(node)]}({text}){over}", scope_number=-1, reads=read)
