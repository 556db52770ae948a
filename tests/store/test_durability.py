"""A write that has returned survives the process, and on a local folder the machine."""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from slatedb.uniffi import DbBuilder

from rocklake_server.errors import CannotConnectNow, CorruptValue, OutcomeUnknown
from rocklake_server.store.base import Key
from rocklake_server.store.batch_slices import native_batch
from rocklake_server.store.folder_mark import MARK_FILE
from rocklake_server.store.object_stores import StoreLocation, build_object_store, parse_store_url
from rocklake_server.store.redo_journal import DIRECTORY, LOCK_FILE
from rocklake_server.store.slate import open_slate_store
from rocklake_server.store.slate_settings import SlateSettings, native_settings
from tests.s3_stub import S3Stub
from tests.store.places import Place, batch_of, keys, rows


class SyncRecorder:
    """Stands before ``os.fsync`` and ``os.fdatasync`` and notes each path with its size when it was synced."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.synced: dict[Path, int] = {}
        self.failure: OSError | None = None
        self._fsync = os.fsync
        monkeypatch.setattr(os, "fsync", self)
        monkeypatch.setattr(os, "fdatasync", self)

    def __call__(self, descriptor: int) -> None:
        if self.failure is not None:
            raise self.failure
        self._fsync(descriptor)
        self.synced[Path(os.readlink(f"/proc/self/fd/{descriptor}"))] = os.fstat(descriptor).st_size


async def test_every_write_is_in_the_journal_and_synced_before_it_returns(
        folder: StoreLocation, monkeypatch: pytest.MonkeyPatch) -> None:
    store = await open_slate_store(folder)
    assert folder.folder is not None
    directory, journal = folder.folder / DIRECTORY, folder.folder / DIRECTORY / "00000000000000000001.journal"
    recorder = SyncRecorder(monkeypatch)
    size_bytes = 0
    for number in range(5):
        recorder.synced.clear()
        await store.write(batch_of((b"%d" % number, b"value")))
        assert list(recorder.synced) == ([journal, directory] if number == 0 else [journal]), "the name too, once"
        assert recorder.synced[journal] == journal.stat().st_size > size_bytes
        size_bytes = recorder.synced[journal]
    await store.close()


async def test_the_journal_goes_when_tables_have_its_writes_and_are_synced(
        folder: StoreLocation, monkeypatch: pytest.MonkeyPatch) -> None:
    assert folder.folder is not None
    store = await open_slate_store(folder, SlateSettings(unflushed_writes_max=10))
    recorder = SyncRecorder(monkeypatch)
    for number in range(40):
        await store.write(rows([b"%06d" % number]))
    async with asyncio.timeout(10):
        while len(list((folder.folder / DIRECTORY).iterdir())) > 1:
            await asyncio.sleep(0.01)
    assert len({path for path in recorder.synced if path.suffix == ".sst"}) >= 1
    await store.write(rows([b"last"]))
    await store.close()
    assert not list((folder.folder / DIRECTORY).iterdir()), "a clean stop leaves nothing to replay"


async def test_a_large_write_turns_the_journal_over(folder: StoreLocation) -> None:
    assert folder.folder is not None
    store = await open_slate_store(folder, SlateSettings(journal_bytes_max=10_000))
    await store.write(rows([b"large"], b"v" * 20_000))
    await asyncio.sleep(0)  # the flush goes before the next write
    await store.write(rows([b"small"]))
    names = sorted(path.name for path in (folder.folder / DIRECTORY).iterdir())
    assert names[-1] == "00000000000000000002.journal"
    assert await keys(store) == [b"large", b"small"]
    await store.close()


async def test_opening_syncs_what_an_earlier_process_left(folder: StoreLocation,
                                                          monkeypatch: pytest.MonkeyPatch) -> None:
    store = await open_slate_store(folder)
    await store.write(rows([b"a"]))
    await store.close()
    recorder = SyncRecorder(monkeypatch)
    store = await open_slate_store(folder)
    root = folder.folder
    assert root is not None
    there = {path for path in root.rglob("*") if "#" not in path.name and path.name != LOCK_FILE}
    assert there | {root, root.parent, root.parent.parent, root.parent.parent.parent} <= set(recorder.synced)
    await store.close()


async def test_tables_and_manifests_are_synced_too(folder: StoreLocation, monkeypatch: pytest.MonkeyPatch) -> None:
    store = await open_slate_store(folder)
    recorder = SyncRecorder(monkeypatch)
    await store.write(rows([b"a"]))
    await store.close()
    kinds = [path.parent.name for path in recorder.synced]
    assert "compacted" in kinds
    assert kinds.index("compacted") < kinds.index("manifest")


async def test_a_failed_sync_leaves_the_outcome_unknown_until_the_store_is_reopened(
        folder: StoreLocation, monkeypatch: pytest.MonkeyPatch) -> None:
    store = await open_slate_store(folder)
    recorder = SyncRecorder(monkeypatch)
    recorder.failure = OSError(5, "Input/output error")
    with pytest.raises(OutcomeUnknown):
        await store.write(rows([b"a"]))
    assert store.needs_reopen
    with pytest.raises(CannotConnectNow, match="reopened"):
        await store.snapshot()
    recorder.failure = None
    await store.reopen()
    assert await keys(store) == [b"a"], "the record is in the file, and is synced now"
    await store.write(rows([b"b"]))
    await store.close()


async def test_a_record_that_could_not_be_written_in_full_is_not_there_after_the_reopening(
        folder: StoreLocation, monkeypatch: pytest.MonkeyPatch) -> None:
    store = await open_slate_store(folder)
    await store.write(rows([b"a"]))
    write = os.write

    def disk_full(descriptor: int, data: bytes) -> int:
        monkeypatch.setattr(os, "write", refuse)
        return write(descriptor, data[:10])

    def refuse(descriptor: int, data: bytes) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "write", disk_full)
    with pytest.raises(OutcomeUnknown):
        await store.write(rows([b"b"]))
    monkeypatch.setattr(os, "write", write)
    await store.reopen()
    assert await keys(store) == [b"a"]
    await store.write(rows([b"c"]))
    await store.close()
    store = await open_slate_store(folder)
    assert await keys(store) == [b"a", b"c"]
    await store.close()


async def test_a_folder_is_opened_once(folder: StoreLocation) -> None:
    store = await open_slate_store(folder)
    with pytest.raises(CannotConnectNow, match="in use"):
        await open_slate_store(folder)
    await store.write(rows([b"a"]))
    await store.close()
    store = await open_slate_store(folder)
    assert await keys(store) == [b"a"]
    await store.close()


async def test_a_log_that_slatedb_wrote_before_there_was_a_journal_is_taken_over(
        folder: StoreLocation, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    objects = build_object_store(folder)
    builder = DbBuilder(folder.path, objects)
    builder.with_settings(native_settings(SlateSettings(), is_local=False))
    db = await builder.build()
    for number in range(3):
        await db.write(await native_batch(rows([b"old-%d" % number])))
        await db.flush()
    root = shutil.copytree(folder.bucket, tmp_path / "killed")
    await db.shutdown()
    location = parse_store_url(f"file://{root}", {}).child("lakes/1")
    assert location.folder is not None
    newest = {kind: max((location.folder / kind).iterdir()) for kind in ("wal", "manifest", "compactions")}
    mark = location.folder / MARK_FILE
    mark.write_text("".join(f"{kind} {path.name.split('.')[0]}\n" for kind, path in newest.items()))
    end = newest["wal"].read_bytes()
    newest["wal"].unlink()
    with pytest.raises(CorruptValue, match=f"wal/{newest['wal'].name} is missing"):
        await open_slate_store(location)
    newest["wal"].write_bytes(end)
    for _ in range(2):
        store = await open_slate_store(location)
        assert await keys(store) == [b"old-0", b"old-1", b"old-2"]
        await store.write(rows([b"old-1"]))
        await store.close()


_WRITER = """
import asyncio, itertools, sys
from rocklake_server.store.object_stores import parse_store_url
from rocklake_server.store.slate import open_slate_store
from tests.store.places import rows

async def main():
    store = await open_slate_store(parse_store_url(sys.argv[1], {}).child("lake"))
    for number in itertools.count():
        await store.write(rows([b"%06d-%d" % (number, part) for part in range(3)]))
        print(number, flush=True)

asyncio.run(main())
"""


async def test_acknowledged_batches_survive_kill_9_whole(tmp_path: Path) -> None:
    url = f"file://{tmp_path}/killed"
    with subprocess.Popen([sys.executable, "-c", _WRITER, url], stdout=subprocess.PIPE, text=True,
                          cwd=Path(__file__).parents[2]) as writer:
        assert writer.stdout is not None
        for line in writer.stdout:
            if int(line) == 60:
                writer.kill()
                break
        acknowledged = 60 + len(writer.stdout.read().splitlines())
    store = await open_slate_store(parse_store_url(url, {}).child("lake"))
    found = await keys(store)
    assert len(found) % 3 == 0
    assert len(found) // 3 in (acknowledged + 1, acknowledged + 2), "one more may have landed, unanswered"
    assert found == [b"%06d-%d" % (number, part) for number in range(len(found) // 3) for part in range(3)]
    await store.close()


@pytest.mark.parametrize("unflushed_writes_max", [1000, 3])
async def test_acknowledged_batches_survive_a_power_cut(
        folder: StoreLocation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, unflushed_writes_max: int) -> None:
    """After the cut a file is as it was when it was last synced, or absent."""
    recorder = SyncRecorder(monkeypatch)
    store = await open_slate_store(folder, SlateSettings(unflushed_writes_max=unflushed_writes_max))
    for number in range(20):
        await store.write(rows([b"%06d" % number]))
        await asyncio.sleep(0.002)
    synced = {path: size for path, size in recorder.synced.items() if path.is_file()}
    for path, size in synced.items():
        copy = tmp_path / "after" / path.relative_to(tmp_path)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(path.read_bytes()[:size])
    await store.close()
    after = await open_slate_store(parse_store_url(f"file://{tmp_path}/after/store", {}).child("lakes/1"))
    assert await keys(after) == [b"%06d" % number for number in range(20)]
    await after.close()


async def test_a_write_to_a_bucket_is_one_put(stub: S3Stub, bucket: StoreLocation) -> None:
    store = await open_slate_store(bucket)
    stub.counts.clear()
    for number in range(30):
        await store.write(batch_of(*((b"%d-%d" % (number, part), b"v" * 100) for part in range(20))))
    assert stub.count("PUT", "wal") == 30
    assert stub.count("PUT", "compacted") == stub.count("PUT", "manifest") == 0
    await store.close()


async def test_a_write_waits_for_no_timer(place: Place) -> None:
    store = await place.open()
    async with asyncio.timeout(5):  # ten turns of the timer would take ten seconds
        for number in range(10):
            await store.write(rows([b"%d" % number]))
            await asyncio.sleep(0.01)
    await store.close()


async def test_closing_leaves_no_log_to_replay(stub: S3Stub, bucket: StoreLocation) -> None:
    store = await open_slate_store(bucket)
    for number in range(40):
        await store.write(rows([b"%d" % number]))
    await store.close()
    stub.counts.clear()
    store = await open_slate_store(bucket)
    assert stub.count("GET", "wal") <= 1
    assert len(await keys(store)) == 40
    await store.close()


async def test_the_log_is_bounded_by_memtable_flushes(stub: S3Stub, bucket: StoreLocation) -> None:
    store = await open_slate_store(bucket, SlateSettings(unflushed_writes_max=10))
    for number in range(40):
        await store.write(rows([b"%06d" % number]))
    await store.close()
    tables = [key for key in stub.objects["bucket"] if re.search(r"/compacted/", key)]
    assert len(tables) >= 3
    store = await open_slate_store(bucket)
    assert len(await keys(store)) == 40
    assert await (await store.snapshot()).get(Key(b"000039")) == b"value"
    await store.close()
