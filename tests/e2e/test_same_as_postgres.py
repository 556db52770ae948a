"""One script against PostgreSQL and against our server: after every statement both catalogs hold the same rows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import duckdb
import psycopg
import pytest

from tests.duckdb_client import LakeClient
from tests.e2e.catalog_diff import CatalogReader, differences
from tests.servers import CatalogServer, ExternalServer

pytestmark = [pytest.mark.postgres, pytest.mark.timeout(240)]

# A line is one statement of client a; "b:" gives it to client b; "!" marks one that must fail.
SCRIPTS = {
    "definitions": """
        CREATE SCHEMA sales
        CREATE TABLE sales.orders(id INTEGER NOT NULL, name VARCHAR DEFAULT 'none', price DECIMAL(10, 2))
        CREATE TABLE plain AS SELECT range AS id FROM range(3)
        CREATE TABLE nested(s STRUCT(a INTEGER, b STRUCT(c VARCHAR)), l INTEGER[], m MAP(VARCHAR, DOUBLE))
        CREATE VIEW big AS SELECT id FROM plain WHERE id > 1
        CREATE MACRO plus(x, y := 10) AS x + y
        CREATE MACRO upto(n) AS TABLE SELECT id FROM plain WHERE id <= n
        SELECT plus(1), (SELECT count(*) FROM upto(1))
        ALTER VIEW big RENAME TO large
        ALTER TABLE plain RENAME TO simple
        CREATE OR REPLACE VIEW large AS SELECT id AS n FROM simple
        CREATE OR REPLACE TABLE simple AS SELECT 'x' AS name
        COMMENT ON TABLE sales.orders IS 'it''s ours'
        COMMENT ON COLUMN sales.orders.name IS 'label'
        COMMENT ON VIEW large IS 'a view'
        COMMENT ON TABLE sales.orders IS NULL
        ALTER TABLE sales.orders ADD COLUMN note VARCHAR DEFAULT 'n/a'
        ALTER TABLE sales.orders RENAME COLUMN note TO remark
        ALTER TABLE sales.orders ALTER COLUMN id SET DATA TYPE BIGINT
        ALTER TABLE sales.orders ALTER COLUMN name SET DEFAULT 'nobody'
        ALTER TABLE sales.orders ALTER COLUMN name DROP DEFAULT
        INSERT INTO sales.orders(id, price) VALUES (1, 2.5)
        ALTER TABLE sales.orders ALTER COLUMN price SET NOT NULL
        ALTER TABLE sales.orders ALTER COLUMN price DROP NOT NULL
        ALTER TABLE sales.orders DROP COLUMN remark
        ALTER TABLE nested ADD COLUMN s.d BOOLEAN
        ALTER TABLE nested RENAME COLUMN s.a TO z
        ALTER TABLE nested DROP COLUMN s.b
        ALTER TABLE sales.orders SET PARTITIONED BY (name)
        ALTER TABLE sales.orders SET PARTITIONED BY (bucket(4, name), id)
        ALTER TABLE sales.orders RESET PARTITIONED BY
        ALTER TABLE sales.orders SET SORTED BY (price DESC, id ASC NULLS FIRST)
        ALTER TABLE sales.orders RESET SORTED BY
        CALL lake.set_option('parquet_compression', 'zstd')
        CALL lake.set_option('parquet_compression', 'gzip')
        CALL lake.set_option('data_inlining_row_limit', 3, schema => 'sales', table_name => 'orders')
        CALL lake.set_option('parquet_version', 2, schema => 'sales')
        ! CREATE TABLE refused(v INTEGER[3])
        ! CREATE SCHEMA sales
        DROP MACRO plus
        DROP MACRO TABLE upto
        DROP VIEW large
        DROP TABLE nested
        DROP SCHEMA sales CASCADE
        SELECT table_name FROM duckdb_tables() WHERE database_name = 'lake' ORDER BY ALL
    """,
    "changes of inlined rows": """
        CREATE TABLE t(id INTEGER, name VARCHAR, day DATE)
        INSERT INTO t VALUES (1, 'a', '2024-01-01'), (2, 'it''s', NULL)
        INSERT INTO t VALUES (3, 'Größe', '2024-03-01')
        UPDATE t SET name = 'A' WHERE id = 1
        UPDATE t SET id = id + 10 WHERE id > 1
        DELETE FROM t WHERE id = 12
        FROM t ORDER BY id
        INSERT INTO t SELECT range, 'n' || range, NULL FROM range(100, 150)
        DELETE FROM t WHERE id IN (101, 120)
        UPDATE t SET name = NULL WHERE id = 102
        MERGE INTO t USING (VALUES (1), (7)) s(id) ON t.id = s.id \
            WHEN MATCHED THEN UPDATE SET name = 'merged' WHEN NOT MATCHED THEN INSERT VALUES (s.id, 'new', NULL)
        ALTER TABLE t ADD COLUMN extra DOUBLE
        INSERT INTO t VALUES (8, 'eight', NULL, 8.5), (9, NULL, NULL, 'nan')
        SELECT id, name, extra FROM t WHERE id < 20 ORDER BY id
        DELETE FROM t WHERE id = 8
        CREATE TABLE kinds(a TINYINT, b UBIGINT, c HUGEINT, d FLOAT, e DECIMAL(18, 3), f BLOB, \
            g TIMESTAMP, h TIME, i UUID, j BOOLEAN, k INTERVAL, l JSON)
        INSERT INTO kinds VALUES (1, 18446744073709551615, -5, 1.5, 3.125, '\\x00\\xff', \
            '2024-01-01 01:02:03.000004', '23:59:59', '00112233-4455-6677-8899-aabbccddeeff', true, '1 day', '{"a": 1}')
        INSERT INTO kinds VALUES (NULL, NULL, NULL, 'inf', NULL, '', NULL, NULL, NULL, NULL, NULL, NULL)
        SELECT COLUMNS(*)::VARCHAR FROM kinds ORDER BY ALL
        CREATE TABLE nested(s STRUCT(a INTEGER, b VARCHAR), l VARCHAR[])
        INSERT INTO nested VALUES ({'a': 1, 'b': 'x'}, ['p', NULL]), (NULL, [])
        FROM nested ORDER BY ALL
        SELECT change_type, id, name FROM lake.table_changes('t', 0, 9) WHERE id < 20 ORDER BY ALL
        CALL ducklake_flush_inlined_data('lake')
        SELECT count(*), sum(id) FROM t
        INSERT INTO t VALUES (50, 'after', NULL, NULL)
        DELETE FROM t WHERE id = 103
        CALL ducklake_flush_inlined_data('lake', table_name => 't')
        SELECT count(*), sum(id) FROM t
        TRUNCATE t
        DROP TABLE t
    """,
    "changes of files and maintenance": """
        CALL lake.set_option('data_inlining_row_limit', 0)
        CREATE TABLE t(id INTEGER, name VARCHAR)
        INSERT INTO t SELECT range, 'n' || range FROM range(100)
        INSERT INTO t SELECT range, NULL FROM range(100, 110)
        UPDATE t SET name = 'x' WHERE id % 10 = 0
        DELETE FROM t WHERE id < 50
        DELETE FROM t WHERE id < 60
        SELECT count(*), sum(id) FROM t AT (VERSION => 2)
        SELECT count(*), sum(id) FROM t
        CREATE TABLE p(day DATE, kind VARCHAR, v INTEGER)
        ALTER TABLE p SET PARTITIONED BY (year(day), kind)
        INSERT INTO p VALUES ('2023-01-01', 'a', 1), ('2024-01-01', 'a', 2), ('2024-05-01', 'b', 3), (NULL, NULL, 4)
        UPDATE p SET kind = 'c' WHERE v = 3
        DELETE FROM p WHERE v = 1
        FROM p ORDER BY v
        CREATE TABLE v(id INTEGER, v VARIANT)
        INSERT INTO v VALUES (1, {'a': 1, 'b': 'x'}), (2, {'a': 2, 'b': 'y'})
        INSERT INTO t SELECT range, 'm' FROM range(200, 203)
        INSERT INTO t SELECT range, 'm' FROM range(300, 303)
        SELECT table_name, files_processed, files_created FROM ducklake_merge_adjacent_files('lake') ORDER BY ALL
        SELECT table_name, files_processed, files_created FROM ducklake_rewrite_data_files(\
            'lake', 't', delete_threshold => 0)
        SELECT count(*) FROM ducklake_list_files('lake', 't')
        SELECT count(*) FROM ducklake_expire_snapshots('lake', versions => [2, 3])
        SELECT count(*) FROM ducklake_cleanup_old_files('lake', cleanup_all => true)
        DROP TABLE p
        SELECT count(*) FROM ducklake_expire_snapshots('lake', older_than => now())
        SELECT count(*) FROM ducklake_cleanup_old_files('lake', cleanup_all => true)
        SELECT count(*), sum(id) FROM t
        CHECKPOINT lake
        SELECT snapshot_id, schema_version, changes::VARCHAR FROM ducklake_snapshots('lake')
    """,
    "transactions and conflicts": """
        CREATE TABLE t(id INTEGER)
        BEGIN
        INSERT INTO t VALUES (1)
        CREATE TABLE u AS SELECT 2 AS x
        UPDATE t SET id = 10
        DELETE FROM u
        INSERT INTO u VALUES (3)
        COMMIT
        BEGIN
        INSERT INTO t VALUES (2)
        DROP TABLE u
        ROLLBACK
        FROM t ORDER BY id
        BEGIN
        b: BEGIN
        INSERT INTO t VALUES (20)
        b: INSERT INTO t VALUES (30)
        COMMIT
        b: COMMIT
        FROM t ORDER BY id
        BEGIN
        b: BEGIN
        CREATE TABLE a(x INTEGER)
        b: CREATE TABLE b(y VARCHAR)
        COMMIT
        b: COMMIT
        BEGIN
        b: BEGIN
        CREATE TABLE same(x INTEGER)
        b: CREATE TABLE same(y VARCHAR)
        COMMIT
        !b: COMMIT
        BEGIN
        b: BEGIN
        DELETE FROM t WHERE id = 10
        b: DELETE FROM t WHERE id = 10
        COMMIT
        !b: COMMIT
        b: INSERT INTO t VALUES (40)
        BEGIN
        INSERT INTO t VALUES (50)
        CALL lake.set_commit_message('Ada', 'fifty', extra_info => 'x')
        COMMIT
        SELECT snapshot_id, author, commit_message, changes::VARCHAR FROM ducklake_snapshots('lake')
        SELECT count(*) FROM t AT (VERSION => 2)
        FROM t ORDER BY id
    """,
}  # fmt: skip


@dataclass
class Side:
    """One server with two DuckDB clients and a reader of its catalog."""

    dsn: str
    data_path: Path
    clients: dict[str, LakeClient] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in ("a", "b"):
            self.clients[name] = LakeClient(self.dsn, self.data_path)
            self.clients[name].run("SET threads = 1")
        self.reader = CatalogReader(self.dsn, str(self.data_path))

    def answer(self, client: str, statement: str) -> object:
        """The statement's rows in a comparable form, or the class of DuckDB's error."""
        try:
            return self.reader.comparable(self.clients[client].rows(statement))
        except duckdb.Error as error:
            self.error = str(error)
            return type(error).__name__

    def close(self) -> None:
        self.reader.close()
        for client in self.clients.values():
            client.close()


@pytest.fixture
def sides(
    request: pytest.FixtureRequest, rocklake_server: CatalogServer, postgres_dsn: str, dbname: str, tmp_path: Path
) -> Iterator[tuple[Side, Side]]:
    """(ours, PostgreSQL's)."""
    oracle = ExternalServer(postgres_dsn)
    ours = Side(rocklake_server.dsn(dbname), tmp_path / "ours")
    theirs = Side(oracle.dsn(dbname), tmp_path / "pgsql")
    yield ours, theirs
    ours.close()
    theirs.close()
    oracle.stop()


@pytest.mark.parametrize("script", sorted(SCRIPTS))
def test_catalogs_are_equal_after_every_statement(script: str, sides: tuple[Side, Side]) -> None:
    ours, theirs = sides
    assert differences(ours.reader.read(), theirs.reader.read()) == [], "after ATTACH"
    for line in SCRIPTS[script].strip().splitlines():
        statement = line.strip()
        must_fail = statement.startswith("!")
        statement = statement.removeprefix("!").strip()
        client = "b" if statement.startswith("b: ") else "a"
        statement = statement.removeprefix("b: ")
        here, there = ours.answer(client, statement), theirs.answer(client, statement)
        assert isinstance(there, str) is must_fail, f"PostgreSQL: {statement}: {there} {getattr(theirs, 'error', '')}"
        assert here == there, f"after {statement}\n{getattr(ours, 'error', '')}"
        found = differences(ours.reader.read(), theirs.reader.read())
        assert not found, "\n".join([f"after {statement}", *found])


def test_column_declarations_are_equal(sides: tuple[Side, Side]) -> None:
    declared = []
    query = (
        "SELECT table_name, column_name, ordinal_position, data_type, is_nullable "
        "FROM information_schema.columns WHERE table_schema = 'public'"
    )
    for side in sides:
        side.clients["a"].run("CREATE TABLE t(id INTEGER, price DECIMAL(9, 2))", "INSERT INTO t VALUES (1, 2.5)")
        with psycopg.connect(side.dsn, autocommit=True) as connection:
            declared.append(sorted(connection.execute(query).fetchall()))
    ours, theirs = declared
    assert ours == theirs
