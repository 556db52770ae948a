"""Makes a SlateDB database in a local folder survive a power cut.

SlateDB publishes a file by writing ``name#n``, linking or renaming it to ``name``, and never syncs the file
or its directory. After a power cut such a file may be missing or empty. A log file must therefore be synced
before its write is acknowledged; tables and manifests are synced soon after they appear.
"""

from __future__ import annotations

import os
from pathlib import Path

WAL = "wal"
_TABLES_BEFORE_MANIFESTS = ("compacted", "compactions", "manifest")


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _published(directory: Path) -> list[str]:
    """Names of the finished files in ``directory``, sorted; empty when it does not exist."""
    try:
        return sorted(name for name in os.listdir(directory) if "#" not in name)
    except FileNotFoundError:
        return []


def zero_length_wal_files(database: Path) -> list[Path]:
    """Empty log files: fence markers of earlier openings, or what a power cut left of a write."""
    wal = database / WAL
    return [wal / name for name in _published(wal) if (wal / name).stat().st_size == 0]


class FolderSync:
    """Syncs what a database's handle has written. Blocking: for a worker thread, one call at a time."""

    def __init__(self, root: Path, database: Path) -> None:
        self._root = root
        self._database = database
        self._next_wal = 0
        self._seen: dict[str, tuple[int, frozenset[str]]] = {}

    def sync_all(self) -> None:
        """Syncs every file and directory: what an earlier process left may not have reached the disk."""
        wal = self._database / WAL
        names = _published(wal)
        for name in names:
            _sync(wal / name)
        if names:
            self._next_wal = int(names[-1].removesuffix(".sst")) + 1
            _sync(wal)
        self.sync_tables()
        directory = self._database
        while True:
            _sync(directory)
            if directory in (self._root, directory.parent):
                break
            directory = directory.parent
        _sync(self._root.parent)

    def sync_wal(self) -> None:
        """Syncs the log files that appeared since the last call. Raises OSError, also when there is none."""
        first = self._next_wal
        while self._sync_if_there(self._wal_path(self._next_wal)):
            self._next_wal += 1
        if self._next_wal == first:
            raise FileNotFoundError(f"no log file {self._wal_path(first).name} after a flush")
        _sync(self._database / WAL)
        self.sync_tables()

    def sync_tables(self, *, trust_times: bool = True) -> None:
        """Syncs tables and manifests that appeared since the last call. ``trust_times`` skips directories whose
        modification time is unchanged; it is cheap, and misses a file that came in the same clock tick."""
        # Manifests are listed first and synced last: each table that a listed manifest names is synced by then.
        found = [(kind, self._changed(kind, trust_times)) for kind in reversed(_TABLES_BEFORE_MANIFESTS)]
        for kind, change in reversed(found):
            if change is None:
                continue
            changed_ns, names = change
            directory = self._database / kind
            for name in sorted(names - self._seen.get(kind, (0, frozenset()))[1]):
                self._sync_if_there(directory / name)
            _sync(directory)
            self._seen[kind] = changed_ns, names

    def _changed(self, kind: str, trust_times: bool) -> tuple[int, frozenset[str]] | None:
        """The directory's modification time and file names; ``None`` when there is nothing new."""
        directory = self._database / kind
        try:
            changed_ns = directory.stat().st_mtime_ns
        except FileNotFoundError:
            return None
        seen_ns, seen = self._seen.get(kind, (-1, frozenset()))
        if trust_times and changed_ns == seen_ns:
            return None
        names = frozenset(_published(directory))
        return None if names == seen and seen_ns >= 0 else (changed_ns, names)

    def _wal_path(self, number: int) -> Path:
        return self._database / WAL / f"{number:020d}.sst"

    @staticmethod
    def _sync_if_there(path: Path) -> bool:
        """Garbage collection may remove a table between listing and opening it."""
        try:
            _sync(path)
        except FileNotFoundError:
            return False
        return True
