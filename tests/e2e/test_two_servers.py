"""A second server on a store that another one writes: whatever one of them acknowledged is never lost."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import duckdb
import pytest

from tests.duckdb_client import LakeClient
from tests.s3_stub import S3Stub
from tests.servers import RockLakeServer, ServerError


@pytest.fixture(params=["folder", "bucket that is taken over"])
def servers(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[RockLakeServer, RockLakeServer]]:
    """Two servers, not started, on the same store."""
    (tmp_path / "one").mkdir()
    (tmp_path / "two").mkdir()
    with S3Stub("lakes") as stub:
        store = f"file://{tmp_path}/store" if request.param == "folder" else "s3://lakes/shared"
        variables = {**stub.variables, "ROCKLAKE_LEASE_TIME": "2"}
        pair = [RockLakeServer(store, logs=tmp_path / name, environment=variables) for name in ("one", "two")]
        pair[1].arguments = ["--takeover"] if "taken over" in request.param else []
        yield pair[0], pair[1]
        for server in pair:
            server.kill()


def _insert(server: RockLakeServer, data_path: Path, numbers: range, acknowledged: list[int]) -> None:
    """New clients, one for each number, as many as the server still serves."""
    for number in numbers:
        try:
            with LakeClient(server.dsn("lake"), data_path) as lake:
                lake.run(f"INSERT INTO t VALUES ({number})")
        except duckdb.Error:
            continue
        acknowledged.append(number)


def test_no_acknowledged_commit_is_lost(servers: tuple[RockLakeServer, RockLakeServer], tmp_path: Path) -> None:
    first, second = servers
    data_path, acknowledged = tmp_path / "data", [0]
    first.start()
    with LakeClient(first.dsn("lake"), data_path) as lake:
        lake.run("CREATE TABLE t(id INTEGER)", "INSERT INTO t VALUES (0)")
    with suppress(ServerError):  # refusing to start is the best that the second one can do
        second.start()
        for step in range(1, 20, 4):
            _insert(first, data_path, range(step, step + 2), acknowledged)
            _insert(second, data_path, range(step + 2, step + 4), acknowledged)
    first.kill()
    second.kill()
    first.start()
    with LakeClient(first.dsn("lake"), data_path) as lake:
        found = [number for (number,) in lake.rows("FROM t ORDER BY id")]
    assert [number for number in acknowledged if number not in found] == [], "acknowledged, and lost"
    assert len(found) == len(set(found)), "a commit was applied twice"
