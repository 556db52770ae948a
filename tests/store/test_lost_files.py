"""What a power cut may leave of a folder: opening has every acknowledged write, or is refused with the file named."""

from __future__ import annotations

import asyncio
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from rocklake_server.errors import RETRY_WORDS, CorruptValue
from rocklake_server.store.base import Key
from rocklake_server.store.folder_mark import MARK_FILE
from rocklake_server.store.log_check import read_manifest
from rocklake_server.store.object_stores import StoreLocation, build_object_store, parse_store_url
from rocklake_server.store.redo_journal import RedoJournal
from rocklake_server.store.redo_record import encoded_operations, encoded_record
from rocklake_server.store.slate import open_slate_store
from rocklake_server.store.slate_settings import SlateSettings
from tests.s3_stub import S3Stub
from tests.store.places import keys, rows

LOST: dict[str, Callable[[Path], object]] = {
    "empty": lambda path: path.write_bytes(b""),
    "missing": lambda path: path.unlink(),
    "filled with zeros": lambda path: path.write_bytes(bytes(path.stat().st_size)),
    "cut": lambda path: path.write_bytes(path.read_bytes()[: path.stat().st_size // 2]),
}
WRITES_PER_LIFE = 4


async def crashed(folder: Path, *, lives: int = 3, unflushed_writes_max: int = 1000) -> StoreLocation:
    """A folder as a server leaves it that was killed after writes, several times: the journal has the last life's."""
    root = folder / "alive"
    number = 0
    for life in range(lives):
        location = parse_store_url(f"file://{root}", {}).child("lakes/1")
        store = await open_slate_store(location, SlateSettings(unflushed_writes_max=unflushed_writes_max))
        for _ in range(WRITES_PER_LIFE):
            await store.write(rows([b"%06d" % number]))
            await asyncio.sleep(0)  # a flush that is due goes before the next write
            number += 1
        async with asyncio.timeout(20):
            while unflushed_writes_max < WRITES_PER_LIFE and (
                    await tables(location) <= life or not is_synced(location)):
                await asyncio.sleep(0.01)
        root = folder / f"after-{life}"
        shutil.copytree(location.bucket, root)
        await store.close()
    return parse_store_url(f"file://{root}", {}).child("lakes/1")


async def tables(location: StoreLocation) -> int:
    """Those that memtable flushes made."""
    return len((await read_manifest(location, build_object_store(location))).l0)


def is_synced(location: StoreLocation) -> bool:
    """Whether the mark knows the newest manifest."""
    assert location.folder is not None
    return f"manifest {files(location, 'manifest')[-1].stem}" in (location.folder / MARK_FILE).read_text()


def written(lives: int = 3) -> list[bytes]:
    return [b"%06d" % number for number in range(lives * WRITES_PER_LIFE)]


def files(location: StoreLocation, kind: str) -> list[Path]:
    assert location.folder is not None
    return sorted(location.folder.joinpath(kind).iterdir())


async def opened(location: StoreLocation) -> list[bytes]:
    store = await open_slate_store(location)
    try:
        return await keys(store)
    finally:
        await store.close()


async def refusal(location: StoreLocation) -> CorruptValue:
    with pytest.raises(CorruptValue) as caught:
        await opened(location)
    assert not any(word in f"{caught.value} {caught.value.hint}" for word in RETRY_WORDS)
    return caught.value


async def test_a_folder_whose_server_was_killed_is_whole(tmp_path: Path) -> None:
    location = await crashed(tmp_path)
    assert not any(path.stat().st_size for path in files(location, "wal")), "markers of openings only"
    (journal,) = files(location, "redo")
    assert journal.name == f"{2 * WRITES_PER_LIFE + 1:020d}.journal"
    for _ in range(2):
        assert await opened(location) == written()
        assert not files(location, "redo")


@pytest.mark.parametrize("way", LOST)
async def test_a_lost_journal_is_named(tmp_path: Path, way: str) -> None:
    location = await crashed(tmp_path)
    (path,) = files(location, "redo")
    LOST[way](path)
    for _ in range(2):
        error = await refusal(location)
        assert f"redo/{path.name}" in str(error)


async def test_of_a_record_that_was_never_acknowledged_nothing_is_left(tmp_path: Path) -> None:
    """At every length that the power may cut it to."""
    location = await crashed(tmp_path, lives=1)
    (path,) = files(location, "redo")
    whole = path.read_bytes()
    next_record = encoded_record(WRITES_PER_LIFE + 1, b"".join(encoded_operations([(Key(b"torn"), b"value")])))
    for size in range(len(next_record)):
        for rest in (next_record[:size], bytes(size), next_record[:size] + bytes(40)):
            copy = shutil.copytree(location.bucket, tmp_path / "copy")
            (copy / "lakes/1/redo" / path.name).write_bytes(whole + rest)
            again = parse_store_url(f"file://{copy}", {}).child("lakes/1")
            assert await opened(again) == written(1)
            shutil.rmtree(copy)


async def test_a_damaged_record_before_a_whole_one_is_named_without_the_mark_too(tmp_path: Path) -> None:
    location = await crashed(tmp_path, lives=1)
    (path,) = files(location, "redo")
    assert location.folder is not None
    (location.folder / MARK_FILE).unlink()
    segment = bytearray(path.read_bytes())
    segment[len(segment) // 2] ^= 1
    path.write_bytes(segment)
    assert f"redo/{path.name}" in str(await refusal(location))


@pytest.mark.slow
@pytest.mark.parametrize("way", LOST)
async def test_whatever_file_is_lost_every_write_is_there_or_the_store_stays_closed(tmp_path: Path, way: str) -> None:
    """Files of the journal, of tables and of everything else, in a folder that has tables, a journal and markers."""
    location = await crashed(tmp_path, lives=2, unflushed_writes_max=3)
    assert location.folder is not None
    names = sorted(str(path.relative_to(location.folder)) for path in location.folder.rglob("*") if path.is_file())
    refused = []
    for number, name in enumerate(names):
        copy = shutil.copytree(location.bucket, tmp_path / f"copy-{number}")
        again = parse_store_url(f"file://{copy}", {}).child("lakes/1")
        LOST[way](copy / "lakes/1" / name)
        try:
            assert await opened(again) == written(2), name
        except CorruptValue as error:
            refused.append((name, str(error)))
    kinds = {name.split("/")[0] for name, _ in refused}
    # A table whose first half holds all its rows reads as before.
    assert {"redo", "manifest", *(["compacted"] if way != "cut" else [])} <= kinds
    assert all(name in text for name, text in refused if way in ("empty", "missing")), refused


@pytest.mark.parametrize("way", LOST)
async def test_a_lost_newest_manifest_is_named(tmp_path: Path, way: str) -> None:
    location = await crashed(tmp_path)
    path = files(location, "manifest")[-1]
    LOST[way](path)
    assert f"manifest/{path.name}" in str(await refusal(location))


@pytest.mark.parametrize("lost", ["manifest", "table"])
@pytest.mark.parametrize("way", ["empty", "missing", "filled with zeros"])
async def test_a_manifest_that_never_reached_the_disk_in_full_costs_nothing(
    tmp_path: Path, way: str, lost: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """SlateDB has published it and its table, and the power is cut before they are synced: the journal is there."""
    monkeypatch.setattr(RedoJournal, "drop", lambda *_: None)
    location = await crashed(tmp_path, lives=1, unflushed_writes_max=3)
    manifests = files(location, "manifest")
    assert location.folder is not None
    mark = location.folder / MARK_FILE
    before_last = int(manifests[-2].name.split(".")[0])
    mark.write_text(re.sub(r"manifest \d+", f"manifest {before_last:020d}", mark.read_text()))
    if lost == "table" and way == "filled with zeros":
        LOST["empty"](manifests[-1])  # both have been written at the same time
    LOST[way](files(location, "compacted")[0] if lost == "table" else manifests[-1])
    assert await opened(location) == written(1)


@pytest.mark.parametrize("way", ["empty", "missing", "filled with zeros"])
async def test_a_power_cut_while_opening_costs_nothing(tmp_path: Path, way: str) -> None:
    """The opening has published manifests and a fence marker, and synced nothing."""
    location = await crashed(tmp_path, lives=1)
    assert location.folder is not None
    mark = (location.folder / MARK_FILE).read_bytes()
    known = files(location, "manifest")
    journal = files(location, "redo")[0]
    record = journal.read_bytes()
    store = await open_slate_store(location)
    copy = shutil.copytree(location.bucket, tmp_path / "cut")
    await store.close()
    (copy / "lakes/1/redo" / journal.name).write_bytes(record)
    cut = parse_store_url(f"file://{copy}", {}).child("lakes/1")
    assert cut.folder is not None
    (cut.folder / MARK_FILE).write_bytes(mark)
    for path in files(cut, "manifest")[len(known):]:
        LOST[way](path)
    assert await opened(cut) == written(1)


@pytest.mark.parametrize("way", ["empty", "missing", "filled with zeros"])
@pytest.mark.parametrize("first_lost", [0, 1, 2])
async def test_a_power_cut_in_the_first_opening_costs_nothing(tmp_path: Path, first_lost: int, way: str) -> None:
    location = parse_store_url(f"file://{tmp_path}/alive", {}).child("lakes/1")
    store = await open_slate_store(location)
    cut = parse_store_url(f"file://{shutil.copytree(location.bucket, tmp_path / 'cut')}", {}).child("lakes/1")
    await store.close()
    assert cut.folder is not None
    (cut.folder / MARK_FILE).unlink()
    for path in files(cut, "manifest")[first_lost:] + files(cut, "compactions")[first_lost:]:
        LOST[way](path)
    store = await open_slate_store(cut)
    await store.write(rows([b"a"]))
    await store.close()
    assert await opened(cut) == [b"a"]


async def test_a_log_file_that_is_replayed_no_more_may_go(tmp_path: Path) -> None:
    location = await crashed(tmp_path)
    assert await opened(location) == written()  # and stopped cleanly: everything is in tables
    for path in files(location, "wal")[:-1]:
        path.unlink()
    assert await opened(location) == written()


@pytest.mark.parametrize(("way", "left"), [("empty", 0), ("missing", 0), ("cut", 1)])
async def test_without_the_mark_a_journal_opens_up_to_its_lost_end(tmp_path: Path, way: str, left: int) -> None:
    location = await crashed(tmp_path)
    LOST[way](files(location, "redo")[-1])
    assert MARK_FILE in str((await refusal(location)).hint)
    assert location.folder is not None
    (location.folder / MARK_FILE).unlink()
    assert await opened(location) == written()[: 2 * WRITES_PER_LIFE + left]


async def test_a_mark_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    location = await crashed(tmp_path, lives=1)
    assert location.folder is not None
    for spoilt in (b"", b"log 1\n"):
        (location.folder / MARK_FILE).write_bytes(spoilt)
        assert MARK_FILE in str(await refusal(location))


async def test_a_folder_that_never_had_a_mark_opens(tmp_path: Path) -> None:
    location = await crashed(tmp_path, lives=1)
    assert location.folder is not None
    (location.folder / MARK_FILE).unlink()
    assert await opened(location) == written(1)


@pytest.mark.parametrize("way", ["empty", "missing", "cut"])
async def test_a_lost_object_of_the_log_is_named_too(stub: S3Stub, bucket: StoreLocation, way: str) -> None:
    store = await open_slate_store(bucket)
    for number in range(6):
        await store.write(rows([b"%06d" % number]))
    objects = stub.objects["bucket"]
    logs = sorted(key for key in objects if "/wal/" in key and objects[key].body)
    lost = objects.pop(logs[3])
    if way != "missing":
        objects[logs[3]] = lost.__class__(lost.body[: len(lost.body) // 2 if way == "cut" else 0], lost.etag,
                                          lost.metadata, lost.modified)
    for _ in range(2):  # the first refusal does not write what it has read
        with pytest.raises(CorruptValue, match=logs[3].rsplit("/", 1)[1]):
            await open_slate_store(bucket)
    await store.close()
