"""Looks at the log that opening a database would replay, and refuses one with a gap or a file that cannot be read.

SlateDB numbers write batches without gaps and each of our writes is one log file. It writes an empty log file to fence
earlier writers, and takes every empty one for such a marker: one that a power cut emptied would pass, and its commit
would be gone while later ones stay. The numbers tell the two apart.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from itertools import chain
from typing import Any

from slatedb.uniffi import AdminBuilder, Error, SlateDbWalReader

from rocklake_server.errors import CorruptValue
from rocklake_server.store.object_stores import StoreLocation
from rocklake_server.store.scan_worker import on_scan_thread

RESTORE = "Restore the file from a backup: it may hold commits that were acknowledged."
_PATIENCE_S = 1.0
_PARTS = 16
"""Parts of the log that are read at the same time."""


def log_file(number: int) -> str:
    """The name, within a database, of a file of its log."""
    return f"wal/{number:020d}.sst"


async def read_manifest(location: StoreLocation, objects: Any) -> Any:
    """The newest manifest, ``None`` for a new database. Raises SlateDB's errors, and retries without end when the
    store does not answer."""
    return await AdminBuilder(location.path, objects).build().read_manifest(None)


async def require_whole_log(location: StoreLocation, objects: Any, manifest: Any) -> None:
    """Raises CorruptValue when a batch is missing from the log behind ``manifest``, SlateDB's errors when the store
    does not answer. Reads each file of the log, on the scan thread."""
    await on_scan_thread(_LogCheck(location, objects, manifest).run())


@dataclass(frozen=True, slots=True)
class _LogFile:
    """The numbers of its first and last batch; ``None`` for an empty file."""

    number: int
    batches: tuple[int, int] | None


class _LogCheck:
    def __init__(self, location: StoreLocation, objects: Any, manifest: Any) -> None:
        self._location = location
        self._reader = SlateDbWalReader(location.path, objects)
        self._after: int = manifest.replay_after_wal_id
        self._expected: int = manifest.last_l0_seq + 1

    async def run(self) -> None:
        last = await self._last_file()
        starts = range(self._after + 1, last + 1)
        step = max(1, -(-len(starts) // _PARTS))
        parts = [self._read(first, min(first + step - 1, last)) for first in starts[::step]]
        empty: list[int] = []
        for file in chain.from_iterable(await asyncio.gather(*parts)):
            if file.batches is None:
                empty.append(file.number)
                continue
            if file.batches[0] > self._expected:
                raise self._lost(empty, file.number)
            self._expected = file.batches[1] + 1
            empty.clear()

    async def _last_file(self) -> int:
        """SlateDB finds the end of its log by probing, so one missing file may look like it: look behind it."""
        last: int = await self._reader.last_wal_file_id(self._after)
        while await self._reader.last_wal_file_id(last + 1) > last + 1:
            if await self._reader.last_wal_file_id(last) == last:
                raise self._unreadable(last + 1)
            last = await self._reader.last_wal_file_id(last)  # another server is still writing
        return last

    async def _read(self, first: int, last: int) -> list[_LogFile]:
        iterator = await self._reader.iterator(first)
        files: list[_LogFile] = []
        for number in range(first, last + 1):
            rows = await self._rows(iterator, number)
            batches = [row.seq for row in rows]
            files.append(_LogFile(number, (min(batches), max(batches)) if batches else None))
        return files

    async def _rows(self, iterator: Any, number: int) -> Any:
        reading = asyncio.ensure_future(iterator.next())
        try:
            while not (await asyncio.wait((reading,), timeout=_PATIENCE_S))[0]:
                if await self._reader.last_wal_file_id(number - 1) < number:  # it waits for a file that is missing
                    raise self._unreadable(number)
            return (await reading).rows
        except Error.Data:
            raise self._unreadable(number) from None
        finally:
            reading.cancel()

    def _unreadable(self, number: int) -> CorruptValue:
        text = f'store "{self._location}": {log_file(number)} is missing or cannot be read'
        return CorruptValue(text, hint=RESTORE)

    def _lost(self, empty: list[int], before: int) -> CorruptValue:
        files = " or ".join(map(log_file, empty)) or f"a file before {log_file(before)}"
        text = f'store "{self._location}" has lost a commit: {files} is empty and should hold it'
        return CorruptValue(text, hint=RESTORE)
