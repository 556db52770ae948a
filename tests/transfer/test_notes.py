"""Comments and indexes travel between lakes and PostgreSQL, and are named where they stay behind."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import aclosing
from pathlib import Path

import psycopg
import pytest

from rocklake_server.catalog.databases import Databases
from rocklake_server.catalog.lake_reader import CatalogReader
from rocklake_server.store.object_stores import StoreLocation, parse_store_url
from rocklake_server.transfer.copying import copy_catalog
from rocklake_server.transfer.duckdb_catalog import DuckDBTarget
from rocklake_server.transfer.lake_catalog import LakeSource, LakeTarget
from rocklake_server.transfer.postgres_catalog import PostgresSource, PostgresTarget
from rocklake_server.transfer.sqlite_catalog import SQLiteTarget
from tests.cli.console import rocklake
from tests.servers import RockLakeServer
from tests.transfer.conftest import Catalog
from tests.transfer.rich_lake import answers, make_lake

pytestmark = [pytest.mark.duckdb, pytest.mark.postgres]

NewCatalog = Callable[[str, str], Catalog]
OpenLake = Callable[[str], AsyncIterator[LakeSource]]

TABLES = ("CREATE TABLE t(a INTEGER, b VARCHAR)", "INSERT INTO t VALUES (1, 'one'), (2, 'two')")
NOTES = (
    "COMMENT ON TABLE ducklake_snapshot IS 'every change'",
    "COMMENT ON COLUMN ducklake_table.table_name IS 'it''s a \\name'",
    "CREATE INDEX by_name ON ducklake_table (table_name DESC, table_id)",
    'CREATE INDEX "Odd name" ON ducklake_column (column_name DESC NULLS LAST, column_id NULLS FIRST)',
    "COMMENT ON INDEX by_name IS 'for people'",
    "COMMENT ON INDEX ducklake_snapshot_pkey IS 'the key'",
    "COMMENT ON SCHEMA public IS 'a lake'",
)
SHOWN = (
    "index Odd name on ducklake_column", "index by_name on ducklake_table",
    "comment on column ducklake_table.table_name", "comment on database", "comment on index ducklake_table.by_name",
    "comment on primary key of ducklake_snapshot", "comment on schema", "comment on table ducklake_snapshot",
)  # fmt: skip
UNLIKE = {
    "u": "CREATE UNIQUE INDEX u ON ducklake_table (table_id, begin_snapshot)",
    "e": "CREATE INDEX e ON ducklake_table (lower(table_name))",
    "p": "CREATE INDEX p ON ducklake_table (table_id) WHERE table_id > 1",
    "h": "CREATE INDEX h ON ducklake_table USING hash (table_id)",
    "o": "CREATE INDEX o ON ducklake_table (table_name varchar_pattern_ops)",
    "i": "CREATE INDEX i ON ducklake_table (table_id) INCLUDE (table_name)",
    "c": 'CREATE INDEX c ON ducklake_table (table_name COLLATE "C")',
}
"""Indexes that no lake records."""


def note(dsn: str, *statements: str) -> None:
    with psycopg.connect(dsn, autocommit=True) as connection:
        for statement in statements:
            connection.execute(statement.encode())
        connection.execute(f"COMMENT ON DATABASE {connection.info.dbname} IS 'all of it'".encode())


def noted(dsn: str, schema: str = "public") -> list[object]:
    with psycopg.connect(dsn) as connection:
        return [connection.execute(query.replace("public", schema).encode()).fetchall() for query in (
            "SELECT indexname, replace(indexdef, 'public.', '') FROM pg_indexes "
            "WHERE schemaname = 'public' AND tablename LIKE 'ducklake%' ORDER BY 1",
            "SELECT c.relname, d.objsubid, d.description FROM pg_description d JOIN pg_class c ON c.oid = d.objoid "
            "JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = 'public' "
            "AND d.classoid = 'pg_class'::regclass ORDER BY 1, 2",
            "SELECT obj_description(oid, 'pg_namespace') FROM pg_namespace WHERE nspname = 'public'",
            "SELECT shobj_description(oid, 'pg_database') FROM pg_database WHERE datname = current_database()",
        )]  # fmt: skip


@pytest.fixture
def original(new_catalog: NewCatalog, tmp_path: Path) -> Catalog:
    """In PostgreSQL, with something of everything."""
    made = new_catalog("postgres", "noted")
    make_lake(made.attach, tmp_path / "data", TABLES)
    note(made.place, *NOTES)
    return made


@pytest.fixture
def server(tmp_path: Path) -> Iterator[RockLakeServer]:
    running = RockLakeServer(f"file://{tmp_path}/served", logs=tmp_path)
    running.start()
    yield running
    running.stop()


async def test_notes_go_from_postgresql_into_a_lake_and_back(
    original: Catalog, new_catalog: NewCatalog, databases: Databases, open_lake: OpenLake
) -> None:
    async with aclosing(original.source()) as source:
        contents = await source.contents()
        assert contents.notes.names == SHOWN
        imported = await copy_catalog(source, LakeTarget(databases, "lake", "public"))
    lake = await open_lake("lake")  # type: ignore[misc]
    assert (await lake.contents()).notes == contents.notes
    copy = new_catalog("postgres", "back")
    exported = await copy_catalog(lake, copy.target())
    assert noted(copy.place) == noted(original.place)
    assert imported.notes_left_out == exported.notes_left_out == ()
    assert answers(copy.attach, questions=("FROM t ORDER BY a",)) == {"FROM t ORDER BY a": "[(1, 'one'), (2, 'two')]"}


async def test_notes_go_through_a_running_server(
    original: Catalog, server: RockLakeServer, new_catalog: NewCatalog, databases: Databases, open_lake: OpenLake
) -> None:
    async with aclosing(original.source()) as source:
        copied = await copy_catalog(source, PostgresTarget(server.dsn("noted")))
    assert copied.notes_left_out == ()
    assert noted(server.dsn("noted")) == noted(original.place)
    async with aclosing(PostgresSource(server.dsn("noted"))) as source:
        await copy_catalog(source, LakeTarget(databases, "lake", "public"))
    copy = new_catalog("postgres", "again")
    await copy_catalog(await open_lake("lake"), copy.target())  # type: ignore[misc]
    assert noted(copy.place) == noted(original.place)
    async with await CatalogReader.open(parse_store_url(server.store, {})) as catalog:
        beside = await LakeSource(await catalog.lake(catalog.find("noted"))).contents()
    assert beside.notes.names == SHOWN


async def test_a_lake_is_copied_with_its_notes_into_another_schema(
    original: Catalog, databases: Databases, open_lake: OpenLake, server: RockLakeServer
) -> None:
    async with aclosing(original.source()) as source:
        await copy_catalog(source, LakeTarget(databases, "lake", "public"))
    second = await copy_catalog(await open_lake("lake"), LakeTarget(databases, "lake", "second"))  # type: ignore[misc]
    assert second.notes_left_out == ("comment on database",), "the lake of public has it"
    found = (await (await open_lake("lake/second")).contents()).notes  # type: ignore[misc]
    assert found.names == tuple(name for name in SHOWN if name != "comment on database")
    served = PostgresTarget(server.dsn("other"), "third")
    copied = await copy_catalog(await open_lake("lake"), served)  # type: ignore[misc]
    assert copied.notes_left_out == ("comment on database (there is another one)",)
    indexes, comments, *_ = noted(server.dsn("other"), "third")
    assert (indexes, comments) == tuple(noted(original.place)[:2])


async def test_indexes_that_no_lake_records_are_named(original: Catalog, databases: Databases) -> None:
    note(original.place, *UNLIKE.values(), "COMMENT ON INDEX u IS 'x'")
    async with aclosing(original.source()) as source:
        copied = await copy_catalog(source, LakeTarget(databases, "lake", "public"))
    assert copied.notes_left_out == tuple(f"index {name} on ducklake_table" for name in sorted(UNLIKE))


async def test_what_the_database_says_of_itself_already_stays(
    original: Catalog, new_catalog: NewCatalog, databases: Databases, open_lake: OpenLake
) -> None:
    async with aclosing(original.source()) as source:
        await copy_catalog(source, LakeTarget(databases, "lake", "public"))
    copy = new_catalog("postgres", "shared")
    note(copy.place, "CREATE TABLE mine (a int)", "CREATE INDEX by_name ON mine (a)", "COMMENT ON SCHEMA public IS 'x'")
    copied = await copy_catalog(await open_lake("lake"), copy.target())  # type: ignore[misc]
    assert copied.notes_left_out == (
        'index by_name on ducklake_table (relation "by_name" already exists)',
        "comment on database (there is another one)",
        "comment on index ducklake_table.by_name (its index is not there)", "comment on schema (there is another one)",
    )  # fmt: skip
    _, _, schema, database = noted(copy.place)
    assert (schema, database) == ([("x",)], [("all of it",)])
    with psycopg.connect(copy.place) as connection:
        assert connection.execute("SELECT obj_description('by_name'::regclass)").fetchone() == (None,)


@pytest.mark.parametrize("kind", ["duckdb", "sqlite"])
async def test_notes_are_named_where_they_stay_behind(
    kind: str, original: Catalog, new_catalog: NewCatalog, databases: Databases, location: StoreLocation,
    tmp_path: Path,
) -> None:  # fmt: skip
    file = tmp_path / f"copy.{kind}"
    async with aclosing(original.source()) as source:
        copied = await copy_catalog(source, DuckDBTarget(file) if kind == "duckdb" else SQLiteTarget(file))
    assert copied.notes_left_out == SHOWN
    async with aclosing(original.source()) as source:
        await copy_catalog(source, LakeTarget(databases, "lake", "public"))
    ended = rocklake("export", "--store", str(location), "--to", f"{kind}:{tmp_path}/again.{kind}")
    assert ended.code == 0
    assert f"comments and indexes that the copy does not have: {', '.join(SHOWN)}" in ended.stderr


def test_the_commands_take_notes_along(original: Catalog, new_catalog: NewCatalog, tmp_path: Path) -> None:
    store, copy = f"file://{tmp_path}/store", new_catalog("postgres", "commanded")
    for given in (("import", "--from", f"postgres:{original.place}"), ("export", "--to", f"postgres:{copy.place}")):
        ended = rocklake(*given, "--store", store, "--lake", "lake", "--output", "json")
        assert ended.code == 0, ended
        assert "does not have" not in ended.stderr
    assert noted(copy.place) == noted(original.place)
