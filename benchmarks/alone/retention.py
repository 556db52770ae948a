"""Expiring a million snapshots through the running server, beside clients that go on to commit."""

from __future__ import annotations

import statistics
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import psycopg

from benchmarks.alone.figures import Figure
from benchmarks.alone.snapshots import fill_snapshots
from benchmarks.big_lake import rocklake
from benchmarks.filling import execute, number_of
from benchmarks.targets import Target

SECONDS_MAX = 60.0
PEAK_MIB_MAX = 1_536.0
COMMIT_MS_MAX = 1_000.0
INTERVAL_S = 0.05
KEPT = 100


def retention(count: int = 1_000_000) -> Iterator[Figure]:
    """How long it takes, what the server's memory is at most from its start on, and the longest that a COMMIT of
    another session and an insert of a DuckDB, which runs its commit again when it lost, took meanwhile."""
    with rocklake(None) as lake:
        with lake.target.client() as client:
            client.execute("CREATE TABLE t(id BIGINT)")
        fill_snapshots(lake.target, count)
        filled_mib = lake.peak_mib
        dsn = lake.target.dsn
        with (_again_and_again(lake.target, _inserts) as took_s, _again_and_again(lake.target, _commits) as waited_s,
              psycopg.connect(dsn, autocommit=True) as session):
            before, earlier = len(took_s), len(waited_s)
            began_s = time.perf_counter()
            execute(session, f"CALL rocklake.gc(keep_last => {KEPT})")
            elapsed_s = time.perf_counter() - began_s
            beside, waits = took_s[before:], waited_s[earlier:]
            left = number_of(session, "SELECT count(*) FROM ducklake_snapshot")
        if left > KEPT + len(took_s):
            raise SystemExit(f"{left} snapshots are left, and {KEPT} were to be kept")
        name = f"gc of {count:,} snapshots"
        yield Figure(name, elapsed_s, "s", SECONDS_MAX)
        yield Figure(f"{name}, memory at most", lake.peak_mib, "MiB", PEAK_MIB_MAX,
                     details={"after filling, MiB": filled_mib})
        yield Figure(f"{name}, longest commit of another session", 1000 * max(waits), "ms", COMMIT_MS_MAX, details={
            "median, ms": 1000 * statistics.median(waits), "commits": len(waits),
            "longest insert of a DuckDB, ms": 1000 * max(beside), "its median, ms": 1000 * statistics.median(beside),
        })  # fmt: skip


def _inserts(target: Target) -> Iterator[float]:
    """A DuckDB's, in seconds."""
    with target.client() as client:
        while True:
            began_s = time.perf_counter()
            client.execute("INSERT INTO t VALUES (1)")
            yield time.perf_counter() - began_s


def _commits(target: Target) -> Iterator[float]:
    """The COMMITs of a session that writes rows of its own, in seconds."""
    with psycopg.connect(target.dsn, autocommit=True) as session:
        execute(session, "CREATE TABLE own(id BIGINT)")
        while True:
            execute(session, "BEGIN")
            execute(session, "INSERT INTO own VALUES (1)")
            began_s = time.perf_counter()
            execute(session, "COMMIT")
            yield time.perf_counter() - began_s


@contextmanager
def _again_and_again(target: Target, work: Callable[[Target], Iterator[float]]) -> Iterator[list[float]]:
    """Work on a thread of its own, with pauses; how long each piece took."""
    took_s: list[float] = []
    over = threading.Event()

    def run() -> None:
        for each_s in work(target):
            took_s.append(each_s)
            if over.wait(INTERVAL_S):
                return

    thread = threading.Thread(target=run)
    thread.start()
    try:
        while len(took_s) < 10 and thread.is_alive():
            time.sleep(INTERVAL_S)
        yield took_s
        if not thread.is_alive():
            raise SystemExit("a client that writes has failed")
    finally:
        over.set()
        thread.join()
