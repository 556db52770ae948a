"""Small objects of ours beside a SlateDB database: written whole, read whole."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import Any

from obstore.exceptions import BaseError, UnknownConfigurationKeyError

from rocklake_server.errors import InvalidParameterValue, StoreUnavailable, Unsupported
from rocklake_server.store.lease_object import CLIENTS
from rocklake_server.store.object_stores import StoreLocation
from rocklake_server.store.slate_errors import reason_of

_WORKING = ".new"


class SideObjects:
    """Below the database at ``location``. Methods raise StoreUnavailable."""

    def __init__(self, location: StoreLocation) -> None:
        """Raises Unsupported for a store in memory, InvalidParameterValue for options that the client refuses."""
        self._location = location
        self._folder = location.folder
        self._client: Any = None
        if self._folder is not None:
            return
        if location.scheme not in CLIENTS:
            raise Unsupported(f'store "{location}" is in memory: nothing can be kept beside it')
        try:
            self._client = CLIENTS[location.scheme](
                location.bucket, prefix=location.path or None, config=dict(location.options))
        except (BaseError, UnknownConfigurationKeyError):
            raise InvalidParameterValue(f'store "{location}": its configuration is not accepted') from None

    async def put(self, name: str, data: bytes) -> None:
        """Durable when it returns."""
        if self._folder is not None:
            await self._on_disk(_write, self._folder / name, data)
            return
        try:
            await self._client.put_async(name, data)
        except (BaseError, FileNotFoundError) as error:
            raise self._unavailable(error) from None

    async def get(self, name: str) -> bytes | None:
        """``None`` when there is none."""
        try:
            if self._folder is not None:
                data: bytes = await self._on_disk(Path.read_bytes, self._folder / name)
                return data
            return bytes(await (await self._client.get_async(name)).bytes_async())
        except FileNotFoundError:
            return None
        except BaseError as error:
            raise self._unavailable(error) from None

    async def delete(self, name: str) -> None:
        """Nothing happens when there is none."""
        try:
            if self._folder is not None:
                await self._on_disk(Path.unlink, self._folder / name)
            else:
                await self._client.delete_async(name)
        except FileNotFoundError:
            return
        except BaseError as error:
            raise self._unavailable(error) from None

    async def _on_disk(self, work: Any, *arguments: object) -> Any:
        try:
            return await asyncio.to_thread(work, *arguments)
        except FileNotFoundError:
            raise
        except OSError as error:
            raise StoreUnavailable(f'store "{self._location}": {error.strerror}') from error

    def _unavailable(self, error: Exception) -> StoreUnavailable:
        return StoreUnavailable(f'store "{self._location}": {reason_of(error)}')


def _write(path: Path, data: bytes) -> None:
    path.parent.mkdir(exist_ok=True)
    working = path.with_name(path.name + _WORKING)
    with working.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    working.rename(path)
    for folder in (path.parent, path.parent.parent):
        sync_path(folder)


def sync_path(path: Path) -> None:
    """Blocking: the file, or the names in the directory, are on the disk when it returns. Raises OSError."""
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
