"""What the console says of a lake that DuckDB wrote is what DuckDB says of it."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest

from tests.duckdb_client import EXTENSIONS, LakeClient
from tests.server.admin.watched_server import ask, watched
from tests.servers import RockLakeServer

DATABASE = "seen_by_people"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[RockLakeServer, int]]:
    folder = tmp_path_factory.mktemp("watched")
    with watched(folder, f"file://{folder}/store") as started:
        yield started


def page(port: int, snapshots: int) -> dict[str, Any]:
    """The lake's page once it has counted so many snapshots."""
    deadline = time.monotonic() + 30
    while True:
        answer = ask(port, f"/console/data/lake?{urlencode({'database': DATABASE})}")
        found: dict[str, Any] = json.loads(answer.text)
        if answer.status == 200 and found["snapshots"] == snapshots:
            return found
        assert time.monotonic() < deadline, answer.text[:1000]
        time.sleep(0.2)


def test_the_console_and_duckdb_agree(server: tuple[RockLakeServer, int], tmp_path: Path) -> None:
    running, port = server
    lake = LakeClient(running.dsn(DATABASE), tmp_path / "data", "", EXTENSIONS)
    lake.run("CREATE SCHEMA s", *(f"CREATE TABLE {name}(a INTEGER)" for name in ("few", "s.many", "gone")))
    lake.run("INSERT INTO few VALUES (1), (2), (3)", "DELETE FROM few WHERE a = 2")
    lake.write_parquet_only()
    for start in range(3):
        lake.run(f"INSERT INTO s.many SELECT range + {1000 * start} FROM range(1000)")
    lake.run("DELETE FROM s.many WHERE a % 10 = 0", "DELETE FROM s.many WHERE a < 500")
    lake.run("INSERT INTO gone FROM range(10)", "DROP TABLE gone")
    snapshots = lake.rows("SELECT snapshot_id, changes FROM ducklake_snapshots('lake') ORDER BY snapshot_id DESC")
    found = page(port, len(snapshots))
    tables = {f"{table['schema']}.{table['name']}": table for table in found["tables"]}
    assert tables.keys() == {"main.few", "s.many"}
    for name, table in tables.items():
        assert lake.rows(f"SELECT count(*) FROM {name}") == [(table["rows"],)], name
    sizes = lake.rows(
        "SELECT table_name, file_count, file_size_bytes, delete_file_count FROM ducklake_table_info('lake')")
    told = {table["name"]: (table["files"], table["bytes"], table["delete_files"]) for table in found["tables"]}
    assert {name: counts for name, *counts in sizes} == {name: [*counts] for name, counts in told.items()}
    assert (found["small_files"], found["files"]) == (3, 3)
    assert [each["id"] for each in found["timeline"]] == [number for number, _ in snapshots]
    assert found["newest_snapshot"] == snapshots[0][0]
    changes = {change["text"] for each in found["timeline"] for change in each["changes"]}
    assert {"created schema s", "created table s.many", "inserted into s.many", "deleted from s.many",
            "inlined rows into main.few", "dropped table main.gone"} <= changes  # fmt: skip
    lake.close()


def test_the_overview_counts_a_clients_commits(server: tuple[RockLakeServer, int]) -> None:
    _, port = server
    found = json.loads(ask(port, "/console/data/server").text)
    assert found["commits"]["count"] > 10
    assert [lake["name"] for lake in found["lakes"]] == [DATABASE]
    assert found["ready"] is True
