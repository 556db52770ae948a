"""SlateDB gets a write after it returned; snapshots are what they promise to be, whenever they are read from."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from rocklake_server import quiet
from rocklake_server.errors import CannotConnectNow
from rocklake_server.store import write_behind
from rocklake_server.store.base import Key
from rocklake_server.store.object_stores import StoreLocation
from rocklake_server.store.slate import SlateStore, open_slate_store
from tests.store.places import batch_of, keys, read, rows


class Handle:
    """Stands before SlateDB's handle, counts, and waits or fails when told to."""

    def __init__(self, inner: Any) -> None:
        self._inner = inner
        self.calls: list[str] = []
        self.before_write: Callable[[], Awaitable[None]] | None = None

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    async def write(self, batch: Any) -> Any:
        self.calls.append("write")
        if self.before_write is not None:
            await self.before_write()
        return await self._inner.write(batch)

    async def snapshot(self) -> Any:
        self.calls.append("snapshot")
        return await self._inner.snapshot()


@pytest.fixture
def handles(monkeypatch: pytest.MonkeyPatch) -> list[Handle]:
    """Those of the stores that the test opens, in their order."""
    made: list[Handle] = []
    original = write_behind.WriteBehind.__init__

    def initialise(self: write_behind.WriteBehind, db: Any, *rest: Any) -> None:
        made.append(Handle(db))
        original(self, made[-1], *rest)

    monkeypatch.setattr(write_behind.WriteBehind, "__init__", initialise)
    return made


async def until_given(handle: Handle, writes: int) -> None:
    async with asyncio.timeout(5):
        while handle.calls.count("write") < writes:
            await asyncio.sleep(0.001)


async def test_a_write_returns_before_slatedb_has_it_and_is_read_back(
        folder: StoreLocation, handles: list[Handle]) -> None:
    store = await open_slate_store(folder)
    await store.write(rows([b"a"]))
    assert handles[0].calls == []
    assert await keys(store) == [b"a"]
    assert handles[0].calls == ["write", "snapshot"]
    await store.close()


async def test_slatedb_gets_it_soon_also_when_nobody_asks(folder: StoreLocation, handles: list[Handle]) -> None:
    store = await open_slate_store(folder)
    await store.write(rows([b"a"]))
    await until_given(handles[0], writes=1)
    await store.close()


async def test_snapshots_that_nobody_holds_are_not_taken(folder: StoreLocation, handles: list[Handle]) -> None:
    store = await open_slate_store(folder)
    for number in range(5):
        await store.write(rows([b"%d" % number]))
        await store.snapshot()
    await until_given(handles[0], writes=5)
    assert handles[0].calls == ["write"] * 5
    await store.close()


async def test_each_snapshot_shows_the_writes_before_it_whenever_it_is_read(folder: StoreLocation) -> None:
    store = await open_slate_store(folder)
    snapshots = [await store.snapshot()]
    for number in range(6):
        await store.write(batch_of((b"%d" % number, b"value"), (b"newest", b"%d" % number)))
        snapshots += [await store.snapshot(), await store.snapshot()]
        if number % 2:
            await asyncio.sleep(2 * quiet.LATEST_S)
    for place, snapshot in list(enumerate(snapshots))[::-1]:
        writes = (place + 1) // 2
        assert await snapshot.get(Key(b"newest")) == (b"%d" % (writes - 1) if writes else None)
        found = [key for key, _ in await read(snapshot)]
        assert found == [*(b"%d" % number for number in range(writes)), *([b"newest"] if writes else [])]
    await store.close()


async def test_a_cancelled_reader_leaves_the_write_whole(folder: StoreLocation, handles: list[Handle]) -> None:
    store = await open_slate_store(folder)
    go_on = asyncio.Event()

    async def wait() -> None:
        await go_on.wait()

    handles[0].before_write = wait
    await store.write(rows([b"a"]))
    reader = asyncio.create_task(keys(store))
    await until_given(handles[0], writes=1)
    reader.cancel()
    with pytest.raises(asyncio.CancelledError):
        await reader
    go_on.set()
    await store.write(rows([b"b"]))
    assert await keys(store) == [b"a", b"b"]
    assert handles[0].calls.count("write") == 2
    await store.close()


async def failed(store: SlateStore, handle: Handle, *written: bytes) -> None:
    """The store after SlateDB refused the first of the writes of these keys, all of which had returned."""

    async def fail() -> None:
        raise OSError(5, "Input/output error")

    handle.before_write = fail
    for key in written or (b"a",):
        await store.write(rows([key]))
    async with asyncio.timeout(5):
        while not store.needs_reopen:
            await asyncio.sleep(0.001)


async def test_a_write_that_slatedb_refuses_later_is_there_after_reopening(
        folder: StoreLocation, handles: list[Handle]) -> None:
    store = await open_slate_store(folder)
    await failed(store, handles[0])
    with pytest.raises(CannotConnectNow, match="reopened"):
        await store.snapshot()
    with pytest.raises(CannotConnectNow, match="reopened"):
        await store.write(rows([b"b"]))
    await store.reopen()
    assert await keys(store) == [b"a"]
    await store.write(rows([b"b"]))
    assert await keys(store) == [b"a", b"b"]
    await store.close()


async def test_it_is_there_after_closing_and_opening_too(folder: StoreLocation, handles: list[Handle]) -> None:
    store = await open_slate_store(folder)
    await failed(store, handles[0])
    await store.close()
    store = await open_slate_store(folder)
    assert await keys(store) == [b"a"]
    await store.close()


async def test_a_write_right_behind_one_that_is_refused_is_kept_too(
        folder: StoreLocation, handles: list[Handle]) -> None:
    """It is in the journal, whatever SlateDB does."""
    store = await open_slate_store(folder)
    await failed(store, handles[0], b"a", b"b")
    await store.reopen()
    assert await keys(store) == [b"a", b"b"]
    await store.close()


async def test_writes_do_not_wait_for_slatedb_until_many_are_on_their_way(
        folder: StoreLocation, handles: list[Handle]) -> None:
    store = await open_slate_store(folder)
    go_on = asyncio.Event()

    async def wait() -> None:
        await go_on.wait()

    handles[0].before_write = wait
    for number in range(write_behind.WAITING_MAX):
        await store.write(rows([b"%03d" % number]))
    snapshot = await store.snapshot()
    assert handles[0].calls == ["write"]
    one_more = asyncio.create_task(store.write(rows([b"last"])))
    await asyncio.sleep(2 * quiet.LATEST_S)
    assert not one_more.done()
    go_on.set()
    await one_more
    assert await keys(store) == [*(b"%03d" % number for number in range(write_behind.WAITING_MAX)), b"last"]
    assert b"last" not in [key for key, _ in await read(snapshot)]
    assert handles[0].calls.count("write") == write_behind.WAITING_MAX + 1
    await store.close()


async def test_few_but_long_writes_are_waited_for(
        folder: StoreLocation, handles: list[Handle], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(write_behind, "WAITING_ENTRIES_MAX", 3)
    store = await open_slate_store(folder)
    await store.write(rows([b"a", b"b", b"c", b"d"]))
    await store.write(rows([b"e"]))
    assert handles[0].calls == ["write"]
    await store.close()
