"""What a DuckDB client's work costs in requests to the object store; the budgets are the store's."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.duckdb_client import LakeClient
from tests.s3_stub import S3Stub
from tests.servers import RockLakeServer
from tests.store.test_request_budget import OWN_TASKS_S, require_within, sent

pytestmark = pytest.mark.duckdb
LEASE = "PUT catalog"
"""Is renewed by the clock, whatever clients do."""


@pytest.fixture
def stub() -> Iterator[S3Stub]:
    with S3Stub() as stub:
        yield stub


@pytest.fixture
def server(stub: S3Stub, tmp_path: Path) -> Iterator[RockLakeServer]:
    server = RockLakeServer("s3://bucket/catalog", logs=tmp_path, environment=stub.variables)
    server.start()
    yield server
    server.stop()


def of_clients(stub: S3Stub) -> Counter[str]:
    found = sent(stub, with_polls=False)
    found.pop(LEASE, None)
    return found


def quiet(stub: S3Stub) -> None:
    time.sleep(OWN_TASKS_S)
    stub.counts.clear()


def test_what_a_client_does_stays_within_its_budgets(server: RockLakeServer, stub: S3Stub, tmp_path: Path) -> None:
    def client() -> LakeClient:
        return LakeClient(server.dsn("lake"), tmp_path / "data")

    quiet(stub)
    with client() as first:
        require_within("attach a new lake", of_clients(stub))
        first.run("CREATE TABLE t(a INTEGER)")
        quiet(stub)
        for number in range(20):
            first.run(f"INSERT INTO t VALUES ({number})")
        require_within("commit of a client", of_clients(stub), times=20)
        with client() as second:
            assert second.value("SELECT count(*) FROM t") == 20
        require_within("attach an open lake, and query it", of_clients(stub))
    server.restart()
    quiet(stub)
    with client() as third:
        assert third.value("SELECT count(*) FROM t") == 20
    require_within("attach a lake after a restart, and query it", of_clients(stub))
