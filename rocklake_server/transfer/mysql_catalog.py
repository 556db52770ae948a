"""A DuckLake catalog in a database of MySQL or MariaDB.

Its columns are those of a SQLite catalog: integers and booleans, bytes, and everything else as the text that DuckDB
writes and reads, which knows neither the server's range of times nor its session's time zone.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from rocklake_server.errors import InvalidParameterValue, StoreUnavailable, Unsupported
from rocklake_server.schema.duckdb_types import TIMESTAMPTZ_NAME, duckdb_type, lake_type, mysql_type
from rocklake_server.schema.registry import BY_NAME
from rocklake_server.schema.types import BIGINT, BOOLEAN, BYTEA, DOUBLE, VARCHAR, ColumnType, Form
from rocklake_server.transfer.catalogs import BlockingThread
from rocklake_server.transfer.column_types import (
    COLUMN_FIELDS,
    SYSTEM_COLUMNS,
    ColumnTypes,
    TypedColumn,
    schema_version_starts,
)
from rocklake_server.transfer.drivers import mysql_driver
from rocklake_server.transfer.mysql_address import MySQLAddress
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
)
from rocklake_server.transfer.text_values import lake_rows, text_writer

if TYPE_CHECKING:
    from pymysql.connections import Connection

T = TypeVar("T")

IDENTIFIER_CHARACTERS_MAX = 64
"""Of a table's and a column's name. Characters beyond U+FFFF are none that a name may have."""
WORKING = "incomplete_"
"""Before the names of tables until all are there: DDL commits at once in MySQL, but renaming them is one step."""
_TYPES = {"tinyint": BOOLEAN, "bigint": BIGINT, "blob": BYTEA, "longblob": BYTEA, "double": DOUBLE}
"""Of columns that are declared nowhere."""
_COLUMNS = """
SELECT c.TABLE_NAME, c.COLUMN_NAME, c.DATA_TYPE, c.IS_NULLABLE, c.COLUMN_KEY
FROM information_schema.COLUMNS c JOIN information_schema.TABLES t USING (TABLE_SCHEMA, TABLE_NAME)
WHERE c.TABLE_SCHEMA = DATABASE() AND t.TABLE_TYPE = 'BASE TABLE'
ORDER BY c.TABLE_NAME, c.ORDINAL_POSITION
"""
_SESSION = (
    "SET SESSION sql_mode = 'STRICT_ALL_TABLES,NO_ENGINE_SUBSTITUTION', time_zone = '+00:00', net_write_timeout = 3600"
)


def identifier(name: str) -> str:
    """``name`` as an SQL identifier."""
    return "`" + name.replace("`", "``") + "`"


class _Connected:
    """One connection and the thread that alone uses it."""

    def __init__(self, place: str, begin: str) -> None:
        self._address = MySQLAddress.parse(place)
        self._begin = begin
        self._driver = mysql_driver()
        self._thread = BlockingThread("mysql")
        self._connection: Connection[Any] | None = None
        self.stored_types: dict[tuple[str, str], str] = {}
        """(relation, column) -> the type that the server has for it, as far as relations were read or made."""

    async def run(self, call: Callable[[], T]) -> T:
        """Raises what ``call`` raises; the database's own errors as StoreUnavailable with its text."""
        return await self._thread.run(lambda: self._translated(call))

    async def end(self) -> None:
        if self._connection is not None:
            await self._thread.run(self._connection.close)
            self._connection = None
        self._thread.close()

    def batches(self, relation: CatalogRelation, table: str) -> AsyncIterator[Sequence[Row]]:
        return self._thread.batches(lambda: self._rows_of(relation, table))

    @property
    def opened(self) -> Connection[Any]:
        if self._connection is None:
            try:
                self._connection = self._driver.connect(
                    charset="utf8mb4", autocommit=True, conv=self._only_writing(), init_command=_SESSION,
                    **self._address.arguments())
            except self._driver.Error as problem:
                raise StoreUnavailable(f"cannot connect to the database: {_text_of(problem)}") from None
            self.execute(self._begin)
        return self._connection

    def _only_writing(self) -> dict[Any, Any]:
        """The driver's converters but those of what the server sends: that stays the text, or the bytes, that it is."""
        conversions = self._driver.converters.conversions
        return {kind: convert for kind, convert in conversions.items() if not isinstance(kind, int)}

    def execute(self, statement: str) -> None:
        with self.opened.cursor() as cursor:
            cursor.execute(statement)

    def select(self, query: str) -> list[tuple[Any, ...]]:
        with self.opened.cursor() as cursor:
            cursor.execute(query)
            return list(cursor.fetchall())

    def insert(self, statement: str, rows: Iterator[tuple[Any, ...]]) -> None:
        """``statement`` has a ``%s`` for each value, and no other percent sign that is not doubled."""
        with self.opened.cursor() as cursor:
            cursor.executemany(statement, list(rows))

    def _translated(self, call: Callable[[], T]) -> T:
        try:
            return call()
        except self._driver.Error as problem:
            raise StoreUnavailable(f"the database refused a statement: {_text_of(problem)}") from None

    def _rows_of(self, relation: CatalogRelation, table: str) -> Iterator[list[Row]]:
        shown = ", ".join(self._shown(relation, column) for column in relation.columns)
        with self.opened.cursor(self._driver.cursors.SSCursor) as cursor:
            cursor.execute(f"SELECT {shown} FROM {identifier(table)}")
            while rows := cursor.fetchmany(BATCH_ROWS):
                yield lake_rows(relation, rows)

    def _shown(self, relation: CatalogRelation, column: CatalogColumn) -> str:
        name, stored = identifier(column.name), self.stored_types.get((relation.name, column.name))
        if stored in ("datetime", "timestamp") and column.duckdb_type == TIMESTAMPTZ_NAME:
            return f"CONCAT({name}, '+00')"  # the session's zone is UTC, and DuckDB writes no other
        return f"{name} + 0E0" if stored == "float" else name  # a float's own text has six digits


def _text_of(problem: Exception) -> str:
    return str(problem.args[1] if len(problem.args) > 1 else problem).partition("\n")[0]


class MySQLSource:
    """Reads within one REPEATABLE READ transaction."""

    def __init__(self, place: str) -> None:
        """Raises InvalidParameterValue for an address that is none, Unsupported when the driver is not installed."""
        self._database = _Connected(place, "START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY")

    async def contents(self) -> CatalogContents:
        return await self._database.run(lambda: _contents(self._database))

    def rows(self, relation: CatalogRelation) -> AsyncIterator[Sequence[Row]]:
        return self._database.batches(relation, relation.name)

    async def aclose(self) -> None:
        await self._database.end()


def _contents(database: _Connected) -> CatalogContents:
    found: dict[str, list[tuple[str, str, bool, bool]]] = {}
    for table, name, stored, nullable, key in database.select(_COLUMNS):
        found.setdefault(table, []).append((name, stored, nullable == "YES", key == "PRI"))
    names = [name for name in found if name.startswith(PREFIX)]
    types = _column_types(database, {name: [column[0] for column in found[name]] for name in names})
    relations: list[CatalogRelation] = []
    for relation in names:
        columns = [
            _column(types, relation, place, name, stored, nullable=nullable)
            for place, (name, stored, nullable, _) in enumerate(found[relation])
        ]
        database.stored_types.update({(relation, name): stored for name, stored, _, _ in found[relation]})
        key_columns = tuple(name for name, _, _, is_key in found[relation] if is_key)
        relations.append(CatalogRelation(relation, tuple(columns), key_columns))
    return CatalogContents(in_order(relations), tuple(sorted(set(found) - set(names))))


def _column_types(database: _Connected, columns: dict[str, list[str]]) -> ColumnTypes:
    """From ducklake_column, ducklake_schema_versions and ducklake_snapshot, whose numbers come as text."""
    inlined = [found for name in columns if (found := inlined_name(name)) is not None]
    if not inlined:
        return ColumnTypes([], {})

    def read(fields: Sequence[str], relation: str, texts: Sequence[str] = ()) -> list[tuple[Any, ...]]:
        shown = ", ".join(identifier(name) if name in columns[relation] else "NULL" for name in fields)
        rows = database.select(f"SELECT {shown} FROM {relation}")
        return [
            tuple([value if value is None or name in texts else int(value)
                   for name, value in zip(fields, row, strict=True)])
            for row in rows
        ]  # fmt: skip

    typed = [TypedColumn(*row) for row in read(COLUMN_FIELDS, "ducklake_column", ("column_name", "column_type"))]
    snapshots: Any = read(("snapshot_id", "schema_version"), "ducklake_snapshot")
    versions: Any = []
    if "ducklake_schema_versions" in columns:
        versions = read(("begin_snapshot", "schema_version", "table_id"), "ducklake_schema_versions")
    return ColumnTypes(typed, schema_version_starts(versions, snapshots, inlined))


def _column(
    types: ColumnTypes, relation: str, place: int, name: str, stored: str, *, nullable: bool
) -> CatalogColumn:
    inlined = inlined_name(relation)
    if inlined is not None and place >= SYSTEM_COLUMNS:
        known = types.duckdb_type(inlined, name)
        return CatalogColumn(name, lake_type(known, inlined=True), known)
    table = BY_NAME.get(relation)
    column_type: ColumnType | None = None
    if table is not None:
        column_type = next((column.type for column in table.columns if column.name == name), None)
    column_type = column_type or _TYPES.get(stored, VARCHAR)
    return CatalogColumn(name, column_type, duckdb_type(column_type), nullable)


class MySQLTarget:
    """Writes tables under other names, which get their own at ``publish``. One copy at a time fills a database."""

    def __init__(self, place: str) -> None:
        """Raises as ``MySQLSource``."""
        self._database = _Connected(place, "SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED")
        self._made: list[str] = []
        self._is_empty = False

    async def create(self, relation: CatalogRelation) -> None:
        """Raises InvalidParameterValue when there is a catalog, Unsupported for what MySQL cannot hold."""
        _require_nameable(relation)
        await self._database.run(lambda: self._create(relation))

    async def write(self, relation: CatalogRelation, rows: Sequence[Row]) -> None:
        await self._database.run(lambda: self._insert(relation, rows))

    async def as_kept(self, _: CatalogRelation, rows: Sequence[Row], /) -> Sequence[Row]:
        return rows

    def rows_kept(self, relation: CatalogRelation) -> AsyncIterator[Sequence[Row]]:
        return self._database.batches(relation, WORKING + relation.name)

    async def annotate(self, notes: CatalogNotes) -> Sequence[str]:
        """Nothing: DuckLake's own catalogs of this kind have no comments on their relations, and no indexes."""
        return notes.names

    async def publish(self) -> None:
        pairs = ", ".join(f"{identifier(WORKING + name)} TO {identifier(name)}" for name in self._made)
        await self._database.run(lambda: self._database.execute(f"RENAME TABLE {pairs}"))
        self._made.clear()
        await self._database.end()

    async def abandon(self) -> None:
        made, self._made = self._made, []
        try:
            if made:
                await self._database.run(lambda: self._drop([WORKING + name for name in made]))
        finally:
            await self._database.end()

    def _create(self, relation: CatalogRelation) -> None:
        if not self._is_empty:
            self._require_empty()
        columns = [
            f"{identifier(c.name)} {mysql_type(c.duckdb_type)}{'' if c.nullable else ' NOT NULL'}"
            for c in relation.columns
        ]
        if relation.primary_key:
            columns.append(f"PRIMARY KEY ({', '.join(map(identifier, relation.primary_key))})")
        self._made.append(relation.name)
        self._database.execute(
            f"CREATE TABLE {identifier(WORKING + relation.name)} ({', '.join(columns)}) "
            "ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin"
        )

    def _require_empty(self) -> None:
        ((is_alone,),) = self._database.select("SELECT GET_LOCK(SHA1(CONCAT('rocklake export ', DATABASE())), 0)")
        if int(is_alone or 0) != 1:
            raise InvalidParameterValue("another copy into this database is under way; wait for it, or stop it")
        tables = {str(row[0]) for row in self._database.select(_COLUMNS)}
        taken = sorted(name for name in tables if name.startswith(PREFIX))
        if taken:
            raise InvalidParameterValue(
                f'the database holds a DuckLake catalog already ("{taken[0]}"); choose an empty one'
            )
        self._drop(sorted(name for name in tables if name.startswith(WORKING + PREFIX)))  # of a copy that was killed
        self._is_empty = True

    def _drop(self, tables: Sequence[str]) -> None:
        for table in tables:
            self._database.execute(f"DROP TABLE IF EXISTS {identifier(table)}")

    def _insert(self, relation: CatalogRelation, rows: Sequence[Row]) -> None:
        columns: list[Sequence[Any]] = list(zip(*rows, strict=True))
        for position, column in enumerate(relation.columns):
            convert = text_writer(column)
            if convert is not None:
                columns[position] = [None if value is None else convert(value) for value in columns[position]]
        table = identifier(WORKING + relation.name).replace("%", "%%")
        places = ", ".join(["%s"] * len(relation.columns))
        self._database.insert(f"INSERT INTO {table} VALUES ({places})", zip(*columns, strict=True))


def _require_nameable(relation: CatalogRelation) -> None:
    for name in (WORKING + relation.name, *(column.name for column in relation.columns)):
        if not _is_nameable(name):
            raise Unsupported(
                f'MySQL takes no table or column called "{name}", which relation "{relation.name}" has: names there '
                f"have at most {IDENTIFIER_CHARACTERS_MAX} characters, none above U+FFFF, no space at their end, and "
                "neither a backquote nor a backslash, which DuckDB cannot read there",
                hint="Write inlined rows to files first: CALL ducklake_flush_inlined_data.",
            )
    for column in relation.columns:
        if column.name in relation.primary_key and column.type.form not in (Form.INT, Form.BOOL):
            raise Unsupported(f'MySQL takes no key over a text, as relation "{relation.name}" has one')


def _is_nameable(name: str) -> bool:
    has_others = any(character in "\0`\\" or ord(character) > 0xFFFF for character in name)
    return len(name) <= IDENTIFIER_CHARACTERS_MAX and not name.endswith(" ") and not has_others
