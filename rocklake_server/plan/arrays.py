"""Arrays in expressions: subscripts, concatenation, and functions over arrays of any element type.

Arrays have one dimension, whose first subscript is 1; that of a vector (int2vector, oidvector) is 0.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from sqlglot import exp

from rocklake_server.errors import DatatypeMismatch, InvalidParameterValue, Unsupported
from rocklake_server.plan import casts
from rocklake_server.plan.applications import Lenient, Strict
from rocklake_server.plan.comparisons import equality_key
from rocklake_server.plan.compiler import Compiler
from rocklake_server.plan.conversions import render
from rocklake_server.plan.dispatch import only
from rocklake_server.plan.expressions import Constant, Expr
from rocklake_server.plan.lowering.query import refuse_slots_in
from rocklake_server.plan.overloads import Overload
from rocklake_server.plan.type_rules import common_type
from rocklake_server.schema.types import (
    ARRAYS,
    BOOLEAN,
    INTEGER,
    JSON,
    JSONB,
    TEXT,
    UNKNOWN,
    VECTORS,
    ColumnType,
    Form,
    Value,
    array_of,
)
from rocklake_server.sql.names import fold

Items = tuple[Value, ...]


def first_subscript(kind: ColumnType) -> int:
    return 0 if kind in VECTORS else 1


def subscript(compiler: Compiler, node: exp.Bracket) -> Expr:
    """``array[index]``: NULL outside of it. Raises DatatypeMismatch for what is no array, Unsupported."""
    only(node, "this", "expressions")
    if len(node.expressions) != 1 or isinstance(node.expressions[0], exp.Slice):
        raise Unsupported("this subscript of an array is not supported")
    refuse_slots_in(node.expressions[0])
    array, index = compiler.compile(node.this), _index(compiler, node.expressions[0])
    element = array.type.element
    if element is None:
        raise DatatypeMismatch(f"cannot subscript type {array.type.name} because it does not support subscripting")
    first = first_subscript(array.type)

    def item(values: Items, position: int) -> Value:
        place = position - first
        return values[place] if 0 <= place < len(values) else None

    return Strict(element, item, (array, index))


def _index(compiler: Compiler, node: exp.Expr) -> Expr:
    """The subscript as written: the parser counts constant ones from 0. Raises Unsupported for what it may have
    changed otherwise."""
    if isinstance(node, exp.Literal) and not node.is_string:
        return Constant(INTEGER, int(node.this) + 1)
    unchanged = node.type is not None and node.type.this == exp.DataType.Type.UNKNOWN
    if unchanged or isinstance(node, exp.Column | exp.Parameter):
        return casts.implicit(compiler.compile(node), INTEGER)
    raise Unsupported("a computed subscript of an array is not supported")


def joined_arrays(left: Expr, right: Expr) -> Expr:
    """``||`` where one side is an array: two arrays, or an array and an element."""
    array = left.type if left.type.form is Form.ARRAY else right.type
    element = array.element
    assert element is not None
    others = [side for side in (left, right) if side.type.form is not Form.ARRAY]
    if not others:
        kind = array_of(common_type([left.type.element or element, right.type.element or element], "||"))
        both = tuple(casts.implicit(side, kind) for side in (left, right))
        return Lenient(kind, lambda first, second: _both(first, second), both)
    if others[0].type.oid == UNKNOWN.oid:
        parts = tuple(casts.implicit(side, array) for side in (left, right))
        return Lenient(array, lambda first, second: _both(first, second), parts)
    if right.type.form is Form.ARRAY:
        typed = (casts.implicit(left, element), right)
        return Lenient(array, lambda item, values: (item, *(values or ())), typed)
    return Lenient(array, lambda values, item: (*(values or ()), item), (left, casts.implicit(right, element)))


def _both(first: Items | None, second: Items | None) -> Items | None:
    return second if first is None else first if second is None else first + second


def _string_to_array(text: str | None, separator: str | None, null: str | None = None) -> Value:
    if text is None:
        return None
    if not text:
        return ()
    parts = list(text) if separator is None else [text] if not separator else text.split(separator)
    return tuple(None if null is not None and part == null else part for part in parts)


def _length(values: Items, dimension: int) -> Value:
    return len(values) if values and dimension == 1 else None


def _bound(kind: ColumnType, function: str) -> Overload:
    first = first_subscript(kind)

    def upper(values: Items, dimension: int) -> Value:
        return len(values) - 1 + first if values and dimension == 1 else None

    def lower(values: Items, dimension: int) -> Value:
        return first if values and dimension == 1 else None

    return Overload((kind, INTEGER), INTEGER, upper if function == "upper" else lower)


def _position(kind: ColumnType) -> Overload:
    element = kind.element
    assert element is not None
    key = equality_key(element)

    def position(values: Items | None, wanted: Value) -> Value:
        if values is None:
            return None
        found = [key(value) for value in values]
        return found.index(key(wanted)) + 1 if key(wanted) in found else None

    return Overload((kind, element), INTEGER, position, Lenient)


def _remove(kind: ColumnType) -> Overload:
    element = kind.element
    assert element is not None
    key = equality_key(element)

    def remove(values: Items | None, wanted: Value) -> Value:
        return None if values is None else tuple(value for value in values if key(value) != key(wanted))

    return Overload((kind, element), kind, remove, Lenient)


def _append(kind: ColumnType) -> Overload:
    element = kind.element
    assert element is not None
    return Overload((kind, element), kind, lambda values, item: (*(values or ()), item), Lenient)


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


def _over_all(make: Callable[[ColumnType], Overload], *, compares: bool = False) -> tuple[Overload, ...]:
    """For arrays of every type; those that compare elements for types that have an equality."""
    left_out = (Form.TID,), (JSON.oid, JSONB.oid) if compares else ()
    return tuple(
        make(kind) for kind in (*ARRAYS, *VECTORS)
        if kind.element and kind.element.form not in left_out[0] and kind.element.oid not in left_out[1]
    )


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
    "array_length": _over_all(lambda kind: Overload((kind, INTEGER), INTEGER, _length)),
    "array_upper": _over_all(lambda kind: _bound(kind, "upper")),
    "array_lower": _over_all(lambda kind: _bound(kind, "lower")),
    "array_ndims": _over_all(lambda kind: Overload((kind,), INTEGER, lambda values: 1 if values else None)),
    "cardinality": _over_all(lambda kind: Overload((kind,), INTEGER, len)),
    "array_position": _over_all(_position, compares=True),
    "array_remove": _over_all(_remove, compares=True),
    "array_append": _over_all(_append),
    "string_to_array": (
        Overload((TEXT, TEXT, TEXT), array_of(TEXT), _string_to_array, Lenient, optional=1),
    ),
}
