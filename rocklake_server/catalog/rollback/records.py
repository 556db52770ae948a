"""Rows by column name, and what becomes of them at the new snapshot."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import TypeAlias, cast

from rocklake_server.catalog.lake_reader import LakeReader
from rocklake_server.catalog.mvcc import is_visible
from rocklake_server.catalog.view import ColumnDefinition, Match
from rocklake_server.schema.model import Relation
from rocklake_server.schema.types import Value

Record: TypeAlias = dict[str, Value]
"""The values of a row by column."""

BEGIN, END = "begin_snapshot", "end_snapshot"


class Fate(Enum):
    """What the new snapshot needs of a row version, if it is to show what the target shows."""

    STAYS = auto()
    ENDS = auto()
    RETURNS = auto()


@dataclass(frozen=True, slots=True)
class Moments:
    """The snapshot to show again, the newest one, and the one that is made."""

    target: int
    newest: int

    @property
    def made(self) -> int:
        return self.newest + 1

    def fate(self, begin: int, end: int | None) -> Fate:
        wanted, is_there = is_visible(begin, end, self.target), is_visible(begin, end, self.newest)
        if wanted == is_there:
            return Fate.STAYS
        return Fate.RETURNS if wanted else Fate.ENDS


@dataclass(slots=True)
class Changes:
    """By relation name: relations that are made if they are not there, rows that are put in, and rows that are
    replaced (with what was there)."""

    created: dict[str, list[ColumnDefinition]] = field(default_factory=dict)
    inserted: dict[str, list[Record]] = field(default_factory=lambda: defaultdict(list))
    replaced: dict[str, list[tuple[Match, Record]]] = field(default_factory=lambda: defaultdict(list))

    def end(self, relation: Relation, match: Match, moments: Moments, column: str = END) -> None:
        self.replaced[relation.name].append((match, {**record(relation, match), column: moments.made}))

    def put(self, name: str, row: Record) -> None:
        self.inserted[name].append(row)

    @property
    def rows(self) -> int:
        """How many are put in or replaced."""
        return sum(map(len, self.inserted.values())) + sum(map(len, self.replaced.values()))

    @property
    def is_empty(self) -> bool:
        return not (any(self.inserted.values()) or any(self.replaced.values()))


def record(relation: Relation, match: Match) -> Record:
    return {column.name: match.row[position] for position, column in enumerate(relation.columns)}


async def records(lake: LakeReader, name: str) -> AsyncIterator[tuple[Relation, Match, Record]]:
    """Every row of a relation; none when the lake does not have it."""
    relation = lake.relations.by_name.get(name)
    if relation is None:
        return
    async for matches in lake.rows(relation):
        for match in matches:
            yield relation, match, record(relation, match)


def number(row: Mapping[str, Value], column: str) -> int:
    """An id or a snapshot, which is never NULL in a row that DuckLake wrote."""
    return cast("int", row[column])


def number_or_none(row: Mapping[str, Value], column: str) -> int | None:
    return cast("int | None", row.get(column))
