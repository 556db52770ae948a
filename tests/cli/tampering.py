"""Changes single keys of a stopped server's store, as a disk fault or another version of the server might."""

from __future__ import annotations

import asyncio

from rocklake_server.store.base import Key, Prefix, WriteBatch
from rocklake_server.store.object_stores import parse_store_url
from rocklake_server.store.slate import open_slate_store


def put(url: str, directory: str, key: Key, value: bytes) -> None:
    """Write one key of the store in ``directory`` below ``url``."""

    async def write() -> None:
        store = await open_slate_store(parse_store_url(url, {}).child(directory))
        try:
            batch = WriteBatch()
            batch.put(key, value)
            await store.write(batch)
        finally:
            await store.close()

    asyncio.run(write())


def keys(url: str, directory: str, prefix: Prefix) -> list[Key]:
    """The keys that begin with ``prefix``."""

    async def read() -> list[Key]:
        store = await open_slate_store(parse_store_url(url, {}).child(directory))
        try:
            snapshot = await store.snapshot()
            return [key async for entries in snapshot.scan(prefix) for key, _ in entries]
        finally:
            await store.close()

    return asyncio.run(read())
