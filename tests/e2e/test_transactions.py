"""Multi-statement transactions: all of it or none of it, and nothing is seen before COMMIT."""

from __future__ import annotations

import duckdb
import pytest

from tests.duckdb_client import LakeClient
from tests.e2e.conftest import OpenLake


@pytest.fixture(params=["inlined", "parquet"])
def table(request: pytest.FixtureRequest, lake: LakeClient) -> LakeClient:
    """A lake with the table t(id) of two rows, in each storage form."""
    if request.param == "parquet":
        lake.write_parquet_only()
    lake.run("CREATE TABLE t(id INTEGER)", "INSERT INTO t VALUES (1), (2)")
    return lake


def test_a_transaction_is_one_snapshot(table: LakeClient, open_lake: OpenLake) -> None:
    before = table.snapshot()
    table.run("BEGIN", "INSERT INTO t VALUES (3)", "DELETE FROM t WHERE id = 1", "CREATE TABLE u AS SELECT 7 AS x")
    table.run("UPDATE t SET id = 20 WHERE id = 2", "INSERT INTO u VALUES (8)", "COMMIT")
    other = open_lake()
    assert other.snapshot() == before + 1
    assert other.rows("FROM t ORDER BY id") == [(3,), (20,)]
    assert other.rows("FROM u ORDER BY x") == [(7,), (8,)]


def test_rollback_leaves_no_trace(table: LakeClient, open_lake: OpenLake) -> None:
    before = table.snapshot()
    table.run("BEGIN", "INSERT INTO t VALUES (3)", "CREATE SCHEMA s", "CREATE TABLE s.u(x INTEGER)")
    table.run("ALTER TABLE t ADD COLUMN y INTEGER", "DELETE FROM t WHERE id = 1", "ROLLBACK")
    assert table.rows("FROM t ORDER BY id") == [(1,), (2,)]
    other = open_lake()
    assert other.snapshot() == before
    assert other.rows("FROM t ORDER BY id") == [(1,), (2,)]


def test_other_clients_see_nothing_before_commit(table: LakeClient, open_lake: OpenLake) -> None:
    other = open_lake()
    table.run("BEGIN", "INSERT INTO t VALUES (3)", "UPDATE t SET id = id * 10")
    assert table.rows("FROM t ORDER BY id") == [(10,), (20,), (30,)]
    assert other.rows("FROM t ORDER BY id") == [(1,), (2,)]
    table.run("COMMIT")
    assert other.rows("FROM t ORDER BY id") == [(10,), (20,), (30,)]


def test_a_transaction_keeps_reading_its_snapshot(table: LakeClient, open_lake: OpenLake) -> None:
    other = open_lake()
    other.run("BEGIN")
    assert other.rows("SELECT count(*) FROM t") == [(2,)]
    table.run("INSERT INTO t VALUES (3)", "DELETE FROM t WHERE id = 1")
    assert other.rows("FROM t ORDER BY id") == [(1,), (2,)]
    other.run("COMMIT")
    assert other.rows("FROM t ORDER BY id") == [(2,), (3,)]


def test_an_error_inside_a_transaction_undoes_all_of_it(table: LakeClient, open_lake: OpenLake) -> None:
    table.run("BEGIN", "INSERT INTO t VALUES (3)")
    with pytest.raises(duckdb.Error):
        table.run("INSERT INTO t VALUES ('not a number')")
    table.run("ROLLBACK")
    assert open_lake().rows("FROM t ORDER BY id") == [(1,), (2,)]
    table.run("INSERT INTO t VALUES (4)")
    assert open_lake().rows("FROM t ORDER BY id") == [(1,), (2,), (4,)]


def test_a_table_created_changed_and_dropped_in_one_transaction(table: LakeClient, open_lake: OpenLake) -> None:
    table.run("BEGIN", "CREATE TABLE u(x INTEGER)", "INSERT INTO u VALUES (1)", "ALTER TABLE u RENAME TO w")
    table.run("ALTER TABLE w ADD COLUMN y INTEGER DEFAULT 5")
    assert table.rows("FROM w") == [(1, 5)]
    table.run("DROP TABLE w", "INSERT INTO t VALUES (3)", "COMMIT")
    names = "SELECT table_name FROM duckdb_tables() WHERE database_name = 'lake'"
    assert open_lake().rows(names) == [("t",)]
    assert open_lake().rows("FROM t ORDER BY id") == [(1,), (2,), (3,)]


def test_a_commit_message_is_kept(table: LakeClient, open_lake: OpenLake) -> None:
    table.run("BEGIN", "INSERT INTO t VALUES (3)")
    table.run("CALL lake.set_commit_message('Ada', 'it''s loaded', extra_info => '{\"job\": 7}')", "COMMIT")
    newest = (
        "SELECT author, commit_message, commit_extra_info FROM ducklake_snapshots('lake') "
        "ORDER BY snapshot_id DESC LIMIT 1"
    )
    assert open_lake().rows(newest) == [("Ada", "it's loaded", '{"job": 7}')]


def test_hundreds_of_tables_in_one_commit(lake: LakeClient, open_lake: OpenLake) -> None:
    lake.run("BEGIN", *(f"CREATE TABLE t{n}(a INTEGER, b VARCHAR)" for n in range(150)), "COMMIT")
    assert open_lake().value("SELECT count(*) FROM duckdb_tables() WHERE database_name = 'lake'") == 150
    assert lake.snapshot() == 1
