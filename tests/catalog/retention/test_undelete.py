"""Deleted rows come back where they were, or not at all."""

from __future__ import annotations

import pytest

from rocklake_server.catalog.maintenance.snapshots import retain_from
from rocklake_server.catalog.retention.boundary import Policy, choose_boundary
from rocklake_server.catalog.retention.excise import apply_excision, choose_range
from rocklake_server.catalog.retention.gc import apply_gc
from rocklake_server.catalog.retention.undelete import BroughtBack, Undeletion, retired_counts, retired_rows
from rocklake_server.errors import CatalogError, InvalidParameterValue, ObjectNotInPrerequisiteState, UndefinedObject
from rocklake_server.store.base import Store
from rocklake_server.store.data_files import DataFiles
from tests.catalog.audit import audit, check
from tests.catalog.maintenance.whole_lake import Workbench, counts, whole_lake
from tests.catalog.retention.interrupted import commits_of, contents, lake_of


async def brought_back(store: Store, *sequences: int, relation: str | None = None) -> BroughtBack:
    lake = await lake_of(store)
    commits = commits_of(store, lake, "undelete")
    found = await Undeletion(lake, commits, sequences, relation).gather(DataFiles({}), lambda _: None)
    await commits.finish()
    return found


async def deleting_commit(store: Store) -> int:
    (commit,) = {sequence for sequence, _ in (await audit(store)).retired}
    return commit


async def test_what_a_commit_deleted_is_listed_and_comes_back() -> None:
    store = await whole_lake()
    commit = await deleting_commit(store)
    listed = [record async for record in retired_counts(await lake_of(store))]
    names = ("ducklake_metadata", "ducklake_snapshot", "ducklake_snapshot_changes")
    assert sorted(listed, key=str) == [{"commit": commit, "relation": name, "rows": 1} for name in names]
    ((shown),) = [record async for record in retired_rows(await lake_of(store), commit, "ducklake_metadata")]
    assert shown["row"] == shown["row"] | {"key": "stale", "value": "x"}  # type: ignore[operator]
    found = await brought_back(store, commit)
    assert found.rows == dict.fromkeys(names, 1)
    after = await audit(store)
    check(after)
    assert after.retired == {}
    assert 2 in [row[0] for row in after.rows_of("ducklake_snapshot")]
    assert await counts(store) == {}
    with pytest.raises(UndefinedObject, match=f"keeps no row that commit {commit} deleted"):
        await brought_back(store, commit)


async def test_one_relation_comes_back_when_the_lake_is_whole_with_it() -> None:
    store = await whole_lake()
    commit = await deleting_commit(store)
    with pytest.raises(ObjectNotInPrerequisiteState, match=r"not be whole \(snapshot-changes\): snapshot 2 has no"):
        await brought_back(store, commit, relation="ducklake_snapshot")
    assert (await brought_back(store, commit, relation="ducklake_metadata")).rows == {"ducklake_metadata": 1}
    with pytest.raises(UndefinedObject, match='no row of "ducklake_tag" that'):
        await brought_back(store, commit, relation="ducklake_tag")
    assert await counts(store) == {}


async def refusal(store: Store, *sequences: int) -> CatalogError:
    before = await audit(store)
    with pytest.raises(CatalogError) as refused:
        await brought_back(store, *sequences)
    assert await audit(store) == before
    return refused.value


async def test_a_row_whose_place_is_taken_is_refused() -> None:
    store = await whole_lake()
    bench = await Workbench.over(store)
    bench.add("ducklake_metadata", key="stale", value="another")
    await bench.write()
    said = await refusal(store, await deleting_commit(store))
    assert isinstance(said, ObjectNotInPrerequisiteState)
    assert 'the key of a row of "ducklake_metadata" is taken again' in str(said)


async def collected(store: Store, from_snapshot: int) -> list[int]:
    """The commits in which a gc retired rows."""
    before = {sequence for sequence, _ in (await audit(store)).retired}
    lake = await lake_of(store)
    boundary = await choose_boundary(lake, Policy(from_snapshot=from_snapshot))
    await apply_gc(lake, boundary, commits_of(store, lake, "gc", from_snapshot), lambda _: None)
    return sorted({sequence for sequence, _ in (await audit(store)).retired} - before)


async def test_the_last_gc_is_undone_and_then_the_one_before() -> None:
    store = await whole_lake()
    original = await contents(store)
    first, second = await collected(store, 1), await collected(store, 3)
    assert str(await refusal(store, *first)) == "snapshot 0 is below 3, the oldest that is retained"
    for commits, before in ((second, 1), (first, None)):
        found = await brought_back(store, *commits)
        assert found.undone is not None
        assert found.undone.before == before
        assert await retain_from(await lake_of(store)) == before
        assert await counts(store) == {}
    assert await contents(store) == original


@pytest.mark.usefixtures("tiny_commits")
async def test_a_part_of_a_gc_is_refused_with_both_numbers() -> None:
    store = await whole_lake()
    commits = await collected(store, 5)
    assert len(commits) > 3, "this gc took several commits"
    said = await refusal(store, *commits[:-1])
    assert isinstance(said, InvalidParameterValue)
    assert str(said) == "snapshot 0 is below 5, the oldest that is retained"


async def test_after_an_excision_no_gc_can_be_undone() -> None:
    store = await whole_lake()
    commits = await collected(store, 5)
    lake = await lake_of(store)
    chosen = await choose_range(lake, retired_by=0)
    await apply_excision(lake, chosen, commits_of(store, lake, "excise"), lambda _: None)
    assert str(await refusal(store, *commits)) == "snapshot 0 is below 5, the oldest that is retained"
