"""A lake of many tables with a long history of columns: whether its readers feel that somebody commits each second."""

from __future__ import annotations

import statistics
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import psycopg

from benchmarks.alone.figures import Figure
from benchmarks.filling import Connection, execute, fill, number_of
from benchmarks.targets import Target, rocklake

RATIO_MAX = 1.3
COMMIT_INTERVAL_S = 1.0
QUERY = "SELECT count(*) FROM information_schema.tables"
LIVE_COLUMNS = 20
STRETCHES = 3
"""Idle ones, and as many beside the writer."""
COMMITS_OF_A_STRETCH = 3
FIRST_TABLE = 1_000
"""Ids below are the tables that the client itself creates."""

Ask = Callable[[], object]


def many_columns(tables: int = 3_000, versions: int = 500_000, rounds: int = 12) -> Iterator[Figure]:
    """``information_schema.tables`` as one session of psql asks for it, as a DuckDB that stays attached does, and as
    one that has just come and has to load the whole schema; the writer adds a version to a column each second."""
    with rocklake() as target:
        _fill(target, tables, versions)
        with psycopg.connect(target.dsn, autocommit=True) as session, target.client() as client:
            cases: list[tuple[str, Ask, int]] = [
                ("a session", lambda: session.execute(QUERY).fetchall(), 20 * rounds),
                ("a DuckDB, data commits", lambda: client.execute(QUERY).fetchall(), 20 * rounds),
                ("a new DuckDB", lambda: _new_client(target), STRETCHES),
            ]
            for name, ask, times in cases:
                change = _insert_row if "data" in name else _alter_column
                yield _compare(name, target, ask, times, change)


def _compare(name: str, target: Target, ask: Ask, times: int, change: Callable[[Connection], None]) -> Figure:
    """Idle and busy stretches in turn, so that both see the same machine."""
    ask()
    idle: list[float] = []
    busy: list[float] = []
    for _ in range(STRETCHES):
        idle += _timed(ask, times // STRETCHES)
        with _writer(target, change):
            busy += _timed(ask, times // STRETCHES)
    figures = {"idle, ms": statistics.median(idle), "beside the writer, ms": statistics.median(busy)}
    return Figure(f"information_schema.tables of {name}, beside a writer / idle",
                  figures["beside the writer, ms"] / figures["idle, ms"], "", RATIO_MAX, details=figures)


def _timed(ask: Ask, times: int) -> list[float]:
    """Spread over some seconds, in which the writer commits a few times."""
    found = []
    for _ in range(times):
        start = time.perf_counter()
        ask()
        found.append((time.perf_counter() - start) * 1e3)
        time.sleep(max(0.0, COMMITS_OF_A_STRETCH * COMMIT_INTERVAL_S / times - found[-1] / 1e3))
    return found


def _new_client(target: Target) -> list[tuple[object, ...]]:
    with target.client() as client:
        return client.execute(QUERY).fetchall()


@contextmanager
def _writer(target: Target, change: Callable[[Connection], None]) -> Iterator[None]:
    stop = threading.Event()
    commits = 0

    def work() -> None:
        nonlocal commits
        with psycopg.connect(target.dsn, autocommit=True) as connection:
            while not stop.is_set():
                change(connection)
                commits += 1
                stop.wait(COMMIT_INTERVAL_S)

    thread = threading.Thread(target=work)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()
    if not commits:
        raise AssertionError("the writer never committed")


def _next_snapshot(connection: Connection, *, schema_changes: bool, changes: str, statement: str) -> None:
    """One DuckLake commit of ``statement``, in which {} is the snapshot's number."""
    snapshot = number_of(connection, "SELECT max(snapshot_id) FROM ducklake_snapshot") + 1
    version = number_of(connection, f"SELECT schema_version FROM ducklake_snapshot WHERE snapshot_id = {snapshot - 1}")
    execute(connection, ";".join((
        "BEGIN",
        f"INSERT INTO ducklake_snapshot VALUES ({snapshot}, NOW(), {version + schema_changes}, 10000, 0)",
        statement.format(snapshot),
        f"INSERT INTO ducklake_snapshot_changes VALUES ({snapshot}, '{changes}', NULL, NULL, NULL)",
        "COMMIT",
    )))


def _alter_column(connection: Connection) -> None:
    where = f"table_id = {FIRST_TABLE} AND column_id = 1 AND end_snapshot IS NULL"
    _next_snapshot(
        connection, schema_changes=True, changes=f"altered_table:{FIRST_TABLE}",
        statement=f"UPDATE ducklake_column SET end_snapshot = {{0}} WHERE {where};"
                  f"INSERT INTO ducklake_column VALUES {_column(FIRST_TABLE, 1, '{0}', 'NULL')}",
    )


def _insert_row(connection: Connection) -> None:
    _next_snapshot(
        connection, schema_changes=False, changes=f"inserted_into_table:{FIRST_TABLE}",
        statement=f"UPDATE ducklake_table_stats SET record_count = {{0}} WHERE table_id = {FIRST_TABLE}",
    )


def _column(table: int, column: int, begin: object, end: object) -> str:
    return (f"({column},{begin},{end},{table},{column},'column{column}','int32',NULL,'NULL',true,NULL,'literal',"
            "'duckdb')")


def _fill(target: Target, tables: int, versions: int) -> None:
    """Version ``v`` of a column lives from snapshot v + 1 to v + 2, the last one on."""
    with target.client() as client:
        client.execute("CREATE TABLE t(id BIGINT)")
    columns = tables * LIVE_COLUMNS
    ids = range(FIRST_TABLE, FIRST_TABLE + tables)

    def column_rows() -> Iterator[str]:
        for number in range(versions):
            version, place = divmod(number, columns)
            end = version + 3 if number + columns < versions else "NULL"
            yield _column(FIRST_TABLE + place // LIVE_COLUMNS, place % LIVE_COLUMNS + 1, version + 2, end)

    with psycopg.connect(target.dsn, autocommit=True) as connection:
        fill(connection, "ducklake_table", (
            f"({table},'{table:032x}',2,NULL,0,'table{table}','table{table}/',true)" for table in ids
        ))
        fill(connection, "ducklake_column", column_rows())
        fill(connection, "ducklake_table_stats", (f"({table},0,0,0)" for table in ids))
        last = versions // columns + 3
        fill(connection, "ducklake_snapshot", (f"({n},NOW(),{n},10000,0)" for n in range(2, last + 1)))
        fill(connection, "ducklake_snapshot_changes", (
            f"({n},'altered_table:{FIRST_TABLE}',NULL,NULL,NULL)" for n in range(2, last + 1)
        ))
        target.settle(connection)
