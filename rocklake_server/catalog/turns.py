"""Whose turn it is in a database that is empty or of an old catalog version.

A client fills or migrates a catalog on the strength of what it read first, and gives up when another one was quicker.
So read-write blocks begin one after another there: the next one reads what the one before it made. A block's turn ends
with the block, or as soon as it reads rows other than the metadata's without having changed anything: then it neither
fills nor migrates.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection
from typing import Protocol

from rocklake_server.catalog.image import WHOLE, RelationImage
from rocklake_server.catalog.lake import Lake

METADATA = "ducklake_metadata"
OLD_VERSIONS = frozenset({"0.1", "0.2", "0.3-dev1", "0.3", "0.4-dev1", "0.4"})
"""Catalog versions that DuckLake's ATTACH migrates."""

PATIENCE_S = 3.0
"""How long a block waits for one that has not begun to fill or migrate, whose turn lapses then; for one that has, it
waits to the end."""


class Writer(Protocol):
    """What holds a turn."""

    @property
    def writes(self) -> bool:
        """Whether COMMIT has anything to write."""
        ...


class Turn:
    """The turn of one database."""

    def __init__(self) -> None:
        self._lock = asyncio.Lock()
        self._holder: Writer | None = None
        self._settled: dict[int, RelationImage] = {}

    async def take(self, holder: Writer, lakes: Callable[[], Awaitable[Collection[Lake]]]) -> bool:
        """Wait for the turn if the database, whose lakes ``lakes`` answers, needs turns. False when it does not, or
        not any more."""
        if not self._lock.locked() and await self._are_settled(await lakes()):
            return False
        await self._acquire()
        settled = True
        try:
            settled = await self._are_settled(await lakes())
        finally:
            if settled:
                self._lock.release()
        if not settled:
            self._holder = holder
        return not settled

    def give_up(self, holder: Writer) -> None:
        """By the holder; harmless when its turn has lapsed."""
        if self._holder is holder:
            self._holder = None
            self._lock.release()

    async def _acquire(self) -> None:
        try:
            async with asyncio.timeout(PATIENCE_S):
                await self._lock.acquire()
        except TimeoutError:
            if self._holder is not None and not self._holder.writes:
                self.give_up(self._holder)
            await self._lock.acquire()

    async def _are_settled(self, lakes: Collection[Lake]) -> bool:
        if all(lake.is_empty for lake in lakes):
            return False
        return all([await self._is_settled(lake) for lake in lakes])

    async def _is_settled(self, lake: Lake) -> bool:
        """Whether the lake's catalog is of no old version. Remembered until its metadata changes."""
        newest = lake.newest
        relation = newest.relations.by_name.get(METADATA)
        known = self._settled.get(lake.slot)
        if known is not None and relation is not None and newest.image(relation.relation_id) is known:
            return True
        if relation is None or not {"key", "value"} <= {column.name for column in relation.columns}:
            return True
        image = await lake.complete(newest, relation)
        key, value = (
            next(i for i, c in enumerate(relation.columns) if c.name == name) for name in ("key", "value")
        )
        part = image.parts.get(WHOLE)
        if part is not None and any(
            row[key] == "version" and row[value] in OLD_VERSIONS for _, row in part.image.entries()
        ):
            return False
        self._settled[lake.slot] = image
        return True
