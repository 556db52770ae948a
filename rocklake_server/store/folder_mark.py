"""Which log file and manifest were the newest that reached the disk: a note beside them in a database's folder.

A log whose last files are gone looks like a log that never had them, and an older manifest like the newest one. The
note tells the difference. It is written once the files that it names are synced, so it never names one that a power
cut may still take; it is synced itself within a second or so, and at a clean stop.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

from rocklake_server.errors import CorruptValue

MARK_FILE = "rocklake.mark"
_TEXT = "log {:020d}\nmanifest {:020d}\n"
_PARTS = re.compile(rb"log (\d{20})\nmanifest (\d{20})\n")


class FolderMark:
    """Blocking: for the thread that syncs. ``log`` and ``manifest`` are file numbers, 0 before there is any."""

    def __init__(self, database: Path) -> None:
        self.path = database / MARK_FILE
        self.log = self.manifest = 0
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
        self.log, self.manifest = int(found[1]), int(found[2])

    def note(self, *, log: int = 0, manifest: int = 0) -> None:
        """The files of these numbers, if any, are on the disk."""
        if log <= self.log and manifest <= self.manifest:
            return
        self.log, self.manifest = max(log, self.log), max(manifest, self.manifest)
        if self._descriptor is None:
            self._descriptor = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o600)
        os.pwrite(self._descriptor, _TEXT.format(self.log, self.manifest).encode(), 0)
        self._is_synced = False

    def sync(self) -> None:
        if self._descriptor is not None and not self._is_synced:
            self._is_synced = True
            os.fsync(self._descriptor)

    def close(self) -> None:
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None
