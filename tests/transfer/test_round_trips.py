"""A lake goes from each kind of catalog into a store and from there into each kind, and answers the same everywhere."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import aclosing
from pathlib import Path

import pytest

from rocklake_server.catalog.databases import Databases
from rocklake_server.transfer.copying import Copied, copy_catalog
from rocklake_server.transfer.lake_catalog import LakeSource, LakeTarget
from tests.transfer.conftest import KINDS, Catalog
from tests.transfer.rich_lake import answers, make_lake

pytestmark = [pytest.mark.duckdb, pytest.mark.postgres]

NewCatalog = Callable[[str, str], Catalog]
OpenLake = Callable[[str], Awaitable[LakeSource]]


async def brought_in(source: Catalog, databases: Databases, name: str = "lake") -> Copied:
    async with aclosing(source.source()) as reading:
        return await copy_catalog(reading, LakeTarget(databases, name, "public"))


@pytest.mark.parametrize("kind", KINDS)
async def test_every_kind_comes_in_and_goes_out_as_every_kind(
    kind: str, new_catalog: NewCatalog, databases: Databases, open_lake: OpenLake, tmp_path: Path
) -> None:
    original = new_catalog(kind, "original")
    make_lake(original.attach, tmp_path / "data")
    expected = answers(original.attach)
    imported = await brought_in(original, databases)
    for other in KINDS:
        copy = new_catalog(other, f"as_{other}")
        exported = await copy_catalog(await open_lake("lake"), copy.target())
        assert answers(copy.attach) == expected, other
        assert [r.name for r in exported.relations] == [r.name for r in imported.relations]
        assert [r.checksum.rows for r in exported.relations] == [r.checksum.rows for r in imported.relations]
        if other == kind:
            assert copy.definitions() == original.definitions()
            assert exported == imported


@pytest.mark.parametrize("kind", KINDS)
async def test_a_copy_can_be_written_on(
    kind: str, new_catalog: NewCatalog, databases: Databases, open_lake: OpenLake, tmp_path: Path
) -> None:
    """The ids that the catalog counts are copied too: the next changes fit."""
    original = new_catalog("duckdb", "original")
    make_lake(original.attach, tmp_path / "data")
    await brought_in(original, databases)
    copy = new_catalog(kind, "copy")
    await copy_catalog(await open_lake("lake"), copy.target())
    changes = (
        "INSERT INTO every(i4, ls) VALUES (9, ['new one', NULL])", "DELETE FROM every WHERE i4 = 7",
        "INSERT INTO files SELECT 1, 'y' || i FROM range(50) t(i)", "DELETE FROM files WHERE name = 'x7'",
        "CREATE TABLE fresh AS SELECT 1 AS one", "ALTER TABLE every DROP COLUMN i1",
    )  # fmt: skip
    questions = ("SELECT i4, ls FROM every ORDER BY rowid", "FROM files ORDER BY name", "FROM fresh",
                 "SELECT snapshot_id, changes FROM ducklake_snapshots('lake') ORDER BY ALL")
    for catalog in (original, copy):
        make_lake(catalog.attach, tmp_path / "data", changes)
    assert answers(copy.attach, questions=questions) == answers(original.attach, questions=questions)
