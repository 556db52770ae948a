"""Every kind of damage is found, by the check that is for it and by no other; a whole lake has none."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from rocklake_server.catalog.listing import DroppedLake, Listing, Place
from rocklake_server.catalog.maintenance import checks
from rocklake_server.catalog.maintenance.checks import CHECKS, Report
from rocklake_server.catalog.maintenance.verify import verify_lake, verify_listing
from rocklake_server.catalog.maintenance.verify_data_files import verify_data_files
from rocklake_server.encoding.definitions import encode_number
from rocklake_server.encoding.keys import system_key
from rocklake_server.errors import FormatVersionUnsupported
from rocklake_server.schema.system_subspaces import SYSTEM_FORMAT_VERSION
from tests.catalog.maintenance.planted_damage import PLANTED, Plant
from tests.catalog.maintenance.whole_lake import LISTED, Workbench, counts, verified, whole_lake

DAMAGE = [
    pytest.param(name, plant, id=f"{name}: {plant.__name__}") for name, found in PLANTED.items() for plant in found
]

ELSEWHERE = {checks.LAKE_LIST.name, checks.DATA_FILES.name}
"""Checks of what is not in a lake's store."""


async def test_a_whole_lake_has_no_findings() -> None:
    assert await counts(await whole_lake()) == {}


@pytest.mark.parametrize(("name", "plant"), DAMAGE)
async def test_planted_damage_is_found_by_its_check_alone(name: str, plant: Plant) -> None:
    store = await whole_lake()
    bench = await Workbench.over(store)
    plant(bench)
    await bench.write()
    assert set(await counts(store)) == {name}


def test_every_check_has_planted_damage() -> None:
    assert {check.name for check in CHECKS} - PLANTED.keys() == ELSEWHERE


async def test_a_finding_names_a_key_that_is_there() -> None:
    store = await whole_lake()
    bench = await Workbench.over(store)
    key = bench.add("ducklake_name_mapping", mapping_id=40, column_id=1)
    await bench.write()
    (finding,) = (await verified(store)).report.findings()
    assert (finding.key, finding.lake) == (key, "lake")
    assert "mapping_id 40" in finding.what


async def test_what_is_not_kept_is_counted() -> None:
    store = await whole_lake()
    bench = await Workbench.over(store)
    for number in range(8):
        bench.add("ducklake_name_mapping", mapping_id=40 + number, column_id=1)
    await bench.write()
    report = (await verify_lake(LISTED, await store.snapshot(), kept_max=3)).report
    assert report.counts == {checks.ORPHANED_PARTS: 8}
    assert len(list(report.findings())) == 3


async def test_a_lake_of_a_newer_format_is_refused() -> None:
    store = await whole_lake()
    bench = await Workbench.over(store)
    bench.put(system_key(SYSTEM_FORMAT_VERSION), encode_number(7))
    await bench.write()
    with pytest.raises(FormatVersionUnsupported, match="format version 7"):
        await verified(store)


# -- the list of lakes ------------------------------------------------------------------------------------------------


def listed(lakes: dict[tuple[str, str], Place], retired: dict[int, DroppedLake], next_lake: int) -> dict[str, int]:
    report = Report("the list")
    verify_listing(Listing(lakes, retired, next_lake), report)
    return {check.name: count for check, count in report.counts.items()}


def test_a_list_of_lakes_is_verified() -> None:
    one, two = ("a", "public"), ("b", "public")
    assert listed({one: Place(1, 0), two: Place(2, 0)}, {3: DroppedLake("a", "old")}, 4) == {}
    assert listed({one: Place(1, 0), two: Place(1, 0)}, {}, 4) == {"lake-list": 1}
    assert listed({one: Place(1, 0)}, {1: DroppedLake("a", "old")}, 4) == {"lake-list": 1}
    assert listed({one: Place(4, 0)}, {}, 4) == {"lake-list": 1}


# -- data files -------------------------------------------------------------------------------------------------------

SIZES: dict[str, int | None] = {
    "/lake/main/t/0.parquet": 100, "/else/1.parquet": 101, "/gone/2.parquet": 102, "/lake/main/t/3.parquet": 103,
}  # fmt: skip


@pytest.mark.parametrize(
    ("changed", "found"),
    [
        ({}, []),
        ({"/else/1.parquet": None}, ["/else/1.parquet is not there"]),
        ({"/lake/main/t/3.parquet": 5}, ["/lake/main/t/3.parquet has 5 bytes, not 103"]),
    ],
)
async def test_data_files_are_looked_for_where_the_lake_says(changed: dict[str, int | None], found: list[str]) -> None:
    sizes = SIZES | changed

    async def sizes_of(paths: Sequence[str]) -> list[int | None]:
        return [sizes[path] for path in paths]

    result = await verified(await whole_lake())
    await verify_data_files(result.lake, sizes_of)
    assert [(finding.check.name, finding.what) for finding in result.report.findings()] == [
        ("data-files", what) for what in found
    ]
