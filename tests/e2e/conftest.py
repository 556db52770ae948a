"""Fixtures of the end-to-end tests: one server per module, one fresh lake per test."""

from __future__ import annotations

import os
import re
import zlib
from collections.abc import Callable, Generator, Iterator, Sequence
from pathlib import Path

import pytest

from tests.duckdb_client import EXTENSIONS, LakeClient, extension_file
from tests.servers import CatalogServer, ExternalServer, RockLakeServer
from tests.verified import damage_in

EXTERNAL_DSN = "ROCKLAKE_E2E_DSN"
OpenLake = Callable[..., LakeClient]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents:
            item.add_marker(pytest.mark.duckdb)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    server = getattr(item, "funcargs", {}).get("rocklake_server")
    if report.failed and server is not None:
        report.sections.append(("server log", server.log_tail()))
    return report


@pytest.fixture(scope="session", autouse=True)
def duckdb_extensions() -> None:
    """Fails every test here, instead of skipping it, when DuckDB's extensions are not installed."""
    for name in EXTENSIONS:
        extension_file(name)


DAMAGES_LAKES = "DAMAGES_LAKES"
"""A module that sets this to True changes catalogs by hand: what it leaves is damaged, and has to be found so."""


@pytest.fixture(scope="module")
def rocklake_server(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[CatalogServer]:
    """A server on a fresh local folder; a PostgreSQL instead when ROCKLAKE_E2E_DSN names one."""
    folder = tmp_path_factory.mktemp("server")
    external = os.environ.get(EXTERNAL_DSN)
    server: ExternalServer | RockLakeServer
    server = ExternalServer(external) if external else RockLakeServer(f"file://{folder}/store", logs=folder)
    server.start()
    yield server
    server.stop()
    if isinstance(server, RockLakeServer):
        found = damage_in(server.store)
        if getattr(request.module, DAMAGES_LAKES, False):
            assert found, "damaged lakes are found to be whole"
        else:
            assert found == [], "every lake that a client worked on is whole"


@pytest.fixture
def dbname(request: pytest.FixtureRequest) -> str:
    """A database name of the test's own, short enough for PostgreSQL (63 bytes)."""
    name = re.sub(r"[^a-z0-9]+", "_", request.node.name.lower())
    module = request.node.path.stem.removeprefix("test_")
    return f"{module}_{name.removeprefix('test_')}"[:50] + f"_{zlib.crc32(request.node.nodeid.encode()):08x}"


@pytest.fixture
def dsn(rocklake_server: CatalogServer, dbname: str) -> str:
    """The connection string of the test's own database."""
    return rocklake_server.dsn(dbname)


@pytest.fixture
def open_lake(dsn: str, tmp_path: Path) -> Iterator[OpenLake]:
    """Opens one more DuckDB client on the test's lake; ``options`` go into the ATTACH statement's list."""
    clients: list[LakeClient] = []

    def open_client(options: str = "", extensions: Sequence[str] = EXTENSIONS) -> LakeClient:
        clients.append(LakeClient(dsn, tmp_path / "data", options, extensions))
        return clients[-1]

    yield open_client
    for client in clients:
        client.close()


@pytest.fixture
def lake(open_lake: OpenLake) -> LakeClient:
    """A client on a new, empty lake."""
    return open_lake()


@pytest.fixture
def parquet_lake(lake: LakeClient) -> LakeClient:
    """A client on a new lake that never inlines rows."""
    lake.write_parquet_only()
    return lake
