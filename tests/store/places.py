"""The places that the store tests run in, each able to open its store again."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass

from rocklake_server.store.base import Entry, Key, Prefix, Store, StoreSnapshot, WriteBatch
from rocklake_server.store.memory import MemoryStore
from rocklake_server.store.object_stores import StoreLocation
from rocklake_server.store.slate import open_slate_store


@dataclass(slots=True)
class Place:
    """Opens the same store each time; the test closes what it opened."""

    open: Callable[[], Awaitable[Store]]


def memory_model() -> Place:
    current = MemoryStore()

    async def open_again() -> Store:
        nonlocal current
        current = current.reopened()
        return current

    return Place(open_again)


def slate(location: StoreLocation) -> Place:
    async def open_again() -> Store:
        return await open_slate_store(location)

    return Place(open_again)


def batch_of(*puts: tuple[bytes, bytes | None]) -> WriteBatch:
    """A batch of puts; a value of ``None`` deletes."""
    batch = WriteBatch()
    for key, value in puts:
        if value is None:
            batch.delete(Key(key))
        else:
            batch.put(Key(key), value)
    return batch


def rows(keys: Iterable[bytes], value: bytes = b"value") -> WriteBatch:
    return batch_of(*((key, value) for key in keys))


async def read(snapshot: StoreSnapshot, prefix: bytes = b"", *, start: bytes = b"",
               stop: bytes | None = None) -> list[Entry]:
    """Everything that a scan gives, in its order."""
    return [entry async for entries in snapshot.scan(Prefix(prefix), start=start, stop=stop) for entry in entries]


async def keys(store: Store, prefix: bytes = b"", *, start: bytes = b"", stop: bytes | None = None) -> list[bytes]:
    return [key for key, _ in await read(await store.snapshot(), prefix, start=start, stop=stop)]
