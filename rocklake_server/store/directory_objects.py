"""All objects of one SlateDB database, as files or objects of a bucket: how many, how large, and their removal.

SlateDB's own ``delete_db`` knows its own objects only; a database has ours beside them (the redo journal, checkpoints).
"""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from obstore.exceptions import BaseError, UnknownConfigurationKeyError

from rocklake_server.errors import InternalProblem, InvalidParameterValue, StoreUnavailable, Unsupported
from rocklake_server.store.lease_object import CLIENTS
from rocklake_server.store.object_stores import StoreLocation
from rocklake_server.store.side_objects import sync_path
from rocklake_server.store.slate_errors import reason_of

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Extent:
    """How many objects there are, and their bytes together."""

    objects: int = 0
    size_bytes: int = 0


async def extent_of(location: StoreLocation) -> Extent:
    """Nothing for a directory that is not there. Raises StoreUnavailable, InvalidParameterValue, Unsupported."""
    folder = location.folder
    if folder is not None:
        return await _on_disk(location, folder, _extent_of_folder)
    found = Extent()
    async for metas in _listed(location, _client(location)):
        found = Extent(found.objects + len(metas), found.size_bytes + sum(int(meta["size"]) for meta in metas))
    return found


async def remove_directory(location: StoreLocation) -> None:
    """Everything below ``location``, which nobody has open; gone for good when this returns. What an interruption
    leaves, the next call takes. Raises as ``extent_of``."""
    if not location.path:
        raise InternalProblem("the root of a store is not removed")
    folder = location.folder
    if folder is not None:
        await _on_disk(location, folder, _remove_folder)
        return
    client = _client(location)
    try:
        async for metas in _listed(location, client):
            await client.delete_async([meta["path"] for meta in metas])
    except (BaseError, FileNotFoundError) as error:
        raise _unavailable(location, error) from None


def _client(location: StoreLocation) -> Any:
    if location.scheme not in CLIENTS:
        raise Unsupported(f'store "{location}" is in memory: it is gone with its process')
    try:
        return CLIENTS[location.scheme](location.bucket, prefix=location.path, config=dict(location.options))
    except (BaseError, UnknownConfigurationKeyError):
        raise InvalidParameterValue(f'store "{location}": its configuration is not accepted') from None


async def _listed(location: StoreLocation, client: Any) -> AsyncIterator[Sequence[Mapping[str, Any]]]:
    try:
        async for metas in client.list():
            yield metas
    except BaseError as error:
        raise _unavailable(location, error) from None


def _unavailable(location: StoreLocation, error: Exception) -> StoreUnavailable:
    return StoreUnavailable(f'store "{location}": {reason_of(error)}')


async def _on_disk(location: StoreLocation, folder: Path, work: Callable[[Path], Result]) -> Result:
    try:
        return await asyncio.to_thread(work, folder)
    except OSError as error:
        raise StoreUnavailable(f'store "{location}": {error.strerror}') from error


def _extent_of_folder(folder: Path) -> Extent:
    found = Extent()
    for path in folder.rglob("*"):
        with suppress(FileNotFoundError):  # somebody at work there
            if path.is_file():
                found = Extent(found.objects + 1, found.size_bytes + path.stat().st_size)
    return found


def _remove_folder(folder: Path) -> None:
    if folder.exists():
        shutil.rmtree(folder)
        sync_path(folder.parent)
