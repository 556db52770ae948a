"""Lakes are read by name beside the engine that writes them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from rocklake_server.catalog.lake_reader import CatalogReader
from rocklake_server.catalog.listing import Listing, Place
from rocklake_server.errors import (
    FormatVersionUnsupported,
    InvalidParameterValue,
    UndefinedDatabase,
    UndefinedFile,
    UndefinedTable,
)
from rocklake_server.store.object_stores import StoreLocation, parse_store_url
from rocklake_server.store.slate import open_slate_store
from rocklake_server.store.slate_settings import SlateSettings
from tests.catalog.engine import Engine, insert
from tests.catalog.slate_engine import SlateEngine, running_engine
from tests.store.places import batch_of


@pytest.fixture
def location(tmp_path: Path) -> StoreLocation:
    return parse_store_url(f"file://{tmp_path}/store", {})


@pytest.fixture
async def engine(location: StoreLocation) -> AsyncIterator[SlateEngine]:
    async with running_engine(location) as engine:
        yield engine


async def commit_snapshot(engine: Engine, number: int) -> None:
    transaction = await engine.begin()
    await insert(transaction, "ducklake_snapshot", {"snapshot_id": number})
    await transaction.commit()


async def snapshots(location: StoreLocation, lake: str) -> list[object]:
    async with await CatalogReader.open(location) as catalog:
        reader = await catalog.lake(catalog.find(lake))
        relation = reader.relation("ducklake_snapshot")
        return [match.row[0] async for batch in reader.rows(relation) for match in batch]


async def test_each_commit_is_read_as_soon_as_it_is_acknowledged(engine: SlateEngine, location: StoreLocation) -> None:
    await engine.create_catalog()
    for number in range(5):
        await commit_snapshot(engine, number)
        assert await snapshots(location, "lake") == list(range(number + 1))


async def test_rows_are_read_by_their_first_key_fields(engine: SlateEngine, location: StoreLocation) -> None:
    await engine.create_catalog()
    transaction = await engine.begin()
    rows = [{"data_file_id": number, "table_id": number % 2, "begin_snapshot": 1} for number in range(6)]
    await insert(transaction, "ducklake_data_file", *rows)
    await transaction.commit()
    async with await CatalogReader.open(location) as catalog:
        reader = await catalog.lake(catalog.find("lake"))
        relation = reader.relation("ducklake_data_file")
        assert [match.row[0] async for batch in reader.rows(relation, 1) for match in batch] == [1, 3, 5]
        with pytest.raises(UndefinedTable, match='lake "lake" has no relation "nothing"'):
            reader.relation("nothing")


async def test_a_lake_of_a_schema_is_named_with_it(engine: SlateEngine, location: StoreLocation) -> None:
    await engine.create_catalog()
    transaction = await engine.begin()
    await transaction.create_schema("marts")
    await transaction.commit()
    async with await CatalogReader.open(location) as catalog:
        assert [str(lake) for lake in catalog.lakes] == ["lake", "lake/marts"]
        assert catalog.find("lake/public") == catalog.find("lake")
        assert catalog.find("lake/marts").place.number == 2
        with pytest.raises(UndefinedDatabase, match=r'no lake "lake/sales" in store .* "lake", "lake/marts"'):
            catalog.find("lake/sales")


def test_a_name_with_slashes_is_taken_for_what_is_there(location: StoreLocation) -> None:
    lakes = {("a/b", "public"): Place(1, 0), ("a", "b"): Place(2, 0), ("a/b", "c"): Place(3, 0)}
    catalog = CatalogReader(location, SlateSettings(), Listing(lakes, {}, 4), pin=False)
    assert catalog.find("a/b/c").place.number == 3
    assert catalog.find("a/b/public").place.number == 1
    with pytest.raises(InvalidParameterValue, match='"a/b" names 2 lakes'):
        catalog.find("a/b")


async def test_a_store_that_is_not_there_is_refused(location: StoreLocation, tmp_path: Path) -> None:
    with pytest.raises(UndefinedFile, match="there is no RockLake store at"):
        await CatalogReader.open(location)
    assert list(tmp_path.iterdir()) == []


async def test_a_store_of_a_newer_format_is_refused(location: StoreLocation) -> None:
    store = await open_slate_store(location.child("system"))
    await store.write(batch_of((b"\0", (9).to_bytes(8, "big"))))
    await store.close()
    with pytest.raises(FormatVersionUnsupported, match="catalog format"):
        await CatalogReader.open(location)
