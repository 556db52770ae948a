"""A DuckLake catalog in a DuckDB file."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rocklake_server.errors import InvalidParameterValue, Unsupported
from rocklake_server.schema.duckdb_types import lake_type
from rocklake_server.schema.types import BYTEA, VARCHAR, Form
from rocklake_server.transfer.catalogs import BlockingThread
from rocklake_server.transfer.drivers import duckdb_driver
from rocklake_server.transfer.new_file import NewFile, existing_file
from rocklake_server.transfer.notes import CatalogNotes
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
from rocklake_server.transfer.text_values import lake_rows, text_writer

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

MAIN = "main"
_FETCHED_AS_THEY_ARE = frozenset({Form.BOOL, Form.INT, Form.FLOAT, Form.BYTES})


def _connect(path: Path, *, read_only: bool) -> DuckDBPyConnection:
    driver = duckdb_driver()
    config = {"autoinstall_known_extensions": "false"}
    try:
        connection: DuckDBPyConnection = driver.connect(str(path), read_only=read_only, config=config)
    except driver.Error as problem:
        why = str(problem).partition("\n")[0]
        raise InvalidParameterValue(f'"{path}" cannot be opened as a DuckDB file: {why}') from None
    connection.execute("SET TimeZone = 'UTC'")
    return connection


def _columns_query(schema: str) -> tuple[str, list[str]]:
    return (
        "SELECT table_name, column_name, data_type, NOT is_nullable FROM duckdb_columns() "
        "WHERE schema_name = ? AND database_name = current_database() AND NOT internal "
        "AND table_name IN (SELECT table_name FROM duckdb_tables() WHERE schema_name = ?) "
        "ORDER BY table_oid, column_index"
    ), [schema, schema]


class DuckDBSource:
    """Reads a file that no process writes at the moment; DuckDB's own lock sees to that."""

    def __init__(self, path: Path, schema: str = MAIN) -> None:
        self._path = existing_file(path)
        self._schema = schema
        self._thread = BlockingThread("duckdb")
        self._connection: DuckDBPyConnection | None = None

    async def contents(self) -> CatalogContents:
        return await self._thread.run(lambda: contents_of(self._opened(), self._schema))

    def rows(self, relation: CatalogRelation) -> AsyncIterator[Sequence[Row]]:
        return self._thread.batches(lambda: rows_of(self._opened(), self._schema, relation))

    async def aclose(self) -> None:
        if self._connection is not None:
            await self._thread.run(self._connection.close)
        self._thread.close()

    def _opened(self) -> DuckDBPyConnection:
        if self._connection is None:
            self._connection = _connect(self._path, read_only=True)
        return self._connection


def contents_of(connection: DuckDBPyConnection, schema: str) -> CatalogContents:
    """Raises Unsupported for inlined rows of a type that a lake cannot hold."""
    columns: dict[str, list[CatalogColumn]] = {}
    for table, name, kind, required in connection.execute(*_columns_query(schema)).fetchall():
        inlined = inlined_name(table) is not None
        column = CatalogColumn(name, lake_type(kind, inlined=inlined), kind, nullable=not required)
        columns.setdefault(table, []).append(column)
    keys = dict(connection.execute(
        "SELECT table_name, constraint_column_names FROM duckdb_constraints() "
        "WHERE schema_name = ? AND constraint_type = 'PRIMARY KEY' AND database_name = current_database()", [schema]
    ).fetchall())
    relations = [
        CatalogRelation(table, tuple(found), tuple(keys.get(table, ())))
        for table, found in columns.items() if table.startswith(PREFIX)
    ]
    for relation in relations:
        _require_text(connection, schema, relation)
    return CatalogContents(in_order(relations), tuple(sorted(t for t in columns if not t.startswith(PREFIX))))


def _require_text(connection: DuckDBPyConnection, schema: str, relation: CatalogRelation) -> None:
    """DuckLake itself inlines no VARIANT outside DuckDB, since its text does not read back as the same value."""
    variants = [column.name for column in relation.columns if "VARIANT" in column.duckdb_type]
    if variants:
        found = connection.execute(f"SELECT count(*) FROM {quoted(schema)}.{quoted(relation.name)}").fetchone()
        if found is not None and found[0]:
            raise Unsupported(
                f'relation "{relation.name}" has inlined rows with a VARIANT column ("{variants[0]}")',
                hint="Write them to files first: CALL ducklake_flush_inlined_data(...), then expire the old snapshots.",
            )


def rows_of(connection: DuckDBPyConnection, schema: str, relation: CatalogRelation) -> Iterator[list[Row]]:
    """Batches of the relation's rows in the forms of a lake."""
    shown = ", ".join(_shown(column) for column in relation.columns)
    cursor = connection.cursor()
    cursor.execute("SET TimeZone = 'UTC'")
    cursor.execute(f"SELECT {shown} FROM {quoted(schema)}.{quoted(relation.name)}")
    while rows := cursor.fetchmany(BATCH_ROWS):
        yield lake_rows(relation, rows)


def _shown(column: CatalogColumn) -> str:
    name = quoted(column.name)
    if column.type.form not in _FETCHED_AS_THEY_ARE or (column.type == BYTEA and column.duckdb_type != "BLOB"):
        return name if column.duckdb_type == "VARCHAR" else f"CAST({name} AS VARCHAR)"
    return name


class DuckDBTarget:
    """Writes a new file. Until ``publish`` it has another name."""

    def __init__(self, path: Path, schema: str = MAIN, *, frozen: bool = False) -> None:
        """Raises InvalidParameterValue when there is a file of that name. ``frozen`` makes it read-only."""
        self._file = NewFile(path)
        self._schema = schema
        self._frozen = frozen
        self._thread = BlockingThread("duckdb")
        self._connection: DuckDBPyConnection | None = None

    async def create(self, relation: CatalogRelation) -> None:
        await self._thread.run(lambda: self._create(relation))

    async def write(self, relation: CatalogRelation, rows: Sequence[Row]) -> None:
        await self._thread.run(lambda: self._insert(relation, rows))

    async def as_kept(self, relation: CatalogRelation, rows: Sequence[Row]) -> Sequence[Row]:
        return await self._thread.run(lambda: self._as_kept(relation, rows))

    def rows_kept(self, relation: CatalogRelation) -> AsyncIterator[Sequence[Row]]:
        return self._thread.batches(lambda: rows_of(self._opened(), self._schema, relation))

    async def annotate(self, notes: CatalogNotes) -> Sequence[str]:
        """Nothing: DuckLake's own catalogs of this kind have no comments on their relations, and no indexes."""
        return notes.names

    async def publish(self) -> None:
        await self._thread.run(self._publish)
        self._thread.close()

    async def abandon(self) -> None:
        await self._thread.run(self._abandon)
        self._thread.close()

    def _opened(self) -> DuckDBPyConnection:
        if self._connection is None:
            self._connection = _connect(self._file.working, read_only=False)
            self._connection.execute(f"CREATE SCHEMA IF NOT EXISTS {quoted(self._schema)}")
        return self._connection

    def _named(self, relation: CatalogRelation) -> str:
        return f"{quoted(self._schema)}.{quoted(relation.name)}"

    def _create(self, relation: CatalogRelation) -> None:
        columns = [f"{quoted(c.name)} {c.duckdb_type}{_constraint(relation, c)}" for c in relation.columns]
        self._opened().execute(f"CREATE TABLE {self._named(relation)}({', '.join(columns)})")

    def _insert(self, relation: CatalogRelation, rows: Sequence[Row]) -> None:
        """All rows in one statement, a JSON array for each column: the driver takes a list value by value, so slowly
        that it is no way for a catalog."""
        shown = [f"CAST({_unnested(c, number)} AS {c.duckdb_type})" for number, c in enumerate(relation.columns, 1)]
        columns = zip(relation.columns, zip(*rows, strict=True), strict=True)
        arrays = [_array(column, values) for column, values in columns]
        self._opened().execute(f"INSERT INTO {self._named(relation)} SELECT {', '.join(shown)}", arrays)

    def _as_kept(self, relation: CatalogRelation, rows: Sequence[Row]) -> Sequence[Row]:
        written = [i for i, c in enumerate(relation.columns) if c.type == VARCHAR and c.duckdb_type != "VARCHAR"]
        if not written or not rows:
            return rows
        shown = [f"CAST(CAST({_unnested(relation.columns[i], n)} AS {relation.columns[i].duckdb_type}) AS VARCHAR)"
                 for n, i in enumerate(written, 1)]
        columns: list[tuple[Any, ...]] = list(zip(*rows, strict=True))
        arrays = [_array(relation.columns[i], columns[i]) for i in written]
        kept = zip(*self._opened().execute(f"SELECT {', '.join(shown)}", arrays).fetchall(), strict=True)
        for position, texts in zip(written, kept, strict=True):
            columns[position] = texts
        return list(zip(*columns, strict=True))

    def _publish(self) -> None:
        connection = self._opened()
        connection.execute("CHECKPOINT")
        connection.close()
        self._file.publish(read_only=self._frozen)

    def _abandon(self) -> None:
        if self._connection is not None:
            self._connection.close()
        self._file.abandon()


def _constraint(relation: CatalogRelation, column: CatalogColumn) -> str:
    if relation.primary_key == (column.name,):
        return " PRIMARY KEY"
    return "" if column.nullable else " NOT NULL"


def _unnested(column: CatalogColumn, number: int) -> str:
    """The values of the JSON array that ``_array`` makes, as DuckDB's expression over a parameter."""
    if text_writer(column) is None and column.type.form is Form.BYTES:
        return f"unhex({_elements(number, 'VARCHAR')})"
    form = column.type.form
    return _elements(number, "BIGINT" if form is Form.INT else "BOOLEAN" if form is Form.BOOL else "VARCHAR")


def _elements(number: int, kind: str) -> str:
    return f"unnest(from_json(${number}, '[\"{kind}\"]'))"


def _array(column: CatalogColumn, values: Sequence[Any]) -> str:
    convert = text_writer(column) or (bytes.hex if column.type.form is Form.BYTES else None)
    return json.dumps(values if convert is None else [None if value is None else convert(value) for value in values])
