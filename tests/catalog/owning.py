"""A lease that a test holds, lets run out and loses by a word."""

from __future__ import annotations

from enum import Enum

from rocklake_server.errors import CannotConnectNow, StoreUnavailable


class Holds(Enum):
    YES = "the lease is ours"
    RUN_OUT = "it could not be renewed, and nobody can tell whose it is"
    LOST = "another server has it"


class SetLease:
    """Implements ``store.ownership.Ownership`` as ``holds`` says; ``asked`` counts confirmations."""

    is_lease = True

    def __init__(self) -> None:
        self.holds = Holds.YES
        self.asked = 0

    @property
    def is_lost(self) -> bool:
        return self.holds is Holds.LOST

    def require(self) -> None:
        if self.holds is Holds.LOST:
            raise CannotConnectNow("another server has the lease, as the test says")
        if self.holds is Holds.RUN_OUT:
            raise StoreUnavailable("the lease has run out, as the test says")

    async def wait(self) -> None:
        self.require()

    async def confirm(self) -> None:
        self.asked += 1
        self.require()
