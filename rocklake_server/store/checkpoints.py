"""Named moments of a database that can be read again later, made beside the server that writes it.

A checkpoint of SlateDB's keeps the tables of one manifest from being removed. Writes that only the log has, or on a
local folder the redo journal, are not in tables yet: they are kept beside it, in one small object ``checkpoints/<id>``
in the journal's format. A checkpoint counts when that object is there, which is written last.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from types import TracebackType
from typing import Any

from slatedb.uniffi import AdminBuilder, CheckpointOptions, DbReaderBuilder, ReaderMode, ReaderOptions

from rocklake_server.errors import CorruptValue, DuplicateObject, StoreUnavailable, UndefinedFile, UndefinedObject
from rocklake_server.store.base import Key, StoreSnapshot, WriteBatch
from rocklake_server.store.batch_slices import record_body
from rocklake_server.store.folder_reader import FolderReader
from rocklake_server.store.folder_sync import MANIFESTS
from rocklake_server.store.log_check import require_whole_log
from rocklake_server.store.log_rows import logged_changes
from rocklake_server.store.object_stores import StoreLocation, build_object_store
from rocklake_server.store.overlay import OverlaySnapshot
from rocklake_server.store.redo_record import MAGIC, encoded_record, whole_records
from rocklake_server.store.sealed import opened_snapshot
from rocklake_server.store.side_objects import SideObjects, sync_path
from rocklake_server.store.slate_errors import NATIVE_ERRORS, read_error
from rocklake_server.store.slate_settings import MIB, SlateSettings, use_runtime_threads
from rocklake_server.store.slate_snapshot import SlateSnapshot

DIRECTORY = "checkpoints"
"""In the database's directory."""

_PREFIX = "rocklake checkpoint "
"""Before the names of ours; SlateDB's compactor and readers make others."""

_ATTEMPTS = 8
_DAY_MS = 24 * 3600 * 1000


def is_ours(native: Any) -> bool:
    """Whether one of SlateDB's checkpoints is one that somebody made by name."""
    return (native.name or "").startswith(_PREFIX)


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """``created_s`` and ``expires_s`` are seconds since 1970; without an end it is kept until it is deleted."""

    id: str
    name: str
    created_s: int
    expires_s: int | None


class Checkpoints:
    """Of the database at ``location``. Nothing is locked or fenced. Methods raise StoreUnavailable."""

    def __init__(self, location: StoreLocation, settings: SlateSettings | None = None) -> None:
        """Raises Unsupported for a store in memory."""
        use_runtime_threads()
        self._location = location
        self._settings = settings or SlateSettings()
        self._side = SideObjects(location)
        self._objects = build_object_store(location)
        self._admin = AdminBuilder(location.path, self._objects).build()

    async def create(self, name: str, *, lifetime_ms: int | None = None) -> Checkpoint:
        """Of everything that was acknowledged before the call, and is whole. Raises DuplicateObject when the name is
        taken, UndefinedFile when there is no database, CorruptValue when acknowledged writes are missing."""
        if any(found.name == name for found in await self.list()):
            raise DuplicateObject(f'there is a checkpoint "{name}" already')
        for attempt in range(1, _ATTEMPTS + 1):
            try:
                created = await self._attempt(name, lifetime_ms)
            except (CorruptValue, FileNotFoundError):  # a server that moves writes to tables meanwhile looks like this
                if attempt == _ATTEMPTS:
                    raise
                await asyncio.sleep(0.05 * attempt)
            else:
                return next(found for found in await self.list() if found.id == created)
        raise AssertionError("the last attempt returns or raises")

    async def _attempt(self, name: str, lifetime_ms: int | None) -> str:
        folder = FolderReader(self._location.folder) if self._location.folder is not None else None
        if folder is not None:
            await asyncio.to_thread(folder.read_mark)
        options = CheckpointOptions(lifetime_ms=lifetime_ms, source=None, name=_PREFIX + name)
        await self._require_database()
        created = await self._native(self._admin.create_detached_checkpoint(options))
        try:
            manifest = await self._native(self._admin.read_manifest(created.manifest_id))
            if folder is not None:
                changes: Mapping[Key, bytes | None] = await asyncio.to_thread(folder.journaled, manifest)
            else:
                await self._native(require_whole_log(self._location, self._objects, manifest))
                changes = await self._native(
                    logged_changes(self._location, self._objects, manifest, self._settings))
            await self._sync()
            await self._side.put(f"{DIRECTORY}/{created.id}", await _encoded(manifest.last_l0_seq + 1, changes))
        except BaseException:
            with suppress(StoreUnavailable):
                await self._native(self._admin.delete_checkpoint(created.id))
            raise
        checkpoint_id: str = created.id
        return checkpoint_id

    async def list(self) -> list[Checkpoint]:
        """Oldest first. Raises UndefinedFile when there is no database."""
        await self._require_database()
        found = await self._native(self._admin.list_checkpoints(None))
        return [
            Checkpoint(native.id, native.name.removeprefix(_PREFIX), native.create_time_secs, native.expire_time_secs)
            for native in sorted(found, key=lambda native: native.manifest_id)
            if is_ours(native)
        ]

    async def find(self, name: str) -> Checkpoint:
        """By name or id. Raises UndefinedObject."""
        for checkpoint in await self.list():
            if name in (checkpoint.name, checkpoint.id):
                return checkpoint
        raise UndefinedObject(f'there is no checkpoint "{name}"')

    async def delete(self, checkpoint: Checkpoint) -> None:
        """Its tables may be removed by the server's garbage collector from now on."""
        await self._native(self._admin.delete_checkpoint(checkpoint.id))
        await self._sync()
        await self._side.delete(f"{DIRECTORY}/{checkpoint.id}")

    async def open(self, checkpoint: Checkpoint) -> CheckpointReader:
        """The database as it was then; to be closed. Raises UndefinedObject when the checkpoint has run out or was
        never finished, CorruptValue."""
        data = await self._side.get(f"{DIRECTORY}/{checkpoint.id}")
        if data is None:
            raise UndefinedObject(f'checkpoint "{checkpoint.name}" was never finished; delete it')
        changes = _decoded(data, checkpoint)
        builder = DbReaderBuilder(self._location.path, self._objects)
        builder.with_options(ReaderOptions(
            manifest_poll_interval_ms=_DAY_MS, checkpoint_lifetime_ms=2 * _DAY_MS, max_memtable_bytes=64 * MIB,
            skip_wal_replay=True, object_store_max_retries=self._settings.object_store_max_retries))
        builder.with_reader_mode(ReaderMode.CHECKPOINT(checkpoint.id))
        native = await self._native(builder.build())
        stored = SlateSnapshot(native, self._location, self._settings)
        return CheckpointReader(native, opened_snapshot(OverlaySnapshot(stored, changes), self._location))

    async def _require_database(self) -> None:
        folder = self._location.folder
        has_manifests = folder is None or (folder / MANIFESTS).is_dir()
        if not has_manifests or await self._native(self._admin.read_manifest(None)) is None:
            raise UndefinedFile(f'store "{self._location}" does not exist: there is no database', hint="Check --store.")

    async def _sync(self) -> None:
        """On a local folder SlateDB syncs no manifest; a running server does it within a second."""
        folder = self._location.folder
        if folder is None:
            return
        try:
            newest = max((folder / MANIFESTS).iterdir())
            await asyncio.to_thread(sync_path, newest)
            await asyncio.to_thread(sync_path, folder / MANIFESTS)
        except OSError as error:
            raise StoreUnavailable(f'store "{self._location}": {error.strerror}') from error

    async def _native(self, call: Any) -> Any:
        try:
            async with asyncio.timeout(self._settings.open_timeout_s):
                return await call
        except (*NATIVE_ERRORS, TimeoutError) as error:
            raise read_error(error, self._location) from None


class CheckpointReader:
    """An asynchronous context manager that closes it."""

    def __init__(self, native: Any, snapshot: StoreSnapshot) -> None:
        self._native = native
        self.snapshot = snapshot

    async def __aenter__(self) -> CheckpointReader:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        with suppress(*NATIVE_ERRORS):
            await self._native.shutdown()


async def _encoded(number: int, changes: Mapping[Key, bytes | None]) -> bytes:
    """A segment with one record, or none without changes."""
    if not changes:
        return MAGIC
    return MAGIC + encoded_record(number, await record_body(WriteBatch(dict(changes))))


def _decoded(data: bytes, checkpoint: Checkpoint) -> dict[Key, bytes | None]:
    """Raises CorruptValue for data that was cut or changed."""
    records = list(whole_records(data))
    if not data.startswith(MAGIC) or len(MAGIC) + sum(record.size_bytes for record in records) != len(data):
        raise CorruptValue(f'{DIRECTORY}/{checkpoint.id}, which belongs to checkpoint "{checkpoint.name}", is damaged')
    return {key: value for record in records for key, value in record.batch().operations.items()}
