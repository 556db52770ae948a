"""Functions that return what is in a JSON as rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from rocklake_server.errors import InvalidParameterValue
from rocklake_server.pgformat import json_parts as parts
from rocklake_server.plan.applications import Lengthy
from rocklake_server.plan.expressions import Expr
from rocklake_server.plan.json_reading import bounded_depth, opened
from rocklake_server.plan.overloads import Overload, call
from rocklake_server.plan.set_functions import SET_FUNCTIONS, SetCall, elements
from rocklake_server.schema.types import JSON, JSONB, TEXT, ColumnType, Value, array_of


def _members(name: str, text: str) -> list[tuple[str, str]]:
    found = parts.members(opened(text))
    if found is None:
        what = "an array" if parts.kind_of(text) == "array" else "a scalar"
        raise InvalidParameterValue(f"cannot call {name} on {what}")
    return found


def _each(name: str, kind: ColumnType, *, as_text: bool) -> Callable[[Sequence[Expr]], SetCall]:
    def rows(text: str) -> Value:
        shown: Callable[[str], Any] = parts.as_text if as_text else str
        return tuple((key, shown(each)) for key, each in _members(name, text))

    def made(arguments: Sequence[Expr]) -> SetCall:
        columns = (("key", TEXT), ("value", TEXT if as_text else kind))
        return SetCall(_call(name, kind, TEXT, rows, arguments), columns)

    return made


def _keys(name: str, kind: ColumnType) -> Callable[[Sequence[Expr]], SetCall]:
    def keys(text: str) -> Value:
        return tuple(key for key, _each in _members(name, text))

    return lambda arguments: SetCall(_call(name, kind, TEXT, keys, arguments), ((name, TEXT),), elements)


def _elements(name: str, kind: ColumnType, *, as_text: bool) -> Callable[[Sequence[Expr]], SetCall]:
    result = TEXT if as_text else kind

    def values(text: str) -> Value:
        found = parts.elements(opened(text))
        if found is None:
            what = "an object" if parts.kind_of(text) == "object" else "a scalar"
            raise InvalidParameterValue(f"cannot extract elements from {what}")
        return tuple(map(parts.as_text, found)) if as_text else tuple(found)

    return lambda arguments: SetCall(
        _call(name, kind, result, values, arguments), (("value", result),), elements, named=True)


def _call(name: str, kind: ColumnType, element: ColumnType, function: Callable[[str], Value],
          arguments: Sequence[Expr]) -> Expr:
    return call(name, (Overload((kind,), array_of(element), bounded_depth(function), Lengthy),), arguments)


for _kind in (JSON, JSONB):
    _prefix = _kind.typname
    SET_FUNCTIONS[f"{_prefix}_object_keys"] = _keys(f"{_prefix}_object_keys", _kind)
    for _suffix in ("", "_text"):
        _name = f"{_prefix}_each{_suffix}"
        SET_FUNCTIONS[_name] = _each(_name, _kind, as_text=bool(_suffix))
        _name = f"{_prefix}_array_elements{_suffix}"
        SET_FUNCTIONS[_name] = _elements(_name, _kind, as_text=bool(_suffix))
