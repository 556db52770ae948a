from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from rocklake_server.store.base import Store
from rocklake_server.store.object_stores import StoreLocation, forget_memory_store, parse_store_url
from tests.s3_stub import S3Stub
from tests.store.places import Place, memory_model, slate


@pytest.fixture
def stub() -> Iterator[S3Stub]:
    with S3Stub() as running:
        yield running


@pytest.fixture
def bucket(stub: S3Stub) -> StoreLocation:
    return parse_store_url("s3://bucket/some/prefix", stub.variables).child("lakes/1")


@pytest.fixture
def folder(tmp_path: Path) -> StoreLocation:
    return parse_store_url(f"file://{tmp_path}/store", {}).child("lakes/1")


@pytest.fixture
def in_memory() -> Iterator[StoreLocation]:
    yield parse_store_url("memory:///store-tests", {}).child("lakes/1")
    forget_memory_store("store-tests")


@pytest.fixture(params=["memory_model", "in_memory", "folder", "bucket"])
def place(request: pytest.FixtureRequest) -> Place:
    if request.param == "memory_model":
        return memory_model()
    return slate(request.getfixturevalue(request.param))


@pytest.fixture
async def store(place: Place) -> AsyncIterator[Store]:
    opened = await place.open()
    yield opened
    await opened.close()
