"""Functions that make JSON (PostgreSQL manual, JSON Functions); SQLAlchemy reflects columns' options with them."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence

from rocklake_server.errors import InvalidParameterValue
from rocklake_server.plan.applications import Lenient
from rocklake_server.plan.casts import implicit
from rocklake_server.plan.conversions import render
from rocklake_server.plan.expressions import Expr
from rocklake_server.plan.type_rules import is_number
from rocklake_server.schema.types import BOOLEAN, JSON, JSONB, TEXT, UNKNOWN, ColumnType, Form, Value


def _member(kind: ColumnType) -> Callable[[Value], str]:
    """What writes a value of a type as JSON."""
    if kind.element is not None:
        element = _member(kind.element)
        return lambda values: "[" + ",".join(map(element, values if isinstance(values, tuple) else ())) + "]"
    shown = render(kind)
    bare = kind.oid in (BOOLEAN.oid, JSON.oid, JSONB.oid) or (is_number(kind) and kind.form is not Form.FLOAT)

    def member(value: Value) -> str:
        if value is None:
            return "null"
        text = str(shown(value))
        numeric = kind.form is Form.FLOAT and isinstance(value, float) and value - value == 0
        return text if bare or numeric else json.dumps(text, ensure_ascii=False)

    return member


def build_object(arguments: Sequence[Expr]) -> Expr:
    """``json_build_object(key, value, ...)``. Raises InvalidParameterValue."""
    if len(arguments) % 2:
        raise InvalidParameterValue("argument list must have even number of elements")
    typed = tuple(implicit(node, TEXT) if node.type.oid == UNKNOWN.oid else node for node in arguments)
    keys = [render(node.type) for node in typed[::2]]
    members = [_member(node.type) for node in typed[1::2]]

    def build(*values: Value) -> str:
        pairs = []
        for key, member, name, value in zip(keys, members, values[::2], values[1::2], strict=True):
            if name is None:
                raise InvalidParameterValue("null value not allowed for object key")
            pairs.append(f"{json.dumps(str(key(name)), ensure_ascii=False)} : {member(value)}")
        return "{" + ", ".join(pairs) + "}"

    return Lenient(JSON, build, typed)
