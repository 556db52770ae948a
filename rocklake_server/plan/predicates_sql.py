"""Compilers of predicates: comparisons, IN, BETWEEN, IS and the boolean connectives."""

from __future__ import annotations

from sqlglot import exp

from rocklake_server.errors import DatatypeMismatch, SyntaxProblem, Unsupported
from rocklake_server.plan import casts
from rocklake_server.plan.applications import Lenient
from rocklake_server.plan.comparisons import compare, compare_list, unify_unknown
from rocklake_server.plan.compiler import Compiler, boolean
from rocklake_server.plan.conditions import And, Distinctness, IsNull, IsTruth, Not, Or
from rocklake_server.plan.dispatch import compiles, label, only
from rocklake_server.plan.expressions import Constant, Expr
from rocklake_server.plan.subqueries import in_subquery
from rocklake_server.plan.type_rules import common_type
from rocklake_server.schema.types import BOOLEAN, TEXT, UNKNOWN, Value, array_of
from rocklake_server.sql.template import slot_of

COMPARISONS = {exp.EQ: "=", exp.NEQ: "<>", exp.LT: "<", exp.LTE: "<=", exp.GT: ">", exp.GTE: ">="}


@compiles(exp.And)
def _and(compiler: Compiler, node: exp.And) -> Expr:
    return And(operands=tuple(boolean(compiler.compile(part), "AND") for part in _flat(node, exp.And)))


@compiles(exp.Or)
def _or(compiler: Compiler, node: exp.Or) -> Expr:
    return Or(operands=tuple(boolean(compiler.compile(part), "OR") for part in _flat(node, exp.Or)))


def _flat(node: exp.Expr, connector: type[exp.Expr]) -> list[exp.Expr]:
    """The operands of a chain, without recursion on its left side."""
    operands: list[exp.Expr] = []
    while isinstance(node, connector):
        operands.append(node.args["expression"])
        node = node.this
    operands.append(node)
    return operands[::-1]


@compiles(exp.Not)
def _not(compiler: Compiler, node: exp.Not) -> Expr:
    operand = boolean(compiler.compile(node.this), "NOT")
    if isinstance(operand, IsNull):
        return IsNull(operand=operand.operand, negated=not operand.negated)
    return Not(BOOLEAN, arguments=(operand,))


@compiles(*COMPARISONS)
def _comparison(compiler: Compiler, node: exp.Binary) -> Expr:
    symbol = COMPARISONS[type(node)]
    left, right = node.this, node.expression
    if isinstance(left, exp.Tuple) and isinstance(right, exp.Tuple):
        return _row_comparison(compiler, symbol, left, right)
    if isinstance(right, exp.Any):
        return _any_of(compiler, symbol, left, right)
    if isinstance(right, exp.All):
        return _all_of(compiler, symbol, left, right.this)
    if isinstance(right, exp.Anonymous) and str(right.this).upper() == "ALL" and len(right.expressions) == 1:
        return _all_of(compiler, symbol, left, right.expressions[0])
    return compare(symbol, compiler.compile(left), compiler.compile(right))


def _row_comparison(compiler: Compiler, symbol: str, left: exp.Tuple, right: exp.Tuple) -> Expr:
    if len(left.expressions) != len(right.expressions):
        raise SyntaxProblem("unequal number of entries in row expressions")
    pairs = [
        compare("=", compiler.compile(first), compiler.compile(second))
        for first, second in zip(left.expressions, right.expressions, strict=True)
    ]
    if symbol == "=":
        return And(operands=tuple(pairs))
    if symbol == "<>":
        return Not(BOOLEAN, arguments=(And(operands=tuple(pairs)),))
    raise Unsupported(f"row comparison with {symbol} is not supported")


OPPOSITES = {"=": "<>", "<>": "=", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}


def _all_of(compiler: Compiler, symbol: str, left: exp.Expr, inner: exp.Expr) -> Expr:
    """``left symbol ALL (right)``: not the opposite for any."""
    found = _any_of(compiler, OPPOSITES[symbol], left, exp.Any(this=inner))
    return Not(BOOLEAN, arguments=(found,))


def _any_of(compiler: Compiler, symbol: str, left: exp.Expr, node: exp.Any) -> Expr:
    inner = node.this.unnest() if isinstance(node.this, exp.Paren) else node.this
    operand = compiler.compile(left)
    if isinstance(inner, exp.Select | exp.Subquery | exp.SetOperation):
        if symbol != "=":
            raise Unsupported(f"{symbol} ANY (subquery) is not supported")
        return in_subquery(compiler, operand, inner)
    array = compiler.compile(inner)
    if array.type.oid == UNKNOWN.oid:
        array = casts.read_untyped(array, array_of(TEXT if operand.type.oid == UNKNOWN.oid else operand.type))
    element = array.type.element
    if element is None:
        raise DatatypeMismatch("op ANY/ALL (array) requires array on right side")
    probe = compare(symbol, operand, Constant(element, None))
    key, element_key, test = probe.left_key, probe.right_key, probe.test

    def any_of(value: Value, members: Value) -> bool | None:
        if value is None or not isinstance(members, tuple):
            return None
        first = value if key is None else key(value)
        present = [item if element_key is None else element_key(item) for item in members if item is not None]
        return True if any(test(first, item) for item in present) else (None if None in members else False)

    return Lenient(BOOLEAN, any_of, (probe.left, array))


@compiles(exp.NullSafeEQ, exp.NullSafeNEQ)
def _distinct_from(compiler: Compiler, node: exp.Binary) -> Expr:
    left, right = unify_unknown(compiler.compile(node.this), compiler.compile(node.expression))
    return Distinctness(
        left=left, right=right, equality=compare("=", left, right), distinct=isinstance(node, exp.NullSafeNEQ)
    )


@compiles(exp.Is)
def _is(compiler: Compiler, node: exp.Is) -> Expr:
    only(node, "this", "expression", "negate")
    negated = bool(node.args.get("negate"))
    right = node.expression
    if isinstance(right, exp.Null):
        operand = compiler.compile(node.this)
        return IsNull(operand=casts.read_untyped(operand, TEXT) if operand.type.oid == UNKNOWN.oid else operand,
                      negated=negated)
    if isinstance(right, exp.Boolean):
        wanted = bool(right.this)
        operand = boolean(compiler.compile(node.this), "IS TRUE" if wanted else "IS FALSE")
        return IsTruth(operand=operand, wanted=wanted, negated=negated)
    raise Unsupported(f"IS {label(right)} is not supported")


@compiles(exp.Between)
def _between(compiler: Compiler, node: exp.Between) -> Expr:
    only(node, "this", "low", "high", "symmetric")
    value = compiler.compile(node.this)
    low, high = compiler.compile(node.args["low"]), compiler.compile(node.args["high"])
    straight = And(operands=(compare(">=", value, low), compare("<=", value, high)))
    if not node.args.get("symmetric"):
        return straight
    return Or(operands=(straight, And(operands=(compare(">=", value, high), compare("<=", value, low)))))


@compiles(exp.In)
def _in(compiler: Compiler, node: exp.In) -> Expr:
    only(node, "this", "expressions", "query", "field")
    if node.args.get("field"):
        raise Unsupported("IN without parentheses is not supported")
    query = node.args.get("query")
    if query is not None:
        return in_subquery(compiler, compiler.compile(node.this), query)
    items = node.expressions
    slot = slot_of(items[0]) if len(items) == 1 else None
    if slot is not None and slot.is_list:
        return compiler.queries.slot_list(compiler.compile(node.this), slot)
    if isinstance(node.this, exp.Tuple):
        return Or(operands=tuple(_row_comparison(compiler, "=", node.this, item) for item in items))
    return value_list(compiler.compile(node.this), [compiler.compile(item) for item in items])


def value_list(operand: Expr, items: list[Expr]) -> Expr:
    """``operand IN (items)``."""
    if operand.type.oid == UNKNOWN.oid:
        operand = casts.implicit(operand, common_type([item.type for item in items], "IN"))
    member = compare_list(operand, items)
    if member is not None:
        return member
    tests = tuple(compare("=", operand, item) for item in items)
    return tests[0] if len(tests) == 1 else Or(operands=tests)
