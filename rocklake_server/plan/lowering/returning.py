"""The clause RETURNING of INSERT, UPDATE and DELETE."""

from __future__ import annotations

from sqlglot import exp

from rocklake_server.errors import GroupingProblem, TooManyColumns, Unsupported, WindowingProblem
from rocklake_server.limits import COLUMNS_MAX
from rocklake_server.plan.compiler import settle
from rocklake_server.plan.dispatch import only
from rocklake_server.plan.expressions import Expr
from rocklake_server.plan.lowering.from_items import relation_source
from rocklake_server.plan.lowering.grouping import holds_aggregate
from rocklake_server.plan.lowering.query import QueryLowering
from rocklake_server.plan.lowering.select import projection
from rocklake_server.plan.lowering.set_calls import set_name
from rocklake_server.plan.model import ResultColumn
from rocklake_server.plan.registered import is_registered, named
from rocklake_server.plan.returning import Returning
from rocklake_server.plan.scope import Scope
from rocklake_server.schema.model import Relation


def target_scope(relation: Relation, alias: str) -> Scope:
    """A scope of the target's columns alone."""
    scope = Scope()
    scope.add(relation_source(relation, alias, 0, relation.schema if alias == relation.name else None))
    return scope


def lower_returning(queries: QueryLowering, scope: Scope, clause: exp.Returning | None) -> Returning | None:
    """``None`` where the statement has no such clause. Raises GroupingProblem, WindowingProblem, TooManyColumns,
    Unsupported, and what compiling its expressions raises."""
    if clause is None:
        return None
    only(clause, "expressions")
    for part in clause.expressions:
        if holds_aggregate(part):
            raise GroupingProblem("aggregate functions are not allowed in RETURNING")
        if isinstance(part.unalias(), exp.Window):
            raise WindowingProblem("window functions are not allowed in RETURNING")
        if set_name(part.unalias()) is not None:
            raise Unsupported("set-returning functions are not allowed in RETURNING")
    outputs, expressions = projection(queries.compiler(scope, "RETURNING"), clause.expressions)
    if len(outputs) > COLUMNS_MAX:
        raise TooManyColumns(f"target lists can have at most {COLUMNS_MAX} entries")
    settled = [settle(expression) for expression in expressions]
    columns = tuple(
        ResultColumn(output.name, expression.type, output.table_oid, output.attnum)
        for output, expression in zip(outputs, settled, strict=True)
    )
    return Returning(columns, tuple(map(_shown, settled)))


def _shown(expression: Expr) -> Expr:
    """OIDs of named objects know their names."""
    return named(expression) if is_registered(expression.type) else expression
