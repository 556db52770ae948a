"""``rocklake relocate``: a lake whose data files were moved answers again, in all its snapshots."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.console import rocklake
from tests.cli.test_backup import refused, serving
from tests.duckdb_client import LakeClient

pytestmark = pytest.mark.duckdb


def test_moved_files_are_found_again_in_every_snapshot(tmp_path: Path) -> None:
    store, old, new = f"file://{tmp_path}/store", tmp_path / "old", tmp_path / "new"
    added = old / "main" / "extra.parquet"
    with serving(store, tmp_path) as server, LakeClient(server.dsn("lake"), old) as duck:
        duck.run("CREATE TABLE t AS SELECT i FROM range(1000) r(i)", f"COPY (SELECT 5000::BIGINT AS i) TO '{added}'",
                 f"CALL ducklake_add_data_files('lake', 't', '{added}')", "DELETE FROM t WHERE i < 500")  # fmt: skip
        expected = [duck.rows(f"SELECT count(*), max(i) FROM t AT (VERSION => {at})") for at in (1, 2, 3)]
        newest = duck.snapshot()
    old.rename(new)
    place = ("--store", store, "--lake", "lake", "--data-path", str(new), "--output", "json")
    with serving(store, tmp_path):
        planned = json.loads(rocklake("relocate", "plan", *place).stdout)
        assert "a server holds store" in refused(rocklake("relocate", "apply", *place), code=5)
    assert planned == {
        "lake": "lake", "old_data_path": f"{old}/", "new_data_path": f"{new}/",
        "rows_changed": {"ducklake_metadata": 1, "ducklake_data_file": 1},
    }  # fmt: skip
    ended = rocklake("relocate", "apply", *place)
    assert json.loads(ended.stdout) == planned
    assert "Relocating lake lake" in ended.stderr
    with serving(store, tmp_path) as server, LakeClient(server.dsn("lake"), new) as duck:
        assert [duck.rows(f"SELECT count(*), max(i) FROM t AT (VERSION => {at})") for at in (1, 2, 3)] == expected
        assert duck.snapshot() == newest
    assert rocklake("verify", "--store", store, "--lake", "lake", "--data-files").code == 0


def test_a_path_that_is_empty_is_refused(tmp_path: Path) -> None:
    store = f"file://{tmp_path}/store"
    with serving(store, tmp_path) as server, LakeClient(server.dsn("lake"), tmp_path / "data") as duck:
        duck.run("CREATE TABLE t(i INTEGER)")
    said = refused(rocklake("relocate", "plan", "--store", store, "--lake", "lake", "--data-path", " "))
    assert said == "the new data path is empty"
