"""A file that appears complete or not at all."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from rocklake_server.errors import InvalidParameterValue, StoreUnavailable

_WORKING_SUFFIX = ".incomplete"
_COMPANIONS = (".wal", "-journal", "-wal", "-shm")
"""What DuckDB and SQLite keep beside a file of theirs."""


def existing_file(path: Path) -> Path:
    """Raises InvalidParameterValue when there is none."""
    if not path.is_file():
        raise InvalidParameterValue(f'"{path}" is no file')
    return path


class NewFile:
    """Blocking. It is written as ``working``, which an earlier attempt may have left behind."""

    def __init__(self, path: Path) -> None:
        """Raises InvalidParameterValue when ``path`` exists or has no folder."""
        self.path = path
        self.working = path.with_name(path.name + _WORKING_SUFFIX)
        if path.exists():
            raise InvalidParameterValue(f'"{path}" exists; nothing is written over it')
        if not path.parent.is_dir():
            raise InvalidParameterValue(f'"{path.parent}" is no folder')
        self._remove()

    def publish(self, *, read_only: bool = False) -> None:
        """Give it its name, once it is on the disk. Raises StoreUnavailable, also when somebody was faster."""
        try:
            if read_only:
                self.working.chmod(stat.S_IRUSR | stat.S_IRGRP | stat.S_IROTH)
            _sync(self.working)
            os.link(self.working, self.path)
            self.working.unlink()
            _sync(self.path.parent)
        except OSError as problem:
            raise StoreUnavailable(f'"{self.path}": {problem.strerror}') from problem

    def abandon(self) -> None:
        self._remove()

    def _remove(self) -> None:
        for suffix in ("", *_COMPANIONS):
            self.working.with_name(self.working.name + suffix).unlink(missing_ok=True)


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
