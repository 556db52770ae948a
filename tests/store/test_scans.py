"""Scans read ahead, keep few batches waiting, and stop reading when nobody listens."""

from __future__ import annotations

import asyncio
import threading

import pytest

from rocklake_server.errors import StoreUnavailable
from rocklake_server.store.base import Entry, Key, Prefix
from rocklake_server.store.object_stores import StoreLocation
from rocklake_server.store.scan_worker import BATCHES_AHEAD, read_ahead
from rocklake_server.store.slate import SlateStore, open_slate_store
from rocklake_server.store.slate_settings import SlateSettings
from tests.s3_stub import Action, Fault, S3Stub
from tests.store.places import batch_of, read, rows

_ROWS = 20_000


async def _filled(location: StoreLocation, settings: SlateSettings | None = None) -> SlateStore:
    """A store that was closed after its rows were written, so that they are read from its tables."""
    store = await open_slate_store(location)
    await store.write(batch_of(*((b"%06d" % number, b"%06d" % number * 50) for number in range(_ROWS))))
    await store.close()
    return await open_slate_store(location, settings)


async def test_a_cold_scan_of_many_rows_takes_few_requests(stub: S3Stub, bucket: StoreLocation) -> None:
    store = await _filled(bucket)
    stub.counts.clear()
    entries = await read(await store.snapshot())
    assert len(entries) == _ROWS
    assert 0 < stub.count("GET", "compacted") <= 16
    await store.close()


async def test_a_second_scan_reads_from_the_cache(stub: S3Stub, bucket: StoreLocation) -> None:
    store = await _filled(bucket)
    await read(await store.snapshot())
    stub.counts.clear()
    assert len(await read(await store.snapshot())) == _ROWS
    assert stub.count("GET", "compacted") == 0
    await store.close()


async def test_an_absent_key_of_a_small_table_is_answered_by_its_filter(stub: S3Stub, bucket: StoreLocation) -> None:
    store = await open_slate_store(bucket)
    await store.write(rows([b"%03d" % number for number in range(0, 100, 2)], b"v" * 100))
    await store.close()
    store = await open_slate_store(bucket)
    snapshot = await store.snapshot()
    assert await snapshot.get(Key(b"050")) is not None
    stub.counts.clear()
    for number in range(1, 100, 2):
        assert await snapshot.get(Key(b"%03d" % number)) is None
    assert stub.count("GET", "compacted") <= 2
    await store.close()


async def test_an_abandoned_scan_stops_reading(stub: S3Stub, bucket: StoreLocation) -> None:
    store = await _filled(bucket, SlateSettings(scan_read_ahead_bytes=4096, scan_batch_rows=100))
    snapshot = await store.snapshot()
    scan = snapshot.scan(Prefix(b""))
    for _ in range(3):
        await anext(scan)
    await scan.aclose()  # type: ignore[attr-defined]  # every scan is an asynchronous generator
    async with asyncio.timeout(5):
        while stub.count("GET", "compacted"):
            stub.counts.clear()
            await asyncio.sleep(0.1)
    assert len(await read(snapshot)) == _ROWS
    await store.close()


async def test_a_failure_in_the_middle_of_a_scan_reaches_its_reader(stub: S3Stub, bucket: StoreLocation) -> None:
    store = await _filled(bucket, SlateSettings(
        object_store_max_retries=0, scan_read_ahead_bytes=4096, scan_fetch_tasks=1, scan_batch_rows=100))
    scan = (await store.snapshot()).scan(Prefix(b""))
    await anext(scan)
    stub.faults.append(Fault("GET", Action.REFUSE, "compacted", times=None, status=403))
    with pytest.raises(StoreUnavailable, match="access is denied"):
        async for _ in scan:
            pass
    stub.faults.clear()
    await store.close()


async def test_the_reader_is_only_so_many_batches_ahead_of_its_consumer() -> None:
    made = 0

    async def next_batch() -> list[Entry]:
        nonlocal made
        made += 1
        return [(Key(b"%d" % made), b"")] if made <= 20 else []

    taken = 0
    async for _ in read_ahead(next_batch):
        taken += 1
        await asyncio.sleep(0.005)
        assert made <= taken + BATCHES_AHEAD
    assert taken == 20


async def test_the_reader_works_on_its_own_thread_and_hands_errors_over() -> None:
    threads = []

    async def next_batch() -> list[Entry]:
        threads.append(threading.current_thread().name)
        if len(threads) == 2:
            raise StoreUnavailable("as scripted")
        return [(Key(b"k"), b"v")]

    batches = read_ahead(next_batch)
    seen = [await anext(batches)]
    with pytest.raises(StoreUnavailable, match="as scripted"):
        await anext(batches)
    assert seen == [[(b"k", b"v")]]
    assert set(threads) == {"rocklake-scans"}


async def test_one_snapshot_serves_loops_on_several_threads(in_memory: StoreLocation) -> None:
    store = await _filled(in_memory)
    snapshot = await store.snapshot()
    found: list[int] = []

    async def look(part: int) -> None:
        for _ in range(3):
            entries = await read(snapshot, b"%02d" % part)
            assert entries == [(b"%06d" % n, b"%06d" % n * 50) for n in range(part * 10_000, part * 10_000 + 10_000)]
            for number in range(part * 10_000, part * 10_000 + 50):
                assert await snapshot.get(Key(b"%06d" % number)) == b"%06d" % number * 50
            found.append(len(entries))

    threads = [threading.Thread(target=lambda part=part % 2: asyncio.run(look(part))) for part in range(4)]
    for thread in threads:
        thread.start()
    for number in range(50):  # writes go on beside the readers
        await store.write(rows([b"x%06d" % number]))
    for thread in threads:
        await asyncio.to_thread(thread.join)
    assert found == [10_000] * 12
    await store.close()


async def test_many_scans_run_side_by_side(in_memory: StoreLocation) -> None:
    store = await _filled(in_memory)
    snapshot = await store.snapshot()
    results = await asyncio.gather(*(read(snapshot, b"00%d" % part) for part in range(10)))
    assert [len(entries) for entries in results] == [1000] * 10
    assert [entries[0][0] for entries in results] == [b"00%d000" % part for part in range(10)]
    await store.close()
