"""Looks, before a database in a local folder is opened, whether files that it needs are missing or empty."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rocklake_server.errors import CorruptValue
from rocklake_server.store.folder_mark import MARK_FILE, FolderMark
from rocklake_server.store.folder_sync import MANIFESTS, WAL, number_of, published
from rocklake_server.store.log_check import RESTORE, log_file

_WITHOUT = f"Restore the folder from a backup; or remove {MARK_FILE} to open it without what is lost."
"""For files of which only the mark knows."""


class FolderCheck:
    """Blocking. Each method raises CorruptValue with the file's name, OSError when the folder cannot be read."""

    def __init__(self, database: Path, mark: FolderMark) -> None:
        self._database = database
        self._mark = mark

    def require_manifest(self) -> None:
        """The newest manifest that ever reached the disk, or a newer one, is there."""
        self._mark.read()
        names = published(self._database / MANIFESTS)
        if max(map(number_of, names), default=0) < self._mark.manifest:
            raise self._lost(f"{MANIFESTS}/{self._mark.manifest:020d}.manifest", "missing", _WITHOUT)
        if names:
            self._require(f"{MANIFESTS}/{names[-1]}")

    def require_files(self, manifest: Any) -> None:
        """The tables that the manifest names are there, and the log from behind them to the last acknowledged write.
        SlateDB looks for the end of its log by probing, and may take a missing file for that."""
        for name in _tables(manifest):
            self._require(f"compacted/{name}.sst")
        first = manifest.replay_after_wal_id + 1
        there = {number for number in map(number_of, published(self._database / WAL)) if number >= first}
        for number in range(first, max(there, default=0)):
            if number not in there:
                raise self._lost(log_file(number), "missing")
        if self._mark.log >= first:
            self._require(log_file(self._mark.log), _WITHOUT)

    def _require(self, name: str, hint: str = RESTORE) -> None:
        try:
            size_bytes = (self._database / name).stat().st_size
        except FileNotFoundError:
            raise self._lost(name, "missing", hint) from None
        if not size_bytes:
            raise self._lost(name, "empty", hint)

    def _lost(self, name: str, how: str, hint: str = RESTORE) -> CorruptValue:
        return CorruptValue(f"{self._database / name} is {how} although it had been written", hint=hint)


def _tables(manifest: Any) -> Iterator[str]:
    for tree in (manifest, *manifest.segments):
        for views in (tree.l0, *(run.sst_views for run in tree.compacted)):
            yield from (view.sst.id.value for view in views)
