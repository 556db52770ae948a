"""``rocklake gc`` and ``pin``: DuckLake finds the lake as ``ducklake_expire_snapshots`` would have left it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from rocklake_server.cli.exit_codes import ExitCode
from tests.cli.console import rocklake, the_sentence
from tests.cli.test_backup import done, serving
from tests.cli.test_rollback import STEPS, picture
from tests.duckdb_client import LakeClient
from tests.e2e.catalog_diff import Catalog, CatalogReader, differences
from tests.s3_stub import S3Stub
from tests.servers import RockLakeServer
from tests.verified import damage_in

pytestmark = pytest.mark.duckdb

MORE_STEPS = (
    "CREATE TABLE inlined(i INTEGER)",
    "INSERT INTO inlined VALUES (1), (2)",
    "CALL ducklake_flush_inlined_data('lake')",
    "DELETE FROM inlined WHERE i = 1",
    "COMMENT ON COLUMN inlined.i IS 'number'",
    "DROP TABLE inlined",
    "CREATE TABLE added(i BIGINT, s VARCHAR)",
    "CALL ducklake_add_data_files('lake', 'added', '{added}')",
    "DROP TABLE added",
    "DELETE FROM g WHERE i < 100",
    "DELETE FROM g WHERE i < 120",
    "CALL ducklake_rewrite_data_files('lake', 'g', delete_threshold => 0.1)",
    "INSERT INTO g VALUES (5000, 7)",
)


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a store whose lake has had some of everything."""
    folder = tmp_path_factory.mktemp("original")
    added = folder / "elsewhere.parquet"
    with serving(f"file://{folder}/store", folder) as server, client(server, folder) as duck:
        duck.run(f"COPY (SELECT 1::BIGINT AS i, 'one' AS s) TO '{added}'", *STEPS)
        duck.run(*(step.format(added=added) for step in MORE_STEPS))
    return folder


def client(server: RockLakeServer, folder: Path) -> LakeClient:
    return LakeClient(server.dsn("lake"), folder / "data")


def copy_of(original: Path, folder: Path) -> str:
    store = f"file://{folder}/store"
    done(rocklake("backup", "--store", f"file://{original}/store", "--to", store, "--output", "json"))
    return store


def catalog(server: RockLakeServer, folder: Path) -> Catalog:
    reader = CatalogReader(server.dsn("lake"), f"{folder}/data")
    try:
        return reader.read()
    finally:
        reader.close()


def expired_by_ducklake(original: Path, folder: Path, target: int) -> tuple[Catalog, list[object]]:
    """The catalog after DuckLake expired everything below ``target``, what it shows then, and after more work."""
    folder.mkdir()
    with serving(copy_of(original, folder), folder) as server:
        with client(server, original) as duck:
            duck.run(f"CALL ducklake_expire_snapshots('lake', versions => {list(range(target))})")
        with client(server, original) as duck:
            return catalog(server, original), [*shown(duck), worked_on(duck)]


def shown(duck: LakeClient) -> list[object]:
    snapshots = [number for (number,) in duck.rows("SELECT snapshot_id FROM ducklake_snapshots('lake') ORDER BY ALL")]
    files = duck.rows("FROM ducklake_cleanup_old_files('lake', dry_run => true, cleanup_all => true) ORDER BY ALL")
    return [snapshots, files, picture(duck), *(picture(duck, at) for at in snapshots[:3])]


def worked_on(duck: LakeClient) -> list[object]:
    duck.run("CREATE TABLE afterwards AS SELECT i FROM range(100) r(i)", "DROP TABLE g")
    return [duck.snapshot(), picture(duck)]


@pytest.mark.parametrize("target", [13, "newest"])
def test_the_catalog_is_as_ducklake_leaves_it(original: Path, tmp_path: Path, target: int | str) -> None:
    store = copy_of(original, tmp_path)
    place = ("--store", store, "--lake", "lake", "--output", "json")
    keep = ("--keep-last", "1") if target == "newest" else ("--retain-from", str(target))
    planned = json.loads(rocklake("gc", "plan", *place, *keep).stdout)
    ended = rocklake("gc", "apply", *place, *keep)
    assert ended.code == 0, ended
    assert json.loads(ended.stdout) == planned
    assert "Expiring snapshots of lake lake" in ended.stderr
    boundary = planned["retain_from"]
    expected, shown_there = expired_by_ducklake(original, tmp_path / "ducklake", boundary)
    assert damage_in(store) == []
    with serving(store, tmp_path) as server:
        assert differences(catalog(server, original), expected) == []
        with client(server, original) as duck:
            assert [*shown(duck), worked_on(duck)] == shown_there
    assert damage_in(store) == []
    said = the_sentence(rocklake("inspect", "tables", *place, "--at", str(boundary - 1)), ExitCode.REFUSED)
    assert said == f"snapshot {boundary - 1} is below {boundary}, the oldest that is retained"
    said = the_sentence(rocklake("rollback", "plan", *place, "--to-snapshot", str(boundary - 1)), ExitCode.REFUSED)
    assert said == f"snapshot {boundary - 1} is below {boundary}, the oldest that is retained"


def test_gc_stops_at_a_pin_until_it_is_removed(original: Path, tmp_path: Path) -> None:
    store = copy_of(original, tmp_path)
    place = ("--store", store, "--lake", "lake")
    ended = rocklake("pin", "add", *place, "--snapshot", "9", "--reason", "audit", "--output", "json")
    pinned = json.loads(ended.stdout)
    later = json.loads(rocklake("pin", "add", *place, "--output", "json").stdout)
    assert (pinned["snapshot"], pinned["reason"], later["snapshot"]) == (9, "audit", len(STEPS) + len(MORE_STEPS))
    assert json.loads(rocklake("pin", "list", *place, "--output", "json").stdout) == [pinned, later]
    ended = rocklake("gc", "apply", *place, "--keep-last", "2", "--output", "json")
    held = json.loads(ended.stdout)
    assert (held["retain_from"], held["held_by_pin"], held["snapshots_expired"]) == (9, pinned["pin"], 9)
    assert f"Pin {pinned['pin']} keeps snapshot 9" in ended.stderr
    assert "Removing a pin of lake lake" in rocklake("pin", "remove", str(pinned["pin"]), *place).stderr
    said = the_sentence(rocklake("pin", "remove", str(pinned["pin"]), *place), ExitCode.MISSING)
    assert said == f'lake "lake" has no pin {pinned["pin"]}; its pins are: {later["pin"]}'
    said = the_sentence(rocklake("pin", "add", *place, "--snapshot", "8"), ExitCode.REFUSED)
    assert said == "snapshot 8 is below 9, the oldest that is retained"
    said = the_sentence(rocklake("gc", "apply", *place, "--retain-from", "8"), ExitCode.REFUSED)
    assert said == "snapshot 8 is below 9, the oldest that is retained"
    moved = json.loads(rocklake("gc", "apply", *place, "--keep-days", "0", "--output", "json").stdout)
    assert (moved["retained_from_before"], moved["retain_from"], moved["held_by_pin"]) == (9, later["snapshot"], None)
    again = json.loads(rocklake("gc", "apply", *place, "--keep-days", "0", "--output", "json").stdout)
    assert (again["snapshots_expired"], again["rows_retired"], again["files_scheduled"]) == (0, {}, 0)
    told = json.loads(rocklake("inspect", "audit", *place, "--output", "json").stdout)
    assert [record["command"] for record in told] == ["pin add", "pin add", "gc", "pin remove", "gc"]
    assert {"retain_from": 9, "before": None} in told[2]["actions"]
    assert damage_in(store) == []


def test_what_writes_is_refused_while_a_server_holds_the_store(original: Path, tmp_path: Path) -> None:
    store = copy_of(original, tmp_path)
    place = ("--store", store, "--lake", "lake")
    with serving(store, tmp_path):
        assert rocklake("gc", "plan", *place, "--keep-last", "3").code == 0
        said = the_sentence(rocklake("gc", "apply", *place, "--keep-last", "3"), ExitCode.IN_USE)
        assert said.startswith("a server holds store")
        assert said.endswith("--server HOST:PORT")
        for command in (("pin", "add"), ("pin", "remove", "1")):
            said = the_sentence(rocklake(*command, *place), ExitCode.IN_USE)
            assert said.endswith("--server HOST:PORT")
    for options in ((), ("--keep-last", "3", "--keep-days", "2")):
        assert rocklake("gc", "plan", *place, *options).code == ExitCode.USAGE


def test_a_bucket_is_leased_meanwhile(tmp_path: Path) -> None:
    place = ("--store", "s3://bucket/catalog", "--lake", "lake", "--output", "json")
    with S3Stub() as stub:
        variables = dict(stub.variables)
        with serving("s3://bucket/catalog", tmp_path, variables) as server, client(server, tmp_path) as duck:
            duck.run("CREATE TABLE t AS SELECT i FROM range(500) r(i)", "DROP TABLE t", "CREATE TABLE u(i INTEGER)")
            ended = rocklake("gc", "apply", *place, "--keep-last", "1", variables=variables)
            assert the_sentence(ended, ExitCode.IN_USE).startswith("a server holds store")
        ended = rocklake("gc", "apply", *place, "--keep-last", "1", variables=variables)
        assert json.loads(ended.stdout)["rows_retired"]["ducklake_data_file"] == 1
        ended = rocklake("excise", "apply", *place, variables=variables)
        assert json.loads(ended.stdout)["retired_rows"]["ducklake_snapshot"] == 3
        with serving("s3://bucket/catalog", tmp_path, variables) as server, client(server, tmp_path) as duck:
            assert duck.rows("SELECT snapshot_id FROM ducklake_snapshots('lake')") == [(3,)]
            duck.run("INSERT INTO u VALUES (1)")
        assert rocklake("verify", *place[:4], variables=variables).code == 0
