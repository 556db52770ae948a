"""Opening a SlateDB database to read it, beside a server that writes it: nothing is fenced, locked or created.

What is read is one picture: everything that was durable at a moment of the opening. On an object store it is SlateDB's
tables and its log, on a local folder the tables and the redo journal. A server goes on meanwhile; its compactor
replaces tables, and some minutes later its garbage collector removes the old ones. A reader that takes longer asks for
its tables to be kept (``pin``).
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from contextlib import suppress
from functools import partial
from types import TracebackType
from typing import Any, NamedTuple

from slatedb.uniffi import (
    AdminBuilder,
    CheckpointOptions,
    DbCache,
    DbReaderBuilder,
    FoyerCacheOptions,
    ReaderMode,
    ReaderOptions,
)

from rocklake_server.clock import elapsed_s
from rocklake_server.errors import CorruptValue, StoreUnavailable, UndefinedFile
from rocklake_server.store.base import Key, StoreSnapshot
from rocklake_server.store.folder_reader import FolderReader
from rocklake_server.store.log_check import read_manifest, require_whole_log
from rocklake_server.store.object_stores import StoreLocation, build_object_store
from rocklake_server.store.overlay import OverlaySnapshot
from rocklake_server.store.picture import PictureSnapshot
from rocklake_server.store.sealed import opened_snapshot
from rocklake_server.store.slate_errors import NATIVE_ERRORS, opening_error
from rocklake_server.store.slate_settings import MIB, SlateSettings, use_runtime_threads
from rocklake_server.store.slate_snapshot import SlateSnapshot

_log = logging.getLogger(__name__)

PICTURE_S = 24 * 3600
_POLL_MS = PICTURE_S * 1000
"""SlateDB brings the picture up to date right after its opening, and then after this time, which would tear it."""

_SETTLE_S = 0.02
"""The first of these looks at the store takes no longer than the opening itself, or than this."""

_PIN_S = 1800
"""How long tables are kept for a reader that was killed."""

_ATTEMPTS = 8
_PAUSE_S = 0.05
"""A server that moves the journal to tables, or replaces a manifest, at the moment of an opening has it repeated."""


class _Opened(NamedTuple):
    native: Any
    manifest: Any
    journaled: Mapping[Key, bytes | None]


class StoreReader:
    """One picture of a database. Made by ``open_reader``; an asynchronous context manager that closes it."""

    def __init__(self, location: StoreLocation, settings: SlateSettings) -> None:
        self.location = location
        self._settings = settings
        self._objects: Any = None
        self._native: Any = None
        self._pin: str | None = None
        self._keeper: asyncio.Task[None] | None = None
        self._snapshot: StoreSnapshot | None = None

    @property
    def snapshot(self) -> StoreSnapshot:
        """The picture. Usable until ``close``."""
        return opened_snapshot(self.stored, self.location)

    @property
    def stored(self) -> StoreSnapshot:
        """The picture with sealed values as they are stored. Usable until ``close``."""
        if self._snapshot is None:
            raise StoreUnavailable(f'store "{self.location}" is not open for reading')
        return self._snapshot

    async def __aenter__(self) -> StoreReader:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Idempotent. Raises nothing: there is nothing to lose."""
        self._snapshot = None
        if self._keeper is not None:
            self._keeper.cancel()
            await asyncio.gather(self._keeper, return_exceptions=True)
            self._keeper = None
        for step in (self._shut_down, self._unpin):
            with suppress(*NATIVE_ERRORS, TimeoutError):
                async with asyncio.timeout(self._settings.abandon_timeout_s):
                    await step()

    async def _shut_down(self) -> None:
        native, self._native = self._native, None
        if native is not None:
            await native.shutdown()

    async def _open(self, *, pin: bool) -> None:
        use_runtime_threads()
        self._require_folder()
        self._objects = build_object_store(self.location)
        try:
            async with asyncio.timeout(self._settings.open_timeout_s):
                opened = await self._patiently(pin=pin)
        except TimeoutError:
            raise StoreUnavailable(f'store "{self.location}": it does not answer in time') from None
        except OSError as error:
            raise StoreUnavailable(f'store "{self.location}": {error.strerror}') from error
        except NATIVE_ERRORS as error:
            raise opening_error(error, self.location) from None
        stored = SlateSnapshot(self._native, self.location, self._settings)
        outdated = partial(self._is_outdated, opened.manifest)
        below = PictureSnapshot(stored, self.location, PICTURE_S, self._newest, outdated)
        self._snapshot = OverlaySnapshot(below, opened.journaled) if opened.journaled else below
        if self._pin is not None:
            self._keeper = asyncio.get_running_loop().create_task(self._keep_pin())

    def _newest(self) -> int:
        """The number of the newest write in tables and log as SlateDB sees them."""
        number: int = self._native.status().durable_seq
        return number

    async def _is_outdated(self, manifest: Any) -> bool:
        """Whether the database has other tables than ``manifest`` names; not when that cannot be told."""
        try:
            async with asyncio.timeout(self._settings.read_timeout_s):
                return not await self._has_tables_of(manifest)
        except (*NATIVE_ERRORS, TimeoutError):
            return False

    def _require_folder(self) -> None:
        """A folder is not created by reading. Raises UndefinedFile."""
        folder = self.location.folder
        if folder is not None and not folder.is_dir():
            raise _missing(self.location)

    async def _patiently(self, *, pin: bool) -> _Opened:
        """Until the picture is of one moment. Raises CorruptValue when it still is not whole after some attempts."""
        for attempt in range(1, _ATTEMPTS + 1):
            try:
                opened = await self._attempt(pin=pin)
                if opened is not None:
                    return opened
            except (CorruptValue, FileNotFoundError, *NATIVE_ERRORS):
                if attempt == _ATTEMPTS:
                    raise  # it is not a server that is about to change it
            await self._shut_down()
            await self._unpin()
            await asyncio.sleep(_PAUSE_S * attempt)
        raise StoreUnavailable(f'store "{self.location}" changes with every look at it; try again')

    async def _attempt(self, *, pin: bool) -> _Opened | None:
        """``None`` when the tables changed meanwhile, and do not fit the journal or the pin any more."""
        folder = FolderReader(self.location.folder) if self.location.folder is not None else None
        if folder is not None:
            await asyncio.to_thread(folder.read_mark)
        manifest = await self._newest_manifest()
        if manifest is None:
            raise _missing(self.location)
        if pin:
            self._pin = await self._pinned()
        await require_whole_log(self.location, self._objects, manifest)
        journaled = await asyncio.to_thread(folder.journaled, manifest) if folder is not None else {}
        began = elapsed_s()
        self._native = await self._build()
        await asyncio.sleep(max(_SETTLE_S, elapsed_s() - began))
        fits_journal = not journaled or self._newest() == manifest.last_l0_seq
        if not fits_journal or (pin and not await self._has_tables_of(manifest)):
            return None
        return _Opened(self._native, manifest, journaled)

    async def _build(self) -> Any:
        builder = DbReaderBuilder(self.location.path, self._objects)
        builder.with_options(ReaderOptions(
            manifest_poll_interval_ms=_POLL_MS, checkpoint_lifetime_ms=2 * _POLL_MS,
            max_memtable_bytes=64 * MIB, skip_wal_replay=False,
            object_store_max_retries=self._settings.object_store_max_retries))
        builder.with_reader_mode(ReaderMode.FOLLOW_LATEST())
        builder.with_db_cache(DbCache.new_foyer_cache(
            FoyerCacheOptions(max_capacity=self._settings.block_cache_bytes, shards=4)), 0)
        return await builder.build()

    async def _newest_manifest(self) -> Any:
        return await read_manifest(self.location, self._objects)

    async def _has_tables_of(self, manifest: Any) -> bool:
        """Whether the newest manifest names the same tables."""
        newest = await self._newest_manifest()
        return newest is not None and tables_of(newest) == tables_of(manifest)

    # -- keeping tables -----------------------------------------------------------------------------------------------

    def _admin(self) -> Any:
        return AdminBuilder(self.location.path, self._objects).build()

    async def _pinned(self) -> str:
        """A checkpoint: the tables of the newest manifest are kept. It writes a manifest, which fences nobody."""
        options = CheckpointOptions(lifetime_ms=_PIN_S * 1000, source=None, name="rocklake reader")
        created = await self._admin().create_detached_checkpoint(options)
        pin: str = created.id
        return pin

    async def _unpin(self) -> None:
        pin, self._pin = self._pin, None
        if pin is not None:
            await self._admin().delete_checkpoint(pin)

    async def _keep_pin(self) -> None:
        while True:
            await asyncio.sleep(_PIN_S / 4)
            try:
                await self._admin().refresh_checkpoint(self._pin, _PIN_S * 1000)
            except NATIVE_ERRORS as error:
                _log.warning("store %s: keeping its tables for reading failed with %s", self.location,
                             type(error).__name__)


def tables_of(manifest: Any) -> tuple[object, ...]:
    """What a manifest says about rows: equal for two that differ in checkpoints or epochs alone."""
    trees = (manifest, *manifest.segments)
    return (
        manifest.last_l0_seq,
        manifest.replay_after_wal_id,
        tuple(view.sst.id.value for tree in trees for view in tree.l0),
        tuple(view.sst.id.value for tree in trees for run in tree.compacted for view in run.sst_views),
    )


def _missing(location: StoreLocation) -> UndefinedFile:
    return UndefinedFile(f'store "{location}" does not exist: there is no database', hint="Check --store.")


async def open_reader(
    location: StoreLocation, settings: SlateSettings | None = None, *, pin: bool = False
) -> StoreReader:
    """Opens the SlateDB database at ``location`` for reading. ``pin`` keeps its tables from being removed meanwhile,
    for readings of more than some minutes; it needs the right to write.

    Raises UndefinedFile when there is no database, StoreUnavailable when the store cannot be reached within
    ``settings.open_timeout_s``, CorruptValue when acknowledged writes are missing or files cannot be read.
    """
    reader = StoreReader(location, settings or SlateSettings())
    try:
        await reader._open(pin=pin)
    except BaseException:
        await reader.close()
        raise
    return reader
