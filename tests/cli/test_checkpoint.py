"""``rocklake checkpoint``: a moment of a lake, kept beside a running server, is copied and exported later."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.console import rocklake
from tests.cli.test_backup import client, contents, done, refused, serving, small_lake
from tests.s3_stub import S3Stub
from tests.transfer.rich_lake import answers

pytestmark = pytest.mark.duckdb


@pytest.mark.parametrize("kind", ["folder", "bucket"])
def test_a_moment_that_was_kept_is_cloned_and_exported(kind: str, tmp_path: Path) -> None:
    with S3Stub() as stub:
        variables = dict(stub.variables)
        store = f"file://{tmp_path}/store" if kind == "folder" else "s3://bucket/prefix"
        place = ("--store", store, "--lake", "lake")
        with serving(store, tmp_path, variables) as server:
            small_lake(server, tmp_path)
            with client(server, tmp_path) as duck:
                before = contents(duck)
                made = json.loads(rocklake("checkpoint", "create", *place, "--name", "noon", "--output", "json",
                                           variables=variables).stdout)  # fmt: skip
                duck.run("INSERT INTO t VALUES (7)", "DROP TABLE big", "CREATE TABLE later AS SELECT 1 AS one")
                assert made["name"] == "noon"
                assert made["expires"] is None
                done(rocklake("export", *place, "--checkpoint", "noon", "--to", f"duckdb:{tmp_path}/noon.duckdb",
                              "--output", "json", variables=variables))  # fmt: skip
                said = refused(rocklake("checkpoint", "create", *place, "--name", "noon", variables=variables))
                assert said == 'there is a checkpoint "noon" already'
        done(rocklake("clone", *place, "--checkpoint", made["id"], "--as", "noon", "--output", "json",
                      variables=variables))  # fmt: skip
        with serving(store, tmp_path, variables) as server:
            with client(server, tmp_path, "noon") as duck:
                assert contents(duck) == before
                duck.run("INSERT INTO t VALUES (8)")
            with client(server, tmp_path) as duck:
                assert duck.rows("FROM later") == [(1,)]
            listed = done(rocklake("checkpoint", "list", *place, "--output", "json", variables=variables))
            assert [(record["name"], record["commit_sequence"], record["problem"]) for record in listed] == [
                ("noon", made["commit_sequence"], None)
            ]
            deleted = rocklake("checkpoint", "delete", "noon", *place, variables=variables)
            assert deleted.code == 0
            assert "Deleting a checkpoint of lake lake" in deleted.stderr
            assert done(rocklake("checkpoint", "list", *place, "--output", "json", variables=variables)) == []
        assert answers(f"{tmp_path}/noon.duckdb", questions=("FROM t",)) == {"FROM t": "[(2,)]"}
        assert rocklake("verify", *place, variables=variables).code == 0


def test_what_is_not_there_is_said(tmp_path: Path) -> None:
    store = f"file://{tmp_path}/store"
    with serving(store, tmp_path) as server:
        small_lake(server, tmp_path)
        place = ("--store", store, "--lake", "lake")
        for given in (("checkpoint", "delete", "noon"), ("clone", "--as", "x", "--checkpoint", "noon"),
                      ("export", "--to", f"duckdb:{tmp_path}/x", "--checkpoint", "noon")):  # fmt: skip
            assert 'there is no checkpoint "noon"' in refused(rocklake(*given, *place), code=4)
        kept = json.loads(rocklake("checkpoint", "create", *place, "--keep-days", "2", "--output", "json").stdout)
        assert kept["name"].endswith("Z")
        assert kept["expires"] > kept["created"]
