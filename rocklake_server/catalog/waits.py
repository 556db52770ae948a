"""Who holds which primary key that is not committed yet, and who waits for whom."""

from __future__ import annotations

import asyncio
from collections.abc import Hashable

from rocklake_server.errors import DeadlockDetected, LockNotAvailable


class Holder:
    """One open transaction as others see it: what it waits for, and its end."""

    __slots__ = ("ended", "waits_for")

    def __init__(self) -> None:
        self.ended: asyncio.Event = asyncio.Event()
        self.waits_for: Holder | None = None


class PendingKeys:
    """Primary keys that open transactions have inserted or deleted."""

    def __init__(self) -> None:
        self._holders: dict[Hashable, Holder] = {}
        self._keys: dict[Holder, set[Hashable]] = {}

    def take_now(self, key: Hashable, holder: Holder) -> bool:
        """Register ``holder`` for ``key``; False when another open transaction holds it."""
        owner = self._holders.setdefault(key, holder)
        if owner is not holder:
            return False
        self._keys.setdefault(holder, set()).add(key)
        return True

    async def take(self, key: Hashable, holder: Holder, timeout_s: float | None) -> None:
        """Register ``holder`` for ``key``, waiting until any other holder's transaction has ended.
        Raises DeadlockDetected at once when the wait would close a cycle, LockNotAvailable after ``timeout_s``."""
        while not self.take_now(key, holder):
            owner = self._holders[key]
            if _reaches(owner, holder):
                raise DeadlockDetected.default()
            holder.waits_for = owner
            try:
                await asyncio.wait_for(owner.ended.wait(), timeout_s)
            except TimeoutError:
                raise LockNotAvailable("canceling statement due to lock timeout") from None
            finally:
                holder.waits_for = None

    def release(self, holder: Holder) -> None:
        """End of ``holder``'s transaction: its keys are free and its waiters go on."""
        for key in self._keys.pop(holder, ()):
            del self._holders[key]
        holder.ended.set()


def _reaches(start: Holder, target: Holder) -> bool:
    current: Holder | None = start
    while current is not None:
        if current is target:
            return True
        current = current.waits_for
    return False
