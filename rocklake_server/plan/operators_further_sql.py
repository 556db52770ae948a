"""Compilers of operators on bits and arrays, powers, parts of times, and patterns with an escape of their own."""

from __future__ import annotations

import re

from sqlglot import exp

from rocklake_server.errors import InvalidEscapeSequence, Unsupported
from rocklake_server.plan.array_functions import set_operator, slice_of, subscript
from rocklake_server.plan.compiler import Compiler
from rocklake_server.plan.dispatch import compiles, label, only
from rocklake_server.plan.expressions import Constant, Expr
from rocklake_server.plan.functions_sql import call_by_name
from rocklake_server.plan.json_sql import is_json, json_operator
from rocklake_server.plan.lowering.query import refuse_slots_in
from rocklake_server.plan.number_functions import bitwise, complement, power_operator
from rocklake_server.plan.patterns import like, regular
from rocklake_server.schema.types import TEXT, UNKNOWN

_BITS = {
    exp.BitwiseAnd: "&", exp.BitwiseOr: "|", exp.BitwiseXor: "#", exp.BitwiseLeftShift: "<<",
    exp.BitwiseRightShift: ">>",
}
_SETS = {exp.ArrayContainsAll: "@>", exp.ArrayContainedBy: "<@", exp.ArrayOverlaps: "&&"}


@compiles(*_BITS)
def _bitwise(compiler: Compiler, node: exp.Binary) -> Expr:
    return bitwise(_BITS[type(node)], compiler.compile(node.this), compiler.compile(node.expression))


@compiles(exp.BitwiseNot)
def _complement(compiler: Compiler, node: exp.BitwiseNot) -> Expr:
    return complement(compiler.compile(node.this))


@compiles(exp.Pow)
def _power(compiler: Compiler, node: exp.Pow) -> Expr:
    return power_operator(compiler.compile(node.this), compiler.compile(node.expression))


@compiles(*_SETS)
def _set_operator(compiler: Compiler, node: exp.Binary) -> Expr:
    symbol, left, right = _SETS[type(node)], compiler.compile(node.this), compiler.compile(node.expression)
    if symbol != "&&" and (is_json(left) or is_json(right)):
        return json_operator(symbol, left, right)
    return set_operator(symbol, left, right)


@compiles(exp.Bracket)
def _bracket(compiler: Compiler, node: exp.Bracket) -> Expr:
    if len(node.expressions) != 1:
        raise Unsupported("this subscript is not supported")
    array, index = compiler.compile(node.this), node.expressions[0]
    refuse_slots_in(index)
    if isinstance(index, exp.Slice):
        low, high = index.this, index.expression
        return slice_of(array, None if low is None else compiler.compile(low),
                        None if high is None else compiler.compile(high))
    if isinstance(index, exp.Literal) and not index.is_string:  # the parser counts integers that it knows from 0
        return subscript(array, compiler.compile(exp.Literal.number(int(index.this) + 1)))
    unchanged = index.type is not None and index.type.this == exp.DataType.Type.UNKNOWN
    if unchanged or isinstance(index, exp.Column | exp.Parameter):
        return subscript(array, compiler.compile(index))
    raise Unsupported("a subscript that is computed is not supported", hint="Compute it in a subquery.")


@compiles(exp.Extract)
def _extract(compiler: Compiler, node: exp.Extract) -> Expr:
    only(node, "this", "expression")
    unit = Constant(TEXT, node.this.name.lower())
    return call_by_name(compiler, "extract", [unit, compiler.compile(node.expression)])


@compiles(exp.AtTimeZone)
def _at_time_zone(compiler: Compiler, node: exp.AtTimeZone) -> Expr:
    only(node, "this", "zone")
    return call_by_name(compiler, "timezone", [compiler.compile(node.args["zone"]), compiler.compile(node.this)])


@compiles(exp.Localtimestamp)
def _localtimestamp(compiler: Compiler, node: exp.Localtimestamp) -> Expr:
    only(node)
    return call_by_name(compiler, "localtimestamp", [])


@compiles(exp.Initcap)
def _initcap(compiler: Compiler, node: exp.Initcap) -> Expr:
    return call_by_name(compiler, "initcap", [compiler.compile(node.this)])


@compiles(exp.Overlay)
def _overlay(compiler: Compiler, node: exp.Overlay) -> Expr:
    only(node, "this", "expression", "from_", "for_")
    parts = [node.this, node.expression, node.args["from_"], node.args.get("for_")]
    return call_by_name(compiler, "overlay", [compiler.compile(part) for part in parts if part is not None])


@compiles(exp.Escape)
def _escape(compiler: Compiler, node: exp.Escape) -> Expr:
    """LIKE with an escape character of its own, which has to be a literal, as the pattern has."""
    inner = node.this
    if not isinstance(inner, exp.Like | exp.ILike):
        raise Unsupported(f"{label(inner)} with ESCAPE is not supported")
    pattern, escape = inner.expression, node.expression
    if not all(isinstance(part, exp.Literal) and part.is_string for part in (pattern, escape)):
        raise Unsupported("ESCAPE is supported for patterns that are literals")
    if len(escape.this) > 1:
        raise InvalidEscapeSequence("invalid escape string", hint="Escape string must be empty or one character.")
    rewritten = Constant(UNKNOWN, _with_backslashes(pattern.this, escape.this))
    return like(compiler.compile(inner.this), rewritten, ignore_case=isinstance(inner, exp.ILike), negated=False)


def _with_backslashes(pattern: str, escape: str) -> str:
    parts = []
    letters = iter(pattern)
    for letter in letters:
        if escape and letter == escape:
            following = next(letters, None)
            parts.append("\\" if following is None else "\\" + following)
        else:
            parts.append("\\\\" if letter == "\\" else letter)
    return "".join(parts)


@compiles(exp.SimilarTo)
def _similar(compiler: Compiler, node: exp.SimilarTo) -> Expr:
    """SIMILAR TO a literal, as the regular expression that it stands for."""
    pattern = node.expression
    if not isinstance(pattern, exp.Literal) or not pattern.is_string:
        raise Unsupported("SIMILAR TO is supported for patterns that are literals")
    rewritten = Constant(UNKNOWN, similar_pattern(pattern.this))
    return regular(compiler.compile(node.this), rewritten, ignore_case=False)


_SIMILAR = re.compile(r"\\.|\[[^\]]*\]|.", re.DOTALL)


def similar_pattern(pattern: str) -> str:
    """SQL's regular expression as PostgreSQL's: anchored, with % and _."""
    parts = []
    for token in _SIMILAR.findall(pattern):
        if token == "%":
            parts.append(".*")
        elif token == "_":
            parts.append(".")
        elif token == "(":
            parts.append("(?:")
        elif token in (".", "^", "$"):
            parts.append("\\" + token)
        else:
            parts.append(token)
    return f"^(?:{''.join(parts)})$"
