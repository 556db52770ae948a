"""``rocklake excise``: what was put aside is gone for good, and the lake goes on."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from rocklake_server.catalog.retention.excise import REASONS
from rocklake_server.cli.exit_codes import ExitCode
from rocklake_server.store.compaction import compact_fully
from rocklake_server.store.object_stores import parse_store_url
from tests.cli.console import rocklake, the_sentence
from tests.cli.test_backup import client, serving
from tests.duckdb_client import LakeClient
from tests.s3_stub import S3Stub
from tests.verified import damage_in

pytestmark = pytest.mark.duckdb

MARKER = "marker-of-a-secret"


def live_and_forget(duck: LakeClient) -> None:
    """The marker is in names, comments, inlined rows, statistics and snapshots, and in nothing that is there still."""
    duck.run(
        "CREATE TABLE kept(i INTEGER, s VARCHAR)",
        f"INSERT INTO kept VALUES (1, 'a'), (2, '{MARKER}'), (3, 'z')",
        f"CREATE TABLE \"{MARKER}\" AS SELECT '{MARKER}' || i AS s FROM range(1000) r(i)",
        f"COMMENT ON COLUMN \"{MARKER}\".s IS '{MARKER}'",
        f"COMMENT ON COLUMN kept.s IS '{MARKER}'",
        f"CREATE VIEW v AS SELECT '{MARKER}' AS s",
        "COMMENT ON COLUMN kept.s IS 'a text'",
        "UPDATE kept SET s = 'b' WHERE i = 2",
        "INSERT INTO kept VALUES (4, 'x'), (5, 'y')",
        "DELETE FROM kept WHERE i = 5",
        "ALTER TABLE kept ADD COLUMN more INTEGER",
        "ALTER TABLE kept DROP COLUMN more",
        f'DROP TABLE "{MARKER}"',
        "DROP VIEW v",
        "INSERT INTO kept VALUES (6, 'w')",
    )


def files_with_the_marker(folder: Path) -> list[str]:
    return [str(path) for path in folder.rglob("*") if path.is_file() and MARKER.encode() in path.read_bytes()]


def test_a_marker_is_in_no_object_of_the_store_afterwards(tmp_path: Path) -> None:
    store = f"file://{tmp_path}/store"
    place = ("--store", store, "--lake", "lake")
    with serving(store, tmp_path) as server, client(server, tmp_path) as duck:
        live_and_forget(duck)
        expected = duck.rows("FROM kept ORDER BY ALL")
    said = the_sentence(rocklake("excise", "plan", *place), ExitCode.REFUSED)
    assert said.startswith('lake "lake" has no retain-from')
    assert rocklake("gc", "apply", *place, "--keep-last", "1").code == 0
    with serving(store, tmp_path) as server, client(server, tmp_path) as duck:
        duck.run("CALL ducklake_cleanup_old_files('lake', cleanup_all => true)")
    asyncio.run(compact_fully(parse_store_url(store, {}).child("lakes/1")))
    assert files_with_the_marker(tmp_path / "store"), "retired rows are there until they are excised"
    planned = json.loads(rocklake("excise", "plan", *place, "--output", "json").stdout)
    kept = json.loads(rocklake("checkpoint", "create", *place, "--name", "noon", "--output", "json").stdout)
    said = the_sentence(rocklake("excise", "apply", *place, "--compact"), ExitCode.REFUSED)
    assert said.startswith('lake "lake" has checkpoints, which keep the bytes of what is excised: "noon"')
    assert rocklake("checkpoint", "delete", kept["id"], *place).code == 0
    ended = rocklake("excise", "apply", *place, "--compact", "--output", "json")
    assert ended.code == 0, ended
    assert files_with_the_marker(tmp_path / "store") == []
    assert json.loads(ended.stdout) == planned
    assert "Excising rows of lake lake" in ended.stderr
    (inlined,) = [name for name in planned["ended_rows"] if name.startswith("ducklake_inlined_data_")]
    assert (planned["ended_rows"][inlined], planned["ended_rows"]["ducklake_column_tag"]) == (2, 1)
    assert damage_in(store) == []
    with serving(store, tmp_path) as server, client(server, tmp_path) as duck:
        assert duck.rows("FROM kept ORDER BY ALL") == expected
    again = json.loads(rocklake("excise", "apply", *place, "--compact", "--output", "json").stdout)
    assert [again[f"{why}_rows"] for why in REASONS] == [{}, {}, {}]
    told = json.loads(rocklake("inspect", "audit", *place, "--output", "json").stdout)
    assert [record["command"] for record in told] == ["gc", "excise", "excise", "excise"]
    assert [record["actions"] for record in told[2:]] == [[{"compacts": True}]] * 2
    chosen = {"ended_by": planned["ended_by_snapshot"], "retired_by": planned["retired_by_commit"]}
    assert told[1]["actions"][0] == chosen
    assert {"relation": inlined, "excised_ended": 2} in told[1]["actions"]
    with serving(store, tmp_path) as server, client(server, tmp_path) as duck:
        assert duck.rows("FROM kept ORDER BY ALL") == expected
        duck.run("CALL ducklake_flush_inlined_data('lake')", "ALTER TABLE kept ADD COLUMN new INTEGER")
        assert duck.rows("SELECT i, s FROM kept ORDER BY ALL") == expected
        assert duck.rows("SELECT count(*), count(new) FROM kept") == [(len(expected), 0)]
    assert damage_in(store) == []


def test_the_range_is_bounded_by_what_is_retained_and_what_was_committed(tmp_path: Path) -> None:
    store = f"file://{tmp_path}/store"
    place = ("--store", store, "--lake", "lake")
    with serving(store, tmp_path) as server, client(server, tmp_path) as duck:
        live_and_forget(duck)
        newest = duck.snapshot()
    assert rocklake("gc", "apply", *place, "--retain-from", str(newest - 2)).code == 0
    said = the_sentence(rocklake("excise", "apply", *place, "--ended-by", str(newest)), ExitCode.REFUSED)
    assert said.startswith(f"snapshot {newest} is above {newest - 2}, the oldest that is retained")
    said = the_sentence(rocklake("excise", "apply", *place, "--retired-by", "100000"), ExitCode.REFUSED)
    assert said.startswith("commit 100000 is above ")
    nothing = ("--ended-by", "0", "--retired-by", "0", "--output", "json")
    none = json.loads(rocklake("excise", "apply", *place, *nothing).stdout)
    assert (none["retired_rows"], none["ended_rows"], none["definitions"]) == ({}, {}, 0)
    with serving(store, tmp_path):
        assert rocklake("excise", "plan", *place).code == 0
        said = the_sentence(rocklake("excise", "apply", *place), ExitCode.IN_USE)
        assert said.endswith("--server HOST:PORT")


def test_a_bucket_is_compacted_too(tmp_path: Path) -> None:
    with S3Stub() as stub:
        variables, objects = dict(stub.variables), stub.objects["bucket"]
        place = ("--store", "s3://bucket/catalog", "--lake", "lake")
        with serving("s3://bucket/catalog", tmp_path, variables) as server, client(server, tmp_path) as duck:
            live_and_forget(duck)
            expected = duck.rows("FROM kept ORDER BY ALL")
        assert rocklake("gc", "apply", *place, "--keep-last", "1", variables=variables).code == 0
        with serving("s3://bucket/catalog", tmp_path, variables) as server, client(server, tmp_path) as duck:
            duck.run("CALL ducklake_cleanup_old_files('lake', cleanup_all => true)")
        assert any(MARKER.encode() in held.body for held in objects.values())
        ended = rocklake("excise", "apply", *place, "--compact", variables=variables)
        assert ended.code == 0, ended
        assert [key for key, held in objects.items() if MARKER.encode() in held.body] == []
        with serving("s3://bucket/catalog", tmp_path, variables) as server, client(server, tmp_path) as duck:
            assert duck.rows("FROM kept ORDER BY ALL") == expected
        assert rocklake("verify", *place, variables=variables).code == 0
