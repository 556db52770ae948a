"""A database's local folder as its readers see it: what only the redo journal has, and whether anything is missing."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rocklake_server.errors import CorruptValue
from rocklake_server.store.base import Key
from rocklake_server.store.folder_check import FolderCheck
from rocklake_server.store.folder_mark import JOURNAL, WITHOUT_MARK, FolderMark
from rocklake_server.store.folder_sync import MANIFESTS
from rocklake_server.store.redo_journal import DIRECTORY, RedoJournal


class FolderReader:
    """Blocking, and changes nothing. Methods raise OSError: FileNotFoundError too when a server removes, meanwhile, a
    file of the journal whose records tables have."""

    def __init__(self, database: Path) -> None:
        self._database = database
        self._mark = FolderMark(database)

    def read_mark(self) -> None:
        """Before everything else: what it names stays in the journal or in tables. Raises CorruptValue."""
        self._mark.read()

    def journaled(self, manifest: Any) -> Mapping[Key, bytes | None]:
        """The newest values of the keys that were written since the tables of ``manifest``. Raises CorruptValue with
        the name of a file that was lost."""
        newest = self._mark.newest
        if manifest.id < newest[MANIFESTS]:
            name = f"{MANIFESTS}/{newest[MANIFESTS]:020d}.manifest"
            raise CorruptValue(f"{self._database / name} is missing although it had been written", hint=WITHOUT_MARK)
        FolderCheck(self._database, self._mark).require_files(manifest)
        if newest[JOURNAL] <= manifest.last_l0_seq and not (self._database / DIRECTORY).exists():
            return {}  # a database from before there was a journal
        records = RedoJournal(self._database, self._mark).read(manifest.last_l0_seq)
        return {key: value for record in records for key, value in record.batch().operations.items()}
