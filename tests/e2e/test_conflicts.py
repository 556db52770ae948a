"""Several writers at once: DuckLake's own retry resolves what can be resolved, and true conflicts fail."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import duckdb
import psycopg
import pytest

from tests.duckdb_client import LakeClient
from tests.e2e.conftest import OpenLake

BOOTSTRAPPING = 8
NO_RETRY = "SET ducklake_max_retry_count = 0"


@pytest.fixture
def pair(lake: LakeClient, open_lake: OpenLake) -> tuple[LakeClient, LakeClient]:
    """Two clients on a lake with the table t(id) that holds row 1."""
    lake.run("CREATE TABLE t(id INTEGER)", "INSERT INTO t VALUES (1)")
    return lake, open_lake()


def _both_insert(first: LakeClient, second: LakeClient) -> None:
    """Two open transactions on the same snapshot, the first committed."""
    first.run("BEGIN", "INSERT INTO t VALUES (2)")
    second.run("BEGIN", "INSERT INTO t VALUES (3)")
    first.run("COMMIT")


def test_without_retry_the_second_committer_collides(pair: tuple[LakeClient, LakeClient]) -> None:
    """Shows that the next test's success needs the retry: both commits want the same snapshot id."""
    first, second = pair
    second.run(NO_RETRY)
    _both_insert(first, second)
    with pytest.raises(duckdb.Error, match=r"(?i)primary key|unique|conflict|concurrent") as failure:
        second.run("COMMIT")
    assert "ducklake_snapshot_pkey" in str(failure.value) or "could not serialize" in str(failure.value)
    assert first.rows("FROM t ORDER BY id") == [(1,), (2,)]


def test_with_retry_both_rows_are_there(pair: tuple[LakeClient, LakeClient], open_lake: OpenLake) -> None:
    first, second = pair
    before = first.snapshot()
    _both_insert(first, second)
    second.run("COMMIT")
    other = open_lake()
    assert other.rows("FROM t ORDER BY id") == [(1,), (2,), (3,)]
    assert other.snapshot() == before + 2
    assert other.rows("SELECT count(DISTINCT rowid) FROM t") == [(3,)]


def test_different_schema_changes_are_both_kept(pair: tuple[LakeClient, LakeClient], open_lake: OpenLake) -> None:
    first, second = pair
    first.run("BEGIN", "CREATE TABLE a(x INTEGER)", "INSERT INTO a VALUES (10)")
    second.run("BEGIN", "CREATE TABLE b(x VARCHAR)", "INSERT INTO b VALUES ('y')", "CREATE SCHEMA s")
    first.run("COMMIT")
    second.run("COMMIT")
    other = open_lake()
    assert other.rows("FROM a") == [(10,)]
    assert other.rows("FROM b") == [("y",)]
    ids = other.rows("SELECT count(*), count(DISTINCT table_id) FROM __ducklake_metadata_lake.ducklake_table")
    assert ids == [(3, 3)]


@pytest.mark.parametrize(
    ("one", "two"),
    [
        pytest.param("CREATE TABLE u(a INTEGER)", "CREATE TABLE u(b VARCHAR)", id="same-table-name"),
        pytest.param("CREATE SCHEMA s", "CREATE SCHEMA s", id="same-schema-name"),
        pytest.param("DELETE FROM t WHERE id = 1", "DELETE FROM t WHERE id = 1", id="same-row-deleted"),
        pytest.param("DROP TABLE t", "INSERT INTO t VALUES (5)", id="insert-into-dropped"),
        pytest.param("DROP TABLE t", "DROP TABLE t", id="dropped-twice"),
        pytest.param("ALTER TABLE t ADD COLUMN x INTEGER", "ALTER TABLE t ADD COLUMN y INTEGER", id="both-alter"),
    ],
)
def test_true_conflicts_fail_and_change_nothing(
    one: str, two: str, pair: tuple[LakeClient, LakeClient], open_lake: OpenLake
) -> None:
    first, second = pair
    first.run("BEGIN", one)
    second.run("BEGIN", two)
    first.run("COMMIT")
    after_first = first.snapshot()
    with pytest.raises(duckdb.TransactionException, match=r"(?i)conflict"):
        second.run("COMMIT")
    assert open_lake().snapshot() == after_first
    second.run("CREATE TABLE after_failure(x INTEGER)")
    assert first.rows("FROM after_failure") == []


def test_threads_of_clients_lose_no_row(lake: LakeClient, open_lake: OpenLake) -> None:
    writers, inserts = 4, 8
    lake.run("CREATE TABLE t(writer INTEGER, n INTEGER)")
    clients = [open_lake() for _ in range(writers)]
    start = threading.Barrier(writers)
    failures: list[str] = []

    def write(writer: int, client: LakeClient) -> None:
        client.run("SET ducklake_max_retry_count = 100")
        start.wait()
        for n in range(inserts):
            try:
                client.run(f"INSERT INTO t VALUES ({writer}, {n})")
            except duckdb.Error as error:
                failures.append(str(error))

    threads = [threading.Thread(target=write, args=pair) for pair in enumerate(clients)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    other = open_lake()
    assert other.rows("FROM t ORDER BY ALL") == [(w, n) for w in range(writers) for n in range(inserts)]
    assert other.snapshot() == 1 + writers * inserts
    assert other.rows("SELECT count(DISTINCT rowid) FROM t") == [(writers * inserts,)]


def test_few_retries_are_enough_for_many_writers(lake: LakeClient, open_lake: OpenLake) -> None:
    """Who lost twice is let through, so that half of DuckLake's ten attempts leave room for a busy machine."""
    writers, inserts = 8, 4
    lake.run(*(f"CREATE TABLE own{writer}(n INTEGER)" for writer in range(writers)))
    clients = [open_lake() for _ in range(writers)]
    for client in clients:
        client.run("SET ducklake_max_retry_count = 5", "SET ducklake_retry_wait_ms = 20")
    start = threading.Barrier(writers)

    def write(writer: int, client: LakeClient) -> None:
        start.wait()
        for n in range(inserts):
            client.run(f"INSERT INTO own{writer} VALUES ({n})")

    with ThreadPoolExecutor(writers) as pool:
        for written in [pool.submit(write, *each) for each in enumerate(clients)]:
            written.result()
    assert lake.snapshot() == writers + writers * inserts


@pytest.mark.parametrize("attempt", range(3))
def test_many_clients_attach_a_new_lake_at_once(attempt: int, dsn: str, tmp_path: Path) -> None:
    """All succeed: one fills the catalog, the others find it filled. (On PostgreSQL all but one fail.)"""
    start = threading.Barrier(BOOTSTRAPPING)

    def attach(number: int) -> None:
        start.wait()
        with LakeClient(dsn, tmp_path / "data") as client:
            client.run(f"CREATE TABLE t{number}(id INTEGER)", f"INSERT INTO t{number} VALUES ({number})")

    with ThreadPoolExecutor(BOOTSTRAPPING) as pool:
        for attached in [pool.submit(attach, number) for number in range(BOOTSTRAPPING)]:
            attached.result()
    with psycopg.connect(dsn) as connection:
        snapshots = connection.execute("SELECT snapshot_id FROM ducklake_snapshot ORDER BY 1").fetchall()
        assert snapshots == [(number,) for number in range(1 + 2 * BOOTSTRAPPING)]
        assert connection.execute("SELECT count(*) FROM ducklake_metadata WHERE key = 'version'").fetchall() == [(1,)]
        first = "SELECT changes_made FROM ducklake_snapshot_changes WHERE snapshot_id = 0"
        assert connection.execute(first).fetchall() == [('created_schema:"main"',)]
        names = connection.execute("SELECT table_name FROM ducklake_table ORDER BY 1").fetchall()
        assert names == [(f"t{number}",) for number in range(BOOTSTRAPPING)]
    with LakeClient(dsn, tmp_path / "data") as client:
        for number in range(BOOTSTRAPPING):
            assert client.rows(f"FROM t{number}") == [(number,)]
