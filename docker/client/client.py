"""Attaches DuckDB to the catalog server, writes rows and reads them back. Exit code 0 when every answer is as expected.

Settings: LAKE_DSN (libpq's connection string), LAKE_DATA_PATH (s3://bucket/prefix/), AWS_ACCESS_KEY_ID,
AWS_SECRET_ACCESS_KEY, AWS_REGION and AWS_ENDPOINT_URL (the object store of the data files).
"""

from __future__ import annotations

import importlib.util
import os
import sys
from pathlib import Path
from urllib.parse import urlsplit

import duckdb

EXTENSIONS = ("httpfs", "postgres_scanner", "ducklake")
TABLE = "visits"
ROWS = 1_000


def extension_file(name: str) -> Path:
    """Where the package duckdb-extension-<name> keeps the extension of this DuckDB."""
    spec = importlib.util.find_spec(f"duckdb_extension_{name}")
    if spec is None or not spec.submodule_search_locations:
        sys.exit(f"the package duckdb-extension-{name.replace('_', '-')} is not installed")
    folder = Path(spec.submodule_search_locations[0])
    return folder / "extensions" / f"v{duckdb.__version__}" / f"{name}.duckdb_extension"


def quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def connect() -> duckdb.DuckDBPyConnection:
    """A DuckDB with its extensions loaded and a secret for the bucket."""
    connection = duckdb.connect(config={"autoinstall_known_extensions": "false"})
    for name in EXTENSIONS:
        connection.execute(f"LOAD {quoted(str(extension_file(name)))}")
    endpoint = urlsplit(os.environ["AWS_ENDPOINT_URL"])
    options = {
        "KEY_ID": os.environ["AWS_ACCESS_KEY_ID"],
        "SECRET": os.environ["AWS_SECRET_ACCESS_KEY"],
        "REGION": os.environ["AWS_REGION"],
        "ENDPOINT": endpoint.netloc,
        "USE_SSL": str(endpoint.scheme == "https").lower(),
        "URL_STYLE": "path",
    }
    settings = ", ".join(f"{name} {quoted(value)}" for name, value in options.items())
    connection.execute(f"CREATE SECRET bucket (TYPE s3, {settings})")
    return connection


def expect(connection: duckdb.DuckDBPyConnection, query: str, rows: list[tuple[object, ...]]) -> None:
    found = connection.execute(query).fetchall()
    print(f"{query}\n    {found}", flush=True)
    if found != rows:
        sys.exit(f"expected {rows}")


def attach(connection: duckdb.DuckDBPyConnection) -> None:
    dsn, data_path = os.environ["LAKE_DSN"], os.environ["LAKE_DATA_PATH"]
    connection.execute(f"ATTACH {quoted('ducklake:postgres:' + dsn)} AS lake (DATA_PATH {quoted(data_path)})")
    connection.execute("USE lake")


def write_and_read(connection: duckdb.DuckDBPyConnection) -> None:
    """Leaves the table with ROWS - 1 rows, the first of them changed."""
    rows = f"SELECT range AS id, 'n' || range AS name FROM range({ROWS})"
    connection.execute(f"CREATE OR REPLACE TABLE {TABLE} AS {rows}")
    ((version,),) = connection.execute("SELECT max(snapshot_id) FROM ducklake_snapshots('lake')").fetchall()
    connection.execute(f"UPDATE {TABLE} SET name = 'first' WHERE id = 0")
    connection.execute(f"DELETE FROM {TABLE} WHERE id = 1")
    expect(connection, f"SELECT count(*), min(name) FROM {TABLE}", [(ROWS - 1, "first")])
    expect(connection, f"SELECT count(*), min(name) FROM {TABLE} AT (VERSION => {version})", [(ROWS, "n0")])
    files = f"SELECT count(*) > 0, bool_and(data_file LIKE 's3://%') FROM ducklake_list_files('lake', '{TABLE}')"
    expect(connection, files, [(True, True)])


def main() -> None:
    with connect() as first:
        attach(first)
        write_and_read(first)
    with connect() as second:
        attach(second)
        expect(second, f"SELECT count(*), min(name) FROM {TABLE}", [(ROWS - 1, "first")])
    print("the lake is well", flush=True)


if __name__ == "__main__":
    main()
