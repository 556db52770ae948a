"""Query results as the text that DuckDB's own cast to VARCHAR prints, the way test files write them.

Values of simple types are printed from their Python form. Any other result is fetched as an Arrow table, which DuckDB
can make without losing the type, and cast in a second DuckDB, so that no further SQL runs in the one under test.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb

INTEGERS = frozenset(
    {
        "TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT",
        "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT", "UHUGEINT",
    }
)  # fmt: skip
_PLAIN = INTEGERS | {"BOOLEAN", "VARCHAR"}  # str() prints what a cast would
_WITHOUT_ARROW = ("VARIANT", "GEOMETRY")  # types that Arrow does not carry faithfully
_SET_TIME_ZONE = re.compile(r"\s*SET\s+TimeZone\s*=\s*'([^']+)'", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Result:
    """A query's type names, and its rows as text."""

    types: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


NO_RESULT = Result((), ())


class Printer:
    """Executes SQL and prints its result. Several threads may use it, each with a connection of its own."""

    def __init__(self, icu_file: Path | None) -> None:
        self._icu_file = icu_file
        self._local = threading.local()
        self._time_zone: str | None = None

    def execute(self, connection: duckdb.DuckDBPyConnection, sql: str) -> Result:
        """Run ``sql`` to its end. Raises duckdb.Error."""
        connection.execute(sql)
        if zone := _SET_TIME_ZONE.match(sql):
            self._time_zone = zone[1]
        if not connection.description:
            return NO_RESULT
        types = tuple(str(column[1]) for column in connection.description)
        try:
            rows = self._rows(connection, sql, types)
        except duckdb.InvalidInputException as error:
            if "No open result set" in str(error):  # a text of comments only
                return NO_RESULT
            raise
        return Result(types, tuple(tuple(map(printed, row, types)) for row in rows))

    def _rows(self, connection: duckdb.DuckDBPyConnection, sql: str, types: tuple[str, ...]) -> list[Any]:
        if _PLAIN.issuperset(types):
            return [tuple(map(_plain_text, row)) for row in connection.fetchall()]
        if any(word in name for name in types for word in _WITHOUT_ARROW):
            return _refetched(connection, sql)
        fetch = getattr(connection, "to_arrow_table", None) or connection.fetch_arrow_table
        table = fetch()
        return self._caster().rows(table, self._time_zone) if table.num_rows else []

    def _caster(self) -> _Caster:
        caster = getattr(self._local, "caster", None)
        if caster is None:
            caster = self._local.caster = _Caster(self._icu_file)
        return caster


class _Caster:
    """A DuckDB of its own that casts Arrow tables to text."""

    def __init__(self, icu_file: Path | None) -> None:
        self._connection = duckdb.connect(
            config={"threads": "1", "allow_unsigned_extensions": "true", "autoload_known_extensions": "false"}
        )
        self._connection.execute("SET arrow_lossless_conversion = true")
        if icu_file is not None:  # prints TIMESTAMPTZ
            self._connection.execute(f"LOAD '{icu_file}'")

    def rows(self, table: Any, time_zone: str | None) -> list[Any]:
        if time_zone is not None:
            self._connection.execute(f"SET TimeZone = '{time_zone}'")
        renamed = table.rename_columns([f"c{number}" for number in range(table.num_columns)])
        self._connection.register("result", renamed)
        rows = self._connection.execute("SELECT CAST(COLUMNS(*) AS VARCHAR) FROM result").fetchall()
        self._connection.unregister("result")
        return rows


def _refetched(connection: duckdb.DuckDBPyConnection, sql: str) -> list[Any]:
    """Runs a query once more with the cast around it; where that is not possible, the first run's values."""
    first = connection.fetchall()
    try:
        cast = f"SELECT CAST(COLUMNS(*) AS VARCHAR) FROM ({sql.strip().rstrip(';')}\n)"
        return connection.execute(cast).fetchall()
    except duckdb.Error:
        return [tuple(map(_plain_text, row)) for row in first]


def _plain_text(value: object) -> str | None:
    if value is None:
        return None
    return str(value).lower() if isinstance(value, bool) else str(value)


def printed(value: str | None, type_name: str) -> str:
    """One value as test files write it; an empty text and NULL have words of their own."""
    if value is None:
        return "NULL"
    if value == "":
        return "(empty)"
    if type_name == "BOOLEAN":
        return "1" if value == "true" else "0"
    return value.replace("\0", "\\0")


def as_lines(rows: Sequence[Sequence[str]]) -> str:
    """Rows as a report shows them: one a line, values separated by tabs."""
    return "\n".join("\t".join(row) for row in rows)
