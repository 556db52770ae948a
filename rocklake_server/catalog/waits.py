"""Who holds which primary key that is not committed yet, and who waits for whom."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Collection, Hashable, Iterable, Sequence

from rocklake_server.errors import DeadlockDetected, LockNotAvailable


class Holder:
    """One session, or the transaction of a command, as others see it: whom it waits for. ``gives_way`` is set while
    that is no more than another one's turn: False as its result ends the wait with an error. ``process_id`` names the
    session to people, and is 0 for what is none."""

    __slots__ = ("gives_way", "process_id", "waits_for")

    def __init__(self, process_id: int = 0) -> None:
        self.process_id = process_id
        self.waits_for: Collection[Holder] = ()
        self.gives_way: asyncio.Future[bool] | None = None

    def go_on(self) -> None:
        """It waits for nothing any more."""
        self.waits_for = ()
        self.gives_way = None


class Waiters:
    """Transactions that wait for one thing, in the order in which they came."""

    def __init__(self) -> None:
        self._waiting: deque[tuple[Holder, asyncio.Future[bool]]] = deque()

    def __len__(self) -> int:
        return len(self._waiting)

    async def wait(
        self, holder: Holder, owner: Holder, timeout_s: float | None, *, gives_way: bool = False
    ) -> None:
        """Until woken. Raises DeadlockDetected when waiting for ``owner`` would close a cycle or, if it ``gives_way``,
        when someone else's wait does; LockNotAvailable after ``timeout_s``."""
        break_cycle(holder, (owner,), gives_way=gives_way)
        woken: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        entry = holder, woken
        self._waiting.append(entry)
        holder.waits_for, holder.gives_way = (owner,), woken if gives_way else None
        try:
            async with asyncio.timeout(timeout_s):
                may_go_on = await woken
        except TimeoutError:
            raise LockNotAvailable("canceling statement due to lock timeout") from None
        finally:
            holder.go_on()
            if entry in self._waiting:
                self._waiting.remove(entry)
        if not may_go_on:
            raise DeadlockDetected.default()

    def wake_first(self) -> Holder | None:
        """The one that waited longest goes on; the others wait for it from now on."""
        while self._waiting:
            holder, woken = self._waiting.popleft()
            if not woken.done():
                holder.go_on()
                woken.set_result(True)
                for other, unwoken in self._waiting:
                    if not unwoken.done():
                        other.waits_for = (holder,)
                return holder
        return None

    def wake_all(self) -> None:
        waiting, self._waiting = self._waiting, deque()
        for holder, woken in waiting:
            if not woken.done():
                holder.go_on()
                woken.set_result(True)


def break_cycle(holder: Holder, owners: Collection[Holder], *, gives_way: bool = False) -> None:
    """See that ``holder`` may wait for ``owners``: in a cycle, who waits for a turn alone fails, or else ``holder``
    with DeadlockDetected."""
    while cycle := _cycle(holder, owners):
        if gives_way or not _makes_way(cycle):
            raise DeadlockDetected.default()


def _cycle(holder: Holder, owners: Collection[Holder]) -> list[Holder]:
    """Those who wait for each other from one of ``owners`` to ``holder``; empty without a cycle."""
    seen: set[Holder] = set()
    paths = [[owner] for owner in owners]
    while paths:
        path = paths.pop()
        if path[-1] is holder:
            return path
        if path[-1] not in seen:
            seen.add(path[-1])
            paths += [[*path, following] for following in path[-1].waits_for]
    return []


def _makes_way(cycle: Collection[Holder]) -> bool:
    for each in cycle:
        if each.gives_way is not None and not each.gives_way.done():
            each.gives_way.set_result(False)
            each.go_on()
            return True
    return False


class PendingKeys:
    """Primary keys that open transactions have inserted or deleted."""

    def __init__(self) -> None:
        self._owners: dict[Hashable, Holder] = {}
        self._waiters: dict[Hashable, Waiters] = {}
        self._keys: dict[Holder, dict[Hashable, None]] = {}

    def take_now(self, key: Hashable, holder: Holder) -> bool:
        """Register ``holder`` for ``key``; False when another open transaction holds it."""
        owner = self._owners.get(key)
        if owner is None:
            self._owners[key] = holder
            self._keys.setdefault(holder, {})[key] = None
            return True
        return owner is holder

    def take_all_now(self, keys: Sequence[Hashable], holder: Holder) -> bool:
        """Register ``holder`` for all of ``keys``; False, and for none of them, when somebody holds one."""
        if not self._owners.keys().isdisjoint(keys):
            return False
        self._owners.update(dict.fromkeys(keys, holder))
        self._keys.setdefault(holder, {}).update(dict.fromkeys(keys))
        return True

    async def take(self, key: Hashable, holder: Holder, timeout_s: float | None) -> None:
        """Register ``holder`` for ``key``, waiting until any other holder has given it back.
        Raises DeadlockDetected at once when the wait would close a cycle, LockNotAvailable after ``timeout_s``."""
        if not self.take_now(key, holder):
            waiters = self._waiters.setdefault(key, Waiters())
            await waiters.wait(holder, self._owners[key], timeout_s)

    def count(self, holder: Holder) -> int:
        """How many keys ``holder`` has, to ``release_since``."""
        return len(self._keys.get(holder, ()))

    def release(self, holder: Holder) -> None:
        """End of ``holder``'s transaction: its keys are free, or the next one's who waits for them."""
        self._hand_on(self._keys.pop(holder, ()))

    def release_since(self, holder: Holder, count: int) -> None:
        """Give back all but the first ``count`` keys."""
        keys = self._keys.get(holder)
        if keys is not None and len(keys) > count:
            later = list(keys)[count:]
            for key in later:
                del keys[key]
            self._hand_on(later)

    def _hand_on(self, keys: Iterable[Hashable]) -> None:
        for key in keys:
            waiters = self._waiters.get(key) if self._waiters else None
            successor = waiters.wake_first() if waiters is not None else None
            if successor is None:
                del self._owners[key]
                self._waiters.pop(key, None)
            else:
                self._owners[key] = successor
                self._keys.setdefault(successor, {})[key] = None
