from __future__ import annotations

import sqlite3
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path

import psycopg
import pytest

from rocklake_server.catalog.databases import Databases
from rocklake_server.catalog.lake_reader import CatalogReader
from rocklake_server.catalog.owned_databases import owned_databases
from rocklake_server.clock import SystemClock
from rocklake_server.store.object_stores import StoreLocation, parse_store_url
from rocklake_server.transfer.catalogs import Source, Target
from rocklake_server.transfer.duckdb_catalog import DuckDBSource, DuckDBTarget
from rocklake_server.transfer.lake_catalog import LakeSource
from rocklake_server.transfer.postgres_catalog import PostgresSource, PostgresTarget
from rocklake_server.transfer.sqlite_catalog import SQLiteSource, SQLiteTarget
from tests.transfer.rich_lake import duckdb_definitions

KINDS = ("duckdb", "sqlite", "postgres")


@dataclass(frozen=True, slots=True)
class Catalog:
    """One catalog database of a kind, which need not exist yet. ``attach`` follows ``ducklake:``."""

    kind: str
    place: str

    @property
    def attach(self) -> str:
        return self.place if self.kind == "duckdb" else f"{self.kind}:{self.place}"

    def source(self) -> Source:
        if self.kind == "postgres":
            return PostgresSource(self.place)
        return DuckDBSource(Path(self.place)) if self.kind == "duckdb" else SQLiteSource(Path(self.place))

    def target(self) -> Target:
        if self.kind == "postgres":
            return PostgresTarget(self.place)
        return DuckDBTarget(Path(self.place)) if self.kind == "duckdb" else SQLiteTarget(Path(self.place))

    def definitions(self) -> list[str]:
        """Names, types and constraints of all relations, as the kind of database tells them."""
        if self.kind == "duckdb":
            return duckdb_definitions(Path(self.place))
        if self.kind == "sqlite":
            with sqlite3.connect(self.place) as connection:
                tables = connection.execute("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL").fetchall()
            connection.close()
            return sorted(sql.replace('"', "") for (sql,) in tables)
        with psycopg.connect(self.place) as postgres:
            columns = postgres.execute(
                "SELECT table_name, column_name, data_type, numeric_precision, numeric_scale, is_nullable "
                "FROM information_schema.columns WHERE table_schema = 'public' ORDER BY table_name, ordinal_position"
            ).fetchall()
            keys = postgres.execute(
                "SELECT conname, pg_get_constraintdef(oid) FROM pg_constraint "
                "WHERE connamespace = 'public'::regnamespace ORDER BY conname"
            ).fetchall()
        return [*map(str, columns), *map(str, keys)]


@pytest.fixture
def new_catalog(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Callable[[str, str], Catalog]]:
    """(kind, name) -> a catalog database of that kind with nothing in it."""
    made: list[tuple[str, str]] = []

    def new(kind: str, name: str) -> Catalog:
        if kind != "postgres":
            return Catalog(kind, str(tmp_path / f"{name}.{kind}"))
        dsn = request.getfixturevalue("postgres_dsn")
        database = f"transfer_{name}"
        with psycopg.connect(dsn, autocommit=True) as admin:
            admin.execute(f'CREATE DATABASE "{database}"')
        made.append((dsn, database))
        return Catalog(kind, psycopg.conninfo.make_conninfo(dsn, dbname=database))

    yield new
    for dsn, database in made:
        with psycopg.connect(dsn, autocommit=True) as admin:
            admin.execute(f'DROP DATABASE "{database}" WITH (FORCE)')


@pytest.fixture
def location(tmp_path: Path) -> StoreLocation:
    return parse_store_url(f"file://{tmp_path}/store", {})


@pytest.fixture
async def databases(location: StoreLocation) -> AsyncIterator[Databases]:
    async with owned_databases(location, SystemClock()) as opened:
        yield opened


@pytest.fixture
async def open_lake(location: StoreLocation) -> AsyncIterator[Callable[[str], AsyncIterator[LakeSource]]]:
    """A lake's name -> the lake as it is now, read beside whoever writes it."""
    async with AsyncExitStack() as stack:

        async def opened(name: str) -> LakeSource:
            catalog = await stack.enter_async_context(await CatalogReader.open(location))
            return LakeSource(await catalog.lake(catalog.find(name)))

        yield opened
