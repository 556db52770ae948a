"""A DuckLake catalog in a PostgreSQL database, or one that a RockLake server answers for: both speak the same protocol.

Rows travel as binary COPY, in the codecs that the server itself uses, so that no driver's idea of a value matters.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from typing import TYPE_CHECKING, TypeVar

from rocklake_server.errors import InvalidParameterValue, StoreUnavailable, Unsupported
from rocklake_server.pgformat.copy_binary import HEADER, TRAILER, tuple_encoder
from rocklake_server.pgformat.copy_binary_reader import BinaryCopyReader
from rocklake_server.schema.types import BY_OID
from rocklake_server.transfer.catalogs import BlockingThread
from rocklake_server.transfer.column_types import (
    COLUMN_FIELDS,
    ColumnTypes,
    TypedColumn,
    schema_version_starts,
    with_duckdb_types,
)
from rocklake_server.transfer.drivers import postgres_driver
from rocklake_server.transfer.notes import CatalogNotes
from rocklake_server.transfer.postgres_notes import read_notes, write_notes
from rocklake_server.transfer.relations import (
    BATCH_ROWS,
    PREFIX,
    CatalogColumn,
    CatalogContents,
    CatalogRelation,
    Row,
    in_order,
    inlined_name,
    quoted,
)

if TYPE_CHECKING:
    from psycopg import Connection

T = TypeVar("T")

PUBLIC = "public"
_COLUMNS = """
SELECT c.relname, a.attname, a.atttypid, a.atttypmod, a.attnotnull
FROM pg_catalog.pg_class c
JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid
WHERE n.nspname = %s AND c.relkind = 'r' AND a.attnum > 0 AND NOT a.attisdropped
ORDER BY c.relname, a.attnum
"""
_KEYS = """
SELECT c.relname, a.attname
FROM pg_catalog.pg_constraint k
JOIN pg_catalog.pg_class c ON c.oid = k.conrelid
JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid AND a.attnum = ANY (k.conkey)
WHERE n.nspname = %s AND k.contype = 'p'
ORDER BY c.relname, a.attnum
"""


class _Connected:
    """One connection and the thread that alone uses it."""

    def __init__(self, dsn: str, schema: str, begin: str) -> None:
        self._dsn = dsn
        self._begin = begin
        self._schema = schema
        self._driver = postgres_driver()
        self._thread = BlockingThread("postgres")
        self._connection: Connection[tuple[object, ...]] | None = None

    async def run(self, call: Callable[[], T]) -> T:
        """Raises what ``call`` raises; the database's own errors as StoreUnavailable with its text."""
        return await self._thread.run(lambda: self._translated(call))

    async def end(self) -> None:
        if self._connection is not None:
            await self._thread.run(self._connection.close)
        self._thread.close()

    def batches(self, relation: CatalogRelation) -> AsyncIterator[Sequence[Row]]:
        return self._thread.batches(lambda: self._rows_of(relation))

    @property
    def opened(self) -> Connection[tuple[object, ...]]:
        if self._connection is None:
            try:
                self._connection = self._driver.connect(self._dsn, autocommit=True)
            except self._driver.Error as problem:
                raise StoreUnavailable(f"cannot connect to the database: {_first_line(problem)}") from None
            self._connection.execute(self._begin)
        return self._connection

    @property
    def error(self) -> type[Exception]:
        """What the driver raises for everything that the database refuses."""
        found: type[Exception] = self._driver.Error
        return found

    def named(self, relation: str) -> str:
        return f"{quoted(self._schema)}.{quoted(relation)}"

    def _translated(self, call: Callable[[], T]) -> T:
        try:
            return call()
        except self._driver.Error as problem:
            raise StoreUnavailable(f"the database refused a statement: {_first_line(problem)}") from None

    def _rows_of(self, relation: CatalogRelation) -> Iterator[list[Row]]:
        shown = ", ".join(quoted(column.name) for column in relation.columns)
        reader = BinaryCopyReader(relation.types)
        rows: list[Row] = []
        copying = f"COPY (SELECT {shown} FROM {self.named(relation.name)}) TO STDOUT (FORMAT binary)"
        with self.opened.cursor() as cursor, cursor.copy(copying) as copy:
            for data in copy:
                rows += reader.feed(bytes(data))
                if len(rows) >= BATCH_ROWS:
                    yield rows
                    rows = []
        reader.finish()
        if rows:
            yield rows


def _first_line(problem: Exception) -> str:
    return str(problem).partition("\n")[0]


class PostgresSource:
    """Reads within one REPEATABLE READ transaction."""

    def __init__(self, dsn: str, schema: str = PUBLIC) -> None:
        """Raises Unsupported when the driver is not installed."""
        self._schema = schema
        self._database = _Connected(dsn, schema, "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")

    async def contents(self) -> CatalogContents:
        return await self._database.run(lambda: _contents(self._database, self._schema))

    def rows(self, relation: CatalogRelation) -> AsyncIterator[Sequence[Row]]:
        return self._database.batches(relation)

    async def aclose(self) -> None:
        await self._database.end()


def _contents(database: _Connected, schema: str) -> CatalogContents:
    attributes: dict[str, list[CatalogColumn]] = {}
    left_out: set[str] = set()
    for relation, name, oid, typmod, required in database.opened.execute(_COLUMNS, [schema]).fetchall():
        relation = str(relation)
        if not relation.startswith(PREFIX):
            left_out.add(relation)
            continue
        kind = BY_OID.get(int(str(oid)))
        if kind is None or not kind.storable:
            raise Unsupported(f'column "{name}" of relation "{relation}" has a type that a lake cannot hold')
        column = CatalogColumn(str(name), kind.with_typmod(int(str(typmod))), "", nullable=not required)
        attributes.setdefault(relation, []).append(column)
    keys: dict[str, list[str]] = {}
    for relation, name in database.opened.execute(_KEYS, [schema]).fetchall():
        keys.setdefault(str(relation), []).append(str(name))
    types = _column_types(database, {name: [column.name for column in found] for name, found in attributes.items()})
    relations = [
        CatalogRelation(name, with_duckdb_types(name, found, types), tuple(keys.get(name, ())))
        for name, found in attributes.items()
    ]
    return CatalogContents(in_order(relations), tuple(sorted(left_out)), read_notes(database.opened, schema))


def _column_types(database: _Connected, columns: dict[str, list[str]]) -> ColumnTypes:
    inlined = [found for name in columns if (found := inlined_name(name)) is not None]
    if not inlined:
        return ColumnTypes([], {})

    def read(fields: str, relation: str) -> list[tuple[object, ...]]:
        return database.opened.execute(f"SELECT {fields} FROM {database.named(relation)}").fetchall()

    typed = [TypedColumn(*row) for row in read(", ".join(COLUMN_FIELDS), "ducklake_column")]  # type: ignore[arg-type]
    snapshots = read("snapshot_id, schema_version", "ducklake_snapshot")
    versions: list[tuple[object, ...]] = []
    if "ducklake_schema_versions" in columns:
        table_id = "table_id" if "table_id" in columns["ducklake_schema_versions"] else "NULL"
        versions = read(f"begin_snapshot, schema_version, {table_id}", "ducklake_schema_versions")
    return ColumnTypes(typed, schema_version_starts(versions, snapshots, inlined))  # type: ignore[arg-type]


class PostgresTarget:
    """Writes in one transaction, which commits at ``publish``."""

    def __init__(self, dsn: str, schema: str = PUBLIC) -> None:
        """Raises Unsupported when the driver is not installed."""
        self._schema = schema
        self._database = _Connected(dsn, schema, "BEGIN ISOLATION LEVEL REPEATABLE READ")
        self._is_empty = False

    async def create(self, relation: CatalogRelation) -> None:
        await self._database.run(lambda: self._create(relation))

    async def write(self, relation: CatalogRelation, rows: Sequence[Row]) -> None:
        await self._database.run(lambda: self._copy(relation, rows))

    async def as_kept(self, _: CatalogRelation, rows: Sequence[Row], /) -> Sequence[Row]:
        return rows

    def rows_kept(self, relation: CatalogRelation) -> AsyncIterator[Sequence[Row]]:
        return self._database.batches(relation)

    async def annotate(self, notes: CatalogNotes) -> Sequence[str]:
        database = self._database
        return await database.run(lambda: write_notes(database.opened, self._schema, notes, database.error))

    async def publish(self) -> None:
        await self._database.run(lambda: self._database.opened.execute("COMMIT"))
        await self._database.end()

    async def abandon(self) -> None:
        await self._database.end()

    def _create(self, relation: CatalogRelation) -> None:
        if not self._is_empty:
            self._require_empty()
        columns = [f"{quoted(c.name)} {c.type.sql}{'' if c.nullable else ' NOT NULL'}" for c in relation.columns]
        if relation.primary_key:
            columns.append(f"PRIMARY KEY ({', '.join(map(quoted, relation.primary_key))})")
        self._database.opened.execute(f"CREATE TABLE {self._database.named(relation.name)} ({', '.join(columns)})")

    def _require_empty(self) -> None:
        found = self._database.opened.execute(_COLUMNS, [self._schema]).fetchall()
        taken = sorted({str(row[0]) for row in found if str(row[0]).startswith(PREFIX)})
        if taken:
            raise InvalidParameterValue(
                f'schema "{self._schema}" holds a DuckLake catalog already ("{taken[0]}"); choose an empty one'
            )
        if self._schema != PUBLIC:
            self._database.opened.execute(f"CREATE SCHEMA IF NOT EXISTS {quoted(self._schema)}")
        self._is_empty = True

    def _copy(self, relation: CatalogRelation, rows: Sequence[Row]) -> None:
        shown = ", ".join(quoted(column.name) for column in relation.columns)
        encode = tuple_encoder(relation.types).encode
        copying = f"COPY {self._database.named(relation.name)} ({shown}) FROM STDIN (FORMAT binary)"
        with self._database.opened.cursor() as cursor, cursor.copy(copying) as copy:
            copy.write(HEADER + b"".join(map(encode, rows)) + TRAILER)
