"""Typed expressions to the engine's SQL.

What the engine computes as PostgreSQL does is written in its SQL; every other expression becomes a function of its own
that the engine calls with the columns it reads, and that computes what the server's own operators would. Constants are
bound as parameters. So the text holds generated names and numbers only, nothing that a client wrote.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from string import ascii_lowercase, ascii_uppercase
from typing import Any

from rocklake_server.adhoc.fragments import Fragment, uniform_scale
from rocklake_server.adhoc.patterns import engine_pattern
from rocklake_server.adhoc.values import argument_sql, engine_type, owned
from rocklake_server.errors import StatementTooComplex, UndefinedFunction, Unsupported
from rocklake_server.limits import ENGINE_TEXT_CHARACTERS_MAX
from rocklake_server.pgformat.zones import session_zone
from rocklake_server.plan.applications import Strict
from rocklake_server.plan.arithmetic import Arithmetic
from rocklake_server.plan.casts import Conversion
from rocklake_server.plan.conditions import (
    And,
    CaseWhen,
    CoalesceOf,
    Compare,
    Distinctness,
    InList,
    IsNull,
    IsTruth,
    Not,
    Or,
)
from rocklake_server.plan.expressions import ColumnRef, Constant, Expr
from rocklake_server.plan.functions import FUNCTIONS
from rocklake_server.plan.live_functions import acting_function
from rocklake_server.plan.operators_sql import Concatenation
from rocklake_server.plan.patterns import Matches
from rocklake_server.plan.rewriting import rewrite
from rocklake_server.plan.type_rules import INTEGERS, OIDS, is_string, widens
from rocklake_server.schema.types import (
    BPCHAR,
    BYTEA,
    CHAR,
    DATE,
    JSON,
    JSONB,
    NUMERIC,
    REAL,
    TEXT,
    TIMESTAMP,
    TIMESTAMPTZ,
    ColumnType,
    Form,
)

DIVISOR_CHARACTERS_MAX = 200
"""A longer divisor is not written twice, to be compared with 0 first."""

_ORDERED = frozenset({Form.BOOL, Form.INT, Form.FLOAT, Form.TEXT, Form.BYTES, Form.UUID, Form.TIMESTAMP, Form.DATE,
                      Form.TIME, Form.TID})
"""Forms whose order and equality are the engine's own."""

NUMERIC_KEY = "numeric_key"
"""The function that makes a text of a numeric's, which orders as the number does."""


@dataclass(frozen=True, slots=True)
class Function:
    """A Python function of the statement: ``expression`` over the rows that its arguments make."""

    name: str
    expression: Expr
    arguments: tuple[ColumnType, ...]


@dataclass(frozen=True, slots=True)
class Fold:
    """A function of a list of an aggregate's arguments; ``fold`` takes one tuple per row."""

    name: str
    element: ColumnType
    result: ColumnType
    fold: Callable[[list[Any]], Any]
    keeps_null: bool


@dataclass(slots=True)
class Emitter:
    """What one statement's SQL needs beside it: parameters by name, and functions."""

    parameters: dict[str, Expr] = field(default_factory=dict)
    functions: list[Function] = field(default_factory=list)
    folds: list[Fold] = field(default_factory=list)
    orders_numerics: bool = False
    written: int = 0
    _known: dict[object, str] = field(default_factory=dict)

    def sql(self, node: Expr) -> str:
        """The engine's text for ``node``. Raises Unsupported, StatementTooComplex."""
        text = self._sql(node)
        self.written += len(text)
        if self.written > ENGINE_TEXT_CHARACTERS_MAX:
            raise StatementTooComplex.default()
        return text

    def _sql(self, node: Expr) -> str:
        if isinstance(node, Fragment):
            return node.sql
        if node.constant and not _holds_match(node):
            return self.constant(node)
        write = _WRITERS.get(type(node))
        text = None if write is None else write(self, node)
        if text is not None:
            return text
        return self.constant(node) if node.constant else self.function(node)

    def all(self, nodes: tuple[Expr, ...]) -> list[str]:
        return [self.sql(node) for node in nodes]

    def constant(self, node: Expr) -> str:
        """A literal, or a parameter that is computed when the statement runs; equal constants share one."""
        kind = node.type
        if isinstance(node, Constant):
            if node.content is None:
                return f"CAST(NULL AS {engine_type(kind)})"
            if kind.form is Form.BOOL:
                return "TRUE" if node.content else "FALSE"
            if kind.form is Form.INT:
                return f"CAST({node.content!r} AS {engine_type(kind)})"
            key: object = (kind.oid, kind.typmod, repr(node.content))
        else:
            key = id(node)
        name = self._known.get(key)
        if name is None:
            name = self._known[key] = f"k{len(self.parameters) + 1}"
            self.parameters[name] = node
        return argument_sql(name, kind)

    def function(self, node: Expr) -> str:
        """``node`` as a call of a function of its own. Raises Unsupported for one that acts on the session, which a
        thread of the engine must not."""
        acting = acting_function(node)
        if acting is not None:
            raise Unsupported(f"{acting}() is not supported in a statement of this kind")
        leaves: list[Fragment] = []

        def leaf(column: ColumnRef) -> Expr:
            assert isinstance(column, Fragment)
            if column not in leaves:
                leaves.append(column)
            return ColumnRef(column.type, leaves.index(column))

        expression = rewrite(node, leaf)
        kinds = tuple(leaf.type for leaf in leaves)
        for kind in (*kinds, node.type):
            engine_type(kind)
        name = f"f{len(self.functions) + 1}"
        self.functions.append(Function(name, expression, kinds))
        return owned(f"{name}({', '.join(leaf.sql for leaf in leaves)})", node.type)

    def fold(self, element: ColumnType, result: ColumnType, fold: Callable[[list[Any]], Any], *,
             keeps_null: bool) -> str:
        """The name of a function that folds a list. Raises Unsupported."""
        engine_type(element)
        engine_type(result)
        name = f"a{len(self.folds) + 1}"
        self.folds.append(Fold(name, element, result, fold, keeps_null))
        return name

    def order(self, node: Expr) -> str:
        """What orders as PostgreSQL orders the values of ``node``. Raises Unsupported."""
        text = self.sql(node)
        _refuse_json(node.type, "ordering by")
        if node.type.form is Form.NUMERIC:
            self.orders_numerics = True
            return f"{NUMERIC_KEY}({text})"
        if node.type.oid == BPCHAR.oid:
            return f"rtrim({text}, ' ')"
        if node.type.form in _ORDERED or node.type.form is Form.INTERVAL:
            return text
        if node.type.element is not None and node.type.element.form in _ORDERED:
            return text
        raise Unsupported(f"ordering by type {node.type.name} is not supported in a statement of this kind")

    def tells_equals(self, node: Expr) -> bool:
        """Whether equal values have one form: numerics of different scales have several."""
        return node.type.form is not Form.NUMERIC or uniform_scale(node) is not None

    def key(self, node: Expr, clause: str) -> str:
        """What is equal exactly for values that are, and is the value itself. Raises Unsupported."""
        text = self.sql(node)
        kind = node.type if node.type.element is None else node.type.element
        _refuse_json(kind, clause)
        if kind.form is Form.NUMERIC and uniform_scale(node) is None:
            raise Unsupported(
                f"{clause} a numeric without a fixed scale is not supported in a statement of this kind",
                hint="Cast it to numeric(p,s), or round it.")
        if kind.oid == BPCHAR.oid or (kind.form not in _ORDERED and kind.form not in (Form.INTERVAL, Form.NUMERIC)):
            raise Unsupported(f"{clause} type {kind.name} is not supported in a statement of this kind")
        return text


def _refuse_json(kind: ColumnType, clause: str) -> None:
    """Raises UndefinedFunction for json, which has no equality, and Unsupported for jsonb."""
    kind = kind if kind.element is None else kind.element
    if kind.oid == JSON.oid:
        raise UndefinedFunction("could not identify an equality operator for type json")
    if kind.oid == JSONB.oid:
        raise Unsupported(f"{clause} type jsonb is not supported in a statement of this kind")


def _holds_match(node: Expr) -> bool:
    """Whether the engine may read a pattern in ``node`` that the plan's own matching refuses."""
    return isinstance(node, Matches) or any(_holds_match(child) for child in node.children)


def _and(out: Emitter, node: And) -> str:
    return f"({' AND '.join(out.all(node.operands))})"


def _or(out: Emitter, node: Or) -> str:
    return f"({' OR '.join(out.all(node.operands))})"


def _not(out: Emitter, node: Not) -> str:
    return f"(NOT {out.sql(node.arguments[0])})"


def _is_null(out: Emitter, node: IsNull) -> str:
    return f"({out.sql(node.operand)} IS {'NOT ' if node.negated else ''}NULL)"


def _is_truth(out: Emitter, node: IsTruth) -> str:
    return f"({out.sql(node.operand)} IS {'NOT ' if node.negated else ''}{'TRUE' if node.wanted else 'FALSE'})"


def compares_natively(node: Compare) -> bool:
    """Whether the engine compares these values as PostgreSQL does."""
    left, right = node.left.type, node.right.type
    if left.form is Form.FLOAT and right.form is Form.FLOAT:
        return True
    return node.plain and left.form is right.form and left.form in _ORDERED


def _compare(out: Emitter, node: Compare) -> str | None:
    if not compares_natively(node):
        return None
    return f"({out.sql(node.left)} {node.operator} {out.sql(node.right)})"


def _distinctness(out: Emitter, node: Distinctness) -> str | None:
    if not isinstance(node.equality, Compare) or not compares_natively(node.equality):
        return None
    word = "DISTINCT FROM" if node.distinct else "NOT DISTINCT FROM"
    return f"({out.sql(node.equality.left)} IS {word} {out.sql(node.equality.right)})"


def _in_list(out: Emitter, node: InList) -> str | None:
    if node.operand.type.form not in _ORDERED:
        return None
    return f"({out.sql(node.operand)} IN ({', '.join(out.all(node.items))}))"


def _case(out: Emitter, node: CaseWhen) -> str:
    branches = " ".join(f"WHEN {out.sql(test)} THEN {out.sql(value)}" for test, value in node.branches)
    default = "" if node.default is None else f" ELSE {out.sql(node.default)}"
    return f"CAST(CASE {branches}{default} END AS {engine_type(node.type)})"


def _coalesce(out: Emitter, node: CoalesceOf) -> str:
    return f"COALESCE({', '.join(out.all(node.operands))})"


def _arithmetic(out: Emitter, node: Arithmetic) -> str | None:
    if node.type.oid not in INTEGERS:
        return None
    kind = engine_type(node.type)
    left, right = (f"CAST({text} AS {kind})" for text in out.all(node.arguments))
    if node.symbol in ("+", "-", "*"):
        return f"({left} {node.symbol} {right})"
    symbol = "//" if node.symbol == "/" else "%"
    divisor = node.arguments[1]
    if isinstance(divisor, Constant) and divisor.content not in (None, 0, -1):
        return f"({left} {symbol} {right})"
    if len(left) + len(right) > DIVISOR_CHARACTERS_MAX:
        return None
    problem = f"CASE WHEN {right} = 0 AND {left} IS NOT NULL THEN error('division by zero')"
    if node.symbol == "%":
        return f"({problem} WHEN {right} = -1 THEN {left} - {left} ELSE {left} {symbol} {right} END)"
    return f"({problem} WHEN {right} = -1 THEN -{left} ELSE {left} {symbol} {right} END)"


def _conversion(out: Emitter, node: Conversion) -> str | None:
    source, target = node.arguments[0].type, node.type
    if target.typmod != -1 and target != source:
        return None
    text = out.sql(node.arguments[0])
    plain = is_string(target) and target.oid not in (BPCHAR.oid, CHAR.oid)
    if source.form is Form.INT and target.form is Form.INT and (widens(source, target) or source.oid in OIDS):
        return f"CAST({text} AS {engine_type(target)})" if widens(source, target) or target.oid in OIDS else None
    if source.oid in INTEGERS and (target.oid == NUMERIC.oid or plain):
        return f"CAST({text} AS VARCHAR)"
    if is_string(source) and source.oid != BPCHAR.oid and target.oid in (TEXT.oid, 1043):
        return text
    if source.form is Form.BOOL and plain:
        return f"CAST({text} AS VARCHAR)"
    if TIMESTAMPTZ.oid in (source.oid, target.oid) and session_zone() is not None:
        return None
    if source.oid == DATE.oid and target.form is Form.TIMESTAMP:
        return f"CAST({text} AS TIMESTAMP)"
    if source.form is target.form is Form.TIMESTAMP:
        return text
    if source.oid == TIMESTAMP.oid and target.oid == DATE.oid:
        return f"CAST({text} AS DATE)"
    if source.oid == REAL.oid and target.form is Form.FLOAT:
        return f"CAST({text} AS DOUBLE)"
    return None


def _concatenation(out: Emitter, node: Concatenation) -> str:
    return f"({' || '.join(out.all(node.arguments))})"


def _matches(out: Emitter, node: Matches) -> str | None:
    """A pattern that does not change with the row is the engine's to match, in time that grows with the text only."""
    if not isinstance(node.pattern, Constant) or not isinstance(node.pattern.content, str):
        return None
    pattern = engine_pattern(node.pattern.content, whole=node.whole, ignore_case=node.ignore_case)
    constant = out.constant(Constant(TEXT, pattern))
    text = out.sql(node.operand)
    if node.ignore_case:
        text = _LOWER.format(text)
    matched = f"regexp_matches({text}, {constant})"
    return f"(NOT {matched})" if node.negated else matched


_LOWER = f"translate({{}}, '{ascii_uppercase}', '{ascii_lowercase}')"
_UPPER = f"translate({{}}, '{ascii_lowercase}', '{ascii_uppercase}')"
_NATIVE_CALLS: dict[tuple[object, int], str] = {
    (overload.function, overload.arguments[0].oid): template
    for name, kind, template in (
        ("lower", TEXT, _LOWER),
        ("upper", TEXT, _UPPER),
        ("length", TEXT, "CAST(length({}) AS INTEGER)"),
        ("length", BYTEA, "CAST(octet_length({}) AS INTEGER)"),
        ("starts_with", TEXT, "starts_with({}, {})"),
        ("strpos", TEXT, "CAST(instr({}, {}) AS INTEGER)"),
    )
    for overload in FUNCTIONS[name]
    if overload.arguments[0].oid == kind.oid
}


def _strict(out: Emitter, node: Strict) -> str | None:
    if not node.arguments:
        return None
    template = _NATIVE_CALLS.get((node.function, node.arguments[0].type.oid))
    return None if template is None else template.format(*out.all(node.arguments))


_WRITERS: dict[type[Expr], Callable[[Emitter, Any], str | None]] = {
    And: _and, Or: _or, Not: _not, IsNull: _is_null, IsTruth: _is_truth, Compare: _compare,
    Distinctness: _distinctness, InList: _in_list, CaseWhen: _case, CoalesceOf: _coalesce, Arithmetic: _arithmetic,
    Conversion: _conversion, Concatenation: _concatenation, Matches: _matches, Strict: _strict,
}
