"""A running server takes and gives catalogs as any PostgreSQL does, and is read beside."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import aclosing
from pathlib import Path

import pytest

from rocklake_server.catalog.lake_reader import CatalogReader
from rocklake_server.errors import InvalidParameterValue, StoreUnavailable
from rocklake_server.store.object_stores import parse_store_url
from rocklake_server.transfer.copying import copy_catalog
from rocklake_server.transfer.duckdb_catalog import DuckDBSource
from rocklake_server.transfer.lake_catalog import LakeSource
from rocklake_server.transfer.postgres_catalog import PostgresSource, PostgresTarget
from rocklake_server.transfer.sqlite_catalog import SQLiteTarget
from tests.servers import RockLakeServer
from tests.transfer.rich_lake import answers, make_lake

pytestmark = pytest.mark.duckdb


@pytest.fixture
def server(tmp_path: Path) -> Iterator[RockLakeServer]:
    running = RockLakeServer(f"file://{tmp_path}/store", logs=tmp_path)
    running.start()
    yield running
    running.stop()


async def test_a_lake_goes_through_a_server_and_back(server: RockLakeServer, tmp_path: Path) -> None:
    make_lake(str(tmp_path / "lake.duckdb"), tmp_path / "data")
    expected = answers(str(tmp_path / "lake.duckdb"))
    dsn = server.dsn("lake")
    imported = await copy_catalog(DuckDBSource(tmp_path / "lake.duckdb"), PostgresTarget(dsn))
    assert answers(f"postgres:{dsn}") == expected
    async with aclosing(PostgresSource(dsn)) as source:
        through = await copy_catalog(source, SQLiteTarget(tmp_path / "through.sqlite"))
    async with await CatalogReader.open(parse_store_url(server.store, {})) as catalog:
        lake = LakeSource(await catalog.lake(catalog.find("lake")))
        beside = await copy_catalog(lake, SQLiteTarget(tmp_path / "beside.sqlite"))
    assert imported == through == beside
    assert answers(f"sqlite:{tmp_path}/through.sqlite") == answers(f"sqlite:{tmp_path}/beside.sqlite") == expected
    assert answers(f"postgres:{dsn}") == expected


async def test_a_schema_of_a_servers_database_is_filled(server: RockLakeServer, tmp_path: Path) -> None:
    make_lake(str(tmp_path / "lake.duckdb"), tmp_path / "data", ("CREATE TABLE t AS SELECT 1 AS one",))
    await copy_catalog(DuckDBSource(tmp_path / "lake.duckdb"), PostgresTarget(server.dsn("lake"), "second"))
    attached = answers(f"postgres:{server.dsn('lake')}", "(METADATA_SCHEMA 'second')", ("FROM t",))
    assert attached == {"FROM t": "[(1,)]"}


async def test_a_lake_that_is_there_is_not_written_over(server: RockLakeServer, tmp_path: Path) -> None:
    make_lake(str(tmp_path / "lake.duckdb"), tmp_path / "data", ("CREATE TABLE t AS SELECT 1 AS one",))
    await copy_catalog(DuckDBSource(tmp_path / "lake.duckdb"), PostgresTarget(server.dsn("lake")))
    with pytest.raises(InvalidParameterValue, match="holds a DuckLake catalog already"):
        await copy_catalog(DuckDBSource(tmp_path / "lake.duckdb"), PostgresTarget(server.dsn("lake")))
    assert answers(f"postgres:{server.dsn('lake')}", questions=("FROM t",)) == {"FROM t": "[(1,)]"}


async def test_a_server_that_is_not_there_is_named_without_its_password(tmp_path: Path) -> None:
    source = PostgresSource("host=127.0.0.1 port=1 dbname=x user=y password=secret")
    with pytest.raises(StoreUnavailable, match="cannot connect") as refused:
        await source.contents()
    assert "secret" not in str(refused.value)
    await source.aclose()


async def test_a_refusal_of_the_database_is_told(server: RockLakeServer, tmp_path: Path) -> None:
    make_lake(str(tmp_path / "lake.duckdb"), tmp_path / "data", ("CREATE TABLE t AS SELECT 1 AS one",))
    with pytest.raises(StoreUnavailable, match='refused a statement: schema name "pg_mine"'):
        await copy_catalog(DuckDBSource(tmp_path / "lake.duckdb"), PostgresTarget(server.dsn("lake"), "pg_mine"))
