"""``rocklake verify`` and ``rocklake repair``: reports, exit codes, and servers that go on undisturbed."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest

from rocklake_server.catalog.maintenance.checks import CHECKS
from rocklake_server.cli.exit_codes import ExitCode
from rocklake_server.encoding.keys import system_key
from rocklake_server.errors import CorruptValue, InvalidParameterValue, UndefinedDatabase, UndefinedFile
from rocklake_server.schema.system_subspaces import SYSTEM_FORMAT_VERSION
from tests.catalog.maintenance.planted_damage import PLANTED
from tests.catalog.maintenance.whole_lake import Workbench
from tests.cli.console import command, environment, rocklake, the_sentence
from tests.cli.lake_store import damage, make_store, run
from tests.s3_stub import S3Stub
from tests.servers import RockLakeServer


@pytest.fixture
def store(tmp_path: Path) -> str:
    return make_store(tmp_path)


def findings(store: str, *arguments: str) -> tuple[int, list[dict[str, Any]]]:
    """(exit code, what ``verify`` prints as JSON)."""
    ended = run("verify", "--store", store, "--output", "json", *arguments)
    return ended.code, json.loads(ended.stdout)


def test_a_whole_lake_is_told_to_be_whole(store: str) -> None:
    assert findings(store) == (0, [])
    ended = run("verify", "--store", store)
    assert (ended.code, ended.stdout) == (0, "")
    assert ended.stderr.splitlines() == ["the list of lakes: nothing was found", "lake: nothing was found"]


def test_damage_is_told_with_its_key_its_meaning_and_what_repair_does(store: str) -> None:
    damage(store, PLANTED["missing-data-files"][0])
    damage(store, PLANTED["indexes"][1])
    code, found = findings(store, "--lake", "lake")
    assert code == ExitCode.FOUND
    assert [(record["check"], record["repair"] is None, record["severity"]) for record in found] == [
        ("indexes", False, "damage"), ("missing-data-files", True, "damage"),
    ]  # fmt: skip
    assert found[1]["key"] == "0c00000000000000010000000000000028"
    assert found[1]["what"] == "ducklake_delete_file: table 1 has no data file 41"
    shown = run("verify", "--store", store)
    assert "missing-data-files" in shown.stdout
    assert found[0]["meaning"] in shown.stdout
    assert "indexes 1" in shown.stderr


def test_one_check_can_be_asked_for(store: str) -> None:
    damage(store, PLANTED["indexes"][1])
    assert findings(store, "--check", "counters") == (0, [])
    assert findings(store, "--check", "counters", "--check", "indexes")[0] == ExitCode.FOUND
    with pytest.raises(InvalidParameterValue, match='there is no check "nonsense"'):
        findings(store, "--check", "nonsense")


def test_a_lake_without_its_database_is_found(store: str, tmp_path: Path) -> None:
    shutil.rmtree(tmp_path / "store/lakes/1")
    code, found = findings(store)
    assert (code, [record["check"] for record in found]) == (ExitCode.FOUND, ["lake-list"])
    assert "lakes/1 has no database" in found[0]["what"]
    with pytest.raises(UndefinedFile, match="lakes/1 has no database"):
        run("inspect", "tables", "--store", store)
    assert not (tmp_path / "store/lakes/1").exists()


def test_notices_count_when_asked_to(store: str) -> None:
    damage(store, PLANTED["tie-breakers"][0])
    assert [findings(store)[0], findings(store, "--strict")[0]] == [ExitCode.DONE, ExitCode.FOUND]


def test_the_checks_are_listed_without_a_store() -> None:
    ended = run("verify", "--list", "--output", "json")
    assert [record["check"] for record in json.loads(ended.stdout)] == [check.name for check in CHECKS]
    refused = rocklake("verify")
    assert (refused.code, "--store" in refused.stderr) == (ExitCode.USAGE, True)


def test_data_files_are_looked_for(tmp_path: Path) -> None:
    store = make_store(tmp_path)

    def point_to_files(bench: Workbench) -> None:
        bench.change("ducklake_metadata", bench.one("ducklake_metadata", key="data_path")[0], value=f"{tmp_path}/data/")
        for file_id in (1, 2):
            bench.remove("ducklake_data_file", bench.one("ducklake_data_file", data_file_id=file_id)[0])
        for key in [key for key, row in bench.rows("ducklake_file_column_stats").items() if row["data_file_id"] == 1]:
            bench.remove("ducklake_file_column_stats", key)

    damage(store, point_to_files)
    folder = tmp_path / "data/main/t"
    folder.mkdir(parents=True)
    (folder / "0.parquet").write_bytes(bytes(100))
    (folder / "3.parquet").write_bytes(bytes(99))
    code, found = findings(store, "--data-files")
    assert (code, [record["what"] for record in found]) == (3, [f"{folder}/3.parquet has 99 bytes, not 103"])
    (folder / "3.parquet").unlink()
    assert [record["what"] for record in findings(store, "--data-files")[1]] == [f"{folder}/3.parquet is not there"]
    (folder / "3.parquet").write_bytes(bytes(103))
    assert findings(store, "--data-files") == (0, [])


def test_data_files_in_a_bucket_are_looked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = make_store(tmp_path)

    def point_to_bucket(bench: Workbench) -> None:
        bench.change("ducklake_metadata", bench.one("ducklake_metadata", key="data_path")[0], value="s3://bucket/data")
        for file_id, path in ((1, "s3://bucket/1.parquet"), (2, "s3://bucket/2.parquet")):
            key, _ = bench.one("ducklake_data_file", data_file_id=file_id)
            bench.change("ducklake_data_file", key, path=path, path_is_relative=False)

    damage(store, point_to_bucket)
    with S3Stub() as stub:
        for name, value in stub.variables.items():
            monkeypatch.setenv(name, value)
        code, found = findings(store, "--data-files")
    assert code == ExitCode.FOUND
    assert sorted(record["what"] for record in found) == [
        f"s3://bucket/{name}.parquet is not there" for name in ("1", "2", "data/main/t/0", "data/main/t/3")
    ]


# -- repairing --------------------------------------------------------------------------------------------------------


def test_a_plan_changes_nothing_and_apply_mends(store: str) -> None:
    damage(store, PLANTED["indexes"][0])
    damage(store, PLANTED["counters"][0])
    plan = run("repair", "plan", "--store", store, "--lake", "lake", "--output", "json")
    actions = json.loads(plan.stdout)
    assert [(action["check"], action["keys"]) for action in actions] == [("counters", 1), ("indexes", 1)]
    assert findings(store)[0] == ExitCode.FOUND
    applied = run("repair", "apply", "--store", store, "--lake", "lake")
    assert applied.code == 0
    assert "Repairing lake lake" in applied.stderr
    assert "no damage is left" in applied.stderr
    assert findings(store, "--strict") == (0, [])
    again = run("repair", "apply", "--store", store, "--lake", "lake")
    assert (again.code, again.stdout) == (0, "")
    assert "there is nothing to mend" in again.stderr
    (record,) = json.loads(run("inspect", "audit", "--store", store, "--output", "json").stdout)
    assert (record["command"], record["sequence"]) == ("repair", 4)


def test_what_apply_leaves_is_told(store: str) -> None:
    damage(store, PLANTED["indexes"][0])
    damage(store, PLANTED["negative-counts"][0])
    applied = run("repair", "apply", "--store", store, "--lake", "lake")
    assert applied.code == ExitCode.FOUND
    assert "not mended: negative-counts 1" in applied.stderr
    assert [record["check"] for record in findings(store)[1]] == ["negative-counts"]


def test_a_repair_has_to_name_its_lake(store: str) -> None:
    assert rocklake("repair", "apply", "--store", store).code == ExitCode.USAGE
    with pytest.raises(UndefinedDatabase):
        run("repair", "apply", "--store", store, "--lake", "sales")
    damage(store, PLANTED["commit-sequence"][0])
    with pytest.raises(CorruptValue, match="cannot be repaired"):
        run("repair", "plan", "--store", store, "--lake", "lake")


def test_a_newer_format_is_refused_by_every_command(store: str) -> None:
    damage(store, lambda bench: bench.number(system_key(SYSTEM_FORMAT_VERSION), 9))
    for arguments in (["verify"], ["inspect", "tables"], ["repair", "apply", "--lake", "lake"]):
        ended = rocklake(*arguments, "--store", store)
        assert "catalog format version 9" in the_sentence(ended, ExitCode.UNREADABLE)
    (lake,) = json.loads(run("inspect", "lakes", "--store", store, "--output", "json").stdout)
    assert "catalog format version 9" in lake["problem"]


# -- beside a server --------------------------------------------------------------------------------------------------


@pytest.fixture
def server(store: str, tmp_path: Path) -> Iterator[RockLakeServer]:
    damage(store, PLANTED["indexes"][1])
    server = RockLakeServer(store, logs=tmp_path)
    server.start()
    yield server
    server.stop()


def test_a_running_server_is_read_beside_and_not_disturbed(server: RockLakeServer) -> None:
    with psycopg.connect(server.dsn("lake"), autocommit=True) as client:
        for number in (7, 8, 9):
            client.execute("INSERT INTO ducklake_snapshot VALUES (%s, now(), 1, 50, 50)", (number,))
            client.execute("INSERT INTO ducklake_snapshot_changes VALUES (%s, '', NULL, NULL, NULL)", (number,))
            ended = run("inspect", "snapshots", "--store", server.store, "--output", "json")
            assert json.loads(ended.stdout)[-1]["snapshot_id"] == number, "what was acknowledged is seen"
            assert [record["check"] for record in findings(server.store)[1]] == ["indexes"]
            assert findings(server.store, "--pin")[0] == ExitCode.FOUND
            assert run("repair", "plan", "--store", server.store, "--lake", "lake").code == 0
    server.restart()
    with psycopg.connect(server.dsn("lake"), autocommit=True) as client:
        assert client.execute("SELECT count(*) FROM ducklake_snapshot").fetchone() == (9,)
    assert "warning" not in server.log_tail()


def test_a_repair_waits_for_no_server_and_leaves_it_alone(server: RockLakeServer) -> None:
    refused = rocklake("repair", "apply", "--store", server.store, "--lake", "lake")
    assert the_sentence(refused, ExitCode.IN_USE) == (
        f'a server holds store "{server.store}", and this command has to write: stop the server first, '
        "or run it through that server: rocklake repair apply --lake lake --server HOST:PORT")
    with psycopg.connect(server.dsn("lake"), autocommit=True) as client:
        client.execute("INSERT INTO ducklake_snapshot VALUES (7, now(), 1, 50, 50)")


def test_a_killed_server_leaves_everything_to_be_read(server: RockLakeServer) -> None:
    with psycopg.connect(server.dsn("lake"), autocommit=True) as client:
        client.execute("INSERT INTO ducklake_snapshot VALUES (7, now(), 1, 50, 50)")
        client.execute("INSERT INTO ducklake_snapshot_changes VALUES (7, '', NULL, NULL, NULL)")
    server.kill()
    assert [record["check"] for record in findings(server.store)[1]] == ["indexes"]
    assert run("repair", "apply", "--store", server.store, "--lake", "lake").code == 0
    assert findings(server.store) == (0, [])


@pytest.mark.slow
def test_a_server_on_a_bucket_is_read_beside_and_keeps_its_lease(tmp_path: Path) -> None:
    with S3Stub() as stub:
        server = RockLakeServer("s3://bucket/prefix", logs=tmp_path, environment=stub.variables,
                                arguments=["--lease-time", "3"])  # fmt: skip
        server.start()
        try:
            with psycopg.connect(server.dsn("lake"), autocommit=True) as client:
                client.execute("CREATE TABLE notes(id bigint)")
                client.execute("INSERT INTO notes VALUES (1)")
                ended = rocklake("verify", "--store", server.store, "--output", "json", variables=stub.variables)
                assert (ended.code, json.loads(ended.stdout)) == (0, [])
                sizes = rocklake("inspect", "relations", "--store", server.store, "--output", "json",
                                 variables=stub.variables)  # fmt: skip
                assert [r["keys"] for r in json.loads(sizes.stdout) if r["name"] == "notes"] == [1]
                refused = rocklake("repair", "apply", "--store", server.store, "--lake", "lake",
                                   variables=stub.variables)  # fmt: skip
                assert "stop the server first" in the_sentence(refused, ExitCode.IN_USE)
                client.execute("INSERT INTO notes VALUES (2)")
        finally:
            server.stop()
        applied = rocklake("repair", "apply", "--store", server.store, "--lake", "lake", variables=stub.variables)
        assert applied.code == 0, applied
        server.start()
        server.stop()


# -- the terminal -----------------------------------------------------------------------------------------------------


def test_progress_is_silent_without_a_terminal(store: str) -> None:
    ended = rocklake("verify", "--store", store)
    assert (ended.stdout, ended.stderr.splitlines()) == ("", ["the list of lakes: nothing was found",
                                                              "lake: nothing was found"])  # fmt: skip


def complete(line: str, variables: dict[str, str]) -> list[str]:
    """What bash would offer for the last word of ``line``."""
    words = {"_ROCKLAKE_COMPLETE": "complete_bash", "COMP_WORDS": line, "COMP_CWORD": str(len(line.split()) - 1)}
    variables = environment({**variables, **words})
    done = subprocess.run(command(), env=variables, capture_output=True, text=True, check=False)
    return done.stdout.split()


def test_the_shell_completes_commands_lakes_and_checks(store: str) -> None:
    assert complete("rocklake in", {}) == ["inspect"]
    assert complete(f"rocklake verify --store {store} --lake l", {}) == ["lake"]
    assert complete("rocklake verify --lake l", {"ROCKLAKE_STORE": store}) == ["lake"]
    assert complete("rocklake verify --lake l", {"ROCKLAKE_STORE": f"file://{os.devnull}/nothing"}) == []
    assert complete("rocklake verify --check orphaned-c", {}) == ["orphaned-columns"]
