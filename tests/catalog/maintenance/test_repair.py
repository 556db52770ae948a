"""What is provably right is mended in one audited commit; everything else is left alone."""

from __future__ import annotations

import json

import pytest

from rocklake_server.catalog.maintenance.checks import BY_NAME, CHECKS
from rocklake_server.catalog.maintenance.repair import gather_repair, plan_repair
from rocklake_server.encoding.definitions import decode_system_text
from rocklake_server.encoding.keys import system_key
from rocklake_server.errors import CorruptValue
from rocklake_server.schema.system_subspaces import SYSTEM_AUDIT
from rocklake_server.store.base import Key, Prefix, Store
from tests.catalog.audit import audit, check
from tests.catalog.engine import Engine, insert, select
from tests.catalog.maintenance.planted_damage import (
    PLANTED,
    Plant,
    a_comment_that_is_nothing,
    a_counter_that_is_nothing,
)
from tests.catalog.maintenance.whole_lake import DIRECTORY, LISTED, Workbench, build, counts, whole_lake
from tests.catalog.retention.interrupted import commits_of, lake_of

MENDABLE = [
    pytest.param(name, plant, id=f"{name}: {plant.__name__}")
    for name, found in PLANTED.items() for plant in found if BY_NAME[name].repair is not None
]  # fmt: skip
REFUSED = [*PLANTED["commit-sequence"], *PLANTED["definitions"], a_counter_that_is_nothing, a_comment_that_is_nothing]
"""Damage with which no commit can be written."""

LEFT_ALONE = [
    pytest.param(name, plant, id=f"{name}: {plant.__name__}")
    for name, found in PLANTED.items() for plant in found
    if BY_NAME[name].repair is None and plant not in REFUSED
]  # fmt: skip


async def damaged(plant: Plant) -> Store:
    store = await whole_lake()
    bench = await Workbench.over(store)
    plant(bench)
    await bench.write()
    return store


async def repaired(store: Store) -> list[str]:
    """The checks whose findings were mended."""
    plan = await plan_repair(LISTED, await store.snapshot())
    if plan.actions:
        commits = commits_of(store, await lake_of(store), "repair", now_us=0)
        gather_repair(plan, commits)
        await commits.finish()
    return [action.check.name for action in plan.actions]


async def everything(store: Store) -> dict[Key, bytes]:
    snapshot = await store.snapshot()
    return {key: value async for batch in snapshot.scan(Prefix(b"")) for key, value in batch}


@pytest.mark.parametrize(("name", "plant"), MENDABLE)
async def test_what_can_be_mended_is(name: str, plant: Plant) -> None:
    store = await damaged(plant)
    assert name in await repaired(store)
    assert await counts(store) == {}
    check(await audit(store))


@pytest.mark.parametrize(("name", "plant"), LEFT_ALONE)
async def test_what_cannot_be_proven_is_left_alone(name: str, plant: Plant) -> None:
    store = await damaged(plant)
    plan = await plan_repair(LISTED, await store.snapshot())
    assert (plan.actions, plan.counters, plan.entries, plan.orphans, plan.grown_bytes) == ([], {}, {}, {}, 0)
    assert {found.name for found in plan.rest} == {name}


async def test_a_plan_changes_nothing() -> None:
    store = await damaged(PLANTED["indexes"][0])
    before = await everything(store)
    await plan_repair(LISTED, await store.snapshot())
    assert await everything(store) == before


async def test_a_repair_is_a_commit_with_an_audit_record() -> None:
    store = await damaged(PLANTED["indexes"][0])
    before = (await audit(store)).system
    await repaired(store)
    after = await audit(store)
    sequence = after.system["commit-sequence"]
    assert sequence == before["commit-sequence"] + 1
    assert after.system["opened-at"] == before["commit-sequence"]
    assert after.system["writer-epoch"] == before["writer-epoch"] + 1
    key = system_key(SYSTEM_AUDIT, sequence)
    record = json.loads(decode_system_text(key, (await everything(store))[key]))
    assert record == {
        "command": "repair", "who": "the test", "when": "2000-01-01 00:00:00+00",
        "actions": [{"check": "indexes", "keys": 1, "what": "1 entries are written, 0 removed"}],
    }  # fmt: skip


async def test_orphaned_rows_can_be_brought_back() -> None:
    store = await damaged(PLANTED["orphaned-parts"][0])
    before = {key: value for key, value in (await everything(store)).items() if key[0] == 0x16}
    await repaired(store)
    found = await audit(store)
    (orphan,) = [own for (sequence, own) in found.retired if sequence == found.system["commit-sequence"]]
    kept = await everything(store)
    assert orphan in before
    assert orphan not in kept
    assert kept[Key(b"\xfb" + found.system["commit-sequence"].to_bytes(8, "big") + orphan)] == before[orphan]


async def test_statistics_of_a_file_whose_row_is_damaged_are_kept() -> None:
    store = await whole_lake()
    bench = await Workbench.over(store)
    key, _ = bench.one("ducklake_data_file", data_file_id=0)
    bench.put(key, b"nothing")
    await bench.write()
    plan = await plan_repair(LISTED, await store.snapshot())
    assert plan.actions == []
    assert {found.name for found in plan.rest} == {"value-envelope"}


@pytest.mark.parametrize("plant", REFUSED)
async def test_a_lake_that_cannot_take_a_commit_is_refused(plant: Plant) -> None:
    store = await damaged(plant)
    with pytest.raises(CorruptValue):
        await plan_repair(LISTED, await store.snapshot())


async def test_the_engine_goes_on_after_a_repair() -> None:
    engine = await Engine().open()
    await build(engine)
    await engine.databases.close()
    store = engine.stores[DIRECTORY] = engine.stores[DIRECTORY].reopened()  # type: ignore[attr-defined]
    engine.stores["system"] = engine.stores["system"].reopened()  # type: ignore[attr-defined]
    bench = await Workbench.over(store)
    for name in ("next-row", "indexes", "counters"):
        PLANTED[name][0](bench)
    await bench.write()
    await repaired(store)
    again = await engine.reopen()
    transaction = await again.begin()
    await insert(transaction, "ducklake_data_file", {"data_file_id": 2_000, "table_id": 1, "begin_snapshot": 6})
    await transaction.commit()
    files = await select(await again.begin(), "ducklake_data_file", "data_file_id")
    assert files == [(0,), (1,), (2_000,), (2,)]
    assert await counts(store) == {}


def test_what_is_mended_says_how() -> None:
    assert {check.name for check in CHECKS if check.repair is not None} == {
        "next-row", "next-relation", "counters", "stored-bytes", "indexes", "orphaned-columns", "orphaned-statistics",
        "orphaned-parts",
    }  # fmt: skip
