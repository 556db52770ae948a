"""Conversions between types: explicit casts, assignment casts and the reading of untyped literals.

Source: PostgreSQL manual, CREATE CAST and Type Conversion. Zone-less and zoned timestamps meet in the session's zone.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from rocklake_server.errors import DatatypeMismatch
from rocklake_server.pgformat.coerce import coerce
from rocklake_server.pgformat.text import session_text_decoder
from rocklake_server.plan.applications import Lengthy, Strict
from rocklake_server.plan.conversions import Convert, conversion
from rocklake_server.plan.expressions import Constant, Expr, Parameter, Slot
from rocklake_server.plan.registered import is_registered, read_name, write_name
from rocklake_server.plan.type_rules import (
    assignable,
    is_string,
    widens,
)
from rocklake_server.schema.types import (
    BPCHAR,
    JSON,
    JSONB,
    UNKNOWN,
    ColumnType,
    Form,
)


@dataclass(frozen=True, slots=True)
class Conversion(Strict):
    """The argument's value as another type."""


def _modifier(target: ColumnType, *, explicit: bool) -> Convert | None:
    """What applies the target's length, precision or scale; an explicit cast cuts strings silently."""
    if target.typmod == -1:
        return None
    if explicit and target.form is Form.TEXT:
        return _cut(target.typmod - 4, pads=target.oid == BPCHAR.oid)
    return coerce(target)


def _cut(length: int, *, pads: bool) -> Convert:
    def cut(text: str) -> str:
        return text[:length].ljust(length) if pads else text[:length]

    return cut


def converter(source: ColumnType, target: ColumnType, *, explicit: bool) -> Convert | None:
    """Conversion and modifier in one function; ``None`` when nothing is to be done."""
    modify = None if source == target else _modifier(target, explicit=explicit)
    if source.oid == target.oid or widens(source, target):
        return modify
    convert = conversion(source, target)
    return convert if modify is None else (lambda value: modify(convert(value)))


def read_untyped(node: Expr, target: ColumnType) -> Expr:
    """An untyped literal, NULL or parameter as ``target``."""
    bare = target.with_typmod(-1)
    if isinstance(node, Parameter):
        node.types.decide(node.number, bare)
        return replace(node, type=bare)
    if isinstance(node, Constant) and node.content is None:
        return Constant(bare, None)
    if is_registered(target):
        return read_name(node, target)
    decode = session_text_decoder(bare)
    if isinstance(node, Constant):
        assert isinstance(node.content, str)
        return Constant(bare, decode(node.content))
    return _reader(target, Strict)(bare, decode, (node,))


def _reader(target: ColumnType, other: type[Strict]) -> type[Strict]:
    return Lengthy if target.oid in (JSON.oid, JSONB.oid) else other


def cast(node: Expr, target: ColumnType) -> Expr:
    """``CAST(node AS target)``."""
    if node.type.oid == UNKNOWN.oid:
        node = read_untyped(node, target)
    elif is_registered(target) and is_string(node.type):
        return read_name(node, target)
    elif is_registered(node.type) and is_string(target):
        return _converted(write_name(node), target, explicit=True)
    return _converted(node, target, explicit=True)


def implicit(node: Expr, target: ColumnType) -> Expr:
    """``node`` as ``target`` where type resolution chose that type."""
    if node.type.oid == UNKNOWN.oid:
        return read_untyped(node, target)
    return _converted(node, target, explicit=False)


def assign(node: Expr, target: ColumnType, column: str) -> Expr:
    """``node`` stored in a column. Raises DatatypeMismatch."""
    if node.type.oid == UNKNOWN.oid:
        node = read_untyped(node, target)
    if not assignable(node.type, target):
        raise DatatypeMismatch(
            f'column "{column}" is of type {target.name} but expression is of type {node.type.name}',
            hint="You will need to rewrite or cast the expression.",
        )
    return _converted(node, target, explicit=False)


def _converted(node: Expr, target: ColumnType, *, explicit: bool) -> Expr:
    if node.type == target:
        return node
    function = converter(node.type, target, explicit=explicit)
    if function is None:
        return retyped(node, target)
    if isinstance(node, Constant):
        return Constant(target, None if node.content is None else function(node.content))
    return _reader(target, Conversion)(target, function, (node,))


def retyped(node: Expr, target: ColumnType) -> Expr:
    """The same values under another name."""
    if isinstance(node, Slot | Constant):
        return replace(node, type=target)
    return Conversion(target, lambda value: value, (node,))

