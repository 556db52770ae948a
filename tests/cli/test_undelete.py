"""``rocklake undelete``: snapshots that were expired by mistake are there again, as if nothing had been."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from rocklake_server.cli.exit_codes import ExitCode
from tests.cli.console import rocklake, the_sentence
from tests.cli.test_backup import client, serving
from tests.cli.test_gc import catalog
from tests.cli.test_rollback import picture
from tests.e2e.catalog_diff import differences
from tests.verified import damage_in

pytestmark = pytest.mark.duckdb

STEPS = (
    "CREATE TABLE inlined(i INTEGER)",
    "INSERT INTO inlined VALUES (1), (2)",
    "CREATE TABLE big AS SELECT i FROM range(1000) r(i)",
    "DELETE FROM big WHERE i < 10",
    "DELETE FROM inlined WHERE i = 1",
    "DROP TABLE inlined",
    "DROP TABLE big",
    "CREATE TABLE kept AS SELECT i FROM range(500) r(i)",
)


@pytest.mark.parametrize("by", ["ducklake", "gc"])
def test_an_expiry_is_undone(tmp_path: Path, by: str) -> None:
    store = f"file://{tmp_path}/store"
    place = ("--store", store, "--lake", "lake")
    snapshots = range(2, len(STEPS))
    with serving(store, tmp_path) as server, client(server, tmp_path) as duck:
        duck.run(*STEPS)
        before, shown = catalog(server, tmp_path), [picture(duck, at) for at in snapshots]
        if by == "ducklake":
            duck.run(f"CALL ducklake_expire_snapshots('lake', versions => {list(range(len(STEPS)))})")
    if by == "gc":
        assert rocklake("gc", "apply", *place, "--keep-last", "1").code == 0
    with serving(store, tmp_path):
        listed = json.loads(rocklake("undelete", "list", *place, "--output", "json").stdout)
        (commit,) = {record["commit"] for record in listed if record["relation"] == "ducklake_snapshot"}
        undo = ("--commit", str(commit))
        planned = json.loads(rocklake("undelete", "plan", *place, *undo, "--output", "json").stdout)
        said = the_sentence(rocklake("undelete", "apply", *place, *undo), ExitCode.IN_USE)
        assert said.endswith("--server HOST:PORT")
    assert planned["undone_gc"] == (len(STEPS) if by == "gc" else None)
    one = (*undo, "--relation", "ducklake_data_file")
    assert "would not be whole (missing-tables)" in the_sentence(rocklake("undelete", "apply", *place, *one))
    show = ("undelete", "show", *place, *one, "--output", "json")
    (file,) = json.loads(rocklake(*show).stdout)
    assert (file["relation"], file["row"]["record_count"]) == ("ducklake_data_file", 1000)
    shutil.move(tmp_path / "data/main/big", tmp_path / "aside")
    said = the_sentence(rocklake("undelete", "apply", *place, *undo), ExitCode.REFUSED)
    assert said.startswith('file "') and said.endswith('.parquet" was cleaned up')  # noqa: PT018  one text
    shutil.move(tmp_path / "aside", tmp_path / "data/main/big")
    ended = rocklake("undelete", "apply", *place, *undo, "--output", "json")
    assert ended.code == 0, ended
    assert json.loads(ended.stdout) == planned
    assert "Bringing rows of lake lake back" in ended.stderr
    assert damage_in(store) == []
    (facts,) = json.loads(rocklake("inspect", "lakes", *place[:2], "--output", "json").stdout)
    assert facts["retain_from"] is None
    with serving(store, tmp_path) as server, client(server, tmp_path) as duck:
        assert differences(catalog(server, tmp_path), before) == []
        assert [picture(duck, at) for at in snapshots] == shown
        assert duck.rows("FROM ducklake_cleanup_old_files('lake', dry_run => true, cleanup_all => true)") == []
        duck.run("CREATE TABLE afterwards(i INTEGER)")
    assert damage_in(store) == []
