"""Stores over a store: what a layer does not do itself, the one below it does."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from rocklake_server.store.base import Key, Store, StoreSnapshot, WriteBatch

Kind = TypeVar("Kind")


class StoreLayer:
    """As ``Store``: everything is handed to ``inner``."""

    def __init__(self, inner: Store) -> None:
        self.inner = inner

    async def snapshot(self) -> StoreSnapshot:
        return await self.inner.snapshot()

    async def write(self, batch: WriteBatch) -> None:
        await self.inner.write(batch)

    @property
    def needs_reopen(self) -> bool:
        return self.inner.needs_reopen

    @property
    def is_fenced(self) -> bool:
        return self.inner.is_fenced

    async def durable_values(self, keys: Sequence[Key]) -> list[bytes | None]:
        return await self.inner.durable_values(keys)

    async def reopen(self) -> None:
        await self.inner.reopen()

    async def close(self) -> None:
        await self.inner.close()


def layer_of(store: Store, kind: type[Kind]) -> Kind | None:
    """The outermost layer that is a ``kind``, ``store`` itself included; ``None`` when there is none. For what only one
    kind of store can do, as ``SlateStore.flush`` and ``SealedStore.rekey``."""
    found = store
    while not isinstance(found, kind):
        if not isinstance(found, StoreLayer):
            return None
        found = found.inner
    return found
