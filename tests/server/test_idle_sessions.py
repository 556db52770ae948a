"""Thousands of idle sessions: what each costs, and that they slow nobody."""

from __future__ import annotations

import resource
import statistics
import time
from collections.abc import Iterator
from contextlib import ExitStack

import psycopg
import pytest

from rocklake_server.server.file_limit import OTHER_FILES
from tests.server.conftest import running
from tests.server.raw_client import RawClient
from tests.server.test_rough_clients import resident_bytes
from tests.servers import RockLakeServer

SESSIONS = 5000
BYTES_MAX = 256 * 1024 * 1024
SLOWER_MAX = 2.0
"""How much longer a query may take while they are there; the machine itself varies by much of it."""
QUIET_TRIES = 5


@pytest.fixture
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RockLakeServer]:
    yield from running(tmp_path_factory.mktemp("idle"), "memory:///idle", ROCKLAKE_MAX_CONNECTIONS=str(SESSIONS + 10))


@pytest.fixture
def _open_files() -> Iterator[None]:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = 2 * SESSIONS + OTHER_FILES
    if hard != resource.RLIM_INFINITY and hard < wanted:
        pytest.skip(f"this process may open {hard} files, {wanted} are needed")
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, wanted), hard))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def _query_s(connection: psycopg.Connection[tuple[object, ...]]) -> float:
    """The usual time of one query, in the quietest of a few spells."""
    spells = []
    for _ in range(5):
        times = []
        for _ in range(100):
            began = time.perf_counter()
            connection.execute("SELECT count(*) FROM t WHERE a > 0")
            times.append(time.perf_counter() - began)
        spells.append(statistics.median(times))
    return min(spells)


@pytest.mark.slow
@pytest.mark.usefixtures("_open_files")
def test_five_thousand_idle_sessions_fit_into_256_mebibytes(server: RockLakeServer) -> None:
    with psycopg.connect(server.dsn("lake"), autocommit=True) as connection, ExitStack() as clients:
        connection.execute("CREATE TABLE t (a bigint PRIMARY KEY)")
        connection.execute("INSERT INTO t VALUES (1), (2)")
        alone_s = _query_s(connection)
        before = resident_bytes(server.pid)
        opened = [clients.enter_context(RawClient(server.port).login()) for _ in range(SESSIONS)]
        grown = resident_bytes(server.pid) - before
        print(f"{SESSIONS} idle sessions: {grown / 2**20:.1f} MiB, {grown / SESSIONS / 1024:.1f} KiB each")
        assert grown < BYTES_MAX
        beside_s = _query_s(connection)
        for _ in range(QUIET_TRIES):
            if beside_s >= alone_s * SLOWER_MAX:  # another process may have had the cores for all of it
                beside_s = _query_s(connection)
        assert beside_s < alone_s * SLOWER_MAX
        assert len(opened) == SESSIONS
