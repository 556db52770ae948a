"""What plans see of the engine: rows, narrowing bounds, chunks, and the transaction's own picture of its schemas."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from types import MappingProxyType
from typing import NamedTuple, Protocol, TypeAlias

from rocklake_server.auth.access import Access
from rocklake_server.catalog.database_names import DatabaseFacts
from rocklake_server.catalog.maintenance.runs import Run
from rocklake_server.schema.model import IndexKey, Relation
from rocklake_server.schema.types import ColumnType, Value
from rocklake_server.store.base import Key

Row: TypeAlias = tuple[Value, ...]
"""The values of a relation's columns in order, then the row's ctid (packed int)."""


class Now(int):
    """The value of NOW() in an INSERT: microseconds since 2000-01-01. A ducklake_snapshot row that holds one gets
    its time at commit; everywhere else it is an ordinary timestamp."""

    __slots__ = ()


class Match(NamedTuple):
    """A row found by a scan, with the key it is stored under."""

    key: Key
    row: Row


class Zone(NamedTuple):
    """One column of a chunk: its least and greatest value (None: all NULL) and whether it has NULLs."""

    least: Value
    greatest: Value
    has_null: bool


class RelationBytes(NamedTuple):
    """What the keys and values of a relation's rows, and of its secondary indexes, take in the store."""

    rows: int
    indexes: int


class Interval(NamedTuple):
    """An inclusive range; ``None`` is unbounded."""

    least: Value
    greatest: Value


_NOTHING: Mapping[int, frozenset[Value]] = MappingProxyType({})
_NO_RANGES: Mapping[int, Interval] = MappingProxyType({})


class Bounds(NamedTuple):
    """What a predicate demands of single columns (by row index, ctid included): a conjunction of narrowing hints.

    Rows outside never match the predicate; rows inside may not match either, so callers still filter.
    ``values``: the column equals one of these (never NULL). ``ranges``: the column lies within. ``nulls``: the
    column is NULL. ``live_after``: the row's end_snapshot is NULL or greater than this number.
    """

    values: Mapping[int, frozenset[Value]] = _NOTHING
    ranges: Mapping[int, Interval] = _NO_RANGES
    nulls: frozenset[int] = frozenset()
    live_after: int | None = None


EVERYTHING = Bounds()


class Chunk(Protocol):
    """An immutable run of rows, each with its key."""

    @property
    def keys(self) -> Sequence[Key]: ...

    @property
    def rows(self) -> Sequence[Row]: ...

    def values(self, column: int) -> Iterable[Value]:
        """Of one column, in row order."""

    def zone(self, column: int) -> Zone | None:
        """``None`` when the column's values cannot be ordered (NaN, mixed)."""


@dataclass(frozen=True, slots=True)
class ColumnDefinition:
    """A column as CREATE TABLE or ADD COLUMN states it; ``default`` is the evaluated constant."""

    name: str
    type: ColumnType
    nullable: bool = True
    default: Value = None


class IsolationLevel(Enum):
    """PostgreSQL's names; READ UNCOMMITTED is READ COMMITTED."""

    READ_COMMITTED = "read committed"
    REPEATABLE_READ = "repeatable read"
    SERIALIZABLE = "serializable"


class Absent(Exception):
    """A transaction was asked about schemas that it has not looked at yet. ``provide`` looks, and then it can be asked
    again. ``entered``: their rows or newest definitions are wanted, and not only their outlines, which those of another
    ``database`` may be, too."""

    def __init__(self, schemas: Collection[str], *, entered: bool, database: str | None = None) -> None:
        super().__init__(f"{len(schemas)} schemas")
        self.schemas = schemas
        self.entered = entered
        self.database = database


class TransactionView(Protocol):
    """What plans may ask of a transaction. One database, several schemas; writes go to one schema. What is not
    asynchronous raises Absent, beside what it says."""

    async def provide(self, absent: Absent) -> None:
        """Look at what was asked for. Raises StoreUnavailable, SerializationFailure."""

    @property
    def database(self) -> str: ...

    @property
    def access(self) -> Access:
        """What its session may do."""

    @property
    def lists_system_relations(self) -> bool:
        """Whether its session wants them in pg_class and pg_attribute."""

    @property
    def now_us(self) -> int:
        """The transaction's start, in microseconds since 2000-01-01 UTC: what NOW() returns."""

    @property
    def definitions_version(self) -> object:
        """Hashable; equal as long as ``relations()`` answers the same. Caches of catalog rows key on it."""

    def known_databases(self) -> Sequence[DatabaseFacts]:
        """Every database of the server, this one included, in the order of their OIDs."""

    def schemas(self) -> Sequence[tuple[int, str]]:
        """(oid, name) of the database's schemas, system schemas left out."""

    def relations(self) -> Sequence[Relation]:
        """Every relation of the database that this transaction sees, its own changes and temporary tables included."""

    def relations_of(self, schemas: Collection[str]) -> Sequence[Relation]:
        """Those of some schemas only."""

    def relation_of_oid(self, oid: int) -> Relation | None: ...

    def owner_of_index(self, oid: int) -> Relation | None:
        """The relation for which CREATE INDEX recorded the index with that OID."""

    def resolve(self, schema: str | None, name: str) -> Relation:
        """The relation of that name; without a schema: temporary tables first, then ``public``.
        Raises UndefinedTable."""

    def maintenance_runs(self) -> Sequence[Run]:
        """The last runs of procedures in the database, oldest first: as they are now, whatever the transaction sees."""

    async def chunks(self, relation: Relation, bounds: Bounds = EVERYTHING) -> Sequence[Chunk]:
        """The rows of ``relation`` that this transaction sees, at least those within ``bounds``: a few in the order
        in which they were inserted or last updated, many in key order."""

    def check_writable(self, command: str) -> None:
        """Before a plan that writes runs, also one that finds no rows. Raises ReadOnlyTransaction,
        InsufficientPrivilege."""

    async def relation_bytes(self, relation: Relation) -> RelationBytes:
        """As of the last commit that this transaction sees. Raises StoreUnavailable."""

    async def insert(
        self, relation: Relation, rows: Sequence[Sequence[Value]], written: list[Row] | None = None
    ) -> int:
        """Stage rows (values of all columns, without ctid). Returns their number; ``written`` gets them with ctids.
        Raises NotNullViolation, UniqueViolation, DeadlockDetected, ReadOnlyTransaction."""

    async def update(
        self,
        relation: Relation,
        changes: Sequence[tuple[Match, Sequence[Value]]],
        written: list[Row] | None = None,
    ) -> int:
        """Replace each matched row by new values (without ctid; it gets a new one). ``written`` gets the new rows."""

    async def delete(self, relation: Relation, matches: Sequence[Match]) -> int: ...

    async def create_relation(self, schema: str | None, name: str, columns: Sequence[ColumnDefinition],
                              primary_key: Sequence[str] = (), *, if_not_exists: bool = False,
                              temporary: bool = False, on_commit_drop: bool = False) -> bool:
        """False when it exists and ``if_not_exists``. Raises DuplicateTable, UndefinedSchema."""

    async def drop_relation(self, relation: Relation) -> None: ...

    async def add_column(self, relation: Relation, column: ColumnDefinition) -> None: ...

    async def drop_column(self, relation: Relation, name: str) -> None: ...

    async def rename_column(self, relation: Relation, name: str, new_name: str) -> None: ...

    async def rename_relation(self, relation: Relation, new_name: str) -> None: ...

    async def annotate(self, relation: Relation, noted: Relation) -> None:
        """Put ``noted`` in place of ``relation``: it has the same rows and another comment, or an index less."""

    async def create_index(self, relation: Relation, name: str, keys: Sequence[IndexKey]) -> None:
        """Record an index. Raises DuplicateTable when a relation or an index has its name."""

    async def comment_on_schema(self, name: str, text: str | None) -> None:
        """Raises UndefinedSchema."""

    async def comment_on_database(self, text: str | None) -> None: ...

    def schema_comment(self, name: str) -> str | None: ...

    def database_comment(self) -> str | None: ...

    async def create_schema(self, name: str, *, if_not_exists: bool = False) -> bool: ...

    async def drop_schema(self, name: str, *, if_exists: bool = False, cascade: bool = False) -> bool: ...
