"""Bitwise operators over integers (PostgreSQL manual, Mathematical Operators): flags of catalog columns are read so."""

from __future__ import annotations

import operator
from collections.abc import Callable

from sqlglot import exp

from rocklake_server.plan.applications import Strict
from rocklake_server.plan.casts import implicit
from rocklake_server.plan.comparisons import undefined_operator, unify_unknown
from rocklake_server.plan.compiler import Compiler
from rocklake_server.plan.dispatch import compiles, only
from rocklake_server.plan.expressions import Expr
from rocklake_server.plan.type_rules import INTEGERS, common_type

OPERATORS: dict[type[exp.Expr], tuple[str, Callable[[int, int], int]]] = {
    exp.BitwiseAnd: ("&", operator.and_),
    exp.BitwiseOr: ("|", operator.or_),
    exp.BitwiseXor: ("#", operator.xor),
}


@compiles(*OPERATORS)
def _bitwise(compiler: Compiler, node: exp.Binary) -> Expr:
    only(node, "this", "expression")
    symbol, function = OPERATORS[type(node)]
    left, right = unify_unknown(compiler.compile(node.this), compiler.compile(node.expression))
    if left.type.oid not in INTEGERS or right.type.oid not in INTEGERS:
        raise undefined_operator(symbol, left.type, right.type)
    kind = common_type([left.type, right.type], symbol)
    return Strict(kind, function, (implicit(left, kind), implicit(right, kind)))
