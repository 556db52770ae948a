"""ORDER BY, LIMIT and OFFSET."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sqlglot import exp

from rocklake_server.errors import InvalidColumnReference, Unsupported
from rocklake_server.plan.casts import implicit
from rocklake_server.plan.compiler import settle
from rocklake_server.plan.dispatch import only
from rocklake_server.plan.expressions import ColumnRef, Constant, Expr
from rocklake_server.plan.lowering.query import Output, QueryLowering, refuse_slot
from rocklake_server.plan.naming import identifier
from rocklake_server.plan.operators import Limit, Operator
from rocklake_server.plan.scope import Scope
from rocklake_server.plan.sorting import SortKey
from rocklake_server.schema.types import BIGINT, UNKNOWN


def ordinal(node: exp.Expr) -> int | None:
    """The position that a plain integer means in ORDER BY and GROUP BY."""
    if isinstance(node, exp.Literal) and not node.is_string and node.this.isdecimal():
        return int(node.this)
    return None


def sort_keys_of(nodes: Sequence[exp.Expr], resolve: Callable[[exp.Expr], Expr]) -> tuple[SortKey, ...]:
    """The sort keys of ORDER BY's items; NULLs come last when ascending, unless said otherwise."""
    keys = []
    for node in nodes:
        only(node, "this", "desc", "nulls_first")
        keys.append(
            SortKey(resolve(node.this), bool(node.args.get("desc")), bool(node.args.get("nulls_first")))
        )
    return tuple(keys)


def position_in(node: exp.Expr, outputs: Sequence[Output]) -> int | None:
    """The output column that an ORDER BY item means by ordinal or by name. Raises InvalidColumnReference."""
    refuse_slot(node)
    if isinstance(node, exp.Literal):
        position = ordinal(node)
        if position is None:
            raise InvalidColumnReference("non-integer constant in ORDER BY")
        if not 1 <= position <= len(outputs):
            raise InvalidColumnReference(f"ORDER BY position {position} is not in select list")
        return position - 1
    if isinstance(node, exp.Column) and node.args.get("table") is None and isinstance(node.this, exp.Identifier):
        name = identifier(node.this)
        found = [index for index, output in enumerate(outputs) if output.name == name]
        if found:
            return found[0]
    return None


def output_reference(outputs: Sequence[Output], node: exp.Expr) -> Expr:
    """An ORDER BY item of a set operation: only its output columns can be meant."""
    position = position_in(node, outputs)
    if position is None:
        raise Unsupported("ORDER BY an expression over UNION, INTERSECT or EXCEPT is not supported")
    return ColumnRef(outputs[position].type, position)


def limited(queries: QueryLowering, node: exp.Expr, source: Operator) -> Operator:
    """``source`` under the node's LIMIT and OFFSET."""
    count, offset = _bound(queries, node, "limit"), _bound(queries, node, "offset")
    return source if count is None and offset is None else Limit(source, count, offset)


def bound_node(node: exp.Expr, name: str) -> exp.Expr | None:
    """What LIMIT, OFFSET or FETCH FIRST counts to; ``None`` without a bound. ``name`` is limit or offset. Raises
    Unsupported for WITH TIES and PERCENT."""
    clause = node.args.get(name)
    if clause is None:
        return None
    if isinstance(clause, exp.Fetch):
        only(clause, "count", "direction", "limit_options")
        options = clause.args.get("limit_options")
        if options is not None and (options.args.get("with_ties") or options.args.get("percent")):
            raise Unsupported("FETCH FIRST with TIES or PERCENT is not supported")
        inner = clause.args.get("count")
    else:
        only(clause, "expression")
        inner = clause.expression
    unbounded = inner is None or isinstance(inner, exp.Null) or (
        isinstance(inner, exp.Var) and inner.name.upper() == "ALL")
    return None if unbounded else inner


def _bound(queries: QueryLowering, node: exp.Expr, name: str) -> Expr | None:
    inner = bound_node(node, name)
    if inner is None:
        return None
    bound = queries.compiler(Scope(), name.upper()).compile(inner)
    if bound.type.oid == UNKNOWN.oid or bound.type.oid != BIGINT.oid:
        bound = implicit(bound, BIGINT)
    if not bound.constant:
        raise InvalidColumnReference(f"argument of {name.upper()} must not contain variables")
    return bound


def settled_key(node: Expr) -> Expr:
    return settle(node) if not isinstance(node, Constant) else node
