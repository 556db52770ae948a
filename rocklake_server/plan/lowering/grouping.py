"""GROUP BY and aggregates: what a grouped query's expressions may read."""

from __future__ import annotations

from dataclasses import dataclass, field

from sqlglot import exp

from rocklake_server.errors import GroupingProblem, InvalidColumnReference, SyntaxProblem, Unsupported
from rocklake_server.plan.aggregation import Aggregate, aggregate
from rocklake_server.plan.calls import AGGREGATES, CALLS, call_name
from rocklake_server.plan.compiler import Compiler, settle
from rocklake_server.plan.dispatch import only
from rocklake_server.plan.expressions import ColumnRef, Expr
from rocklake_server.plan.json_aggregates import NAMES as JSON_AGGREGATES
from rocklake_server.plan.lowering.ordering import ordinal, sort_keys_of
from rocklake_server.plan.lowering.query import refuse_slot, refuse_slots_in
from rocklake_server.plan.sorting import SortKey
from rocklake_server.plan.statistics import NAMES as STATISTICS

_AGGREGATE_NAMES = frozenset({*STATISTICS, *JSON_AGGREGATES, "every", *(CALLS[kind][0] for kind in AGGREGATES)})
"""Those that have no class of their own in the tree, and calls that name their schema."""


def is_aggregate(node: exp.Expr) -> bool:
    return type(node) in AGGREGATES or (isinstance(node, exp.Anonymous) and call_name(node) in _AGGREGATE_NAMES)


def holds_aggregate(node: exp.Expr) -> bool:
    """Whether an aggregate of this query level is in ``node``; a window's function is none."""
    if is_aggregate(node):
        return True
    if isinstance(node, exp.Subquery | exp.Select | exp.SetOperation | exp.Window):
        return False
    return any(holds_aggregate(child) for child in node.iter_expressions())


def group_nodes(group: exp.Group | None, projections: list[exp.Expr]) -> list[exp.Expr]:
    """GROUP BY's expressions, with ordinals put in. Raises InvalidColumnReference."""
    if group is None:
        return []
    only(group, "expressions")
    nodes: list[exp.Expr] = []
    for node in group.expressions:
        refuse_slot(node)
        position = ordinal(node)
        if position is None:
            refuse_slots_in(node)
            nodes.append(node)
            continue
        if not 1 <= position <= len(projections):
            raise InvalidColumnReference(f"GROUP BY position {position} is not in select list")
        chosen = projections[position - 1]
        nodes.append(chosen.this if isinstance(chosen, exp.Alias) else chosen)
    return nodes


@dataclass(slots=True)
class Grouping:
    """Collects a query's aggregates and answers for nodes that grouping has computed."""

    inner: Compiler
    nodes: list[exp.Expr]
    keys: list[Expr]
    aggregates: list[Aggregate] = field(default_factory=list)

    def intercept(self, node: exp.Expr) -> Expr | None:
        """The grouped row's column for ``node``, or ``None`` to compile it from its parts.

        Raises GroupingProblem for a column that is not grouped.
        """
        if isinstance(node, exp.Filter):
            only(node, "this", "expression")
            return self._register(node.this, node.expression.this)
        if is_aggregate(node):
            return self._register(node, None)
        if isinstance(node, exp.Subquery | exp.Exists | exp.In) and node.find(exp.Select) is not None:
            return self._subquery(node)
        if holds_aggregate(node) or isinstance(node, exp.Literal | exp.Null | exp.Boolean | exp.Parameter):
            return None
        for index, known in enumerate(self.nodes):
            if known == node:
                return ColumnRef(self.keys[index].type, index)
        if isinstance(node, exp.Column) or self.keys:
            computed = self.inner.compile(node)
            for index, key in enumerate(self.keys):
                if key == computed:
                    return ColumnRef(key.type, index, getattr(key, "name", ""), getattr(key, "table_oid", 0),
                                     getattr(key, "attnum", 0))
            if isinstance(computed, ColumnRef):
                raise GroupingProblem(
                    f'column "{_shown(self.inner, computed)}" must appear in the GROUP BY clause or be used in an '
                    "aggregate function"
                )
            if isinstance(node, exp.Column):
                return computed
        return None

    def _subquery(self, node: exp.Expr) -> Expr | None:
        if isinstance(node, exp.In):
            return None
        computed = self.inner.compile(node)
        if self.inner.scope.number in getattr(computed, "reads", ()) or not computed.constant:
            raise Unsupported("a correlated subquery beside GROUP BY or aggregates is not supported")
        return computed

    def _register(self, node: exp.Expr, where: exp.Expr | None) -> Expr:
        found = self._aggregate(node, where)
        self.aggregates.append(found)
        return ColumnRef(found.type, len(self.keys) + len(self.aggregates) - 1)

    def _aggregate(self, node: exp.Expr, where: exp.Expr | None) -> Aggregate:
        arguments, order_nodes, distinct = aggregate_parts(node)
        if any(holds_aggregate(argument) for argument in arguments):
            raise GroupingProblem("aggregate function calls cannot be nested")
        order: tuple[SortKey, ...] = ()
        if order_nodes:
            order = sort_keys_of(order_nodes, lambda part: settle(self.inner.compile(part)))
        return aggregate(
            call_name(node), [self.inner.compile(argument) for argument in arguments], distinct=distinct, order=order,
            where=None if where is None else self.inner.condition(where, "FILTER"),
        )


def aggregate_parts(node: exp.Expr) -> tuple[list[exp.Expr], list[exp.Expr], bool]:
    """(arguments, ORDER BY inside the call, DISTINCT)."""
    if isinstance(node, exp.Anonymous):
        return _parts_of_named(node)
    only(node, "this", "expressions", "separator", "big_int", "nulls_excluded")
    first, order, distinct = node.this, [], False
    separator = node.args.get("separator")
    if isinstance(separator, exp.Order):
        order, separator = separator.expressions, separator.this
    if isinstance(first, exp.Order):
        order, first = first.expressions, first.this
    extra = list(node.expressions)
    if isinstance(first, exp.Distinct):
        if not first.expressions:
            raise SyntaxProblem("syntax error at an empty DISTINCT")
        if len(first.expressions) != 1:
            raise Unsupported("DISTINCT over several arguments is not supported")
        distinct, first = True, first.expressions[0]
        if isinstance(first, exp.Order):
            order, first = first.expressions, first.this
    if isinstance(first, exp.Star):
        if extra:
            raise SyntaxProblem('syntax error at or near ","')
        return [], order, distinct
    return [first, *extra, *([] if separator is None else [separator])], order, distinct


def _parts_of_named(node: exp.Anonymous) -> tuple[list[exp.Expr], list[exp.Expr], bool]:
    arguments, order, distinct = list(node.expressions), [], False
    if arguments and isinstance(arguments[-1], exp.Order):
        order, arguments[-1] = arguments[-1].expressions, arguments[-1].this
    if len(arguments) == 1 and isinstance(arguments[0], exp.Star):
        return [], order, False
    if arguments and isinstance(arguments[0], exp.Distinct):
        if len(arguments) != 1 or len(arguments[0].expressions) != 1:
            raise Unsupported("DISTINCT over several arguments is not supported")
        distinct, arguments = True, list(arguments[0].expressions)
    return arguments, order, distinct


def _shown(compiler: Compiler, column: ColumnRef) -> str:
    for source in compiler.scope.sources:
        for known in source.columns:
            if known.index == column.index:
                return f"{source.alias}.{known.name}"
    return column.name
