"""The catalog in a bucket: attach, write, read, restart, and read again. Data files stay on a local folder."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.duckdb_client import LakeClient
from tests.s3_stub import S3Stub
from tests.servers import RockLakeServer


@pytest.fixture
def bucket_server(tmp_path: Path) -> Iterator[tuple[RockLakeServer, S3Stub]]:
    """A server whose store is a prefix of a bucket of the S3 stub."""
    with S3Stub("lakes") as stub:
        variables = {**stub.variables, "ROCKLAKE_LEASE_TIME": "2"}
        server = RockLakeServer("s3://lakes/catalog/one", logs=tmp_path, environment=variables)
        server.start()
        yield server, stub
        server.stop()


def _fill(lake: LakeClient) -> None:
    lake.run("CREATE TABLE t(id INTEGER, name VARCHAR)", "INSERT INTO t VALUES (1, 'a'), (2, 'b')")
    lake.run("INSERT INTO t SELECT range, 'n' FROM range(10, 40)", "UPDATE t SET name = 'B' WHERE id = 2")
    lake.run("DELETE FROM t WHERE id = 1")


def test_a_lake_in_a_bucket_survives_restart_and_kill(
    bucket_server: tuple[RockLakeServer, S3Stub], tmp_path: Path
) -> None:
    server, stub = bucket_server
    dsn, data_path = server.dsn("lake"), tmp_path / "data"
    with LakeClient(dsn, data_path) as lake:
        _fill(lake)
        rows = lake.rows("FROM t ORDER BY id")
    assert stub.count("PUT") > 0
    for stop in (server.stop, server.kill):
        stop()
        server.start()
        with LakeClient(dsn, data_path) as again:
            assert again.rows("FROM t ORDER BY id") == rows
            assert again.rows("FROM t AT (VERSION => 2) ORDER BY id") == [(1, "a"), (2, "b")]
    with LakeClient(dsn, data_path) as again:
        again.run("INSERT INTO t VALUES (99, 'last')")
        assert again.rows("FROM t ORDER BY id") == [*rows, (99, "last")]


def test_every_object_lies_under_the_prefix(bucket_server: tuple[RockLakeServer, S3Stub], tmp_path: Path) -> None:
    server, stub = bucket_server
    with LakeClient(server.dsn("lake"), tmp_path / "data") as lake:
        lake.run("CREATE TABLE t(id INTEGER)")
    written = list(stub.objects["lakes"])
    assert written
    assert all(key.startswith("catalog/one/") for key in written), sorted(written)[:5]
