"""Who owns a store: what the engine asks before it answers a statement, writes or opens anything."""

from __future__ import annotations

from typing import Protocol


class Ownership(Protocol):
    """One server's right to answer from a store and to write it, for all its lakes together."""

    @property
    def is_lease(self) -> bool:
        """Whether owning is decided by a lease in the store. Its holder may open a database again that a process
        without the lease has opened meanwhile."""

    @property
    def is_lost(self) -> bool:
        """Whether another server owns the store. It stays so."""

    def require(self) -> None:
        """Raises CannotConnectNow once another server owns the store, StoreUnavailable while nobody can tell."""

    async def wait(self) -> None:
        """As ``require``, after waiting a moment for a renewal that is under way."""

    async def confirm(self) -> None:
        """As ``require``, for what takes a while: at least half of the lease is left, renewed now if need be."""


class Undisputed:
    """Of a store that no other server can reach: in memory, or in a folder that the operating system locks."""

    is_lease = False
    is_lost = False

    def require(self) -> None:
        return

    async def wait(self) -> None:
        return

    async def confirm(self) -> None:
        return


UNDISPUTED = Undisputed()
