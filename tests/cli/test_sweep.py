"""``rocklake sweep``: what a killed import left is shown, and goes when somebody says so."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

import duckdb

from rocklake_server.cli.exit_codes import ExitCode
from tests.cli.console import environment, rocklake, the_sentence
from tests.cli.test_backup import done, serving
from tests.forks import fork_command

ROWS = 60_000
"""Enough for an import to take a while."""
SECONDS_MAX = 30


def catalog_file(folder: Path) -> Path:
    path = folder / "lake.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute("CREATE TABLE ducklake_snapshot AS SELECT i AS snapshot_id FROM range(?) r(i)", [ROWS])
    return path


def kill_an_import(store: str, folder: Path, arguments: tuple[str, ...]) -> None:
    """As soon as the lake's directory is there."""
    with Path(os.devnull).open("w") as nowhere:
        command = ("import", "--store", store, *arguments)
        process = fork_command(command, environment(), nowhere.fileno(), nowhere.fileno())
    end = time.monotonic() + SECONDS_MAX
    while not (folder / "store/lakes/1/manifest").exists():
        assert time.monotonic() < end
        time.sleep(0.001)
    process.kill()
    assert process.wait(SECONDS_MAX) < 0, "it was killed before it ended"


def test_what_a_killed_import_left_is_shown_and_removed(tmp_path: Path) -> None:
    store = f"file://{tmp_path}/store"
    place, importing = ("--store", store), ("--lake", "lake", "--from", f"duckdb:{catalog_file(tmp_path)}")
    kill_an_import(store, tmp_path, importing)
    shown = done(rocklake("inspect", "unfinished", *place, "--output", "json"))
    assert [(record["number"], record["lake"], record["made_by"]) for record in shown] == [(1, "lake/public", "import")]
    assert done(rocklake("inspect", "lakes", *place, "--output", "json")) == []
    done(rocklake("import", *place, *importing, "--output", "json"))
    assert [record["number"] for record in done(rocklake("sweep", "plan", *place, "--output", "json"))] == [1]
    with serving(store, tmp_path):
        said = the_sentence(rocklake("sweep", "apply", *place), ExitCode.IN_USE)
        assert said.endswith("this command has to write: stop the server first")
    ended = rocklake("sweep", "apply", *place, "--output", "json")
    assert [record["lake"] for record in json.loads(ended.stdout)] == ["lake/public"]
    assert "Removing unfinished lake lake/public" in ended.stderr
    assert sorted(path.name for path in (tmp_path / "store/lakes").iterdir()) == ["2"]
    assert done(rocklake("sweep", "plan", *place, "--output", "json")) == []
    assert rocklake("verify", *place).code == 0


def test_a_store_that_is_not_there_is_not_made(tmp_path: Path) -> None:
    for command in (("sweep", "plan"), ("sweep", "apply"), ("inspect", "unfinished")):
        said = the_sentence(rocklake(*command, "--store", f"file://{tmp_path}/store"), ExitCode.MISSING)
        assert said.startswith("there is no RockLake store")
    assert list(tmp_path.iterdir()) == []
