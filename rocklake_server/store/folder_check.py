"""Looks, before a database in a local folder is opened, whether files that it needs are missing or empty.

A power cut may also take files that nobody relies on yet: a manifest, or the tables it names, in the second between
their publication by SlateDB and our sync. Then the manifest is removed, and the one before it is the newest again.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rocklake_server.errors import CorruptValue
from rocklake_server.store.folder_mark import WITHOUT_MARK, FolderMark
from rocklake_server.store.folder_sync import COMPACTIONS, MANIFESTS, TABLES, WAL, number_of, published
from rocklake_server.store.log_check import RESTORE, log_file

_log = logging.getLogger(__name__)


class FolderCheck:
    """Blocking. Methods raise CorruptValue with the name of a file that was lost, OSError when the folder cannot be
    read."""

    def __init__(self, database: Path, mark: FolderMark) -> None:
        self._database = database
        self._mark = mark

    def require_manifest(self) -> None:
        """The newest manifest that ever reached the disk, or a newer one, is there. Newer files that a power cut left
        without content are removed: nothing relies on them."""
        self._mark.read()
        if not self._mark.newest[MANIFESTS] and self._was_never_written():
            self._remove_all()
        while (name := self._newest(MANIFESTS)) is not None and self._is_unsynced(name) and self._is_blank(name):
            self._remove_manifest(name)
        newest, marked = self._newest(MANIFESTS), self._mark.newest[MANIFESTS]
        while (name := self._newest(COMPACTIONS)) is not None and self._is_unsynced(name):
            if not self._is_blank(name) and newest is not None and self._is_unsynced(newest):
                break
            self._remove(name)
        if marked and (newest is None or number_of(newest) < marked):
            raise self._lost(_manifest(marked), "missing", WITHOUT_MARK)
        if newest is not None:
            self._require(newest)

    def removes(self, manifest: Any) -> bool:
        """Whether the manifest had to be removed, since it reached the disk and its tables did not. The one before it
        has the same rows in the journal."""
        is_whole = all(self._problem(table) is None for table in _tables(manifest))
        if is_whole or not self._is_unsynced(_manifest(manifest.id)):
            return False
        self._remove_manifest(_manifest(manifest.id))
        return True

    def require_files(self, manifest: Any) -> None:
        """The tables that the manifest names are there, and a log without a gap behind them: markers that openings
        left. SlateDB looks for the end of its log by probing, and may take a missing file for that."""
        for table in _tables(manifest):
            self._require(table)
        first = manifest.replay_after_wal_id + 1
        there = {number for number in map(number_of, published(self._database / WAL)) if number >= first}
        for number in range(first, max(there, default=0)):
            if number not in there:
                raise self._lost(log_file(number), "missing")
        if self._mark.newest_log >= first:
            self._require(log_file(self._mark.newest_log), WITHOUT_MARK)

    def _was_never_written(self) -> bool:
        """Whether there are no rows: the first opening ended before its files were synced."""
        rows = [f"{kind}/{name}" for kind in (WAL, TABLES) for name in published(self._database / kind)]
        return all(self._problem(name) == "empty" for name in rows)

    def _remove_all(self) -> None:
        for kind in (MANIFESTS, COMPACTIONS, WAL, TABLES):
            for name in published(self._database / kind):
                (self._database / kind / name).unlink()

    def _newest(self, kind: str) -> str | None:
        names = published(self._database / kind)
        return f"{kind}/{names[-1]}" if names else None

    def _is_unsynced(self, name: str) -> bool:
        marked = self._mark.newest[name.split("/")[0]]
        return 0 < marked < number_of(name)

    def _is_blank(self, name: str) -> bool:
        return not (self._database / name).read_bytes().strip(b"\0")

    def _remove_manifest(self, name: str) -> None:
        """With the compactor's files of the same time, whose epoch the manifest before it may be behind."""
        self._remove(name)
        while (newer := self._newest(COMPACTIONS)) is not None and self._is_unsynced(newer):
            self._remove(newer)

    def _remove(self, name: str) -> None:
        text = "%s/%s was not known to be on the disk when the server stopped; the one before it is used"
        _log.warning(text, self._database, name)
        (self._database / name).unlink()

    def _problem(self, name: str) -> str | None:
        try:
            return None if (self._database / name).stat().st_size else "empty"
        except FileNotFoundError:
            return "missing"

    def _require(self, name: str, hint: str = RESTORE) -> None:
        if (problem := self._problem(name)) is not None:
            raise self._lost(name, problem, hint)

    def _lost(self, name: str, how: str, hint: str = RESTORE) -> CorruptValue:
        return CorruptValue(f"{self._database / name} is {how} although it had been written", hint=hint)


def _tables(manifest: Any) -> Iterator[str]:
    for tree in (manifest, *manifest.segments):
        for views in (tree.l0, *(run.sst_views for run in tree.compacted)):
            yield from (f"{TABLES}/{view.sst.id.value}.sst" for view in views)


def _manifest(number: int) -> str:
    return f"{MANIFESTS}/{number:020d}.manifest"
