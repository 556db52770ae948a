"""The protocol that every store fulfils: ordered keys, atomic durable batches, snapshots."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from typing import NewType, Protocol

Key = NewType("Key", bytes)
Prefix = NewType("Prefix", bytes)
Entry = tuple[Key, bytes]


@dataclass(slots=True)
class WriteBatch:
    """Puts and deletes that land together or not at all. Of several operations on one key the last one counts."""

    operations: dict[Key, bytes | None] = field(default_factory=dict)

    def put(self, key: Key, value: bytes) -> None:
        self.operations[key] = value

    def delete(self, key: Key) -> None:
        self.operations[key] = None

    @property
    def size_bytes(self) -> int:
        return sum(map(len, self.operations)) + sum(map(len, filter(None, self.operations.values())))


class StoreSnapshot(Protocol):
    """A frozen picture of the store: only batches that were durable when it was taken."""

    async def get(self, key: Key) -> bytes | None:
        """The value of ``key``, or ``None``. Raises StoreUnavailable."""

    def scan(self, prefix: Prefix, *, start: bytes = b"", stop: bytes | None = None) -> AsyncIterator[list[Entry]]:
        """Entries whose key starts with ``prefix``, in key order, in batches. ``start`` (inclusive) and ``stop``
        (exclusive) are suffixes that narrow the range within the prefix. Raises StoreUnavailable."""


class Store(Protocol):
    """A writable store, held by one process."""

    async def snapshot(self) -> StoreSnapshot: ...

    async def write(self, batch: WriteBatch) -> None:
        """Write ``batch`` atomically and return once it is durable. Raises StoreUnavailable when nothing was
        written, OutcomeUnknown when that is not known. Must not be cancelled: callers shield it."""

    @property
    def needs_reopen(self) -> bool:
        """Whether every call fails until ``reopen``: the outcome of a write is unknown, or the handle is lost."""

    @property
    def is_fenced(self) -> bool:
        """Whether it is known that another process has opened the store for writing since this one did. It is that
        one's then, and ``reopen`` refuses, unless this server holds a lease on it."""

    async def durable_values(self, keys: Sequence[Key]) -> list[bytes | None]:
        """The values of ``keys`` as the store has them now, whoever wrote them: works after a takeover too, and changes
        nothing. Raises StoreUnavailable."""

    async def reopen(self) -> None:
        """Open a new handle, which shows whether a write in doubt landed. Snapshots of the old one are unusable.
        May be repeated. Raises StoreUnavailable."""

    async def close(self) -> None:
        """Flush and release. Idempotent."""
