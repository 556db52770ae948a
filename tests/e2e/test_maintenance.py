"""Maintenance through DuckLake's functions: expire, clean up, merge, rewrite, flush; the rows stay what they were."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pytest

from tests.duckdb_client import LakeClient
from tests.e2e.conftest import OpenLake


def _parquet_files(folder: Path) -> int:
    return len(list(folder.rglob("*.parquet")))


def test_expired_snapshots_are_gone_and_the_rest_stays(parquet_lake: LakeClient, open_lake: OpenLake) -> None:
    lake = parquet_lake
    lake.run("CREATE TABLE t(id INTEGER)", "INSERT INTO t FROM range(10)", "DELETE FROM t", "INSERT INTO t VALUES (7)")
    dry = "SELECT snapshot_id FROM ducklake_expire_snapshots('lake', dry_run => true, versions => [2])"
    assert lake.rows(dry) == [(2,)]
    assert lake.rows("SELECT count(*) FROM t AT (VERSION => 2)") == [(10,)]
    lake.run("SELECT count(*) FROM ducklake_expire_snapshots('lake', versions => [2])")
    other = open_lake()
    with pytest.raises(duckdb.Error, match=r"(?i)no snapshot found at version 2"):
        other.rows("FROM t AT (VERSION => 2)")
    assert other.rows("FROM t") == [(7,)]
    assert other.rows("SELECT snapshot_id FROM ducklake_snapshots('lake') ORDER BY 1") == [(0,), (1,), (3,), (4,)]


def test_files_of_dropped_tables_are_cleaned_up_after_expiry(parquet_lake: LakeClient, open_lake: OpenLake) -> None:
    lake = parquet_lake
    lake.run("CREATE TABLE t(id INTEGER)", "INSERT INTO t FROM range(10)", "INSERT INTO t FROM range(10)")
    lake.run("CREATE TABLE kept AS SELECT 1 AS id", "DROP TABLE t")
    lake.run("SELECT count(*) FROM ducklake_expire_snapshots('lake', older_than => now())")
    scheduled = "SELECT count(*) FROM ducklake_cleanup_old_files('lake', dry_run => true, cleanup_all => true)"
    assert lake.value(scheduled) == 2
    assert _parquet_files(lake.data_path) == 3
    lake.run("CALL ducklake_cleanup_old_files('lake', cleanup_all => true)")
    assert _parquet_files(lake.data_path) == 1
    assert open_lake().value(scheduled) == 0
    assert open_lake().rows("FROM kept") == [(1,)]


def test_small_files_are_merged(parquet_lake: LakeClient, open_lake: OpenLake) -> None:
    lake = parquet_lake
    lake.run("CREATE TABLE t(id INTEGER)")
    for number in range(5):
        lake.run(f"INSERT INTO t VALUES ({number})")
    assert lake.file_count("t") == 5
    lake.run("CALL ducklake_merge_adjacent_files('lake')")
    other = open_lake()
    assert other.file_count("t") == 1
    assert other.rows("FROM t ORDER BY id") == [(0,), (1,), (2,), (3,), (4,)]
    assert other.rows("FROM t AT (VERSION => 3) ORDER BY id") == [(0,), (1,)]


def test_rewriting_removes_deleted_rows_from_files(parquet_lake: LakeClient, open_lake: OpenLake) -> None:
    lake = parquet_lake
    lake.run("CREATE TABLE t(id INTEGER)", "INSERT INTO t FROM range(100)", "DELETE FROM t WHERE id < 90")
    done = lake.rows(
        "SELECT table_name, files_processed, files_created "
        "FROM ducklake_rewrite_data_files('lake', 't', delete_threshold => 0)"
    )
    assert done == [("t", 1, 1)]
    files = "SELECT count(*), count(delete_file) FROM ducklake_list_files('lake', 't')"
    assert open_lake().rows(files) == [(1, 0)]
    assert open_lake().rows("SELECT count(*), min(id) FROM t") == [(10, 90)]
    assert open_lake().rows("SELECT count(*) FROM t AT (VERSION => 2)") == [(100,)]


def test_inlined_rows_are_flushed_to_files(lake: LakeClient, open_lake: OpenLake) -> None:
    lake.run("CREATE TABLE t(id INTEGER, name VARCHAR)", "INSERT INTO t VALUES (1, 'a'), (2, 'b')")
    lake.run("INSERT INTO t VALUES (3, 'c')", "DELETE FROM t WHERE id = 1", "UPDATE t SET name = 'B' WHERE id = 2")
    assert lake.file_count("t") == 0
    version = lake.snapshot()
    lake.run("CALL ducklake_flush_inlined_data('lake')")
    other = open_lake()
    assert other.value("SELECT count(*) > 0 FROM ducklake_list_files('lake', 't')") is True
    assert other.rows("FROM t ORDER BY id") == [(2, "B"), (3, "c")]
    assert other.rows(f"FROM t AT (VERSION => {version}) ORDER BY id") == [(2, "B"), (3, "c")]
    assert other.rows("FROM t AT (VERSION => 3) ORDER BY id") == [(1, "a"), (2, "b"), (3, "c")]
    other.run("INSERT INTO t VALUES (4, 'd')")
    assert lake.rows("SELECT count(*) FROM t") == [(3,)]


def test_inlined_deletes_of_rows_in_files_are_flushed(lake: LakeClient, open_lake: OpenLake) -> None:
    lake.run("CREATE TABLE t(id INTEGER)", "INSERT INTO t FROM range(100)", "DELETE FROM t WHERE id IN (3, 50)")
    assert open_lake().rows("SELECT count(*), sum(id) FROM t") == [(98, 4897)]
    lake.run("CALL ducklake_flush_inlined_data('lake')", "DELETE FROM t WHERE id = 4")
    assert open_lake().rows("SELECT count(*), sum(id) FROM t") == [(97, 4893)]
    assert open_lake().rows("SELECT count(*) FROM t AT (VERSION => 2)") == [(100,)]


def test_a_checkpoint_does_it_all(lake: LakeClient, open_lake: OpenLake) -> None:
    lake.run("CREATE TABLE t(id INTEGER)", "INSERT INTO t FROM range(100)", "INSERT INTO t VALUES (100)")
    lake.run("CALL ducklake_flush_inlined_data('lake')", "DELETE FROM t WHERE id < 99", "CHECKPOINT lake")
    assert open_lake().rows("FROM t ORDER BY id") == [(99,), (100,)]


def test_orphaned_files_are_deleted(parquet_lake: LakeClient, open_lake: OpenLake) -> None:
    lake = parquet_lake
    lake.run("CREATE TABLE t(id INTEGER)", "INSERT INTO t VALUES (1)")
    stray = lake.data_path / "main" / "t" / "stray.parquet"
    lake.run(f"COPY (SELECT 9 AS id) TO '{stray}'")
    lake.run("CALL ducklake_delete_orphaned_files('lake', cleanup_all => true)")
    assert not stray.exists()
    assert open_lake().rows("FROM t") == [(1,)]


def test_foreign_parquet_files_are_added(lake: LakeClient, open_lake: OpenLake) -> None:
    foreign = lake.data_path.parent / "foreign.parquet"
    lake.run(f"COPY (SELECT 5 AS id, 'x' AS name, 1 AS extra) TO '{foreign}'")
    lake.run("CREATE TABLE t(id INTEGER, name VARCHAR)")
    lake.run(f"CALL ducklake_add_data_files('lake', 't', '{foreign}', ignore_extra_columns => true)")
    assert open_lake().rows("FROM t") == [(5, "x")]


def test_expiring_thousands_of_rows_by_ctid(lake: LakeClient, open_lake: OpenLake) -> None:
    """Maintenance deletes catalog rows by their ctid, in long IN lists."""
    lake.run("CREATE TABLE t(id INTEGER)", "BEGIN", *(f"CREATE TABLE t{n}(a INTEGER, b INTEGER)" for n in range(100)))
    lake.run("COMMIT", "BEGIN", *(f"DROP TABLE t{n}" for n in range(100)), "COMMIT")
    lake.run("SELECT count(*) FROM ducklake_expire_snapshots('lake', older_than => now())")
    rows = "SELECT count(*) FROM __ducklake_metadata_lake.ducklake_{}"
    other = open_lake()
    assert other.value(rows.format("table")) == 1
    assert other.value(rows.format("column")) == 1
