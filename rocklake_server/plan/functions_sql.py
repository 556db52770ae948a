"""Compilers of function calls: scalar functions by name, and the ones whose types follow their arguments."""

from __future__ import annotations

from sqlglot import exp

from rocklake_server.errors import GroupingProblem, UndefinedSchema, Unsupported
from rocklake_server.plan import arrays, casts, functions, live_functions, privilege_functions, session_functions
from rocklake_server.plan.applications import Lenient, Strict
from rocklake_server.plan.calls import AGGREGATES, CALLS, call_arguments, call_name
from rocklake_server.plan.comparisons import compare, order_key
from rocklake_server.plan.compiler import Compiler
from rocklake_server.plan.conditions import CaseWhen, Not
from rocklake_server.plan.dispatch import compiles, only
from rocklake_server.plan.expressions import Constant, Expr, NowRef
from rocklake_server.plan.json_functions import build_object
from rocklake_server.plan.naming import identifier
from rocklake_server.plan.overloads import call, undefined_function
from rocklake_server.plan.patterns import like, regular
from rocklake_server.plan.relation_names import PG_CATALOG
from rocklake_server.plan.relation_sizes import SIZE_FUNCTIONS, size_call
from rocklake_server.plan.type_rules import common_type, is_string
from rocklake_server.schema.types import BOOLEAN, TEXT, Value

_NOW_NAMES = frozenset({"now", "transaction_timestamp", "current_timestamp"})
_COMPARISONS = {"=": "=", "<>": "<>", "!=": "<>", "<": "<", "<=": "<=", ">": ">", ">=": ">="}
_RENAMED = {
    "substr": "substring", "ceiling": "ceil", "char_length": "length", "character_length": "length",
    "current_catalog": "current_database", "current_role": "current_user", "user": "current_user",
}


def call_by_name(compiler: Compiler, name: str, arguments: list[Expr]) -> Expr:
    """A scalar function. Raises UndefinedFunction."""
    name = _RENAMED.get(name, name)
    if name in _NOW_NAMES and not arguments:
        compiler.queries.contextual = True
        return NowRef()
    if name in ("greatest", "least"):
        return _extreme(name, arguments)
    if name == "nullif" and len(arguments) == 2:
        equal = compare("=", arguments[0], arguments[1])
        first = casts.implicit(equal.left, TEXT) if is_string(equal.left.type) else equal.left
        return CaseWhen(first.type, ((equal, Constant(first.type, None)),), first)
    if name == "json_build_object":
        return build_object(arguments)
    if name in functions.FUNCTIONS:
        if name in ("concat", "concat_ws", "format"):
            arguments = [_shown(argument) for argument in arguments]
        return call(name, functions.FUNCTIONS[name], arguments)
    if name in arrays.FUNCTIONS:
        return call(name, arrays.FUNCTIONS[name], arguments)
    if name in SIZE_FUNCTIONS:
        compiler.queries.contextual = True
        return size_call(name, arguments)
    for listed in (privilege_functions.FUNCTIONS, session_functions.FUNCTIONS, live_functions.FUNCTIONS):
        if name in listed:
            compiler.queries.contextual = True
            return call(name, listed[name], arguments)
    raise undefined_function(name, arguments)


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
    return like(compiler.compile(node.this), compiler.compile(node.expression),
                ignore_case=isinstance(node, exp.ILike), negated=bool(node.args.get("negate")))


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
