"""Compilers of operators, literals, predicates, CASE and casts."""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass, field

from sqlglot import exp

from rocklake_server.errors import DatatypeMismatch, SyntaxProblem, UndefinedColumn, Unsupported
from rocklake_server.plan import casts
from rocklake_server.plan.applications import Lenient, Strict
from rocklake_server.plan.arithmetic import arithmetic, negate
from rocklake_server.plan.array_functions import concatenate
from rocklake_server.plan.comparisons import compare, undefined_operator, unify_unknown
from rocklake_server.plan.compiler import Compiler, boolean, literal, parameter
from rocklake_server.plan.conditions import CaseWhen, CoalesceOf
from rocklake_server.plan.dispatch import compiles, only
from rocklake_server.plan.expressions import NULL, Constant, Expr
from rocklake_server.plan.json_sql import is_json, json_operator
from rocklake_server.plan.naming import identifier
from rocklake_server.plan.subqueries import array_of_subquery
from rocklake_server.plan.type_names import type_of
from rocklake_server.plan.type_rules import common_type, is_string
from rocklake_server.schema.types import BOOLEAN, BYTEA, INTERVAL, JSONB, TEXT, UNKNOWN, Form, Value, array_of

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
    try:
        return compiler.scope.resolve(
            name, None if table is None else identifier(table), None if schema is None else identifier(schema)
        )
    except UndefinedColumn:
        if table is None and compiler.scope.find_source(name) is not None:
            raise Unsupported(f'a row as a value ("{name}") is not supported') from None
        raise


@compiles(*ARITHMETIC)
def _arithmetic(compiler: Compiler, node: exp.Binary) -> Expr:
    symbol, left, right = ARITHMETIC[type(node)], compiler.compile(node.this), compiler.compile(node.expression)
    return json_operator(symbol, left, right) if symbol == "-" and is_json(left) else arithmetic(symbol, left, right)


@compiles(exp.Neg)
def _negative(compiler: Compiler, node: exp.Neg) -> Expr:
    if isinstance(node.this, exp.Literal) and not node.this.is_string:
        return literal(f"-{node.this.this}", is_string=False)
    return negate(compiler.compile(node.this))


@dataclass(frozen=True, slots=True)
class Concatenation(Strict):
    """``left || right`` over text."""

    function: Callable[..., Value] = field(default=operator.add)


@compiles(exp.DPipe)
def _concatenate(compiler: Compiler, node: exp.DPipe) -> Expr:
    left, right = compiler.compile(node.this), compiler.compile(node.expression)
    if left.type.form is Form.ARRAY or right.type.form is Form.ARRAY:
        joined = concatenate(left, right)
        if joined is None:
            raise undefined_operator("||", left.type, right.type)
        return joined
    if left.type.oid == BYTEA.oid or right.type.oid == BYTEA.oid:
        left, right = unify_unknown(left, right)
        if left.type.oid == right.type.oid:
            return Strict(BYTEA, lambda first, second: first + second, (left, right))
    untyped = {left.type.oid, right.type.oid} & {UNKNOWN.oid}
    if JSONB.oid in (left.type.oid, right.type.oid) and (untyped or left.type.oid == right.type.oid):
        return json_operator("||", left, right)
    if not untyped and not (is_string(left.type) or is_string(right.type)):
        raise undefined_operator("||", left.type, right.type)
    return Concatenation(TEXT, arguments=(casts.cast(left, TEXT), casts.cast(right, TEXT)))


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


@compiles(exp.Interval)
def _interval(_compiler: Compiler, node: exp.Interval) -> Expr:
    only(node, "this", "unit")
    amount, unit = node.this, node.args.get("unit")
    if not isinstance(amount, exp.Literal) or (unit is not None and not isinstance(unit, exp.Var)):
        raise Unsupported("this spelling of an interval is not supported")
    return casts.cast(literal(amount.this if unit is None else f"{amount.this} {unit.name}", is_string=True), INTERVAL)


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
    if len(node.expressions) == 1 and isinstance(node.expressions[0], exp.Select | exp.SetOperation):
        return array_of_subquery(compiler, node.expressions[0])
    items = [compiler.compile(item) for item in node.expressions]
    kind = common_type([item.type for item in items], "ARRAY").with_typmod(-1)
    if kind.form is Form.ARRAY:
        raise Unsupported("arrays of more than one dimension are not supported")
    return Lenient(array_of(kind), lambda *values: values, tuple(casts.implicit(item, kind) for item in items))


