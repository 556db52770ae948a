"""INSERT, UPDATE, DELETE and MERGE, on rows kept in the catalog and on rows in Parquet files."""

from __future__ import annotations

import duckdb
import pytest

from tests.duckdb_client import LakeClient
from tests.e2e.conftest import OpenLake


@pytest.fixture(params=["inlined", "parquet"])
def stored_lake(request: pytest.FixtureRequest, lake: LakeClient) -> LakeClient:
    """A lake in each of the two storage forms."""
    if request.param == "parquet":
        lake.write_parquet_only()
    return lake


def test_inserted_rows_are_seen_by_another_client(stored_lake: LakeClient, open_lake: OpenLake) -> None:
    stored_lake.run("CREATE TABLE t(id INTEGER, name VARCHAR)")
    for start in range(0, 6, 2):
        stored_lake.run(f"INSERT INTO t VALUES ({start}, 'n{start}'), ({start + 1}, NULL)")
    assert open_lake().rows("SELECT count(*), count(name), min(id), max(id) FROM t") == [(6, 3, 0, 5)]


def test_insert_by_name_default_and_from_itself(stored_lake: LakeClient) -> None:
    stored_lake.run("CREATE TABLE t(id INTEGER, kind VARCHAR DEFAULT 'plain', moment TIMESTAMP DEFAULT now())")
    stored_lake.run("INSERT INTO t(id) VALUES (1)", "INSERT INTO t BY NAME SELECT 'odd' AS kind, 2 AS id")
    stored_lake.run("INSERT INTO t SELECT id + 10, kind, moment FROM t")
    assert stored_lake.rows("SELECT id, kind, moment IS NULL FROM t ORDER BY id") == [
        (1, "plain", False),
        (2, "odd", False),
        (11, "plain", False),
        (12, "odd", False),
    ]


def test_updates_by_predicate_expression_and_join(stored_lake: LakeClient, open_lake: OpenLake) -> None:
    lake = stored_lake
    lake.run("CREATE TABLE t(id INTEGER, v INTEGER)", "INSERT INTO t SELECT range, 0 FROM range(8)")
    lake.run("CREATE TABLE w(id INTEGER, v INTEGER)", "INSERT INTO w VALUES (1, 100), (2, 200)")
    lake.run("UPDATE t SET v = id * 2 WHERE id >= 4", "UPDATE t SET v = w.v FROM w WHERE t.id = w.id")
    lake.run("UPDATE t SET v = v + 1 WHERE id IN (1, 7)")
    values = [value for (value,) in open_lake().rows("SELECT v FROM t ORDER BY id")]
    assert values == [0, 101, 200, 0, 8, 10, 12, 15]


def test_deletes_by_predicate_join_and_all_rows(stored_lake: LakeClient, open_lake: OpenLake) -> None:
    lake = stored_lake
    lake.run("CREATE TABLE t(id INTEGER)", "INSERT INTO t FROM range(8)", "INSERT INTO t FROM range(100, 104)")
    lake.run("DELETE FROM t WHERE id % 2 = 1", "DELETE FROM t USING (VALUES (0), (100)) d(id) WHERE t.id = d.id")
    assert open_lake().rows("FROM t ORDER BY id") == [(2,), (4,), (6,), (102,)]
    lake.run("DELETE FROM t WHERE id = 4")
    assert open_lake().rows("FROM t ORDER BY id") == [(2,), (6,), (102,)]
    lake.run("DELETE FROM t")
    assert open_lake().rows("SELECT count(*) FROM t") == [(0,)]
    lake.run("INSERT INTO t VALUES (5)")
    assert open_lake().rows("FROM t") == [(5,)]


def test_a_delete_of_nothing_makes_no_snapshot(stored_lake: LakeClient) -> None:
    stored_lake.run("CREATE TABLE t(id INTEGER)", "INSERT INTO t VALUES (1)")
    before = stored_lake.snapshot()
    stored_lake.run("DELETE FROM t WHERE id = 99")
    assert stored_lake.snapshot() == before


def test_truncate(stored_lake: LakeClient, open_lake: OpenLake) -> None:
    stored_lake.run("CREATE TABLE t(id INTEGER)", "INSERT INTO t FROM range(5)", "TRUNCATE t")
    assert open_lake().rows("FROM t") == []


def test_merge_updates_deletes_and_inserts(stored_lake: LakeClient, open_lake: OpenLake) -> None:
    lake = stored_lake
    lake.run("CREATE TABLE stock(item INTEGER, balance INTEGER)", "INSERT INTO stock VALUES (10, 5), (20, 7), (30, 1)")
    lake.run("CREATE TABLE sale(item INTEGER, amount INTEGER)", "INSERT INTO sale VALUES (10, 2), (40, 3)")
    lake.run(
        "MERGE INTO stock USING sale ON stock.item = sale.item "
        "WHEN MATCHED THEN UPDATE SET balance = balance - sale.amount "
        "WHEN NOT MATCHED THEN INSERT VALUES (sale.item, sale.amount)"
    )
    assert open_lake().rows("FROM stock ORDER BY item") == [(10, 3), (20, 7), (30, 1), (40, 3)]
    lake.run("MERGE INTO stock USING (VALUES (20)) gone(item) ON stock.item = gone.item WHEN MATCHED THEN DELETE")
    assert open_lake().rows("SELECT item FROM stock ORDER BY item") == [(10,), (30,), (40,)]


def test_rows_survive_many_small_changes(stored_lake: LakeClient, open_lake: OpenLake) -> None:
    lake = stored_lake
    lake.run("CREATE TABLE t(id INTEGER, v INTEGER)")
    expected: dict[int, int] = {}
    for step in range(12):
        lake.run(f"INSERT INTO t VALUES ({step}, 0)")
        expected[step] = 0
        if step % 3 == 0:
            lake.run(f"UPDATE t SET v = v + 1 WHERE id <= {step}")
            expected = {row: value + 1 for row, value in expected.items()}
        if step % 4 == 3:
            lake.run(f"DELETE FROM t WHERE id = {step - 2}")
            del expected[step - 2]
    assert open_lake().rows("FROM t ORDER BY id") == sorted(expected.items())


def test_an_update_of_a_not_null_column_to_null_is_refused(stored_lake: LakeClient) -> None:
    stored_lake.run("CREATE TABLE t(id INTEGER NOT NULL)", "INSERT INTO t VALUES (1)")
    with pytest.raises(duckdb.ConstraintException):
        stored_lake.run("UPDATE t SET id = NULL")
    assert stored_lake.rows("FROM t") == [(1,)]


def test_large_inserts_are_inlined_up_to_the_limit(lake: LakeClient, open_lake: OpenLake) -> None:
    lake.run("CALL lake.set_option('data_inlining_row_limit', 1000)")
    lake.run("CREATE TABLE t(id INTEGER, name VARCHAR)", "INSERT INTO t SELECT range, 'n' || range FROM range(1000)")
    assert lake.file_count("t") == 0
    lake.run("INSERT INTO t SELECT range, 'n' || range FROM range(1000, 2001)")
    assert lake.file_count("t") == 1
    assert open_lake().rows("SELECT count(*), sum(id), count(DISTINCT name) FROM t") == [(2001, 2001000, 2001)]


def test_prepared_statements_write_and_read(stored_lake: LakeClient) -> None:
    stored_lake.run("CREATE TABLE t(id INTEGER, name VARCHAR)")
    stored_lake.connection.executemany("INSERT INTO t VALUES (?, ?)", [(1, "a"), (2, "it's"), (3, None)])
    found = stored_lake.connection.execute("SELECT id FROM t WHERE name = ?", ["it's"]).fetchall()
    assert found == [(2,)]
