"""A checkpoint is one moment: every write before it, none after it, whatever the server's tables do since."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from rocklake_server.errors import CorruptValue, DuplicateObject, UndefinedFile, UndefinedObject, Unsupported
from rocklake_server.store.checkpoints import DIRECTORY, Checkpoint, Checkpoints
from rocklake_server.store.object_stores import StoreLocation
from rocklake_server.store.side_objects import SideObjects
from rocklake_server.store.slate import open_slate_store
from rocklake_server.store.slate_settings import SlateSettings
from tests.store.places import batch_of, read

FLUSHING = SlateSettings(unflushed_writes_max=30)
"""Tables are made all the time."""


@pytest.fixture(params=["folder", "bucket"])
def location(request: pytest.FixtureRequest) -> StoreLocation:
    found: StoreLocation = request.getfixturevalue(request.param)
    return found


async def write(store: object, number: int) -> None:
    """Write ``number`` of a sequence: the head, a key of its own, and the one before the last goes."""
    await store.write(  # type: ignore[attr-defined]
        batch_of((b"head", b"%d" % number), (b"key%06d" % number, b"v"), (b"key%06d" % (number - 2), None)))


def state_after(number: int) -> list[tuple[bytes, bytes]]:
    return [(b"head", b"%d" % number), *((b"key%06d" % n, b"v") for n in (number - 1, number) if n >= 0)]


async def entries(checkpoints: Checkpoints, checkpoint: Checkpoint) -> list[tuple[bytes, bytes]]:
    async with await checkpoints.open(checkpoint) as reader:
        return [(bytes(key), value) for key, value in await read(reader.snapshot)]


async def test_unflushed_writes_belong_to_it_and_later_ones_do_not(location: StoreLocation) -> None:
    store = await open_slate_store(location)
    for number in range(5):
        await write(store, number)
    checkpoints = Checkpoints(location)
    made = await checkpoints.create("noon")
    for number in range(5, 12):
        await write(store, number)
    assert await entries(checkpoints, made) == state_after(4)
    await store.close()
    for _ in range(2):
        await (await open_slate_store(location)).close()
    assert await entries(checkpoints, made) == state_after(4)
    assert await entries(checkpoints, await checkpoints.create("later")) == state_after(11)


async def test_checkpoints_beside_a_writer_are_each_one_moment(location: StoreLocation) -> None:
    store = await open_slate_store(location, FLUSHING)
    await write(store, 0)
    checkpoints, written, stop = Checkpoints(location), 0, False

    async def go_on() -> None:
        nonlocal written
        while not stop:
            await write(store, written + 1)
            written += 1
            await asyncio.sleep(0.001)

    writer = asyncio.create_task(go_on())
    made: list[tuple[int, Checkpoint, int]] = []
    for number in range(8):
        before = written
        checkpoint = await checkpoints.create(f"number {number}")
        made.append((before, checkpoint, written))
        await asyncio.sleep(0.02)
    stop = True
    await writer
    await store.close()
    heads = []
    for before, checkpoint, after in made:
        found = await entries(checkpoints, checkpoint)
        heads.append(int(dict(found)[b"head"]))
        assert before <= heads[-1] <= after + 1
        assert found == state_after(heads[-1])
    assert heads == sorted(heads)
    assert heads[-1] > heads[0]
    assert [c.name for c in await checkpoints.list()] == [f"number {n}" for n in range(8)]


async def test_the_writer_is_not_disturbed(location: StoreLocation) -> None:
    store = await open_slate_store(location)
    for number in range(4):
        await write(store, number)
        await Checkpoints(location).create(f"c{number}")
    assert not store.is_fenced
    assert not store.needs_reopen
    await store.close()
    store = await open_slate_store(location)
    assert [(bytes(k), v) for k, v in await read(await store.snapshot())] == state_after(3)
    await store.close()


async def test_checkpoints_are_found_listed_and_deleted(location: StoreLocation) -> None:
    store = await open_slate_store(location)
    await write(store, 1)
    checkpoints = Checkpoints(location)
    first = await checkpoints.create("first")
    second = await checkpoints.create("second", lifetime_ms=3_600_000)
    assert (first.expires_s, second.expires_s) == (None, second.created_s + 3600)
    assert await checkpoints.list() == [first, second]
    assert await checkpoints.find("first") == await checkpoints.find(first.id) == first
    with pytest.raises(DuplicateObject, match='there is a checkpoint "first" already'):
        await checkpoints.create("first")
    await checkpoints.delete(first)
    assert await checkpoints.list() == [second]
    assert await SideObjects(location).get(f"{DIRECTORY}/{first.id}") is None
    with pytest.raises(UndefinedObject, match='there is no checkpoint "first"'):
        await checkpoints.find("first")
    await store.close()


async def test_a_checkpoint_that_was_never_finished_or_is_damaged_is_not_read(location: StoreLocation) -> None:
    store = await open_slate_store(location)
    await write(store, 1)
    checkpoints, side = Checkpoints(location), SideObjects(location)
    made = await checkpoints.create("noon")
    name = f"{DIRECTORY}/{made.id}"
    data = await side.get(name)
    assert data is not None
    for damaged in (data[:-1], data[:10], b"", data + b"x", bytes([*data[:40], data[40] ^ 1, *data[41:]])):
        await side.put(name, damaged)
        with pytest.raises(CorruptValue, match="is damaged"):
            await checkpoints.open(made)
    await side.delete(name)
    with pytest.raises(UndefinedObject, match="was never finished"):
        await checkpoints.open(made)
    await checkpoints.delete(made)
    assert await checkpoints.list() == []
    await store.close()


async def test_where_there_is_no_database_there_is_no_checkpoint(
    location: StoreLocation, in_memory: StoreLocation, tmp_path: Path
) -> None:
    with pytest.raises(UndefinedFile, match="there is no database"):
        await Checkpoints(location).create("noon")
    with pytest.raises(UndefinedFile, match="there is no database"):
        await Checkpoints(location).list()
    with pytest.raises(Unsupported, match="is in memory"):
        Checkpoints(in_memory)
