"""Runs under DuckDB 1.4.4 in an environment of its own: prints each query's rows on a database attached as ``pg``.

Usage: duckdb_1_4_reader.py DSN QUERY...
"""

from __future__ import annotations

import sys
from pathlib import Path

import duckdb

sys.path.insert(0, str(Path(__file__).parent))

from duckdb_1_4_script import extension


def main(dsn: str, *queries: str) -> None:
    connection = duckdb.connect(config={"allow_unsigned_extensions": "true", "autoload_known_extensions": "false"})
    connection.execute(f"LOAD '{extension('postgres_scanner')}'")
    connection.execute(f"ATTACH '{dsn}' AS pg (TYPE postgres)")
    for query in queries:
        print(connection.execute(query).fetchall())


if __name__ == "__main__":
    main(*sys.argv[1:])
