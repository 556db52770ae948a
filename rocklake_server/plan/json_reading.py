"""Functions and operators that take JSON apart (PostgreSQL manual, JSON Functions and Operators)."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any

from rocklake_server.errors import InvalidParameterValue, ProgramLimitExceeded, StatementTooComplex
from rocklake_server.limits import JSON_CHARACTERS_MAX
from rocklake_server.pgformat import json_parts as parts
from rocklake_server.pgformat.json_text import jsonb_text
from rocklake_server.plan.applications import Lengthy
from rocklake_server.plan.json_functions import quoted
from rocklake_server.plan.overloads import Overload
from rocklake_server.schema.types import (
    BOOLEAN,
    INTEGER,
    JSON,
    JSONB,
    TEXT,
    ColumnType,
    Value,
    array_of,
)

TEXTS = array_of(TEXT)
_PATH_CHARACTERS_MAX = 4 * JSON_CHARACTERS_MAX
"""Characters that are read to follow one path: each step reads what is below it."""

_SUBSCRIPT = re.compile(r"[ \t\n\v\f\r]*[+-]?[0-9]{1,10}").fullmatch


def bounded_depth(function: Callable[..., Value]) -> Callable[..., Value]:
    """A text that was read once can be too deep to be read again, further down in the interpreter."""
    @wraps(function)
    def called(*arguments: Any) -> Value:
        try:
            return function(*arguments)
        except RecursionError:
            raise StatementTooComplex.default() from None

    return called


def opened(text: str) -> str:
    """A json or jsonb whose strings are going to be read."""
    return parts.checked_escapes(parts.bare(text))


def _field(text: str, key: str) -> str | None:
    found = parts.members(opened(text))
    return None if found is None else dict(found).get(key)


def _element(text: str, index: int) -> str | None:
    found = parts.elements(opened(text))
    return None if found is None or not -len(found) <= index < len(found) else found[index]


def _at_path(text: str, path: tuple[str | None, ...]) -> str | None:
    current: str | None = opened(text)
    if None in path:
        return None
    room = _PATH_CHARACTERS_MAX
    for step in path:
        assert step is not None
        if current is None:
            return None
        room -= len(current)
        if room < 0:
            raise ProgramLimitExceeded("a path this deep into a json this long is not supported")
        if current.startswith("{"):
            current = _field(current, step)
        elif current.startswith("[") and _SUBSCRIPT(step):
            current = _element(current, int(step))
        else:
            return None
    return current


def _shown(function: Callable[..., str | None]) -> Callable[..., str | None]:
    """The value as text."""
    def shown(*arguments: Any) -> str | None:
        found = function(*arguments)
        return None if found is None else parts.as_text(found)

    return shown


def _length(text: str) -> int:
    found = parts.elements(parts.bare(text))
    if found is None:
        what = "a non-array" if parts.kind_of(text) == "object" else "a scalar"
        raise InvalidParameterValue(f"cannot get array length of {what}")
    return len(found)


def _keys(text: str) -> frozenset[str]:
    """An object's keys; strings that are an array's elements, or the value itself."""
    bare = parts.bare(text)
    members, elements = parts.members(bare), parts.elements(bare)
    if members is not None:
        return frozenset(key for key, _each in members)
    strings = [bare] if elements is None else elements
    return frozenset(str(parts.as_text(each)) for each in strings if each.startswith('"'))


def _has_key(text: str, key: str) -> bool:
    return key in _keys(text)


def _contains(outer: str, inner: str) -> bool:
    return parts.contains(parts.value_of(outer), parts.value_of(inner))


def _is_contained(inner: str, outer: str) -> bool:
    return _contains(outer, inner)


def _has_any(text: str, keys: tuple[str | None, ...]) -> bool:
    return not _keys(text).isdisjoint(key for key in keys if key is not None)


def _has_all(text: str, keys: tuple[str | None, ...]) -> bool:
    return _keys(text).issuperset(key for key in keys if key is not None)


def _joined(left: str, right: str) -> str:
    """``||``: members of both objects, else the elements of both, what is no array as one."""
    first, second = parts.members(left), parts.members(right)
    if first is not None and second is not None:
        return jsonb_text("{" + ", ".join(f"{quoted(key)}: {each}" for key, each in (*first, *second)) + "}")
    listed = [*(parts.elements(left) or _as_element(left)), *(parts.elements(right) or _as_element(right))]
    return "[" + ", ".join(listed) + "]"


def _as_element(text: str) -> list[str]:
    return [] if text == "[]" else [text]


def _without(text: str, keys: tuple[str | None, ...]) -> str:
    members, elements, listed = parts.members(text), parts.elements(text), frozenset(keys)
    if members is not None:
        kept = (f"{jsonb_text(quoted(key))}: {each}" for key, each in members if key not in listed)
        return "{" + ", ".join(kept) + "}"
    if elements is None:
        raise InvalidParameterValue("cannot delete from scalar")
    gone = {jsonb_text(quoted(key)) for key in listed if key is not None}
    return "[" + ", ".join(each for each in elements if each not in gone) + "]"


def _without_element(text: str, index: int) -> str:
    elements = parts.elements(text)
    if elements is None:
        if text.startswith("{"):
            raise InvalidParameterValue("cannot delete from object using integer index")
        raise InvalidParameterValue("cannot delete from scalar")
    if -len(elements) <= index < len(elements):
        del elements[index]
    return "[" + ", ".join(elements) + "]"


def _both(name: str, function: Callable[..., Value], *arguments: ColumnType, result: ColumnType,
          variadic: bool = False) -> Mapping[str, tuple[Overload, ...]]:
    """The same function of json and of jsonb; a result of type json is the argument's type."""
    return {
        f"{kind.typname}_{name}": (
            Overload((kind, *arguments), kind if result.oid == JSON.oid else result, bounded_depth(function),
                     Lengthy, variadic=variadic),
        )
        for kind in (JSON, JSONB)
    }


def _path_of(function: Callable[..., str | None]) -> Callable[..., str | None]:
    return lambda text, *path: function(text, path)


FUNCTIONS: Mapping[str, tuple[Overload, ...]] = {
    **_both("typeof", parts.kind_of, result=TEXT),
    **_both("array_length", _length, result=INTEGER),
    **_both("extract_path", _path_of(_at_path), TEXT, result=JSON, variadic=True),
    **_both("extract_path_text", _path_of(_shown(_at_path)), TEXT, result=TEXT, variadic=True),
}

OPERATORS: Mapping[str, tuple[Overload, ...]] = {
    symbol: tuple(
        Overload((left, right), left if result.oid == JSON.oid else result, bounded_depth(function), Lengthy)
        for left in lefts for right, function in rights
    )
    for symbol, lefts, rights, result in (
        ("->", (JSON, JSONB), ((TEXT, _field), (INTEGER, _element)), JSON),
        ("->>", (JSON, JSONB), ((TEXT, _shown(_field)), (INTEGER, _shown(_element))), TEXT),
        ("#>", (JSON, JSONB), ((TEXTS, _at_path),), JSON),
        ("#>>", (JSON, JSONB), ((TEXTS, _shown(_at_path)),), TEXT),
        ("@>", (JSONB,), ((JSONB, _contains),), BOOLEAN),
        ("<@", (JSONB,), ((JSONB, _is_contained),), BOOLEAN),
        ("?", (JSONB,), ((TEXT, _has_key),), BOOLEAN),
        ("?|", (JSONB,), ((TEXTS, _has_any),), BOOLEAN),
        ("?&", (JSONB,), ((TEXTS, _has_all),), BOOLEAN),
        ("||", (JSONB,), ((JSONB, _joined),), JSONB),
        ("-", (JSONB,), ((TEXT, lambda text, key: _without(text, (key,))), (INTEGER, _without_element),
                         (TEXTS, _without)), JSONB),
    )
}
"""What each operator does, by the types of its sides; the first of those that fit equally well is taken."""
