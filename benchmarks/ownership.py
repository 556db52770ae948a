"""``python -m benchmarks.ownership``: what owning a bucket costs, and how long a crash and an outage are felt.

The bucket is the tests' S3 stub on this machine; times of a takeover contain the start of the second process, which is
shown beside them.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg

from tests.s3_stub import Action, Fault, S3Stub
from tests.servers import RockLakeServer

VERBS = ("GET", "HEAD", "LIST", "PUT", "DELETE")
WATCH_S = 20.0


@contextmanager
def bucket(lease_s: float) -> Iterator[tuple[S3Stub, RockLakeServer, RockLakeServer]]:
    """Two servers on one bucket; the first runs and has a table."""
    with S3Stub("lakes") as stub, tempfile.TemporaryDirectory() as folder:
        variables = {**stub.variables, "ROCKLAKE_LEASE_TIME": str(lease_s)}
        servers = []
        for name in ("first", "second"):
            logs = Path(folder, name)
            logs.mkdir()
            servers.append(RockLakeServer("s3://lakes/one", logs=logs, environment=variables, is_fresh=True))
        servers[0].start()
        try:
            answered(servers[0], "CREATE TABLE t(a bigint PRIMARY KEY)")
            yield stub, servers[0], servers[1]
        finally:
            for server in servers:
                server.kill()


def answered(server: RockLakeServer, statement: str) -> float:
    """Seconds until a new session gets an answer."""
    began = time.perf_counter()
    while True:
        try:
            with psycopg.connect(server.dsn("lake"), autocommit=True) as connection:
                connection.execute(statement)
        except psycopg.Error:
            time.sleep(0.02)
        else:
            return time.perf_counter() - began


def show(what: str, figure: float, unit: str) -> None:
    print(f"{what:64s} {figure:8.2f} {unit}", flush=True)


def takeover(lease_s: float) -> None:
    with bucket(lease_s) as (_, first, second):
        began = time.perf_counter()
        first.restart()
        show(f"lease {lease_s:g} s: clean restart, with the start of Python", time.perf_counter() - began, "s")
        first.kill()
        began = time.perf_counter()
        second.start()
        answered(second, "SELECT a FROM t")
        show(f"lease {lease_s:g} s: from kill -9 to the second server's first answer", time.perf_counter() - began, "s")
        first.arguments = ["--takeover"]
        began = time.perf_counter()
        first.start()
        answered(first, "SELECT a FROM t")
        show(f"lease {lease_s:g} s: --takeover from a live server", time.perf_counter() - began, "s")


def requests(lease_s: float) -> None:
    with bucket(lease_s) as (stub, _, _):
        before, all_before = stub.count("PUT", "one"), sum(stub.counts.values())
        time.sleep(WATCH_S)
        per_minute = 60 / WATCH_S
        show(f"lease {lease_s:g} s: requests of the lease", (stub.count("PUT", "one") - before) * per_minute, "/minute")
        show("    all requests of an idle server with one open lake",
             (sum(stub.counts.values()) - all_before) * per_minute, "/minute")


def outage(lease_s: float, outage_s: float) -> None:
    with bucket(lease_s) as (stub, first, _):
        stub.faults += [Fault(verb, Action.REFUSE, times=None) for verb in VERBS]
        time.sleep(outage_s)
        stub.faults.clear()
        read_s = answered(first, "SELECT a FROM t")
        show(f"lease {lease_s:g} s, outage of {outage_s:g} s: until the next read", read_s, "s")
        show("    until the next commit after that", answered(first, "INSERT INTO t VALUES (1)"), "s")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lease", type=float, nargs="*", default=[2.0, 10.0], help="lease times in seconds")
    parser.add_argument("--outage", type=float, nargs="*", default=[5.0, 30.0], help="lengths of outages in seconds")
    arguments = parser.parse_args()
    for lease_s in arguments.lease:
        takeover(lease_s)
        requests(lease_s)
        for outage_s in arguments.outage:
            outage(lease_s, outage_s)


if __name__ == "__main__":
    main()
