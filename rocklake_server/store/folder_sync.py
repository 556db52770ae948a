"""Makes a SlateDB database in a local folder survive a power cut.

SlateDB publishes a file by writing ``name#n``, linking or renaming it to ``name``, and never syncs the file
or its directory. After a power cut such a file may be missing or empty. Tables and manifests are therefore synced soon
after they appear; until then the redo journal has their rows.
"""

from __future__ import annotations

import os
from pathlib import Path

from rocklake_server.store.folder_mark import NUMBERED, FolderMark

WAL = "wal"
MANIFESTS = "manifest"
COMPACTIONS = "compactions"
TABLES = "compacted"
_TABLES_BEFORE_MANIFESTS = (TABLES, COMPACTIONS, MANIFESTS)


def _sync(path: Path) -> int:
    """Returns the size in bytes."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
        return os.fstat(descriptor).st_size
    finally:
        os.close(descriptor)


def published(directory: Path) -> list[str]:
    """Names of the finished files in ``directory``, sorted; empty when it does not exist."""
    try:
        return sorted(name for name in os.listdir(directory) if "#" not in name)
    except FileNotFoundError:
        return []


def number_of(name: str) -> int:
    """The number of a log file or a manifest, given by name or path."""
    return int(name.rpartition("/")[2].split(".")[0])


class FolderSync:
    """Syncs what a database's handle has written. Blocking: for a worker thread, one call at a time."""

    def __init__(self, root: Path, database: Path, mark: FolderMark) -> None:
        self._root = root
        self._database = database
        self._seen: dict[str, tuple[int, frozenset[str]]] = {}
        self._mark = mark

    def sync_all(self) -> None:
        """Syncs every file and directory: what an earlier process left may not have reached the disk."""
        wal = self._database / WAL
        names = published(wal)
        for name in names:
            _sync(wal / name)
        if names:
            _sync(wal)
        self.sync_tables()
        self._sync_if_there(self._mark.path)
        directory = self._database
        while True:
            _sync(directory)
            if directory in (self._root, directory.parent):
                break
            directory = directory.parent
        _sync(self._root.parent)

    def sync_rest(self) -> None:
        """Syncs what no write waits for: what SlateDB's own tasks wrote, and the mark."""
        self.sync_tables(trust_times=False)
        self._mark.sync()

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
            if kind in NUMBERED and names:
                self._mark.note(kind, number_of(max(names)))

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
        names = frozenset(published(directory))
        return None if names == seen and seen_ns >= 0 else (changed_ns, names)

    @staticmethod
    def _sync_if_there(path: Path) -> int | None:
        """The size in bytes; ``None`` for a table that garbage collection removed between listing and opening it."""
        try:
            return _sync(path)
        except FileNotFoundError:
            return None
