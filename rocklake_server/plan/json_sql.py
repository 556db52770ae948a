"""Compilers of JSON's operators; they share ``@>``, ``||`` and ``-`` with arrays, texts and numbers."""

from __future__ import annotations

from sqlglot import exp

from rocklake_server.errors import UndefinedFunction
from rocklake_server.plan.comparisons import undefined_operator
from rocklake_server.plan.compiler import Compiler
from rocklake_server.plan.dispatch import compiles, only
from rocklake_server.plan.expressions import Expr
from rocklake_server.plan.json_reading import OPERATORS
from rocklake_server.plan.overloads import call
from rocklake_server.schema.types import JSON, JSONB, UNKNOWN

_JSON = frozenset({JSON.oid, JSONB.oid})
_SYMBOLS: dict[type[exp.Expr], str] = {
    exp.JSONExtract: "->", exp.JSONExtractScalar: "->>", exp.JSONBExtract: "#>", exp.JSONBExtractScalar: "#>>",
    exp.JSONBContainsTopKey: "?", exp.JSONBContainsAnyTopKeys: "?|", exp.JSONBContainsAllTopKeys: "?&",
}


def is_json(node: Expr) -> bool:
    return node.type.oid in _JSON


def json_operator(symbol: str, left: Expr, right: Expr) -> Expr:
    """Raises UndefinedFunction."""
    untyped = left.type.oid == UNKNOWN.oid
    try:
        if untyped and symbol not in ("@>", "<@", "||"):
            raise undefined_operator(symbol, left.type, right.type)
        return call(symbol, OPERATORS[symbol], (left, right))
    except UndefinedFunction:
        raise undefined_operator(symbol, left.type, right.type) from None


@compiles(*_SYMBOLS)
def _operator(compiler: Compiler, node: exp.Binary) -> Expr:
    only(node, "this", "expression")
    return json_operator(_SYMBOLS[type(node)], compiler.compile(node.this), compiler.compile(node.expression))
