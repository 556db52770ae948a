"""What a database in a local folder needs around SlateDB: a redo journal, syncs, and a look at what is there.

SlateDB runs without a log of its own here. A write is in the journal, and synced, before SlateDB has it; tables and
manifests are synced a moment after SlateDB made them, and then the journal's files behind them go.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple, TypeVar

from slatedb.uniffi import FlushOptions, FlushType

from rocklake_server.errors import InternalProblem
from rocklake_server.quiet import quiet_moments
from rocklake_server.store.base import StoreSnapshot, WriteBatch
from rocklake_server.store.batch_slices import record_body
from rocklake_server.store.disk_pace import DiskPace
from rocklake_server.store.folder_check import FolderCheck
from rocklake_server.store.folder_mark import FolderMark
from rocklake_server.store.folder_sync import FolderSync
from rocklake_server.store.log_check import read_manifest, require_whole_log
from rocklake_server.store.object_stores import StoreLocation
from rocklake_server.store.redo_journal import RedoJournal
from rocklake_server.store.redo_record import Record
from rocklake_server.store.slate_settings import SlateSettings
from rocklake_server.store.write_behind import WriteBehind

Result = TypeVar("Result")

_log = logging.getLogger(__name__)

_APPENDERS = ThreadPoolExecutor(4, "rocklake-redo")
"""Apart from the threads that sync tables: no commit waits for a table."""


class Finished(NamedTuple):
    """Files of the journal that are written no more, and the newest write of all when they ended."""

    files: list[Path]
    newest: int


class LocalFolder:
    """For one handle of the database at ``location``, whose folder is there. Methods raise OSError."""

    def __init__(self, location: StoreLocation, folder: Path, settings: SlateSettings) -> None:
        self._location = location
        self._settings = settings
        self._mark = FolderMark(folder)
        self._check = FolderCheck(folder, self._mark)
        self._sync = FolderSync(Path(location.bucket), folder, self._mark)
        self._journal = RedoJournal(folder, self._mark)
        self._thread = ThreadPoolExecutor(1, "rocklake-fsync")
        self._pace = DiskPace()
        self._records: list[Record] = []
        self._in_tables = 0
        self._behind: WriteBehind | None = None

    async def require_whole(self, objects: Any) -> None:
        """Before SlateDB opens and changes anything. Raises CorruptValue with the name of a file that was lost,
        CannotConnectNow when the database is open already, SlateDB's errors."""
        await self._run(self._locked)
        manifest = await read_manifest(self._location, objects)
        while manifest is not None and await self._run(partial(self._check.removes, manifest)):
            manifest = await read_manifest(self._location, objects)
        if manifest is not None:
            await require_whole_log(self._location, objects, manifest)
            self._in_tables = manifest.last_l0_seq
        self._records = await self._run(partial(self._journaled, manifest))

    def _locked(self) -> None:
        self._journal.lock()
        self._check.require_manifest()

    def _journaled(self, manifest: Any) -> list[Record]:
        if manifest is not None:
            self._check.require_files(manifest)
        return self._journal.read(self._in_tables)

    async def recover(self, db: Any) -> None:
        """Gives a new handle what only the journal has. Raises SlateDB's errors."""
        self._behind = WriteBehind(db, db.status().durable_seq, self._location, self._settings)
        records, self._records = self._records, []
        for record in records:
            await self._behind.settle()
            self._behind.add(await self._run(record.batch))
        if records:
            _log.info("store %s: %d writes are taken from the redo journal", self._location, len(records))
        finished = await self.turn_over()
        if finished.newest > self._in_tables:
            await self._run(self._sync.sync_all)
            await self.flush(db, finished)
        else:
            await self._run(partial(self._drop, self._sync.sync_all, finished))

    async def write(self, batch: WriteBatch) -> None:
        """Durable in the journal when this returns. After an error its outcome is not known."""
        body = await record_body(batch)
        behind = self._opened
        append = partial(self._append, behind.newest + 1, body)
        if self._pace.is_short(len(body), serves_one=quiet_moments().serves_one):
            append()
            await behind.make_room()
        else:
            appended = asyncio.get_running_loop().run_in_executor(_APPENDERS, append)
            try:
                await behind.make_room()  # while the disk has this one
            finally:
                await appended
        behind.add(batch)

    def _append(self, number: int, body: bytes) -> None:
        began_s = perf_counter()
        self._journal.append(number, body)
        self._pace.note(perf_counter() - began_s)

    def snapshot(self) -> StoreSnapshot:
        """The state after the newest write."""
        return self._opened.snapshot()

    @property
    def _opened(self) -> WriteBehind:
        if self._behind is None:
            raise InternalProblem(f'store "{self._location}" is not recovered yet')
        return self._behind

    @property
    def has_failed(self) -> bool:
        """Whether the handle is of no use any more although the journal has every write."""
        return self._behind is not None and self._behind.has_failed

    @property
    def has_long_journal(self) -> bool:
        settings = self._settings
        return self._journal.is_longer(records=settings.unflushed_writes_max, size_bytes=settings.journal_bytes_max)

    async def turn_over(self) -> Finished:
        """Between two writes only: SlateDB has every record of the files then. Raises SlateDB's errors."""
        await self._opened.settle()
        return Finished(self._journal.turn_over(), self._opened.newest)

    async def flush(self, db: Any, finished: Finished) -> None:
        """Moves the writes in these files to tables. Raises SlateDB's errors."""
        await db.flush_with_options(FlushOptions(flush_type=FlushType.MEM_TABLE))
        if db.status().durable_seq < finished.newest:
            raise InternalProblem(f'store "{self._location}": a flush left write {finished.newest} out')
        await self._run(partial(self._drop, self._sync.sync_rest, finished))

    def _drop(self, sync: Callable[[], None], finished: Finished) -> None:
        sync()
        self._journal.drop(finished.files)

    async def sync(self) -> None:
        """What SlateDB's own tasks wrote, and the mark."""
        await self._run(self._sync.sync_rest)

    async def close(self) -> None:
        """Gives the folder up, once; what was not flushed is in the journal."""
        await self._run(self._closed)
        self._thread.shutdown(wait=False)

    async def stop(self) -> None:
        """Before the handle is shut down: it is given nothing more."""
        if self._behind is not None:
            await self._behind.close()

    def _closed(self) -> None:
        self._journal.close()
        self._mark.close()

    async def _run(self, work: Callable[[], Result]) -> Result:
        return await asyncio.get_running_loop().run_in_executor(self._thread, work)
