"""Expiring a million snapshots through the running server, beside a client that goes on to commit."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
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
COMMIT_INTERVAL_S = 0.05
KEPT = 100


def retention(count: int = 1_000_000) -> Iterator[Figure]:
    """How long it takes, what the server's memory is at most from its start on, and the longest that an insert of the
    client took meanwhile."""
    with rocklake(None) as lake:
        with lake.target.client() as client:
            client.execute("CREATE TABLE t(id BIGINT)")
        fill_snapshots(lake.target, count)
        filled_mib = lake.peak_mib
        with _inserts(lake.target) as took_s, psycopg.connect(lake.target.dsn, autocommit=True) as session:
            before = len(took_s)
            began_s = time.perf_counter()
            execute(session, f"CALL rocklake.gc(keep_last => {KEPT})")
            elapsed_s = time.perf_counter() - began_s
            beside = took_s[before:]
            left = number_of(session, "SELECT count(*) FROM ducklake_snapshot")
        if left > KEPT + len(took_s):
            raise SystemExit(f"{left} snapshots are left, and {KEPT} were to be kept")
        name = f"gc of {count:,} snapshots"
        yield Figure(name, elapsed_s, "s", SECONDS_MAX)
        yield Figure(f"{name}, memory at most", lake.peak_mib, "MiB", PEAK_MIB_MAX,
                     details={"after filling, MiB": filled_mib})
        yield Figure(f"{name}, longest insert of another client", 1000 * max(beside), "ms", COMMIT_MS_MAX,
                     details={"median, ms": 1000 * sorted(beside)[len(beside) // 2], "inserts": len(beside)})


@contextmanager
def _inserts(target: Target) -> Iterator[list[float]]:
    """A client that inserts a row again and again; the seconds that each took."""
    took_s: list[float] = []
    over = threading.Event()

    def insert() -> None:
        with target.client() as client:
            while not over.wait(COMMIT_INTERVAL_S):
                began_s = time.perf_counter()
                client.execute("INSERT INTO t VALUES (1)")
                took_s.append(time.perf_counter() - began_s)

    thread = threading.Thread(target=insert)
    thread.start()
    try:
        while len(took_s) < 10 and thread.is_alive():
            time.sleep(COMMIT_INTERVAL_S)
        yield took_s
        if not thread.is_alive():
            raise SystemExit("the client that inserts has failed")
    finally:
        over.set()
        thread.join()
