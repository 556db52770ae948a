"""Values that are assigned to columns: DEFAULT, the conversion to the column's type, and SET lists."""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from rocklake_server.errors import SyntaxProblem, Unsupported
from rocklake_server.plan.casts import assign
from rocklake_server.plan.compiler import Compiler
from rocklake_server.plan.dispatch import label
from rocklake_server.plan.expressions import Constant, Expr
from rocklake_server.plan.lowering.targets import column_index
from rocklake_server.plan.naming import identifier
from rocklake_server.schema.model import Relation


def _is_default(node: exp.Expr) -> bool:
    """The DEFAULT keyword in place of an expression."""
    if isinstance(node, exp.Column):
        node = node.this
    word = isinstance(node, exp.Var) or (isinstance(node, exp.Identifier) and not node.args.get("quoted"))
    return word and node.name.upper() == "DEFAULT"


def assigned(compiler: Compiler, relation: Relation, index: int, node: exp.Expr) -> Expr:
    """A value as the column takes it. Raises DatatypeMismatch."""
    column = relation.columns[index]
    if _is_default(node):
        return Constant(column.type, column.default)
    return assign(compiler.compile(node), column.type, column.name)


def assignments_of(compiler: Compiler, relation: Relation, nodes: Sequence[exp.Expr]) -> tuple[tuple[int, Expr], ...]:
    """What SET gives to which columns. Raises UndefinedColumn, DatatypeMismatch, SyntaxProblem."""
    found: dict[int, Expr] = {}
    for node in nodes:
        if not isinstance(node, exp.EQ):
            raise Unsupported(f"{label(node)} in SET is not supported")
        for column, value in _pairs(node):
            if not isinstance(column, exp.Column) or column.args.get("table") is not None:
                raise Unsupported("a qualified column as the target of SET is not supported")
            index = column_index(relation, identifier(column.this))
            if index in found:
                raise SyntaxProblem(f'multiple assignments to same column "{relation.columns[index].name}"')
            found[index] = assigned(compiler, relation, index, value)
    return tuple(found.items())


def _pairs(node: exp.EQ) -> list[tuple[exp.Expr, exp.Expr]]:
    left, right = node.this, node.expression
    if not isinstance(left, exp.Tuple):
        return [(left, right)]
    if not isinstance(right, exp.Tuple):
        raise Unsupported("SET of several columns from one source is not supported")
    if len(left.expressions) != len(right.expressions):
        raise SyntaxProblem("number of columns does not match number of values")
    return list(zip(left.expressions, right.expressions, strict=True))
