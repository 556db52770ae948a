"""SELECT: from FROM to LIMIT."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from sqlglot import exp

from rocklake_server.errors import AmbiguousColumn, GroupingProblem, InvalidColumnReference, SyntaxProblem, Unsupported
from rocklake_server.plan.compiler import Compiler, settle
from rocklake_server.plan.conditions import conjuncts
from rocklake_server.plan.dispatch import lowers, only
from rocklake_server.plan.expressions import ColumnRef, Expr
from rocklake_server.plan.groups import Group
from rocklake_server.plan.lowering.from_items import lower_from
from rocklake_server.plan.lowering.grouping import Grouping, group_nodes, holds_aggregate
from rocklake_server.plan.lowering.ordering import limited, position_in, sort_keys_of
from rocklake_server.plan.lowering.query import Lowered, Output, QueryLowering, refuse_slots_in
from rocklake_server.plan.lowering.set_calls import set_call, set_name
from rocklake_server.plan.naming import column_name, identifier
from rocklake_server.plan.operators import Distinct, Filter, Operator, Project, Sort
from rocklake_server.plan.scope import Scope
from rocklake_server.plan.set_functions import Expand, ProjectSet
from rocklake_server.plan.sorting import SortKey

_CLAUSES = (
    "expressions", "from_", "joins", "where", "group", "having", "order", "limit", "offset", "distinct", "with_",
)


@lowers(exp.Select)
def lower_select(queries: QueryLowering, work: tuple[exp.Select, Scope | None]) -> Lowered:
    node, parent = work
    only(node, *_CLAUSES)
    before = queries.define(node.args.get("with_"), parent)
    try:
        return _select(queries, node, parent)
    finally:
        queries.ctes = before


def _select(queries: QueryLowering, node: exp.Select, parent: Scope | None) -> Lowered:
    tree = lower_from(queries, node, parent)
    inner = queries.compiler(tree.scope, "SELECT")
    source = tree.operator(where_conditions(inner, node.args.get("where")))
    projections = list(node.expressions)
    compiler, source = _grouped(node, inner, source, projections)
    sets = tuple(set_name(_bare(part)) is not None for part in projections)
    if any(sets):
        return _with_sets(queries, node, compiler, source, sets)
    outputs, expressions = projection(compiler, projections)
    order = node.args.get("order")
    distinct = node.args.get("distinct")
    if distinct is not None and distinct.args.get("on"):
        raise Unsupported("SELECT with DISTINCT ON is not supported")
    keys: tuple[SortKey, ...] = ()
    if order is not None and not distinct:
        only(order, "expressions")
        keys = sort_keys_of(order.expressions, _resolver(compiler, outputs, expressions))
    if isinstance(compiler.intercept, _Pending):
        source = compiler.intercept.finish()
    operator: Operator = Project(Sort(source, keys) if keys else source, expressions)
    if distinct:
        operator, outputs = _distinct(operator, outputs)
        if order is not None:
            only(order, "expressions")
            chosen = tuple(expressions)
            operator = Sort(operator, sort_keys_of(order.expressions, _among(compiler, outputs, chosen)))
    operator = limited(queries, node, operator)
    return Lowered(operator, outputs, frozenset(tree.scope.correlated))


def _bare(projection: exp.Expr) -> exp.Expr:
    return projection.this if isinstance(projection, exp.Alias) else projection


def _with_sets(queries: QueryLowering, node: exp.Select, compiler: Compiler, source: Operator,
               sets: tuple[bool, ...]) -> Lowered:
    """SELECT with calls that return sets among its items. Raises Unsupported where their order would matter."""
    if compiler.intercept is not None or any(node.args.get(name) for name in ("distinct", "order")):
        raise Unsupported("a function that returns a set is not supported beside GROUP BY, DISTINCT or ORDER BY")
    outputs: list[Output] = []
    expressions: list[Expr] = []
    expansions: list[Expand | None] = []
    for part, is_set in zip(node.expressions, sets, strict=True):
        if is_set:
            call = set_call(compiler, _bare(part))
            if not call.is_scalar:
                raise Unsupported("a function that returns rows of several columns is supported in FROM only")
            name = identifier(part.args["alias"]) if isinstance(part, exp.Alias) else column_name(part)
            outputs.append(Output(name, call.columns[0][1]))
            expressions.append(call.argument)
            expansions.append(call.expand)
        elif isinstance(_bare(part), exp.Star) or isinstance(_bare(part).this, exp.Star):
            raise Unsupported("a function that returns a set is not supported beside *")
        else:
            ((name, expression),) = _expanded(compiler, part)
            expression = settle(expression)
            outputs.append(Output(name, expression.type))
            expressions.append(expression)
            expansions.append(None)
    operator = limited(queries, node, ProjectSet(source, tuple(expressions), tuple(expansions)))
    return Lowered(operator, tuple(outputs), frozenset(compiler.scope.correlated))


class _Pending:
    """A grouped query's interception; the Group operator is complete once every clause has named its aggregates."""

    def __init__(self, grouping: Grouping, source: Operator, having: tuple[Expr, ...]) -> None:
        self.grouping, self.source, self.having = grouping, source, having

    def __call__(self, node: exp.Expr) -> Expr | None:
        return self.grouping.intercept(node)

    def finish(self) -> Operator:
        group: Operator = Group(self.source, tuple(self.grouping.keys), tuple(self.grouping.aggregates))
        return Filter(group, self.having) if self.having else group


def where_conditions(compiler: Compiler, where: exp.Where | None) -> list[Expr]:
    """The conjuncts of a WHERE clause. Raises GroupingProblem for aggregates in it."""
    if where is None:
        return []
    only(where, "this")
    if holds_aggregate(where.this):
        raise GroupingProblem("aggregate functions are not allowed in WHERE")
    return conjuncts(compiler.condition(where.this, "WHERE"))


def _grouped(node: exp.Select, inner: Compiler, source: Operator,
             projections: list[exp.Expr]) -> tuple[Compiler, Operator]:
    """The compiler for everything above grouping; the same one when the query does not group."""
    group, having, order = node.args.get("group"), node.args.get("having"), node.args.get("order")
    above = [*projections, *([] if order is None else order.expressions)]
    if group is None and having is None and not any(holds_aggregate(part) for part in above):
        return inner, source
    nodes = [_group_key(inner, part, projections) for part in group_nodes(group, projections)]
    keys = [settle(inner.compile(part)) for part in nodes]
    grouping = Grouping(inner, nodes, keys)
    compiler = replace(inner, intercept=grouping.intercept)
    conditions: tuple[Expr, ...] = ()
    if having is not None:
        only(having, "this")
        conditions = tuple(conjuncts(compiler.condition(having.this, "HAVING")))
    return replace(compiler, intercept=_Pending(grouping, source, conditions)), source


def _group_key(inner: Compiler, node: exp.Expr, projections: list[exp.Expr]) -> exp.Expr:
    """A GROUP BY expression: an input column first, else an output's alias."""
    if holds_aggregate(node):
        raise GroupingProblem("aggregate functions are not allowed in GROUP BY")
    if isinstance(node, exp.Column) and node.args.get("table") is None and isinstance(node.this, exp.Identifier):
        name = identifier(node.this)
        if inner.scope.local(name, None, None) is None:
            for projection in projections:
                if isinstance(projection, exp.Alias) and identifier(projection.args["alias"]) == name:
                    refuse_slots_in(projection.this)
                    if holds_aggregate(projection.this):
                        raise GroupingProblem("aggregate functions are not allowed in GROUP BY")
                    chosen: exp.Expr = projection.this
                    return chosen
    return node


def projection(compiler: Compiler,
               projections: Sequence[exp.Expr]) -> tuple[tuple[Output, ...], tuple[Expr, ...]]:
    """The columns that items of a SELECT, or of RETURNING, stand for, and what computes them."""
    outputs: list[Output] = []
    expressions: list[Expr] = []
    for node in projections:
        for name, expression in _expanded(compiler, node):
            origin = (expression.table_oid, expression.attnum) if isinstance(expression, ColumnRef) else (0, 0)
            outputs.append(Output(name, expression.type, *origin))
            expressions.append(expression)
    return tuple(outputs), tuple(expressions)


def _expanded(compiler: Compiler, node: exp.Expr) -> list[tuple[str, Expr]]:
    if isinstance(node, exp.Alias):
        only(node, "this", "alias")
        return [(identifier(node.args["alias"]), compiler.compile(node.this))]
    table: str | None = None
    schema: str | None = None
    if isinstance(node, exp.Column) and isinstance(node.this, exp.Star):
        table = identifier(node.args["table"])
        schema = identifier(node.args["db"]) if node.args.get("db") else None
    elif not isinstance(node, exp.Star):
        return [(column_name(node), compiler.compile(node))]
    star = node.this if isinstance(node, exp.Column) else node
    only(star)
    if table is None and not compiler.scope.sources:
        raise SyntaxProblem("SELECT * with no tables specified is not valid")
    shown = compiler.scope.star(table, schema)
    if compiler.intercept is None:
        return shown
    return [(name, compiler.compile(exp.column(exp.to_identifier(name, quoted=True), table=None if table is None
             else exp.to_identifier(table, quoted=True)))) for name, _expression in shown]


def _resolver(compiler: Compiler, outputs: tuple[Output, ...],
              expressions: tuple[Expr, ...]) -> Callable[[exp.Expr], Expr]:
    """ORDER BY's items below the projection: an output's expression, or an expression over the input."""

    def resolve(node: exp.Expr) -> Expr:
        position = position_in(node, outputs)
        if position is not None and not isinstance(node, exp.Literal):
            same = [expressions[index] for index, output in enumerate(outputs)
                    if output.name == outputs[position].name]
            if any(other != same[0] for other in same[1:]):
                raise AmbiguousColumn(f'ORDER BY "{outputs[position].name}" is ambiguous')
        found = compiler.compile(node) if position is None else expressions[position]
        return settle(found)

    return resolve


def _distinct(operator: Operator, outputs: tuple[Output, ...]) -> tuple[Operator, tuple[Output, ...]]:
    lowered = Lowered(operator, outputs).settled()
    return Distinct(lowered.operator, tuple(output.type for output in lowered.outputs)), lowered.outputs


def _among(compiler: Compiler, outputs: tuple[Output, ...],
           expressions: tuple[Expr, ...]) -> Callable[[exp.Expr], Expr]:
    """ORDER BY's items above DISTINCT. Raises InvalidColumnReference for one that is not selected."""

    def resolve(node: exp.Expr) -> Expr:
        position = position_in(node, outputs)
        if position is None:
            refuse_slots_in(node)
            wanted = compiler.compile(node)
            for index, expression in enumerate(expressions):
                if expression == wanted:
                    position = index
        if position is None:
            raise InvalidColumnReference("for SELECT DISTINCT, ORDER BY expressions must appear in select list")
        return ColumnRef(outputs[position].type, position)

    return resolve


