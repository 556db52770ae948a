"""Advisory locks: numbers that clients lock by agreement, for a session or for a transaction.

Source: PostgreSQL manual, Advisory Locks. Who waits is served in order, but for one that holds the lock already and
asks for more of it: it goes before whom it would otherwise wait for in vain. Locks of one session never exclude each
other.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterator
from enum import Enum
from typing import NamedTuple

from rocklake_server.catalog.waits import Holder, break_cycle
from rocklake_server.errors import LockNotAvailable, OutOfMemory
from rocklake_server.limits import ADVISORY_LOCKS_MAX


class LockMode(Enum):
    """The values are pg_locks'."""

    SHARED = "ShareLock"
    EXCLUSIVE = "ExclusiveLock"

    def excludes(self, other: LockMode) -> bool:
        return self is LockMode.EXCLUSIVE or other is LockMode.EXCLUSIVE


class Scope(Enum):
    SESSION = "session"
    TRANSACTION = "transaction"


class AdvisoryKey(NamedTuple):
    """As pg_locks shows it: ``subid`` is 1 for a bigint, whose halves are ``classid`` and ``objid``, and 2 for two
    integers."""

    database: str
    classid: int
    objid: int
    subid: int

    @classmethod
    def of(cls, database: str, *numbers: int) -> AdvisoryKey:
        """From one bigint or two integers."""
        if len(numbers) == 1:
            return cls(database, numbers[0] >> 32 & 0xFFFF_FFFF, numbers[0] & 0xFFFF_FFFF, 1)
        first, second = numbers
        return cls(database, first & 0xFFFF_FFFF, second & 0xFFFF_FFFF, 2)


class HeldLock(NamedTuple):
    """One line of pg_locks. ``since_s`` is the event loop's time at which a wait began, 0 for what is granted."""

    key: AdvisoryKey
    holder: Holder
    mode: LockMode
    granted: bool
    since_s: float = 0.0


_Hold = tuple[LockMode, Scope]


class _Request(NamedTuple):
    holder: Holder
    mode: LockMode
    scope: Scope
    granted: asyncio.Future[None]
    since_s: float


class _Lock:
    """One key's holders, with how often each took it, and who waits for it."""

    def __init__(self) -> None:
        self.held: dict[Holder, Counter[_Hold]] = {}
        self.waiting: list[_Request] = []

    def blockers(self, holder: Holder, mode: LockMode, ahead: list[_Request]) -> list[Holder]:
        """Those who have to let go, or be served, before ``holder`` can have the lock."""
        found = [
            other for other, holds in self.held.items()
            if other is not holder and any(held.excludes(mode) for held, _ in holds)
        ]
        return found + [request.holder for request in ahead if request.mode.excludes(mode)]

    def place_of(self, holder: Holder) -> int:
        """Where a new request goes: before the first that waits for what ``holder`` has already."""
        own = [mode for mode, _ in self.held.get(holder, ())]
        for place, request in enumerate(self.waiting):
            if any(mode.excludes(request.mode) for mode in own):
                return place
        return len(self.waiting)

    def give(self, holder: Holder, hold: _Hold) -> None:
        self.held.setdefault(holder, Counter())[hold] += 1

    def take_back(self, holder: Holder, hold: _Hold) -> None:
        holds = self.held[holder]
        holds[hold] -= 1
        if not holds[hold]:
            del holds[hold]
        if not holds:
            del self.held[holder]

    def take_back_all(self, holder: Holder, scope: Scope) -> None:
        for mode in LockMode:
            self.held[holder].pop((mode, scope), None)
        if not self.held[holder]:
            del self.held[holder]

    def is_held(self, holder: Holder, scope: Scope) -> bool:
        return any(its is scope for _, its in self.held.get(holder, ()))


class AdvisoryLocks:
    """All databases'. Bounded by ADVISORY_LOCKS_MAX."""

    def __init__(self) -> None:
        self._locks: dict[AdvisoryKey, _Lock] = {}
        self.of_transactions: dict[Holder, list[tuple[AdvisoryKey, LockMode]]] = {}
        self._of_session: dict[Holder, set[AdvisoryKey]] = {}

    # -- taking -------------------------------------------------------------------------------------------------------

    def take_now(self, key: AdvisoryKey, holder: Holder, mode: LockMode, scope: Scope) -> bool:
        """Take the lock if it can be had at once. Raises OutOfMemory."""
        lock = self._locks.get(key)
        if lock is None:
            if len(self._locks) >= ADVISORY_LOCKS_MAX:
                raise OutOfMemory("out of memory for advisory locks", hint="Release some of those that are held.")
            lock = self._locks[key] = _Lock()
        has_it = any(held is mode for held, _ in lock.held.get(holder, ()))
        if not has_it and lock.blockers(holder, mode, lock.waiting[: lock.place_of(holder)]):
            return False
        self._give(key, lock, holder, mode, scope)
        return True

    async def take(
        self, key: AdvisoryKey, holder: Holder, mode: LockMode, scope: Scope, timeout_s: float | None
    ) -> None:
        """Take the lock, waiting for whoever has it. Raises DeadlockDetected at once when the wait would close a
        cycle, LockNotAvailable after ``timeout_s``, OutOfMemory."""
        if self.take_now(key, holder, mode, scope):
            return
        lock = self._locks[key]
        place = lock.place_of(holder)
        blockers = lock.blockers(holder, mode, lock.waiting[:place])
        break_cycle(holder, blockers)
        loop = asyncio.get_running_loop()
        request = _Request(holder, mode, scope, loop.create_future(), loop.time())
        lock.waiting.insert(place, request)
        self._serve(key, lock)
        try:
            async with asyncio.timeout(timeout_s):
                await request.granted
        except TimeoutError:
            if not request.granted.done() or request.granted.cancelled():
                raise LockNotAvailable("canceling statement due to lock timeout") from None
        except BaseException:
            if scope is Scope.SESSION and request.granted.done() and not request.granted.cancelled():
                self._let_go(key, holder, mode, scope)
            raise
        finally:
            holder.go_on()
            if request in lock.waiting:
                lock.waiting.remove(request)
                self._serve(key, lock)

    def _give(self, key: AdvisoryKey, lock: _Lock, holder: Holder, mode: LockMode, scope: Scope) -> None:
        """A transaction has a lock once, however often it takes it: nothing gives it back one by one."""
        if scope is Scope.TRANSACTION and (mode, scope) in lock.held.get(holder, ()):
            return
        lock.give(holder, (mode, scope))
        if scope is Scope.TRANSACTION:
            self.of_transactions.setdefault(holder, []).append((key, mode))
        else:
            self._of_session.setdefault(holder, set()).add(key)

    def _serve(self, key: AdvisoryKey, lock: _Lock) -> None:
        """Give the lock to those who can have it now, and note whom the others wait for."""
        for request in list(lock.waiting):
            blockers = lock.blockers(request.holder, request.mode, lock.waiting[: lock.waiting.index(request)])
            if blockers:
                request.holder.waits_for = blockers
            else:
                lock.waiting.remove(request)
                request.holder.go_on()
                if not request.granted.done():
                    self._give(key, lock, request.holder, request.mode, request.scope)
                    request.granted.set_result(None)
        if not lock.held and not lock.waiting:
            self._locks.pop(key, None)

    # -- letting go ---------------------------------------------------------------------------------------------------

    def release(self, key: AdvisoryKey, holder: Holder, mode: LockMode) -> bool:
        """Give back one of a session's own takings; False when it has none."""
        lock = self._locks.get(key)
        if lock is None or (mode, Scope.SESSION) not in lock.held.get(holder, ()):
            return False
        self._let_go(key, holder, mode, Scope.SESSION)
        return True

    def release_session(self, holder: Holder) -> None:
        """Everything that a session took for itself."""
        for key in self._of_session.pop(holder, ()):
            lock = self._locks[key]
            lock.take_back_all(holder, Scope.SESSION)
            self._serve(key, lock)

    def count(self, holder: Holder) -> int:
        """How many takings a transaction has, to ``release_since``."""
        return len(self.of_transactions.get(holder, ()))

    def release_since(self, holder: Holder, count: int = 0) -> None:
        """Give back all of a transaction's takings but the first ``count``."""
        taken = self.of_transactions.get(holder)
        if taken is None:
            return
        later = taken[count:]
        del taken[count:]
        if not taken:
            del self.of_transactions[holder]
        for key, mode in later:
            self._let_go(key, holder, mode, Scope.TRANSACTION)

    def _let_go(self, key: AdvisoryKey, holder: Holder, mode: LockMode, scope: Scope) -> None:
        lock = self._locks[key]
        lock.take_back(holder, (mode, scope))
        if scope is Scope.SESSION and not lock.is_held(holder, scope):
            keys = self._of_session[holder]
            keys.discard(key)
            if not keys:
                del self._of_session[holder]
        self._serve(key, lock)

    # -- looking ------------------------------------------------------------------------------------------------------

    def held(self) -> Iterator[HeldLock]:
        """What is held and what is waited for."""
        for key, lock in self._locks.items():
            for holder, holds in lock.held.items():
                for mode in dict.fromkeys(mode for mode, _ in holds):
                    yield HeldLock(key, holder, mode, granted=True)
            for request in lock.waiting:
                yield HeldLock(key, request.holder, request.mode, granted=False, since_s=request.since_s)
