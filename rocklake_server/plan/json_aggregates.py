"""json_agg, json_object_agg and their jsonb twins: the folds over a group's values."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from rocklake_server.errors import InvalidParameterValue, Unsupported
from rocklake_server.pacing import checked
from rocklake_server.plan.applications import Lenient
from rocklake_server.plan.expressions import Expr
from rocklake_server.plan.json_functions import (
    RowValue,
    finished,
    key_writer,
    shown_argument,
    typed_argument,
    writer,
)
from rocklake_server.plan.overloads import undefined_function
from rocklake_server.plan.text_functions import bounded
from rocklake_server.schema.types import JSON, JSONB, TEXT, ColumnType, Value

_RESULTS = {"json_agg": JSON, "jsonb_agg": JSONB, "json_object_agg": JSON, "jsonb_object_agg": JSONB}
NAMES = frozenset(_RESULTS)

Fold = Callable[[list[Any]], Value]


def _joined(parts: list[str], separator: str) -> str:
    bounded(sum(map(len, parts)) + len(separator) * len(parts))
    return separator.join(parts)


def _array(kind: ColumnType, node: Expr) -> Fold:
    write, finish = writer(node.type), finished(kind)
    breaks = isinstance(node, RowValue) or node.type.element is not None
    separator = ", \n " if breaks else ", "

    def fold(rows: list[Any]) -> Value:
        if not rows:
            return None
        return finish("[" + _joined([write(row[0]) for row in checked(rows)], separator) + "]")

    return fold


def _object(kind: ColumnType) -> Fold:
    finish = finished(kind)

    def fold(rows: list[Any]) -> Value:
        if not rows:
            return None
        members = [row[0] for row in checked(rows)]
        if None in members:
            raise InvalidParameterValue("field name must not be null")
        return finish("{ " + _joined(members, ", ") + " }")

    return fold


def _member(arguments: Sequence[Expr]) -> Expr:
    """A member's text, NULL under a NULL key: whether that row takes part is known later."""
    typed = tuple(map(shown_argument, arguments))
    key, value = key_writer(typed[0].type), writer(typed[1].type)
    return Lenient(TEXT, lambda name, content: None if name is None else f"{key(name)} : {value(content)}", typed)


def json_aggregate(name: str, arguments: Sequence[Expr], *, distinct: bool) -> tuple[ColumnType, Expr, Fold]:
    """(result type, what is folded, fold); NULLs take part. Raises UndefinedFunction, Unsupported."""
    kind = _RESULTS[name]
    if name.endswith("_object_agg"):
        if len(arguments) != 2:
            raise undefined_function(name, arguments)
        if distinct:
            raise Unsupported(f"DISTINCT in {name}() is not supported")
        return kind, _member(arguments), _object(kind)
    if len(arguments) != 1:
        raise undefined_function(name, arguments)
    node = typed_argument(arguments[0])
    return kind, node, _array(kind, node)
