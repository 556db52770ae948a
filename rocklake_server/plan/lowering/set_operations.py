"""UNION, INTERSECT, EXCEPT, VALUES and parenthesised queries."""

from __future__ import annotations

from sqlglot import exp

from rocklake_server.errors import SyntaxProblem, Unsupported
from rocklake_server.plan.casts import implicit
from rocklake_server.plan.dispatch import lowers, only
from rocklake_server.plan.joins import SetOperation
from rocklake_server.plan.lowering.ordering import limited, output_reference, sort_keys_of
from rocklake_server.plan.lowering.query import Lowered, Output, QueryLowering
from rocklake_server.plan.operators import Sort, ValuesRows
from rocklake_server.plan.scope import Scope
from rocklake_server.plan.type_rules import common_type

_KINDS = {exp.Union: "UNION", exp.Intersect: "INTERSECT", exp.Except: "EXCEPT"}


@lowers(*_KINDS)
def lower_set_operation(queries: QueryLowering, work: tuple[exp.SetOperation, Scope | None]) -> Lowered:
    node, parent = work
    only(node, "this", "expression", "distinct", "with_", "order", "limit", "offset")
    before = queries.define(node.args.get("with_"), parent)
    try:
        combined = _combined(queries, node, parent)
    finally:
        queries.ctes = before
    return _finished(queries, node, combined)


def _combined(queries: QueryLowering, node: exp.SetOperation, parent: Scope | None) -> Lowered:
    kind = _KINDS[type(node)]
    left, right = queries.lower(node.this, parent), queries.lower(node.expression, parent)
    if len(left.outputs) != len(right.outputs):
        raise SyntaxProblem(f"each {kind} query must have the same number of columns")
    kinds = [
        common_type([first.type, second.type], kind)
        for first, second in zip(left.outputs, right.outputs, strict=True)
    ]
    left, right = left.converted(kinds), right.converted(kinds)
    operator = SetOperation(kind, left.operator, right.operator, tuple(kinds), not node.args.get("distinct"))
    outputs = tuple(Output(output.name, output.type) for output in left.outputs)
    return Lowered(operator, outputs, left.correlated | right.correlated)


def _finished(queries: QueryLowering, node: exp.Expr, lowered: Lowered) -> Lowered:
    """``lowered`` under the node's ORDER BY, LIMIT and OFFSET."""
    operator = lowered.operator
    order = node.args.get("order")
    if order is not None:
        only(order, "expressions")
        operator = Sort(
            operator, sort_keys_of(order.expressions, lambda part: output_reference(lowered.outputs, part))
        )
    return Lowered(limited(queries, node, operator), lowered.outputs, lowered.correlated)


@lowers(exp.Subquery)
def lower_parenthesised(queries: QueryLowering, work: tuple[exp.Subquery, Scope | None]) -> Lowered:
    node, parent = work
    only(node, "this", "order", "limit", "offset", "with_")
    before = queries.define(node.args.get("with_"), parent)
    try:
        lowered = queries.lower(node.this, parent)
    finally:
        queries.ctes = before
    return _finished(queries, node, lowered)


@lowers(exp.Values)
def lower_values(queries: QueryLowering, work: tuple[exp.Values, Scope | None]) -> Lowered:
    node, parent = work
    only(node, "expressions", "alias", "order", "limit", "offset", "with_")
    if node.args.get("with_"):
        raise Unsupported("VALUES with WITH is not supported")
    scope = Scope(parent)
    compiler = queries.compiler(scope, "VALUES")
    lines = [
        [compiler.compile(item) for item in (line.expressions if isinstance(line, exp.Tuple) else [line])]
        for line in node.expressions
    ]
    if any(len(line) != len(lines[0]) for line in lines):
        raise SyntaxProblem("VALUES lists must all be the same length")
    kinds = [common_type([item.type for item in column], "VALUES") for column in zip(*lines, strict=True)]
    typed = tuple(
        tuple(implicit(item, kind) for item, kind in zip(line, kinds, strict=True)) for line in lines
    )
    outputs = tuple(Output(f"column{number}", kind) for number, kind in enumerate(kinds, 1))
    return _finished(queries, node, Lowered(ValuesRows(typed), outputs, frozenset(scope.correlated)))
