"""An import that does not end leaves a lake on no list: it is told of, and only that is removed."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from rocklake_server.catalog.databases import Databases
from rocklake_server.catalog.lake_reader import SYSTEM_DIRECTORY, CatalogReader
from rocklake_server.catalog.listing import read_listing, unfinished_key
from rocklake_server.catalog.maintenance.checks import LAKE_LIST, Report
from rocklake_server.catalog.maintenance.unfinished import Leftover, leftovers, sweep
from rocklake_server.catalog.maintenance.verify import verify_listing
from rocklake_server.catalog.owned_databases import owned_databases
from rocklake_server.clock import SystemClock
from rocklake_server.errors import CannotConnectNow, CorruptValue
from rocklake_server.schema.types import BIGINT
from rocklake_server.store.base import WriteBatch
from rocklake_server.store.directory_objects import extent_of
from rocklake_server.store.object_stores import StoreLocation, parse_store_url
from rocklake_server.store.slate import open_slate_store
from rocklake_server.transfer.copying import copy_catalog
from rocklake_server.transfer.lake_catalog import LakeTarget
from rocklake_server.transfer.relations import CatalogColumn, CatalogContents, CatalogRelation, Row
from tests.s3_stub import S3Stub

SNAPSHOTS = CatalogRelation("ducklake_snapshot", (CatalogColumn("snapshot_id", BIGINT, "BIGINT"),), ("snapshot_id",))


class Interrupted(Exception):
    """The source is gone."""


class SmallCatalog:
    """Gives some rows, and then ends or breaks off."""

    def __init__(self, *, breaks_off: bool) -> None:
        self._breaks_off = breaks_off

    async def contents(self) -> CatalogContents:
        return CatalogContents((SNAPSHOTS,))

    async def rows(self, _: CatalogRelation) -> AsyncIterator[Sequence[Row]]:
        yield [(number,) for number in range(6_000)]
        if self._breaks_off:
            raise Interrupted

    async def aclose(self) -> None:
        return


async def bring_in(databases: Databases, name: str, *, breaks_off: bool = False) -> None:
    await copy_catalog(SmallCatalog(breaks_off=breaks_off), LakeTarget(databases, name, "public"))


async def made(location: StoreLocation, *names: str) -> None:
    """A store with lakes of these names; an import into one that begins with "broken" does not end."""
    async with owned_databases(location, SystemClock()) as databases:
        for name in names:
            try:
                await bring_in(databases, name, breaks_off=name.startswith("broken"))
            except Interrupted:
                assert name.startswith("broken")


async def told(location: StoreLocation) -> list[Leftover]:
    async with await CatalogReader.open(location) as catalog:
        report = Report("the list")
        verify_listing(catalog.listing, report)
        assert list(report.findings()) == []
        return [leftover async for leftover in leftovers(catalog)]


async def swept(location: StoreLocation) -> list[Leftover]:
    removed: list[Leftover] = []
    await sweep(location, removed.append)
    return removed


@contextmanager
def place(kind: str, folder: Path) -> Iterator[StoreLocation]:
    if kind == "folder":
        yield parse_store_url(f"file://{folder}/store", {})
        return
    with S3Stub() as stub:
        yield parse_store_url("s3://bucket/catalog", stub.variables)


@pytest.mark.parametrize("kind", ["folder", "bucket"])
async def test_what_broken_imports_left_is_told_and_removed_and_nothing_else(kind: str, tmp_path: Path) -> None:
    with place(kind, tmp_path) as location:
        await made(location, "first", "broken", "second", "broken again")
        found = await told(location)
        assert [(left.lake.number, left.lake.database, left.lake.made_by) for left in found] == [
            (2, "broken", "import"), (4, "broken again", "import")]  # fmt: skip
        assert all(left.extent.objects and left.extent.size_bytes for left in found)
        kept = [await extent_of(location.child(f"lakes/{number}")) for number in (1, 3)]
        assert [left.lake for left in await swept(location)] == [left.lake for left in found]
        assert await told(location) == []
        assert [(await extent_of(location.child(left.directory))).objects for left in found] == [0, 0]
        assert [await extent_of(location.child(f"lakes/{number}")) for number in (1, 3)] == kept
        await made(location, "broken")  # once more, under a number of its own
        assert [left.lake.number for left in await told(location)] == [5]
        async with await CatalogReader.open(location) as catalog:
            assert [lake.database for lake in catalog.lakes] == ["first", "second"]
            for lake in catalog.lakes:
                reader = await catalog.lake(lake)
                rows = [match.row[0] async for rows in reader.rows(reader.relation(SNAPSHOTS.name)) for match in rows]
                assert rows == list(range(6_000))


async def test_an_import_that_was_repeated_and_ended_is_no_leftover(location: StoreLocation) -> None:
    async with owned_databases(location, SystemClock()) as databases:
        with pytest.raises(Interrupted):
            await bring_in(databases, "lake", breaks_off=True)
        await bring_in(databases, "lake")
    assert [left.lake.number for left in await told(location)] == [1]
    await swept(location)
    async with await CatalogReader.open(location) as catalog:
        assert [lake.place.number for lake in catalog.lakes] == [2]


async def test_while_somebody_owns_the_store_nothing_is_removed(location: StoreLocation) -> None:
    await made(location, "broken")
    async with owned_databases(location, SystemClock()):
        with pytest.raises(CannotConnectNow):
            await swept(location)
    assert len(await told(location)) == 1


async def test_a_removal_that_was_interrupted_goes_on(location: StoreLocation, tmp_path: Path) -> None:
    await made(location, "broken")
    (manifest, *_) = (tmp_path / "store/lakes/1/manifest").iterdir()
    manifest.unlink()
    assert [left.lake.number for left in await swept(location)] == [1]
    assert not (tmp_path / "store/lakes/1").exists()


async def test_a_number_that_is_on_the_list_too_is_damage_and_is_not_touched(
    location: StoreLocation, tmp_path: Path
) -> None:
    """Whoever writes such a record by hand loses no lake by it."""
    await made(location, "first", "broken")
    system = await open_slate_store(location.child(SYSTEM_DIRECTORY))
    snapshot = await system.snapshot()
    listing = await read_listing(snapshot)
    assert [lake.number for lake in listing.unfinished] == [2]
    record = await snapshot.get(unfinished_key(2))
    assert record is not None
    await system.write(WriteBatch({unfinished_key(1): record}))
    await system.close()
    with pytest.raises(CorruptValue, match="lake 1 is recorded as unfinished, and the list of lakes says otherwise"):
        await swept(location)
    assert (tmp_path / "store/lakes/1/manifest").is_dir()
    assert (tmp_path / "store/lakes/2/manifest").is_dir()
    async with await CatalogReader.open(location) as catalog:
        report = Report("the list")
        verify_listing(catalog.listing, report)
        assert [finding.check for finding in report.findings()] == [LAKE_LIST]
