"""The change feed and the functions that describe a lake."""

from __future__ import annotations

import pytest

from tests.duckdb_client import LakeClient
from tests.e2e.conftest import OpenLake


@pytest.fixture(params=["inlined", "parquet"])
def feed(request: pytest.FixtureRequest, lake: LakeClient) -> tuple[LakeClient, int]:
    """A client, and the snapshot of CREATE TABLE; +1 insert, +2 insert, +3 update, +4 delete."""
    if request.param == "parquet":
        lake.write_parquet_only()
    lake.run("CREATE TABLE t(id INTEGER, v VARCHAR)")
    created = lake.snapshot()
    lake.run("INSERT INTO t VALUES (1, 'a'), (2, 'b')", "INSERT INTO t VALUES (3, 'c')")
    lake.run("UPDATE t SET v = 'B' WHERE id = 2", "DELETE FROM t WHERE id = 1")
    return lake, created


def test_table_changes_tells_inserts_updates_and_deletes(feed: tuple[LakeClient, int], open_lake: OpenLake) -> None:
    _, created = feed
    changes = open_lake().rows(
        f"SELECT snapshot_id - {created}, rowid, change_type, id, v "
        f"FROM lake.table_changes('t', {created}, {created + 4}) ORDER BY ALL"
    )
    assert changes == [
        (1, 0, "insert", 1, "a"),
        (1, 1, "insert", 2, "b"),
        (2, 2, "insert", 3, "c"),
        (3, 1, "update_postimage", 2, "B"),
        (3, 1, "update_preimage", 2, "b"),
        (4, 0, "delete", 1, "a"),
    ]


def test_table_insertions_and_deletions_of_a_range(feed: tuple[LakeClient, int]) -> None:
    lake, created = feed
    inserted = f"SELECT id FROM lake.table_insertions('t', {created + 1}, {created + 2}) ORDER BY 1"
    assert lake.rows(inserted) == [(1,), (2,), (3,)]
    deleted = f"SELECT id, v FROM ducklake_table_deletions('lake', 'main', 't', {created + 4}, {created + 4})"
    assert lake.rows(deleted) == [(1, "a")]


def test_changes_by_timestamp(feed: tuple[LakeClient, int]) -> None:
    lake, created = feed
    times = dict(lake.rows("SELECT snapshot_id, snapshot_time::VARCHAR FROM ducklake_snapshots('lake')"))
    first, last = (f"TIMESTAMPTZ '{times[created + step]}'" for step in (2, 3))
    kinds = lake.rows(f"SELECT change_type, id FROM lake.table_changes('t', {first}, {last}) ORDER BY ALL")
    assert kinds == [("insert", 3), ("update_postimage", 2), ("update_preimage", 2)]


def test_rowid_and_snapshot_id_columns(feed: tuple[LakeClient, int]) -> None:
    lake, created = feed
    rows = lake.rows(f"SELECT rowid, snapshot_id - {created}, id FROM t ORDER BY rowid")
    assert rows == [(1, 3, 2), (2, 2, 3)]


def test_snapshots_name_what_changed(lake: LakeClient, open_lake: OpenLake) -> None:
    lake.run("CREATE SCHEMA s", "CREATE TABLE s.t(id INTEGER)", "INSERT INTO s.t VALUES (1)", "DROP TABLE s.t")
    changes = open_lake().rows("SELECT snapshot_id, changes::VARCHAR FROM ducklake_snapshots('lake') ORDER BY 1")
    assert [version for version, _ in changes] == [0, 1, 2, 3, 4]
    assert [str(text).split("=")[0] for _, text in changes] == [
        "{schemas_created",
        "{schemas_created",
        "{tables_created",
        "{inlined_insert",
        "{tables_dropped",
    ]


def test_table_info_counts_files_and_bytes(parquet_lake: LakeClient, open_lake: OpenLake) -> None:
    parquet_lake.run("CREATE TABLE t(id INTEGER)", "INSERT INTO t FROM range(1000)", "INSERT INTO t FROM range(10)")
    parquet_lake.run("DELETE FROM t WHERE id % 2 = 0")
    info = open_lake().rows(
        "SELECT table_name, file_count, file_size_bytes > 0, delete_file_count, delete_file_size_bytes > 0 "
        "FROM ducklake_table_info('lake')"
    )
    assert info == [("t", 2, True, 2, True)]


def test_list_files_names_existing_files(parquet_lake: LakeClient, open_lake: OpenLake) -> None:
    parquet_lake.run("CREATE TABLE t(id INTEGER)", "INSERT INTO t FROM range(10)", "INSERT INTO t FROM range(10, 20)")
    files = open_lake().rows("SELECT data_file, data_file_size_bytes FROM ducklake_list_files('lake', 't')")
    assert len(files) == 2
    for path, size in files:
        assert (parquet_lake.data_path / str(path)).stat().st_size == size


def test_settings_and_current_snapshot(lake: LakeClient) -> None:
    lake.run("CREATE TABLE t(id INTEGER)")
    assert lake.value("SELECT catalog_type FROM ducklake_settings('lake')") == "postgres"
    assert lake.value("SELECT id FROM ducklake_current_snapshot('lake')") == 1
    assert lake.value("SELECT id FROM ducklake_last_committed_snapshot('lake')") == 1


def test_the_metadata_catalog_is_queried_through_duckdb(lake: LakeClient) -> None:
    lake.run("CREATE TABLE t(id INTEGER)", "INSERT INTO t VALUES (1)")
    names = lake.rows("SELECT table_name, begin_snapshot FROM __ducklake_metadata_lake.ducklake_table")
    assert names == [("t", 1)]
    joined = (
        "SELECT s.schema_name, t.table_name, count(*) FROM __ducklake_metadata_lake.ducklake_table t "
        "JOIN __ducklake_metadata_lake.ducklake_schema s USING (schema_id) "
        "JOIN __ducklake_metadata_lake.ducklake_column c USING (table_id) GROUP BY ALL"
    )
    assert lake.rows(joined) == [("main", "t", 1)]
