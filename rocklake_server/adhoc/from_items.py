"""FROM: relations, WITH queries, derived tables, table functions and joins."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from sqlglot import exp

from rocklake_server.adhoc.fragments import Fragment, declared_scale, fragments
from rocklake_server.adhoc.reading import Reading
from rocklake_server.adhoc.relational import Relational
from rocklake_server.adhoc.rows import PRESENT
from rocklake_server.adhoc.statement import Column, Place
from rocklake_server.adhoc.table_functions import table_function
from rocklake_server.errors import InvalidColumnReference, SyntaxProblem, Unsupported
from rocklake_server.plan.conditions import conjuncts
from rocklake_server.plan.dispatch import label, only
from rocklake_server.plan.expressions import ColumnRef, Expr
from rocklake_server.plan.lowering.from_items import (
    check_function_schema,
    column_aliases,
    relation_source,
    table_name,
    using_condition,
)
from rocklake_server.plan.naming import identifier
from rocklake_server.plan.rewriting import rewrite
from rocklake_server.plan.scope import Scope, ScopeColumn, Source
from rocklake_server.schema.model import Relation

if TYPE_CHECKING:
    from rocklake_server.adhoc.queries import Queries
    from rocklake_server.adhoc.statement import Statement


@dataclass(slots=True)
class FromItems:
    """The items of one FROM, which fill ``scope`` from left to right."""

    queries: Queries
    scope: Scope
    joined: list[Expr] = field(default_factory=list)
    """Conditions of inner joins."""

    @property
    def statement(self) -> Statement:
        return self.queries.statement

    @property
    def places(self) -> list[Place]:
        return self.statement.places.setdefault(self.scope.number, [])

    def text(self, node: exp.Expr) -> str:
        """`` FROM ...``, or nothing."""
        source = node.args.get("from_")
        if source is None:
            return ""
        only(source, "this")
        text = self._item(source.this)
        return f" FROM {text}{self._joins(node.args.get('joins') or ())}"

    def _joins(self, parts: Sequence[exp.Join]) -> str:
        return "".join(self._join(part) for part in parts)

    def _join(self, part: exp.Join) -> str:
        only(part, "this", "kind", "side", "on", "using", "method")
        method, side = (part.args.get("method") or "").upper(), (part.args.get("side") or "").upper()
        kind = (part.args.get("kind") or "").upper()
        if method not in ("", "NATURAL") or kind not in ("", "INNER", "CROSS", "OUTER"):
            raise Unsupported(f"{method or kind} JOIN is not supported")
        on, using = part.args.get("on"), part.args.get("using") or ()
        before, left_sources = len(self.places), list(self.scope.sources)
        merged = dict(self.scope.merged)
        item = self._item(part.this)
        if side in ("LEFT", "FULL"):
            self._make_optional(self.places[before:])
        if side in ("RIGHT", "FULL"):
            self._make_optional(self.places[:before])
        if not (method or side or kind or on or using):
            return f", {item}"
        if kind == "CROSS":
            return f" CROSS JOIN {item}"
        names = [identifier(column) for column in using]
        if method == "NATURAL":
            names = self._shared_names(left_sources, merged)
        conditions = [using_condition(self.scope, left_sources, side.lower() or "inner", name) for name in names]
        conditions = [self.statement.resolved(condition, self.scope) for condition in conditions]
        if on is not None:
            conditions += conjuncts(Reading(self.queries, self.scope, "JOIN/ON").condition(on))
        if not side:
            self.joined += conditions
        text = " AND ".join(self.statement.out.sql(condition) for condition in conditions) or "TRUE"
        return f" {side or 'INNER'} JOIN {item} ON ({text})"

    def _shared_names(self, left_sources: Sequence[Source], merged: dict[str, Expr]) -> list[str]:
        left = list(dict.fromkeys([
            *merged, *(column.name for source in left_sources for column in source.columns if not column.hidden)
        ]))
        right = {column.name for column in self.scope.sources[-1].columns if not column.hidden}
        return [name for name in left if name in right]

    @staticmethod
    def _make_optional(places: Sequence[Place]) -> None:
        for place in places:
            place.optional = True

    # -- items --------------------------------------------------------------------------------------------------------

    def _item(self, node: exp.Expr) -> str:
        if isinstance(node, exp.Table):
            text = self._table(node)
        elif isinstance(node, exp.Subquery) and isinstance(node.this, exp.Table):
            only(node, "this", "joins")
            inner = self._item(node.this)
            return f"({inner}){self._joins(node.args.get('joins') or ())}"
        elif isinstance(node, exp.Subquery):
            only(node, "this", "alias", "joins")
            text = self._derived(node, self.queries.query(node.this, self.scope.parent), "")
        elif isinstance(node, exp.Values):
            only(node, "expressions", "alias", "joins")
            text = self._derived(node, self.queries.query(node, self.scope.parent), "")
        elif isinstance(node, exp.Lateral):
            text = self._lateral(node)
        elif isinstance(node, exp.Unnest):
            only(node, "expressions", "alias", "offset", "joins")
            text = self._function(node, node, with_ordinality=bool(node.args.get("offset")))
        else:
            raise Unsupported(f"{label(node)} in FROM is not supported")
        nested = node.args.get("joins")
        return f"({text}{self._joins(nested)})" if nested else text

    def _lateral(self, node: exp.Lateral) -> str:
        only(node, "this", "alias", "ordinality")
        inner = node.this
        if isinstance(inner, exp.Subquery):
            only(inner, "this")
            return self._derived(node, self.queries.query(inner.this, self.scope), "LATERAL ")
        with_ordinality = bool(node.args.get("ordinality") or inner.args.get("offset"))
        return self._function(node, inner, with_ordinality=with_ordinality)

    def _derived(self, node: exp.Expr, inner: Relational, prefix: str) -> str:
        alias_node = node.args.get("alias")
        if alias_node is None or alias_node.this is None:
            if not isinstance(node, exp.Values):
                raise SyntaxProblem("subquery in FROM must have an alias")
            return self._as_item(inner, "*VALUES*", [], prefix)
        return self._as_item(inner, identifier(alias_node), column_aliases(alias_node), prefix)

    def _as_item(self, inner: Relational, alias: str, names: list[str], prefix: str) -> str:
        inner = inner.settled().renamed(names, alias)
        own = self.statement.name("t")
        text = f"{prefix}{self._with_presence(alias, f'({inner.text()})')} AS {own}"
        self._add(own, alias, inner.columns)
        return text

    def _with_presence(self, alias: str, text: str) -> str:
        """``text``, with a column that is true in each of its rows where these may be wanted as values."""
        if alias not in self.statement.row_names:
            return text
        return f"(SELECT *, TRUE AS {PRESENT} FROM {text} AS {self.statement.name('p')})"

    def _add(self, own: str, alias: str, columns: Sequence[Column], *, whole: bool = False) -> None:
        start = self.scope.width
        shown = tuple(
            ScopeColumn(column.output.name, column.type, start + position, column.output.table_oid,
                        column.output.attnum)
            for position, column in enumerate(columns)
        )
        source = Source(alias, shown, start, len(shown), whole=whole)
        place = Place(own, source, [column.scale for column in columns],
                      tells_presence=alias in self.statement.row_names)
        self.statement.add_place(self.scope, place)

    def _function(self, node: exp.Expr, call: exp.Expr, *, with_ordinality: bool) -> str:
        reading = Reading(self.queries, self.scope, "functions in FROM")
        made = table_function(reading, call, with_ordinality=with_ordinality)
        alias_node = node.args.get("alias")
        named = alias_node is not None and alias_node.this is not None
        alias = identifier(alias_node) if named else made.name
        columns = made.columns
        if named and len(columns) - with_ordinality == 1 and made.scalar and not made.named:
            first = columns[0]
            columns = (replace(first, output=replace(first.output, name=alias)), *columns[1:])
        names = column_aliases(alias_node) if named else []
        if isinstance(call, exp.Unnest) and isinstance(call.args.get("offset"), exp.Identifier):
            names.append(identifier(call.args["offset"]))  # the parser takes the ordinality's name out of the list
        if len(names) > len(columns):
            raise InvalidColumnReference(
                f'table "{alias}" has {len(columns)} columns available but {len(names)} columns specified')
        columns = (*(replace(column, output=replace(column.output, name=name))
                     for column, name in zip(columns, names, strict=False)), *columns[len(names):])
        own = self.statement.name("t")
        self._add(own, alias, columns, whole=made.scalar and not with_ordinality)
        return f"LATERAL {self._with_presence(alias, f'({made.text})')} AS {own}"

    def _table(self, node: exp.Table) -> str:
        if not isinstance(node.this, exp.Identifier):
            only(node, "this", "db", "alias", "joins", "ordinality")
            check_function_schema(node)
            return self._function(node, node.this, with_ordinality=bool(node.args.get("ordinality")))
        only(node, "this", "db", "catalog", "alias", "joins", "only")
        name = table_name(node)
        alias_node = node.args.get("alias")
        alias = name.name if alias_node is None else identifier(alias_node)
        names = column_aliases(alias_node)
        common = self.statement.common_tables.get(name.name) if name.schema is None else None
        if common is not None:
            if len(names) > len(common.columns):
                raise _too_many(alias, len(common.columns), len(names))
            columns = [replace(column, output=replace(column.output, name=new))
                       for column, new in zip(common.columns, names, strict=False)]
            own = self.statement.name("t")
            self._add(own, alias, [*columns, *common.columns[len(names):]])
            return f"{self._with_presence(alias, common.name)} AS {own}"
        relation = self.statement.lowering.relation(name.schema, name.name)
        start = self.scope.width
        schema = relation.schema if alias_node is None else None
        if isinstance(relation, Relation):
            source = relation_source(relation, alias, start, schema)
            kinds = [*(column.type for column in relation.columns), None]
        else:
            declared = (*relation.columns, *relation.hidden)
            shown = tuple(
                ScopeColumn(column.name, column.type, start + index, hidden=index >= len(relation.columns))
                for index, column in enumerate(declared)
            )
            source = Source(alias, shown, start, len(shown), schema)
            kinds = [column.type for column in declared]
        source = _renamed(source, names, alias)
        made = self.statement.input(relation)
        own = self.statement.name("t")
        scales = [None if kind is None else declared_scale(kind) for kind in kinds]
        place = Place(own, source, scales, made, tells_presence=alias in self.statement.row_names)
        self.statement.add_place(self.scope, place)
        return f"{self._with_presence(alias, made.name)} AS {own}"

    # -- conditions that the rows of a relation have to meet anyhow ---------------------------------------------------

    def narrow(self, where: Sequence[Expr]) -> None:
        """Give each relation the conditions that are about it alone: it is read within their bounds."""
        for condition in (*where, *self.joined):
            found = fragments(condition)
            if not found or any(part.scope_number != self.scope.number for part in found):
                continue
            places = {id(place): place for place in (self._place(part) for part in found)}
            place = next(iter(places.values()))
            if len(places) == 1 and place.input is not None and not place.optional:
                place.input.conditions.append(_over_rows(condition, place))

    def _place(self, part: Fragment) -> Place:
        return self.statement.place(part.scope_number, part.index)


def _over_rows(condition: Expr, place: Place) -> Expr:
    start = place.source.start
    return rewrite(condition, lambda column: ColumnRef(column.type, column.index - start))


def _renamed(source: Source, names: list[str], alias: str) -> Source:
    if not names:
        return source
    shown = [column for column in source.columns if not column.hidden]
    if len(names) > len(shown):
        raise _too_many(alias, len(shown), len(names))
    renamed = [replace(column, name=name) for column, name in zip(shown, names, strict=False)]
    return replace(source, columns=(*renamed, *source.columns[len(renamed):]))


def _too_many(alias: str, available: int, specified: int) -> InvalidColumnReference:
    return InvalidColumnReference(
        f'table "{alias}" has {available} columns available but {specified} columns specified')


