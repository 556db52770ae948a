"""Compilers of function calls: scalar functions by name, and the ones whose types follow their arguments."""

from __future__ import annotations

from sqlglot import exp

from rocklake_server.errors import GroupingProblem, UndefinedSchema, Unsupported
from rocklake_server.plan import (
    array_functions,
    array_text,
    casts,
    functions,
    json_functions,
    json_reading,
    live_functions,
    number_functions,
    privilege_functions,
    session_functions,
)
from rocklake_server.plan.applications import Lenient, Strict
from rocklake_server.plan.calls import AGGREGATES, CALLS, call_arguments, call_name
from rocklake_server.plan.comparisons import compare, order_key
from rocklake_server.plan.compiler import Compiler
from rocklake_server.plan.conditions import And, CaseWhen, Not, Or
from rocklake_server.plan.dispatch import compiles, only
from rocklake_server.plan.expressions import Constant, Expr, NowRef
from rocklake_server.plan.naming import identifier
from rocklake_server.plan.overloads import call, unknown_function
from rocklake_server.plan.patterns import like, regular
from rocklake_server.plan.relation_names import PG_CATALOG
from rocklake_server.plan.relation_sizes import SIZE_FUNCTIONS, size_call
from rocklake_server.plan.type_rules import common_type, is_string
from rocklake_server.schema.types import BOOLEAN, TEXT, UNKNOWN, Value

_NOW_NAMES = frozenset({"now", "transaction_timestamp", "current_timestamp"})
_COMPARISONS = {"=": "=", "<>": "<>", "!=": "<>", "<": "<", "<=": "<=", ">": ">", ">=": ">="}
_RENAMED = {
    "substr": "substring", "ceiling": "ceil", "char_length": "length", "character_length": "length",
    "current_catalog": "current_database", "current_role": "current_user", "user": "current_user",
}


def call_by_name(compiler: Compiler, name: str, arguments: list[Expr]) -> Expr:
    """A scalar function. Raises UndefinedFunction, and Unsupported for one of PostgreSQL's that is not there."""
    name = _RENAMED.get(name, name)
    if name == "row":
        raise Unsupported("ROW(...) as a value is not supported")
    if name in _NOW_NAMES and not arguments:
        compiler.queries.contextual = True
        return NowRef()
    if name in ("greatest", "least"):
        return _extreme(name, arguments)
    if name == "nullif" and len(arguments) == 2:
        equal = compare("=", arguments[0], arguments[1])
        first = casts.implicit(equal.left, TEXT) if is_string(equal.left.type) else equal.left
        return CaseWhen(first.type, ((equal, Constant(first.type, None)),), first)
    if name in json_functions.BUILDERS:
        return json_functions.BUILDERS[name](arguments)
    if name in array_functions.BUILDERS:
        return array_functions.array_call(name, arguments)
    if name in ("num_nulls", "num_nonnulls"):
        return number_functions.counted_nulls(name, arguments)
    if name == "substring" and len(arguments) == 2 and _is_pattern(arguments[1]):
        name = "substring_match"
    if name in functions.FUNCTIONS:
        if name in _SHOWN_FROM:
            start = _SHOWN_FROM[name]
            arguments = [*arguments[:start], *(_shown(argument) for argument in arguments[start:])]
        return call(name, functions.FUNCTIONS[name], arguments)
    for listed in (array_text.FUNCTIONS, json_reading.FUNCTIONS):
        if name in listed:
            return call(name, listed[name], arguments)
    compiler.queries.contextual = True
    return _of_session(name, arguments)


def _of_session(name: str, arguments: list[Expr]) -> Expr:
    """A function that asks the session, the transaction or the server."""
    if name in SIZE_FUNCTIONS:
        return size_call(name, arguments)
    for listed in (privilege_functions.FUNCTIONS, session_functions.FUNCTIONS, live_functions.FUNCTIONS):
        if name in listed:
            return call(name, listed[name], arguments)
    raise unknown_function(name, arguments)


_SHOWN_FROM = {"concat": 0, "concat_ws": 0, "format": 1}
"""Functions that take values of any type from this argument on, as text."""


def _is_pattern(argument: Expr) -> bool:
    """substring(text, pattern): an untyped second argument is a pattern, as in PostgreSQL."""
    return is_string(argument.type) or argument.type.oid == UNKNOWN.oid


def _shown(argument: Expr) -> Expr:
    """An argument of concat: by its type's output function, which spells booleans t and f."""
    if argument.type.oid == BOOLEAN.oid:
        return Strict(TEXT, lambda value: "t" if value else "f", (argument,))
    return casts.cast(argument, TEXT)


def _extreme(name: str, arguments: list[Expr]) -> Expr:
    kind = common_type([argument.type for argument in arguments], name.upper())
    key = order_key(kind) or (lambda value: value)
    choose = max if name == "greatest" else min

    def extreme(*values: Value) -> Value:
        present = [value for value in values if value is not None]
        return choose(present, key=key) if present else None

    return Lenient(kind, extreme, tuple(casts.implicit(argument, kind) for argument in arguments))


@compiles(*(set(CALLS) - AGGREGATES - {exp.Coalesce}), exp.Anonymous)
def _call(compiler: Compiler, node: exp.Expr) -> Expr:
    arguments = [compiler.compile(argument) for argument in call_arguments(node)]
    return call_by_name(compiler, call_name(node), arguments)


@compiles(exp.Dot)
def _qualified_call(compiler: Compiler, node: exp.Dot) -> Expr:
    if not isinstance(node.this, exp.Identifier) or not isinstance(node.expression, exp.Func):
        raise Unsupported("this use of a dot is not supported")
    schema = identifier(node.this)
    if schema != PG_CATALOG:
        raise UndefinedSchema(f'schema "{schema}" does not exist')
    return compiler.compile(node.expression)


@compiles(*AGGREGATES)
def _misplaced_aggregate(compiler: Compiler, _node: exp.Expr) -> Expr:
    raise GroupingProblem(f"aggregate functions are not allowed in {compiler.clause}")


@compiles(exp.Like, exp.ILike)
def _like(compiler: Compiler, node: exp.Binary) -> Expr:
    only(node, "this", "expression", "negate")
    if isinstance(node.expression, exp.Any | exp.All):
        return _like_each(compiler, node)
    return like(compiler.compile(node.this), compiler.compile(node.expression),
                ignore_case=isinstance(node, exp.ILike), negated=bool(node.args.get("negate")))


def _like_each(compiler: Compiler, node: exp.Binary) -> Expr:
    """``LIKE ANY (ARRAY[...])`` and ``ALL``, over an array that is written out."""
    inner = node.expression.this
    inner = inner.unnest() if isinstance(inner, exp.Paren) else inner
    if not isinstance(inner, exp.Array) or node.args.get("negate"):
        raise Unsupported("LIKE ANY and LIKE ALL are supported over ARRAY[...]")
    operand = compiler.compile(node.this)
    tests = tuple(
        like(operand, compiler.compile(pattern), ignore_case=isinstance(node, exp.ILike), negated=False)
        for pattern in inner.expressions
    )
    return Or(operands=tests) if isinstance(node.expression, exp.Any) else And(operands=tests)


@compiles(exp.RegexpLike, exp.RegexpILike)
def _regular(compiler: Compiler, node: exp.Expr) -> Expr:
    only(node, "this", "expression")
    return regular(compiler.compile(node.this), compiler.compile(node.args["expression"]),
                   ignore_case=isinstance(node, exp.RegexpILike))


@compiles(exp.Operator)
def _operator(compiler: Compiler, node: exp.Operator) -> Expr:
    schema, _, symbol = str(node.args.get("operator")).rpartition(".")
    if schema not in ("", PG_CATALOG):
        raise UndefinedSchema(f'schema "{schema}" does not exist')
    left, right = compiler.compile(node.this), compiler.compile(node.args["expression"])
    negated = symbol.startswith("!")
    bare = symbol.removeprefix("!")
    if bare in ("~", "~*"):
        found = regular(left, right, ignore_case=bare == "~*")
    elif bare in ("~~", "~~*"):
        found = like(left, right, ignore_case=bare == "~~*", negated=negated)
        negated = False
    elif symbol in _COMPARISONS:
        return compare(_COMPARISONS[symbol], left, right)
    else:
        raise Unsupported(f"OPERATOR({symbol}) is not supported")
    return Not(BOOLEAN, arguments=(found,)) if negated else found
