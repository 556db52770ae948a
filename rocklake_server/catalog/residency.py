"""How much memory the images of all lakes take, and what goes when it is too much.

Every part of an image can be read again through the store snapshot of its root: what commits changed since it was
loaded is durable before it is published. So the parts that were not used for longest are forgotten. A transaction that
is reading one keeps it until it has done so.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Set
from itertools import count
from typing import NamedTuple, Protocol

from rocklake_server.catalog.image import Partition
from rocklake_server.catalog.root import Root
from rocklake_server.limits import IMAGE_MEMORY_MIB_DEFAULT
from rocklake_server.pacing import checked, in_slices
from rocklake_server.telemetry import apart

logger = logging.getLogger(__name__)

KEPT_SHARE = 0.75
"""How much of the bound remains after parts were forgotten, so that not every load has to make room."""


class Resident(Protocol):
    """A lake. ``used`` tells when each part, by relation id and partition, was asked for last."""

    newest: Root
    used: dict[tuple[int, Partition], int]


class Loaded(NamedTuple):
    """A part of a lake's newest root; sorted by when it was used last."""

    used: int
    size_bytes: int
    lake: Resident
    relation_id: int
    partition: Partition


class Residency:
    """Of the lakes of a server."""

    def __init__(self, bytes_max: int = IMAGE_MEMORY_MIB_DEFAULT << 20) -> None:
        self.bytes_max = bytes_max
        self._lakes: list[Resident] = []
        self._uses = count(1)
        self.about_bytes = 0
        self._reducing: asyncio.Task[None] | None = None

    def add(self, lake: Resident) -> None:
        self._lakes.append(lake)

    def remove(self, lake: Resident) -> None:
        self._lakes = [known for known in self._lakes if known is not lake]

    def next_use(self) -> int:
        """A number greater than those before it."""
        return next(self._uses)

    def grown(self, size_bytes: int) -> None:
        """Something was loaded: make room, in the background, if it is too much now."""
        self.about_bytes += size_bytes
        if self.about_bytes > self.bytes_max:
            self.look()

    def look(self) -> None:
        """Measure, in the background, and make room if it is too much."""
        if self._reducing is None or self._reducing.done():
            self._reducing = asyncio.create_task(self.reduce(), context=apart())

    async def settled(self) -> None:
        """Until what runs in the background is over."""
        if self._reducing is not None:
            await asyncio.wait([self._reducing])

    async def close(self) -> None:
        if self._reducing is not None:
            self._reducing.cancel()
        await self.settled()

    async def reduce(self) -> None:
        """Forget the parts that were not used for longest, if all together take more than ``bytes_max``. The one that
        was used last stays, however big it is."""
        loaded = await in_slices(self._measured)
        total = sum(part.size_bytes for part in loaded)
        if total > self.bytes_max:
            loaded.sort(key=lambda part: part.used)
            kept = total
            going: dict[tuple[Resident, int], set[Partition]] = {}
            for part in loaded[:-1]:
                if kept <= self.bytes_max * KEPT_SHARE:
                    break
                going.setdefault((part.lake, part.relation_id), set()).add(part.partition)
                kept -= part.size_bytes
            for (lake, relation_id), partitions in going.items():
                _forget(lake, relation_id, partitions)
            logger.info("images take %d MiB of memory; %d MiB remain", total >> 20, kept >> 20)
            total = kept
        self.about_bytes = total

    def _measured(self) -> list[Loaded]:
        return [
            Loaded(lake.used.get((relation_id, partition), 0), part.size_bytes, lake, relation_id, partition)
            for lake in self._lakes
            for relation_id, image in list(lake.newest.images.items())
            for partition, part in checked(list(image.parts.items()))
        ]


def _forget(lake: Resident, relation_id: int, partitions: Set[Partition]) -> None:
    images = lake.newest.images
    if relation_id in images:
        images[relation_id] = images[relation_id].without(partitions)
    for partition in partitions:
        lake.used.pop((relation_id, partition), None)
