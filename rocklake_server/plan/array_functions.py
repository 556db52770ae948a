"""Functions and operators of one-dimensional arrays, whose types follow from their elements.

Source: PostgreSQL manual, Array Functions and Operators. An array begins at 1, a vector (int2vector, oidvector) at 0.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from rocklake_server.errors import DatatypeMismatch, UndefinedFunction, Unsupported
from rocklake_server.plan.applications import Lenient, Strict
from rocklake_server.plan.casts import implicit
from rocklake_server.plan.comparisons import equality_key
from rocklake_server.plan.expressions import Expr
from rocklake_server.plan.overloads import undefined_function
from rocklake_server.plan.type_rules import common_type
from rocklake_server.schema.types import (
    BOOLEAN,
    INTEGER,
    JSON,
    TEXT,
    UNKNOWN,
    VECTORS,
    ColumnType,
    Value,
    array_of,
)

Array = tuple[Any, ...]


def first_subscript(kind: ColumnType) -> int:
    return 0 if kind in VECTORS else 1


def _element(name: str, arguments: Sequence[Expr], array: int = 0) -> ColumnType:
    """Raises UndefinedFunction when that argument is no array."""
    element = arguments[array].type.element
    if element is None:
        raise undefined_function(name, arguments)
    return element


def _typed_array(node: Expr, element: ColumnType) -> Expr:
    return implicit(node, array_of(element.with_typmod(-1)))


def _length(name: str, arguments: list[Expr]) -> Expr:
    _element(name, arguments)
    first = first_subscript(arguments[0].type)

    def length(array: Array, dimension: int) -> int | None:
        if dimension != 1 or not array:
            return None
        if name == "array_length":
            return len(array)
        return first if name == "array_lower" else len(array) - 1 + first

    return Strict(INTEGER, length, (arguments[0], implicit(arguments[1], INTEGER)))


def _cardinality(name: str, arguments: list[Expr]) -> Expr:
    _element(name, arguments)
    return Strict(INTEGER, len, (arguments[0],))


def _dimensions(name: str, arguments: list[Expr]) -> Expr:
    _element(name, arguments)
    return Strict(INTEGER, lambda array: 1 if array else None, (arguments[0],))


def _joined(first: Value, second: Value) -> Value:
    if not isinstance(first, tuple):
        return second
    return first + second if isinstance(second, tuple) else first


def concatenate(left: Expr, right: Expr) -> Expr | None:
    """``||`` where one side is an array; ``None`` when there is no such operator."""
    array, other = (left, right) if left.type.element is not None else (right, left)
    element = array.type.element
    assert element is not None
    both = other.type.element is not None or other.type.oid == UNKNOWN.oid
    kind = common_type([element, other.type.element or UNKNOWN] if both else [element, other.type], "||")
    result = array_of(kind.with_typmod(-1))
    if both:
        return Lenient(result, _joined, (implicit(left, result), implicit(right, result)))
    if other is right:
        return _append("array_append", [left, right])
    return _prepend("array_prepend", [left, right])


def _append(name: str, arguments: list[Expr]) -> Expr:
    element = common_type([_element(name, arguments), arguments[1].type], name.upper())
    return Lenient(array_of(element.with_typmod(-1)), lambda array, value: (*(array or ()), value),
                   (_typed_array(arguments[0], element), implicit(arguments[1], element)))


def _prepend(name: str, arguments: list[Expr]) -> Expr:
    element = common_type([_element(name, arguments, 1), arguments[0].type], name.upper())
    return Lenient(array_of(element.with_typmod(-1)), lambda value, array: (value, *(array or ())),
                   (implicit(arguments[0], element), _typed_array(arguments[1], element)))


def _concatenate(name: str, arguments: list[Expr]) -> Expr:
    if all(argument.type.element is None for argument in arguments):
        raise undefined_function(name, arguments)
    made = concatenate(*arguments)
    assert made is not None
    return made


def _searched(name: str, arguments: list[Expr]) -> tuple[ColumnType, Callable[[Value], Any], tuple[Expr, Expr]]:
    element = common_type([_element(name, arguments), arguments[1].type], name.upper())
    if element.oid == JSON.oid:
        raise UndefinedFunction("could not identify an equality operator for type json")
    return element, equality_key(element), (_typed_array(arguments[0], element), implicit(arguments[1], element))


def _position(name: str, arguments: list[Expr]) -> Expr:
    _kind, key, typed = _searched(name, arguments)

    def position(array: Value, value: Value) -> int | None:
        if not isinstance(array, tuple):
            return None
        wanted = key(value)
        return next((index for index, item in enumerate(array, 1) if key(item) == wanted), None)

    return Lenient(INTEGER, position, typed)


def _positions(name: str, arguments: list[Expr]) -> Expr:
    _kind, key, typed = _searched(name, arguments)
    return Lenient(array_of(INTEGER), lambda array, value: None if array is None else tuple(
        index for index, item in enumerate(array, 1) if key(item) == key(value)), typed)


def _remove(name: str, arguments: list[Expr]) -> Expr:
    kind, key, typed = _searched(name, arguments)
    return Lenient(array_of(kind.with_typmod(-1)), lambda array, value: None if array is None else tuple(
        item for item in array if key(item) != key(value)), typed)


BUILDERS: Mapping[str, tuple[int, Callable[[str, list[Expr]], Expr]]] = {
    "array_length": (2, _length), "array_upper": (2, _length), "array_lower": (2, _length),
    "cardinality": (1, _cardinality), "array_ndims": (1, _dimensions), "array_append": (2, _append),
    "array_prepend": (2, _prepend), "array_cat": (2, _concatenate), "array_position": (2, _position),
    "array_positions": (2, _positions), "array_remove": (2, _remove),
}
"""Name -> (number of arguments, what builds the call)."""


def array_call(name: str, arguments: list[Expr]) -> Expr:
    """A call of one of ``BUILDERS``. Raises UndefinedFunction."""
    count, build = BUILDERS[name]
    if len(arguments) != count:
        raise undefined_function(name, arguments)
    return build(name, arguments)


def subscript(array: Expr, index: Expr) -> Expr:
    """``array[index]``: NULL outside of it. Raises DatatypeMismatch for what is no array."""
    element = array.type.element
    if element is None:
        raise DatatypeMismatch(f"cannot subscript type {array.type.name} because it does not support subscripting")
    first = first_subscript(array.type)

    def item(items: Array, number: int) -> Value:
        place = number - first
        return items[place] if 0 <= place < len(items) else None

    return Strict(element, item, (array, implicit(index, INTEGER)))


def slice_of(array: Expr, low: Expr | None, high: Expr | None) -> Expr:
    """``array[low:high]``."""
    if array.type.element is None or array.type in VECTORS:
        raise Unsupported(f"a slice of type {array.type.name} is not supported")

    def cut(items: Value, *bounds: Value) -> Value:
        if not isinstance(items, tuple) or any(bound is None for bound in bounds):
            return None
        given = iter(bounds)
        first = next(given) if low is not None else 1
        last = next(given) if high is not None else len(items)
        assert isinstance(first, int)
        assert isinstance(last, int)
        return items[max(first, 1) - 1 : max(last, 0)]

    bounds = tuple(implicit(bound, INTEGER) for bound in (low, high) if bound is not None)
    return Lenient(array.type, cut, (array, *bounds))


def set_operator(symbol: str, left: Expr, right: Expr) -> Expr:
    """``@>``, ``<@`` and ``&&`` over arrays; NULL elements are equal to nothing. Raises Unsupported."""
    element = common_type([left.type.element or UNKNOWN, right.type.element or UNKNOWN], symbol)
    if left.type.element is None and right.type.element is None:
        raise Unsupported(f"{symbol} over {left.type.name} is not supported")
    kind = TEXT if element.oid == UNKNOWN.oid else element
    key = equality_key(kind)

    def members(array: Array) -> set[Any]:
        return {key(item) for item in array if item is not None}

    def contains(outer: Array, inner: Array) -> bool:
        return None not in inner and members(inner) <= members(outer)

    typed = (_typed_array(left, kind), _typed_array(right, kind))
    if symbol == "&&":
        return Strict(BOOLEAN, lambda first, second: bool(members(first) & members(second)), typed)
    if symbol == "<@":
        return Strict(BOOLEAN, lambda inner, outer: contains(outer, inner), typed)
    return Strict(BOOLEAN, contains, typed)
