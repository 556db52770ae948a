"""``ducklake_snapshots()`` of a lake with many snapshots, beside PostgreSQL: every call follows a commit."""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterator

import duckdb
import psycopg

from benchmarks.alone.figures import Figure
from benchmarks.filling import fill, number_of
from benchmarks.targets import Target, postgres, rocklake

RATIO_MAX = 0.8
QUERY = "SELECT count(*), max(snapshot_id), min(schema_version) FROM ducklake_snapshots('lake')"
EVERYTHING = "SELECT snapshot_id, schema_version, changes, author FROM ducklake_snapshots('lake') ORDER BY ALL"


def snapshots(count: int = 100_000, rounds: int = 9) -> Iterator[Figure]:
    with rocklake() as ours, postgres() as theirs:
        lakes = [(target, _filled(target, count)) for target in (ours, theirs)]
        times: dict[str, list[float]] = {target.name: [] for target, _ in lakes}
        for number in range(rounds):
            answers = []
            for target, client in lakes if number % 2 == 0 else lakes[::-1]:
                client.execute(f"INSERT INTO t VALUES ({number})")
                start = time.perf_counter()
                answers.append(client.execute(QUERY).fetchall())
                times[target.name].append((time.perf_counter() - start) * 1e3)
            _require_equal(answers)
        _require_equal([client.execute(EVERYTHING).fetchall() for _, client in lakes])
        for _, client in lakes:
            client.close()
    medians = {f"{name}, ms": statistics.median(each) for name, each in times.items()}
    mine, other = medians.values()
    yield Figure(f"snapshots() of {count:,} snapshots, ours / PostgreSQL", mine / other, "", RATIO_MAX, details=medians)


def _filled(target: Target, count: int) -> duckdb.DuckDBPyConnection:
    """A client of a lake with ``count`` snapshots more than it needs."""
    client = target.client()
    client.execute("CREATE TABLE t(id BIGINT)")
    with psycopg.connect(target.dsn, autocommit=True) as connection:
        first = number_of(connection, "SELECT max(snapshot_id) FROM ducklake_snapshot") + 1
        table = number_of(connection, "SELECT table_id FROM ducklake_table")
        numbers = range(first, first + count)
        fill(connection, "ducklake_snapshot", (
            f"({n},'2026-01-01 {n // 3600 % 24:02}:{n // 60 % 60:02}:{n % 60:02}+00',1,2,0)" for n in numbers
        ))
        fill(connection, "ducklake_snapshot_changes", (
            f"({n},'inlined_insert:{table}','author {n % 10}',NULL,NULL)" for n in numbers
        ))
        target.settle(connection)
    return client


def _require_equal(answers: list[list[tuple[object, ...]]]) -> None:
    if answers[0] != answers[1]:
        raise SystemExit(f"the servers answer differently: {answers[0][:3]} and {answers[1][:3]}")
