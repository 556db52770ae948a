"""The system store of a running server: writes that are durable when they return, and recovery after a failure."""

from __future__ import annotations

import asyncio
import logging
from abc import abstractmethod

from rocklake_server.catalog.listing import FORMAT, require_format
from rocklake_server.errors import CatalogError, OutcomeUnknown, StoreUnavailable
from rocklake_server.store.base import Store, StoreSnapshot, WriteBatch
from rocklake_server.store.ownership import Ownership

logger = logging.getLogger(__name__)


class SystemStore:
    """The part of ``Directory`` that deals with the store. Whoever changes something holds ``_writing``."""

    def __init__(self, store: Store, ownership: Ownership) -> None:
        self._store = store
        self._ownership = ownership
        self._is_stale = False
        self._writing = asyncio.Lock()

    @abstractmethod
    async def _read(self, snapshot: StoreSnapshot) -> None:
        """Take the lists from the store."""

    async def close(self) -> None:
        await self._store.close()

    async def probe(self) -> None:
        """Read something from the store itself, past what is in memory. Raises StoreUnavailable, CorruptValue."""
        if self.needs_recovery:
            raise StoreUnavailable("the system store has to be opened again after a failure")
        (version,) = await self._store.durable_values([FORMAT])
        require_format(version)

    @property
    def needs_recovery(self) -> bool:
        return self._is_stale or self._store.needs_reopen

    async def recover(self) -> None:
        """After the store's handle was lost, or a change left in doubt: open another one and read the lists again.
        Raises CatalogError while that cannot be done."""
        async with self._writing:
            await self._recover()

    async def _recover(self) -> None:
        await self._ownership.wait()
        if self._store.needs_reopen:
            await self._store.reopen()
        if self._is_stale:
            await self._read(await self._store.snapshot())
            self._is_stale = False

    async def _write(self, batch: WriteBatch) -> None:
        """Durable when it returns. Raises StoreUnavailable when nothing was written, OutcomeUnknown when that cannot be
        known; then the lists are read again before the next change."""
        await self._recover()
        try:
            await self._store.write(batch)
        except OutcomeUnknown:
            self._is_stale = True
            if not await self._has_landed(batch):
                problem = "the store failed while the list of schemas was written; nothing was changed"
                raise StoreUnavailable(problem) from None

    async def _has_landed(self, batch: WriteBatch) -> bool:
        """Read back what was written. Raises OutcomeUnknown when the store does not answer."""
        try:
            await self._recover()
            values = [await (await self._store.snapshot()).get(key) for key in batch.operations]
        except CatalogError as error:
            logger.warning("cannot read the list of schemas back: %s", error)
            raise OutcomeUnknown(
                "the store failed while the list of schemas was written; whether it was kept is not known"
            ) from None
        return values == list(batch.operations.values())
