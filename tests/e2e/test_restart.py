"""The server is stopped and started again: every lake is as it was, and clients go on."""

from __future__ import annotations

import duckdb

from tests.duckdb_client import LakeClient
from tests.e2e.conftest import OpenLake
from tests.servers import CatalogServer

CATALOG = "SELECT COLUMNS(*)::VARCHAR FROM __ducklake_metadata_lake.ducklake_{} ORDER BY ALL"
RELATIONS = ("snapshot", "snapshot_changes", "schema", "table", "column", "data_file", "table_stats", "metadata")


def _fill(lake: LakeClient) -> None:
    lake.run("CREATE TABLE t(id INTEGER, name VARCHAR)", "INSERT INTO t VALUES (1, 'a'), (2, 'b'), (3, NULL)")
    lake.run("CALL lake.set_option('data_inlining_row_limit', 0, table_name => 't')")
    lake.run("INSERT INTO t SELECT range, 'n' FROM range(10, 20)", "UPDATE t SET name = 'z' WHERE id = 12")
    lake.run("DELETE FROM t WHERE id IN (1, 15)", "CREATE VIEW v AS SELECT count(*) AS n FROM t")


def _catalog(lake: LakeClient) -> dict[str, list[tuple[object, ...]]]:
    lake.run("USE memory")
    found = {name: lake.rows(CATALOG.format(name)) for name in RELATIONS}
    lake.run("USE lake")
    return found


def test_everything_is_there_after_a_restart(
    rocklake_server: CatalogServer, lake: LakeClient, open_lake: OpenLake
) -> None:
    _fill(lake)
    rows, catalog = lake.rows("FROM t ORDER BY id"), _catalog(lake)
    lake.close()
    for _ in range(2):
        rocklake_server.restart()
        again = open_lake()
        assert again.rows("FROM t ORDER BY id") == rows
        assert again.rows("FROM v") == [(11,)]
        assert again.rows("FROM t AT (VERSION => 2) ORDER BY id") == [(1, "a"), (2, "b"), (3, None)]
        assert _catalog(again) == catalog
        again.close()


def test_ids_go_on_after_a_restart(rocklake_server: CatalogServer, lake: LakeClient, open_lake: OpenLake) -> None:
    _fill(lake)
    before = lake.snapshot()
    lake.close()
    rocklake_server.restart()
    again = open_lake()
    again.run("INSERT INTO t VALUES (100, 'new')", "CREATE TABLE u(x INTEGER)")
    assert again.snapshot() == before + 2
    ids = "SELECT count(*), count(DISTINCT {0}) FROM __ducklake_metadata_lake.ducklake_{1}"
    for column, relation in (("snapshot_id", "snapshot"), ("data_file_id", "data_file"), ("table_id", "table")):
        ((total, distinct),) = again.rows(ids.format(column, relation))
        assert total == distinct, relation


def test_a_connected_client_goes_on_after_a_restart(rocklake_server: CatalogServer, lake: LakeClient) -> None:
    """The first statement on the broken connection may fail; then the client has to be served again."""
    lake.run("CREATE TABLE t(id INTEGER)", "INSERT INTO t VALUES (1)")
    rocklake_server.restart()
    try:
        lake.rows("FROM t")
    except duckdb.Error:
        pass  # the connection that broke
    assert lake.rows("FROM t") == [(1,)]
    lake.run("INSERT INTO t VALUES (2)")
    assert lake.rows("FROM t ORDER BY id") == [(1,), (2,)]
