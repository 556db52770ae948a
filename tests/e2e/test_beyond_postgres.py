"""What PostgreSQL cannot hold or cuts: wide tables, long names and values, many rows and tables, hostile text."""

from __future__ import annotations

import os
import re
from pathlib import Path

import psycopg
import pytest

from tests.duckdb_client import LakeClient, connect
from tests.e2e.conftest import OpenLake
from tests.servers import CatalogServer, RockLakeServer

NAME_BYTES = 1000
VALUE_BYTES = 100_000
MEMORY_GROWTH_BYTES_MAX = 600 * 1024 * 1024
MANY_ROWS = "ROCKLAKE_MANY_INLINED_ROWS"
"""Set, DuckDB itself inlines 200,000 rows too, which takes its client minutes of its own work."""
MANY_TABLES = "ROCKLAKE_MANY_TABLES"
"""Set, a lake has 3,000 tables; 1,000 otherwise."""


def _long(end: str) -> str:
    """A quoted name of NAME_BYTES that differs from others only in its last bytes. DuckLake names folders after plain
    words, which no file system takes at this length; other names get folders named by an id."""
    return '"n ' + "n" * (NAME_BYTES - 2 - len(end)) + end + '"'


def test_a_table_of_2000_columns_is_inlined(lake: LakeClient, open_lake: OpenLake) -> None:
    columns = ", ".join(f"c{number} {('INTEGER', 'VARCHAR', 'DOUBLE')[number % 3]}" for number in range(2000))
    lake.run(f"CREATE TABLE wide({columns})")
    lake.run(f"INSERT INTO wide VALUES ({', '.join(str(number) for number in range(2000))})")
    lake.run("INSERT INTO wide(c0, c1999) VALUES (-1, NULL)", "UPDATE wide SET c1000 = 'x' WHERE c0 = 0")
    assert lake.file_count("wide") == 0
    lake.run("ALTER TABLE wide ADD COLUMN more INTEGER DEFAULT 5", "INSERT INTO wide(c0, more) VALUES (-2, 6)")
    other = open_lake()
    assert other.rows("SELECT c0, c1, c1000, c1999, more FROM wide ORDER BY c0") == [
        (-2, None, None, None, 6), (-1, None, None, None, 5), (0, "1", "x", "1999", 5)
    ]  # fmt: skip
    assert len(other.rows("FROM wide AT (VERSION => 2)")[0]) == 2000
    other.run("CALL ducklake_flush_inlined_data('lake')")
    assert other.rows("SELECT c0, c1000 FROM wide ORDER BY c0") == [(-2, None), (-1, None), (0, "x")]


def test_names_of_1000_bytes(lake: LakeClient, open_lake: OpenLake) -> None:
    schema, table, view, macro = _long("schema"), _long("table"), _long("view"), _long("macro")
    one, two = _long("one"), _long("two")
    lake.run(
        f"CREATE SCHEMA {schema}",
        f"CREATE TABLE {schema}.{table}({one} INTEGER, {two} VARCHAR)",
        f"INSERT INTO {schema}.{table} VALUES (1, 'a'), (2, 'b')",
        f"UPDATE {schema}.{table} SET {two} = 'c' WHERE {one} = 2",
        f"CREATE VIEW {schema}.{view} AS SELECT {two} FROM {schema}.{table}",
        f"CREATE MACRO {schema}.{macro}({one}) AS {one} + 1",
        f"COMMENT ON COLUMN {schema}.{table}.{one} IS '{_long('comment')}'",
        f"ALTER TABLE {schema}.{table} SET PARTITIONED BY ({two})",
        f"CREATE TABLE {table}(small INTEGER)",
        f"INSERT INTO {table} VALUES (7)",
    )
    other = open_lake()
    assert other.rows(f"FROM {schema}.{table} ORDER BY {one}") == [(1, "a"), (2, "c")]
    assert other.rows(f"SELECT {schema}.{macro}(1), max({two}) FROM {schema}.{view}") == [(2, "c")]
    assert other.rows(f"FROM {table}") == [(7,)]
    comments = other.rows("SELECT comment FROM duckdb_columns() WHERE comment IS NOT NULL")
    assert comments == [(_long("comment"),)]


def test_a_metadata_schema_of_1000_bytes(open_lake: OpenLake) -> None:
    """Names of relations and schemas that DuckLake hands to the server as identifiers."""
    lakes = [open_lake(f", METADATA_SCHEMA '{_long(end)[1:-1]}'") for end in ("one", "two")]
    for number, lake in enumerate(lakes):
        lake.run("CREATE TABLE t(id INTEGER)", f"INSERT INTO t VALUES ({number})")
    again = open_lake(f", METADATA_SCHEMA '{_long('one')[1:-1]}'")
    assert (again.rows("FROM t"), lakes[1].rows("FROM t")) == ([(0,)], [(1,)])


def test_identifiers_as_long_as_the_server_says(dsn: str) -> None:
    with psycopg.connect(dsn, autocommit=True) as connection:
        (longest,) = connection.execute("SHOW max_identifier_length").fetchone() or ()
        listed = connection.execute("SELECT setting FROM pg_settings WHERE name = 'max_identifier_length'").fetchone()
        assert listed == (longest,)
        names = ["ü" * (int(longest) // 2 - 1) + end for end in ("a", "b")]
        connection.execute(f'CREATE TABLE "{names[0]}"("{names[0]}" BIGINT, "{names[1]}" BIGINT)')
        connection.execute(f'CREATE TABLE "{names[1]}"("{names[0]}" BIGINT)')
        connection.execute(f'INSERT INTO "{names[0]}" VALUES (1, 2)')
        assert connection.execute(f'SELECT "{names[1]}", "{names[0]}" FROM "{names[0]}"').fetchone() == (2, 1)
        found = connection.execute("SELECT relname FROM pg_class WHERE relkind = 'r' AND relname LIKE 'ü%' ORDER BY 1")
        assert found.fetchall() == [(name,) for name in names]
        query = "SELECT count(*) FROM pg_attribute WHERE attname = %s::name"
        assert connection.execute(query, [names[1]]).fetchone() == (1,)


def test_values_of_100_kilobytes(lake: LakeClient, open_lake: OpenLake) -> None:
    long = "é" * (VALUE_BYTES // 2)
    lake.run(
        "CREATE TABLE t(id INTEGER, v VARCHAR, b BLOB, l VARCHAR[])",
        f"INSERT INTO t VALUES (1, '{long}', encode('{long}'), ['{long}', NULL])",
        f"INSERT INTO t VALUES (2, repeat('\\x', {VALUE_BYTES // 2}), repeat('a', {VALUE_BYTES})::BLOB, [])",
        f"COMMENT ON TABLE t IS '{long}'",
        f"CREATE VIEW v AS SELECT '{long}' AS long",
        f"CREATE TABLE d(id INTEGER, v VARCHAR DEFAULT '{long}')",
        "INSERT INTO d(id) VALUES (1)",
        f"CALL lake.set_commit_message('{long}', '{long}', extra_info => '{long}')",
    )
    other = open_lake()
    assert other.file_count("t") == 0
    assert other.rows("FROM t WHERE id = 1") == [(1, long, long.encode(), [long, None])]
    assert other.rows("SELECT v, b FROM t WHERE id = 2") == [("\\x" * (VALUE_BYTES // 2), b"a" * VALUE_BYTES)]
    assert other.rows("SELECT comment FROM duckdb_tables() WHERE table_name = 't'") == [(long,)]
    assert (other.rows("FROM v"), other.rows("FROM d")) == ([(long,)], [(1, long)])


@pytest.mark.parametrize("stored", ["inlined", "parquet"])
def test_text_with_zero_bytes(stored: str, lake: LakeClient, open_lake: OpenLake) -> None:
    """A filter that DuckLake would compare with statistics fails in the client, whose own query ends at the zero."""
    if stored == "parquet":
        lake.write_parquet_only()
    zero = "a\0b"
    lake.run("CREATE TABLE t(id INTEGER, v VARCHAR, b BLOB, l VARCHAR[])")
    lake.run("INSERT INTO t VALUES (1, 'a' || chr(0) || 'b', '\\x00'::BLOB, ['plain']), (2, chr(0), NULL, NULL)")
    lake.run("UPDATE t SET v = chr(0) || 'end' WHERE id = 2")
    other = open_lake()
    assert other.rows("FROM t ORDER BY id") == [(1, zero, b"\0", ["plain"]), (2, "\0end", None, None)]
    assert other.rows("SELECT id FROM t WHERE v || '' = 'a' || chr(0) || 'b'") == [(1,)]


@pytest.mark.parametrize("rows", [20_000, *([200_000] if MANY_ROWS in os.environ else [])])
@pytest.mark.timeout(600)
def test_many_inlined_rows_in_bounded_memory(
    rows: int, lake: LakeClient, open_lake: OpenLake, rocklake_server: CatalogServer
) -> None:
    lake.run(f"CALL lake.set_option('data_inlining_row_limit', {rows + 1})")
    lake.run("CREATE TABLE t(id BIGINT, name VARCHAR, score DOUBLE)")
    before = _memory_bytes(rocklake_server)
    made = f"SELECT range {{}}, 'name of row ' || range {{}}, range / 8 {{}} FROM range({rows})"
    lake.run(f"INSERT INTO t {made.format('', '', '')}")
    growth = _memory_bytes(rocklake_server) - before
    assert lake.file_count("t") == 0
    other = open_lake()
    query = "SELECT count(*), sum(id), count(DISTINCT name), sum(score) FROM t"
    with connect(extensions=()) as plain:
        plain.execute(f"CREATE TABLE t AS {made.format('AS id', 'AS name', 'AS score')}")
        assert other.rows(query) == plain.execute(query).fetchall()
    assert other.rows(f"SELECT name FROM t WHERE id = {rows - 1}") == [(f"name of row {rows - 1}",)]
    assert growth < MEMORY_GROWTH_BYTES_MAX, f"{growth >> 20} MB more"


def test_one_statement_of_200_000_rows_in_bounded_memory(
    lake: LakeClient, open_lake: OpenLake, dsn: str, rocklake_server: CatalogServer
) -> None:
    """The server's part of such an insert: the client hands it over as one text of VALUES."""
    lake.run("CREATE TABLE t(id BIGINT, name VARCHAR, score DOUBLE)", "INSERT INTO t VALUES (-1, 'first', 0)")
    with psycopg.connect(dsn, autocommit=True) as connection:
        found = connection.execute("SELECT table_name FROM ducklake_inlined_data_tables").fetchone()
        assert found is not None
        snapshot = lake.value("SELECT max(snapshot_id) FROM lake.snapshots()")
        rows = ", ".join(
            f"({row + 1}, {snapshot}, NULL, {row}, '{'name of row'.ljust(60)}{row}', {row / 8})"
            for row in range(200_000)
        )
        statement = f"INSERT INTO {found[0]} VALUES {rows}"
        assert len(statement) > 19_000_000
        before = _memory_bytes(rocklake_server)
        assert connection.execute(statement.encode()).rowcount == 200_000
        growth = _memory_bytes(rocklake_server) - before
    query = "SELECT count(*), sum(id), count(DISTINCT name), sum(score) FROM t"
    assert open_lake().rows(query) == [(200_001, 19_999_899_999, 200_001, 2_499_987_500.0)]
    assert growth < MEMORY_GROWTH_BYTES_MAX, f"{growth >> 20} MB more"


def _memory_bytes(server: CatalogServer) -> int:
    """The most memory that the server has taken so far; 0 for a server that is not ours."""
    if not isinstance(server, RockLakeServer):
        return 0
    found = re.search(r"VmHWM:\s+(\d+) kB", Path(f"/proc/{server.pid}/status").read_text())
    assert found is not None
    return int(found[1]) * 1024


@pytest.mark.timeout(600)
@pytest.mark.parametrize("tables", [3000 if os.environ.get(MANY_TABLES) else 1000])
def test_many_tables(tables: int, lake: LakeClient, open_lake: OpenLake) -> None:
    lake.run("BEGIN", *(f"CREATE TABLE t{number}(id INTEGER, name VARCHAR)" for number in range(tables)), "COMMIT")
    lake.run("BEGIN", *(f"INSERT INTO t{number} VALUES ({number}, 'n')" for number in range(0, tables, 20)), "COMMIT")
    other = open_lake()
    assert other.value("SELECT count(*) FROM duckdb_tables() WHERE database_name = 'lake'") == tables
    assert other.rows(f"FROM t{tables - 20}") == [(tables - 20, "n")]
    other.run("DROP TABLE t0", "ALTER TABLE t1 ADD COLUMN more DATE")
    assert lake.value("SELECT count(*) FROM duckdb_columns() WHERE database_name = 'lake'") == tables * 2 - 1


def test_empty_and_null_everywhere(lake: LakeClient, open_lake: OpenLake) -> None:
    types = ["VARCHAR", "BLOB", "INTEGER[]", "VARCHAR[]", "MAP(VARCHAR, INTEGER)", "STRUCT(a VARCHAR, b INTEGER[])"]
    empty = ["''", "''::BLOB", "[]", "['', NULL]", "MAP {}", "{'a': '', 'b': []}"]
    columns = ", ".join(f"c{number} {name}" for number, name in enumerate(types))
    for stored in ("inlined", "parquet"):
        if stored == "parquet":
            lake.write_parquet_only()
        lake.run(
            f"CREATE TABLE {stored}({columns})",
            f"INSERT INTO {stored} VALUES ({', '.join(empty)})",
            f"INSERT INTO {stored} VALUES ({', '.join(['NULL'] * len(types))})",
            f"INSERT INTO {stored} SELECT * FROM {stored} WHERE false",
            f"DELETE FROM {stored} WHERE c0 = 'no such value'",
            f"COMMENT ON TABLE {stored} IS ''",
            f"COMMENT ON COLUMN {stored}.c0 IS ''",
            f"COMMENT ON COLUMN {stored}.c1 IS NULL",
        )
    lake.run(
        "CREATE TABLE defaults(id INTEGER, e VARCHAR DEFAULT '', n VARCHAR DEFAULT NULL)",
        "INSERT INTO defaults(id) VALUES (1)",
        "BEGIN", "INSERT INTO defaults(id) VALUES (2)",
        "CALL lake.set_commit_message('', NULL, extra_info => '')", "COMMIT",
    )  # fmt: skip
    other = open_lake()
    for stored in ("inlined", "parquet"):
        assert other.rows(f"FROM {stored} ORDER BY c0 NULLS LAST") == [
            ("", b"", [], ["", None], {}, {"a": "", "b": []}), (None,) * 6
        ]  # fmt: skip
        comments = other.rows(f"SELECT comment FROM duckdb_columns() WHERE table_name = '{stored}' AND comment = ''")
        assert comments == [("",)]
    assert other.rows("FROM defaults ORDER BY id") == [(1, "", None), (2, "", None)]
    last = other.rows("SELECT author, commit_message, commit_extra_info FROM ducklake_snapshots('lake')")[-1]
    assert last == ("", None, "")


# type -> the literals that DuckDB itself takes as least and greatest, and what has no number
EXTREMES = {
    "HUGEINT": ["'-170141183460469231731687303715884105728'", "'170141183460469231731687303715884105727'"],
    "UHUGEINT": ["'0'", "'340282366920938463463374607431768211455'"],
    "DECIMAL(38, 0)": ["'-99999999999999999999999999999999999999'", "'99999999999999999999999999999999999999'"],
    "DECIMAL(38, 38)": ["'-0.99999999999999999999999999999999999999'", "'0.00000000000000000000000000000000000001'"],
    "DATE": ["'5877642-06-25 (BC)'", "'5881580-07-10'", "'infinity'", "'-infinity'"],
    "TIMESTAMP": ["'290309-12-22 (BC) 00:00:00'", "'294247-01-10 04:00:54.775806'", "'infinity'", "'-infinity'"],
    "TIMESTAMPTZ": ["'290309-12-22 (BC) 00:00:00+00'", "'294247-01-10 04:00:54.775806+00'", "'-infinity'"],
    "TIMESTAMP_S": ["'290309-12-22 (BC) 00:00:00'", "'294247-01-10 04:00:54'"],
    "TIMESTAMP_MS": ["'290309-12-22 (BC) 00:00:00'", "'294247-01-10 04:00:54.775'"],
    "TIMESTAMP_NS": ["'1677-09-22 00:00:00'", "'2262-04-11 23:47:16.854775806'"],
    "TIME": ["'00:00:00'", "'24:00:00'"],
    "TIMETZ": ["'00:00:00+15:59:59'", "'24:00:00-15:59:59'"],
    "INTERVAL": ["'-178956970 years -8 months'", "'178956970 years 7 months 2147483647 days 2562047788 hours'"],
    "DOUBLE": ["'-0.0'", "'2.2250738585072014e-308'", "'4.9406564584124654e-324'"],
    "FLOAT": ["'-0.0'", "'1.1754944e-38'", "'1.4e-45'"],
    "VARCHAR": ["chr(1114111)", "chr(1)", "repeat('\U0001f986', 9999)"],
}


@pytest.mark.parametrize("type_name", EXTREMES)
def test_extremes_of_types_inlined(type_name: str, lake: LakeClient, open_lake: OpenLake) -> None:
    """As values and, but for intervals, which DuckDB cannot read back from that long a text, as lists' elements."""
    literals = [*EXTREMES[type_name], "NULL"]
    rows = ", ".join(f"({number}, {literal})" for number, literal in enumerate(literals))
    listed = "[]" if type_name == "INTERVAL" else f"[v::{type_name}]"
    make = (
        f"CREATE TABLE t(id INTEGER, v {type_name}, l {type_name}[])",
        f"INSERT INTO t SELECT id, v::{type_name}, {listed} FROM (VALUES {rows}) s(id, v)",
    )
    lake.run(*make)
    read = "SELECT id, v::VARCHAR, l::VARCHAR FROM t ORDER BY id"
    with connect(extensions=()) as plain:
        plain.execute(";".join(make))
        expected = plain.execute(read).fetchall()
    assert open_lake().rows(read) == expected
