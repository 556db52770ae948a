"""Dispatch on the syntax tree's class, and the check that no clause of a node is passed over."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias

from sqlglot import exp

from rocklake_server.errors import Unsupported

if TYPE_CHECKING:
    from rocklake_server.plan.compiler import Compiler
    from rocklake_server.plan.expressions import Expr
    from rocklake_server.plan.lowering.query import Lowered, QueryLowering

Compile: TypeAlias = "Callable[[Compiler, Any], Expr]"
Lower: TypeAlias = "Callable[[QueryLowering, Any], Lowered]"

_COMPILERS: dict[type[exp.Expression], Compile] = {}
_LOWERINGS: dict[type[exp.Expression], Lower] = {}

_UNNAMED = {"conflict": "the clause after its rows"}


def compiles(*classes: type[exp.Expression]) -> Callable[[Compile], Compile]:
    """Register the compiler of expression nodes of these classes."""

    def register(function: Compile) -> Compile:
        for node_class in classes:
            if node_class in _COMPILERS:
                raise ValueError(f"{node_class.__name__} is compiled twice")
            _COMPILERS[node_class] = function
        return function

    return register


def lowers(*classes: type[exp.Expression]) -> Callable[[Lower], Lower]:
    """Register the lowering of queries of these classes."""

    def register(function: Lower) -> Lower:
        for node_class in classes:
            if node_class in _LOWERINGS:
                raise ValueError(f"{node_class.__name__} is lowered twice")
            _LOWERINGS[node_class] = function
        return function

    return register


def label(node: exp.Expression) -> str:
    """How messages name a node: its class in words."""
    words = "".join(f" {letter}" if letter.isupper() else letter for letter in type(node).__name__)
    return words.strip().upper()


def compiler_of(node: exp.Expression) -> Compile:
    """Raises Unsupported naming the node."""
    found = _COMPILERS.get(type(node))
    if found is None:
        raise Unsupported(f"the expression {label(node)} is not supported")
    return found


def lowering_of(node: exp.Expression) -> Lower:
    """Raises Unsupported naming the node."""
    found = _LOWERINGS.get(type(node))
    if found is None:
        raise Unsupported(f"the query {label(node)} is not supported")
    return found


def only(node: exp.Expression, *lowered: str) -> None:
    """Refuse a node that has any argument but ``lowered``. Raises Unsupported naming the clauses."""
    extra = sorted(name for name, value in node.args.items() if value and name not in lowered)
    if extra:
        clauses = ", ".join(_UNNAMED.get(name, name.rstrip("_").replace("_", " ").upper()) for name in extra)
        raise Unsupported(f"{label(node)} with {clauses} is not supported")
