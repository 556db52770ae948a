"""``python -m benchmarks.big_lake``: a lake with one table of many files, filled, opened cold and planned over.

For each size: what the server's memory is after planning, how long it takes from starting the process to the first list
of a table's files, and what lists, plans and statements beside the big table cost. ``--postgres`` runs the same on a
PostgreSQL; ``--keep`` fills a folder once and finds it filled the next time.
"""

from __future__ import annotations

import argparse
import json
import shutil
import socket
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import duckdb
import psycopg
from psycopg import conninfo

from benchmarks.targets import Target, postgres
from tests.servers import RockLakeServer

FILES_PER_COMMIT = 2000
ROUNDS = 5
READY = b"Z\0\0\0\x05I"

Figures = dict[str, float]


@dataclass
class Lake:
    """A target, and how its process is found and started again cold."""

    target: Target
    server: RockLakeServer | None = None

    @property
    def resident_mib(self) -> float:
        if self.server is None:
            return float("nan")
        status = Path(f"/proc/{self.server.pid}/status").read_text()
        return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS")) / 1024

    @property
    def peak_mib(self) -> float:
        if self.server is None:
            return float("nan")
        status = Path(f"/proc/{self.server.pid}/status").read_text()
        return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM")) / 1024


@contextmanager
def rocklake(kept: Path | None) -> Iterator[Lake]:
    folder = kept if kept is not None else Path(tempfile.mkdtemp(prefix="rocklake-big-"))
    folder.mkdir(parents=True, exist_ok=True)
    server = RockLakeServer(f"file://{folder}/store", logs=folder, is_fresh=True)
    server.start()
    try:
        yield Lake(Target("rocklake", server.dsn("bench"), folder / "data"), server)
    finally:
        server.stop()
        if kept is None:
            shutil.rmtree(folder, ignore_errors=True)


def fill(target: Target, files: int, columns: int) -> float:
    """The big table and a small one. Returns the seconds that it took; 0 when they are there."""
    with target.client() as connection:
        known = connection.execute("SELECT count(*) FROM duckdb_tables() WHERE table_name = 'small'").fetchone()
        if known == (1,):
            return 0.0
        connection.execute("CALL lake.set_option('data_inlining_row_limit', 0)")
        named = ["id BIGINT", "v DOUBLE", *(f"c{number} BIGINT" for number in range(2, columns))]
        connection.execute(f"CREATE TABLE big({', '.join(named[:columns])})")
        connection.execute("CREATE TABLE small(id BIGINT, v DOUBLE)")
        connection.execute("INSERT INTO small SELECT range, range * 1.5 FROM range(100)")
    start = time.perf_counter()
    with psycopg.connect(target.dsn, autocommit=True) as connection:
        for first in range(0, files, FILES_PER_COMMIT):
            _register(connection, first, min(first + FILES_PER_COMMIT, files))
    return time.perf_counter() - start


def one(connection: psycopg.Connection[tuple[int, ...]], query: str) -> tuple[int, ...]:
    row = connection.execute(query.encode()).fetchone()
    if row is None:
        raise AssertionError(query)
    return row


def _register(connection: psycopg.Connection[tuple[int, ...]], first: int, end: int) -> None:
    """One snapshot with these files, as DuckLake would commit it."""
    table = one(connection, "SELECT table_id FROM ducklake_table WHERE table_name = 'big'")[0]
    snapshot, version, next_catalog, next_file = one(
        connection,
        "SELECT snapshot_id, schema_version, next_catalog_id, next_file_id FROM ducklake_snapshot WHERE snapshot_id = "
        "(SELECT max(snapshot_id) FROM ducklake_snapshot)")
    columns = [r[0] for r in connection.execute(
        f"SELECT column_id FROM ducklake_column WHERE table_id = {table}".encode()).fetchall()]
    numbers = range(first, end)
    offset = next_file - first
    statements = [
        "BEGIN",
        "INSERT INTO ducklake_data_file VALUES " + ",".join(
            f"({offset + k},{table},{snapshot + 1},NULL,NULL,'ducklake-019e7a33-{k:012x}-8e7f.parquet',true,'parquet',"
            f"1000,{12345 + k % 977},230,{k * 1000},NULL,NULL,NULL,NULL)" for k in numbers),
        *("INSERT INTO ducklake_file_column_stats VALUES " + ",".join(
            f"({offset + k},{table},{c},{4000 + k % 97},1000,0,'{k * 1000}','{k * 1000 + 999}',NULL,NULL)"
            for k in numbers) for c in columns),
        f"DELETE FROM ducklake_table_stats WHERE table_id = {table}",
        f"INSERT INTO ducklake_table_stats VALUES ({table},{end * 1000},{end * 1000},{end * 12345})",
        f"INSERT INTO ducklake_snapshot VALUES ({snapshot + 1},NOW(),{version},{next_catalog},{offset + end})",
        f"INSERT INTO ducklake_snapshot_changes VALUES ({snapshot + 1},'inserted_into_table:{table}',NULL,NULL,NULL)",
        "COMMIT",
    ]
    for statement in statements:
        connection.execute(statement.encode())


class Drain:
    """A client that sends a query and throws its reply away, so that the server's time is what is measured."""

    def __init__(self, dsn: str) -> None:
        parts = conninfo.conninfo_to_dict(dsn)
        self._socket = socket.create_connection((str(parts["host"]), int(str(parts["port"]))))
        settings = f"user\0{parts['user']}\0database\0{parts['dbname']}\0\0".encode()
        self._socket.sendall((len(settings) + 8).to_bytes(4, "big") + (3 << 16).to_bytes(4, "big") + settings)
        self._until_ready()

    def __call__(self, query: str) -> int:
        """The bytes of the reply."""
        body = query.encode() + b"\0"
        self._socket.sendall(b"Q" + (len(body) + 4).to_bytes(4, "big") + body)
        return self._until_ready()

    def _until_ready(self) -> int:
        size, end = 0, b""
        while not end.endswith(READY):
            received = self._socket.recv(1 << 20)
            size += len(received)
            end = (end + received)[-len(READY):]
            if not received:
                raise ConnectionError("the server has closed the connection")
        return size


def cold_start(lake: Lake, table: str) -> float:
    """Seconds from starting the process to the last row of the first list of a table's files. The machine's file
    cache stays warm: what is measured is opening, reading and answering."""
    if lake.server is None:
        return float("nan")
    lake.server.stop()
    start = time.perf_counter()
    lake.server.start()
    drain = Drain(lake.target.dsn)
    drain("SELECT table_id, table_name FROM ducklake_table")
    drain(files_of(table))
    return time.perf_counter() - start


TABLE_IDS = {"big": 1, "small": 2}


def files_of(table: str) -> str:
    """As DuckDB asks for them."""
    return ('COPY (SELECT "data_file_id", "table_id", "begin_snapshot", "end_snapshot", "path", "path_is_relative", '
             '"file_size_bytes", "footer_size", "row_id_start", "partial_max", "mapping_id" FROM '
             f'"public"."ducklake_data_file" WHERE "table_id" = {TABLE_IDS[table]} AND "begin_snapshot" <= 1000000) '
             'TO STDOUT (FORMAT "binary")')


def plan(connection: duckdb.DuckDBPyConnection, condition: str) -> None:
    try:
        connection.execute(f"SELECT sum(v) FROM big WHERE {condition}").fetchall()
    except duckdb.Error as error:
        if ".parquet" not in str(error):  # the files do not exist; the plan that reaches for one is done
            raise


@dataclass
class Clients:
    """Of one lake: one that only sends and receives, one that reads answers, and a DuckDB."""

    lake: Lake
    drain: Drain
    driver: psycopg.Connection[tuple[int, ...]]
    duck: duckdb.DuckDBPyConnection

    @classmethod
    def of(cls, lake: Lake) -> Clients:
        dsn = lake.target.dsn
        return cls(lake, Drain(dsn), psycopg.connect(dsn, autocommit=True), lake.target.client())

    def close(self) -> None:
        self.driver.close()
        self.duck.close()

    def says(self, query: str) -> object:
        return self.driver.execute(query.encode()).fetchall()

    def asks(self, query: str) -> object:
        return self.duck.execute(query).fetchall()


Case = tuple[str, int, Callable[[Clients], object]]
"""Name, rounds, what is timed."""


def statistics_of(count: int) -> Callable[[Clients], object]:
    def run(clients: Clients) -> object:
        last = one(clients.driver, "SELECT next_file_id FROM ducklake_snapshot ORDER BY snapshot_id DESC LIMIT 1")[0]
        return clients.drain(
            "COPY (SELECT data_file_id, min_value, max_value FROM ducklake_file_column_stats WHERE table_id = 1 "
            f"AND column_id = 1 AND data_file_id >= {last - count}) TO STDOUT (FORMAT binary)")

    return run


def cases(files: int) -> tuple[Case, ...]:
    return (
        ("first plan of one column [ms]", 1, lambda c: plan(c.duck, "id = 5")),
        ("list files, DuckDB [ms]", 5, lambda c: c.asks("SELECT count(*) FROM ducklake_list_files('lake', 'big')")),
        ("list files, COPY [ms]", 5, lambda c: c.drain(files_of("big"))),
        ("plan with a filter, DuckDB [ms]", 5, lambda c: plan(c.duck, "id = 5")),
        ("statistics of 10 files, COPY [ms]", 20, statistics_of(10)),
        ("statistics of 1 % of the files, COPY [ms]", 20, statistics_of(files // 100)),
        ("files of the newest snapshot, COPY [ms]", 10, lambda c: c.drain(
            "COPY (SELECT data_file_id, path FROM ducklake_data_file WHERE table_id = 1 "
            f"AND begin_snapshot > {files // FILES_PER_COMMIT + 2}) TO STDOUT (FORMAT binary)")),
        ("count(*) of files, SQL [ms]", 5, lambda c: c.says(
            "SELECT count(*) FROM ducklake_data_file WHERE end_snapshot IS NULL")),
        ("select count(*) of the small table [ms]", 10, lambda c: c.asks("SELECT count(*) FROM small")),
        ("select with a filter of the small table [ms]", 10, lambda c: c.asks("SELECT sum(v) FROM small WHERE id = 5")),
        ("insert 100 rows into the small table [ms]", 10, lambda c: c.asks(
            "INSERT INTO small SELECT range, range * 1.5 FROM range(100)")),
        ("resident after planning [MiB]", 0, lambda c: c.lake.resident_mib),
        ("every statistics row, COPY, first [ms]", 1, lambda c: c.drain(EVERY_STATISTICS)),
        ("every statistics row, COPY [ms]", 1, lambda c: c.drain(EVERY_STATISTICS)),
        ("resident after reading all of it [MiB]", 0, lambda c: c.lake.resident_mib),
        ("most resident memory [MiB]", 0, lambda c: c.lake.peak_mib),
    )


EVERY_STATISTICS = ("COPY (SELECT data_file_id, column_id, value_count, min_value, max_value FROM "
                    "ducklake_file_column_stats) TO STDOUT (FORMAT binary)")


def measure(lakes: list[Lake], files: int, figures: dict[str, Figures]) -> None:
    """Every case on the lakes in turn, so that a noisy machine hits both alike."""
    for lake in lakes:
        found = figures[lake.target.name]
        for table in ("small", "big"):
            found[f"cold start, list of the {table} table [s]"] = cold_start(lake, table)
            found[f"resident with the {table} table's list [MiB]"] = lake.resident_mib
    with ExitStack() as stack:
        clients = [Clients.of(lake) for lake in lakes]
        for each in clients:
            stack.callback(each.close)
        for name, rounds, run in cases(files):
            times: dict[str, list[float]] = {lake.target.name: [] for lake in lakes}
            for number in range(rounds):
                for each in clients if number % 2 == 0 else clients[::-1]:
                    start = time.perf_counter()
                    run(each)
                    times[each.lake.target.name].append((time.perf_counter() - start) * 1e3)
            for each in clients:
                target = each.lake.target.name
                figures[target][name] = statistics.median(times[target]) if rounds else cast("float", run(each))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--files", type=int, nargs="+", default=[20_000, 200_000])
    parser.add_argument("--columns", type=int, default=10, help="columns of the big table, each with statistics")
    parser.add_argument("--postgres", action="store_true", help="the same on a PostgreSQL, and the ratio")
    parser.add_argument("--keep", type=Path, help="fill lakes in this folder, or find them there")
    parser.add_argument("--json", type=Path, help="write the figures there")
    options = parser.parse_args()
    results: dict[str, dict[str, Figures]] = {}
    for files in options.files:
        figures: dict[str, Figures] = {}
        with ExitStack() as stack:
            kept = options.keep / f"{files}x{options.columns}" if options.keep else None
            lakes = [stack.enter_context(rocklake(kept))]
            if options.postgres:
                lakes.append(Lake(stack.enter_context(postgres())))
            for lake in lakes:
                figures[lake.target.name] = {"filled in [s]": fill(lake.target, files, options.columns)}
                if lake.server is None:
                    with psycopg.connect(lake.target.dsn, autocommit=True) as connection:
                        connection.execute("VACUUM ANALYZE")
            measure(lakes, files, figures)
        results[str(files)] = figures
        show(files, options.columns, figures)
    if options.json:
        options.json.write_text(json.dumps(results, indent=1) + "\n")


def show(files: int, columns: int, figures: dict[str, Figures]) -> None:
    print(f"\n{files} files, {files * columns} statistics: {', '.join(figures)}")
    for name in next(iter(figures.values())):
        values = [each[name] for each in figures.values()]
        ratio = f" {values[0] / values[1]:8.3f}" if len(values) == 2 else ""
        print(f"{name:48s}" + "".join(f" {value:12.2f}" for value in values) + ratio, flush=True)


if __name__ == "__main__":
    main()
