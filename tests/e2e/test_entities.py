"""Schemas, tables, views and macros: created, renamed and dropped, as a second client sees them."""

from __future__ import annotations

import duckdb
import pytest

from tests.duckdb_client import EXTENSIONS, LakeClient
from tests.e2e.conftest import OpenLake

TABLES = "SELECT schema_name, table_name FROM duckdb_tables() WHERE database_name = 'lake' ORDER BY ALL"
SCHEMAS = "SELECT schema_name FROM duckdb_schemas() WHERE database_name = 'lake' ORDER BY ALL"


def test_a_new_lake_has_the_main_schema_and_snapshot_zero(lake: LakeClient) -> None:
    assert lake.rows(SCHEMAS) == [("main",)]
    assert lake.rows("SELECT snapshot_id, schema_version FROM ducklake_snapshots('lake')") == [(0, 0)]


def test_schemas_are_created_and_dropped(lake: LakeClient, open_lake: OpenLake) -> None:
    lake.run("CREATE SCHEMA sales", "CREATE SCHEMA IF NOT EXISTS sales", "CREATE TABLE sales.orders(id INTEGER)")
    assert open_lake().rows(SCHEMAS) == [("main",), ("sales",)]
    assert open_lake().rows(TABLES) == [("sales", "orders")]
    lake.run("DROP SCHEMA sales CASCADE")
    assert open_lake().rows(SCHEMAS) == [("main",)]
    assert open_lake().rows(TABLES) == []


def test_a_schema_with_tables_is_not_dropped_without_cascade(lake: LakeClient) -> None:
    lake.run("CREATE SCHEMA sales", "CREATE TABLE sales.orders(id INTEGER)")
    with pytest.raises(duckdb.Error, match=r"(?i)depend"):
        lake.run("DROP SCHEMA sales")
    assert lake.rows(TABLES) == [("sales", "orders")]


def test_tables_are_renamed_and_keep_their_rows(lake: LakeClient, open_lake: OpenLake) -> None:
    lake.run("CREATE TABLE a(id INTEGER)", "INSERT INTO a VALUES (1), (2)", "ALTER TABLE a RENAME TO b")
    other = open_lake()
    assert other.rows(TABLES) == [("main", "b")]
    assert other.rows("FROM b ORDER BY id") == [(1,), (2,)]
    with pytest.raises(duckdb.CatalogException):
        other.rows("FROM a")


def test_a_dropped_name_can_be_used_again(lake: LakeClient, open_lake: OpenLake) -> None:
    lake.run("CREATE TABLE a(id INTEGER)", "INSERT INTO a VALUES (1)", "DROP TABLE a")
    lake.run("CREATE TABLE a(name VARCHAR)", "INSERT INTO a VALUES ('new')")
    assert open_lake().rows("FROM a") == [("new",)]
    assert lake.rows("SELECT id FROM a AT (VERSION => 2)") == [(1,)]


def test_create_or_replace_makes_a_new_table(lake: LakeClient, open_lake: OpenLake) -> None:
    lake.run("CREATE TABLE a(id INTEGER)", "INSERT INTO a VALUES (1)")
    lake.run("CREATE OR REPLACE TABLE a AS SELECT 'x' AS name, 2 AS id")
    assert open_lake().rows("FROM a") == [("x", 2)]


def test_create_table_as_select_of_many_rows(lake: LakeClient, open_lake: OpenLake) -> None:
    lake.run("CREATE TABLE big AS SELECT range AS id, 'n' || range AS name FROM range(5000)")
    assert open_lake().rows("SELECT count(*), min(id), max(id) FROM big") == [(5000, 0, 4999)]
    assert lake.file_count("big") == 1


def test_not_null_is_kept_and_enforced(lake: LakeClient, open_lake: OpenLake) -> None:
    lake.run("CREATE TABLE a(id INTEGER NOT NULL, name VARCHAR)")
    with pytest.raises(duckdb.ConstraintException):
        open_lake().run("INSERT INTO a VALUES (NULL, 'x')")


def test_names_with_quotes_spaces_and_other_scripts(lake: LakeClient, open_lake: OpenLake) -> None:
    lake.run('CREATE SCHEMA "My Schema"', 'CREATE TABLE "My Schema"."it\'s ""ok"""("Größe cm" INTEGER, "日本" VARCHAR)')
    lake.run('INSERT INTO "My Schema"."it\'s ""ok""" VALUES (7, \'ñ\')')
    assert open_lake().rows('SELECT "Größe cm", "日本" FROM "My Schema"."it\'s ""ok"""') == [(7, "ñ")]


def test_views_are_created_renamed_replaced_and_dropped(lake: LakeClient, open_lake: OpenLake) -> None:
    lake.run("CREATE TABLE a(id INTEGER)", "INSERT INTO a VALUES (1), (2), (3)")
    lake.run("CREATE VIEW odd AS SELECT id AS n FROM a WHERE id % 2 = 1")
    assert open_lake().rows("SELECT n FROM odd ORDER BY n") == [(1,), (3,)]
    lake.run("ALTER VIEW odd RENAME TO uneven")
    assert open_lake().rows("SELECT n FROM uneven ORDER BY n") == [(1,), (3,)]
    lake.run("CREATE OR REPLACE VIEW uneven AS SELECT id FROM a WHERE id = 2")
    assert open_lake().rows("FROM uneven") == [(2,)]
    lake.run("DROP VIEW uneven")
    with pytest.raises(duckdb.CatalogException):
        open_lake().rows("FROM uneven")


def test_scalar_and_table_macros(lake: LakeClient, open_lake: OpenLake) -> None:
    lake.run("CREATE TABLE a(id INTEGER)", "INSERT INTO a VALUES (1), (2), (3)")
    lake.run("CREATE MACRO plus(x, y := 10) AS x + y")
    lake.run("CREATE MACRO upto(n) AS TABLE SELECT id FROM a WHERE id <= n ORDER BY id")
    lake.run("CREATE MACRO arity(x) AS 'one', (x, y) AS 'two'")
    other = open_lake()
    assert other.rows("SELECT plus(1), plus(1, y := 2)") == [(11, 3)]
    assert other.rows("FROM upto(2)") == [(1,), (2,)]
    assert other.rows("SELECT arity(1), arity(1, 2)") == [("one", "two")]
    lake.run("DROP MACRO plus", "DROP MACRO TABLE upto")
    with pytest.raises(duckdb.CatalogException):
        open_lake().rows("SELECT plus(1)")


def test_a_table_of_two_hundred_columns(lake: LakeClient, open_lake: OpenLake) -> None:
    columns = ", ".join(f"c{number} INTEGER" for number in range(200))
    lake.run(f"CREATE TABLE wide({columns})", f"INSERT INTO wide VALUES ({', '.join(map(str, range(200)))})")
    assert open_lake().rows("SELECT c0, c199 FROM wide") == [(0, 199)]


def test_two_lakes_in_two_metadata_schemas_do_not_see_each_other(lake: LakeClient, open_lake: OpenLake) -> None:
    second = open_lake(", METADATA_SCHEMA 'second'")
    lake.run("CREATE TABLE a(id INTEGER)", "INSERT INTO a VALUES (1)")
    assert second.rows(TABLES) == []
    second.run("CREATE TABLE b(name VARCHAR)", "INSERT INTO b VALUES ('x')")
    assert open_lake(", METADATA_SCHEMA 'second'").rows("FROM b") == [("x",)]
    assert open_lake().rows(TABLES) == [("main", "a")]


def test_a_read_only_client_reads_and_cannot_write(lake: LakeClient, open_lake: OpenLake) -> None:
    lake.run("CREATE TABLE a(id INTEGER)", "INSERT INTO a VALUES (1)")
    reader = open_lake(", READ_ONLY")
    assert reader.rows("FROM a") == [(1,)]
    with pytest.raises(duckdb.Error, match=r"(?i)read-only"):
        reader.run("INSERT INTO a VALUES (2)")


def test_an_encrypted_lake_is_read_by_another_client(open_lake: OpenLake) -> None:
    with_cryptography = ("httpfs", *EXTENSIONS)
    secret = open_lake(", ENCRYPTED", with_cryptography)
    secret.write_parquet_only()
    secret.run("CREATE TABLE a(id INTEGER)", "INSERT INTO a FROM range(100)")
    assert open_lake("", with_cryptography).rows("SELECT sum(id) FROM a") == [(4950,)]
