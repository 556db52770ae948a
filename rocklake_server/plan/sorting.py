"""Sorting rows, and keys under which equal rows are equal."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from heapq import merge
from typing import Any

from rocklake_server.catalog.view import Row
from rocklake_server.pacing import ROWS_PER_CHECK, checked, checkpoint, slices
from rocklake_server.plan.comparisons import equality_key, order_key
from rocklake_server.plan.expressions import Expr
from rocklake_server.schema.types import ColumnType, Value


def row_key(types: Sequence[ColumnType]) -> Callable[[Row], Any]:
    """A hashable form of whole rows under which equal rows are equal."""
    if all(order_key(kind) is None for kind in types):
        return lambda row: row
    keys = [equality_key(kind) for kind in types]
    return lambda row: tuple([key(value) for key, value in zip(keys, row, strict=True)])


RUN_ROWS = 1024
"""Rows that are sorted in one call."""


@dataclass(frozen=True, slots=True)
class SortKey:
    expression: Expr
    descending: bool = False
    nulls_first: bool = False


def sort_rows(content: list[Any], keys: Sequence[tuple[Callable[[Any], Value], SortKey]]) -> None:
    """Sort in place, stably; the getters take the list's elements."""
    for getter, sort in reversed(keys):
        order = order_key(sort.expression.type) or (lambda value: value)
        nulls: list[Any] = []
        present: list[Any] = []
        for item in checked(content):
            (nulls if getter(item) is None else present).append(item)
        present = _sorted(present, _ordering(getter, order), reverse=sort.descending)
        content[:] = nulls + present if sort.nulls_first else present + nulls


def _sorted(items: list[Any], key: Callable[[Any], Any], *, reverse: bool) -> list[Any]:
    """Long lists as sorted runs that are merged, since a sort in one call cannot be left."""
    if len(items) <= RUN_ROWS:
        return sorted(items, key=key, reverse=reverse)
    runs = [sorted(run, key=key, reverse=reverse) for run in slices(items, RUN_ROWS)]
    ordered = []
    for number, item in enumerate(merge(*runs, key=key, reverse=reverse)):
        if not number % ROWS_PER_CHECK:
            checkpoint()
        ordered.append(item)
    return ordered


def _ordering(getter: Callable[[Any], Value], order: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda item: order(getter(item))
