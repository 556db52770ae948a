"""Every object of one database's directory, to be counted or removed for good, whatever they are."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from obstore.exceptions import BaseError, UnknownConfigurationKeyError

from rocklake_server.errors import InvalidParameterValue, StoreUnavailable, Unsupported
from rocklake_server.store.lease_object import CLIENTS
from rocklake_server.store.object_stores import StoreLocation
from rocklake_server.store.side_objects import sync_path
from rocklake_server.store.slate_errors import reason_of

BATCH_OBJECTS = 500
"""Objects in one request that removes them; S3 takes 1,000 at most."""


class Amount(NamedTuple):
    objects: int
    size_bytes: int


class ObjectsBelow:
    """Below ``location``, which nobody has open. Methods raise StoreUnavailable."""

    def __init__(self, location: StoreLocation) -> None:
        """Raises Unsupported for a store in memory, InvalidParameterValue for options that the client refuses."""
        self._location = location
        self._folder = location.folder
        if self._folder is not None:
            return
        if location.scheme not in CLIENTS:
            raise Unsupported(f'store "{location}" is in memory: what was dropped there ends with the process')
        try:
            self._client = CLIENTS[location.scheme](
                location.bucket, prefix=location.path, config=dict(location.options))
        except (BaseError, UnknownConfigurationKeyError):
            raise InvalidParameterValue(f'store "{location}": its configuration is not accepted') from None

    async def amount(self) -> Amount:
        """Nothing is there when the directory was never written."""
        objects = size_bytes = 0
        async for batch in self._batches():
            objects += len(batch)
            size_bytes += sum(size for _, size in batch)
        return Amount(objects, size_bytes)

    async def remove(self, tell: Callable[[int], None]) -> Amount:
        """All of them, in bounded batches; told how many more are gone. An attempt that did not end is begun again."""
        objects = size_bytes = 0
        async for batch in self._batches():
            names = [name for name, _ in batch]
            try:
                if self._folder is not None:
                    await asyncio.to_thread(_unlink, self._folder, names)
                else:
                    await self._client.delete_async(names)
            except (BaseError, OSError) as error:
                raise self._unavailable(error) from None
            objects += len(batch)
            size_bytes += sum(size for _, size in batch)
            tell(len(batch))
        if self._folder is not None:
            await asyncio.to_thread(_remove_folders, self._folder)
        return Amount(objects, size_bytes)

    async def _batches(self) -> AsyncIterator[list[tuple[str, int]]]:
        """(name, size in bytes), as a listing gives them."""
        try:
            if self._folder is not None:
                files = _files(self._folder)
                while batch := await asyncio.to_thread(_some, files):
                    yield batch
                return
            async for metas in self._client.list(chunk_size=BATCH_OBJECTS):
                yield [(meta["path"], int(meta["size"])) for meta in metas]
        except (BaseError, OSError) as error:
            raise self._unavailable(error) from None

    def _unavailable(self, error: Exception) -> StoreUnavailable:
        return StoreUnavailable(f'store "{self._location}": {reason_of(error)}')


def _files(folder: Path) -> Iterator[tuple[str, int]]:
    for parent, _, names in os.walk(folder):
        for name in names:
            path = Path(parent, name)
            yield str(path.relative_to(folder)), path.lstat().st_size


def _some(files: Iterator[tuple[str, int]]) -> list[tuple[str, int]]:
    return [found for _, found in zip(range(BATCH_OBJECTS), files, strict=False)]


def _unlink(folder: Path, names: list[str]) -> None:
    for name in names:
        (folder / name).unlink(missing_ok=True)


def _remove_folders(folder: Path) -> None:
    if folder.is_dir():
        for parent, _, _ in os.walk(folder, topdown=False):
            os.rmdir(parent)
        sync_path(folder.parent)
