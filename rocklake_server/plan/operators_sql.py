"""Compilers of operators, literals, predicates, CASE and casts."""

from __future__ import annotations

from sqlglot import exp

from rocklake_server.errors import DatatypeMismatch, SyntaxProblem, UndefinedFunction, UndefinedObject, Unsupported
from rocklake_server.plan import casts
from rocklake_server.plan.arithmetic import arithmetic, negate
from rocklake_server.plan.comparisons import compare, compare_list, undefined_operator, unify_unknown
from rocklake_server.plan.compiler import Compiler, boolean, literal, parameter
from rocklake_server.plan.conditions import And, CaseWhen, CoalesceOf, Distinctness, IsNull, Or
from rocklake_server.plan.dispatch import compiles, label, only
from rocklake_server.plan.expressions import NULL, Constant, Expr, Lenient, Slot, Strict
from rocklake_server.plan.naming import identifier
from rocklake_server.plan.subqueries import in_subquery
from rocklake_server.plan.type_names import type_of
from rocklake_server.plan.type_rules import common_type, is_string
from rocklake_server.schema.types import BOOLEAN, BYTEA, TEXT, UNKNOWN, Form, array_of
from rocklake_server.sql.template import slot_of

COMPARISONS = {exp.EQ: "=", exp.NEQ: "<>", exp.LT: "<", exp.LTE: "<=", exp.GT: ">", exp.GTE: ">="}
ARITHMETIC = {exp.Add: "+", exp.Sub: "-", exp.Mul: "*", exp.Div: "/", exp.Mod: "%"}
COLLATIONS = frozenset({"C", "POSIX", "default", "ucs_basic"})
_RESERVED_FUNCTIONS = {
    "user": exp.CurrentUser, "current_role": exp.CurrentUser, "current_catalog": exp.CurrentDatabase,
}


@compiles(exp.Literal)
def _literal(_compiler: Compiler, node: exp.Literal) -> Expr:
    return literal(node.this, is_string=node.is_string)


@compiles(exp.RawString)
def _raw_string(_compiler: Compiler, node: exp.RawString) -> Expr:
    return Constant(UNKNOWN, node.this)


@compiles(exp.Null)
def _null(_compiler: Compiler, _node: exp.Null) -> Expr:
    return NULL


@compiles(exp.Boolean)
def _boolean(_compiler: Compiler, node: exp.Boolean) -> Expr:
    return Constant(BOOLEAN, bool(node.this))


@compiles(exp.Parameter)
def _parameter(compiler: Compiler, node: exp.Parameter) -> Expr:
    number = node.this
    if not isinstance(number, exp.Literal) or number.is_string:
        raise SyntaxProblem("syntax error at a parameter: only $1, $2, … are parameters")
    return parameter(compiler, int(number.this))


@compiles(exp.Paren)
def _paren(compiler: Compiler, node: exp.Paren) -> Expr:
    return compiler.compile(node.this)


@compiles(exp.Column)
def _column(compiler: Compiler, node: exp.Column) -> Expr:
    only(node, "this", "table", "db")
    if isinstance(node.this, exp.Star):
        raise Unsupported("a row as a value (table.*) is not supported here")
    table, schema = node.args.get("table"), node.args.get("db")
    name = identifier(node.this)
    if table is None and name in _RESERVED_FUNCTIONS and not node.this.args.get("quoted"):
        return compiler.compile(_RESERVED_FUNCTIONS[name]())
    return compiler.scope.resolve(
        name, None if table is None else identifier(table), None if schema is None else identifier(schema)
    )


@compiles(exp.And)
def _and(compiler: Compiler, node: exp.And) -> Expr:
    return And(operands=tuple(boolean(compiler.compile(part), "AND") for part in _flat(node, exp.And)))


@compiles(exp.Or)
def _or(compiler: Compiler, node: exp.Or) -> Expr:
    return Or(operands=tuple(boolean(compiler.compile(part), "OR") for part in _flat(node, exp.Or)))


def _flat(node: exp.Expression, connector: type[exp.Expression]) -> list[exp.Expression]:
    """The operands of a chain, without recursion on its left side."""
    operands: list[exp.Expression] = []
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
    return Strict(BOOLEAN, lambda value: not value, (operand,))


@compiles(*COMPARISONS)
def _comparison(compiler: Compiler, node: exp.Binary) -> Expr:
    symbol = COMPARISONS[type(node)]
    left, right = node.this, node.expression
    if isinstance(left, exp.Tuple) and isinstance(right, exp.Tuple):
        return _row_comparison(compiler, symbol, left, right)
    if isinstance(right, exp.Any):
        return _any_of(compiler, symbol, left, right)
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
        return Strict(BOOLEAN, lambda value: not value, (And(operands=tuple(pairs)),))
    raise Unsupported(f"row comparison with {symbol} is not supported")


def _any_of(compiler: Compiler, symbol: str, left: exp.Expression, node: exp.Any) -> Expr:
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

    def any_of(value: object, members: object) -> bool | None:
        if value is None or not isinstance(members, tuple):
            return None
        first = value if key is None else key(value)  # type: ignore[arg-type]
        found = [test(first, item if element_key is None else element_key(item)) for item in members if item is not None]
        return True if any(found) else (None if None in members else False)

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
        return Lenient(BOOLEAN, lambda value: (value is wanted) is not negated, (operand,))
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


@compiles(*ARITHMETIC)
def _arithmetic(compiler: Compiler, node: exp.Binary) -> Expr:
    return arithmetic(ARITHMETIC[type(node)], compiler.compile(node.this), compiler.compile(node.expression))


@compiles(exp.Neg)
def _negative(compiler: Compiler, node: exp.Neg) -> Expr:
    if isinstance(node.this, exp.Literal) and not node.this.is_string:
        return literal(f"-{node.this.this}", is_string=False) if node.this.this != "0" else literal("0", is_string=False)
    return negate(compiler.compile(node.this))


@compiles(exp.DPipe)
def _concatenate(compiler: Compiler, node: exp.DPipe) -> Expr:
    left, right = compiler.compile(node.this), compiler.compile(node.expression)
    if left.type.form is Form.ARRAY or right.type.form is Form.ARRAY:
        raise Unsupported("|| on arrays is not supported")
    if left.type.oid == BYTEA.oid or right.type.oid == BYTEA.oid:
        left, right = unify_unknown(left, right)
        if left.type.oid == right.type.oid:
            return Strict(BYTEA, lambda first, second: first + second, (left, right))
    untyped = {left.type.oid, right.type.oid} & {UNKNOWN.oid}
    if not untyped and not (is_string(left.type) or is_string(right.type)):
        raise undefined_operator("||", left.type, right.type)
    return Strict(TEXT, lambda first, second: first + second, (casts.cast(left, TEXT), casts.cast(right, TEXT)))


@compiles(exp.Collate)
def _collate(compiler: Compiler, node: exp.Collate) -> Expr:
    collation = node.expression
    name = identifier(collation) if isinstance(collation, exp.Identifier) else collation.name
    if name not in COLLATIONS:
        raise Unsupported(f'collation "{name}" is not supported')
    operand = compiler.compile(node.this)
    if operand.type.oid != UNKNOWN.oid and not is_string(operand.type):
        raise DatatypeMismatch(f"collations are not supported by type {operand.type.name}")
    return operand


@compiles(exp.Cast)
def _cast(compiler: Compiler, node: exp.Cast) -> Expr:
    only(node, "this", "to")
    return casts.cast(compiler.compile(node.this), type_of(node.args["to"]))


@compiles(exp.Case)
def _case(compiler: Compiler, node: exp.Case) -> Expr:
    only(node, "this", "ifs", "default")
    subject = None if node.this is None else compiler.compile(node.this)
    conditions: list[Expr] = []
    for branch in node.args["ifs"]:
        test = compiler.compile(branch.this)
        conditions.append(boolean(test, "CASE/WHEN") if subject is None else compare("=", subject, test))
    values = [compiler.compile(branch.args["true"]) for branch in node.args["ifs"]]
    default = node.args.get("default")
    default_value = NULL if default is None else compiler.compile(default)
    kind = common_type([default_value.type, *(value.type for value in values)], "CASE")
    branches = zip(conditions, (casts.implicit(value, kind) for value in values), strict=True)
    return CaseWhen(kind, tuple(branches), casts.implicit(default_value, kind))


@compiles(exp.Coalesce)
def _coalesce(compiler: Compiler, node: exp.Coalesce) -> Expr:
    operands = [compiler.compile(part) for part in (node.this, *node.expressions)]
    kind = common_type([operand.type for operand in operands], "COALESCE")
    return CoalesceOf(kind, tuple(casts.implicit(operand, kind) for operand in operands))


@compiles(exp.Array)
def _array(compiler: Compiler, node: exp.Array) -> Expr:
    if any(isinstance(item, exp.Select | exp.SetOperation) for item in node.expressions):
        raise Unsupported("ARRAY(subquery) is not supported")
    items = [compiler.compile(item) for item in node.expressions]
    kind = common_type([item.type for item in items], "ARRAY").with_typmod(-1)
    return Lenient(array_of(kind), lambda *values: values, tuple(casts.implicit(item, kind) for item in items))


__all__ = ["Slot", "UndefinedFunction", "UndefinedObject", "value_list"]
