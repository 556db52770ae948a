"""Only what nobody may ask for leaves, in commits that can be interrupted between any two."""

from __future__ import annotations

from itertools import count

import pytest

from rocklake_server.catalog.maintenance.audit import audit_records
from rocklake_server.catalog.maintenance.definitions import read_definitions
from rocklake_server.catalog.retention.boundary import Policy, choose_boundary
from rocklake_server.catalog.retention.excise import Excised, apply_excision, choose_range, plan_excision
from rocklake_server.catalog.retention.gc import apply_gc
from rocklake_server.errors import InvalidParameterValue, ObjectNotInPrerequisiteState, StoreUnavailable
from rocklake_server.store.base import Store
from tests.catalog.audit import audit, check
from tests.catalog.maintenance.whole_lake import counts, whole_lake
from tests.catalog.retention.interrupted import FailingStore, commits_of, contents, lake_of

GAP = {"snapshot-gaps": 1}
"""Snapshot 2 was deleted by SQL, above the boundary: excised, it is missed."""


async def collected(from_snapshot: int = 5) -> Store:
    store = await whole_lake()
    lake = await lake_of(store)
    boundary = await choose_boundary(lake, Policy(from_snapshot=from_snapshot))
    await apply_gc(lake, boundary, commits_of(store, lake), lambda _: None)
    return store


async def excised(store: Store, writes: int | None = None, **chosen: int) -> Excised:
    lake = await lake_of(store)
    writer = store if writes is None else FailingStore(store, writes)
    return await apply_excision(lake, await choose_range(lake, **chosen), commits_of(writer, lake), lambda _: None)


async def test_retired_and_ended_rows_leave_and_the_plan_says_so() -> None:
    store = await collected()
    lake = await lake_of(store)
    planned = await plan_excision(lake, await choose_range(lake), lambda _: None)
    before = await audit(store)
    assert await excised(store) == planned
    after = await audit(store)
    check(after)
    assert sum(planned.rows["retired"].values()) == len(before.retired)
    assert planned.rows["ended"] == {"ducklake_inlined_data_1_1": 2}
    assert planned.rows["left_behind"] == {"notes": 1}
    assert planned.definitions == 1
    assert (after.retired, after.dropped) == ({}, {})
    assert [row[3] for row in after.rows_of("ducklake_inlined_data_1_1")] == ["y"]
    assert [row for row in after.rows_of("ducklake_column") if row[2] is not None], "definitions of a living table stay"
    assert await counts(store) == {}


async def test_what_a_later_commit_deleted_and_what_ended_later_stays() -> None:
    store = await collected(4)
    before = await audit(store)
    first = min(sequence for sequence, _ in before.retired)
    found = await excised(store, ended_by=2, retired_by=first)
    after = await audit(store)
    assert set(after.retired) == {place for place in before.retired if place[0] > first}
    assert (found.rows["ended"], found.rows["left_behind"], found.definitions) == ({}, {"notes": 1}, 1)
    assert await counts(store) == {}


async def test_a_dropped_relation_leaves_with_the_commit_that_dropped_it() -> None:
    """Until then its rows are there still, for those who bring back what that commit deleted."""
    store = await collected()
    ((relation_id, commit),) = (await read_definitions((await lake_of(store)).snapshot)).dropped_by.items()
    before = await audit(store)
    assert min(before.retired)[0] <= commit < max(before.retired)[0], "some rows are deleted later, too"
    found = await excised(store, ended_by=0, retired_by=commit - 1)
    assert (found.rows["left_behind"], found.definitions) == ({}, 0)
    assert (await audit(store)).dropped == before.dropped
    found = await excised(store, ended_by=0, retired_by=commit)
    assert (found.rows["left_behind"], found.definitions) == ({"notes": 1}, 1)
    after = await audit(store)
    assert (after.dropped, bool(after.retired)) == ({}, True)
    assert relation_id not in {relation.relation_id for relation in (await lake_of(store)).relations.by_id.values()}
    assert await counts(store) == {}


@pytest.mark.usefixtures("tiny_commits")
async def test_an_interruption_leaves_a_whole_lake_that_the_next_one_finishes() -> None:
    whole = await collected()
    await excised(whole)
    expected = await contents(whole)
    for writes in count():
        store = await collected()
        commits = len([record async for record in audit_records(await lake_of(store))])
        try:
            await excised(store, writes)
        except StoreUnavailable:
            assert await counts(store) == {}, writes
            await excised(store)
            assert (await contents(store)).keys() == expected.keys()
        else:
            break
    assert writes > 5, "this excision took several commits"
    records = [record async for record in audit_records(await lake_of(store))]
    assert len(records) == commits + writes


async def test_it_is_refused_without_a_boundary_and_above_it() -> None:
    store = await whole_lake()
    with pytest.raises(ObjectNotInPrerequisiteState, match="has no retain-from"):
        await choose_range(await lake_of(store))
    lake = await lake_of(await collected(3))
    with pytest.raises(InvalidParameterValue, match="snapshot 4 is above 3, the oldest that is retained"):
        await choose_range(lake, ended_by=4)
    with pytest.raises(InvalidParameterValue, match="commit 1000 is above"):
        await choose_range(lake, retired_by=1000)


async def test_a_deleted_snapshot_above_the_boundary_is_missed_once_it_is_excised() -> None:
    store = await collected(0)
    await excised(store)
    assert await counts(store) == GAP
