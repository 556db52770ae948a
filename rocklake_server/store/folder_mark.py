"""Which write and manifest were the newest that reached the disk: a note beside them in a database's folder.

A journal whose end is gone looks like one that never had it, and an older manifest like the newest one. The note tells
the difference. It is written once what it names is synced, so it never names anything that a power cut may still take;
it is synced itself within a second or so, and at a clean stop.
"""

from __future__ import annotations

import os
import re
import threading
from pathlib import Path

from rocklake_server.errors import CorruptValue

MARK_FILE = "rocklake.mark"
JOURNAL = "journal"
"""Numbers writes."""
NUMBERED = ("manifest", "compactions")
"""Directories whose files are numbered, and whose newest file counts."""
WITHOUT_MARK = f"Restore the folder from a backup; or remove {MARK_FILE} to open it without what is lost."
"""For files of which only the mark knows."""
_KINDS = (JOURNAL, *NUMBERED)
_TEXT = "".join(f"{kind} {{{kind}:020d}}\n" for kind in _KINDS)
_LINES = [rf"{kind} (?P<{kind}>\d{{20}})\n" for kind in _KINDS]
_PARTS = re.compile(rf"(?:wal (?P<wal>\d{{20}})\n|{_LINES[0]}){''.join(_LINES[1:])}".encode())
"""``wal`` is in the notes from before there was a journal."""


class FolderMark:
    """For the threads that sync. ``newest`` are numbers by kind, 0 before there is any."""

    def __init__(self, database: Path) -> None:
        self.path = database / MARK_FILE
        self.newest = dict.fromkeys(_KINDS, 0)
        self.newest_log = 0
        """The newest file of the log that SlateDB wrote before there was a journal."""
        self._turn = threading.Lock()
        self._descriptor: int | None = None
        self._is_synced = True

    def read(self) -> None:
        """What an earlier opening left. Raises CorruptValue, OSError."""
        try:
            found = _PARTS.fullmatch(self.path.read_bytes())
        except FileNotFoundError:
            return
        if found is None:
            raise CorruptValue(f"{self.path} cannot be read", hint="Remove it when the rest of the folder is whole.")
        self.newest = {kind: int(found[kind] or 0) for kind in _KINDS}
        self.newest_log = int(found["wal"] or 0)

    def note(self, kind: str, number: int) -> None:
        """The write or file of this number and those before it are on the disk."""
        with self._turn:
            if number <= self.newest[kind]:
                return
            self.newest[kind] = number
            if self._descriptor is None:
                self._descriptor = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o600)
            os.pwrite(self._descriptor, _TEXT.format(**self.newest).encode(), 0)
            self._is_synced = False

    def sync(self) -> None:
        if self._descriptor is not None and not self._is_synced:
            self._is_synced = True
            os.fsync(self._descriptor)

    def close(self) -> None:
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None
