"""A table of many registered files, written into the catalog by a plain PostgreSQL client."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

import psycopg

from benchmarks.cases import Case, Lake, create_table
from benchmarks.filling import Connection, execute, insert_statements, number_of
from benchmarks.targets import Target

FILES_AT_ONCE = 20_000
ROUNDS = 3
ROWS_OF_A_FILE = 1_000

FIGURES = (
    "SELECT count(*), sum(record_count), max(row_id_start) FROM ducklake_data_file WHERE table_id = {0}",
    "SELECT count(*), sum(null_count), max(min_value) FROM ducklake_file_column_stats WHERE table_id = {0}",
)


def register_files() -> Case:
    """``FILES_AT_ONCE`` files with the statistics of four columns, in one transaction. The last round's stay."""
    return Case(
        f"register {FILES_AT_ONCE:,} files with {4 * FILES_AT_ONCE:,} statistics rows", _run, ROUNDS, 0.95,
        "the client writes, and the server reads, 12 MB of text", before=_prepare_round, check=_registered,
    )


def register_more(lake: Lake, count: int) -> None:
    """Until t3 has ``count`` registered files; a transaction each time is of bounded size."""
    with psycopg.connect(lake[0].dsn, autocommit=True) as connection:
        table = _table(connection)
        while (there := _files_of(connection, table)) < count:
            _register(connection, min(FILES_AT_ONCE, count - there))
        lake[0].settle(connection)


def _database(lake: Lake, number: int) -> Target:
    return lake[0] if number == ROUNDS - 1 else lake[0].database(f"files{number}")


def _prepare_round(lake: Lake, number: int) -> None:
    if number == ROUNDS - 1:
        return
    lake[0].create_database(f"files{number}")
    target = _database(lake, number)
    with target.client() as client:
        create_table((target, client), "t3")


def _run(lake: Lake, number: int) -> None:
    with psycopg.connect(_database(lake, number).dsn, autocommit=True) as connection:
        _register(connection, FILES_AT_ONCE)


def _registered(lake: Lake, number: int) -> object:
    with psycopg.connect(_database(lake, number).dsn, autocommit=True) as connection:
        table = _table(connection)
        rows = [connection.execute(query.format(table).encode()).fetchall() for query in FIGURES]
        lake[0].settle(connection)
        return rows


def _table(connection: Connection) -> int:
    return number_of(connection, "SELECT table_id FROM ducklake_table WHERE table_name = 't3'")


def _files_of(connection: Connection, table: int) -> int:
    return number_of(connection, f"SELECT count(*) FROM ducklake_data_file WHERE table_id = {table}")


def _register(connection: Connection, count: int) -> None:
    execute(connection, "BEGIN")
    for statement in _statements(connection, count):
        execute(connection, statement)
    execute(connection, "COMMIT")


def _statements(connection: Connection, count: int) -> Iterator[str]:
    """One DuckLake commit. Ids and values begin at ``ROWS_OF_A_FILE``, so that small ones are in no file."""
    table = _table(connection)
    columns = [number for (number,) in connection.execute(
        f"SELECT column_id FROM ducklake_column WHERE table_id = {table} AND end_snapshot IS NULL".encode())]
    snapshot = number_of(connection, "SELECT max(snapshot_id) FROM ducklake_snapshot") + 1
    newest = f"FROM ducklake_snapshot WHERE snapshot_id = {snapshot - 1}"
    version, catalog_id, file_id = (
        number_of(connection, f"SELECT {column} {newest}")
        for column in ("schema_version", "next_catalog_id", "next_file_id")
    )
    there = _files_of(connection, table)
    numbers = range(there, there + count)
    rows_before, rows_after = there * ROWS_OF_A_FILE, (there + count) * ROWS_OF_A_FILE

    def files() -> Iterator[str]:
        for k in numbers:
            yield (f"({file_id + k - there},{table},{snapshot},NULL,NULL,'f{k}.parquet',true,'parquet',"
                   f"{ROWS_OF_A_FILE},12345,230,{k * ROWS_OF_A_FILE},NULL,NULL,NULL,NULL)")

    def stats() -> Iterator[str]:
        for k in numbers:
            least = (k + 1) * ROWS_OF_A_FILE
            for column in columns:
                yield (f"({file_id + k - there},{table},{column},4000,{ROWS_OF_A_FILE},0,'{least}',"
                       f"'{least + ROWS_OF_A_FILE - 1}',NULL,NULL)")

    bytes_after = (there + count) * 12_345
    yield from chain(insert_statements("ducklake_data_file", files()),
                     insert_statements("ducklake_file_column_stats", stats()))
    yield (f"UPDATE ducklake_table_stats SET record_count = {rows_after}, next_row_id = {rows_after}, "
           f"file_size_bytes = {bytes_after} WHERE table_id = {table}" if rows_before else
           f"INSERT INTO ducklake_table_stats VALUES ({table},{rows_after},{rows_after},{bytes_after})")
    yield f"INSERT INTO ducklake_snapshot VALUES ({snapshot},NOW(),{version},{catalog_id},{file_id + count})"
    yield (f"INSERT INTO ducklake_snapshot_changes VALUES ({snapshot},'inserted_into_table:{table}',NULL,NULL,NULL)")
