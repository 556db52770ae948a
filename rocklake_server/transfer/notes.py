"""What clients have noted about a catalog: comments and recorded indexes. They go where the other side has any."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum


class On(Enum):
    """What a comment is on."""

    TABLE = "table"
    COLUMN = "column"
    INDEX = "index"
    KEY = "primary key of"
    SCHEMA = "schema"
    DATABASE = "database"


@dataclass(frozen=True, slots=True)
class CatalogComment:
    """``name`` is a column's or an index's. Without a ``text`` a comment that the object has from the start is gone."""

    on: On
    text: str | None
    relation: str = ""
    name: str = ""

    def __str__(self) -> str:
        named = ".".join(filter(None, (self.relation, self.name)))
        return f"comment on {self.on.value} {named}".rstrip()


@dataclass(frozen=True, slots=True)
class IndexedColumn:
    name: str
    descending: bool = False
    nulls_first: bool = False


@dataclass(frozen=True, slots=True)
class CatalogIndex:
    """One that is no primary key's."""

    relation: str
    name: str
    columns: tuple[IndexedColumn, ...]

    def __str__(self) -> str:
        return f"index {self.name} on {self.relation}"


@dataclass(frozen=True, slots=True)
class CatalogNotes:
    """Of DuckLake's relations, their schema and their database. ``unreadable`` names indexes that no lake records."""

    indexes: tuple[CatalogIndex, ...] = ()
    comments: tuple[CatalogComment, ...] = ()
    unreadable: tuple[str, ...] = ()

    @classmethod
    def of(
        cls, indexes: Iterable[CatalogIndex], comments: Iterable[CatalogComment], unreadable: Iterable[str] = ()
    ) -> CatalogNotes:
        """In the order of their names, whoever told them."""
        return cls(tuple(sorted(indexes, key=str)), tuple(sorted(comments, key=str)), tuple(sorted(unreadable)))

    @property
    def names(self) -> tuple[str, ...]:
        return (*map(str, self.indexes), *map(str, self.comments))


NO_NOTES = CatalogNotes()
