"""Procedures do through an open lake what commands do without a server, and respect what sessions do meanwhile."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from rocklake_server.catalog.maintenance.audit import audit_records
from rocklake_server.catalog.maintenance.snapshots import retain_from
from rocklake_server.catalog.retention import online_commits
from rocklake_server.catalog.retention.boundary import Policy, choose_boundary
from rocklake_server.catalog.retention.gc import apply_gc
from rocklake_server.errors import CatalogError, ProgramLimitExceeded, SerializationFailure, StoreUnavailable
from rocklake_server.operations import working
from rocklake_server.store.data_files import DataFiles
from tests.catalog.audit import audit, check
from tests.catalog.engine import Engine, delete, insert, select, update
from tests.catalog.maintenance.planted_damage import PLANTED
from tests.catalog.maintenance.whole_lake import DIRECTORY, Workbench, counts, whole_lake
from tests.catalog.retention.interrupted import commits_of, contents, lake_of
from tests.operations.acting import call, store_of, whole_engine

SNAPSHOTS = "ducklake_snapshot"


async def commit_snapshot(engine: Engine, number: int) -> None:
    transaction = await engine.begin()
    await insert(transaction, SNAPSHOTS, {
        "snapshot_id": number, "snapshot_time": number, "schema_version": 1, "next_catalog_id": 50, "next_file_id": 50,
    })  # fmt: skip
    await insert(transaction, "ducklake_snapshot_changes", {"snapshot_id": number, "changes_made": ""})
    await transaction.commit()


async def require_whole(engine: Engine) -> None:
    """The store is, and the engine shows what is stored."""
    assert await counts(store_of(engine)) == {}
    found = await audit(store_of(engine))
    check(found)
    again = await engine.reopen()
    before, after = await engine.begin(), await again.begin()
    for relation in before.relations():
        names = [column.name for column in relation.columns]
        assert await select(before, relation.name, *names) == await select(after, relation.name, *names)
    await before.rollback()
    await after.rollback()


@pytest.mark.parametrize("loaded", [False, True])
@pytest.mark.usefixtures("tiny_commits")
async def test_gc_through_an_open_lake_leaves_what_gc_without_a_server_leaves(*, loaded: bool) -> None:
    alone = await whole_lake()
    lake = await lake_of(alone)
    commits = commits_of(alone, lake, now_us=Engine().clock.now_us())
    await apply_gc(lake, await choose_boundary(lake, Policy(from_snapshot=5)), commits, lambda _: None)
    engine = await whole_engine()
    if loaded:
        reader = await engine.begin()
        for relation in reader.relations():
            await reader.chunks(relation)
        await reader.rollback()
    planned = await call(engine, "gc(retain_from => 5, apply => false)")
    assert await retain_from(await lake_of(store_of(engine))) is None
    assert await call(engine, "gc(retain_from => 5)") == planned
    assert (await contents(store_of(engine))).keys() == (await contents(alone)).keys()
    records = [record async for record in audit_records(await lake_of(store_of(engine)))]
    assert len(records) > 5, "in several commits"
    assert {(record["command"], record["who"]) for record in records} == {("gc", "ada")}
    await require_whole(engine)


async def test_gc_goes_no_further_than_what_an_open_transaction_sees() -> None:
    engine = await whole_engine()
    reader = await engine.begin()
    await commit_snapshot(engine, 7)
    facts = await call(engine, "gc(keep_last => 1)")
    assert (facts["retain_from"], facts["held_by_transactions"], facts["held_by_pin"]) == (6, 6, None)
    await reader.rollback()
    facts = await call(engine, "gc(keep_last => 1)")
    assert (facts["retain_from"], facts["held_by_transactions"]) == (7, None)
    await require_whole(engine)


async def test_gc_spares_what_a_transaction_that_lost_will_ask_about() -> None:
    """DuckLake runs a commit that lost again, and asks in a new transaction what was committed since."""
    engine = await whole_engine()
    loser = await engine.begin()
    await commit_snapshot(engine, 7)
    await commit_snapshot(engine, 8)
    with pytest.raises(CatalogError):
        await insert(loser, SNAPSHOTS, {"snapshot_id": 7, "snapshot_time": 7})
    await loser.fail(SerializationFailure.update())
    await loser.rollback()
    assert (await call(engine, "gc(keep_last => 1)"))["held_by_transactions"] == 6


async def test_a_pin_holds_gc_and_gives_way_when_it_is_removed() -> None:
    engine = await whole_engine()
    pin = await call(engine, "pin_add(snapshot => 4, reason => 'an audit')")
    assert (pin["snapshot"], pin["reason"], pin["who"]) == (4, "an audit", "ada")
    facts = await call(engine, "gc(keep_last => 1)")
    assert (facts["retain_from"], facts["held_by_pin"]) == (4, pin["pin"])
    assert await call(engine, "pin_remove($1)", pin["pin"]) == pin  # type: ignore[arg-type]
    assert (await call(engine, "gc(keep_last => 1)"))["retain_from"] == 6
    await require_whole(engine)


@pytest.fixture
def between(monkeypatch: pytest.MonkeyPatch) -> Callable[[Engine, Callable[[], Awaitable[None]]], None]:
    """Lets a session act right before the first commit of a procedure."""

    def arrange(engine: Engine, act: Callable[[], Awaitable[None]]) -> None:
        (opened,) = engine.databases.open_lakes()
        commit, done = opened.committer.commit_drafted, False

        async def acting_first(draft: online_commits.Drafting) -> None:
            nonlocal done
            if not done:
                done = True
                await act()
            await commit(draft)

        monkeypatch.setattr(opened.committer, "commit_drafted", acting_first)

    return arrange


async def test_rows_that_a_session_removed_meanwhile_are_left_out(between: Callable[..., None]) -> None:
    engine = await whole_engine()

    async def expire_one() -> None:
        transaction = await engine.begin()
        for name in (SNAPSHOTS, "ducklake_snapshot_changes"):
            assert await delete(transaction, name, snapshot_id=3) == 1
        assert await delete(transaction, "ducklake_data_file", data_file_id=1) == 1
        await transaction.commit()

    between(engine, expire_one)
    facts = await call(engine, "gc(retain_from => 5)")
    assert facts["rows_retired"]["ducklake_snapshot"] == 3  # type: ignore[index]
    (record,) = [record async for record in audit_records(await lake_of(store_of(engine)))]
    assert {"relation": SNAPSHOTS, "retired": 3} in record["actions"]  # type: ignore[operator]
    scheduled = (await audit(store_of(engine))).rows_of("ducklake_files_scheduled_for_deletion")
    assert [row[0] for row in scheduled] == [2], "file 1 is the session's to schedule"
    assert "indexes" not in await counts(store_of(engine))


async def test_a_row_that_a_session_changed_meanwhile_ends_the_gc_before_that_commit(
    between: Callable[..., None],
) -> None:
    engine = await whole_engine()

    async def change_one() -> None:
        transaction = await engine.begin()
        assert await update(transaction, "ducklake_data_file", {"data_file_id": 1}, record_count=11) == 1
        await transaction.commit()

    between(engine, change_one)
    with pytest.raises(SerializationFailure, match="concurrent"):
        await call(engine, "gc(retain_from => 5)")
    assert (await call(engine, "gc(retain_from => 5)"))["files_scheduled"] == 2
    await require_whole(engine)


async def test_excised_rows_are_gone_for_good_while_an_open_transaction_still_reads_them() -> None:
    engine = await whole_engine()
    reader = await engine.begin()
    before = await select(reader, "ducklake_inlined_data_1_1", "row_id", "a")
    await reader.rollback()
    await call(engine, "gc(retain_from => 5)")
    reader = await engine.begin()
    await reader.begin_statement()
    facts = await call(engine, "excise()")
    assert facts["ended_rows"] == {"ducklake_inlined_data_1_1": 2}
    assert facts["left_behind_rows"] == {"notes": 1}
    assert facts["definitions"] == 1
    assert await select(reader, "ducklake_inlined_data_1_1", "row_id", "a") == before
    await reader.rollback()
    await require_whole(engine)
    assert not (await audit(store_of(engine))).retired


async def test_a_gc_is_undone_through_the_server(monkeypatch: pytest.MonkeyPatch) -> None:
    async def all_there(_: DataFiles, paths: list[str]) -> list[int]:
        return [1 for _ in paths]

    monkeypatch.setattr(DataFiles, "sizes", all_there)
    engine = await whole_engine()
    before = await contents(store_of(engine))
    await call(engine, "gc(retain_from => 5)")
    (record,) = [record async for record in audit_records(await lake_of(store_of(engine)))]
    facts = await call(engine, f"undelete(commit => ARRAY[{record['sequence']}])")
    assert facts["undone_gc"] == 5
    await require_whole(engine)
    assert (await contents(store_of(engine))).keys() == before.keys()


async def test_undelete_needs_that_nothing_it_was_proven_of_has_changed(between: Callable[..., None]) -> None:
    engine = await whole_engine()
    deleter = await engine.begin()
    assert await delete(deleter, "ducklake_tag", value="new") == 1
    await deleter.commit()
    (opened,) = engine.databases.open_lakes()
    commit = opened.lake.newest.sequence

    async def add_and_change() -> None:
        await commit_snapshot(engine, 7)
        transaction = await engine.begin()
        assert await update(transaction, "ducklake_table_stats", {"table_id": 1}, record_count=21) == 1
        await transaction.commit()

    async def drop_something() -> None:
        transaction = await engine.begin()
        assert await delete(transaction, "ducklake_view", view_id=3) == 1
        await transaction.commit()

    between(engine, drop_something)
    with pytest.raises(SerializationFailure):
        await call(engine, f"undelete(commit => '{{{commit}}}')")
    between(engine, add_and_change)
    facts = await call(engine, f"undelete(commit => '{{{commit}}}')")
    assert facts["rows_brought_back"] == {"ducklake_tag": 1}


async def test_what_must_be_one_commit_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(working, "ONLINE_ROWS_MAX", 2)
    engine = await whole_engine()
    (opened,) = engine.databases.open_lakes()
    before = await contents(store_of(engine))
    for text in (f"undelete(commit => '{{{opened.lake.newest.sequence}}}')", "rollback(to_snapshot => 3)"):
        with pytest.raises(ProgramLimitExceeded, match="other sessions would wait"):
            await call(engine, text)
        assert await contents(store_of(engine)) == before


async def test_one_command_at_a_time_works_in_a_lake() -> None:
    engine = await whole_engine()
    first, second = await asyncio.gather(
        call(engine, "gc(retain_from => 4)"), call(engine, "gc(retain_from => 5)"))
    assert (first["retained_from_before"], second["retained_from_before"]) == (None, 4)
    await require_whole(engine)


@pytest.mark.usefixtures("tiny_commits")
async def test_an_interrupted_gc_leaves_a_whole_lake_that_the_next_one_finishes() -> None:
    finished = await whole_engine()
    await call(finished, "gc(retain_from => 5)")
    for allowed in range(1, 100):
        engine = await whole_engine()
        (opened,) = engine.databases.open_lakes()
        commit, left = opened.committer.commit_drafted, allowed

        async def failing(draft: online_commits.Drafting) -> None:
            nonlocal left
            left -= 1
            if left < 0:
                raise StoreUnavailable("the store fails, as the test says")
            await commit(draft)  # noqa: B023  it is called within this round

        opened.committer.commit_drafted = failing  # type: ignore[method-assign]
        try:
            await call(engine, "gc(retain_from => 5)")
        except StoreUnavailable:
            assert await counts(store_of(engine)) == {}, allowed
            opened.committer.commit_drafted = commit  # type: ignore[method-assign]
            await call(engine, "gc(retain_from => 5)")
            assert (await contents(store_of(engine))).keys() == (await contents(store_of(finished))).keys()
            assert await counts(store_of(engine)) == {}
        else:
            break
    assert allowed > 5


async def test_a_relation_that_is_defined_again_shows_its_rows() -> None:
    engine = await whole_engine()
    dropper = await engine.begin()
    await dropper.drop_relation(dropper.resolve(None, "ducklake_inlined_data_1_1"))
    registrations = await delete(dropper, "ducklake_inlined_data_tables", table_id=1)
    assert registrations == 1
    await dropper.commit()
    (opened,) = engine.databases.open_lakes()
    await call(engine, f"undelete(commit => '{{{opened.lake.newest.sequence}}}')")
    reader = await engine.begin()
    assert len(await select(reader, "ducklake_inlined_data_1_1", "row_id")) == 3
    await reader.rollback()
    await require_whole(engine)


async def test_a_lake_that_is_worked_in_does_not_close_as_idle() -> None:
    engine = await whole_engine()
    (opened,) = engine.databases.open_lakes()
    async with opened.maintained:
        assert not opened.is_idle
    assert opened.is_idle


async def test_a_repair_through_the_server_mends_what_a_repair_without_one_mends() -> None:
    store = await whole_lake()
    bench = await Workbench.over(store)
    PLANTED["indexes"][0](bench)
    PLANTED["counters"][0](bench)
    PLANTED["orphaned-parts"][0](bench)
    await bench.write()
    engine = Engine()
    engine.stores[DIRECTORY] = store
    engine = await engine.open()
    await engine.databases.create_lake("lake", "public")
    planned = await call(engine, "repair(apply => false)")
    assert await call(engine, "repair()") == planned
    mended = planned["mended"]
    assert isinstance(mended, list)
    assert {record["check"] for record in mended} >= {"indexes", "counters", "orphaned-parts"}
    await commit_snapshot(engine, 7)
    assert (await call(engine, "repair()"))["mended"] == []
    assert await counts(store) == {}
