"""Order among the writers of one lake: who lost twice in a row gets the next snapshot; quick writers line up for it.

A DuckLake client reads the newest snapshot and inserts the one after it several round trips later. Whoever is first
wins; the others sleep, read again, and give up when they lost too often. So the third attempt has a turn: it begins
when nobody has a snapshot row under way, and until it ends, or the turn has lasted too long, others wait before they
insert one. What it read is then still the newest when it commits. Where waiting for the blocks ahead takes less time
than losing against them, a session whose last block committed a snapshot asks for a turn at once.
"""

from __future__ import annotations

import asyncio

from rocklake_server.catalog.waits import Holder, Waiters
from rocklake_server.errors import DeadlockDetected, LockNotAvailable
from rocklake_server.limits import LINE_S_MAX, LOSSES_IN_A_ROW_MAX, SNAPSHOT_TURN_S_MAX

NEWS_SHARE = 0.125
"""What the newest block changes in the typical time of blocks."""

PATIENCE = 8
LASTS_S_MIN = 0.1
"""A turn may take so many times the typical time of a block, and so long in any case."""


class SnapshotTurn:
    """Of one lake. Sessions that ask for it have it one after another, in the order in which they asked."""

    def __init__(self) -> None:
        self._owner: Holder | None = None
        self._lapse: asyncio.TimerHandle | None = None
        self._queue = Waiters()
        self._held_up = Waiters()
        self._inserting: dict[Holder, Waiters] = {}
        self._typical_s: float | None = None

    # -- how long it takes ------------------------------------------------------------------------------------------

    def took(self, block_s: float) -> None:
        """A block committed a snapshot so long after its first statement."""
        typical_s = block_s if self._typical_s is None else self._typical_s
        self._typical_s = typical_s + NEWS_SHARE * (block_s - typical_s)

    @property
    def is_short_line(self) -> bool:
        """Whether to wait for everybody ahead costs less than to lose against one of them."""
        return self._typical_s is not None and (len(self._queue) + 1) * self._typical_s <= LINE_S_MAX

    @property
    def _lasts_s_max(self) -> float:
        if self._typical_s is None:
            return SNAPSHOT_TURN_S_MAX
        return min(max(PATIENCE * self._typical_s, LASTS_S_MIN), SNAPSHOT_TURN_S_MAX)

    def is_inserting(self, holder: Holder) -> bool:
        """Whether ``holder``'s transaction has inserted a snapshot row."""
        return holder in self._inserting

    # -- the one whose turn it is -----------------------------------------------------------------------------------

    async def take(self, holder: Holder, timeout_s: float | None) -> None:
        """Before ``holder``'s first statement, which is to see the newest snapshot. Never fails: who cannot wait goes
        on without the turn."""
        if self._owner is None:
            self._begin(holder)
        try:
            if self._owner is not holder and self._owner is not None:
                await self._queue.wait(holder, self._owner, timeout_s, gives_way=True)
            while self._owner is holder and (ahead := next(iter(self._inserting), None)) is not None:
                await self._inserting[ahead].wait(holder, ahead, timeout_s, gives_way=True)
        except (LockNotAvailable, DeadlockDetected):
            self.release(holder)

    def _begin(self, holder: Holder) -> None:
        self._owner = holder
        self._lapse = asyncio.get_running_loop().call_later(self._lasts_s_max, self._end)

    def _end(self) -> None:
        """The turn is over. Its owner goes on without it if it still waits for those ahead of it."""
        if self._lapse is not None:
            self._lapse.cancel()
        self._owner = self._lapse = None
        for waiters in self._inserting.values():
            waiters.wake_all()
        successor = self._queue.wake_first()
        if successor is not None:
            self._begin(successor)
        self._held_up.wake_all()

    # -- everybody --------------------------------------------------------------------------------------------------

    def insert_now(self, holder: Holder) -> bool:
        """``holder`` is about to insert a snapshot row; False when it is someone else's turn."""
        if self._owner is not None and self._owner is not holder:
            return holder in self._inserting
        self._inserting.setdefault(holder, Waiters())
        return True

    async def wait(self, holder: Holder, timeout_s: float | None) -> None:
        """Wait for the end of the turn that keeps ``holder`` from inserting a snapshot row. The next one may have begun
        then. Raises DeadlockDetected, LockNotAvailable."""
        if self._owner is None:
            raise AssertionError("who may not insert waits for someone")
        await self._held_up.wait(holder, self._owner, timeout_s, gives_way=True)

    def release(self, holder: Holder) -> None:
        """The end of ``holder``'s transaction."""
        waiters = self._inserting.pop(holder, None)
        if waiters is not None:
            waiters.wake_all()
        if self._owner is holder:
            self._end()


class Losses:
    """How often in a row the read-write blocks of one session failed because others were first, and in which lake; or
    where the last one committed a snapshot."""

    def __init__(self) -> None:
        self._turn: SnapshotTurn | None = None
        self._count = 0
        self._won: SnapshotTurn | None = None

    @property
    def turn(self) -> SnapshotTurn | None:
        """The turn that the session's next block asks for."""
        if self._count >= LOSSES_IN_A_ROW_MAX:
            return self._turn
        return self._won if self._won is not None and self._won.is_short_line else None

    def add(self, turn: SnapshotTurn) -> None:
        """A block lost against another in the lake of ``turn``."""
        self._count = self._count + 1 if turn is self._turn else 1
        self._turn = turn

    def forget(self, won: SnapshotTurn | None = None) -> None:
        """A block ended otherwise; ``won`` is the turn of the lake in which it committed a snapshot."""
        self._count = 0
        self._turn = None
        self._won = won
