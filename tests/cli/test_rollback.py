"""``rocklake rollback``: the new snapshot shows what the target shows, the history stays, and the lake goes on."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest

from tests.cli.console import rocklake
from tests.cli.test_backup import done, refused, serving
from tests.duckdb_client import EXTENSIONS, LakeClient
from tests.s3_stub import S3Stub
from tests.servers import RockLakeServer

pytestmark = pytest.mark.duckdb

STEPS = (
    "CREATE TABLE a(i INTEGER, s VARCHAR, l INTEGER[])",
    "INSERT INTO a VALUES (1, 'one', [1]), (2, 'two', NULL), (3, NULL, [])",
    "CREATE TABLE f(i INTEGER, p INTEGER)",
    "ALTER TABLE f SET PARTITIONED BY (p)",
    "INSERT INTO f SELECT i, i % 3 FROM range(300) r(i)",
    "DELETE FROM a WHERE i = 2",
    "UPDATE a SET s = 'uno' WHERE i = 1",
    "DELETE FROM f WHERE i < 50",
    "CREATE SCHEMA other",
    "CREATE TABLE other.t AS SELECT i FROM range(200) r(i)",
    "CREATE VIEW v AS SELECT i FROM a",
    "CREATE MACRO plus(x) AS x + 1",
    "COMMENT ON TABLE f IS 'files'",
    "DELETE FROM f WHERE i < 100",
    "ALTER TABLE a ADD COLUMN extra DOUBLE DEFAULT 0.5",
    "INSERT INTO a VALUES (4, 'four', [4], 4.5)",
    "ALTER TABLE a DROP COLUMN l",
    "ALTER TABLE f RENAME TO g",
    "DROP VIEW v",
    "DROP TABLE other.t",
    "DROP SCHEMA other",
    "DROP MACRO plus",
    "TRUNCATE g",
    "INSERT INTO g SELECT i, 7 FROM range(150) r(i)",
    "CREATE TABLE later AS SELECT 1 AS one",
)
"""Each is one snapshot, the first is snapshot 1."""

DEFINITIONS = (
    "SELECT schema_name, table_name, comment FROM duckdb_tables() WHERE database_name = 'lake' ORDER BY ALL",
    "SELECT schema_name, table_name, column_name, data_type, column_default FROM duckdb_columns() "
    "WHERE database_name = 'lake' AND NOT internal ORDER BY ALL",
    "SELECT schema_name, view_name, sql FROM duckdb_views() WHERE database_name = 'lake' AND NOT internal ORDER BY ALL",
    "SELECT schema_name, function_name FROM duckdb_functions() "
    "WHERE database_name = 'lake' AND NOT internal ORDER BY ALL",
)


def picture(duck: LakeClient, at: int | None = None) -> list[object]:
    """Every row of every table, newest or at a snapshot."""
    tables = duck.rows(
        "SELECT schema_name, table_name FROM duckdb_tables() WHERE database_name = 'lake' ORDER BY ALL"
    ) if at is None else _tables_at(duck, at)
    version = "" if at is None else f"AT (VERSION => {at})"
    return [(schema, table, duck.rows(f'FROM "{schema}"."{table}" {version} ORDER BY ALL')) for schema, table in tables]


def _tables_at(duck: LakeClient, at: int) -> list[tuple[object, ...]]:
    alive = f"begin_snapshot <= {at} AND (end_snapshot IS NULL OR {at} < end_snapshot)"
    return duck.rows(
        f"SELECT schema_name, table_name FROM (FROM __ducklake_metadata_lake.public.ducklake_table WHERE {alive}) "
        f"JOIN (FROM __ducklake_metadata_lake.public.ducklake_schema WHERE {alive}) USING (schema_id) ORDER BY ALL"
    )


def seen(server: RockLakeServer, data: Path, at: int | None = None) -> tuple[list[object], list[object]]:
    """(rows, definitions) that a new client sees, attached at a snapshot or at the newest."""
    options = "" if at is None else f", SNAPSHOT_VERSION {at}"
    with LakeClient(server.dsn("lake"), data, options) as duck:
        return picture(duck), [duck.rows(query) for query in DEFINITIONS]


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a store whose lake has a snapshot for each step."""
    folder = tmp_path_factory.mktemp("original")
    with serving(f"file://{folder}/store", folder) as server, LakeClient(server.dsn("lake"), folder / "data") as duck:
        for number, step in enumerate(STEPS, 1):
            duck.run(step)
            assert duck.snapshot() == number, step
    (folder / "data").rename(folder / "pristine")
    return folder


Seen = tuple[list[object], list[object]]


@pytest.fixture(scope="module")
def untouched(original: Path) -> Iterator[Callable[[int], Seen]]:
    """What the original shows of a snapshot, asked for once."""
    with serving(f"file://{original}/store", original) as server:

        @cache
        def at(snapshot: int) -> Seen:
            return seen(server, original / "data", snapshot)

        yield at


@pytest.fixture
def data(original: Path) -> Path:
    """The lake's data files, none removed yet."""
    shutil.rmtree(original / "data", ignore_errors=True)
    shutil.copytree(original / "pristine", original / "data")
    return original / "data"


EVERY_SNAPSHOT = "ROCKLAKE_EVERY_SNAPSHOT"
"""Set, all snapshots of the script are rolled back to (``make rollbacks``); a few of its kinds otherwise."""

TARGETS = range(1, len(STEPS)) if os.environ.get(EVERY_SNAPSHOT) else (1, 15, len(STEPS) - 1)


@pytest.mark.slow
@pytest.mark.parametrize("target", TARGETS)
def test_each_snapshot_is_shown_again(
    target: int, original: Path, untouched: Callable[[int], Seen], data: Path, tmp_path: Path
) -> None:
    newest, store = len(STEPS), f"file://{tmp_path}/store"
    done(rocklake("backup", "--store", f"file://{original}/store", "--to", store, "--output", "json"))
    place = ("--store", store, "--lake", "lake", "--to-snapshot", str(target), "--output", "json")
    planned = json.loads(rocklake("rollback", "plan", *place).stdout)
    ended = rocklake("rollback", "apply", *place)
    assert ended.code == 0, ended
    assert json.loads(ended.stdout) == planned
    assert "Rolling back lake lake" in ended.stderr
    with serving(store, tmp_path) as server:
        assert seen(server, data) == untouched(target)
        for at in (target, newest - 1, newest):
            assert seen(server, data, at) == untouched(at)
        with LakeClient(server.dsn("lake"), data) as duck:
            assert duck.snapshot() == newest + 1
            assert duck.rows("SELECT changes FROM ducklake_snapshots('lake') ORDER BY snapshot_id DESC LIMIT 1")
            before = picture(duck)
            for _, table, rows in before:  # type: ignore[misc]
                if table in ("f", "g", "a") and rows:
                    duck.run(f"DELETE FROM {table} WHERE i = {rows[-1][0]}")
                    duck.run(f"INSERT INTO {table}(i) VALUES (-1)")
            after = picture(duck)
            assert len(after) == len(before)
            duck.run("CALL ducklake_expire_snapshots('lake', older_than => now() + INTERVAL 1 DAY)",
                     "CALL ducklake_cleanup_old_files('lake', cleanup_all => true)")  # fmt: skip
        assert seen(server, data)[0] == after
    assert rocklake("verify", "--store", store, "--lake", "lake", "--data-files").code == 0


def small(tmp_path: Path, *steps: str) -> tuple[str, Path]:
    store, data = f"file://{tmp_path}/store", tmp_path / "data"
    with serving(store, tmp_path) as server, LakeClient(server.dsn("lake"), data) as duck:
        duck.run(*steps)
    return store, data


def test_a_merged_file_shows_only_the_targets_rows(tmp_path: Path) -> None:
    store, data = small(
        tmp_path, "CREATE TABLE t(i INTEGER)", "CALL lake.set_option('data_inlining_row_limit', 0)",
        *(f"INSERT INTO t SELECT {n} * 10 + i FROM range(5) r(i)" for n in range(4)),
    )  # fmt: skip
    with serving(store, tmp_path) as server, LakeClient(server.dsn("lake"), data) as duck:
        expected = duck.rows("FROM t AT (VERSION => 4) ORDER BY i")
        duck.run("CALL ducklake_merge_adjacent_files('lake')")
        assert duck.rows("FROM t AT (VERSION => 4) ORDER BY i") == expected
    ended = rocklake("rollback", "apply", "--store", store, "--lake", "lake", "--to-snapshot", "4")
    assert ended.code == 0, ended
    with serving(store, tmp_path) as server, LakeClient(server.dsn("lake"), data) as duck:
        assert duck.rows("FROM t ORDER BY i") == expected
        assert len(expected) in (10, 15)
        assert duck.value("SELECT count(*) FROM t") == len(expected)
        assert duck.value("SELECT max(i) FROM t") == expected[-1][0]


def test_a_file_that_was_cleaned_up_is_missed_before_anything_is_changed(tmp_path: Path) -> None:
    store, data = small(
        tmp_path, "CREATE TABLE t AS SELECT i FROM range(100) r(i)", "TRUNCATE t", "INSERT INTO t VALUES (1)")
    (lost,) = data.rglob("*.parquet")
    lost.rename(lost.with_suffix(".away"))
    place = ("--store", store, "--lake", "lake", "--to-snapshot", "1")
    for command in ("plan", "apply"):
        ended = rocklake("rollback", command, *place)
        assert ended.code == 1
        assert ended.stderr.splitlines()[-1] == f'rocklake: file "{lost}" is needed and was cleaned up'
    lost.with_suffix(".away").rename(lost)
    lost.write_bytes(b"shorter")
    assert "has 7 bytes, not the" in rocklake("rollback", "plan", *place).stderr
    with serving(store, tmp_path) as server, LakeClient(server.dsn("lake"), data) as duck:
        assert duck.rows("FROM t") == [(1,)]
        assert duck.snapshot() == 3
    assert list(data.rglob("*.parquet")) == [lost]


def test_what_an_attempt_that_was_killed_left_is_no_hindrance(tmp_path: Path) -> None:
    store, data = small(tmp_path, "CREATE TABLE t AS SELECT i FROM range(100) r(i)", "TRUNCATE t")
    (file,) = data.rglob("*.parquet")
    file.with_name(f"{file.stem}-3.parquet").write_bytes(b"half")
    assert rocklake("rollback", "apply", "--store", store, "--lake", "lake", "--to-snapshot", "1").code == 0
    with serving(store, tmp_path) as server, LakeClient(server.dsn("lake"), data) as duck:
        assert duck.value("SELECT sum(i) FROM t") == 4950


@pytest.mark.parametrize(
    ("target", "said"),
    [("9", 'has no snapshot 9, or it has expired; its newest one is 2'), ("2", "snapshot 2 is the newest one")],
)
def test_other_snapshots_are_refused(target: str, said: str, tmp_path: Path) -> None:
    store, _ = small(tmp_path, "CREATE TABLE t(i INTEGER)", "INSERT INTO t VALUES (1)")
    assert said in refused(rocklake("rollback", "plan", "--store", store, "--lake", "lake", "--to-snapshot", target))


def test_an_expired_snapshot_is_refused(tmp_path: Path) -> None:
    store, data = small(tmp_path, "CREATE TABLE t(i INTEGER)", "INSERT INTO t VALUES (1)", "DROP TABLE t")
    with serving(store, tmp_path) as server, LakeClient(server.dsn("lake"), data) as duck:
        duck.run("CALL ducklake_expire_snapshots('lake', versions => [1])")
    said = refused(rocklake("rollback", "plan", "--store", store, "--lake", "lake", "--to-snapshot", "1"))
    assert "has no snapshot 1, or it has expired" in said


def test_a_schema_whose_name_was_taken_again_cannot_return(tmp_path: Path) -> None:
    store, _ = small(tmp_path, "CREATE SCHEMA s", "DROP SCHEMA s", "CREATE SCHEMA S")
    said = refused(rocklake("rollback", "plan", "--store", store, "--lake", "lake", "--to-snapshot", "1"))
    assert said == 'schema "s" was dropped at snapshot 2 and another of its name was made: it cannot return'


def test_a_server_is_planned_beside_and_not_written_under(tmp_path: Path) -> None:
    store, data = small(tmp_path, "CREATE TABLE t(i INTEGER)", "INSERT INTO t VALUES (1)", "INSERT INTO t VALUES (2)")
    place = ("--store", store, "--lake", "lake", "--to-snapshot", "2")
    with serving(store, tmp_path) as server:
        assert "inlined_delete:1" in rocklake("rollback", "plan", *place).stdout
        assert "a server holds store" in refused(rocklake("rollback", "apply", *place), code=5)
        with LakeClient(server.dsn("lake"), data) as duck:
            assert duck.rows("FROM t ORDER BY i") == [(1,), (2,)]


def test_the_next_clients_count_and_prune_rightly(tmp_path: Path) -> None:
    """Statistics of the whole table may have been narrowed since the target: a filter must find every row again."""
    store, data = small(
        tmp_path, "CALL lake.set_option('data_inlining_row_limit', 0)", "CREATE TABLE t(i INTEGER, n DOUBLE)",
        "INSERT INTO t SELECT i, i FROM range(1000) r(i)", "INSERT INTO t VALUES (5000, NULL), (NULL, 'nan')",
        "DELETE FROM t WHERE i > 10", "CALL ducklake_rewrite_data_files('lake', delete_threshold => 0)", "TRUNCATE t",
    )  # fmt: skip
    with serving(store, tmp_path) as server, LakeClient(server.dsn("lake"), data) as duck:
        target = next(at for at in range(duck.snapshot() + 1)
                      if at > 2 and duck.value(f"SELECT count(*) FROM t AT (VERSION => {at})") == 1002)  # fmt: skip
    ended = rocklake("rollback", "apply", "--store", store, "--lake", "lake", "--to-snapshot", str(target))
    assert ended.code == 0, ended
    with serving(store, tmp_path) as server, LakeClient(server.dsn("lake"), data) as duck:
        duck.run("INSERT INTO t VALUES (20, 20)")
        assert duck.value("SELECT count(*) FROM t") == 1003
        assert duck.rows("SELECT min(i), max(i), count(i), count(n) FROM t") == [(0, 5000, 1002, 1002)]
        assert duck.value("SELECT count(*) FROM t WHERE i = 5000") == 1
        assert duck.value("SELECT count(*) FROM t WHERE i IS NULL") == 1
        assert duck.value("SELECT count(*) FROM t WHERE isnan(n)") == 1


def test_rows_are_inlined_into_the_columns_that_there_are(tmp_path: Path) -> None:
    """DuckLake takes the relation of the greatest schema version for one with the table's columns."""
    store, data = small(
        tmp_path, "CREATE TABLE t(i INTEGER, l INTEGER[])", "INSERT INTO t VALUES (1, [1])",
        "ALTER TABLE t DROP COLUMN l", "ALTER TABLE t ADD COLUMN s VARCHAR", "INSERT INTO t VALUES (2, 'two')",
        "ALTER TABLE t ADD COLUMN more DATE",
    )  # fmt: skip
    for target, row in ((2, "(3, [3, NULL])"), (5, "(4, 'four')"), (3, "(5)"), (8, "(6, 'six')")):
        ended = rocklake("rollback", "apply", "--store", store, "--lake", "lake", "--to-snapshot", str(target))
        assert ended.code == 0, (target, ended)
        with serving(store, tmp_path) as server, LakeClient(server.dsn("lake"), data) as duck:
            before = duck.rows(f"FROM t AT (VERSION => {target}) ORDER BY i")
            assert duck.rows("FROM t ORDER BY i") == before
            if target != 8:
                duck.run(f"INSERT INTO t VALUES {row}")
                assert len(duck.rows("FROM t")) == len(before) + 1
                assert duck.file_count("t") == 0
    assert rocklake("verify", "--store", store, "--lake", "lake").code == 0


def test_metadata_of_the_new_snapshot_names_what_it_alters(tmp_path: Path) -> None:
    store, data = small(
        tmp_path, "CREATE TABLE t(i INTEGER)", "INSERT INTO t VALUES (1)", "CREATE TABLE u(i INTEGER)", "DROP TABLE t")
    assert rocklake("rollback", "apply", "--store", store, "--lake", "lake", "--to-snapshot", "2").code == 0
    with serving(store, tmp_path) as server, LakeClient(server.dsn("lake"), data) as duck:
        (row,) = duck.rows(
            "SELECT changes, author, commit_message FROM ducklake_snapshots('lake') WHERE snapshot_id = 5")
        assert row[1:] == ("rocklake", "rollback to snapshot 2")
        assert row[0]["tables_created"] == ["main.t"]
        assert row[0]["tables_dropped"] == ["2"]


def test_files_in_a_bucket_are_looked_for_and_copied_there(tmp_path: Path) -> None:
    with S3Stub() as stub:
        secret = (f"CREATE SECRET (TYPE s3, KEY_ID 'stub-access', SECRET 'stub-secret', REGION 'us-east-1', "
                  f"ENDPOINT '{stub.endpoint.removeprefix('http://')}', URL_STYLE 'path', USE_SSL false)")  # fmt: skip
        place = ("--store", "s3://bucket/catalog", "--lake", "lake", "--to-snapshot", "3")
        variables, objects = dict(stub.variables), stub.objects["bucket"]

        def client(server: RockLakeServer) -> LakeClient:
            extensions = ("httpfs", *EXTENSIONS)
            return LakeClient(server.dsn("lake"), "s3://bucket/data", "", extensions, settings=(secret,))

        with serving("s3://bucket/catalog", tmp_path, variables) as server, client(server) as duck:
            duck.run("CALL lake.set_option('data_inlining_row_limit', 0)",
                     "CREATE TABLE t AS SELECT i FROM range(100) r(i)", "DELETE FROM t WHERE i < 10",
                     "INSERT INTO t SELECT i FROM range(500, 550) r(i)", "TRUNCATE t")  # fmt: skip
            expected = duck.rows("FROM t AT (VERSION => 3) ORDER BY i")
        files = sorted(key for key in objects if key.startswith("data/"))
        assert len(files) == 3, "two data files and one with deletes"
        for lost in files:
            body = objects.pop(lost)
            for command in ("plan", "apply"):
                ended = rocklake("rollback", command, *place, variables=variables)
                assert ended.code == 1
                assert ended.stderr.splitlines()[-1] == (
                    f'rocklake: file "s3://bucket/{lost}" is needed and was cleaned up')
            objects[lost] = body
        assert sorted(key for key in objects if key.startswith("data/")) == files
        ended = rocklake("rollback", "apply", *place, "--output", "json", variables=variables)
        assert json.loads(ended.stdout)["files_copied"] == 3
        with serving("s3://bucket/catalog", tmp_path, variables) as server:
            with client(server) as duck:
                assert duck.rows("FROM t ORDER BY i") == expected
                duck.run("CALL ducklake_expire_snapshots('lake', older_than => now() + INTERVAL 1 DAY)",
                         "CALL ducklake_cleanup_old_files('lake', cleanup_all => true)")  # fmt: skip
            assert not set(files) & objects.keys()
            with client(server) as duck:
                assert duck.rows("FROM t ORDER BY i") == expected
        verified = rocklake("verify", *place[:4], "--data-files", variables=variables)
        assert verified.code == 0, verified
