"""The DuckDB instance of one file: opened, opened again, its connections and its extensions.

Extensions come from files only: a folder given by the caller, or the packages duckdb-extension-* of the environment.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator, Sequence
from pathlib import Path

import duckdb

from tests.conformance.exchange import FileFailed

IN_MEMORY = ":memory:"
NEEDED = frozenset({"ducklake", "postgres_scanner"})
_FILE_NAMES = {"postgres": "postgres_scanner", "sqlite": "sqlite_scanner"}


def extension_file(name: str, folders: Sequence[str] = ()) -> Path | None:
    """The file of an extension for the running DuckDB's version; ``None`` where there is none."""
    name = _FILE_NAMES.get(name, name)
    candidates = [Path(folder) / f"{name}.duckdb_extension" for folder in folders]
    package = importlib.util.find_spec(f"duckdb_extension_{name}")
    for folder in (package.submodule_search_locations or ()) if package else ():
        candidates.append(Path(folder) / "extensions" / f"v{duckdb.__version__}" / f"{name}.duckdb_extension")
    return next((path for path in candidates if path.exists()), None)


class Database:
    """Connections by name to one DuckDB. ``initial_sql`` runs each time that it is opened."""

    def __init__(
        self, *, extensions: Sequence[str], folders: Sequence[str], initial_sql: Sequence[str], threads: int
    ) -> None:
        self.path = IN_MEMORY
        self._read_only = False
        self._extensions = list(extensions)
        self._folders = folders
        self._initial_sql = initial_sql
        self._threads = threads
        self._database: duckdb.DuckDBPyConnection | None = None
        self._default: duckdb.DuckDBPyConnection | None = None
        self._named: dict[str, duckdb.DuckDBPyConnection] = {}

    @property
    def default(self) -> duckdb.DuckDBPyConnection:
        """The connection of records that name none."""
        assert self._default is not None, "the database is not open"
        return self._default

    def named(self, name: str) -> duckdb.DuckDBPyConnection:
        """The connection of that name, made at its first use."""
        if name not in self._named:
            self._named[name] = self.new_connection()
        return self._named[name]

    def new_connection(self) -> duckdb.DuckDBPyConnection:
        assert self._database is not None, "the database is not open"
        return self._database.cursor()

    def load(self, path: str, *, read_only: bool) -> None:
        """Close everything and open another database file."""
        self.path, self._read_only = path, read_only
        self.open()

    def open(self) -> None:
        """Open, again if it is open, with the extensions loaded so far. Raises FileFailed without DuckLake's."""
        self.close()
        config: dict[str, str | bool | int | float | list[str]] = {
            "allow_unsigned_extensions": "true",
            "autoload_known_extensions": "false",
            "autoinstall_known_extensions": "false",
            "allow_unredacted_secrets": "true",
            "python_enable_replacements": "false",
            "extension_directory": str(Path.cwd() / "extensions"),
        }
        if self._threads:
            config["threads"] = self._threads
        self._database = duckdb.connect(self.path, read_only=self._read_only, config=config)
        for name in tuple(self._extensions):
            if not self.load_extension(name) and name in NEEDED:
                raise FileFailed("setup", f"no file of the extension {name} for DuckDB {duckdb.__version__}")
        self._database.execute("SET GLOBAL arrow_lossless_conversion = true")
        self._default = self.new_connection()
        for sql in self._initial_sql:
            self._default.execute(sql)

    def reconnect(self) -> None:
        """Another default connection to the same database."""
        self.default.close()
        self._default = self.new_connection()

    def restart(self) -> None:
        """Close and open again; the search path stays."""
        answer = self.default.execute("SELECT current_setting('search_path')").fetchone()
        self.open()
        if answer and answer[0]:
            path = answer[0].replace("'", "''")
            self.default.execute(f"SET search_path = '{path}'")

    def close(self) -> None:
        for connection in self._open_connections():
            connection.close()
        self._named, self._default, self._database = {}, None, None

    def load_extension(self, name: str) -> bool:
        """Load an extension unless it is there; whether it is there now. It is loaded again after a restart."""
        assert self._database is not None, "the database is not open"
        known = self._database.execute(
            "SELECT loaded FROM duckdb_extensions() WHERE extension_name = ? OR list_contains(aliases, ?)", [name, name]
        ).fetchall()
        if not (known and known[0][0]):
            found = extension_file(name, self._folders)
            if found is None:
                return False
            self._database.execute(f"LOAD '{found}'")
        if name not in self._extensions:
            self._extensions.append(name)
        return True

    def _open_connections(self) -> Iterator[duckdb.DuckDBPyConnection]:
        yield from self._named.values()
        for connection in (self._default, self._database):
            if connection is not None:
                yield connection
