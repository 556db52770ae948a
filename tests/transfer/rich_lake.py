"""A lake that DuckDB itself makes in any kind of catalog: inlined rows of every type, files, deletes, views, macros."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import duckdb

from tests.duckdb_client import connect

EXTENSIONS = ("postgres_scanner", "sqlite_scanner", "mysql_scanner", "ducklake")

TYPES = """b BOOLEAN, i1 TINYINT, i2 SMALLINT, i4 INTEGER, i8 BIGINT, i16 HUGEINT, u1 UTINYINT, u2 USMALLINT,
u4 UINTEGER, u8 UBIGINT, u16 UHUGEINT, f4 FLOAT, f8 DOUBLE, d9 DECIMAL(9,2), d38 DECIMAL(38,10), t TIME, tz TIMETZ,
dt DATE, ts TIMESTAMP, ts_s TIMESTAMP_S, ts_ms TIMESTAMP_MS, ts_ns TIMESTAMP_NS, tstz TIMESTAMPTZ, iv INTERVAL,
s VARCHAR, bl BLOB, u UUID, j JSON, l INTEGER[], ls VARCHAR[], st STRUCT(a INTEGER, "b c" VARCHAR),
m MAP(VARCHAR, INTEGER), nest STRUCT(x STRUCT(y DATE[], z BLOB))[]"""

FULL = """true, -128, -32768, -2147483648, -9223372036854775808, -170141183460469231731687303715884105728, 255, 65535,
4294967295, 18446744073709551615, 340282366920938463463374607431768211455, 'nan'::FLOAT, '-inf'::DOUBLE, 1234567.89,
1234567890123456789012345678.0123456789, '23:59:59.999999', '12:00:00+05:30', '290309-12-22 (BC)'::DATE,
'infinity'::TIMESTAMP, '2020-01-01 00:00:01', '2020-01-01 00:00:01.123', '2020-01-01 00:00:01.123456789',
'2020-01-01 00:00:01.5+02', INTERVAL '1 month 2 days 3 microseconds', 'a''b' || chr(0) || '€' || chr(10),
'\\x00\\xFFab'::BLOB, '12345678-1234-1234-1234-123456789abc', '{"a": 1}', [1,NULL,3],
['a','b c','it''s', 'q"', NULL, '', 'NULL', 'x,y', '[z]'], {'a': 1, 'b c': 'v'',{'}, MAP {'k': 1, 'k 2': NULL},
[{'x': {'y': ['2020-01-01'::DATE], 'z': '\\xAA'::BLOB}}]"""

SMALL = """false, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0.1, 1e300, -0.01, 0, '00:00:00', '00:00:00-15:59', '2020-02-29',
'2020-01-01', '1969-12-31 23:59:59', '1677-01-01', '1970-01-01', '-infinity', INTERVAL '-1 year 1 hour', '', '',
'00000000-0000-0000-0000-000000000000', 'null', [], [], {'a': NULL, 'b c': NULL}, MAP {}, []"""

STATEMENTS = (
    f"CREATE TABLE every({TYPES})",
    f"INSERT INTO every VALUES ({FULL})",
    f"INSERT INTO every VALUES ({', '.join(['NULL'] * 33)})",
    f"INSERT INTO every VALUES ({SMALL})",
    "CREATE TABLE files(id INTEGER, name VARCHAR)",
    "ALTER TABLE files SET PARTITIONED BY (id)",
    "INSERT INTO files SELECT i % 3, 'x' || i FROM range(100) t(i)",
    "DELETE FROM files WHERE name = 'x5'",
    "UPDATE every SET i4 = 7 WHERE i4 = 1",
    "ALTER TABLE every ADD COLUMN extra VARCHAR DEFAULT 'dd'",
    "ALTER TABLE every ALTER COLUMN i2 SET DATA TYPE INTEGER",
    "INSERT INTO every(i4, extra) VALUES (8, 'after')",
    "CREATE VIEW seen AS SELECT id FROM files",
    "CREATE MACRO plus(a, b := 2) AS a + b",
    "COMMENT ON TABLE files IS 'hey'",
    "COMMENT ON COLUMN files.id IS 'the id'",
    "CREATE SCHEMA other",
    "CREATE TABLE other.gone(x INTEGER)",
    "DROP TABLE other.gone",
    "CALL lake.set_option('parquet_compression', 'zstd')",
)

QUESTIONS = (
    "SELECT * FROM every ORDER BY i4, rowid",
    "SELECT * FROM every AT (VERSION => 3) ORDER BY rowid",
    "FROM files ORDER BY name",
    "FROM files AT (VERSION => 7) ORDER BY name",
    "FROM seen ORDER BY id",
    "SELECT plus(1)",
    "SELECT table_name, comment FROM duckdb_tables() WHERE database_name = 'lake' ORDER BY table_name",
    "SELECT column_name, data_type, comment FROM duckdb_columns() WHERE database_name = 'lake' ORDER BY ALL",
    "FROM ducklake_snapshots('lake') ORDER BY snapshot_id",
    "FROM ducklake_table_changes('lake', 'main', 'files', 0, 9) ORDER BY ALL",
    "FROM ducklake_table_changes('lake', 'main', 'every', 0, 13) ORDER BY snapshot_id, rowid, change_type",
    "SELECT * FROM ducklake_list_files('lake', 'files') ORDER BY ALL",
    "SELECT option_name, value FROM ducklake_options('lake') ORDER BY ALL",
)


def make_lake(attach: str, data_path: Path, statements: Sequence[str] = STATEMENTS) -> None:
    """``attach`` is what follows ``ducklake:``, as in ``postgres:host=...``."""
    connection = connect(EXTENSIONS)
    connection.execute(f"ATTACH 'ducklake:{attach}' AS lake (DATA_PATH '{data_path}/')")
    for statement in ("USE lake", *statements):
        connection.execute(statement).fetchall()
    connection.close()


def answers(attach: str, options: str = "", questions: Sequence[str] = QUESTIONS) -> dict[str, str]:
    """What the lake answers to each question, as text: NaN equals itself there."""
    connection = connect(EXTENSIONS)
    try:
        connection.execute(f"ATTACH 'ducklake:{attach}' AS lake {options}")
        connection.execute("USE lake")
        return {question: repr(connection.execute(question).fetchall()) for question in questions}
    finally:
        connection.close()


def duckdb_definitions(path: Path) -> list[str]:
    """CREATE TABLE of every table of a DuckDB file."""
    with duckdb.connect(str(path), read_only=True) as connection:
        return sorted(sql for (sql,) in connection.execute("SELECT sql FROM duckdb_tables()").fetchall())
