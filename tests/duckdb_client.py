"""A real DuckDB client with the DuckLake extensions, attached to a lake through the PostgreSQL protocol.

The extensions are loaded from the files of the packages duckdb-extension-ducklake and
duckdb-extension-postgres-scanner, so no test needs a network. A missing file is an error: a suite that cannot
drive DuckDB has tested nothing.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

import duckdb

EXTENSIONS = ("postgres_scanner", "ducklake")


class ExtensionMissing(RuntimeError):
    """A DuckDB extension's package is not installed, or does not fit the installed DuckDB."""


def extension_file(name: str) -> Path:
    """The file of one extension, for the running DuckDB's version. Raises ExtensionMissing."""
    spec = importlib.util.find_spec(f"duckdb_extension_{name}")
    folders = list(spec.submodule_search_locations or []) if spec else []
    for folder in folders:
        path = Path(folder) / "extensions" / f"v{duckdb.__version__}" / f"{name}.duckdb_extension"
        if path.exists():
            return path
    raise ExtensionMissing(f"no {name} extension for DuckDB {duckdb.__version__}; install the dev extras")


def connect(extensions: Sequence[str] = EXTENSIONS) -> duckdb.DuckDBPyConnection:
    """An in-memory DuckDB that cannot download anything, with ``extensions`` loaded."""
    connection = duckdb.connect(
        config={
            "allow_unsigned_extensions": "true",
            "autoinstall_known_extensions": "false",
            "autoload_known_extensions": "false",
            "threads": "2",
        }
    )
    for name in extensions:
        connection.execute(f"LOAD '{extension_file(name)}'")
    connection.execute("SET TimeZone = 'UTC'")
    return connection


class LakeClient:
    """One DuckDB process's view of a lake: attached as ``lake``, which is also the current database."""

    def __init__(
        self,
        dsn: str,
        data_path: Path | str,
        options: str = "",
        extensions: Sequence[str] = EXTENSIONS,
        settings: Sequence[str] = (),
    ) -> None:
        """``data_path`` is a folder or a URL. ``options`` continue the ATTACH statement's list; ``settings`` are
        statements that run before it."""
        self.connection = connect(extensions)
        self.dsn = dsn
        self.data_path = data_path
        self._attach = f"ATTACH 'ducklake:postgres:{dsn}' AS lake (DATA_PATH '{data_path}/'{options})"
        self.run(*settings, self._attach, "USE lake")

    def run(self, *statements: str) -> None:
        """Execute statements one after another, reading each result to its end."""
        for statement in statements:
            self.connection.execute(statement).fetchall()

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        """All rows of a query, in the order they came."""
        return self.connection.execute(query).fetchall()

    def value(self, query: str) -> object:
        """The single value of a query that answers one row of one column."""
        ((value,),) = self.rows(query)
        return value

    def snapshot(self) -> int:
        """The lake's newest snapshot id."""
        value = self.value("SELECT max(snapshot_id) FROM ducklake_snapshots('lake')")
        assert isinstance(value, int)
        return value

    def file_count(self, table: str) -> object:
        """The number of data files of a table in its newest state."""
        return self.value(f"SELECT count(*) FROM ducklake_list_files('lake', '{table}')")

    def write_parquet_only(self) -> None:
        """From now on nothing is inlined: every insert makes a data file, every delete a delete file."""
        self.run("CALL lake.set_option('data_inlining_row_limit', 0)")

    def close(self) -> None:
        """End the client; an open transaction ends first, or DuckDB aborts the process when its server is gone."""
        try:
            self.connection.execute("ROLLBACK")
        except duckdb.Error:
            pass  # there was none
        self.connection.close()

    def __enter__(self) -> LakeClient:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
