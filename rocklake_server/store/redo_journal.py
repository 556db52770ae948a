"""The redo journal of a database in a local folder: what makes a write durable before SlateDB has it in a table.

SlateDB's own log costs a file for each write: created, linked, unlinked, and two syncs. Here a write batch is appended
to one file and synced once. The journal is read when the database opens, and its files go when SlateDB's tables have
their batches and are synced themselves.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Sequence
from pathlib import Path

from rocklake_server.errors import CannotConnectNow, CorruptValue
from rocklake_server.store.folder_mark import JOURNAL, WITHOUT_MARK, FolderMark
from rocklake_server.store.redo_record import MAGIC, Record, encoded_record, holds_record_from, whole_records

DIRECTORY = "redo"
"""In the database's folder. Its files are called after the number of their first record."""
LOCK_FILE = "redo.lock"
"""Beside the directory; empty."""
_SUFFIX = ".journal"
_HINT = "Restore the file from a backup: it holds commits that were acknowledged."


class RedoJournal:
    """Blocking, one call at a time, except where it says so. Methods raise OSError; after one the journal must be
    opened again, since how much of a record is in the file is not known."""

    def __init__(self, database: Path, mark: FolderMark) -> None:
        self._directory = database / DIRECTORY
        self._mark = mark
        self._lock: int | None = None
        self._file: int | None = None
        self._size_bytes = 0
        self._records = 0

    def lock(self) -> None:
        """Until ``close`` the journal is this object's. Raises CannotConnectNow when it is another's."""
        self._directory.mkdir(parents=True, exist_ok=True)
        # A file that is open for writing: network file systems lock no other.
        self._lock = os.open(self._directory.parent / LOCK_FILE, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self.close()
            raise CannotConnectNow(f"{self._directory} is in use by another server") from None

    def read(self, after: int) -> list[Record]:
        """The records behind number ``after``, which the tables have. Only the last record of all may be torn: it was
        never acknowledged. Raises CorruptValue with the name of a file that lost a record."""
        records: list[Record] = []
        expected = after + 1
        suspect: Path | None = None
        for path in self._files():
            segment = path.read_bytes()
            end = len(MAGIC)
            for record in whole_records(segment):
                if record.number > expected:
                    raise self._lost(expected, suspect)
                if record.number == expected:
                    records.append(record)
                    expected += 1
                end += record.size_bytes
            suspect = path if end != len(segment) else None
            if suspect is not None and holds_record_from(segment, expected):
                raise self._lost(expected, suspect)
        if self._mark.newest[JOURNAL] >= expected:
            raise self._lost(expected, suspect, WITHOUT_MARK)
        return records

    def append(self, number: int, body: bytes) -> None:
        """The record is on the disk when this returns."""
        data = encoded_record(number, body)
        if self._file is None:
            data = MAGIC + data
            self._file = os.open(self._path(number), os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(self._file, rest):]
        os.fdatasync(self._file)
        if not self._size_bytes:
            self._sync_directory()
        self._size_bytes += len(data)
        self._records += 1
        self._mark.note(JOURNAL, number)

    def is_longer(self, *, records: int, size_bytes: int) -> bool:
        """Whether the file that is being written has reached one of these. Does not block."""
        return self._records >= records or self._size_bytes >= size_bytes

    def turn_over(self) -> list[Path]:
        """The next record begins a new file. Returns the files before it. Waits for no disk."""
        if self._file is not None:
            os.close(self._file)
            self._file = None
        self._size_bytes = self._records = 0
        return self._files()

    def drop(self, files: Sequence[Path]) -> None:
        """Files of which the tables have every record. They are gone for good when this returns: a torn record must
        not come back beside a later one of its number."""
        for path in files:
            path.unlink(missing_ok=True)
        self._sync_directory()

    def close(self) -> None:
        """Idempotent. Keeps the files."""
        for descriptor in (self._file, self._lock):
            if descriptor is not None:
                os.close(descriptor)
        self._file = self._lock = None

    def _files(self) -> list[Path]:
        return sorted(path for path in self._directory.iterdir() if path.suffix == _SUFFIX)

    def _path(self, first: int) -> Path:
        return self._directory / f"{first:020d}{_SUFFIX}"

    def _lost(self, number: int, suspect: Path | None, hint: str = _HINT) -> CorruptValue:
        what = f"{suspect} is damaged" if suspect is not None else f"{self._path(number)} is missing"
        return CorruptValue(f"{what}: it should hold write {number}, which had been acknowledged", hint=hint)

    def _sync_directory(self) -> None:
        descriptor = os.open(self._directory, os.O_RDONLY | os.O_CLOEXEC)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
