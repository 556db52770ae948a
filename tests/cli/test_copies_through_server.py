"""``clone``, ``backup`` and ``restore`` with ``--server``: the running server copies, and its clients go on."""

from __future__ import annotations

import base64
import json
import shutil
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from rocklake_server.cli.exit_codes import ExitCode
from tests.cli.console import rocklake, the_sentence
from tests.cli.duck_lakes import WRITERS, client, contents, done, serving, small_lake, write_until
from tests.duckdb_client import LakeClient
from tests.s3_stub import S3Stub
from tests.servers import RockLakeServer
from tests.verified import damage_in

pytestmark = pytest.mark.duckdb

@pytest.fixture
def server(tmp_path: Path) -> Iterator[RockLakeServer]:
    with serving(f"file://{tmp_path}/store", tmp_path) as running:
        yield running
    assert damage_in(running.store) == []


def through(server: RockLakeServer, *arguments: str) -> list[dict[str, object]]:
    return done(rocklake(*arguments, "--server", f"127.0.0.1:{server.port}", "--output", "json"))


def refused(server: RockLakeServer, *arguments: str, code: ExitCode = ExitCode.REFUSED) -> str:
    return the_sentence(rocklake(*arguments, "--server", f"127.0.0.1:{server.port}"), code)


def audited(store: str) -> list[tuple[object, ...]]:
    ended = rocklake("dropped", "audit", "--store", store, "--output", "json")
    return [(record["what"], record["database"], record["as"], record["who"].partition(" ")[0])
            for record in json.loads(ended.stdout)]  # fmt: skip


def test_copies_under_four_writers_are_each_one_snapshot(server: RockLakeServer, tmp_path: Path) -> None:
    with client(server, tmp_path) as duck:
        duck.run(*(f"CREATE TABLE w{number}(n INTEGER, i INTEGER)" for number in range(WRITERS)))
    stop, commits = threading.Event(), [0] * WRITERS
    given = [(stop, server, tmp_path, number, commits) for number in range(WRITERS)]
    writers = [threading.Thread(target=write_until, args=arguments) for arguments in given]
    for writer in writers:
        writer.start()
    backup, other = f"file://{tmp_path}/backup", f"file://{tmp_path}/other"
    before = sum(commits)
    through(server, "clone", "--lake", "lake", "--as", "copied")
    through(server, "clone", "--lake", "lake", "--as", "lake/copied")
    through(server, "clone", "--lake", "lake", "--as", "copied", "--to-store", other)
    made = through(server, "backup", "--to", backup)
    while sum(commits) == before:
        time.sleep(0.01)  # at least one commit lies between the backup and its return
    restored = through(server, "restore", "--from", backup, "--as", "restored", "--lake", "lake")
    during = sum(commits) - before
    stop.set()
    for writer in writers:
        writer.join()
    assert during > 0, "nobody wrote while the copies were made"
    saved = next(record for record in made if record["lake"] == "lake")
    assert len(made) == 3, "two clones are in it"
    assert [restored[0][name] for name in ("entries", "digest", "commit_sequence")] == [
        saved[name] for name in ("entries", "digest", "commit_sequence")]  # fmt: skip
    shown = [what_it_shows(client(server, tmp_path, "copied")), what_it_shows(client(server, tmp_path, "restored"))]
    shown.append(what_it_shows(LakeClient(server.dsn("lake"), tmp_path / "data", ", METADATA_SCHEMA 'copied'")))
    for store in (other, backup):
        with serving(store, tmp_path) as copy:
            shown.append(what_it_shows(client(copy, tmp_path, "copied" if store == other else "lake")))
        assert damage_in(store) == []
    with client(server, tmp_path) as duck:
        for at, rows in shown:
            assert contents(duck, f"AT (VERSION => {at})") == rows
    assert all(count >= 12 for count in commits), "every writer went on to its end"
    assert audited(server.store) == [
        ("clone", "lake", "copied/public", "rocklake"), ("clone", "lake", "lake/copied", "rocklake"),
        ("restore", "lake", "restored/public", "rocklake"),
    ]  # fmt: skip
    assert audited(other) == [("clone", "lake", "copied/public", "rocklake")]


def what_it_shows(copy: LakeClient) -> tuple[int, list[tuple[object, ...]]]:
    """The newest snapshot of a copy, and its rows; it can be written on."""
    with copy as duck:
        at, rows = duck.snapshot(), contents(duck)
        duck.run("INSERT INTO w0 VALUES (-1, -1)")
        assert duck.snapshot() == at + 1
    return at, rows


def test_a_checkpoint_is_cloned_while_its_lake_is_served(server: RockLakeServer, tmp_path: Path) -> None:
    small_lake(server, tmp_path)
    with client(server, tmp_path) as duck:
        expected = contents(duck)
        with psycopg.connect(server.dsn("lake"), autocommit=True) as connection:
            connection.execute("CALL rocklake.checkpoint(name => 'monday')")
        duck.run("INSERT INTO t VALUES (7)")
    through(server, "clone", "--lake", "lake", "--checkpoint", "monday", "--as", "monday")
    with client(server, tmp_path, "monday") as duck:
        assert contents(duck) == expected


def test_only_the_named_lakes_are_in_a_backup(server: RockLakeServer, tmp_path: Path) -> None:
    for name in ("lake", "second", "third"):
        small_lake(server, tmp_path, name)
    place = f"file://{tmp_path}/backup"
    made = through(server, "backup", "--to", place, "--lake", "third", "--lake", "lake")
    assert sorted(str(record["lake"]) for record in made) == ["lake", "third"]
    assert "name one with --lake" in refused(server, "restore", "--from", place)
    said = refused(server, "restore", "--from", place, "--lake", "lake")
    assert said == 'lake "lake/public" exists; nothing is written over it'
    with client(server, tmp_path, "third") as duck:
        expected = contents(duck)
    with psycopg.connect(server.dsn("postgres"), autocommit=True) as connection:
        connection.execute("DROP DATABASE third")
    (record,) = through(server, "restore", "--from", place, "--lake", "third")
    assert record["lake"] == "third"
    with client(server, tmp_path, "third") as duck:
        assert contents(duck) == expected


def test_what_cannot_be_copied_is_refused_in_one_sentence(server: RockLakeServer, tmp_path: Path) -> None:
    small_lake(server, tmp_path)
    place = f"file://{tmp_path}/backup"
    through(server, "backup", "--to", place)
    clone, restore = ("clone", "--lake", "lake", "--as"), ("restore", "--from", place, "--as")
    for command in (clone, restore):
        assert "exists; nothing is written over it" in refused(server, *command, "lake")
        assert "new databases are empty" in refused(server, *command, "template1")
        assert "it is a system schema" in refused(server, *command, "lake/pg_mine")
        assert "names no lake" in refused(server, *command, "/x")
    assert 'there is no lake "absent/public"' in refused(
        server, "clone", "--lake", "absent", "--as", "x", code=ExitCode.MISSING)
    assert "name the lake with --lake" in refused(server, "clone", "--as", "x")
    assert 'there is no lake "absent"' in refused(
        server, "restore", "--from", place, "--lake", "absent", code=ExitCode.MISSING)
    assert 'there is no lake "absent"' in refused(
        server, "backup", "--to", f"{place}2", "--lake", "absent", code=ExitCode.MISSING)
    assert "does not exist" in refused(
        server, "restore", "--from", f"file://{tmp_path}/absent", "--as", "x", code=ExitCode.MISSING)
    assert "already; name an empty place" in refused(server, "backup", "--to", place)
    for given in (("backup", "--to"), ("restore", "--as", "x", "--from")):
        assert "is the store that this server holds" in refused(server, *given, server.store)
    with serving(f"file://{tmp_path}/held", tmp_path) as other:
        for given in (("backup", "--to"), ("clone", "--lake", "lake", "--as", "x", "--to-store")):
            assert "is held by another server or command" in refused(server, *given, other.store)
    assert "it must begin with one of" in refused(server, "backup", "--to", "nowhere")
    assert 'checkpoint "absent"' in refused(
        server, "clone", "--lake", "lake", "--as", "x", "--checkpoint", "absent", code=ExitCode.MISSING)
    with psycopg.connect(server.dsn("lake"), autocommit=True) as connection:
        with pytest.raises(psycopg.errors.DuplicateSchema):
            connection.execute("CALL rocklake.clone('lake')")
        assert connection.execute("SELECT 1").fetchone() == (1,), "the session goes on"
        databases = connection.execute("SELECT datname FROM pg_database").fetchall()
    assert ("x",) not in databases
    unfinished = rocklake("inspect", "unfinished", "--store", server.store, "--output", "json")
    assert json.loads(unfinished.stdout) == [], "what is refused begins nothing"


@pytest.mark.parametrize("kind", ["bucket", "sealed bucket"])
def test_a_lake_of_a_bucket_is_cloned_backed_up_and_restored(kind: str, tmp_path: Path) -> None:
    key_file = tmp_path / "keys"
    key_file.write_text(f"first:{base64.b64encode(bytes(range(32))).decode()}\n")
    key_file.chmod(0o600)
    arguments = ["--encryption-key-file", str(key_file)] if kind == "sealed bucket" else []
    other, place = "s3://bucket/other", f"file://{tmp_path}/backup"
    with S3Stub() as stub:
        server = RockLakeServer(
            "s3://bucket/a", logs=tmp_path, environment=dict(stub.variables), arguments=arguments)
        server.start()
        small_lake(server, tmp_path)
        with client(server, tmp_path) as duck:
            expected = contents(duck)
            through(server, "clone", "--lake", "lake", "--as", "copied")
            through(server, "clone", "--lake", "lake", "--as", "copied", "--to-store", other)
            through(server, "backup", "--to", place, "--lake", "lake")
            through(server, "restore", "--from", place, "--as", "restored")
            duck.run("INSERT INTO t VALUES (8)")
        for name in ("copied", "restored"):
            with client(server, tmp_path, name) as duck:
                assert contents(duck) == expected
        server.stop()
        server.store = other
        server.start()
        with client(server, tmp_path, "copied") as duck:
            assert contents(duck) == expected
        server.stop()
    assert "lost" not in server.log_path.read_text(), "nobody took a lease away"


def big_lake(server: RockLakeServer, tmp_path: Path) -> None:
    with client(server, tmp_path) as duck:
        duck.run("CALL lake.set_option('data_inlining_row_limit', 10000)", "CREATE TABLE t(a INTEGER)",
                 *("INSERT INTO t SELECT i FROM range(5000) r(i)" for _ in range(4)))  # fmt: skip


def lakes_of(store: str) -> list[str]:
    found = json.loads(rocklake("inspect", "lakes", "--store", store, "--output", "json").stdout)
    return sorted(record["lake"] for record in found)


def call_until_killed(server: RockLakeServer, text: str) -> None:
    with pytest.raises(psycopg.OperationalError), psycopg.connect(server.dsn("lake"), autocommit=True) as connection:
        connection.execute(text)


def test_a_restore_that_a_crash_ended_is_on_no_list_and_the_next_one_tells_of_it(tmp_path: Path) -> None:
    place = f"file://{tmp_path}/backup"
    with serving(f"file://{tmp_path}/store", tmp_path) as server:
        big_lake(server, tmp_path)
        through(server, "backup", "--to", place)
        calling = threading.Thread(
            target=call_until_killed, args=(server, f"CALL rocklake.restore('{place}', new_name => 'monday')"))
        calling.start()
        while not (tmp_path / "store/lakes/2").exists():
            time.sleep(0.001)
        server.kill()
        calling.join()
        assert lakes_of(server.store) == ["lake"], "what did not end is no lake"
        server.start()
        with psycopg.connect(server.dsn("postgres")) as connection:
            assert ("monday",) not in connection.execute("SELECT datname FROM pg_database").fetchall()
        again = rocklake("restore", "--from", place, "--as", "monday", "--server", f"127.0.0.1:{server.port}",
                         "--output", "json")  # fmt: skip
        assert "an earlier attempt at a lake of this name did not end" in again.stderr
        assert "rocklake sweep apply removes what is left of it (lake 2)" in again.stderr
        assert done(again)[0]["number"] == 3
        with client(server, tmp_path) as first, client(server, tmp_path, "monday") as second:
            assert contents(first) == contents(second)
    assert rocklake("sweep", "apply", "--store", server.store).code == 0
    assert not (tmp_path / "store/lakes/2").exists()
    assert damage_in(server.store) == []


def test_a_copy_that_is_canceled_leaves_its_name_free(server: RockLakeServer, tmp_path: Path) -> None:
    big_lake(server, tmp_path)
    with psycopg.connect(server.dsn("lake"), autocommit=True) as connection:
        connection.execute("SET statement_timeout = 20")
        with pytest.raises(psycopg.errors.QueryCanceled):
            connection.execute("CALL rocklake.clone('copied')")
        connection.execute("RESET statement_timeout")
        row = connection.execute("CALL rocklake.clone('copied')").fetchone()
    assert row is not None
    assert row[-1] in ("[2]", "[]"), "it was canceled while it copied, or before"
    with client(server, tmp_path) as first, client(server, tmp_path, "copied") as second:
        assert contents(first) == contents(second)


def test_a_store_in_memory_is_cloned_and_backed_up_and_keeps_nothing_that_was_dropped(tmp_path: Path) -> None:
    with serving("memory:///", tmp_path) as server:
        small_lake(server, tmp_path)
        through(server, "clone", "--lake", "lake", "--as", "copied")
        through(server, "backup", "--to", f"file://{tmp_path}/backup", "--lake", "copied")
        with psycopg.connect(server.dsn("postgres"), autocommit=True) as connection:
            connection.execute("DROP DATABASE lake")
        for command in ("list", "excise apply --number 1"):
            assert "in memory" in refused(server, "dropped", *command.split())
        with client(server, tmp_path, "copied") as duck:
            expected = contents(duck)
        through(server, "restore", "--from", f"file://{tmp_path}/backup", "--as", "back")
        with client(server, tmp_path, "back") as duck:
            assert contents(duck) == expected


def test_a_server_whose_store_is_gone_says_so(tmp_path: Path) -> None:
    given = ("--server", "127.0.0.1:{}", "--lake", "lake", "--as", "x")
    with S3Stub() as stub:
        server = RockLakeServer("s3://bucket/a", logs=tmp_path, environment=dict(stub.variables))
        server.start()
        small_lake(server, tmp_path)
    try:
        ended = rocklake("clone", *(word.format(server.port) for word in given))
        assert "store" in the_sentence(ended, ExitCode.UNAVAILABLE)
    finally:
        server.kill()
    with serving(f"file://{tmp_path}/store", tmp_path) as server:
        small_lake(server, tmp_path)
        through(server, "backup", "--to", f"file://{tmp_path}/a")
        small_lake(server, tmp_path, "going")
        with psycopg.connect(server.dsn("postgres"), autocommit=True) as connection:
            connection.execute("DROP DATABASE going")
        shutil.rmtree(tmp_path / "store")
        dropped = ("--number", "2")
        for command in (("clone", "--lake", "lake", "--as", "x"), ("backup", "--to", f"file://{tmp_path}/b"),
                        ("restore", "--from", f"file://{tmp_path}/a", "--as", "x"), ("dropped", "list"),
                        ("dropped", "audit"), ("dropped", "restore", "plan", *dropped),
                        ("dropped", "restore", "apply", *dropped), ("dropped", "excise", "plan", *dropped),
                        ("dropped", "excise", "apply", *dropped)):  # fmt: skip
            ended = rocklake(*command, "--server", f"127.0.0.1:{server.port}")
            assert "store" in the_sentence(ended, ExitCode.UNAVAILABLE)
    ended = rocklake("clone", *(word.format(server.port) for word in given))
    assert "connection" in the_sentence(ended, ExitCode.UNAVAILABLE)
