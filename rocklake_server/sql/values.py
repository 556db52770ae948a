"""A fast reader for long VALUES lists: one compiled pattern per row shape instead of a parser."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

from rocklake_server.sql.names import QualifiedName


class FieldKind(Enum):
    """How every value of a column of a slice is written. NULLs are ``None`` whatever the kind.

    STRING: decoded text of a string literal. NUMBER: the number's text, sign joined (``-122.4``). BOOL: Python
    bool. NOW: the column holds ``NOW`` or None. NULL: the whole column is None. CAST: string literal texts under one
    type (``Column.type_name``, upper-cased, single spaces). MIXED: cells are ``Cell`` or None.
    """

    STRING = "string"
    NUMBER = "number"
    BOOL = "bool"
    NOW = "now"
    NULL = "null"
    CAST = "cast"
    MIXED = "mixed"


@dataclass(frozen=True, slots=True)
class Cell:
    """One value of a MIXED column."""

    kind: FieldKind
    text: str
    type_name: str | None = None


@dataclass(frozen=True, slots=True)
class ValuesColumn:
    """One column of a slice: ``cells`` in row order."""

    kind: FieldKind
    cells: list[str | bool | Cell | None]
    type_name: str | None = None


@dataclass(frozen=True, slots=True)
class ValuesSlice:
    """At most ``SLICE_ROWS_MAX`` rows, column-major."""

    count: int
    columns: tuple[ValuesColumn, ...]


@dataclass(frozen=True, slots=True)
class InsertValues:
    """``INSERT INTO target [(columns)] VALUES rows``; the rows are read by ``slices``."""

    target: QualifiedName
    columns: tuple[str, ...] | None
    width: int
    text: str
    start: int

    def slices(self) -> Iterator[ValuesSlice]:
        """The rows, slice by slice, each read when asked for. Raises ValuesUnfit when a row has another form."""
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class CteValues:
    """``WITH name(columns) AS (VALUES rows) rest``: ``rest`` is the statement after the CTE, with its index."""

    name: str
    columns: tuple[str, ...]
    width: int
    text: str
    start: int
    rest_start: int

    def slices(self) -> Iterator[ValuesSlice]:
        """As InsertValues.slices."""
        raise NotImplementedError


class ValuesUnfit(Exception):
    """The list is not in the reader's grammar: parse the statement with parse_tree."""


def read_insert_values(text: str) -> InsertValues | None:
    """The head of an INSERT .. VALUES without further clauses, or ``None`` when it is anything else."""
    raise NotImplementedError


def read_cte_values(text: str) -> CteValues | None:
    """The head of a statement with one VALUES CTE, or ``None`` when it is anything else."""
    raise NotImplementedError
