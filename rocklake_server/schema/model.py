"""The vocabulary of declaration: ``Table`` (what the registry declares) and ``Relation`` (what one lake holds)."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property

from rocklake_server.schema.types import ColumnType, Value


class Behaviour(Enum):
    """The MVCC behaviours. They fix the key and what verify and gc assume; they never filter SQL."""

    SINGLETON = "mutable singleton"
    APPEND_ONLY = "append-only"
    VERSIONED = "versioned"
    INLINED = "inlined MVCC"


@dataclass(frozen=True, slots=True)
class Column:
    """One declared column. ``number`` is its permanent protobuf field number; ``since``/``until`` are the first
    catalog version that has it and the first that no longer has it."""

    name: str
    type: ColumnType
    number: int
    nullable: bool = True
    since: str = "0.1"
    until: str | None = None


@dataclass(frozen=True, slots=True)
class Table:
    """One declared DuckLake relation. ``columns`` are in the newest catalog version's DDL order, columns that were
    removed last; ``key`` names the key fields after the tag. ``partition`` tells that images of it load per leading
    key field, ``sections`` that scans which name the second key field load per that one too. ``counters`` maps columns
    to the counter that must stay above their values."""

    name: str
    tag: int
    key: tuple[str, ...]
    behaviour: Behaviour
    columns: tuple[Column, ...]
    description: str
    primary_key: tuple[str, ...] = ()
    partition: bool = False
    sections: bool = False
    counters: tuple[tuple[str, str], ...] = ()
    since: str = "0.1"
    until: str | None = None


class RelationKind(Enum):
    """Where a relation's rows live."""

    DECLARED = "declared"
    INLINED_DATA = "inlined data"
    INLINED_DELETE = "inlined delete"
    USER = "user"
    TEMPORARY = "temporary"


@dataclass(frozen=True, slots=True)
class RelationColumn:
    """A column of a live relation. ``default`` is what rows that were written before the column existed read;
    ``comment`` is what COMMENT ON COLUMN said."""

    name: str
    type: ColumnType
    number: int
    nullable: bool = True
    default: Value = None
    comment: str | None = None


@dataclass(frozen=True, slots=True)
class IndexKey:
    """One column of an index, by its field number, and its place in the order."""

    number: int
    descending: bool = False
    nulls_first: bool = False


@dataclass(frozen=True, slots=True)
class IndexDefinition:
    """An index as CREATE INDEX stated it. It is recorded and listed; nothing reads or writes by it. Its id is one of
    the numbers of relations, so that its OID is no relation's."""

    index_id: int
    name: str
    keys: tuple[IndexKey, ...]
    comment: str | None = None
    oid: int = 0


@dataclass(frozen=True)
class Relation:
    """One relation of one lake.

    A row of it is a tuple: the values of ``columns`` in order, then the row's ctid as a packed int (see types.TID).
    ``key_prefix`` is the bytes before the key fields; ``key_columns`` the indexes of the key fields in ``columns``
    (``None`` for a key field whose column this lake does not have: it reads NULL; user relations have no key
    columns: their key is the ctid that the row was first given). ``comment`` is what COMMENT ON TABLE said,
    ``key_comment`` what COMMENT ON INDEX said of the primary key's.
    """

    relation_id: int
    name: str
    kind: RelationKind
    behaviour: Behaviour
    key_prefix: bytes
    key_columns: tuple[int | None, ...]
    columns: tuple[RelationColumn, ...]
    primary_key: tuple[int, ...] = ()
    partition: bool = False
    next_column_number: int = 1
    schema: str = "public"
    oid: int = 0
    table: Table | None = field(default=None, compare=False)
    comment: str | None = None
    key_comment: str | None = None
    indexes: tuple[IndexDefinition, ...] = ()

    @cached_property
    def index(self) -> dict[str, int]:
        """Column name -> index in a row."""
        return {column.name: position for position, column in enumerate(self.columns)}

    @property
    def key_name(self) -> str:
        """The name of the primary key's constraint and index."""
        return f"{self.name}_pkey"

    @property
    def ctid(self) -> int:
        """The index of the ctid in a row."""
        return len(self.columns)
