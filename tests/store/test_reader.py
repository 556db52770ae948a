"""Reading beside a writer: what was durable is seen, the writer goes on, nothing is created or removed."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rocklake_server.errors import CorruptValue, StoreUnavailable, UndefinedFile
from rocklake_server.store import reader as reader_module
from rocklake_server.store.base import Key
from rocklake_server.store.memory import MemoryStore
from rocklake_server.store.object_stores import StoreLocation, parse_store_url
from rocklake_server.store.overlay import OverlaySnapshot
from rocklake_server.store.reader import open_reader
from rocklake_server.store.slate import SlateStore, open_slate_store
from rocklake_server.store.slate_settings import SlateSettings
from tests.s3_stub import S3Stub
from tests.store.places import batch_of, read, rows


@pytest.fixture(params=["in_memory", "folder", "bucket"])
def location(request: pytest.FixtureRequest) -> StoreLocation:
    found: StoreLocation = request.getfixturevalue(request.param)
    return found


@pytest.fixture
async def writer(location: StoreLocation) -> AsyncIterator[SlateStore]:
    store = await open_slate_store(location)
    yield store
    await store.close()


async def values(location: StoreLocation, *, pin: bool = False) -> dict[bytes, bytes]:
    async with await open_reader(location, pin=pin) as reader:
        return {bytes(key): value for key, value in await read(reader.snapshot)}


# -- what is seen -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("pin", [False, True])
async def test_every_write_that_returned_is_seen_and_the_writer_goes_on(
    location: StoreLocation, writer: SlateStore, pin: bool
) -> None:
    expected: dict[bytes, bytes] = {}
    for number in range(12):
        key, value = b"key %d" % (number % 5), b"value %d" % number
        await writer.write(batch_of((key, value)))
        expected[key] = value
        assert await values(location, pin=pin) == expected
    assert not writer.is_fenced
    assert not writer.needs_reopen


async def test_deleted_keys_are_gone(location: StoreLocation, writer: SlateStore) -> None:
    await writer.write(rows([b"a", b"b", b"c"]))
    await writer.write(batch_of((b"b", None)))
    assert await values(location) == {b"a": b"value", b"c": b"value"}
    async with await open_reader(location) as reader:
        assert await reader.snapshot.get(Key(b"b")) is None
        assert await reader.snapshot.get(Key(b"c")) == b"value"


async def test_a_picture_does_not_change(location: StoreLocation, writer: SlateStore) -> None:
    await writer.write(rows([b"a", b"b"]))
    async with await open_reader(location) as reader:
        await writer.write(batch_of((b"a", b"later"), (b"b", None), (b"c", b"later")))
        assert await read(reader.snapshot) == [(b"a", b"value"), (b"b", b"value")]
        assert await reader.snapshot.get(Key(b"c")) is None


async def test_what_moved_to_tables_is_seen_together_with_what_did_not(location: StoreLocation) -> None:
    settings = SlateSettings(unflushed_writes_max=3)
    store = await open_slate_store(location, settings)
    for number in range(20):
        await store.write(rows([b"%03d" % number]))
        assert len(await values(location)) == number + 1
    await store.close()
    assert len(await values(location)) == 20


async def test_a_stopped_store_is_read(location: StoreLocation) -> None:
    store = await open_slate_store(location)
    await store.write(rows([b"a"]))
    await store.close()
    assert await values(location) == {b"a": b"value"}


async def test_reading_goes_on_while_a_writer_writes_fast(location: StoreLocation) -> None:
    """Each picture is a prefix of the writes: of one moment, never torn."""
    store = await open_slate_store(location, SlateSettings(unflushed_writes_max=25))
    written, ended = 0, asyncio.Event()

    async def write() -> None:
        nonlocal written
        while not ended.is_set():
            await store.write(batch_of((b"a %05d" % written, b""), (b"newest", b"%d" % written)))
            written += 1
            await asyncio.sleep(0.002)

    writing = asyncio.create_task(write())
    try:
        for _ in range(8):
            before = written
            seen = await values(location)
            if seen:
                newest = int(seen[b"newest"])
                assert before - 1 <= newest
                assert sorted(seen) == [*(b"a %05d" % number for number in range(newest + 1)), b"newest"]
    finally:
        ended.set()
        await writing
        assert not store.needs_reopen
        await store.close()


# -- what is left as it was -------------------------------------------------------------------------------------------


def everything(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


async def test_a_folder_is_the_same_afterwards(folder: StoreLocation, tmp_path: Path) -> None:
    store = await open_slate_store(folder)
    await store.write(rows([b"a"]))
    await store.close()
    before = everything(tmp_path)
    assert await values(folder) == {b"a": b"value"}
    assert everything(tmp_path) == before


async def test_a_bucket_is_only_read(bucket: StoreLocation, stub: S3Stub) -> None:
    store = await open_slate_store(bucket)
    await store.write(rows([b"a"]))
    await store.close()
    before = stub.count("PUT"), stub.count("DELETE")
    await values(bucket)
    assert (stub.count("PUT"), stub.count("DELETE")) == before


async def test_a_pin_is_taken_back(bucket: StoreLocation) -> None:
    store = await open_slate_store(bucket)
    await store.write(rows([b"a"]))
    await store.close()
    async with await open_reader(bucket, pin=True) as reader:
        assert len(await reader._admin().list_checkpoints(None)) == 1
        admin = reader._admin()
    assert await admin.list_checkpoints(None) == []


# -- what is refused --------------------------------------------------------------------------------------------------


async def test_a_folder_that_is_not_there_is_refused_and_not_made(tmp_path: Path) -> None:
    location = parse_store_url(f"file://{tmp_path}/nothing", {}).child("system")
    with pytest.raises(UndefinedFile, match="does not exist"):
        await open_reader(location)
    assert list(tmp_path.iterdir()) == []


async def test_a_database_that_is_not_there_is_refused(bucket: StoreLocation, in_memory: StoreLocation) -> None:
    for location in (bucket, in_memory):
        with pytest.raises(UndefinedFile, match="does not exist"):
            await open_reader(location.child("nothing"))


async def test_a_store_that_does_not_answer_is_refused_in_time(bucket: StoreLocation, stub: S3Stub) -> None:
    stub.delays_s = dict.fromkeys(("GET", "PUT", "LIST", "HEAD"), 60.0)
    with pytest.raises(StoreUnavailable, match="does not answer in time"):
        await open_reader(bucket, SlateSettings(open_timeout_s=0.5))


async def test_a_journal_that_lost_a_write_is_refused(folder: StoreLocation, tmp_path: Path) -> None:
    store = await open_slate_store(folder)
    await store.write(rows([b"a"]))
    await store.write(rows([b"b"]))
    copied = tmp_path / "copied"
    shutil.copytree(tmp_path / "store", copied)
    await store.close()
    location = parse_store_url(f"file://{copied}", {}).child("lakes/1")
    assert await values(location) == {b"a": b"value", b"b": b"value"}
    (journal,) = copied.rglob("*.journal")
    journal.write_bytes(journal.read_bytes()[:-1])
    with pytest.raises(CorruptValue, match=journal.name):
        await open_reader(location)


async def test_a_picture_that_moves_is_refused(bucket: StoreLocation, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reader_module, "_POLL_MS", 300)
    store = await open_slate_store(bucket)
    await store.write(rows([b"a"]))
    async with await open_reader(bucket) as reader:
        assert await reader.snapshot.get(Key(b"a")) == b"value"
        await store.write(rows([b"b"]))
        await asyncio.sleep(1.0)
        with pytest.raises(StoreUnavailable, match="changed while its reading began; begin again"):
            await reader.snapshot.get(Key(b"a"))
        with pytest.raises(StoreUnavailable, match="changed while its reading began; begin again"):
            await read(reader.snapshot)
    await store.close()


@pytest.mark.parametrize("delay_s", [0.0, 0.02])
async def test_the_first_look_at_a_bucket_is_over_when_it_is_open(
    bucket: StoreLocation, stub: S3Stub, delay_s: float
) -> None:
    """The picture is that of the opening, whatever is written from then on."""
    store = await open_slate_store(bucket)
    await store.write(rows([b"a"]))
    stub.delays_s = dict.fromkeys(("GET", "HEAD"), delay_s)
    async with await open_reader(bucket) as reader:
        await store.write(rows([b"b"]))
        await asyncio.sleep(0.5)
        assert await read(reader.snapshot) == [(b"a", b"value")]
    stub.delays_s = {}
    await store.close()


async def test_tables_that_were_removed_meanwhile_are_told_of(folder: StoreLocation, tmp_path: Path) -> None:
    """As the garbage collector of a server does, some minutes after its compactor has replaced them."""
    settings = SlateSettings(block_cache_bytes=1)
    store = await open_slate_store(folder)
    await store.write(rows([b"%05d" % number for number in range(3000)]))
    await store.close()
    reader = await open_reader(folder, settings)
    old = {path for path in tmp_path.rglob("*.sst") if path.parent.name == "compacted"}
    store = await open_slate_store(folder)
    await store.write(rows([b"more"]))
    await store.close()
    for path in old:
        path.unlink()
    with pytest.raises(StoreUnavailable, match="removed tables that this reading began with"):
        await read(reader.snapshot)
    await reader.close()


# -- a journal over tables --------------------------------------------------------------------------------------------

KEYS = st.binary(min_size=1, max_size=2).map(Key)


@given(
    below=st.dictionaries(KEYS, st.binary(max_size=2), max_size=30),
    changes=st.dictionaries(KEYS, st.none() | st.binary(max_size=2), max_size=30),
    prefix=st.binary(max_size=1),
    start=st.binary(max_size=1),
    stop=st.none() | st.binary(max_size=1),
)
def test_an_overlay_reads_as_a_store_with_the_changes_written(
    below: dict[Key, bytes], changes: dict[Key, bytes | None], prefix: bytes, start: bytes, stop: bytes | None
) -> None:
    async def compare() -> None:
        store = MemoryStore()
        await store.write(batch_of(*below.items()))
        overlay = OverlaySnapshot(await store.snapshot(), changes)
        await store.write(batch_of(*changes.items()))
        expected = await store.snapshot()
        assert await read(overlay, prefix, start=start, stop=stop) == await read(
            expected, prefix, start=start, stop=stop)
        for key in {*below, *changes}:
            assert await overlay.get(key) == await expected.get(key)

    asyncio.run(compare())
