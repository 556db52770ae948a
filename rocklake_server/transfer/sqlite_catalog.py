"""A DuckLake catalog in a SQLite file."""

from __future__ import annotations

import sqlite3
from collections.abc import AsyncIterator, Iterator, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

from rocklake_server.errors import InvalidParameterValue
from rocklake_server.schema.duckdb_types import duckdb_type, lake_type, sqlite_type
from rocklake_server.schema.registry import BY_NAME
from rocklake_server.schema.types import BIGINT, BYTEA, DOUBLE, VARCHAR, ColumnType
from rocklake_server.transfer.catalogs import BlockingThread
from rocklake_server.transfer.column_types import (
    COLUMN_FIELDS,
    SYSTEM_COLUMNS,
    ColumnTypes,
    TypedColumn,
    schema_version_starts,
)
from rocklake_server.transfer.new_file import NewFile, existing_file
from rocklake_server.transfer.notes import CatalogNotes
from rocklake_server.transfer.relations import (
    BATCH_ROWS,
    PREFIX,
    CatalogColumn,
    CatalogContents,
    CatalogRelation,
    InlinedName,
    Row,
    in_order,
    inlined_name,
    quoted,
)
from rocklake_server.transfer.text_values import lake_rows, text_writer

_TYPES = {"BIGINT": BIGINT, "BLOB": BYTEA, "DOUBLE": DOUBLE}
"""Of columns that are declared nowhere."""


def _connect(path: Path, mode: str) -> sqlite3.Connection:
    uri = f"file:{quote(str(path.absolute()))}?mode={mode}"
    connection = sqlite3.connect(uri, uri=True, isolation_level=None, check_same_thread=False)
    connection.text_factory = lambda data: data.decode("utf-8", "surrogateescape")
    return connection


class SQLiteSource:
    """Reads within one transaction: what others commit meanwhile does not show."""

    def __init__(self, path: Path) -> None:
        self._path = existing_file(path)
        self._thread = BlockingThread("sqlite")
        self._connection: sqlite3.Connection | None = None

    async def contents(self) -> CatalogContents:
        return await self._thread.run(self._contents)

    def rows(self, relation: CatalogRelation) -> AsyncIterator[Sequence[Row]]:
        return self._thread.batches(lambda: _rows_of(self._opened(), relation))

    async def aclose(self) -> None:
        if self._connection is not None:
            await self._thread.run(self._connection.close)
        self._thread.close()

    def _opened(self) -> sqlite3.Connection:
        if self._connection is None:
            self._connection = _connect(self._path, "ro")
            self._connection.execute("BEGIN")
        return self._connection

    def _contents(self) -> CatalogContents:
        connection = self._opened()
        try:
            tables = [name for (name,) in connection.execute(
                "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")]
        except sqlite3.DatabaseError as problem:
            raise InvalidParameterValue(f'"{self._path}" cannot be read as a SQLite file: {problem}') from None
        names = [name for name in tables if name.startswith(PREFIX)]
        types = column_types_of(connection, names)
        relations = [_relation(connection, name, types) for name in names]
        return CatalogContents(in_order(relations), tuple(sorted(set(tables) - set(names))))


def column_types_of(connection: sqlite3.Connection, names: Sequence[str]) -> ColumnTypes:
    """From ducklake_column, ducklake_schema_versions and ducklake_snapshot."""
    inlined = [found for name in names if (found := inlined_name(name)) is not None]
    if not inlined:
        return ColumnTypes([], {})
    columns = [TypedColumn(*row) for row in connection.execute(
        f"SELECT {', '.join(COLUMN_FIELDS)} FROM ducklake_column")]
    snapshots = connection.execute("SELECT snapshot_id, schema_version FROM ducklake_snapshot").fetchall()
    versions: list[tuple[int, int, int | None]] = []
    if "ducklake_schema_versions" in names:
        known = [row[1] for row in connection.execute("PRAGMA table_info(ducklake_schema_versions)")]
        table_id = "table_id" if "table_id" in known else "NULL"
        versions = connection.execute(
            f"SELECT begin_snapshot, schema_version, {table_id} FROM ducklake_schema_versions").fetchall()
    return ColumnTypes(columns, schema_version_starts(versions, snapshots, inlined))


def _relation(connection: sqlite3.Connection, name: str, types: ColumnTypes) -> CatalogRelation:
    inlined = inlined_name(name)
    columns: list[CatalogColumn] = []
    key: list[tuple[int, str]] = []
    for place, column, declared, required, _, key_place in connection.execute(f"PRAGMA table_info({quoted(name)})"):
        if inlined is not None and place >= SYSTEM_COLUMNS:
            columns.append(_inlined_column(types, inlined, column))
        else:
            columns.append(_plain_column(name, column, declared, nullable=not (required or key_place)))
        if key_place:
            key.append((key_place, column))
    return CatalogRelation(name, tuple(columns), tuple(column for _, column in sorted(key)))


def _inlined_column(types: ColumnTypes, inlined: InlinedName, name: str) -> CatalogColumn:
    known = types.duckdb_type(inlined, name)
    return CatalogColumn(name, lake_type(known, inlined=True), known)


def _plain_column(relation: str, name: str, declared: str, *, nullable: bool) -> CatalogColumn:
    table = BY_NAME.get(relation)
    column_type: ColumnType | None = None
    if table is not None:
        column_type = next((column.type for column in table.columns if column.name == name), None)
    column_type = column_type or _TYPES.get(declared.upper(), VARCHAR)
    return CatalogColumn(name, column_type, duckdb_type(column_type), nullable)


def _rows_of(connection: sqlite3.Connection, relation: CatalogRelation) -> Iterator[list[Row]]:
    shown = ", ".join(quoted(column.name) for column in relation.columns)
    cursor = connection.execute(f"SELECT {shown} FROM {quoted(relation.name)} ORDER BY rowid")
    while rows := cursor.fetchmany(BATCH_ROWS):
        yield lake_rows(relation, rows)


class SQLiteTarget:
    """Writes a new file. Until ``publish`` it has another name."""

    def __init__(self, path: Path) -> None:
        """Raises InvalidParameterValue when there is a file of that name."""
        self._file = NewFile(path)
        self._thread = BlockingThread("sqlite")
        self._connection: sqlite3.Connection | None = None

    async def create(self, relation: CatalogRelation) -> None:
        await self._thread.run(lambda: self._create(relation))

    async def write(self, relation: CatalogRelation, rows: Sequence[Row]) -> None:
        await self._thread.run(lambda: self._insert(relation, rows))

    async def as_kept(self, _: CatalogRelation, rows: Sequence[Row], /) -> Sequence[Row]:
        return rows

    def rows_kept(self, relation: CatalogRelation) -> AsyncIterator[Sequence[Row]]:
        return self._thread.batches(lambda: _rows_of(self._opened(), relation))

    async def annotate(self, notes: CatalogNotes) -> Sequence[str]:
        """Nothing: DuckLake's own catalogs of this kind have no comments on their relations, and no indexes."""
        return notes.names

    async def publish(self) -> None:
        await self._thread.run(self._publish)
        self._thread.close()

    async def abandon(self) -> None:
        await self._thread.run(self._abandon)
        self._thread.close()

    def _opened(self) -> sqlite3.Connection:
        if self._connection is None:
            self._connection = _connect(self._file.working, "rwc")
            self._connection.execute("BEGIN")
        return self._connection

    def _create(self, relation: CatalogRelation) -> None:
        columns = [f"{quoted(c.name)} {sqlite_type(c.duckdb_type)}{_constraint(relation, c)}" for c in relation.columns]
        self._opened().execute(f"CREATE TABLE {quoted(relation.name)}({', '.join(columns)})")

    def _insert(self, relation: CatalogRelation, rows: Sequence[Row]) -> None:
        columns: list[Sequence[Any]] = list(zip(*rows, strict=True))
        for position, column in enumerate(relation.columns):
            convert = text_writer(column)
            if convert is not None:
                columns[position] = [None if value is None else convert(value) for value in columns[position]]
        places = ", ".join("?" * len(relation.columns))
        self._opened().executemany(f"INSERT INTO {quoted(relation.name)} VALUES ({places})", zip(*columns, strict=True))

    def _publish(self) -> None:
        connection = self._opened()
        connection.execute("COMMIT")
        connection.close()
        self._file.publish()

    def _abandon(self) -> None:
        if self._connection is not None:
            self._connection.close()
        self._file.abandon()


def _constraint(relation: CatalogRelation, column: CatalogColumn) -> str:
    if relation.primary_key == (column.name,):
        return " PRIMARY KEY"
    return "" if column.nullable else " NOT NULL"
