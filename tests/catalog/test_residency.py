"""Images stay within their memory, and answers do not depend on what is in it."""

from __future__ import annotations

import asyncio
import tracemalloc
from unittest.mock import patch

import pytest

from rocklake_server.catalog.chunk import PackedRows
from rocklake_server.catalog.residency import Residency
from rocklake_server.catalog.view import Bounds, Interval
from rocklake_server.store.memory import MemoryStore
from tests.catalog.engine import DATABASE, delete, insert, matches, select, update
from tests.catalog.test_budgets import CountingEngine

FILES, STATISTICS = "ducklake_data_file", "ducklake_file_column_stats"
TABLES, FILES_EACH = 4, 2500


async def filled(residency: Residency) -> CountingEngine:
    """Four tables of 2,500 files, each with the statistics of two columns; nothing of them loaded."""
    engine = CountingEngine(MemoryStore())
    await engine.open()
    await engine.create_catalog()
    transaction = await engine.begin()
    await insert(transaction, FILES, *(
        {"data_file_id": table * FILES_EACH + n, "table_id": table, "begin_snapshot": 1 + n // 100,
         "path": f"ducklake-019e7a33-{n:012x}.parquet", "record_count": 1000}
        for table in range(TABLES) for n in range(FILES_EACH)))
    await insert(transaction, STATISTICS, *(
        {"data_file_id": table * FILES_EACH + n, "table_id": table, "column_id": column, "value_count": 1000,
         "null_count": 0, "min_value": str(n * 1000), "max_value": str(n * 1000 + 999)}
        for table in range(TABLES) for column in (1, 2) for n in range(FILES_EACH)))
    await transaction.commit()
    await asyncio.gather(*(await engine.databases.lakes_of(DATABASE))["public"].lake.newest.coming.values())
    cold = CountingEngine(engine.store.inner)
    cold.stores, cold.clock, cold.residency = engine.stores, engine.clock, residency
    await cold.open()
    return cold


async def column(engine: CountingEngine, table: int, column_id: int) -> list[int]:
    transaction = await engine.begin()
    relation = transaction.resolve(None, STATISTICS)
    named = {relation.index["table_id"]: frozenset({table}), relation.index["column_id"]: frozenset({column_id})}
    found = [match.row[0] for match in await matches(transaction, STATISTICS, Bounds(values=named))]
    await transaction.rollback()
    return found


async def loaded_bytes(engine: CountingEngine) -> int:
    lake = (await engine.databases.lakes_of(DATABASE))["public"].lake
    return sum(image.size_bytes for image in lake.newest.images.values())


async def test_parts_that_were_not_used_for_longest_make_room() -> None:
    room = 150_000
    engine = await filled(Residency(room))
    for _ in range(2):
        for table in range(TABLES):
            assert await column(engine, table, 1) == list(range(table * FILES_EACH, (table + 1) * FILES_EACH))
            await engine.databases.residency.reduce()
            assert await loaded_bytes(engine) <= room
    engine.store.reads.keys.clear()
    await column(engine, TABLES - 1, 1)
    assert engine.store.reads.keys == []
    await column(engine, 0, 1)
    assert len(engine.store.reads.keys) == FILES_EACH


async def test_too_much_is_noticed_without_being_asked() -> None:
    engine = await filled(Residency(150_000))
    for table in range(TABLES):
        await column(engine, table, 1)
    await engine.databases.close()
    engine = await filled(Residency(150_000))
    transaction = await engine.begin()
    assert len(await matches(transaction, STATISTICS)) == TABLES * 2 * FILES_EACH
    await transaction.rollback()
    await engine.databases.residency.settled()
    assert await loaded_bytes(engine) <= 150_000


async def test_the_part_that_was_used_last_stays_however_big_it_is() -> None:
    engine = await filled(Residency(1))
    await column(engine, 3, 1)
    await engine.databases.residency.reduce()
    engine.store.reads.keys.clear()
    await column(engine, 3, 1)
    assert engine.store.reads.keys == []


async def test_a_transaction_keeps_its_rows_when_they_are_forgotten() -> None:
    engine = await filled(Residency(1))
    early = await engine.begin()
    assert len(await matches(early, FILES)) == TABLES * FILES_EACH
    writer = await engine.begin()
    await delete(writer, FILES, data_file_id=5)
    await update(writer, FILES, {"data_file_id": 6}, end_snapshot=77)
    await insert(writer, FILES, {"data_file_id": 10**6, "table_id": 2, "begin_snapshot": 77, "path": "new"})
    await engine.databases.residency.reduce()
    assert (await select(writer, FILES, "data_file_id", "end_snapshot"))[4:6] == [(4, None), (6, 77)]
    await writer.commit()
    await engine.databases.residency.reduce()
    ids = [row[0] for row in await select(early, FILES, "data_file_id")]
    assert ids == list(range(TABLES * FILES_EACH))
    late = [row[0] for row in await select(await engine.begin(), FILES, "data_file_id")]
    assert late == sorted({*ids, 10**6} - {5}, key=lambda n: (2, n) if n == 10**6 else (n // FILES_EACH, n))


async def test_a_closed_lake_takes_no_room() -> None:
    engine = await filled(Residency(10**9))
    await column(engine, 0, 1)
    engine.databases.close_idle_lakes(0)
    await engine.databases.close()
    await engine.databases.residency.reduce()
    assert engine.databases.residency.about_bytes == 0


@pytest.mark.parametrize(("name", "bytes_max"), [(STATISTICS, 60), (FILES, 90)])
async def test_a_loaded_row_takes_few_bytes(name: str, bytes_max: int) -> None:
    """Ten million statistics rows and a million files fit into 3 GiB five times over."""
    engine = await filled(Residency())
    transaction = await engine.begin()
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        chunks = await transaction.chunks(transaction.resolve(None, name))
        took = tracemalloc.get_traced_memory()[0] - before
    finally:
        tracemalloc.stop()
    rows = sum(len(chunk.rows) for chunk in chunks)
    assert rows >= TABLES * FILES_EACH
    assert took / rows < bytes_max
    assert took / rows > 10
    counted = sum(chunk.size_bytes for chunk in chunks)
    assert 0.5 < counted / took < 1.5
    await transaction.rollback()


async def test_a_plan_unpacks_only_chunks_that_can_match() -> None:
    engine = await filled(Residency())
    transaction = await engine.begin()
    relation = transaction.resolve(None, FILES)
    await transaction.chunks(relation)
    at = relation.index
    unpacked = PackedRows._unpacked
    seen: list[int] = []

    def counted(rows: PackedRows) -> object:
        seen.append(len(rows))
        return unpacked(rows)

    bounds = Bounds({at["table_id"]: frozenset({3})}, {at["begin_snapshot"]: Interval(25, None)})
    with patch.object(PackedRows, "_unpacked", counted):
        chunks = await transaction.chunks(relation, bounds)
        assert seen == []
        found = [row[0] for chunk in chunks for row in chunk.rows if row[at["begin_snapshot"]] >= 25]
    assert found == list(range(3 * FILES_EACH + 2400, 4 * FILES_EACH))
    assert len(seen) == len(chunks) == 1
    await transaction.rollback()


async def test_tables_that_are_not_there_leave_no_trace() -> None:
    engine = await filled(Residency())
    transaction = await engine.begin()
    await matches(transaction, FILES)
    lake = (await engine.databases.lakes_of(DATABASE))["public"].lake
    known = set(lake.used)
    relation = transaction.resolve(None, FILES)
    for table in range(1000, 1100):
        named = {relation.index["table_id"]: frozenset({table})}
        assert await matches(transaction, FILES, Bounds(values=named)) == []
    assert {place for place in lake.used if place[1] not in range(TABLES)} <= known
