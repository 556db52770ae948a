"""SELECT: from FROM to LIMIT."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sqlglot import exp

from rocklake_server.adhoc.aggregates import holds_aggregate
from rocklake_server.adhoc.fragments import Fragment, reads, uniform_scale
from rocklake_server.adhoc.from_items import FromItems
from rocklake_server.adhoc.reading import Grouped, Reading
from rocklake_server.adhoc.relational import Relational, columns_of, grouped, selected
from rocklake_server.errors import GroupingProblem, InvalidColumnReference, SyntaxProblem, Unsupported
from rocklake_server.plan.compiler import settle
from rocklake_server.plan.conditions import conjuncts
from rocklake_server.plan.dispatch import only
from rocklake_server.plan.expressions import ColumnRef, Expr
from rocklake_server.plan.lowering.ordering import ordinal
from rocklake_server.plan.lowering.query import Output
from rocklake_server.plan.naming import column_name, identifier
from rocklake_server.plan.scope import Scope

if TYPE_CHECKING:
    from rocklake_server.adhoc.queries import Queries

_CLAUSES = (
    "expressions", "from_", "joins", "where", "group", "having", "order", "limit", "offset", "distinct", "with_",
    "windows",
)
_SETS_OF_KEYS: dict[type[exp.Expr], str] = {
    exp.Rollup: "ROLLUP", exp.Cube: "CUBE", exp.GroupingSets: "GROUPING SETS",
}


@dataclass(slots=True)
class Selecting:
    """One SELECT while it is rewritten."""

    queries: Queries
    node: exp.Select
    parent: Scope | None
    scope: Scope = field(init=False)

    def __post_init__(self) -> None:
        self.scope = Scope(self.parent)

    def made(self) -> Relational:
        node = self.node
        if node.args.get("locks"):
            raise Unsupported("SELECT FOR UPDATE and FOR SHARE are not supported")
        if node.args.get("into"):
            raise Unsupported("SELECT INTO is not supported")
        only(node, *_CLAUSES)
        if not node.expressions:
            raise Unsupported("a SELECT without columns is not supported in a statement of this kind")
        items = FromItems(self.queries, self.scope)
        source = items.text(node)
        where = self._where(items)
        reading = Reading(self.queries, self.scope, "SELECT", aggregates=True, window_functions=True, sets=True,
                          windows=self._windows())
        group = self._grouping(reading)
        outputs, expressions = self._projection(reading)
        having = self._having(reading)
        head = f"{source}{where}{group}{having}"
        limits = self.queries.limits(node)
        return self._distinct(reading, outputs, expressions, head, limits)

    # -- clauses ------------------------------------------------------------------------------------------------------

    def _where(self, items: FromItems) -> str:
        where = self.node.args.get("where")
        if where is None:
            items.narrow([])
            return ""
        only(where, "this")
        condition = Reading(self.queries, self.scope, "WHERE").condition(where.this)
        items.narrow(conjuncts(condition))
        return f" WHERE {self.queries.statement.out.sql(condition)}"

    def _windows(self) -> dict[str, exp.Window]:
        return {identifier(window.this): window for window in self.node.args.get("windows") or ()}

    def _grouping(self, reading: Reading) -> str:
        """GROUP BY; what stands above it may read its keys and aggregates only."""
        node = self.node
        group, order = node.args.get("group"), node.args.get("order")
        above = [*node.expressions, *([] if order is None else order.expressions)]
        if group is None and node.args.get("having") is None and not any(holds_aggregate(part) for part in above):
            return ""
        reading.grouped = Grouped()
        if group is None:
            return ""
        only(group, "expressions", "rollup", "cube", "grouping_sets")
        inner = Reading(self.queries, self.scope, "GROUP BY")
        parts = [part for name in ("expressions", "rollup", "cube", "grouping_sets")
                 for part in group.args.get(name) or ()]
        return f" GROUP BY {', '.join(self._item(inner, part, reading.grouped) for part in parts)}"

    def _item(self, inner: Reading, node: exp.Expr, grouped: Grouped) -> str:
        word = _SETS_OF_KEYS.get(type(node))
        if word is None:
            return self._key(inner, node, grouped)
        return f"{word} ({self._keys(inner, node.expressions, grouped)})"

    def _keys(self, inner: Reading, nodes: Sequence[exp.Expr], grouped: Grouped) -> str:
        return ", ".join(self._set(inner, node, grouped) for node in nodes)

    def _set(self, inner: Reading, node: exp.Expr, grouped: Grouped) -> str:
        if isinstance(node, exp.Tuple):
            return f"({self._keys(inner, node.expressions, grouped)})"
        if isinstance(node, exp.Paren):
            return f"({self._key(inner, node.this, grouped)})"
        if type(node) in _SETS_OF_KEYS:
            return self._item(inner, node, grouped)
        return self._key(inner, node, grouped)

    def _key(self, inner: Reading, node: exp.Expr, above: Grouped) -> str:
        node = self._key_node(inner, node)
        if holds_aggregate(node):
            raise GroupingProblem("aggregate functions are not allowed in GROUP BY")
        key = settle(inner.expression(node))
        above.nodes.append(node)
        out = inner.statement.out
        if not out.tells_equals(key) and not self._has_sets():
            grouped_by = out.order(key)
            above.keys.append(Fragment(key.type, -1, sql=f"first({out.sql(key)})", scope_number=-1, reads=reads(key)))
            return grouped_by
        text = out.key(key, "GROUP BY")
        if not isinstance(key, Fragment):
            key = Fragment(key.type, -1, sql=text, scope_number=-1, scale=uniform_scale(key), reads=reads(key))
        above.keys.append(key)
        return text

    def _has_sets(self) -> bool:
        """Whether a row may stand for several sets of keys."""
        group = self.node.args["group"]
        parts = [part for name in ("expressions", "rollup", "cube", "grouping_sets")
                 for part in group.args.get(name) or ()]
        return any(type(part) in _SETS_OF_KEYS for part in parts)

    def _key_node(self, inner: Reading, node: exp.Expr) -> exp.Expr:
        """An expression, an ordinal, or, where no input column has that name, an output's alias."""
        position = ordinal(node)
        if position is not None:
            if not 1 <= position <= len(self.node.expressions):
                raise InvalidColumnReference(f"GROUP BY position {position} is not in select list")
            chosen: exp.Expr = self.node.expressions[position - 1]
            return _unaliased(chosen)
        if isinstance(node, exp.Column) and node.args.get("table") is None and isinstance(node.this, exp.Identifier):
            name = identifier(node.this)
            if inner.scope.local(name, None, None) is None:
                for projection in self.node.expressions:
                    if isinstance(projection, exp.Alias) and identifier(projection.args["alias"]) == name:
                        return _unaliased(projection)
        return node

    def _having(self, reading: Reading) -> str:
        having = self.node.args.get("having")
        if having is None:
            return ""
        only(having, "this")
        condition = Reading(self.queries, self.scope, "HAVING", reading.grouped, aggregates=True).condition(having.this)
        return f" HAVING {self.queries.statement.out.sql(condition)}"

    # -- the select list ----------------------------------------------------------------------------------------------

    def _projection(self, reading: Reading) -> tuple[tuple[Output, ...], tuple[Expr, ...]]:
        outputs: list[Output] = []
        expressions: list[Expr] = []
        for node in self.node.expressions:
            for name, expression in self._expanded(reading, node):
                origin = (expression.table_oid, expression.attnum) if isinstance(expression, ColumnRef) else (0, 0)
                outputs.append(Output(name, expression.type, *origin))
                expressions.append(expression)
        return tuple(outputs), tuple(expressions)

    def _expanded(self, reading: Reading, node: exp.Expr) -> list[tuple[str, Expr]]:
        if isinstance(node, exp.Alias):
            only(node, "this", "alias")
            return [(identifier(node.args["alias"]), reading.expression(node.this))]
        is_star = isinstance(node, exp.Star) or (isinstance(node, exp.Column) and isinstance(node.this, exp.Star))
        if not is_star:
            return [(column_name(node), reading.expression(node))]
        only(node if isinstance(node, exp.Star) else node.this)
        table = identifier(node.args["table"]) if node.args.get("table") else None
        schema = identifier(node.args["db"]) if node.args.get("db") else None
        if table is None and not self.scope.sources:
            raise SyntaxProblem("SELECT * with no tables specified is not valid")
        shown = []
        for name, column in self.scope.star(table, schema):
            found = reading.statement.resolved(column, self.scope)
            if reading.grouped is not None and isinstance(found, Fragment):
                found = self.queries.dependent(reading, found)
            reading.require_grouped(found)
            shown.append((name, found))
        return shown

    # -- DISTINCT and ORDER BY ----------------------------------------------------------------------------------------

    def _distinct(self, reading: Reading, outputs: tuple[Output, ...], expressions: tuple[Expr, ...], head: str,
                  limits: str) -> Relational:
        out = reading.statement.out
        distinct, order = self.node.args.get("distinct"), self.node.args.get("order")
        order_nodes = [] if order is None else order.expressions
        if order is not None:
            only(order, "expressions")
        on = None if distinct is None else distinct.args.get("on")
        if distinct is None or on is not None:
            word = "" if on is None else self._distinct_on(reading, on, outputs, expressions)
            keys = self.queries.ordered(order_nodes, lambda part: self._sort_key(reading, part, outputs, expressions))
            return Relational(outputs, expressions,
                              lambda nodes: f"SELECT {word}{selected(out, nodes)}{head}{keys}{limits}")
        found = Relational(outputs, expressions, lambda nodes: self._distinct_rows(nodes, head)).settled()
        alias = reading.statement.name("q")
        text = found.text()
        shown = columns_of(alias, found.columns)
        keys = self.queries.ordered(
            order_nodes, lambda part: self._among(reading, part, outputs, expressions, shown))
        return Relational(found.outputs, shown,
                          lambda nodes: f"SELECT {selected(out, nodes)} FROM ({text}) AS {alias}{keys}{limits}")

    def _distinct_rows(self, nodes: Sequence[Expr], head: str) -> str:
        out = self.queries.statement.out
        if all(out.tells_equals(node) for node in nodes):
            return f"SELECT DISTINCT {selected(out, nodes, 'DISTINCT over')}{head}"
        alias = self.queries.statement.name("q")
        columns = Relational((), tuple(nodes), lambda _nodes: "").shown(alias)
        return grouped(out, columns, f"(SELECT {selected(out, nodes)}{head}) AS {alias}")

    def _distinct_on(self, reading: Reading, on: exp.Expr, outputs: tuple[Output, ...],
                     expressions: tuple[Expr, ...]) -> str:
        nodes = on.expressions if isinstance(on, exp.Tuple) else [on.this if isinstance(on, exp.Paren) else on]
        keys = [self._sort_key(reading, node, outputs, expressions) for node in nodes]
        order = self.node.args.get("order")
        leading = [] if order is None else [
            self._sort_key(reading, item.this, outputs, expressions) for item in order.expressions[: len(keys)]
        ]
        if any(key not in keys for key in leading):
            raise InvalidColumnReference("SELECT DISTINCT ON expressions must match initial ORDER BY expressions")
        return f"DISTINCT ON ({', '.join(reading.statement.out.key(key, 'DISTINCT ON') for key in keys)}) "

    def _sort_key(self, reading: Reading, node: exp.Expr, outputs: tuple[Output, ...],
                  expressions: tuple[Expr, ...]) -> Expr:
        position = self.queries.position(node, outputs)
        return settle(reading.expression(node) if position is None else expressions[position])

    def _among(self, reading: Reading, node: exp.Expr, outputs: tuple[Output, ...], expressions: tuple[Expr, ...],
               shown: tuple[Expr, ...]) -> Expr:
        position = self.queries.position(node, outputs)
        if position is None:
            wanted = reading.expression(node)
            position = next((index for index, known in enumerate(expressions) if known == wanted), None)
        if position is None:
            raise InvalidColumnReference("for SELECT DISTINCT, ORDER BY expressions must appear in select list")
        return shown[position]


def _unaliased(node: exp.Expr) -> exp.Expr:
    inner: exp.Expr = node.this if isinstance(node, exp.Alias) else node
    return inner
