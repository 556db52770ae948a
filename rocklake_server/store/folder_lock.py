"""The lock that keeps two servers from writing one local folder: the operating system's, so a crash gives it back."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path
from types import TracebackType

from rocklake_server.errors import CannotConnectNow, StoreUnavailable
from rocklake_server.store.object_stores import StoreLocation, make_folder

LOCK_FILE = "rocklake.lock"
"""In the store's folder; holds the process id of the last server that locked it."""


class FolderLock:
    """Held from ``with`` to its end, or to the end of the process. Stores that are no local folder need none."""

    def __init__(self, location: StoreLocation) -> None:
        self._location = location
        self._file: int | None = None

    def __enter__(self) -> FolderLock:
        """Raises CannotConnectNow when another server holds the lock, StoreUnavailable when there can be none."""
        folder = self._location.folder
        if folder is None:
            return self
        make_folder(self._location, folder)
        try:
            self._file = os.open(folder / LOCK_FILE, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            holder = _holder(folder)
            self._close()
            raise CannotConnectNow(f'store "{self._location}" is in use by another server{holder}') from None
        except OSError as error:
            self._close()
            raise StoreUnavailable(f'store "{self._location}": {error.strerror}') from error
        os.ftruncate(self._file, 0)
        os.pwrite(self._file, str(os.getpid()).encode(), 0)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._close()

    def _close(self) -> None:
        if self._file is not None:
            os.close(self._file)
            self._file = None


def _holder(folder: Path) -> str:
    try:
        process_id = (folder / LOCK_FILE).read_text()
    except OSError:
        return ""
    return f" (process {process_id})" if process_id.isdecimal() else ""
