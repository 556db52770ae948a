"""Functions that make JSON (PostgreSQL manual, JSON Functions and Operators): a json's text has the spaces that
PostgreSQL writes, a jsonb's is read anew."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from rocklake_server.errors import DatatypeMismatch, InvalidParameterValue, Unsupported
from rocklake_server.pgformat.json_text import jsonb_text
from rocklake_server.plan.applications import Lengthy, Lenient, Strict
from rocklake_server.plan.casts import implicit
from rocklake_server.plan.conversions import render
from rocklake_server.plan.expressions import Expr
from rocklake_server.plan.overloads import undefined_function
from rocklake_server.plan.registered import is_registered, write_name
from rocklake_server.plan.text_functions import bounded
from rocklake_server.plan.type_rules import is_number
from rocklake_server.schema.types import (
    BOOLEAN,
    JSON,
    JSONB,
    TEXT,
    TIMESTAMPTZ,
    UNKNOWN,
    ColumnType,
    Form,
    Value,
)

Write: TypeAlias = Callable[[Value], str]

_WHOLE_HOURS = re.compile(r"([+-][0-9]{2})(?= BC$|$)").sub
_JSON = frozenset({JSON.oid, JSONB.oid})


@dataclass(frozen=True, slots=True)
class RowValue(Lenient):
    """A row as the json that its columns make; NULL where an outer join found none."""


def quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _moment(shown: Callable[[Value], Value], *, zoned: bool) -> Write:
    """ISO 8601 with a T, and an offset with minutes."""
    def write(value: Value) -> str:
        text = str(shown(value)).replace(" ", "T", 1)
        whole = _WHOLE_HOURS(r"\1:00", text) if zoned else text
        return f'"{whole}"'

    return write


def writer(kind: ColumnType) -> Write:
    """What writes a value of a type as JSON, NULL as null."""
    present = _present(kind)
    return lambda value: "null" if value is None else present(value)


def _present(kind: ColumnType) -> Write:
    if kind.element is not None:
        element = writer(kind.element)
        return lambda values: "[" + ",".join(map(element, values if isinstance(values, tuple) else ())) + "]"
    shown = render(kind)
    if kind.form is Form.TIMESTAMP:
        return _moment(shown, zoned=kind.oid == TIMESTAMPTZ.oid)
    if kind.oid in _JSON or kind.oid == BOOLEAN.oid:
        return lambda value: str(shown(value))
    if is_number(kind):
        return lambda value: _number(str(shown(value)))
    return lambda value: quoted(str(shown(value)))


def _number(text: str) -> str:
    return text if text[-1].isdigit() else f'"{text}"'


def shown_argument(node: Expr) -> Expr:
    """An argument of any type: untyped literals as text, objects by their names."""
    if node.type.oid == UNKNOWN.oid:
        return implicit(node, TEXT)
    return write_name(node) if is_registered(node.type) else node


def key_writer(kind: ColumnType) -> Write:
    """What writes an object's key. Raises InvalidParameterValue for a type that is none."""
    if kind.element is not None or kind.oid in _JSON:
        raise InvalidParameterValue("key value must be scalar, not array, composite, or json")
    present = _present(kind)

    def write(value: Value) -> str:
        text = present(value)
        return text if text.startswith('"') else f'"{text}"'

    return write


def finished(kind: ColumnType) -> Callable[[str], str]:
    """From a json's text to the value of ``kind``."""
    return jsonb_text if kind.oid == JSONB.oid else str


def _bounded(text: str) -> str:
    bounded(len(text))
    return text


def _build_object(kind: ColumnType, arguments: Sequence[Expr]) -> Expr:
    if len(arguments) % 2:
        raise InvalidParameterValue("argument list must have even number of elements")
    typed = tuple(map(shown_argument, arguments))
    keys = [key_writer(node.type) for node in typed[::2]]
    members = [writer(node.type) for node in typed[1::2]]
    finish = finished(kind)

    def build(*values: Value) -> str:
        pairs = []
        for position, (key, member, name, value) in enumerate(
                zip(keys, members, values[::2], values[1::2], strict=True)):
            if name is None:
                raise InvalidParameterValue(f"argument {2 * position + 1} cannot be null",
                                            hint="Object keys should be text.")
            pairs.append(f"{key(name)} : {member(value)}")
        return finish(_bounded("{" + ", ".join(pairs) + "}"))

    return Lenient(kind, build, typed)


def _build_array(kind: ColumnType, arguments: Sequence[Expr]) -> Expr:
    typed = tuple(map(shown_argument, arguments))
    members = [writer(node.type) for node in typed]
    finish = finished(kind)

    def build(*values: Value) -> str:
        written = (member(value) for member, value in zip(members, values, strict=True))
        return finish(_bounded("[" + ", ".join(written) + "]"))

    return Lenient(kind, build, typed)


def typed_argument(node: Expr) -> Expr:
    """An argument that has to have a type. Raises DatatypeMismatch."""
    if node.type.oid == UNKNOWN.oid:
        raise DatatypeMismatch("could not determine polymorphic type because input has type unknown")
    return shown_argument(node)


def _to_json(name: str, kind: ColumnType, arguments: Sequence[Expr]) -> Expr:
    if len(arguments) != 1:
        raise undefined_function(name, arguments)
    node = typed_argument(arguments[0])
    write, finish = writer(node.type), finished(kind)
    return Lengthy(kind, lambda value: finish(_bounded(write(value))), (node,))


def _row_to_json(arguments: Sequence[Expr]) -> Expr:
    _refuse_line_feeds("row_to_json", arguments)
    if len(arguments) != 1 or not isinstance(arguments[0], RowValue):
        raise undefined_function("row_to_json", arguments)
    return Strict(JSON, lambda text: text, (arguments[0],))


def _refuse_line_feeds(name: str, arguments: Sequence[Expr]) -> None:
    if len(arguments) == 2:
        raise Unsupported(f"{name}() with line feeds is not supported")


def _array_to_json(arguments: Sequence[Expr]) -> Expr:
    _refuse_line_feeds("array_to_json", arguments)
    if len(arguments) != 1 or arguments[0].type.element is None:
        raise undefined_function("array_to_json", arguments)
    return _to_json("array_to_json", JSON, arguments)


def row_value(names: Sequence[str], columns: Sequence[Expr], present: Expr | None = None) -> Expr:
    """A row of named columns, as ``row_to_json`` writes it; NULL where ``present`` is."""
    typed = tuple(map(shown_argument, columns))
    keys = [quoted(name) for name in names]
    members = [writer(node.type) for node in typed]

    def build(found: Value, *values: Value) -> Value:
        if found is None:
            return None
        pairs = (f"{key}:{member(value)}" for key, member, value in zip(keys, members, values, strict=True))
        return _bounded("{" + ",".join(pairs) + "}")

    if present is None:
        return RowValue(JSON, lambda *values: build(True, *values), typed)
    return RowValue(JSON, build, (present, *typed))


BUILDERS: Mapping[str, Callable[[Sequence[Expr]], Expr]] = {
    "json_build_object": lambda arguments: _build_object(JSON, arguments),
    "jsonb_build_object": lambda arguments: _build_object(JSONB, arguments),
    "json_build_array": lambda arguments: _build_array(JSON, arguments),
    "jsonb_build_array": lambda arguments: _build_array(JSONB, arguments),
    "to_json": lambda arguments: _to_json("to_json", JSON, arguments),
    "to_jsonb": lambda arguments: _to_json("to_jsonb", JSONB, arguments),
    "row_to_json": _row_to_json,
    "array_to_json": _array_to_json,
}
