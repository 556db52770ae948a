"""COPY TO STDOUT as both client lines read it: every one of many rows arrives, whatever the message they come in."""

from __future__ import annotations

import ast
import subprocess
from pathlib import Path

import psycopg
import pytest

from tests.duckdb_client import connect
from tests.duckdb_environments import duckdb_python
from tests.servers import CatalogServer

ROWS = 50_000
READER_1_4 = Path(__file__).with_name("duckdb_1_4_reader.py")
QUERIES = [
    "SELECT count(*), sum(id), count(name), count(DISTINCT name), max(length(name)), sum(score) FROM {}",
    "SELECT id, name, score FROM {} WHERE id % 9973 = 0 ORDER BY id",
    "SELECT count(*) FROM {} WHERE name IS NULL",
    "SELECT count(*), min(id) FROM {} WHERE id >= 40000",
]


@pytest.fixture
def expected(dsn: str) -> list[list[tuple[object, ...]]]:
    """Fills the relation ``public.many`` of the test's database; the answers of QUERIES on the same rows in DuckDB."""
    with psycopg.connect(dsn) as connection, connection.cursor() as cursor:
        cursor.execute("CREATE TABLE many(id BIGINT, name VARCHAR, score DOUBLE PRECISION)")
        with cursor.copy("COPY many FROM STDIN (FORMAT BINARY)") as copy:
            copy.set_types(["int8", "varchar", "float8"])
            for number in range(ROWS):
                copy.write_row((number, None if number % 7 == 0 else "n" * (number % 50) + str(number), number / 8))
    with connect(extensions=()) as plain:
        plain.execute(
            "CREATE TABLE many AS SELECT range AS id, CASE WHEN range % 7 = 0 THEN NULL ELSE "
            f"repeat('n', range % 50) || range END AS name, range / 8 AS score FROM range({ROWS})"
        )
        return [plain.execute(query.format("many")).fetchall() for query in QUERIES]


@pytest.mark.parametrize("settings", ["", "SET pg_use_text_protocol = true", "SET pg_pages_per_task = 1"])
def test_duckdb_1_5_reads_every_row(settings: str, dsn: str, expected: list[list[tuple[object, ...]]]) -> None:
    with connect(("postgres_scanner",)) as client:
        client.execute(settings or "SELECT 1")
        client.execute(f"ATTACH '{dsn}' AS pg (TYPE postgres)")
        assert [client.execute(query.format("pg.many")).fetchall() for query in QUERIES] == expected


def test_rows_split_over_a_transaction_and_the_store(dsn: str, rocklake_server: CatalogServer) -> None:
    """Cached chunks of committed rows, freshly encoded staged ones, and rows read back after a restart."""
    with psycopg.connect(dsn) as connection, connection.cursor() as cursor:
        cursor.execute("CREATE TABLE many(id BIGINT)")
        for start in (0, ROWS // 2):
            with cursor.copy("COPY many FROM STDIN") as copy:
                copy.write("".join(f"{number}\n" for number in range(start, start + ROWS // 2)))
            if start == 0:
                connection.commit()
        cursor.execute("DELETE FROM many WHERE id IN (1, 40000)")
        with cursor.copy("COPY many TO STDOUT") as copy:
            assert sum(1 for _ in copy.rows()) == ROWS - 2
    rocklake_server.restart()
    with psycopg.connect(dsn) as connection, connection.cursor() as cursor, cursor.copy("COPY many TO STDOUT") as copy:
        ids = [int(row[0]) for row in copy.rows()]
    assert sorted(ids) == [number for number in range(ROWS) if number not in (1, 40000)]


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_duckdb_1_4_reads_every_row(dsn: str, expected: list[list[tuple[object, ...]]]) -> None:
    queries = [query.format("pg.many") for query in QUERIES]
    command = [duckdb_python("1.4"), READER_1_4, dsn, *queries]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert [ast.literal_eval(line) for line in done.stdout.splitlines()] == expected
