"""Reading the lake as it was: by version, by timestamp, by ATTACH, and after later changes of all kinds."""

from __future__ import annotations

import duckdb
import pytest

from tests.duckdb_client import LakeClient
from tests.e2e.conftest import OpenLake


@pytest.fixture(params=["inlined", "parquet"])
def history(request: pytest.FixtureRequest, lake: LakeClient) -> LakeClient:
    """Snapshots: 1 create, 2 insert 1-3, 3 update 2, 4 delete 1, 5 rename a column, 6 insert 4."""
    options = ", DATA_INLINING_ROW_LIMIT 0" if request.param == "parquet" else ""
    lake.run("USE memory", "DETACH lake")
    lake.run(f"ATTACH 'ducklake:postgres:{lake.dsn}' AS lake (DATA_PATH '{lake.data_path}/'{options})", "USE lake")
    lake.run("CREATE TABLE t(id INTEGER, v VARCHAR)", "INSERT INTO t VALUES (1, 'a'), (2, 'b'), (3, 'c')")
    lake.run("UPDATE t SET v = 'B' WHERE id = 2", "DELETE FROM t WHERE id = 1")
    lake.run("ALTER TABLE t RENAME COLUMN v TO w", "INSERT INTO t VALUES (4, 'd')")
    return lake


STATES = {
    1: [],
    2: [(1, "a"), (2, "b"), (3, "c")],
    3: [(1, "a"), (2, "B"), (3, "c")],
    4: [(2, "B"), (3, "c")],
    5: [(2, "B"), (3, "c")],
    6: [(2, "B"), (3, "c"), (4, "d")],
}


def test_every_version_reads_as_it_was(history: LakeClient, open_lake: OpenLake) -> None:
    for client in (history, open_lake()):
        for version, rows in STATES.items():
            assert client.rows(f"FROM t AT (VERSION => {version}) ORDER BY id") == rows


def test_every_timestamp_reads_as_it_was(history: LakeClient, open_lake: OpenLake) -> None:
    other = open_lake()
    times = dict(other.rows("SELECT snapshot_id, snapshot_time::VARCHAR FROM ducklake_snapshots('lake')"))
    assert len(set(times.values())) == len(times), "snapshot times differ"
    for version, rows in STATES.items():
        at = f"AT (TIMESTAMP => TIMESTAMPTZ '{times[version]}')"
        assert other.rows(f"FROM t {at} ORDER BY id") == rows
    assert other.rows("FROM t AT (TIMESTAMP => now()) ORDER BY id") == STATES[6]


def test_snapshot_times_rise_with_their_ids(history: LakeClient) -> None:
    times = history.rows("SELECT snapshot_time::VARCHAR FROM ducklake_snapshots('lake') ORDER BY snapshot_id")
    assert times == sorted(times)


def test_versions_that_never_were_are_refused(history: LakeClient) -> None:
    with pytest.raises(duckdb.Error, match=r"(?i)no snapshot found at version 99"):
        history.rows("FROM t AT (VERSION => 99)")
    with pytest.raises(duckdb.Error, match=r"(?i)does not exist"):
        history.rows("FROM t AT (VERSION => 0)")
    with pytest.raises(duckdb.Error, match=r"(?i)no snapshot"):
        history.rows("FROM t AT (TIMESTAMP => TIMESTAMP '2001-01-01')")


def test_a_lake_is_attached_at_a_version(history: LakeClient, open_lake: OpenLake) -> None:
    old = open_lake(", SNAPSHOT_VERSION 3")
    assert old.rows("FROM t ORDER BY id") == STATES[3]
    with pytest.raises(duckdb.Error):
        old.run("INSERT INTO t VALUES (5, 'e')")


def test_a_dropped_table_is_read_and_restored_from_its_past(history: LakeClient, open_lake: OpenLake) -> None:
    history.run("DROP TABLE t")
    other = open_lake()
    with pytest.raises(duckdb.CatalogException):
        other.rows("FROM t")
    assert other.rows("FROM t AT (VERSION => 6) ORDER BY id") == STATES[6]
    other.run("CREATE TABLE t AS FROM t AT (VERSION => 4)")
    assert history.rows("FROM t ORDER BY id") == STATES[4]


def test_two_versions_in_one_query(history: LakeClient) -> None:
    gone = "SELECT id FROM t AT (VERSION => 2) EXCEPT SELECT id FROM t AT (VERSION => 6)"
    assert history.rows(gone) == [(1,)]
