"""A gc that is interrupted between any two of its commits leaves a whole lake, and the next one ends it."""

from __future__ import annotations

from itertools import count

import pytest

from rocklake_server.catalog.maintenance.audit import audit_records
from rocklake_server.catalog.maintenance.snapshots import retain_from
from rocklake_server.catalog.retention.boundary import Policy, choose_boundary
from rocklake_server.catalog.retention.gc import Collected, apply_gc, plan_gc
from rocklake_server.errors import InvalidParameterValue, StoreUnavailable
from rocklake_server.store.base import Store
from tests.catalog.audit import audit, check
from tests.catalog.maintenance.whole_lake import counts, whole_lake
from tests.catalog.retention.interrupted import FailingStore, commits_of, contents, lake_of

BOUNDARY = 5
"""Below it are the dropped table 2, data file 1 and the old comment."""


async def collect(store: Store, writes: int | None = None) -> Collected:
    lake = await lake_of(store)
    boundary = await choose_boundary(lake, Policy(from_snapshot=BOUNDARY))
    writer = store if writes is None else FailingStore(store, writes)
    return await apply_gc(lake, boundary, commits_of(writer, lake), lambda _: None)


async def test_what_expired_snapshots_had_goes_and_the_plan_says_so() -> None:
    store = await whole_lake()
    lake = await lake_of(store)
    boundary = await choose_boundary(lake, Policy(from_snapshot=BOUNDARY))
    planned = await plan_gc(lake, boundary, lambda _: None)
    assert await collect(store) == planned
    assert planned.rows == {
        "ducklake_snapshot": 4, "ducklake_snapshot_changes": 4, "ducklake_file_column_stats": 2,
        "ducklake_data_file": 2, "ducklake_column": 1, "ducklake_table": 1, "ducklake_tag": 1,
    }  # fmt: skip
    found = await audit(store)
    check(found)
    scheduled = found.rows_of("ducklake_files_scheduled_for_deletion")
    assert sorted(row[:4] for row in scheduled) == [(1, "/else/1.parquet", False, 7), (2, "/gone/2.parquet", False, 7)]
    assert await retain_from(await lake_of(store)) == BOUNDARY
    assert await counts(store) == {}


@pytest.mark.usefixtures("tiny_commits")
async def test_an_interruption_leaves_a_whole_lake_that_the_next_gc_finishes() -> None:
    whole = await whole_lake()
    await collect(whole)
    expected = await contents(whole)
    for writes in count(1):
        store = await whole_lake()
        try:
            await collect(store, writes)
        except StoreUnavailable:
            assert await counts(store) == {}, writes
            await collect(store)
            assert (await contents(store)).keys() == expected.keys()
            assert await counts(store) == {}
        else:
            break
    assert writes > 5, "this gc took several commits"
    records = [record async for record in audit_records(await lake_of(store))]
    assert len(records) == writes
    assert all(record["command"] == "test" and record["who"] == "the test" for record in records)


@pytest.mark.parametrize(("policy", "expected"), [
    (Policy(newest_count=1), 6), (Policy(newest_count=3), 4), (Policy(newest_count=100), 0),
    (Policy(since_us=0), 0), (Policy(since_us=3), 3), (Policy(since_us=1000), 6), (Policy(from_snapshot=2), 2),
])  # fmt: skip
async def test_the_boundary_follows_the_policy_and_spares_the_newest(policy: Policy, expected: int) -> None:
    boundary = await choose_boundary(await lake_of(await whole_lake()), policy)
    assert (boundary.retain_from, boundary.before, boundary.held_by) == (expected, None, None)
    assert boundary.expiring + len(boundary.retained) == 6


async def test_the_boundary_never_goes_back() -> None:
    store = await whole_lake()
    await collect(store)
    boundary = await choose_boundary(await lake_of(store), Policy(newest_count=50))
    assert (boundary.retain_from, boundary.expiring) == (BOUNDARY, 0)
    for number, text in ((4, "snapshot 4 is below 5, the oldest"), (7, "snapshot 7 is above 6, the newest")):
        with pytest.raises(InvalidParameterValue, match=text):
            await choose_boundary(await lake_of(store), Policy(from_snapshot=number))
