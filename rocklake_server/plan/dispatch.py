"""Dispatch on the syntax tree's class, and the check that no clause of a node is passed over."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias

from sqlglot import exp

from rocklake_server.errors import RETRY_WORDS, Unsupported

if TYPE_CHECKING:
    from rocklake_server.plan.compiler import Compiler
    from rocklake_server.plan.expressions import Expr
    from rocklake_server.plan.lowering.query import Lowered, QueryLowering

Compile: TypeAlias = "Callable[[Compiler, Any], Expr]"
Lower: TypeAlias = "Callable[[QueryLowering, Any], Lowered]"

_COMPILERS: dict[type[exp.Expr], Compile] = {}
_LOWERINGS: dict[type[exp.Expr], Lower] = {}


def compiles(*classes: type[exp.Expr]) -> Callable[[Compile], Compile]:
    """Register the compiler of expression nodes of these classes."""

    def register(function: Compile) -> Compile:
        for node_class in classes:
            if node_class in _COMPILERS:
                raise ValueError(f"{node_class.__name__} is compiled twice")
            _COMPILERS[node_class] = function
        return function

    return register


def lowers(*classes: type[exp.Expr]) -> Callable[[Lower], Lower]:
    """Register the lowering of queries of these classes."""

    def register(function: Lower) -> Lower:
        for node_class in classes:
            if node_class in _LOWERINGS:
                raise ValueError(f"{node_class.__name__} is lowered twice")
            _LOWERINGS[node_class] = function
        return function

    return register


def label(node: exp.Expr) -> str:
    """How messages name a node: its class in words, unless DuckLake would take them for a reason to try again."""
    words = "".join(f" {letter}" if letter.isupper() else letter for letter in type(node).__name__).strip()
    return "of this kind" if any(word in words.lower() for word in RETRY_WORDS) else words.upper()


def compiler_of(node: exp.Expr) -> Compile:
    """Raises Unsupported naming the node."""
    found = _COMPILERS.get(type(node))
    if found is None:
        raise Unsupported(f"the expression {label(node)} is not supported")
    return found


def lowering_of(node: exp.Expr) -> Lower:
    """Raises Unsupported naming the node."""
    found = _LOWERINGS.get(type(node))
    if found is None:
        raise Unsupported(f"the query {label(node)} is not supported")
    return found


def only(node: exp.Expr, *lowered: str) -> None:
    """Refuse a node that has any argument but ``lowered``. Raises Unsupported naming the clauses."""
    extra = sorted(name for name, value in node.args.items() if value and name not in lowered)
    if extra:
        clauses = ", ".join(name.rstrip("_").replace("_", " ").upper() for name in extra)
        raise Unsupported(f"{label(node)} with {clauses} is not supported")
