"""Looks whether files that a lake names are there: in a local folder, or in a bucket through obstore."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from obstore.exceptions import BaseError, UnknownConfigurationKeyError

from rocklake_server.errors import InvalidParameterValue, StoreUnavailable, Unsupported
from rocklake_server.store.lease_object import CLIENTS
from rocklake_server.store.object_stores import StoreLocation, parse_store_url
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
