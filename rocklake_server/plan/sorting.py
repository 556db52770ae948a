"""Sorting rows, and keys under which equal rows are equal."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from rocklake_server.catalog.view import Row
from rocklake_server.plan.comparisons import equality_key, order_key
from rocklake_server.plan.expressions import Expr
from rocklake_server.schema.types import ColumnType, Value


def row_key(types: Sequence[ColumnType]) -> Callable[[Row], Any]:
    """A hashable form of whole rows under which equal rows are equal."""
    if all(order_key(kind) is None for kind in types):
        return lambda row: row
    keys = [equality_key(kind) for kind in types]
    return lambda row: tuple([key(value) for key, value in zip(keys, row, strict=True)])


@dataclass(frozen=True, slots=True)
class SortKey:
    expression: Expr
    descending: bool = False
    nulls_first: bool = False


def sort_rows(content: list[Any], keys: Sequence[tuple[Callable[[Any], Value], SortKey]]) -> None:
    """Sort in place, stably; the getters take the list's elements."""
    for getter, sort in reversed(keys):
        order = order_key(sort.expression.type) or (lambda value: value)
        nulls = [item for item in content if getter(item) is None]
        present = [item for item in content if getter(item) is not None] if nulls else content[:]
        present.sort(key=_ordering(getter, order), reverse=sort.descending)
        content[:] = nulls + present if sort.nulls_first else present + nulls


def _ordering(getter: Callable[[Any], Value], order: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda item: order(getter(item))
