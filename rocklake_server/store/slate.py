"""The store over SlateDB: a write is durable when it returns, scans read ahead, opening ends in bounded time.

Cost of a write: one PUT of one log file. On a local folder a record of the redo journal instead, which is synced.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine, Sequence
from contextlib import suppress
from functools import partial
from time import perf_counter
from typing import Any

from slatedb.uniffi import (
    CloseReason,
    DbBuilder,
    DbCache,
    Error,
    FlushOptions,
    FlushType,
    FoyerCacheOptions,
)

from rocklake_server.activity import StoreTimes
from rocklake_server.errors import CannotConnectNow, CatalogError, InternalProblem, StoreUnavailable
from rocklake_server.store.base import Key, StoreSnapshot, WriteBatch
from rocklake_server.store.batch_slices import native_batch
from rocklake_server.store.keys import require_storable
from rocklake_server.store.local_folder import LocalFolder
from rocklake_server.store.log_check import read_manifest, require_whole_log
from rocklake_server.store.object_stores import StoreLocation, build_object_store
from rocklake_server.store.ownership import UNDISPUTED, Ownership
from rocklake_server.store.slate_errors import (
    NATIVE_ERRORS,
    fenced,
    is_made_already,
    opening_error,
    read_error,
    unknown_outcome,
)
from rocklake_server.store.slate_peek import durable_values
from rocklake_server.store.slate_settings import SlateSettings, native_settings, use_runtime_threads
from rocklake_server.store.slate_snapshot import SlateSnapshot
from rocklake_server.telemetry import apart

_log = logging.getLogger(__name__)

_TABLE_SYNC_INTERVAL_S = 1.0


class SlateStore:
    """One SlateDB database, opened for writing. Made by ``open_slate_store``.

    Writes and snapshots take turns: a snapshot waits for the write in flight, so it never shows a batch that
    is not durable. After OutcomeUnknown, or when the handle is lost, every call fails until ``reopen``.
    """

    def __init__(
        self, location: StoreLocation, settings: SlateSettings, ownership: Ownership, times: StoreTimes | None = None
    ) -> None:
        self.location = location
        self._times = times or StoreTimes()
        self._settings = settings
        self._ownership = ownership
        self._turn = asyncio.Lock()
        self._db: Any = None
        self._writes = 0
        self._write_limit: asyncio.Timeout | None = None
        self._in_doubt = False
        self._closed = False
        self._fenced = False
        self._background: set[asyncio.Task[None]] = set()
        self._folder: LocalFolder | None = None

    async def snapshot(self) -> StoreSnapshot:
        async with self._turn:
            self._require_usable()
            if self._folder is not None:
                return self._folder.snapshot()
            try:
                native = await self._db.snapshot()
            except NATIVE_ERRORS as error:
                raise read_error(error, self.location) from None
            return SlateSnapshot(native, self.location, self._settings)

    async def write(self, batch: WriteBatch) -> None:
        """As Store.write. An empty batch does nothing. ``batch`` must not change meanwhile."""
        async with self._turn:
            self._require_usable()
            if not batch.operations:
                return
            if self._folder is None:
                await self._write_through(await native_batch(batch))
            else:
                require_storable(batch)
                await self._write_journaled(self._folder, batch)
            self._in_doubt = False
            self._writes += 1
        self._flush_now_and_then()

    async def _write_through(self, native: Any) -> None:
        """One log file."""
        self._in_doubt = True  # from here on, also when this task is cancelled
        try:
            handle = await self._db.write(native)
        except Error.Closed as error:  # nothing has reached its log
            self._in_doubt = False
            raise read_error(error, self.location) from None
        except NATIVE_ERRORS as error:
            raise self._doubt(error) from error
        try:
            async with asyncio.timeout(self._settings.write_timeout_s) as self._write_limit:
                await self._db.flush()
                await handle.await_durable()
        except (*NATIVE_ERRORS, TimeoutError) as error:
            raise self._doubt(error) from error
        finally:
            self._write_limit = None

    async def _write_journaled(self, folder: LocalFolder, batch: WriteBatch) -> None:
        self._in_doubt = True
        try:
            await folder.write(batch)
        except (*NATIVE_ERRORS, OSError, InternalProblem) as error:
            raise self._doubt(error) from error

    async def flush(self) -> None:
        """Moves to tables what only the log or the journal has, so that the next opening reads less. Writes go on
        meanwhile. Raises StoreUnavailable."""
        began_s = perf_counter()
        try:
            async with self._turn:
                self._require_usable()
                folder, db = self._folder, self._db
                finished = await folder.turn_over() if folder is not None else None
            if folder is None or finished is None:
                await _flush_memtable(db)
            else:
                await folder.flush(db, finished)
        except (*NATIVE_ERRORS, OSError, InternalProblem) as error:
            raise StoreUnavailable(f'store "{self.location}": a flush failed') from error
        finally:
            self._times.since("flush", began_s)

    async def close(self) -> None:
        if self._ownership.is_lost and self._write_limit is not None:
            self._write_limit.reschedule(asyncio.get_running_loop().time())  # its outcome is the new owner's to tell
        async with self._turn:
            if self._closed:
                return
            self._closed = True
            await self._release(flush=not (self._in_doubt or self._has_failed or self._ownership.is_lost))

    async def reopen(self) -> None:
        """Gives up the handle and opens another, which shows whether a write in doubt is there. Raises as
        ``open_slate_store``, and CannotConnectNow once another server has opened the store: it is that one's
        now, unless this server still holds the lease on it. May be repeated."""
        async with self._turn:
            if self._closed:
                raise CannotConnectNow(f'store "{self.location}" is closed')
            if self.is_fenced and not self._ownership.is_lease:
                raise fenced(self.location)
            await self._ownership.confirm()  # or else opening would fence the owner
            self._in_doubt = True
            await self._release(flush=False)
            await self._open()
            self._fenced = False

    async def durable_values(self, keys: Sequence[Key]) -> list[bytes | None]:
        return await durable_values(self.location, self._settings, keys)

    @property
    def needs_reopen(self) -> bool:
        """The outcome of a write is unknown, or the handle is lost: fenced by another server or failed."""
        return not self._closed and (self._in_doubt or self._db is None or self._has_failed
                                     or self._db.status().close_reason is not None)

    @property
    def _has_failed(self) -> bool:
        return self._folder is not None and self._folder.has_failed

    @property
    def is_fenced(self) -> bool:
        """Whether another server has opened the store for writing since this one did."""
        if self._db is not None and self._db.status().close_reason == CloseReason.FENCED:
            self._fenced = True
        return self._fenced

    async def _open(self) -> None:
        """Opens a handle within the bounded time and makes the store usable."""
        self._in_doubt = True  # until everything is recovered, so that nothing is flushed half
        use_runtime_threads()
        objects = build_object_store(self.location)
        try:
            await self._ownership.confirm()
            if self.location.folder is not None:
                self._folder = LocalFolder(self.location, self.location.folder, self._settings)
            async with asyncio.timeout(self._settings.open_timeout_s):
                self._db = await self._build(objects)
            self._ownership.require()
            if self._folder is not None:
                await self._folder.recover(self._db)
                self._start(self._sync_tables(self._folder))
        except TimeoutError:
            raise StoreUnavailable(f'store "{self.location}": it does not answer in time') from None
        except OSError as error:
            raise StoreUnavailable(f'store "{self.location}": {error.strerror}') from error
        except NATIVE_ERRORS as error:
            _log.debug("store %s: opening failed with %s", self.location, type(error).__name__)
            raise opening_error(error, self.location) from None
        self._in_doubt = False

    async def _handle(self, objects: Any) -> Any:
        """A new one. An opening that was given up goes on in the background for a while: the two may make the same
        manifest, of which SlateDB refuses the second."""
        while True:
            builder = DbBuilder(self.location.path, objects)
            builder.with_settings(native_settings(self._settings, is_local=self.location.folder is not None))
            builder.with_db_cache(DbCache.new_foyer_cache(
                FoyerCacheOptions(max_capacity=self._settings.block_cache_bytes, shards=4)), 0)
            try:
                return await builder.build()
            except Error.Data as error:
                if not is_made_already(error):
                    raise

    async def _build(self, objects: Any) -> Any:
        """A new handle. Raises CorruptValue when an acknowledged write is gone from what it reads. On a local folder
        that is found before SlateDB changes anything, elsewhere while it opens, which saves round trips."""
        if self._folder is not None:
            await self._folder.require_whole(objects)
            return await self._handle(objects)
        checking = asyncio.ensure_future(self._require_log(objects))
        checking.add_done_callback(lambda task: task.cancelled() or task.exception())
        try:
            try:
                db = await self._handle(objects)
            except Error.Data:
                await checking  # names the file, if it is the log's
                raise
            await checking  # a handle that is not wanted is dropped: shutting it down would make the loss permanent
            return db
        finally:
            checking.cancel()

    async def _require_log(self, objects: Any) -> None:
        manifest = await read_manifest(self.location, objects)
        if manifest is not None:
            await require_whole_log(self.location, objects, manifest)

    async def _release(self, *, flush: bool) -> None:
        """Shuts the handle down, with a memtable flush so that the next opening has no log to replay."""
        for task in tuple(self._background):
            task.cancel()
        await asyncio.gather(*self._background, return_exceptions=True)
        db, self._db = self._db, None
        folder, self._folder = self._folder, None
        try:
            if db is not None:
                await self._shut_down(db, folder, flush=flush)
        except (*NATIVE_ERRORS, OSError, TimeoutError, InternalProblem) as error:
            # Every acknowledged write is in the log or the journal, so the next opening finds it there.
            _log.warning("store %s: closing failed with %s", self.location, type(error).__name__)
        finally:
            if folder is not None:
                await folder.close()

    async def _shut_down(self, db: Any, folder: LocalFolder | None, *, flush: bool) -> None:
        settings = self._settings
        async with asyncio.timeout(settings.close_timeout_s if flush else settings.abandon_timeout_s):
            if flush and db.status().close_reason is None:
                began_s = perf_counter()
                await (folder.flush(db, await folder.turn_over()) if folder is not None else _flush_memtable(db))
                self._times.since("flush", began_s)
            if folder is not None:
                await folder.stop()
            await db.shutdown()
        if folder is not None:
            await folder.sync()

    def _require_usable(self) -> None:
        if self._closed:
            raise CannotConnectNow(f'store "{self.location}" is closed')
        if self._fenced:
            raise fenced(self.location)
        if self._in_doubt or self._db is None or self._has_failed:
            raise CannotConnectNow(f'store "{self.location}" must be reopened after a failure')

    def _doubt(self, error: Exception) -> CatalogError:
        self._fenced = self._fenced or self.is_fenced
        _log.warning("store %s: a write failed with %s", self.location, type(error).__name__)
        return unknown_outcome(self.location)

    def _flush_now_and_then(self) -> None:
        """In the background, where no write waits for it: bounds what a restart replays."""
        if self._folder is not None and self._folder.has_long_journal:
            self._start(self._flush_journal(self._folder))
        elif self._folder is None and self._writes % self._settings.unflushed_writes_max == 0:
            self._start(self._flush(partial(_flush_memtable, self._db)))

    async def _flush_journal(self, folder: LocalFolder) -> None:
        async with self._turn:  # between two writes
            if self._folder is not folder or not folder.has_long_journal:
                return
            db = self._db
            try:
                finished = await folder.turn_over()
            except (*NATIVE_ERRORS, OSError, InternalProblem):  # shows in the next write
                return
        await self._flush(partial(folder.flush, db, finished))

    async def _flush(self, flush: Callable[[], Coroutine[Any, Any, None]]) -> None:
        began_s = perf_counter()
        try:
            await flush()
        except (*NATIVE_ERRORS, OSError, InternalProblem) as error:  # shows in the next write, and may be repeated
            _log.warning("store %s: a flush failed with %s", self.location, type(error).__name__)
        self._times.since("flush", began_s)

    @staticmethod
    async def _sync_tables(folder: LocalFolder) -> None:
        """Syncs what SlateDB's own tasks write between two of our writes."""
        while True:
            await asyncio.sleep(_TABLE_SYNC_INTERVAL_S)
            with suppress(OSError):
                await folder.sync()

    def _start(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.get_running_loop().create_task(work, context=apart())
        self._background.add(task)
        task.add_done_callback(self._background.discard)


async def _flush_memtable(db: Any) -> None:
    await db.flush_with_options(FlushOptions(flush_type=FlushType.MEM_TABLE))


async def open_slate_store(
    location: StoreLocation, settings: SlateSettings | None = None, ownership: Ownership = UNDISPUTED,
    times: StoreTimes | None = None,
) -> SlateStore:
    """Opens (creating it when missing) the SlateDB database at ``location`` and fences its previous writer. ``times``
    are told of flushes.

    Raises CannotConnectNow when ``ownership`` is another server's, StoreUnavailable when the store cannot be reached
    within ``settings.open_timeout_s``, CorruptValue when its files cannot be read, InvalidParameterValue for settings
    or options that are not accepted.
    """
    store = SlateStore(location, settings or SlateSettings(), ownership, times)
    try:
        await store._open()
    except BaseException:
        await store.close()
        raise
    return store
