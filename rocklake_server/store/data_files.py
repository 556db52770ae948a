"""Files that a lake names, in a local folder or in a bucket through obstore: whether they are there, and copies."""

from __future__ import annotations

import asyncio
import errno
import os
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from obstore.exceptions import BaseError, UnknownConfigurationKeyError

from rocklake_server.errors import InvalidParameterValue, StoreUnavailable, UndefinedFile, Unsupported
from rocklake_server.store.lease_object import CLIENTS
from rocklake_server.store.object_stores import StoreLocation, parse_store_url
from rocklake_server.store.side_objects import sync_path
from rocklake_server.store.slate_errors import reason_of

REQUESTS_AT_ONCE = 64

_ALIASES = {"s3a": "s3", "s3n": "s3", "gcs": "gs", "azure": "az", "abfss": "az", "abfs": "az"}
"""Schemes that DuckDB reads too, and ours for the same store."""


class DataFiles:
    """``variables`` configure buckets as they do for a store; a client is made for each bucket once."""

    def __init__(self, variables: Mapping[str, str]) -> None:
        self._variables = variables
        self._clients: dict[tuple[str, str], tuple[StoreLocation, Any]] = {}

    async def sizes(self, paths: Sequence[str]) -> list[int | None]:
        """The size in bytes of each file, ``None`` where there is none. Paths are local, or URLs of a bucket. Raises
        StoreUnavailable when a bucket does not answer or refuses, Unsupported for another kind of URL."""
        local = [path for path in paths if "://" not in path or path.startswith("file://")]
        found: dict[str, int | None] = await asyncio.to_thread(_local_sizes, local)
        turns = asyncio.Semaphore(REQUESTS_AT_ONCE)

        async def look(path: str) -> None:
            async with turns:
                found[path] = await self._remote_size(path)

        await asyncio.gather(*(look(path) for path in dict.fromkeys(paths) if path not in found))
        return [found[path] for path in paths]

    async def copy(self, path: str, new_path: str) -> None:
        """Copies a file to a new one in the same folder or bucket; on a local file system the two share their content,
        which nobody changes. Durable when it returns. Raises UndefinedFile when it is not there, StoreUnavailable,
        Unsupported."""
        if "://" not in path or path.startswith("file://"):
            source, target = (Path(name.removeprefix("file://")) for name in (path, new_path))
            await asyncio.to_thread(_copy_local, source, target)
            return
        parts, target_parts = urlsplit(path), urlsplit(new_path)
        location, client = self._client(_ALIASES.get(parts.scheme, parts.scheme), parts.netloc)
        try:
            await client.copy_async(parts.path.lstrip("/"), target_parts.path.lstrip("/"))
        except FileNotFoundError:
            raise UndefinedFile(f'data file "{path}" is not there any more') from None
        except BaseError as error:
            raise StoreUnavailable(f'data files in "{location}": {reason_of(error)}') from None

    async def read(self, path: str) -> bytes:
        """The whole file. Raises as ``copy``."""
        try:
            if "://" not in path or path.startswith("file://"):
                return await asyncio.to_thread(Path(path.removeprefix("file://")).read_bytes)
            parts = urlsplit(path)
            _, client = self._client(_ALIASES.get(parts.scheme, parts.scheme), parts.netloc)
            return bytes(await (await client.get_async(parts.path.lstrip("/"))).bytes_async())
        except FileNotFoundError:
            raise UndefinedFile(f'data file "{path}" is not there any more') from None
        except (BaseError, OSError) as error:
            raise StoreUnavailable(f'data file "{path}": {reason_of(error)}') from None

    async def remove(self, path: str) -> None:
        """A file that ``copy`` made. Raises as ``copy``."""
        if "://" not in path or path.startswith("file://"):
            await asyncio.to_thread(Path(path.removeprefix("file://")).unlink, missing_ok=True)
            return
        parts = urlsplit(path)
        location, client = self._client(_ALIASES.get(parts.scheme, parts.scheme), parts.netloc)
        try:
            await client.delete_async(parts.path.lstrip("/"))
        except BaseError as error:
            raise StoreUnavailable(f'data files in "{location}": {reason_of(error)}') from None

    async def _remote_size(self, path: str) -> int | None:
        parts = urlsplit(path)
        location, client = self._client(_ALIASES.get(parts.scheme, parts.scheme), parts.netloc)
        try:
            meta: Mapping[str, Any] = await client.head_async(parts.path.lstrip("/"))
        except FileNotFoundError:
            return None
        except BaseError as error:
            raise StoreUnavailable(f'data files in "{location}": {reason_of(error)}') from None
        return int(meta["size"])

    def _client(self, scheme: str, bucket: str) -> tuple[StoreLocation, Any]:
        known = self._clients.get((scheme, bucket))
        if known is None:
            if scheme not in CLIENTS:
                raise Unsupported(f'data files at "{scheme}://" cannot be looked at')
            location = parse_store_url(f"{scheme}://{bucket}", self._variables)
            try:
                client = CLIENTS[scheme](bucket, config=dict(location.options))
            except (BaseError, UnknownConfigurationKeyError):
                raise InvalidParameterValue(f'data files in "{location}": its configuration is refused') from None
            known = self._clients[scheme, bucket] = location, client
        return known


def _local_sizes(paths: Sequence[str]) -> dict[str, int | None]:
    return {path: _local_size(Path(path.removeprefix("file://"))) for path in paths}


def _local_size(path: Path) -> int | None:
    try:
        return path.stat().st_size if path.is_file() else None
    except OSError as error:
        raise StoreUnavailable(f'data file "{path}": {error.strerror}') from error


def _copy_local(path: Path, new_path: Path) -> None:
    try:
        try:
            os.link(path, new_path)
        except OSError as error:
            if error.errno not in (errno.EXDEV, errno.EPERM, errno.ENOTSUP, errno.EMLINK):
                raise
            shutil.copyfile(path, new_path)
            sync_path(new_path)
        sync_path(new_path.parent)
    except FileNotFoundError:
        raise UndefinedFile(f'data file "{path}" is not there any more') from None
    except OSError as error:
        raise StoreUnavailable(f'data file "{path}": {error.strerror}') from error
