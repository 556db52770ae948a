"""Wraps a store and makes chosen calls fail, wait or stop, so that tests can see what the callers do then."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable, Sequence
from dataclasses import dataclass
from enum import Enum

from rocklake_server.errors import CannotConnectNow, OutcomeUnknown, StoreUnavailable
from rocklake_server.store.base import Entry, Key, Prefix, Store, StoreSnapshot, WriteBatch


class Mode(Enum):
    PASS = "do what is asked"
    FAIL_BEFORE = "raise StoreUnavailable and do nothing"
    FAIL_AFTER_LANDING = "do what is asked, then raise OutcomeUnknown"
    FAIL_UNKNOWN_NOT_LANDED = "do nothing, and raise OutcomeUnknown all the same"
    FENCE = "raise CannotConnectNow now and in every later call, as after another server's opening"


class Gate:
    """Holds a call until the test opens it. ``arrived`` is set when the call stands at the gate."""

    def __init__(self) -> None:
        self.arrived = asyncio.Event()
        self._open = asyncio.Event()

    def open(self) -> None:
        self._open.set()

    async def pass_through(self) -> None:
        self.arrived.set()
        await self._open.wait()


@dataclass(frozen=True, slots=True)
class Step:
    """What one call meets, in this order: the delay, the gate, the mode."""

    mode: Mode = Mode.PASS
    delay_s: float = 0.0
    gate: Gate | None = None


PASS = Step()


class Script:
    """Steps for the coming calls of one kind; calls beyond them meet ``afterwards``."""

    def __init__(self, steps: Iterable[Step] = (), *, afterwards: Step = PASS) -> None:
        self._steps = list(steps)
        self.afterwards = afterwards
        self.calls = 0

    def add(self, *steps: Step) -> None:
        self._steps.extend(steps)

    async def meet(self) -> Mode:
        self.calls += 1
        step = self._steps.pop(0) if self._steps else self.afterwards
        if step.delay_s:
            await asyncio.sleep(step.delay_s)
        if step.gate is not None:
            await step.gate.pass_through()
        return step.mode


def _refuse(mode: Mode) -> None:
    if mode is Mode.FAIL_BEFORE:
        raise StoreUnavailable("the store refuses, as its script says")
    if mode is Mode.FENCE:
        raise CannotConnectNow("the store was taken over, as its script says")
    if mode is not Mode.PASS:
        raise OutcomeUnknown("the store failed during a write, as its script says")


class FaultySnapshot:
    """A snapshot whose reads follow the store's read script."""

    def __init__(self, inner: StoreSnapshot, store: FaultyStore) -> None:
        self._inner = inner
        self._store = store

    async def get(self, key: Key) -> bytes | None:
        _refuse(await self._store.meet(self._store.reads))
        return await self._inner.get(key)

    async def scan(self, prefix: Prefix, *, start: bytes = b"", stop: bytes | None = None
                   ) -> AsyncIterator[list[Entry]]:
        _refuse(await self._store.meet(self._store.reads))
        async for entries in self._inner.scan(prefix, start=start, stop=stop):
            yield entries


class FaultyStore:
    """A store whose writes, snapshots and reads follow scripts; a get and a scan are one read each."""

    def __init__(self, inner: Store, *, writes: Iterable[Step] = (), snapshots: Iterable[Step] = (),
                 reads: Iterable[Step] = ()) -> None:
        self.inner = inner
        self.writes = Script(writes)
        self.snapshots = Script(snapshots)
        self.reads = Script(reads)
        self._is_fenced = False
        self._in_doubt = False

    @property
    def needs_reopen(self) -> bool:
        return self._is_fenced or self._in_doubt

    async def meet(self, script: Script) -> Mode:
        """The mode of the next call of ``script``; a fenced store stays so."""
        mode = await script.meet()
        self._is_fenced = self._is_fenced or mode is Mode.FENCE
        return Mode.FENCE if self._is_fenced else mode

    async def snapshot(self) -> StoreSnapshot:
        self._require_certain()
        _refuse(await self.meet(self.snapshots))
        return FaultySnapshot(await self.inner.snapshot(), self)

    async def write(self, batch: WriteBatch) -> None:
        self._require_certain()
        mode = await self.meet(self.writes)
        self._in_doubt = mode in (Mode.FAIL_AFTER_LANDING, Mode.FAIL_UNKNOWN_NOT_LANDED)
        if mode in (Mode.PASS, Mode.FAIL_AFTER_LANDING):
            await self.inner.write(batch)
        _refuse(mode)

    @property
    def is_fenced(self) -> bool:
        return self._is_fenced

    async def durable_values(self, keys: Sequence[Key]) -> list[bytes | None]:
        mode = await self.reads.meet()
        if mode is not Mode.PASS:
            raise StoreUnavailable("the store refuses, as its script says")
        return await self.inner.durable_values(keys)

    async def reopen(self) -> None:
        """As a real store's: what landed is there afterwards, and a store that was taken over stays lost."""
        if self._is_fenced:
            raise CannotConnectNow("another server has taken the store over")
        self._in_doubt = False

    async def close(self) -> None:
        await self.inner.close()

    def _require_certain(self) -> None:
        if self._in_doubt:
            raise CannotConnectNow("the store must be reopened after a failure")
