"""Catalogs of every version come in and go out as they are: the columns that a version had, and no others."""

from __future__ import annotations

import sqlite3
from collections.abc import Awaitable, Callable
from contextlib import aclosing
from pathlib import Path

import duckdb
import pytest

from rocklake_server.catalog.databases import Databases
from rocklake_server.schema.registry import columns_of, name_in, tables_of
from rocklake_server.schema.types import BIGINT, BYTEA
from rocklake_server.transfer.copying import copy_catalog
from rocklake_server.transfer.duckdb_catalog import DuckDBSource, DuckDBTarget
from rocklake_server.transfer.lake_catalog import LakeSource, LakeTarget
from rocklake_server.transfer.sqlite_catalog import SQLiteSource, SQLiteTarget
from tests.e2e.old_catalogs import VERSIONS, create_statements, row_statements
from tests.transfer.rich_lake import duckdb_definitions

pytestmark = pytest.mark.duckdb

OpenLake = Callable[[str], Awaitable[LakeSource]]


def old_file(path: Path, version: str) -> None:
    with duckdb.connect(str(path)) as connection:
        for statement in (*create_statements(version), *row_statements(version, path.parent, 400, 100)):
            connection.execute(statement)


@pytest.mark.parametrize("version", VERSIONS)
async def test_an_old_catalog_stays_one(
    version: str, tmp_path: Path, databases: Databases, open_lake: OpenLake
) -> None:
    old_file(tmp_path / "old.duckdb", version)
    imported = await copy_catalog(DuckDBSource(tmp_path / "old.duckdb"), LakeTarget(databases, "lake", "public"))
    await copy_catalog(await open_lake("lake"), SQLiteTarget(tmp_path / "old.sqlite"))
    async with aclosing(SQLiteSource(tmp_path / "old.sqlite")) as source:
        await copy_catalog(source, LakeTarget(databases, "again", "public"))
    exported = await copy_catalog(await open_lake("again"), DuckDBTarget(tmp_path / "new.duckdb"))
    assert exported == imported
    assert duckdb_definitions(tmp_path / "new.duckdb") == duckdb_definitions(tmp_path / "old.duckdb")
    assert {relation.name for relation in imported.relations} == {
        name_in(table, version) for table in tables_of(version)
    }


async def test_a_catalog_of_the_coming_version_keeps_its_relations_and_names(
    tmp_path: Path, databases: Databases, open_lake: OpenLake
) -> None:
    """Catalog 1.1 has relations of its own, and other names for the first columns of inlined rows."""
    path = tmp_path / "coming.duckdb"
    with duckdb.connect(str(path)) as connection:
        for table in tables_of("1.1"):
            columns = [
                f'"{c.name}" {c.type.sql.upper()}{" PRIMARY KEY" if table.primary_key == (c.name,) else ""}'
                for c in columns_of(table, "1.1")
            ]
            connection.execute(f"CREATE TABLE {table.name}({', '.join(columns)})")
        connection.execute("INSERT INTO ducklake_snapshot VALUES (1, now(), 1, 2, 0)")
        connection.execute("INSERT INTO ducklake_view_column_tag VALUES (1, 'c', 1, NULL, 'comment', 'hey')")
        connection.execute("INSERT INTO ducklake_column BY NAME (SELECT 1 AS table_id, 1 AS column_id, "
                           "1 AS begin_snapshot, 1 AS column_order, 'row_id' AS column_name, 'varchar' AS column_type)")
        connection.execute("CREATE TABLE ducklake_inlined_data_1_1(_ducklake_row_id BIGINT, "
                           "_ducklake_begin_snapshot BIGINT, _ducklake_end_snapshot BIGINT, row_id VARCHAR)")
        connection.execute("INSERT INTO ducklake_inlined_data_1_1 VALUES (0, 1, NULL, 'mine')")
    imported = await copy_catalog(DuckDBSource(path), LakeTarget(databases, "lake", "public"))
    contents = await (await open_lake("lake")).contents()
    inlined = next(r for r in contents.relations if r.name == "ducklake_inlined_data_1_1")
    assert [(c.name, c.type) for c in inlined.columns] == [
        ("_ducklake_row_id", BIGINT), ("_ducklake_begin_snapshot", BIGINT), ("_ducklake_end_snapshot", BIGINT),
        ("row_id", BYTEA),
    ]  # fmt: skip
    exported = await copy_catalog(await open_lake("lake"), DuckDBTarget(tmp_path / "new.duckdb"))
    assert exported == imported
    assert duckdb_definitions(tmp_path / "new.duckdb") == duckdb_definitions(path)


async def test_a_sqlite_file_is_read_as_of_one_moment(tmp_path: Path) -> None:
    old_file(tmp_path / "old.duckdb", "0.4")
    path = tmp_path / "old.sqlite"
    await copy_catalog(DuckDBSource(tmp_path / "old.duckdb"), SQLiteTarget(path))
    with sqlite3.connect(path) as other:
        other.execute("PRAGMA journal_mode = wal")
    source = SQLiteSource(path)
    before = await source.contents()
    other.execute("INSERT INTO ducklake_snapshot VALUES (99, '2026-01-01 00:00:00+00', 1, 1, 1)")
    other.commit()
    other.close()
    snapshots = next(r for r in before.relations if r.name == "ducklake_snapshot")
    assert 99 not in [row[0] async for rows in source.rows(snapshots) for row in rows]
    await source.aclose()
