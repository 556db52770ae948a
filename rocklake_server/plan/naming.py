"""Identifiers of the tree, and the names that PostgreSQL gives to result columns."""

from __future__ import annotations

from typing import Any

from sqlglot import exp

from rocklake_server.plan.calls import CALLS, call_name
from rocklake_server.plan.type_names import type_of
from rocklake_server.sql.names import fold

UNNAMED = "?column?"
_NAMED_OTHERWISE: dict[type[exp.Expr], str] = {
    exp.ExplodingGenerateSeries: "generate_series", exp.GenerateSeries: "generate_series", exp.Explode: "unnest",
    exp.AtTimeZone: "timezone", exp.StrPosition: "position",
}
_KEYWORDS: dict[type[exp.Expr], str] = {exp.Exists: "exists", exp.Array: "array", exp.Interval: "interval"}


def identifier(node: Any) -> str:
    """A folded identifier."""
    if isinstance(node, exp.TableAlias):
        node = node.this
    return fold(node.name, quoted=bool(node.args.get("quoted")))


def column_name(node: exp.Expr) -> str:
    """The name of a result column without an alias."""
    return _figured(node)[0]


def _figured(node: exp.Expr) -> tuple[str, bool]:
    """(name, whether it is a real name and not a type's or a default's)."""
    if isinstance(node, exp.Column):
        return identifier(node.this), True
    if isinstance(node, exp.Paren | exp.Collate | exp.Bracket):
        return _figured(node.this)
    if isinstance(node, exp.Cast):
        name, real = _figured(node.this)
        return (name, True) if real else (type_of(node.args["to"]).typname.lstrip("_"), False)
    if isinstance(node, exp.Case):
        default = node.args.get("default")
        name, real = ("case", False) if default is None else _figured(default)
        return (name, True) if real else ("case", False)
    if isinstance(node, exp.Subquery):
        select = node.this
        while isinstance(select, exp.SetOperation | exp.Subquery):
            select = select.this
        if isinstance(select, exp.Select) and select.expressions:
            first = select.expressions[0]
            return (identifier(first.args["alias"]), True) if isinstance(first, exp.Alias) else _figured(first)
        return "column1", True
    if type(node) in _KEYWORDS:
        return _KEYWORDS[type(node)], not isinstance(node, exp.Interval)
    if isinstance(node, exp.Window | exp.WithinGroup | exp.Filter):
        return _figured(node.this)
    if isinstance(node, exp.Dot):
        return _figured(node.expression)
    if type(node) in _NAMED_OTHERWISE:
        return _NAMED_OTHERWISE[type(node)], True
    if isinstance(node, exp.Anonymous) or type(node) in CALLS:
        return call_name(node), True
    if isinstance(node, exp.Func) and not isinstance(node, exp.Binary | exp.Connector):
        return type(node).sql_names()[0].lower(), True
    return UNNAMED, False
