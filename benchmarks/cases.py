"""What is measured: one function per case, run on each target in turn; ``Case`` says how often."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import duckdb
import psycopg

from benchmarks.targets import Target

Lake = tuple[Target, duckdb.DuckDBPyConnection]


@dataclass(frozen=True)
class Case:
    """``run`` is timed; what it returns must be equal on all targets. ``before`` runs untimed before each round."""

    name: str
    run: Callable[[Lake, int], object]
    rounds: int
    before: Callable[[Lake, int], object] | None = None


ROW = "(1, 'a', '2026-01-01'::TIMESTAMP, 1.0)"
HUNDRED_ROWS = "SELECT range, 'n' || range, '2026-01-01'::TIMESTAMP, range * 1.5 FROM range(100)"


def _sql(text: str) -> Callable[[Lake, int], object]:
    return lambda lake, _: lake[1].execute(text).fetchall()


def _reattach(lake: Lake, _: int) -> None:
    target, connection = lake
    target.detach(connection)
    target.attach(connection)


def _fresh_client(lake: Lake, _: int) -> object:
    with lake[0].client() as connection:
        return connection.execute("SELECT count(*) FROM t2").fetchall()


def _wide_tables(lake: Lake, _: int) -> None:
    connection = lake[1]
    connection.execute("BEGIN")
    for table in range(200):
        columns = ", ".join(f"c{column} INTEGER" for column in range(20))
        connection.execute(f"CREATE TABLE w{table}({columns})")
    connection.execute("COMMIT")


def prepare(lake: Lake) -> None:
    """Six tables; t2 gets its rows as Parquet from the first on."""
    for table in range(1, 7):
        lake[1].execute(f"CREATE TABLE t{table}(id BIGINT, name VARCHAR, ts TIMESTAMP, v DOUBLE)")


def _parquet_only(lake: Lake, _: int) -> None:
    lake[1].execute("CALL lake.set_option('data_inlining_row_limit', 0)")


SMALL: tuple[Case, ...] = (
    Case("attach an existing lake", _reattach, 15),
    Case("create table", lambda lake, i: lake[1].execute(f"CREATE TABLE c{i}(id BIGINT, name VARCHAR, v DOUBLE)"), 20),
    Case("insert 1 row, inlined", _sql(f"INSERT INTO t1 VALUES {ROW}"), 60),
    Case("insert 100 rows, Parquet", _sql(f"INSERT INTO t2 {HUNDRED_ROWS}"), 30, _parquet_only),
    Case("select count(*)", _sql("SELECT count(*) FROM t2"), 40),
    Case("select with a filter", _sql("SELECT sum(v) FROM t2 WHERE id = 5"), 40),
    Case("select an inlined table", _sql("SELECT sum(v) FROM t1"), 30),
    Case("update 1 row", _sql("UPDATE t2 SET v = v + 1 WHERE id = 3"), 8),
    Case("snapshots()", _sql("SELECT count(*) FROM ducklake_snapshots('lake')"), 10),
    Case("new client: attach + first query", _fresh_client, 8),
    Case("create 200 tables x 20 columns, 1 transaction", _wide_tables, 1),
    Case("new client, 200+ tables: attach + first query", _fresh_client, 5),
)


def register_files(count: int) -> Case:
    """A table of many files, written into the catalog by a plain PostgreSQL client in one transaction."""

    def run(lake: Lake, _: int) -> None:
        with psycopg.connect(lake[0].dsn, autocommit=True) as connection:
            _register(connection, count)

    return Case(f"register {count} files with 4 columns", run, 1)


def _register(connection: psycopg.Connection[tuple[int, ...]], count: int) -> None:
    def one(query: str) -> tuple[int, ...]:
        row = connection.execute(query.encode()).fetchone()
        if row is None:
            raise AssertionError(query)
        return row

    table = one("SELECT table_id FROM ducklake_table WHERE table_name = 't3'")[0]
    snapshot = one("SELECT max(snapshot_id) FROM ducklake_snapshot")[0]
    version, next_catalog, next_file = one(
        "SELECT schema_version, next_catalog_id, next_file_id FROM ducklake_snapshot "
        f"WHERE snapshot_id = {snapshot}"
    )
    columns = [r[0] for r in connection.execute(
        f"SELECT column_id FROM ducklake_column WHERE table_id = {table}".encode()).fetchall()]
    statements = ["BEGIN"]
    for start in range(0, count, 1000):
        ids = range(start, min(start + 1000, count))
        statements.append("INSERT INTO ducklake_data_file VALUES " + ",".join(
            f"({next_file + k},{table},{snapshot + 1},NULL,NULL,'f{k}.parquet',true,'parquet',1000,12345,230,"
            f"{k * 1000},NULL,NULL,NULL,NULL)" for k in ids))
        statements.append("INSERT INTO ducklake_file_column_stats VALUES " + ",".join(
            f"({next_file + k},{table},{c},4000,1000,0,'{k * 1000}','{k * 1000 + 999}',NULL,NULL)"
            for k in ids for c in columns))
    statements += [
        f"INSERT INTO ducklake_table_stats VALUES ({table},{count * 1000},{count * 1000},{count * 12345})",
        f"INSERT INTO ducklake_snapshot VALUES ({snapshot + 1},NOW(),{version},{next_catalog},{next_file + count})",
        f"INSERT INTO ducklake_snapshot_changes VALUES ({snapshot + 1},'inserted_into_table:{table}',NULL,NULL,NULL)",
        "COMMIT",
    ]
    for statement in statements:
        connection.execute(statement.encode())


def with_files(count: int) -> tuple[Case, ...]:
    """Reads of that table, and the small cases beside it."""

    def plan(lake: Lake, _: int) -> None:
        try:
            lake[1].execute("SELECT sum(v) FROM t3 WHERE id = 5").fetchall()
        except duckdb.Error as error:
            if "f0.parquet" not in str(error):  # the files do not exist; the plan that reaches for one is done
                raise

    def count_by_sql(lake: Lake, _: int) -> object:
        with psycopg.connect(lake[0].dsn, autocommit=True) as connection:
            return connection.execute("SELECT count(*) FROM ducklake_data_file WHERE end_snapshot IS NULL").fetchone()

    return (
        Case(f"list {count} files", _sql("SELECT count(*) FROM ducklake_list_files('lake', 't3')"), 7),
        Case(f"plan a filtered query over {count} files", plan, 7),
        Case(f"count(*) of {count} files by SQL", count_by_sql, 7),
        Case(f"select count(*), {count} files elsewhere", _sql("SELECT count(*) FROM t2"), 20),
        Case(f"select with a filter, {count} files elsewhere", _sql("SELECT sum(v) FROM t2 WHERE id = 5"), 20),
        Case(f"insert 100 rows, {count} files elsewhere", _sql(f"INSERT INTO t2 {HUNDRED_ROWS}"), 15),
    )
