"""Looking through and rewriting expressions: which columns they read, and the same reading elsewhere."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, replace
from typing import Any

from rocklake_server.plan.expressions import ColumnRef, Expr, OuterRef


def references(node: Expr) -> set[int]:
    """The indexes of the current row that ``node`` reads, correlated subqueries left out."""
    if isinstance(node, ColumnRef):
        return {node.index}
    found: set[int] = set()
    for child in node.children:
        found |= references(child)
    return found


def reads_outer(node: Expr) -> bool:
    """Whether the value of ``node`` changes with the row of an enclosing query."""
    return isinstance(node, OuterRef) or has_correlation(node) or any(reads_outer(child) for child in node.children)


def has_correlation(node: Expr) -> bool:
    """Whether a subquery of ``node`` reads enclosing rows."""
    return any(getattr(subquery, "correlated", True) for subquery in node.subqueries)


def rewrite(node: Expr, change: Callable[[ColumnRef], Expr]) -> Expr:
    """``node`` with every column reference changed."""
    if isinstance(node, ColumnRef):
        return change(node)
    if node.constant:
        return node
    changes: dict[str, Any] = {}
    for field in fields(node):
        value = getattr(node, field.name)
        changed = _rewrite_value(value, change)
        if changed is not value:
            changes[field.name] = changed
    return replace(node, **changes) if changes else node


def _rewrite_value(value: Any, change: Callable[[ColumnRef], Expr]) -> Any:
    if isinstance(value, Expr):
        return rewrite(value, change)
    if isinstance(value, tuple) and value:
        changed = tuple(_rewrite_value(item, change) for item in value)
        return changed if any(new is not old for new, old in zip(changed, value, strict=True)) else value
    return value


def shift(node: Expr, offset: int) -> Expr:
    """``node`` over rows in which its columns stand ``offset`` places further."""
    if offset == 0:
        return node
    return rewrite(node, lambda column: replace(column, index=column.index + offset))
