"""Identifiers of the tree, and the names that PostgreSQL gives to result columns."""

from __future__ import annotations

from typing import Any

from sqlglot import exp

from rocklake_server.plan.calls import CALLS, call_name
from rocklake_server.plan.type_names import type_of
from rocklake_server.sql.names import fold

UNNAMED = "?column?"


def identifier(node: Any) -> str:
    """A folded identifier."""
    if isinstance(node, exp.TableAlias):
        node = node.this
    return fold(node.name, quoted=bool(node.args.get("quoted")))


def column_name(node: exp.Expression) -> str:
    """The name of a result column without an alias."""
    return _figured(node)[0]


def _figured(node: exp.Expression) -> tuple[str, bool]:
    """(name, whether it is a real name and not a type's or a default's)."""
    if isinstance(node, exp.Column):
        return identifier(node.this), True
    if isinstance(node, exp.Paren | exp.Collate):
        return _figured(node.this)
    if isinstance(node, exp.Cast):
        name, real = _figured(node.this)
        return (name, True) if real else (type_of(node.args["to"]).typname, False)
    if isinstance(node, exp.Case):
        default = node.args.get("default")
        if default is not None:
            name, real = _figured(default)
            if real:
                return name, True
        return "case", False
    if isinstance(node, exp.Boolean):
        return "bool", False
    if isinstance(node, exp.Subquery):
        select = node.this
        while isinstance(select, exp.SetOperation | exp.Subquery):
            select = select.this
        if isinstance(select, exp.Select) and select.expressions:
            first = select.expressions[0]
            return (identifier(first.args["alias"]), True) if isinstance(first, exp.Alias) else _figured(first)
        return "column1", True
    if isinstance(node, exp.Exists):
        return "exists", True
    if isinstance(node, exp.Array):
        return "array", True
    if isinstance(node, exp.Filter | exp.Dot):
        return _figured(node.this if isinstance(node, exp.Filter) else node.expression)
    if isinstance(node, exp.Anonymous) or type(node) in CALLS:
        return call_name(node), True
    return UNNAMED, False
