"""What is measured: one ``Case`` each, with what it has to reach and what bounds it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import duckdb
import psycopg

from benchmarks.targets import Target

Lake = tuple[Target, duckdb.DuckDBPyConnection]
Step = Callable[[Lake, int], object]
"""Something done to one lake in one round; rounds are counted from 0."""


@dataclass(frozen=True, slots=True)
class Case:
    """``run`` is timed; nothing else is. ``setup`` runs once on each lake, ``before`` before each round.

    Of a case that ``reads``, ``before`` commits something that changes the answer. The answer is what ``check`` returns
    if there is one, or else ``run``; it must be equal on both servers. A write is checked after its last round.
    ``target`` is the most that ours / PostgreSQL may be.
    """

    name: str
    run: Step
    rounds: int
    target: float | None = None
    bound: str = ""
    before: Step | None = None
    check: Step | None = None
    setup: Step | None = None
    reads: bool = False


CLIENT = "DuckDB's own work"
ROUND_TRIPS = "DuckDB's own work, and a wake-up for each of its dozen round trips"
RELOAD = "DuckDB's own work: it loads the schema again, in 40 to 80 round trips"
SYNC = "DuckDB's own work, and one synced write of the journal"

ROW = "(1, 'a', '2026-01-01'::TIMESTAMP, 1.0)"
HUNDRED_ROWS = "SELECT range, 'n' || range, '2026-01-01'::TIMESTAMP, range * 1.5 FROM range(100)"
INSERT_INLINED = f"INSERT INTO t1 VALUES {ROW}"
INSERT_PARQUET = f"INSERT INTO t4 {HUNDRED_ROWS}"
COUNT = "SELECT count(*) FROM t2"
FILES_OF_T2 = 30
FILTERED = "SELECT sum(v) FROM t2 WHERE id = 5"
INLINED = "SELECT sum(v) FROM t1"
SNAPSHOTS = "SELECT count(*) FROM ducklake_snapshots('lake')"


def sql(text: str) -> Step:
    """All rows of a query; ``{round}`` in it is the round's number."""
    return lambda lake, number: lake[1].execute(text.replace("{round}", str(number))).fetchall()


def _change_rows(lake: Lake, number: int) -> None:
    """t2 gets other rows in one of its files, and no more files."""
    lake[1].execute("DELETE FROM t2 WHERE v < 0")
    lake[1].execute(
        f"INSERT INTO t2 SELECT 5, 'm', '2026-01-01'::TIMESTAMP, -1.0 - {number} FROM range({number} + 1)"
    )


def create_table(lake: Lake, name: str) -> None:
    lake[1].execute(f"CREATE TABLE {name}(id BIGINT, name VARCHAR, ts TIMESTAMP, v DOUBLE)")


def prepare(lake: Lake) -> None:
    """Six tables. Rows of t2, t3 and t4 go to Parquet files, of which t2 has some; t1 has one row, inlined."""
    for table in range(1, 7):
        create_table(lake, f"t{table}")
    for table in (2, 3, 4):
        lake[1].execute(f"CALL lake.set_option('data_inlining_row_limit', 0, table_name => 't{table}')")
    for _ in range(FILES_OF_T2):
        lake[1].execute(f"INSERT INTO t2 {HUNDRED_ROWS}")
    lake[1].execute(INSERT_INLINED)


# -- a small lake -----------------------------------------------------------------------------------------------------


def _reattach(lake: Lake, _: int) -> None:
    target, connection = lake
    target.detach(connection)
    target.attach(connection)


def _fresh_client(lake: Lake, _: int) -> object:
    with lake[0].client() as connection:
        return connection.execute(COUNT).fetchall()


def _another_database(lake: Lake, number: int) -> None:
    lake[0].create_database(f"another{number}")


def _attach_another(lake: Lake, number: int) -> None:
    lake[0].database(f"another{number}").attach_as(lake[1], f"another{number}")


def _look_at_another(lake: Lake, number: int) -> object:
    return lake[1].execute(f"SELECT count(*) FROM ducklake_snapshots('another{number}')").fetchall()


def _rename(lake: Lake, number: int) -> None:
    """Another name of one table, which is the sixth again after the last round."""
    old = "t6" if number == 0 else f"renamed{number - 1}"
    new = "t6" if number == ATTACH_ROUNDS - 1 else f"renamed{number}"
    lake[1].execute(f"ALTER TABLE {old} RENAME TO {new}")


def _attach_wide(lake: Lake, number: int) -> None:
    """The last round's tables stay, in the lake itself."""
    if number < WIDE_ROUNDS - 1:
        lake[0].create_database(f"wide{number}").attach_as(lake[1], f"wide{number}")
        lake[1].execute(f"USE wide{number}")
    else:
        lake[1].execute("USE lake")


def _wide_tables(lake: Lake, _: int) -> None:
    connection = lake[1]
    connection.execute("BEGIN")
    for table in range(200):
        columns = ", ".join(f"c{column} INTEGER" for column in range(20))
        connection.execute(f"CREATE TABLE w{table}({columns})")
    connection.execute("COMMIT")


ATTACH_ROUNDS = 15
WIDE_ROUNDS = 3
TABLES = sql("SELECT table_name, column_count FROM duckdb_tables() WHERE database_name = 'lake' ORDER BY ALL")

NEW_LAKES = Case(
    "attach a new lake", _attach_another, 5, 0.45, "about 75 round trips, and DuckDB's own work",
    before=_another_database, check=_look_at_another,
)

SMALL: tuple[Case, ...] = (
    Case("attach an existing lake", _reattach, ATTACH_ROUNDS, 0.45,
         "DuckDB's own work; our reply holds the lake's tables only", before=_rename, check=TABLES, reads=True),
    Case("create table", sql("CREATE TABLE c{round}(id BIGINT, name VARCHAR, v DOUBLE)"), 20, 0.95, RELOAD,
         check=TABLES),
    Case("insert 1 row, inlined", sql(INSERT_INLINED), 60, 1.0, SYNC, check=sql(INLINED)),
    Case("insert 100 rows, Parquet", sql(INSERT_PARQUET), 30, 1.0, f"{SYNC}; a Parquet file is written too",
         check=sql("SELECT count(*), sum(v) FROM t4")),
    Case("select count(*)", sql(COUNT), 40, 0.90, ROUND_TRIPS, before=_change_rows, reads=True),
    Case("select with a filter", sql(FILTERED), 40, 0.90, f"{ROUND_TRIPS}; Parquet files are read",
         before=_change_rows, reads=True),
    Case("select an inlined table", sql(INLINED), 30, 0.90, ROUND_TRIPS, before=sql(INSERT_INLINED), reads=True),
    Case("update 1 row", sql("UPDATE t2 SET v = v + 1 WHERE id = 3"), 8, 0.95, RELOAD,
         check=sql("SELECT count(*), sum(v) FROM t2")),
    Case("snapshots()", sql(SNAPSHOTS), 20, 0.90, ROUND_TRIPS, before=sql(INSERT_INLINED), reads=True),
    Case("new client: attach + first query", _fresh_client, 8, 0.65, "DuckDB's own work; it loads extensions",
         before=_change_rows, reads=True),
    Case("create 200 tables x 20 columns, 1 transaction", _wide_tables, WIDE_ROUNDS, 0.95,
         "DuckDB's own work, and reading and writing 4,200 rows", before=_attach_wide, check=TABLES),
    Case("new client, 200+ tables: attach + first query", _fresh_client, 8, 0.70, "DuckDB builds the whole schema",
         before=_change_rows, reads=True),
)


# -- a table of many files --------------------------------------------------------------------------------------------


FILES = "SELECT count(*), sum(data_file_size_bytes) FROM ducklake_list_files('lake', 't3')"
LIVE_FILES = "SELECT count(*) FROM ducklake_data_file WHERE end_snapshot IS NULL"
ONE_MORE_FILE = "INSERT INTO t3 VALUES (-1, 'more', '2026-01-01'::TIMESTAMP, 0.0)"
SELECT_TARGETS = {20_000: 0.45, 1_000_000: 0.05}
"""Of the small selects, by the number of files that another table has."""


def _count_by_sql(lake: Lake, _: int) -> object:
    with psycopg.connect(lake[0].dsn, autocommit=True) as connection:
        return connection.execute(LIVE_FILES).fetchone()


def with_files(count: int) -> tuple[Case, ...]:
    """Reads of a table of ``count`` registered files, which do not exist, and a few that do; and the small cases beside
    it."""
    selects = SELECT_TARGETS.get(count)
    return (
        Case(f"list {count:,} files", sql(FILES), 7, 0.70, "DuckDB reads every row of the list",
             before=sql(ONE_MORE_FILE), reads=True),
        Case(f"plan a filtered query over {count:,} files", sql("SELECT sum(v) FROM t3 WHERE id = 5"), 7, 0.42,
             "DuckDB compares the statistics of every file",
             setup=sql("INSERT INTO t3 VALUES (5, 'found', '2026-01-01'::TIMESTAMP, 1.0)"),
             before=sql("UPDATE t3 SET v = v + 1 WHERE id = 5"), reads=True),
        Case(f"count(*) of {count:,} files by SQL", _count_by_sql, 7, 0.20, "a new session and one round trip",
             before=sql(ONE_MORE_FILE), reads=True),
        Case(f"select count(*), {count:,} files elsewhere", sql(COUNT), 20, selects, ROUND_TRIPS,
             before=_change_rows, reads=True),
        Case(f"select with a filter, {count:,} files elsewhere", sql(FILTERED), 20, selects,
             f"{ROUND_TRIPS}; Parquet files are read", before=_change_rows, reads=True),
        Case(f"select an inlined table, {count:,} files elsewhere", sql(INLINED), 20, selects, ROUND_TRIPS,
             before=sql(INSERT_INLINED), reads=True),
        Case(f"insert 100 rows, {count:,} files elsewhere", sql(INSERT_PARQUET), 15, 1.0,
             f"{SYNC}; a Parquet file is written too", check=sql("SELECT count(*), sum(v) FROM t4")),
    )
