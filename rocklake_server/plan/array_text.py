"""Arrays as text, and qualified names as arrays of their parts."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from rocklake_server.errors import InvalidParameterValue
from rocklake_server.plan.applications import Lenient
from rocklake_server.plan.conversions import render
from rocklake_server.plan.overloads import Overload
from rocklake_server.schema.types import (
    ARRAYS,
    BOOLEAN,
    TEXT,
    VECTORS,
    ColumnType,
    Form,
    Value,
    array_of,
)
from rocklake_server.sql.names import fold

Items = tuple[Value, ...]


def _to_string(kind: ColumnType) -> Overload:
    element = kind.element
    assert element is not None
    to_text = render(element)

    def join(values: Items | None, separator: str | None, null: str | None = None) -> str | None:
        if values is None or separator is None:
            return None
        shown = (null if value is None else str(to_text(value)) for value in values)
        return separator.join(part for part in shown if part is not None)

    return Overload((kind, TEXT, TEXT), TEXT, join, Lenient, optional=1)


def _over_all(make: Callable[[ColumnType], Overload]) -> tuple[Overload, ...]:
    return tuple(make(kind) for kind in (*ARRAYS, *VECTORS) if kind.element and kind.element.form is not Form.TID)


def _parse_ident(text: str, strict: bool | None = True) -> Value:
    """The parts of a qualified name. Raises InvalidParameterValue; what follows a name is let pass unless strict."""
    parts: list[str] = []
    position = 0
    while (part := _PART.match(text, position)) is not None:
        bare, quoted = part["bare"], part["quoted"]
        parts.append(fold(bare, quoted=False) if quoted is None else quoted.replace('""', '"'))
        position = part.end()
        if not text.startswith(".", position):
            break
        position += 1
    if not parts or text[position - 1:position] == "." or (strict and position < len(text)):
        raise InvalidParameterValue(f'string is not a valid identifier: "{text}"')
    return tuple(parts)


_PART = re.compile(r'\s*(?:"(?P<quoted>(?:[^"]|"")+)"|(?P<bare>[^\W\d][\w$]*))\s*')

FUNCTIONS: Mapping[str, tuple[Overload, ...]] = {
    "parse_ident": (Overload((TEXT, BOOLEAN), array_of(TEXT), _parse_ident, optional=1),),
    "array_to_string": _over_all(_to_string),
}
