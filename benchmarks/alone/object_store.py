"""Commits on a bucket whose PUT takes a while: one client end to end, and many transactions of the engine at once.

The bucket is the tests' S3 stub, in a process of its own.
"""

from __future__ import annotations

import asyncio
import itertools
import statistics
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from subprocess import PIPE, Popen

import psycopg
import uvloop

from benchmarks.alone.figures import Figure
from rocklake_server.catalog.database_transaction import DatabaseTransaction, Modes
from rocklake_server.catalog.databases import Databases
from rocklake_server.catalog.temporary import TemporaryTables
from rocklake_server.catalog.view import Bounds, ColumnDefinition, Match
from rocklake_server.clock import SystemClock
from rocklake_server.schema.registry import TABLES
from rocklake_server.schema.types import Value
from rocklake_server.store.base import Store
from rocklake_server.store.object_stores import parse_store_url
from rocklake_server.store.slate import open_slate_store
from tests.s3_stub import S3Stub
from tests.servers import RockLakeServer

PUT_S = 0.02
ONE_CLIENT_MS_MAX = 25.0
COMMITS_PER_S_MIN = 1_000.0
BUCKET_URL = "s3://bucket/lake"


@contextmanager
def slow_bucket() -> Iterator[dict[str, str]]:
    """An S3 whose PUT takes ``PUT_S``; the AWS variables that lead to it."""
    with Popen([sys.executable, "-m", __spec__.name], stdin=PIPE, stdout=PIPE, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            yield dict(line.split("=", 1) for line in process.stdout.readline().split())
        finally:
            process.stdin.close()


def one_client(rounds: int = 200) -> Iterator[Figure]:
    """What one client waits for a commit of one row, from sending the statement to its answer."""
    with slow_bucket() as variables, tempfile.TemporaryDirectory() as logs:
        server = RockLakeServer(BUCKET_URL, logs=Path(logs), environment=variables, is_fresh=True)
        server.start()
        try:
            with psycopg.connect(server.dsn("lake"), autocommit=True) as connection:
                connection.execute("CREATE TABLE t(a bigint PRIMARY KEY)")
                times = []
                for number in range(rounds):
                    statement = f"INSERT INTO t VALUES ({number})".encode()
                    start = time.perf_counter()
                    connection.execute(statement)
                    times.append((time.perf_counter() - start) * 1e3)
        finally:
            server.stop()
    times.sort()
    details = {"95 of 100 within, ms": times[len(times) * 95 // 100], "least, ms": times[0]}
    yield Figure(f"commit of one client, PUT of {PUT_S * 1e3:g} ms", statistics.median(times), "ms",
                 ONE_CLIENT_MS_MAX, details=details)


def many_committers(clients: int = 64, commits_each: int = 100) -> Iterator[Figure]:
    """Commits a second of transactions that share flushes: each registers a file with its statistics and counts it in
    its table's, as a DuckLake commit does, by the engine's own calls."""
    with slow_bucket() as variables:
        seconds, groups = uvloop.run(_commit_at_once(variables, clients, commits_each))
    rate = clients * commits_each / seconds
    yield Figure(f"{clients} committers at the engine, PUT of {PUT_S * 1e3:g} ms", rate, "commits/s",
                 COMMITS_PER_S_MIN, at_least=True, details={"commits in a flush": clients * commits_each / groups})


async def _commit_at_once(variables: Mapping[str, str], clients: int, commits_each: int) -> tuple[float, int]:
    """(seconds, flushes)"""
    async with _engine(variables) as databases:
        tables = TemporaryTables(databases.clock)

        async def begin() -> DatabaseTransaction:
            transaction = DatabaseTransaction(databases, "lake", Modes(block=True), tables)
            await transaction.begin_statement()
            return transaction

        await _create_catalog(await begin(), clients)

        files = itertools.count()

        async def work(client: int) -> None:
            for _ in range(commits_each):
                await _commit_file(await begin(), client, next(files))

        (lake,) = (await databases.lakes_of("lake")).values()
        sequence = lake.lake.newest.sequence
        start = time.perf_counter()
        await asyncio.gather(*(work(client) for client in range(clients)))
        return time.perf_counter() - start, lake.lake.newest.sequence - sequence


@asynccontextmanager
async def _engine(variables: Mapping[str, str]) -> AsyncIterator[Databases]:
    location = parse_store_url(BUCKET_URL, variables)

    async def open_store(directory: str) -> Store:
        return await open_slate_store(location.child(directory))

    databases = await Databases.open(open_store, SystemClock())
    try:
        yield databases
    finally:
        await databases.close()


async def _create_catalog(transaction: DatabaseTransaction, tables: int) -> None:
    for table in TABLES:
        columns = [ColumnDefinition(c.name, c.type, c.nullable) for c in table.columns if c.until is None]
        await transaction.create_relation(None, table.name, columns, table.primary_key)
    await _insert(transaction, "ducklake_table_stats", *(
        {"table_id": table, "record_count": 0, "next_row_id": 0, "file_size_bytes": 0} for table in range(tables)
    ))
    await transaction.commit()


async def _commit_file(transaction: DatabaseTransaction, table: int, file: int) -> None:
    await _insert(transaction, "ducklake_data_file", {
        "data_file_id": file, "table_id": table, "begin_snapshot": file, "path": f"ducklake-{file:032x}.parquet",
        "path_is_relative": True, "file_format": "parquet", "record_count": 100, "file_size_bytes": 12_345,
    })
    stats: list[dict[str, Value]] = [
        {"data_file_id": file, "table_id": table, "column_id": column, "column_size_bytes": 400, "value_count": 100,
         "null_count": 0, "min_value": str(file), "max_value": str(file + 100)} for column in range(3)
    ]
    await _insert(transaction, "ducklake_file_column_stats", *stats)
    relation = transaction.resolve(None, "ducklake_table_stats")
    wanted = Bounds(values={relation.index["table_id"]: frozenset((table,))})
    (match,) = [
        Match(key, row)
        for chunk in await transaction.chunks(relation, wanted)
        for key, row in zip(chunk.keys, chunk.rows, strict=True)
        if row[relation.index["table_id"]] == table
    ]
    await transaction.update(relation, [(match, [table, file * 100, file * 100, file * 12_345])])
    await transaction.commit()


async def _insert(transaction: DatabaseTransaction, name: str, *rows: Mapping[str, Value]) -> None:
    relation = transaction.resolve(None, name)
    await transaction.insert(relation, [[row.get(column.name) for column in relation.columns] for row in rows])


def _serve_bucket() -> None:
    """Until standard input ends."""
    with S3Stub("bucket") as stub:
        stub.delays_s["PUT"] = PUT_S
        print(*(f"{name}={value}" for name, value in stub.variables.items()), flush=True)
        sys.stdin.read()


if __name__ == "__main__":
    _serve_bucket()
