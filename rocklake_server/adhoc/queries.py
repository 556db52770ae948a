"""Queries to the engine's text: SELECT, VALUES, set operations and WITH."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from sqlglot import exp

from rocklake_server.adhoc import aggregates, ordered_sets, subqueries, windows
from rocklake_server.adhoc.fragments import Fragment
from rocklake_server.adhoc.reading import Reading
from rocklake_server.adhoc.relational import Relational, columns_of, grouped, selected
from rocklake_server.adhoc.selecting import Selecting
from rocklake_server.adhoc.statement import Column, CommonTable, Statement
from rocklake_server.errors import (
    DatatypeMismatch,
    DuplicateAlias,
    InvalidColumnReference,
    InvalidRowCount,
    InvalidRowOffset,
    SyntaxProblem,
    Unsupported,
)
from rocklake_server.plan.applications import Strict
from rocklake_server.plan.casts import implicit
from rocklake_server.plan.dispatch import label, only
from rocklake_server.plan.expressions import Expr
from rocklake_server.plan.lowering.ordering import bound_node, ordinal
from rocklake_server.plan.lowering.query import Output
from rocklake_server.plan.naming import identifier
from rocklake_server.plan.scope import Scope
from rocklake_server.plan.type_rules import common_type
from rocklake_server.schema.types import BIGINT, ColumnType, Form, Value

REGISTERED = (aggregates, ordered_sets, subqueries, windows)
"""The modules whose import fills the table of what reads nodes."""

_SETS = {exp.Union: "UNION", exp.Intersect: "INTERSECT", exp.Except: "EXCEPT"}


@dataclass(slots=True)
class Queries:
    """Rewrites the queries of one statement."""

    statement: Statement

    def query(self, node: exp.Expr, parent: Scope | None) -> Relational:
        """Raises Unsupported naming the node, and the errors of PostgreSQL's analysis."""
        before = self.statement.common_tables
        with_clause = node.args.get("with_")
        try:
            prefix = "" if with_clause is None else self._with(with_clause, parent)
            found = self._body(node, parent)
        finally:
            self.statement.common_tables = before
        if not prefix:
            return found
        write = found.write
        return replace(found, write=lambda nodes: f"{prefix} {write(nodes)}")

    def _body(self, node: exp.Expr, parent: Scope | None) -> Relational:
        if isinstance(node, exp.Select):
            return Selecting(self, node, parent).made()
        if isinstance(node, exp.SetOperation):
            only(node, "this", "expression", "distinct", "with_", "order", "limit", "offset")
            return self._finished(node, self._set_operation(node, parent))
        if isinstance(node, exp.Values):
            only(node, "expressions", "alias", "order", "limit", "offset", "with_")
            return self._finished(node, self._values(node, parent))
        if isinstance(node, exp.Subquery):
            only(node, "this", "order", "limit", "offset", "with_")
            return self._finished(node, self.query(node.this, parent))
        raise Unsupported(f"the query {label(node)} is not supported")

    def derived(self, inner: Relational, tail: str = "") -> Relational:
        """The rows of ``inner`` in a SELECT of its own, with ``tail`` after it."""
        inner = inner.settled()
        alias = self.statement.name("q")
        text = f"({inner.text()}) AS {alias}"
        return Relational(
            inner.outputs, columns_of(alias, inner.columns),
            lambda nodes: f"SELECT {selected(self.statement.out, nodes)} FROM {text}{tail}",
        )

    # -- ORDER BY and LIMIT above a query -----------------------------------------------------------------------------

    def _finished(self, node: exp.Expr, found: Relational) -> Relational:
        order = node.args.get("order")
        limits = self.limits(node)
        if order is None and not limits:
            return found
        found = self.derived(found)
        keys = ""
        if order is not None:
            only(order, "expressions")
            keys = self.ordered(order.expressions, lambda part: self.output(part, found.outputs, found.expressions))
        write = found.write
        return replace(found, write=lambda nodes: f"{write(nodes)}{keys}{limits}")

    def output(self, node: exp.Expr, outputs: Sequence[Output], expressions: Sequence[Expr]) -> Expr:
        """The output that an ORDER BY item of a set operation or of DISTINCT means. Raises InvalidColumnReference."""
        position = self.position(node, outputs)
        if position is None:
            raise Unsupported("ORDER BY an expression over UNION, INTERSECT or EXCEPT is not supported")
        return expressions[position]

    @staticmethod
    def position(node: exp.Expr, outputs: Sequence[Output]) -> int | None:
        """The output column that an item means by ordinal or by name. Raises InvalidColumnReference."""
        if isinstance(node, exp.Literal):
            number = ordinal(node)
            if number is None:
                raise InvalidColumnReference("non-integer constant in ORDER BY")
            if not 1 <= number <= len(outputs):
                raise InvalidColumnReference(f"ORDER BY position {number} is not in select list")
            return number - 1
        if isinstance(node, exp.Column) and node.args.get("table") is None and isinstance(node.this, exp.Identifier):
            name = identifier(node.this)
            return next((index for index, output in enumerate(outputs) if output.name == name), None)
        return None

    def ordered(self, nodes: Sequence[exp.Expr], resolve: subqueries.Resolve) -> str:
        """`` ORDER BY ...``, or nothing where all keys are constant."""
        keys = []
        for node in nodes:
            only(node, "this", "desc", "nulls_first")
            key = resolve(node.this)
            if not key.constant:
                direction = "DESC" if node.args.get("desc") else "ASC"
                nulls = "FIRST" if node.args.get("nulls_first") else "LAST"
                keys.append(f"{self.statement.out.order(key)} {direction} NULLS {nulls}")
        return f" ORDER BY {', '.join(keys)}" if keys else ""

    def limits(self, node: exp.Expr) -> str:
        """`` LIMIT .. OFFSET ..`` as far as they are there."""
        count = self._bound(node, "limit", InvalidRowCount("LIMIT must not be negative"))
        offset = self._bound(node, "offset", InvalidRowOffset("OFFSET must not be negative"))
        return f"{count}{offset}"

    def _bound(self, node: exp.Expr, name: str, negative: Exception) -> str:
        inner = bound_node(node, name)
        if inner is None:
            return ""
        bound = implicit(Reading(self, Scope(), name.upper()).expression(inner), BIGINT)
        if not bound.constant:
            raise InvalidColumnReference(f"argument of {name.upper()} must not contain variables")

        def checked(value: Value) -> Value:
            if isinstance(value, int) and value < 0:
                raise negative
            return value

        word = name.upper()
        return f" {word} {self.statement.out.constant(Strict(BIGINT, checked, (bound,)))}"

    # -- set operations and VALUES ------------------------------------------------------------------------------------

    def _set_operation(self, node: exp.SetOperation, parent: Scope | None) -> Relational:
        word = _SETS[type(node)]
        left, right = self.query(node.this, parent), self.query(node.expression, parent)
        if len(left.outputs) != len(right.outputs):
            raise SyntaxProblem(f"each {word} query must have the same number of columns")
        kinds = [
            common_type([first.type, second.type], word)
            for first, second in zip(left.outputs, right.outputs, strict=True)
        ]
        return self.combined(word, left.converted(kinds), right.converted(kinds), distinct=bool(node.args["distinct"]))

    def combined(self, word: str, left: Relational, right: Relational, *, distinct: bool) -> Relational:
        """``left word right`` over columns of the same types."""
        mixed = word == "UNION" and distinct and self._mixes_scales(left, right)
        scales = self.common_scales(left, right, "" if mixed else word if distinct else "")
        if mixed:
            inner = self.statement.name("q")
            both = f"(({left.text()}) UNION ALL ({right.text()})) AS {inner}"
            columns = [replace(node, scale=None) if isinstance(node, Fragment) else node for node in left.shown(inner)]
            text = grouped(self.statement.out, columns, both)
        else:
            text = f"({left.text()}) {word}{'' if distinct else ' ALL'} ({right.text()})"
        alias = self.statement.name("q")
        outputs = tuple(Output(output.name, output.type) for output in left.outputs)
        expressions = tuple(
            Fragment(output.type, -1, output.name, 0, 0, f"{alias}.c{position}", -1, scale)
            for position, (output, scale) in enumerate(zip(outputs, scales, strict=True))
        )
        return Relational(
            outputs, expressions,
            lambda nodes: f"SELECT {selected(self.statement.out, nodes)} FROM ({text}) AS {alias}",
        )

    @staticmethod
    def _mixes_scales(left: Relational, right: Relational) -> bool:
        """Whether a column of numerics has no scale that all its values share."""
        return any(
            first.type.form is Form.NUMERIC and (first.scale is None or first.scale != second.scale)
            for first, second in zip(left.columns, right.columns, strict=True)
        )

    def common_scales(self, left: Relational, right: Relational, distinct: str) -> list[int | None]:
        """The scale that each column has on both sides. Where rows are compared, all numerics need one."""
        scales: list[int | None] = []
        for first, second in zip(left.columns, right.columns, strict=True):
            common = first.scale if first.scale == second.scale else None
            if distinct and first.type.form is Form.NUMERIC and common is None:
                raise Unsupported(
                    f"{distinct} over numerics of different scales is not supported in a statement of this kind",
                    hint="Cast them to numeric(p,s).")
            scales.append(common)
        if distinct:
            for relational in (left, right):
                for node in relational.expressions:
                    self.statement.out.key(node, distinct)
        return scales

    def _values(self, node: exp.Values, parent: Scope | None) -> Relational:
        reading = Reading(self, Scope(parent), "VALUES")
        lines = [
            [reading.expression(item) for item in (line.expressions if isinstance(line, exp.Tuple) else [line])]
            for line in node.expressions
        ]
        if any(len(line) != len(lines[0]) for line in lines):
            raise SyntaxProblem("VALUES lists must all be the same length")
        kinds = [common_type([item.type for item in column], "VALUES") for column in zip(*lines, strict=True)]
        out = self.statement.out
        rows = ", ".join(
            "(" + ", ".join(out.sql(implicit(item, kind)) for item, kind in zip(line, kinds, strict=True)) + ")"
            for line in lines
        )
        alias = self.statement.name("q")
        names = ", ".join(f"c{position}" for position in range(len(kinds)))
        outputs = tuple(Output(f"column{number}", kind) for number, kind in enumerate(kinds, 1))
        expressions = tuple(
            Fragment(kind, -1, f"column{position + 1}", 0, 0, f"{alias}.c{position}", -1)
            for position, kind in enumerate(kinds)
        )
        return Relational(
            outputs, expressions,
            lambda nodes: f"SELECT {selected(out, nodes)} FROM (VALUES {rows}) AS {alias}({names})",
        )

    # -- WITH ---------------------------------------------------------------------------------------------------------

    def _with(self, clause: exp.With, parent: Scope | None) -> str:
        only(clause, "expressions", "recursive")
        defined: set[str] = set()
        texts = []
        for cte in clause.expressions:
            only(cte, "this", "alias", "materialized")
            name = identifier(cte.args["alias"])
            if name in defined:
                raise DuplicateAlias(f'WITH query name "{name}" specified more than once')
            defined.add(name)
            if isinstance(cte.this, exp.DML):
                raise Unsupported(f"{label(cte.this)} in WITH of a SELECT is not supported")
            names = [identifier(column) for column in cte.args["alias"].args.get("columns") or ()]
            texts.append(self._common_table(cte, name, names, parent, recursive=bool(clause.args.get("recursive"))))
        return f"WITH {'RECURSIVE ' if clause.args.get('recursive') else ''}{', '.join(texts)}"

    def _common_table(self, cte: exp.CTE, name: str, names: list[str], parent: Scope | None, *,
                      recursive: bool) -> str:
        body = cte.this
        own_name = self.statement.name("w")
        if recursive and isinstance(body, exp.Union) and _mentions(body, name):
            columns, text = self._recursive(body, name, own_name, names, parent)
        else:
            found = self.query(body, parent).settled().renamed(names, name)
            columns, text = found.columns, found.text()
        self.statement.common_tables = {**self.statement.common_tables, name: CommonTable(own_name, columns)}
        listed = ", ".join(f"c{position}" for position in range(len(columns)))
        materialized = cte.args.get("materialized")
        word = "" if materialized is None else ("MATERIALIZED " if materialized else "NOT MATERIALIZED ")
        return f"{own_name}({listed}) AS {word}({text})"

    def _recursive(self, node: exp.Union, name: str, own_name: str, names: list[str],
                   parent: Scope | None) -> tuple[tuple[Column, ...], str]:
        only(node, "this", "expression", "distinct")
        first = self.query(node.this, parent).settled().renamed(names, name)
        distinct = bool(node.args["distinct"])
        columns = tuple(replace(column, scale=None) for column in first.columns)
        before = self.statement.common_tables
        self.statement.common_tables = {**before, name: CommonTable(own_name, columns)}
        try:
            second = self.query(node.expression, parent)
        finally:
            self.statement.common_tables = before
        if len(first.outputs) != len(second.outputs):
            raise SyntaxProblem("each UNION query must have the same number of columns")
        for position, (left, right) in enumerate(zip(first.outputs, second.outputs, strict=True), 1):
            _require_same(name, position, left.type, common_type([left.type, right.type], "UNION"))
        second = second.converted([output.type for output in first.outputs])
        if distinct:
            self.common_scales(first, second, "UNION")
        return columns, f"({first.text()}) UNION{'' if distinct else ' ALL'} ({second.text()})"

    def dependent(self, reading: Reading, found: Fragment) -> Expr:
        """A column above grouping: one that follows from a grouped primary key is the same in all rows of a group."""
        return aggregates.dependent(reading, found)


def _require_same(name: str, position: int, first: ColumnType, overall: ColumnType) -> None:
    if first.oid != overall.oid:
        raise DatatypeMismatch(
            f'recursive query "{name}" column {position} has type {first.name} in non-recursive term but type '
            f"{overall.name} overall",
            hint="Cast the output of the non-recursive term to the correct type.")


def _mentions(node: exp.Expr, name: str) -> bool:
    return any(
        not table.args.get("db") and isinstance(table.this, exp.Identifier) and identifier(table.this) == name
        for table in node.find_all(exp.Table)
    )
