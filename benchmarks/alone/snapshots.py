"""``ducklake_snapshots()`` of a lake with many snapshots, beside PostgreSQL: every call follows a commit."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack

import psycopg

from benchmarks.alone.figures import Figure
from benchmarks.cases import Case, Lake, sql
from benchmarks.filling import fill, number_of
from benchmarks.measuring import floor_of, measure
from benchmarks.targets import Target, postgres, rocklake

RATIO_MAX = 0.8
FIRST_TIME = "2026-01-01 {:02}:{:02}:{:02}+00"


def snapshots(count: int = 100_000, rounds: int = 9) -> Iterator[Figure]:
    case = Case(
        f"snapshots() of {count:,} snapshots", rounds=rounds, reads=True,
        run=sql("SELECT count(*), max(snapshot_id), min(schema_version) FROM ducklake_snapshots('lake')"),
        before=sql("INSERT INTO t VALUES ({round})"),
    )
    everything = sql("SELECT snapshot_id, schema_version, changes, author FROM ducklake_snapshots('lake') ORDER BY ALL")
    with ExitStack() as stack:
        lakes = [_filled(stack.enter_context(server()), count, stack) for server in (rocklake, postgres)]
        result = measure(case, lakes, floor_of(lakes[0][0], stack))
        ours, theirs = (everything(lake, 0) for lake in lakes)
        if ours != theirs:
            raise SystemExit("the servers list different snapshots")
    details = {"ours, ms": result.ours, "PostgreSQL, ms": result.theirs}
    if result.floor_ratio is not None:
        details["the client alone / PostgreSQL"] = result.floor_ratio
    yield Figure(f"{case.name}, ours / PostgreSQL", result.ratio, "", RATIO_MAX, details=details)


def _filled(target: Target, count: int, stack: ExitStack) -> Lake:
    """A lake with ``count`` snapshots more than it needs, and a client of it."""
    client = target.client()
    stack.callback(client.close)
    client.execute("CREATE TABLE t(id BIGINT)")
    fill_snapshots(target, count)
    return target, client


def fill_snapshots(target: Target, count: int) -> None:
    """So many snapshots of a lake with one table."""
    with psycopg.connect(target.dsn, autocommit=True) as connection:
        first = number_of(connection, "SELECT max(snapshot_id) FROM ducklake_snapshot") + 1
        table = number_of(connection, "SELECT table_id FROM ducklake_table")
        numbers = range(first, first + count)
        fill(connection, "ducklake_snapshot", (
            f"({n},'{FIRST_TIME.format(n // 3600 % 24, n // 60 % 60, n % 60)}',1,2,0)" for n in numbers
        ))
        fill(connection, "ducklake_snapshot_changes", (
            f"({n},'inlined_insert:{table}','author {n % 10}',NULL,NULL)" for n in numbers
        ))
        target.settle(connection)
