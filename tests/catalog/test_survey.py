"""A survey of a lake says what counting its rows says, however its commits came."""

from __future__ import annotations

import asyncio
import random
from itertools import count

import pytest

from rocklake_server.catalog.lake import Lake
from rocklake_server.catalog.survey import FILE_BANDS_BYTES, NOTED_MAX, FileCount, Survey
from rocklake_server.catalog.view import ColumnDefinition
from rocklake_server.errors import SerializationFailure
from rocklake_server.schema.types import BIGINT
from rocklake_server.server.admin.observed import survey_of
from rocklake_server.server.admin.surveyor import Surveyor
from rocklake_server.store.base import Store
from tests.catalog.engine import DATABASE, Engine, delete, insert, select, update
from tests.catalog.kept_store import KeptStore

FILES = "ducklake_data_file"
DELETES = "ducklake_delete_file"
SIZES = (0, 1, FILE_BANDS_BYTES[0] - 1, *FILE_BANDS_BYTES, FILE_BANDS_BYTES[-1] * 3)


class Surveyed(Engine):
    async def open_store(self, directory: str) -> Store:
        return self.stores.setdefault(directory, KeptStore())

    async def start(self) -> None:
        await self.open()
        await self.create_catalog()
        self.surveyor = Surveyor(self.databases, None, rest=0.0)
        self.lake = await self.the_lake()

    async def the_lake(self) -> Lake:
        return (await self.databases.lakes_of(DATABASE))["public"].lake

    async def survey(self) -> Survey:
        await self.surveyor.settled()
        found = survey_of(await self.the_lake())
        assert found is not None
        return found


@pytest.fixture
async def engine() -> Surveyed:
    engine = Surveyed()
    await engine.start()
    return engine


async def add_file(engine: Engine, file_id: int, table_id: int = 1, size: int = 1, rows: int = 1) -> None:
    transaction = await engine.begin()
    await insert(transaction, FILES, {"data_file_id": file_id, "table_id": table_id, "begin_snapshot": 1,
                                      "record_count": rows, "file_size_bytes": size})  # fmt: skip
    await transaction.commit()


async def counted_anew(engine: Surveyed) -> Survey:
    lake = await engine.the_lake()
    survey = Survey(lake.newest.sequence)
    await survey.count(lake.newest, rest=0.0)
    return survey


def told(survey: Survey, lake: Lake) -> object:
    """Everything that it counts; tables of which nothing is left are as good as unknown ones."""
    tables = {table_id: count for table_id, count in survey.tables.items() if count != FileCount()}
    inlined = {table_id: rows for table_id, rows in survey.inlined(lake.newest.relations).items() if any(rows)}
    return survey.total, tables, survey.snapshots, inlined


async def test_files_are_counted_by_table_and_size(engine: Surveyed) -> None:
    for number, size in enumerate(SIZES):
        await add_file(engine, number, table_id=number % 2, size=size, rows=10)
    survey = await engine.survey()
    assert survey.total.files == [3, 1, 1, 1, 2]
    assert (survey.total.files_count, survey.total.small_files) == (8, 4)
    assert (survey.total.bytes, survey.total.rows) == (sum(SIZES), 80)
    assert {table_id: count.files_count for table_id, count in survey.tables.items()} == {0: 4, 1: 4}


async def test_what_ends_is_kept_for_older_snapshots_and_what_is_removed_is_not(engine: Surveyed) -> None:
    for number in range(3):
        await add_file(engine, number, size=100)
    await engine.survey()
    transaction = await engine.begin()
    await update(transaction, FILES, {"data_file_id": 0}, end_snapshot=5)
    await delete(transaction, FILES, data_file_id=1)
    await transaction.commit()
    count = (await engine.survey()).tables[1]
    assert (count.files_count, count.bytes, count.kept_files, count.kept_bytes) == (1, 100, 1, 100)


async def test_a_transaction_that_is_rolled_back_or_fails_counts_nothing(engine: Surveyed) -> None:
    await add_file(engine, 0)
    await engine.survey()
    lost = await engine.begin()
    await update(lost, FILES, {"data_file_id": 0}, file_size_bytes=7)
    won = await engine.begin()
    await update(won, FILES, {"data_file_id": 0}, file_size_bytes=9)
    await won.commit()
    with pytest.raises(SerializationFailure):
        await lost.commit()
    rolled_back = await engine.begin()
    await delete(rolled_back, FILES, data_file_id=0)
    await rolled_back.rollback()
    assert (await engine.survey()).total.bytes == 9


async def test_inlined_rows_are_counted_until_they_end_or_their_relation_goes(engine: Surveyed) -> None:
    names = ("row_id", "begin_snapshot", "end_snapshot", "a")
    transaction = await engine.begin()
    columns = [ColumnDefinition(name, BIGINT) for name in names]
    await transaction.create_relation(None, "ducklake_inlined_data_7_1", columns, ())
    await transaction.create_relation(None, "ducklake_inlined_delete_7", [
        ColumnDefinition(name, BIGINT) for name in ("file_id", "row_id", "begin_snapshot")], ())  # fmt: skip
    await insert(transaction, "ducklake_inlined_data_7_1",
                 *({"row_id": number, "begin_snapshot": 1} for number in range(4)))  # fmt: skip
    await insert(transaction, "ducklake_inlined_delete_7", {"file_id": 1, "row_id": 1, "begin_snapshot": 1})
    await transaction.commit()
    survey = await engine.survey()
    assert survey.inlined(engine.lake.newest.relations) == {7: (4, 1)}
    transaction = await engine.begin()
    await update(transaction, "ducklake_inlined_data_7_1", {"row_id": 0}, end_snapshot=2)
    await transaction.commit()
    assert (await engine.survey()).inlined(engine.lake.newest.relations) == {7: (3, 1)}
    transaction = await engine.begin()
    await transaction.drop_relation(transaction.resolve(None, "ducklake_inlined_data_7_1"))
    await transaction.commit()
    assert (await engine.survey()).inlined(engine.lake.newest.relations) == {7: (0, 1)}


async def test_commits_while_a_lake_is_being_counted_are_counted_once(engine: Surveyed) -> None:
    for number in range(300):
        await add_file(engine, number, table_id=number % 5, size=number)
    engine.surveyor = Surveyor(engine.databases, None, rest=0.0)
    engine.lake.survey = None
    await engine.surveyor.look()
    for number in range(300, 330):
        await add_file(engine, number, table_id=number % 5, size=number)
        await asyncio.sleep(0)
    survey = await engine.survey()
    assert told(survey, engine.lake) == told(await counted_anew(engine), engine.lake)
    assert survey.total.files_count == 330


async def test_random_commits_keep_a_survey_true(engine: Surveyed) -> None:
    rng = random.Random(11)
    ids, alive = count(), list[int]()
    for number in range(120):
        transaction = await engine.begin()
        for _ in range(rng.randint(1, 3)):
            match rng.choice(("file", "file", "end", "remove", "delete file", "snapshot")):
                case "file":
                    file_id = next(ids)
                    await insert(transaction, FILES, {
                        "data_file_id": file_id, "table_id": rng.randint(1, 4), "begin_snapshot": number,
                        "record_count": rng.randint(0, 99), "file_size_bytes": rng.choice(SIZES)})  # fmt: skip
                    alive.append(file_id)
                case "end" if alive:
                    await update(transaction, FILES, {"data_file_id": rng.choice(alive)}, end_snapshot=number)
                case "remove" if alive:
                    await delete(transaction, FILES, data_file_id=alive.pop(rng.randrange(len(alive))))
                case "delete file":
                    known = await select(transaction, DELETES, "delete_file_id")
                    await insert(transaction, DELETES, {
                        "delete_file_id": len(known) + 9000, "table_id": rng.randint(1, 4), "begin_snapshot": number,
                        "delete_count": rng.randint(1, 9)})  # fmt: skip
                case "snapshot":
                    known = await select(transaction, "ducklake_snapshot", "snapshot_id")
                    await insert(transaction, "ducklake_snapshot", {"snapshot_id": len(known), "snapshot_time": number})
        await (transaction.commit() if rng.random() < 0.9 else transaction.rollback())
        alive = [row[0] for row in await select(await engine.begin(), FILES, "data_file_id")]
        if rng.random() < 0.3:
            await engine.surveyor.look()
    survey = await engine.survey()
    assert told(survey, engine.lake) == told(await counted_anew(engine), engine.lake)
    assert survey.total.files_count + survey.total.kept_files == len(alive)


async def test_a_lake_that_is_migrated_is_counted_anew(engine: Surveyed) -> None:
    await add_file(engine, 0, size=50)
    before = await engine.survey()
    transaction = await engine.begin()
    await transaction.add_column(transaction.resolve(None, FILES), ColumnDefinition("extra", BIGINT))
    await transaction.commit()
    assert before.is_stale
    assert survey_of(engine.lake) is None
    after = await engine.survey()
    assert after is not before
    assert after.total.bytes == 50


async def test_more_commits_than_anybody_looks_at_are_not_kept(engine: Surveyed) -> None:
    survey = await engine.survey()
    for number in range(NOTED_MAX + 1):
        survey.note(survey.sequence + 1, [({}, {})], [])
        assert not survey.is_stale or number == NOTED_MAX
    assert survey.is_stale
    survey = Survey(5)
    survey.note(7, [], [])
    assert survey.is_stale, "a commit is missing"


async def test_a_lake_that_closed_and_opens_unchanged_is_not_counted_again(engine: Surveyed) -> None:
    await add_file(engine, 0, size=50)
    before = await engine.survey()
    engine.databases.close_idle_lakes(idle_s=0.0)
    while engine.databases.open_lakes():
        await asyncio.sleep(0)
    assert (await engine.the_lake()) is not engine.lake
    assert await engine.survey() is before
    assert before.total.bytes == 50
