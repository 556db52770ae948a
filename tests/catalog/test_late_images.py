"""What a commit changed shows at once, whether its images were brought up to date yet or not."""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rocklake_server import quiet
from rocklake_server.catalog import late_images
from rocklake_server.catalog.image import Part, RelationImage
from tests.catalog.engine import Engine, insert, lake_of, select, update

STATS = "ducklake_table_stats"
SCHEMAS = "ducklake_schema"


async def ready() -> Engine:
    engine = await Engine().open()
    await engine.create_catalog()
    return engine


@pytest.fixture
async def engine() -> Engine:
    return await ready()


async def add(engine: Engine, *table_ids: int) -> None:
    transaction = await engine.begin()
    await insert(transaction, STATS, *({"table_id": table_id, "record_count": 0} for table_id in table_ids))
    await transaction.commit()


async def count_up(engine: Engine, table_id: int, to: int) -> None:
    transaction = await engine.begin()
    await update(transaction, STATS, {"table_id": table_id}, record_count=to)
    await transaction.commit()


async def seen(engine: Engine) -> dict[object, object]:
    transaction = await engine.begin()
    found = {row[0]: row[1] for row in await select(transaction, STATS, "table_id", "record_count")}
    await transaction.rollback()
    return found


async def test_a_small_commit_leaves_its_images_for_later(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(quiet, "LATEST_S", 0.05)
    await add(engine, 1)
    lake = await lake_of(engine)
    assert lake.newest.late
    assert await seen(engine) == {1: 0}
    await asyncio.sleep(quiet.LATEST_S * 10)
    assert not lake.newest.late
    assert await seen(engine) == {1: 0}


async def test_an_older_root_keeps_its_answer(engine: Engine) -> None:
    await add(engine, 1)
    early = await engine.begin()
    await add(engine, 2)
    await count_up(engine, 1, 7)
    assert [row[0] for row in await select(early, STATS, "table_id")] == [1]
    await early.rollback()
    assert await seen(engine) == {1: 7, 2: 0}


@pytest.mark.parametrize("rows", [late_images.LATE_ROWS_MAX, late_images.LATE_ROWS_MAX + 1])
async def test_what_waits_is_bounded_in_rows(engine: Engine, rows: int) -> None:
    await add(engine, *range(rows))
    relation_id = (await lake_of(engine)).newest.relations.by_name[STATS].relation_id
    assert (relation_id in (await lake_of(engine)).newest.late) is (rows <= late_images.LATE_ROWS_MAX)
    assert len(await seen(engine)) == rows


async def test_what_waits_is_bounded_in_commits(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(quiet, "LATEST_S", 3600.0)
    lake = await lake_of(engine)
    for table_id in range(3 * late_images.LATE_COMMITS_MAX):
        transaction = await engine.begin()
        await insert(transaction, SCHEMAS, {"schema_id": table_id, "begin_snapshot": table_id})
        await transaction.commit()
        assert all(len(changes) <= late_images.LATE_COMMITS_MAX for changes in lake.newest.late.values())
    transaction = await engine.begin()
    assert len(await select(transaction, SCHEMAS, "schema_id")) == 3 * late_images.LATE_COMMITS_MAX


async def test_an_image_that_cannot_be_brought_up_to_date_loads_again(
    engine: Engine, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(quiet, "LATEST_S", 3600.0)
    await add(engine, 1)
    assert await seen(engine) == {1: 0}
    await add(engine, 2)
    with monkeypatch.context() as broken:
        broken.setattr(Part, "apply", lambda _part, _changes: 1 / 0)
        assert await seen(engine) == {1: 0, 2: 0}
    assert "loads again" in caplog.text
    await add(engine, 3)
    assert await seen(engine) == {1: 0, 2: 0, 3: 0}


async def test_a_redefined_relation_has_what_came_late(engine: Engine) -> None:
    await add(engine, 1)
    transaction = await engine.begin()
    await transaction.rename_column(transaction.resolve(None, STATS), "record_count", "renamed")
    await transaction.commit()
    transaction = await engine.begin()
    assert await select(transaction, STATS, "table_id", "renamed") == [(1, 0)]


async def test_many_rows_are_answered_before_their_image_is_there(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(late_images, "PAUSE_S", 0.05)
    rows = 20 * late_images.LATE_ROWS_MAX
    await add(engine, *range(rows))
    newest = (await lake_of(engine)).newest
    assert list(newest.coming) == [newest.relations.by_name[STATS].relation_id]
    assert len(await seen(engine)) == rows
    assert not newest.coming


async def test_commits_do_not_wait_for_what_is_coming(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(late_images, "PAUSE_S", 0.05)
    rows = 20 * late_images.LATE_ROWS_MAX
    await add(engine, *range(rows))
    lake = await lake_of(engine)
    first = lake.newest
    await add(engine, rows)
    await add(engine, *range(rows + 1, 2 * rows))
    transaction = await engine.begin()
    await transaction.rename_column(transaction.resolve(None, STATS), "record_count", "renamed")
    await transaction.commit()
    assert lake.newest.coming
    transaction = await engine.begin()
    assert [row[0] for row in await select(transaction, STATS, "table_id", "renamed")] == list(range(2 * rows))
    assert not first.coming


async def test_a_reader_that_gives_up_costs_no_image(engine: Engine) -> None:
    rows = 20 * late_images.LATE_ROWS_MAX
    await add(engine, *range(rows))
    impatient = asyncio.create_task(seen(engine))
    await asyncio.sleep(0)
    impatient.cancel()
    await asyncio.wait([impatient])
    assert len(await seen(engine)) == rows


async def test_an_image_that_cannot_be_made_loads_from_the_store(
    engine: Engine, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    rows = 2 * late_images.LATE_ROWS_MAX
    assert await seen(engine) == {}
    with monkeypatch.context() as broken:
        broken.setattr(Part, "apply", lambda _part, _changes: 1 / 0)
        await add(engine, *range(rows))
        assert len(await seen(engine)) == rows
    assert "loads again" in caplog.text


@settings(max_examples=60, deadline=None)
@given(steps=st.lists(st.tuples(st.integers(0, 5), st.booleans(), st.booleans()), max_size=25),
       rows_max=st.sampled_from([0, late_images.LATE_ROWS_MAX]))
def test_late_or_coming_or_at_once_is_the_same(steps: list[tuple[int, bool, bool]], rows_max: int) -> None:
    """Against images that are loaded anew from the store."""

    async def run() -> None:
        engine = await ready()
        present: dict[object, object] = {}
        for number, (table_id, waits, looks) in enumerate(steps):
            if table_id in present:
                await count_up(engine, table_id, number)
                present[table_id] = number
            else:
                await add(engine, table_id)
                present[table_id] = 0
            if waits:
                (await lake_of(engine)).newest.catch_up(1)
            if looks:
                assert await seen(engine) == present
        assert await seen(engine) == present
        lake = await lake_of(engine)
        await asyncio.gather(*lake.newest.coming.values())
        lake.newest.late.clear()
        lake.newest.images = {i: RelationImage() for i in lake.newest.images}
        assert await seen(engine) == present

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(late_images, "LATE_ROWS_MAX", rows_max)
        asyncio.run(run())
