"""The generator's model of a lake: what exists, as far as it can tell without running anything.

It may be wrong after a commit that fails: statements about things that are not there are fine, as long as both sides
say so in the same words.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from tests.differential.values import Type


def literal(identifier: str) -> str:
    """The string literal of an identifier, which may be in double quotes."""
    raw = identifier[1:-1].replace('""', '"') if identifier.startswith('"') else identifier
    return "'" + raw.replace("'", "''") + "'"


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table, with the type that it has now."""

    name: str
    type: Type


@dataclass(frozen=True, slots=True)
class Table:
    """A table's columns; the first is always ``id INTEGER`` (or what it was widened to)."""

    schema: str
    name: str
    columns: tuple[Column, ...]

    @property
    def literals(self) -> tuple[str, str]:
        """The schema's and the table's name as string literals."""
        return literal(self.schema), literal(self.name)

    @property
    def sql(self) -> str:
        return f"{self.schema}.{self.name}"

    def changed(self, position: int, *columns: Column) -> Table:
        """The table with the column at ``position`` replaced."""
        return replace(self, columns=(*self.columns[:position], *columns, *self.columns[position + 1 :]))


@dataclass(slots=True)
class Lake:
    """What one client sees: schemas, and tables, views and macros by their SQL name."""

    schemas: dict[str, str] = field(default_factory=lambda: {"main": "main"})
    tables: dict[str, Table] = field(default_factory=dict)
    views: dict[str, str] = field(default_factory=dict)
    macros: dict[str, str] = field(default_factory=dict)
    versions: int = 0
    """The newest snapshot, about."""
    names: int = 0
    """How many names were given out: a new name is new for every client."""

    def _parts(self) -> tuple[dict[str, Any], ...]:
        return (self.schemas, self.tables, self.views, self.macros)

    def copy(self) -> Lake:
        """What a transaction starts with."""
        schemas, tables, views, macros = (dict(part) for part in self._parts())
        return Lake(schemas, tables, views, macros, self.versions, self.names)

    def adopt(self, before: Lake, after: Lake) -> None:
        """Apply what a transaction changed from ``before`` to ``after``."""
        for own, old, new in zip(self._parts(), before._parts(), after._parts(), strict=True):
            for name in old.keys() - new.keys():
                own.pop(name, None)
            own.update({name: value for name, value in new.items() if old.get(name) != value})
