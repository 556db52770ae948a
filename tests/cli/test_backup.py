"""``rocklake backup``, ``restore`` and ``clone`` with real clients: what a copy answers is what some snapshot was."""

from __future__ import annotations

import os
import random
import threading
import time
from pathlib import Path

import pytest

from rocklake_server.catalog.listing import unfinished_batch
from rocklake_server.store.base import Key, WriteBatch
from rocklake_server.store.object_stores import parse_store_url
from rocklake_server.store.slate import open_slate_store
from tests.cli.console import environment, rocklake
from tests.cli.duck_lakes import WRITERS, client, contents, done, refused, serving, small_lake, write_until
from tests.duckdb_client import LakeClient
from tests.forks import fork_command
from tests.s3_stub import S3Stub

pytestmark = pytest.mark.duckdb

@pytest.mark.slow
@pytest.mark.parametrize("kind", ["folder", "bucket"])
def test_backups_under_four_writers_are_each_one_snapshot(kind: str, tmp_path: Path) -> None:
    with S3Stub() as stub:
        store = f"file://{tmp_path}/store" if kind == "folder" else "s3://bucket/prefix"
        with serving(store, tmp_path, dict(stub.variables)) as server:
            with client(server, tmp_path) as duck:
                duck.run(*(f"CREATE TABLE w{number}(n INTEGER, i INTEGER)" for number in range(WRITERS)))
            stop, commits = threading.Event(), [0] * WRITERS
            arguments = [(stop, server, tmp_path, number, commits) for number in range(WRITERS)]
            writers = [threading.Thread(target=write_until, args=given) for given in arguments]
            for writer in writers:
                writer.start()
            made = []
            for number in range(3):
                before = sum(commits)
                place = f"file://{tmp_path}/backup{number}"
                done(rocklake("backup", "--store", store, "--to", place, "--output", "json",
                              variables=stub.variables))  # fmt: skip
                made.append((place, sum(commits) - before))
            stop.set()
            for writer in writers:
                writer.join()
            assert sum(during for _, during in made) > 0, "nobody wrote while the backups were made"
            shown = [what_it_shows(place, tmp_path) for place, _ in made]
            with client(server, tmp_path) as duck:
                for at, rows in (moment for moments in shown for moment in moments.items()):
                    assert contents(duck, f"AT (VERSION => {at})") == rows
        assert len({max(moments) for moments in shown}) > 1, "backups are of different moments"


def what_it_shows(backup: str, tmp_path: Path) -> dict[int, list[tuple[object, ...]]]:
    """Its newest snapshot, and an earlier one; it can be written on."""
    with serving(backup, tmp_path) as copy, client(copy, tmp_path) as duck:
        at = duck.snapshot()
        earlier = random.Random(at).randint(WRITERS, at - 1)
        found = {at: contents(duck), earlier: contents(duck, f"AT (VERSION => {earlier})")}
        duck.run("INSERT INTO w0 VALUES (-1, -1)")
        assert duck.snapshot() == at + 1
    return found


def test_a_backup_is_restored_and_goes_on(tmp_path: Path) -> None:
    store, place, new = (f"file://{tmp_path}/{name}" for name in ("store", "backup", "new"))
    with serving(store, tmp_path) as server:
        small_lake(server, tmp_path)
        small_lake(server, tmp_path, "second")
        made = done(rocklake("backup", "--store", store, "--to", place, "--output", "json"))
        with client(server, tmp_path) as duck:
            expected = contents(duck)
            duck.run("INSERT INTO t VALUES (3)")
    restored = done(rocklake("restore", "--from", place, "--store", new, "--output", "json"))
    assert restored == made
    assert [record["lake"] for record in made] == ["lake", "second"]
    with serving(new, tmp_path) as server, client(server, tmp_path) as duck:
        assert contents(duck) == expected
        duck.run("INSERT INTO t VALUES (4)")
    assert rocklake("verify", "--store", new, "--lake", "lake").code == 0


def test_one_lake_comes_back_under_another_name_beside_the_others(tmp_path: Path) -> None:
    store, place = f"file://{tmp_path}/store", f"file://{tmp_path}/backup"
    with serving(store, tmp_path) as server:
        small_lake(server, tmp_path)
    done(rocklake("backup", "--store", store, "--to", place, "--lake", "lake", "--output", "json"))
    said = refused(rocklake("restore", "--from", place, "--store", store, "--lake", "lake"))
    assert said == 'lake "lake/public" exists; nothing is written over it'
    done(rocklake("restore", "--from", place, "--store", store, "--as", "monday", "--output", "json"))
    done(rocklake("clone", "--store", store, "--lake", "lake", "--as", "lake/copy", "--output", "json"))
    done(rocklake("clone", "--store", store, "--lake", "monday", "--as", "m", "--to-store", f"{store}2",
                  "--output", "json"))  # fmt: skip
    with serving(store, tmp_path) as server:
        with client(server, tmp_path) as first, client(server, tmp_path, "monday") as second:
            assert contents(first) == contents(second)
            second.run("INSERT INTO t VALUES (9)")
            assert contents(first) != contents(second)
        options = ", METADATA_SCHEMA 'copy'"
        with LakeClient(server.dsn("lake"), tmp_path / "data", options) as third, client(server, tmp_path) as first:
            assert contents(third) == contents(first)
        said = refused(rocklake("clone", "--store", store, "--lake", "lake", "--as", "late"), code=5)
        assert "stop the server first, or copy into another store, or run it through that server: " in said
        assert said.endswith("rocklake clone --lake lake --as late --server HOST:PORT")
        done(rocklake("clone", "--store", store, "--lake", "lake", "--as", "late", "--to-store", f"{store}2",
                      "--output", "json"))  # fmt: skip
    with serving(f"{store}2", tmp_path) as server, client(server, tmp_path, "late") as late:
        assert late.value("SELECT sum(i) FROM big") == 124750


async def test_a_half_finished_restore_is_refused_until_it_is_finished(tmp_path: Path) -> None:
    store, place, new = (f"file://{tmp_path}/{name}" for name in ("store", "backup", "new"))
    with serving(store, tmp_path) as server:
        small_lake(server, tmp_path)
    done(rocklake("backup", "--store", store, "--to", place, "--output", "json"))
    location = parse_store_url(new, {})
    system = await open_slate_store(location.child("system"))
    await system.write(unfinished_batch(place))
    await system.close()
    half = await open_slate_store(location.child("lakes/1"))
    await half.write(WriteBatch({Key(b"\x05left behind"): b"by the first attempt"}))
    await half.close()
    sentence = (f'the store holds an unfinished copy of "{place}"; run the same backup or restore again, '
                "or remove the store")  # fmt: skip
    for given in (("serve", "--listen", "127.0.0.1:0"), ("inspect", "lakes"), ("backup", "--to", f"{new}2"),
                  ("export", "--to", f"duckdb:{tmp_path}/x")):  # fmt: skip
        assert refused(rocklake(*given, "--store", new)) == sentence
    again = rocklake("restore", "--from", place, "--store", new, "--output", "json")
    done(again)
    assert again.stderr == f"an earlier copy of {place} did not end; it is begun again\n"
    with serving(new, tmp_path) as server, client(server, tmp_path) as duck:
        assert duck.value("SELECT sum(i) FROM big") == 124750
    assert rocklake("verify", "--store", new, "--lake", "lake").code == 0


@pytest.mark.slow
def test_a_restore_that_is_killed_is_seen_as_unfinished_or_is_finished(tmp_path: Path) -> None:
    store, place = f"file://{tmp_path}/store", f"file://{tmp_path}/backup"
    with serving(store, tmp_path) as server, client(server, tmp_path) as duck:
        duck.run("CALL lake.set_option('data_inlining_row_limit', 10000)", "CREATE TABLE t(a INTEGER)",
                 *("INSERT INTO t SELECT i FROM range(5000) r(i)" for _ in range(4)))  # fmt: skip
        expected = contents(duck)
    done(rocklake("backup", "--store", store, "--to", place, "--output", "json"))
    unfinished = 0
    for attempt in range(3):
        new = f"file://{tmp_path}/new{attempt}"
        with Path(os.devnull).open("w") as nowhere:
            process = fork_command(("restore", "--from", place, "--store", new), environment(), nowhere.fileno(),
                                   nowhere.fileno())  # fmt: skip
        while not (tmp_path / f"new{attempt}" / "lakes").exists() and process.poll() is None:
            time.sleep(0.005)
        time.sleep(0.02 * attempt)
        process.kill()
        process.wait()
        looked_at = rocklake("inspect", "lakes", "--store", new)
        if looked_at.code:
            assert "unfinished copy" in refused(looked_at)
            assert "unfinished copy" in refused(
                rocklake("serve", "--store", new, "--listen", "127.0.0.1:0", "--log-level", "warning"))
            unfinished += 1
            done(rocklake("restore", "--from", place, "--store", new, "--output", "json"))
        with serving(new, tmp_path) as server, client(server, tmp_path) as duck:
            assert contents(duck) == expected
    assert unfinished > 0


async def test_a_backup_that_changed_since_is_refused(tmp_path: Path) -> None:
    store, place, new = (f"file://{tmp_path}/{name}" for name in ("store", "backup", "new"))
    with serving(store, tmp_path) as server:
        small_lake(server, tmp_path)
    done(rocklake("backup", "--store", store, "--to", place, "--output", "json"))
    changed = await open_slate_store(parse_store_url(place, {}).child("lakes/1"))
    await changed.write(WriteBatch({Key(b"\x05\x00"): b"one more"}))
    await changed.close()
    said = refused(rocklake("restore", "--from", place, "--store", new), code=7)
    assert f'lake "lake" in "{place}" is not as the backup was made on' in said
    assert "unfinished copy" in refused(
                rocklake("serve", "--store", new, "--listen", "127.0.0.1:0", "--log-level", "warning"))


def test_a_store_is_not_written_over(tmp_path: Path) -> None:
    store, place = f"file://{tmp_path}/store", f"file://{tmp_path}/backup"
    with serving(store, tmp_path) as server:
        small_lake(server, tmp_path)
    done(rocklake("backup", "--store", store, "--to", place, "--output", "json"))
    for given in (("backup", "--store", store, "--to", place), ("restore", "--from", place, "--store", store),
                  ("backup", "--store", store, "--to", store)):  # fmt: skip
        assert "already; name an empty place" in refused(rocklake(*given))
    absent = refused(rocklake("restore", "--from", f"file://{tmp_path}/absent", "--store", f"{place}2"), code=4)
    assert "does not exist" in absent
    with serving(f"{place}3", tmp_path):
        pass  # a store without lakes is an empty place
    done(rocklake("restore", "--from", place, "--store", f"{place}3", "--output", "json"))


def test_a_backup_goes_from_a_bucket_to_another_place_and_back_into_a_folder(tmp_path: Path) -> None:
    with S3Stub() as stub:
        variables = dict(stub.variables)
        with serving("s3://bucket/a", tmp_path, variables) as server:
            small_lake(server, tmp_path)
            done(rocklake("backup", "--store", "s3://bucket/a", "--to", "s3://bucket/b", "--output", "json",
                          variables=variables))  # fmt: skip
        done(rocklake("restore", "--from", "s3://bucket/b", "--store", f"file://{tmp_path}/new", "--output", "json",
                      variables=variables))  # fmt: skip
    with serving(f"file://{tmp_path}/new", tmp_path) as server, client(server, tmp_path) as duck:
        assert duck.rows("FROM t") == [(2,)]
        assert duck.rows("FROM t AT (VERSION => 2) ORDER BY a") == [(1,), (2,)]
