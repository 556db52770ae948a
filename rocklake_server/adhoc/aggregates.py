"""Aggregates: natively where the engine's fold is PostgreSQL's, else the plan's own over a list of the arguments."""

from __future__ import annotations

from dataclasses import replace

from sqlglot import exp

from rocklake_server.adhoc import rows
from rocklake_server.adhoc.fragments import Fragment, fragments, reads, uniform_scale
from rocklake_server.adhoc.reading import Reading
from rocklake_server.adhoc.reading import reads as reads_nodes
from rocklake_server.adhoc.table_functions import named_set
from rocklake_server.adhoc.values import owned
from rocklake_server.errors import GroupingProblem, Unsupported
from rocklake_server.plan.aggregation import Aggregate, aggregate
from rocklake_server.plan.arithmetic import arithmetic
from rocklake_server.plan.calls import AGGREGATES, call_name
from rocklake_server.plan.casts import implicit
from rocklake_server.plan.compiler import settle
from rocklake_server.plan.dispatch import only
from rocklake_server.plan.expressions import Expr
from rocklake_server.plan.functions_sql import call_by_name
from rocklake_server.plan.lowering.grouping import aggregate_parts, is_aggregate
from rocklake_server.plan.lowering.ordering import sort_keys_of
from rocklake_server.plan.sorting import SortKey
from rocklake_server.plan.type_rules import INTEGERS
from rocklake_server.schema.types import BIGINT, BYTEA, INTEGER, NUMERIC, TEXT, Form

AGGREGATE_NODES: tuple[type[exp.Expr], ...] = tuple(AGGREGATES)


def holds_aggregate(node: exp.Expr) -> bool:
    """Whether an aggregate of this query level is in ``node``, other than as a window's function."""
    if is_aggregate(node) or isinstance(node, exp.Filter | exp.WithinGroup | exp.Grouping):
        return True
    if isinstance(node, exp.Window):
        return any(holds_aggregate(part) for part in _window_parts(node))
    if isinstance(node, exp.Subquery | exp.Select | exp.SetOperation):
        return False
    return any(holds_aggregate(child) for child in node.iter_expressions())


def _window_parts(node: exp.Window) -> list[exp.Expr]:
    """The expressions in a window call that are computed below it."""
    called = node.this.this if isinstance(node.this, exp.Filter) else node.this
    order = node.args.get("order")
    return [
        *called.iter_expressions(), *(node.args.get("partition_by") or ()),
        *([] if order is None else order.expressions),
    ]


def dependent(reading: Reading, found: Fragment) -> Expr:
    """A column above grouping: one that follows from a grouped primary key is the same in all rows of a group."""
    grouped = reading.grouped
    if grouped is None or found.scope_number != reading.scope.number:
        return found
    known = {part.sql for key in grouped.keys for part in fragments(key)}
    place = reading.statement.place(found.scope_number, found.index)
    relation = None if place.input is None else place.input.relation
    primary = getattr(relation, "primary_key", ())
    if found.sql in known or not primary or any(f"{place.alias}.c{index}" not in known for index in primary):
        return found
    return replace(found, sql=f"first({found.sql})", scope_number=-1, index=-1)


@reads_nodes(*AGGREGATE_NODES, exp.Filter)
def _aggregate(reading: Reading, node: exp.Expr) -> Expr | None:
    return called(reading, node, "")


@reads_nodes(exp.Anonymous)
def _named(reading: Reading, node: exp.Anonymous) -> Expr | None:
    if is_aggregate(node):
        return called(reading, node, "")
    if not rows.takes_rows(node):
        return named_set(reading, node)
    only(node, "this", "expressions")
    return call_by_name(reading.compiler, call_name(node), [rows.argument(reading, part) for part in node.expressions])


@reads_nodes(exp.Grouping)
def _grouping(reading: Reading, node: exp.Grouping) -> Expr:
    if reading.grouped is None or not reading.aggregates:
        raise GroupingProblem(f"grouping operations are not allowed in {reading.clause}")
    keys = [reading.expression(part) for part in node.expressions]
    texts = [key.sql for key in keys if isinstance(key, Fragment)]
    return Fragment(INTEGER, -1, sql=f"CAST(grouping({', '.join(texts)}) AS INTEGER)", scope_number=-1)


def called(reading: Reading, node: exp.Expr, over: str) -> Fragment:
    """An aggregate's call; ``over`` is `` OVER (...)`` where it is a window function."""
    where: exp.Expr | None = None
    if isinstance(node, exp.Filter):
        only(node, "this", "expression")
        where, node = node.expression.this, node.this
    if not is_aggregate(node):
        raise Unsupported("FILTER is supported on aggregates only")
    if not over and not reading.aggregates:
        raise GroupingProblem(f"aggregate functions are not allowed in {reading.clause}")
    arguments, order_nodes, distinct = aggregate_parts(node)
    if over and (order_nodes or distinct):
        what = "DISTINCT" if distinct else "ORDER BY"
        raise Unsupported(f"{what} in an aggregate that is a window function is not supported")
    inner = replace(reading, window_functions=False, sets=False) if over else reading.below("an aggregate")
    if not over and any(holds_aggregate(argument) for argument in arguments):
        raise GroupingProblem("aggregate function calls cannot be nested")
    order: tuple[SortKey, ...] = ()
    if order_nodes:
        order = sort_keys_of(order_nodes, lambda part: settle(inner.expression(part)))
    part = rows.argument if rows.takes_rows(node) else Reading.expression
    made = aggregate(
        call_name(node), [part(inner, argument) for argument in arguments], distinct=distinct, order=order,
        where=None if where is None else replace(inner, clause="FILTER").condition(where),
    )
    read = frozenset(number for part in made.expressions for number in reads(part))
    if read and reading.scope.number not in read and not over:
        raise Unsupported("an aggregate over columns of an outer query is not supported")
    return _Writer(reading, made, over, read).fragment()


class _Writer:
    """The text of one aggregate."""

    def __init__(self, reading: Reading, made: Aggregate, over: str, read: frozenset[int]) -> None:
        self.out = reading.statement.out
        self.made, self.over, self.reads = made, over, read

    def fragment(self) -> Fragment:
        made = self.made
        first = made.arguments[0] if made.arguments else None
        if first is None:
            return self._fragment(self._call("count(*)"), made)
        match made.name:
            case "count":
                return self._fragment(self._call(f"count({self._argument(first)})"), made)
            case "sum" if first.type.oid in INTEGERS:
                return self._sum_of_integers(first)
            case "avg" if first.type.oid in INTEGERS:
                return self._average_of_integers(first)
            case "min" | "max" if first.type.form not in (Form.NUMERIC, Form.ARRAY) and first.type.typname != "bpchar":
                return self._fragment(self._call(f"{made.name}({self.out.order(first)})"), made)
            case "bool_and" | "every" | "bool_or":
                name = "bool_or" if made.name == "bool_or" else "bool_and"
                return self._fragment(self._call(f"{name}({self.out.sql(first)})"), made)
            case "string_agg" if made.type.oid == TEXT.oid and made.arguments[1].constant:
                return self._joined(first, made.arguments[1])
            case "array_agg":
                return self._fragment(self._call(f"list({self._ordered(first)})"), made, uniform_scale(first))
        return self._folded(first)

    def _fragment(self, text: str, made: Aggregate, scale: int | None = None) -> Fragment:
        return Fragment(made.type, -1, sql=text, scope_number=-1, scale=scale, reads=self.reads)

    def _call(self, text: str, present: str = "") -> str:
        """With FILTER and OVER."""
        where = self.made.where
        conditions = [condition for condition in (present, "" if where is None else self.out.sql(where)) if condition]
        shown = f" FILTER (WHERE {' AND '.join(conditions)})" if conditions else ""
        return f"{text}{shown}{self.over}"

    def _argument(self, node: Expr) -> str:
        if not self.made.distinct:
            return self.out.sql(node)
        if self.made.name == "count" and not self.out.tells_equals(node):
            return f"DISTINCT {self.out.order(node)}"
        return f"DISTINCT {self.out.key(node, 'DISTINCT over')}"

    def _ordered(self, node: Expr) -> str:
        """An argument whose order counts. DISTINCT sorts, as it does in PostgreSQL."""
        made = self.made
        keys = [
            f"{self.out.order(key.expression)} {'DESC' if key.descending else 'ASC'} "
            f"NULLS {'FIRST' if key.nulls_first else 'LAST'}"
            for key in made.order if not key.expression.constant
        ]
        if made.distinct and not keys:
            keys = [f"{self.out.order(node)} ASC NULLS LAST"]
        return f"{self._argument(node)}{' ORDER BY ' + ', '.join(keys) if keys else ''}"

    def _sum_of_integers(self, node: Expr) -> Fragment:
        total = self._call(f"sum({self._argument(node)})")
        if self.made.type.oid == BIGINT.oid:
            return self._fragment(f"CAST({total} AS BIGINT)", self.made)
        return self._fragment(f"CAST({total} AS VARCHAR)", self.made, 0)

    def _average_of_integers(self, node: Expr) -> Fragment:
        total = self._fragment(f"CAST({self._call(f'sum({self._argument(node)})')} AS VARCHAR)", self.made, 0)
        count = Fragment(BIGINT, -1, sql=self._call(f"count({self._argument(node)})"), scope_number=-1)
        return self._fragment(self.out.sql(arithmetic("/", total, implicit(count, NUMERIC))), self.made)

    def _joined(self, node: Expr, separator: Expr) -> Fragment:
        present = f"{self.out.sql(node)} IS NOT NULL"
        listed = self._call(f"list({self._ordered(node)})", present)
        return self._fragment(f"array_to_string({listed}, COALESCE({self.out.sql(separator)}, ''))", self.made)

    def _folded(self, node: Expr) -> Fragment:
        made = self.made
        if len(made.arguments) != 1 or made.type.oid == BYTEA.oid:
            raise Unsupported(f"{made.name}() with these arguments is not supported in a statement of this kind")
        name = self.out.fold(node.type, made.type, made.fold, keeps_null=made.keeps_null)
        scale = uniform_scale(node) if made.name in ("sum", "min", "max") else None
        call = f"{name}({self._call(f'list({self._ordered(node)})')})"
        return self._fragment(owned(call, made.type), made, scale)


