"""Subqueries as expressions."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from sqlglot import exp

from rocklake_server.adhoc.emission import compares_natively
from rocklake_server.adhoc.fragments import Fragment, reads
from rocklake_server.adhoc.reading import Reading
from rocklake_server.adhoc.reading import reads as reads_nodes
from rocklake_server.adhoc.relational import Relational, columns_of
from rocklake_server.errors import SyntaxProblem, Unsupported
from rocklake_server.plan.comparisons import compare
from rocklake_server.plan.dispatch import only
from rocklake_server.plan.expressions import Expr
from rocklake_server.plan.predicates_sql import COMPARISONS
from rocklake_server.schema.types import BOOLEAN, Form, array_of

Resolve: TypeAlias = "Callable[[exp.Expr], Expr]"

_QUERIES = (exp.Select, exp.SetOperation, exp.Subquery, exp.Values)
_NEGATED = {exp.EQ: exp.NEQ, exp.NEQ: exp.EQ, exp.LT: exp.GTE, exp.GTE: exp.LT, exp.GT: exp.LTE, exp.LTE: exp.GT}


def _one_column(reading: Reading, node: exp.Expr) -> Relational:
    found = reading.queries.query(node, reading.scope).settled()
    if len(found.outputs) != 1:
        raise SyntaxProblem("subquery must return only one column")
    return found


def _reads(reading: Reading) -> frozenset[int]:
    """A subquery may read any column around it."""
    return frozenset({reading.scope.number})


@reads_nodes(exp.Subquery)
def _scalar(reading: Reading, node: exp.Subquery) -> Expr:
    inner = node if _has_tail(node) else node.this
    if not _has_tail(node):
        only(node, "this")
    found = _one_column(reading, inner)
    return Fragment(found.outputs[0].type, -1, sql=f"({found.text()})", scope_number=-1, scale=found.columns[0].scale,
                    reads=_reads(reading))


def _has_tail(node: exp.Subquery) -> bool:
    return any(node.args.get(name) is not None for name in ("order", "limit", "offset", "with_"))


@reads_nodes(exp.Exists)
def _exists(reading: Reading, node: exp.Exists) -> Expr:
    only(node, "this")
    found = reading.queries.query(node.this, reading.scope).settled()
    return Fragment(BOOLEAN, -1, sql=f"EXISTS ({found.text()})", scope_number=-1, reads=_reads(reading))


@reads_nodes(exp.Array)
def _array(reading: Reading, node: exp.Array) -> Expr | None:
    if len(node.expressions) != 1 or not isinstance(node.expressions[0], _QUERIES):
        return None
    found = _one_column(reading, node.expressions[0])
    kind = array_of(found.outputs[0].type.with_typmod(-1))
    return Fragment(kind, -1, sql=f"ARRAY({found.text()})", scope_number=-1, scale=found.columns[0].scale,
                    reads=_reads(reading))


@reads_nodes(exp.In)
def _in(reading: Reading, node: exp.In) -> Expr | None:
    query = node.args.get("query")
    if query is None:
        return None
    if isinstance(node.this, exp.Tuple):
        raise Unsupported("IN (subquery) over several columns is not supported")
    return _quantified(reading, "=", "IN", node.this, query)


@reads_nodes(*COMPARISONS)
def _comparison(reading: Reading, node: exp.Binary) -> Expr | None:
    right = node.expression
    if isinstance(right, exp.Anonymous) and str(right.this).lower() == "all":
        return _all_of(reading, node, right)
    if isinstance(right, exp.All):
        inner = right.this.unnest() if isinstance(right.this, exp.Paren) else right.this
        return _none_of(reading, node, inner)
    if not isinstance(right, exp.Any):
        return None
    inner = right.this.unnest() if isinstance(right.this, exp.Paren) else right.this
    if not isinstance(inner, _QUERIES):
        return None
    symbol = COMPARISONS[type(node)]
    return _quantified(reading, symbol, f"{symbol} ANY", node.this, inner)


def _all_of(reading: Reading, node: exp.Binary, right: exp.Anonymous) -> Expr:
    if len(right.expressions) != 1:
        raise SyntaxProblem('syntax error at or near "all"')
    return _none_of(reading, node, right.expressions[0])


def _none_of(reading: Reading, node: exp.Binary, inner: exp.Expr) -> Expr:
    """``x op ALL (...)``: not any for which the opposite holds."""
    opposite = _NEGATED[type(node)](this=node.this, expression=exp.Any(this=inner))
    return reading.expression(exp.Not(this=opposite))


def _quantified(reading: Reading, symbol: str, words: str, left: exp.Expr, query: exp.Expr) -> Expr:
    found = _one_column(reading, query.this if isinstance(query, exp.Subquery) and not _has_tail(query) else query)
    alias = reading.statement.name("q")
    (column,) = columns_of(alias, found.columns)
    probe = compare(symbol, reading.expression(left), column)
    out = reading.statement.out
    if compares_natively(probe):
        first, second = out.sql(probe.left), out.sql(probe.right)
    elif probe.left.type.form is probe.right.type.form is Form.NUMERIC:
        first, second = out.order(probe.left), out.order(probe.right)
    else:
        raise Unsupported(
            f"{words} (subquery) over {probe.left.type.name} and {probe.right.type.name} is not supported",
            hint="Cast both sides to the same type.")
    text = f"({first} {words} (SELECT {second} FROM ({found.text()}) AS {alias}))"
    return Fragment(BOOLEAN, -1, sql=text, scope_number=-1, reads=_reads(reading) | reads(probe.left))
