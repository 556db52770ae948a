"""No operation sends more requests to an object store than ``request_budget.toml`` allows."""

from __future__ import annotations

import asyncio
import tomllib
from collections import Counter
from pathlib import Path

import pytest

from rocklake_server.store.base import Key
from rocklake_server.store.object_stores import StoreLocation
from rocklake_server.store.reader import open_reader
from rocklake_server.store.slate import SlateStore, open_slate_store
from rocklake_server.store.slate_settings import SlateSettings
from tests.s3_stub import S3Stub
from tests.store.places import keys, rows

BUDGETS: dict[str, dict[str, int]] = tomllib.loads((Path(__file__).parent / "request_budget.toml").read_text())
OWN_TASKS_S = 2.0
"""SlateDB's own tasks begin with an opening, and are quiet after that time but for their polls."""
IDLE_S = 12.0
POLLS = ("GET manifest", "GET compactions", "GET gc", "LIST manifest", "LIST compactions", "LIST compacted", "LIST wal")
"""What SlateDB's own tasks may send at any moment; its budget is the idle minute's."""


def sent(stub: S3Stub, *, with_polls: bool) -> Counter[str]:
    """The requests since the last call."""
    found = Counter({f"{verb} {directory}": count for (verb, directory), count in stub.counts.items()})
    stub.counts.clear()
    return found if with_polls else Counter({kind: count for kind, count in found.items() if kind not in POLLS})


def require_within(budget: str, found: Counter[str], times: float = 1) -> None:
    beyond = {kind: count for kind, count in found.items() if count > BUDGETS[budget].get(kind, 0) * times}
    assert not beyond, f'"{budget}" sends more requests than its budget: {beyond}'


async def quiet(stub: S3Stub) -> None:
    await asyncio.sleep(OWN_TASKS_S)
    stub.counts.clear()


async def test_opening(stub: S3Stub, bucket: StoreLocation) -> None:
    store = await open_slate_store(bucket)
    require_within("open a new database", sent(stub, with_polls=False))
    await store.write(rows([b"a"]))
    await store.close()
    stub.counts.clear()
    store = await open_slate_store(bucket)
    require_within("open after a clean stop", sent(stub, with_polls=False))
    for number in range(20):
        await store.write(rows([b"%d" % number]))
    await quiet(stub)
    again = await open_slate_store(bucket)
    require_within("open after a crash with 20 writes in the log", sent(stub, with_polls=False))
    await again.close()
    await store.close()


async def test_opening_for_reading(stub: S3Stub, bucket: StoreLocation) -> None:
    store = await open_slate_store(bucket)
    await store.write(rows([b"a"]))
    await store.close()
    stub.counts.clear()
    await (await open_reader(bucket)).close()
    require_within("open for reading after a clean stop", sent(stub, with_polls=False))
    await (await open_reader(bucket, pin=True)).close()
    require_within("pin while reading", sent(stub, with_polls=False))
    store = await open_slate_store(bucket)
    for number in range(20):
        await store.write(rows([b"%d" % number]))
    await quiet(stub)
    await (await open_reader(bucket)).close()
    require_within("open for reading with 20 writes in the log", sent(stub, with_polls=False))
    await store.close()


async def test_writes_and_snapshots(stub: S3Stub, bucket: StoreLocation) -> None:
    store = await open_slate_store(bucket)
    await quiet(stub)
    for number in range(30):
        await store.write(rows([b"%d-%d" % (number, part) for part in range(100)]))
    require_within("write", sent(stub, with_polls=False), times=30)
    await store.snapshot()
    require_within("snapshot", sent(stub, with_polls=False))
    await store.close()


async def filled(bucket: StoreLocation) -> SlateStore:
    """20,000 rows of 140 bytes in tables, none of them read yet."""
    store = await open_slate_store(bucket)
    for start in range(0, 20_000, 1000):
        await store.write(rows([b"%06d" % number for number in range(start, start + 1000)], b"v" * 120))
    await store.close()
    return await open_slate_store(bucket)


async def test_reads(stub: S3Stub, bucket: StoreLocation) -> None:
    store = await filled(bucket)
    await quiet(stub)
    snapshot = await store.snapshot()
    for budget in ("get of a key that was not read before", "get of a key that was read before"):
        assert await snapshot.get(Key(b"012345")) == b"v" * 120
        require_within(budget, sent(stub, with_polls=False))
    await store.close()


async def test_scans(stub: S3Stub, bucket: StoreLocation) -> None:
    store = await filled(bucket)
    await quiet(stub)
    assert len(await keys(store)) == 20_000
    require_within("scan of 20,000 rows that were not read before", sent(stub, with_polls=False))
    await store.close()


async def test_memtable_flushes(stub: S3Stub, bucket: StoreLocation) -> None:
    store = await open_slate_store(bucket, SlateSettings(unflushed_writes_max=10))
    await quiet(stub)
    for number in range(30):
        await store.write(rows([b"%d" % number]))
        if number % 10 == 9:
            await asyncio.sleep(0.5)
    found = sent(stub, with_polls=False)
    assert found.pop("PUT wal") == 30
    assert found["PUT compacted"] == 3
    require_within("memtable flush", found, times=3)
    await store.close()


@pytest.mark.slow
async def test_an_idle_minute(stub: S3Stub, bucket: StoreLocation) -> None:
    store = await open_slate_store(bucket)
    await store.write(rows([b"a"]))
    await quiet(stub)
    await asyncio.sleep(IDLE_S)
    require_within("idle minute", sent(stub, with_polls=True), times=IDLE_S / 60)
    await store.close()


def test_every_budget_is_checked() -> None:
    """Here, or where a DuckDB client works."""
    places = (Path(__file__), Path(__file__).parents[1] / "e2e" / "test_requests.py")
    text = "".join(place.read_text() for place in places)
    assert [budget for budget in BUDGETS if f'"{budget}"' not in text] == []
