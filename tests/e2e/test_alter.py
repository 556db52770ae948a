"""ALTER TABLE, comments, partitions, sort orders and options."""

from __future__ import annotations

import duckdb
import pytest

from tests.duckdb_client import LakeClient
from tests.e2e.conftest import OpenLake


@pytest.fixture(params=["inlined", "parquet"])
def table(request: pytest.FixtureRequest, lake: LakeClient) -> LakeClient:
    """A lake with the table t(id, name) of two rows, in each storage form."""
    if request.param == "parquet":
        lake.write_parquet_only()
    lake.run("CREATE TABLE t(id INTEGER, name VARCHAR)", "INSERT INTO t VALUES (1, 'a'), (2, 'b')")
    return lake


def test_columns_are_added_with_and_without_default(table: LakeClient, open_lake: OpenLake) -> None:
    table.run("ALTER TABLE t ADD COLUMN x BIGINT", "ALTER TABLE t ADD COLUMN y VARCHAR DEFAULT 'none'")
    table.run("INSERT INTO t VALUES (3, 'c', 30, 'three')", "INSERT INTO t(id) VALUES (4)")
    assert open_lake().rows("FROM t ORDER BY id") == [
        (1, "a", None, "none"),
        (2, "b", None, "none"),
        (3, "c", 30, "three"),
        (4, None, None, "none"),
    ]


def test_columns_are_dropped_and_their_name_reused(table: LakeClient, open_lake: OpenLake) -> None:
    version = table.snapshot()
    table.run("ALTER TABLE t DROP COLUMN name", "ALTER TABLE t ADD COLUMN name INTEGER")
    table.run("INSERT INTO t VALUES (3, 30)")
    assert open_lake().rows("FROM t ORDER BY id") == [(1, None), (2, None), (3, 30)]
    assert open_lake().rows(f"FROM t AT (VERSION => {version}) ORDER BY id") == [(1, "a"), (2, "b")]


def test_columns_are_renamed(table: LakeClient, open_lake: OpenLake) -> None:
    table.run("ALTER TABLE t RENAME COLUMN name TO label", "INSERT INTO t(label, id) VALUES ('c', 3)")
    assert open_lake().rows("SELECT label FROM t ORDER BY id") == [("a",), ("b",), ("c",)]
    with pytest.raises(duckdb.BinderException):
        open_lake().rows("SELECT name FROM t")


def test_types_are_widened_only(table: LakeClient, open_lake: OpenLake) -> None:
    table.run("ALTER TABLE t ALTER COLUMN id SET DATA TYPE BIGINT", "INSERT INTO t VALUES (5000000000, 'big')")
    assert open_lake().rows("SELECT max(id) FROM t") == [(5000000000,)]
    with pytest.raises(duckdb.Error, match=r"(?i)widening"):
        table.run("ALTER TABLE t ALTER COLUMN id SET DATA TYPE SMALLINT")


def test_defaults_are_set_and_dropped(table: LakeClient, open_lake: OpenLake) -> None:
    table.run("ALTER TABLE t ALTER COLUMN name SET DEFAULT 'it''s'")
    open_lake().run("INSERT INTO t(id) VALUES (3)")
    table.run("ALTER TABLE t ALTER COLUMN name DROP DEFAULT", "INSERT INTO t(id) VALUES (4)")
    assert open_lake().rows("SELECT name FROM t WHERE id > 2 ORDER BY id") == [("it's",), (None,)]


def test_not_null_is_set_and_dropped(table: LakeClient, open_lake: OpenLake) -> None:
    table.run("ALTER TABLE t ALTER COLUMN name SET NOT NULL")
    with pytest.raises(duckdb.ConstraintException):
        open_lake().run("INSERT INTO t VALUES (3, NULL)")
    table.run("ALTER TABLE t ALTER COLUMN name DROP NOT NULL")
    open_lake().run("INSERT INTO t VALUES (3, NULL)")
    assert table.rows("SELECT count(*) FROM t WHERE name IS NULL") == [(1,)]


def test_struct_fields_are_added_renamed_and_dropped(parquet_lake: LakeClient, open_lake: OpenLake) -> None:
    lake = parquet_lake
    lake.run("CREATE TABLE s(v STRUCT(i INTEGER, j INTEGER))", "INSERT INTO s VALUES ({'i': 1, 'j': 2})")
    lake.run("ALTER TABLE s ADD COLUMN v.k VARCHAR", "ALTER TABLE s RENAME COLUMN v.j TO n")
    assert open_lake().rows("SELECT v.i, v.n, v.k FROM s") == [(1, 2, None)]
    lake.run("ALTER TABLE s DROP COLUMN v.i", "INSERT INTO s VALUES ({'n': 5, 'k': 'x'})")
    assert open_lake().rows("SELECT v.n, v.k FROM s ORDER BY v.n") == [(2, None), (5, "x")]


def test_comments_on_tables_columns_and_views(table: LakeClient, open_lake: OpenLake) -> None:
    table.run("CREATE VIEW v AS SELECT id FROM t")
    table.run("COMMENT ON TABLE t IS 'it''s a table'", "COMMENT ON COLUMN t.name IS 'label'")
    table.run("COMMENT ON VIEW v IS 'a view'")
    other = open_lake()
    assert other.value("SELECT comment FROM duckdb_tables() WHERE table_name = 't'") == "it's a table"
    columns = "SELECT comment FROM duckdb_columns() WHERE table_name = 't' AND column_name = 'name'"
    assert other.value(columns) == "label"
    assert other.value("SELECT comment FROM duckdb_views() WHERE view_name = 'v'") == "a view"
    table.run("COMMENT ON TABLE t IS NULL", "COMMENT ON COLUMN t.name IS 'new label'")
    other = open_lake()
    assert other.value("SELECT comment FROM duckdb_tables() WHERE table_name = 't'") is None
    assert other.value(columns) == "new label"


def test_partitioned_tables_write_one_file_per_partition(parquet_lake: LakeClient, open_lake: OpenLake) -> None:
    lake = parquet_lake
    lake.run("CREATE TABLE p(moment TIMESTAMP, kind VARCHAR, v INTEGER)")
    lake.run("ALTER TABLE p SET PARTITIONED BY (year(moment), kind)")
    lake.run(
        "INSERT INTO p VALUES ('2023-05-01', 'a', 1), ('2023-06-01', 'b', 2), "
        "('2024-05-01', 'a', 3), ('2024-07-01', 'a', 4), (NULL, NULL, 5)"
    )
    assert lake.file_count("p") == 4
    assert open_lake().rows("SELECT v FROM p WHERE kind = 'a' AND moment >= '2024-01-01' ORDER BY v") == [(3,), (4,)]
    lake.run("UPDATE p SET kind = 'b' WHERE v = 3", "DELETE FROM p WHERE v = 2")
    assert open_lake().rows("SELECT kind, v FROM p ORDER BY v") == [("a", 1), ("b", 3), ("a", 4), (None, 5)]
    lake.run("ALTER TABLE p RESET PARTITIONED BY", "INSERT INTO p VALUES ('2025-01-01', 'z', 6), (NULL, 'y', 7)")
    assert open_lake().rows("SELECT count(*), sum(v) FROM p") == [(6, 26)]


def test_bucket_partitions(parquet_lake: LakeClient, open_lake: OpenLake) -> None:
    parquet_lake.run("CREATE TABLE p(name VARCHAR)", "ALTER TABLE p SET PARTITIONED BY (bucket(4, name))")
    parquet_lake.run("INSERT INTO p SELECT 'n' || range FROM range(40)")
    assert open_lake().rows("SELECT count(*) FROM p WHERE name = 'n7'") == [(1,)]
    assert parquet_lake.file_count("p") == 4


def test_sorted_tables_write_in_order(parquet_lake: LakeClient, open_lake: OpenLake) -> None:
    lake = parquet_lake
    lake.run("CREATE TABLE s(a INTEGER, b VARCHAR)", "ALTER TABLE s SET SORTED BY (a DESC NULLS LAST, lower(b) ASC)")
    lake.run("INSERT INTO s VALUES (1, 'x'), (3, 'B'), (3, 'a'), (2, NULL)")
    assert open_lake().rows("FROM s") == [(3, "a"), (3, "B"), (2, None), (1, "x")]
    lake.run("ALTER TABLE s RESET SORTED BY", "INSERT INTO s VALUES (9, 'last')")
    assert open_lake().rows("SELECT count(*) FROM s") == [(5,)]


def test_options_are_kept_per_lake_schema_and_table(lake: LakeClient, open_lake: OpenLake) -> None:
    lake.run("CREATE SCHEMA s", "CREATE TABLE s.t(id INTEGER)", "CREATE TABLE u(id INTEGER)")
    lake.run("CALL lake.set_option('parquet_compression', 'zstd')")
    lake.run("CALL lake.set_option('parquet_version', 2, schema => 's')")
    lake.run("CALL lake.set_option('data_inlining_row_limit', 0, schema => 's', table_name => 't')")
    lake.run("CALL lake.set_option('parquet_compression', 'gzip')")
    options = (
        "SELECT option_name, value, scope FROM ducklake_options('lake') "
        "WHERE option_name LIKE 'parquet%' ORDER BY ALL"
    )
    assert open_lake().rows(options) == [
        ("parquet_compression", "gzip", "GLOBAL"),
        ("parquet_version", "V2", "SCHEMA"),
    ]
    other = open_lake()
    other.run("INSERT INTO s.t VALUES (1)", "INSERT INTO u VALUES (1)")
    assert other.value("SELECT count(*) FROM ducklake_list_files('lake', 't', schema => 's')") == 1
    assert other.file_count("u") == 0
