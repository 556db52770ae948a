"""Scopes: which columns the names of a query mean, and where they stand in its current row."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field

from rocklake_server.errors import AmbiguousColumn, DuplicateAlias, UndefinedColumn, UndefinedTable, Unsupported
from rocklake_server.plan.expressions import ColumnRef, Expr, OuterRef
from rocklake_server.schema.types import ColumnType

_numbers = itertools.count(1)


@dataclass(frozen=True, slots=True)
class ScopeColumn:
    """A column of one FROM item; ``index`` is its place in the joined row. ``hidden`` ones are not in ``*``."""

    name: str
    type: ColumnType
    index: int
    table_oid: int = 0
    attnum: int = 0
    hidden: bool = False

    @property
    def reference(self) -> ColumnRef:
        return ColumnRef(self.type, self.index, self.name, self.table_oid, self.attnum)


@dataclass(frozen=True, slots=True)
class Source:
    """One FROM item under its alias; ``start`` and ``width`` delimit its part of the joined row."""

    alias: str
    columns: tuple[ScopeColumn, ...]
    start: int
    width: int
    schema: str | None = None
    whole: bool = False
    """Its rows are the values of its first column, which its name means as a column's name."""


@dataclass(slots=True)
class Scope:
    """The FROM items of one query, and the enclosing query's scope."""

    parent: Scope | None = None
    sources: list[Source] = field(default_factory=list)
    merged: dict[str, Expr] = field(default_factory=dict)
    number: int = field(default_factory=lambda: next(_numbers))
    correlated: set[int] = field(default_factory=set)

    @property
    def width(self) -> int:
        return sum(source.width for source in self.sources)

    def add(self, source: Source) -> None:
        if any(known.alias == source.alias and known.schema == source.schema for known in self.sources):
            raise DuplicateAlias(f'table name "{source.alias}" specified more than once')
        self.sources.append(source)

    def resolve(self, name: str, table: str | None = None, schema: str | None = None) -> Expr:
        """The column that a name means here or in an enclosing query.

        Raises UndefinedColumn, UndefinedTable, AmbiguousColumn.
        """
        scope: Scope | None = self
        passed: list[Scope] = []
        while scope is not None:
            found = scope.local(name, table, schema)
            if found is not None:
                return found if scope is self else _outer(found, scope, passed)
            passed.append(scope)
            scope = scope.parent
        if table is None:
            whole = self._whole(name)
            if whole is not None:
                return whole
            raise UndefinedColumn(f'column "{name}" does not exist')
        if self.find_source(table, schema) is None:
            raise UndefinedTable(f'missing FROM-clause entry for table "{table}"')
        raise UndefinedColumn(f"column {table}.{name} does not exist")

    def _whole(self, name: str) -> Expr | None:
        scope: Scope | None = self
        passed: list[Scope] = []
        while scope is not None:
            for source in scope.sources:
                if source.alias == name and source.whole:
                    found = source.columns[0].reference
                    return found if scope is self else _outer(found, scope, passed)
            passed.append(scope)
            scope = scope.parent
        return None

    def local(self, name: str, table: str | None, schema: str | None) -> Expr | None:
        if table is None and name in self.merged:
            return self.merged[name]
        candidates = [
            column
            for source in self.sources
            if table is None or (source.alias == table and schema in (None, source.schema))
            for column in source.columns
            if column.name == name
        ]
        if len(candidates) > 1:
            raise AmbiguousColumn(f'column reference "{name}" is ambiguous')
        return candidates[0].reference if candidates else None

    def find_source(self, table: str, schema: str | None = None) -> Source | None:
        scope: Scope | None = self
        while scope is not None:
            for source in scope.sources:
                if source.alias == table and schema in (None, source.schema):
                    return source
            scope = scope.parent
        return None

    def star(self, table: str | None = None, schema: str | None = None) -> list[tuple[str, Expr]]:
        """What ``*`` or ``table.*`` stands for. Raises UndefinedTable."""
        if table is None:
            shown: list[tuple[str, Expr]] = list(self.merged.items())
            shown.extend(
                (column.name, column.reference)
                for source in self.sources
                for column in source.columns
                if not column.hidden and column.name not in self.merged
            )
            return shown
        source = self.find_source(table, schema)
        if source is None or source not in self.sources:
            raise UndefinedTable(f'missing FROM-clause entry for table "{table}"')
        return [(column.name, column.reference) for column in source.columns if not column.hidden]


def _outer(found: Expr, scope: Scope, passed: list[Scope]) -> Expr:
    if not isinstance(found, ColumnRef):
        raise Unsupported("a subquery that refers to a USING column of the outer query is not supported")
    for inner in passed:
        inner.correlated.add(scope.number)
    return OuterRef(found.type, scope.number, found.index)
