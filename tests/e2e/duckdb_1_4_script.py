"""Runs under DuckDB 1.4.4 in an environment of its own: drives a lake and fails at the first surprise.

Usage: duckdb_1_4_script.py DSN DATA_FOLDER
"""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import duckdb

RETRIES = 10


def extension(name: str) -> Path:
    spec = importlib.util.find_spec(f"duckdb_extension_{name}")
    assert spec is not None, name
    (folder,) = spec.submodule_search_locations or []
    return Path(folder) / "extensions" / f"v{duckdb.__version__}" / f"{name}.duckdb_extension"


def attach(dsn: str, data_folder: str, options: str = "") -> duckdb.DuckDBPyConnection:
    connection = duckdb.connect(config={"allow_unsigned_extensions": "true", "autoload_known_extensions": "false"})
    for name in ("postgres_scanner", "ducklake"):
        connection.execute(f"LOAD '{extension(name)}'")
    connection.execute(f"ATTACH 'ducklake:postgres:{dsn}' AS lake (DATA_PATH '{data_folder}/'{options})")
    connection.execute("USE lake")
    return connection


def expect(connection: duckdb.DuckDBPyConnection, query: str, rows: list[tuple[object, ...]]) -> None:
    found = connection.execute(query).fetchall()
    if found != rows:
        sys.exit(f"{query}\nfound    {found}\nexpected {rows}")


def change_inlined_rows(lake: duckdb.DuckDBPyConnection) -> None:
    lake.execute("CREATE TABLE small(id INTEGER, name VARCHAR)")
    lake.execute("INSERT INTO small VALUES (1, 'a'), (2, 'it''s'), (3, NULL)")
    expect(lake, "SELECT count(*) FROM ducklake_list_files('lake', 'small')", [(0,)])
    lake.execute("UPDATE small SET name = 'A' WHERE id = 1")
    lake.execute("DELETE FROM small WHERE id = 2")
    expect(lake, "FROM small ORDER BY id", [(1, "A"), (3, None)])
    expect(lake, "FROM small AT (VERSION => 2) ORDER BY id", [(1, "a"), (2, "it's"), (3, None)])


def change_rows_in_files(lake: duckdb.DuckDBPyConnection) -> None:
    lake.execute("CREATE TABLE big AS SELECT range AS id, 'n' || range AS name FROM range(5000)")
    lake.execute("INSERT INTO big SELECT range, NULL FROM range(5000, 6000)")
    lake.execute("UPDATE big SET name = 'x' WHERE id = 77")
    lake.execute("DELETE FROM big WHERE id < 50")
    expect(lake, "SELECT count(*), min(id), count(name) FROM big", [(5950, 50, 4950)])
    expect(lake, "SELECT name FROM big WHERE id = 77", [("x",)])


def read_many_catalog_rows(lake: duckdb.DuckDBPyConnection) -> None:
    """This client drops rows when the server packs several into one message."""
    lake.execute("BEGIN")
    for number in range(60):
        lake.execute(f"CREATE TABLE many{number}(a INTEGER, b VARCHAR, c DATE)")
    lake.execute("COMMIT")
    expect(lake, "SELECT count(*) FROM __ducklake_metadata_lake.ducklake_column WHERE column_name = 'c'", [(60,)])
    expect(lake, "SELECT count(*) FROM duckdb_tables() WHERE database_name = 'lake'", [(62,)])


def retry_a_commit(first: duckdb.DuckDBPyConnection, second: duckdb.DuckDBPyConnection) -> None:
    first.execute("BEGIN")
    first.execute("INSERT INTO small VALUES (10, 'first')")
    second.execute("BEGIN")
    second.execute("INSERT INTO small VALUES (20, 'second')")
    first.execute("COMMIT")
    second.execute("COMMIT")
    expect(first, "SELECT id FROM small ORDER BY id", [(1,), (3,), (10,), (20,)])


def main(dsn: str, data_folder: str) -> None:
    options = ", DATA_INLINING_ROW_LIMIT 10"
    lake = attach(dsn, data_folder, options)
    change_inlined_rows(lake)
    change_rows_in_files(lake)
    read_many_catalog_rows(lake)
    retry_a_commit(lake, attach(dsn, data_folder, options))
    fresh = attach(dsn, data_folder, options)
    expect(fresh, "SELECT count(*) FROM big", [(5950,)])
    expect(fresh, "SELECT id FROM small ORDER BY id", [(1,), (3,), (10,), (20,)])
    fresh.execute("DROP TABLE big")
    expect(lake, "SELECT count(*) FROM duckdb_tables() WHERE table_name = 'big'", [(0,)])
    print("all as expected under DuckDB", duckdb.__version__)


if __name__ == "__main__":
    main(*sys.argv[1:])
