"""What copying asks of a catalog: to be read as of one moment, and to be written all at once."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Protocol, TypeVar

from rocklake_server.transfer.notes import CatalogNotes
from rocklake_server.transfer.relations import CatalogContents, CatalogRelation, Row

T = TypeVar("T")


class Source(Protocol):
    """A catalog as it was when it was opened."""

    async def contents(self) -> CatalogContents: ...

    def rows(self, relation: CatalogRelation) -> AsyncIterator[Sequence[Row]]:
        """In batches."""

    async def aclose(self) -> None: ...


class Target(Protocol):
    """A catalog that comes into being: nobody sees anything of it before ``publish`` returns."""

    async def create(self, relation: CatalogRelation) -> None: ...

    async def write(self, relation: CatalogRelation, rows: Sequence[Row]) -> None: ...

    async def as_kept(self, relation: CatalogRelation, rows: Sequence[Row], /) -> Sequence[Row]:
        """``rows`` as ``rows_kept`` gives them back when all is well: a catalog that holds a value in another type
        than text may write its text differently."""

    def rows_kept(self, relation: CatalogRelation) -> AsyncIterator[Sequence[Row]]:
        """What was written, read back."""

    async def annotate(self, notes: CatalogNotes) -> Sequence[str]:
        """After all rows: comments and indexes. Returns the names of those that it does not hold."""

    async def publish(self) -> None: ...

    async def abandon(self) -> None:
        """Nothing is left of what was written; harmless after ``publish``."""


class BlockingThread:
    """The one thread that a database driver's calls run on: the event loop stays free to renew a lease."""

    def __init__(self, name: str) -> None:
        self._thread = ThreadPoolExecutor(1, f"rocklake-{name}")

    async def run(self, call: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._thread, call)

    async def batches(self, start: Callable[[], Iterator[T]]) -> AsyncIterator[T]:
        """What the iterator made by ``start`` yields, each step on the thread."""
        iterator = await self.run(start)
        while (item := await self.run(lambda: next(iterator, None))) is not None:
            yield item

    def close(self) -> None:
        self._thread.shutdown(wait=False)
