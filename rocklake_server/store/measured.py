"""A store whose calls are timed, for a server that is watched."""

from __future__ import annotations

from collections.abc import AsyncIterator
from time import perf_counter

from rocklake_server.activity import StoreTimes
from rocklake_server.store.base import Entry, Key, Prefix, Store, StoreSnapshot
from rocklake_server.store.layer import StoreLayer


class MeasuredSnapshot:
    """As ``StoreSnapshot``."""

    __slots__ = ("_inner", "_times")

    def __init__(self, inner: StoreSnapshot, times: StoreTimes) -> None:
        self._inner = inner
        self._times = times

    async def get(self, key: Key) -> bytes | None:
        began_s = perf_counter()
        try:
            return await self._inner.get(key)
        finally:
            self._times.since("get", began_s)

    async def scan(self, prefix: Prefix, *, start: bytes = b"", stop: bytes | None = None
                   ) -> AsyncIterator[list[Entry]]:
        """What is done with a batch before the next one is asked for does not count."""
        elsewhere_s = 0.0
        began_s = perf_counter()
        try:
            async for entries in self._inner.scan(prefix, start=start, stop=stop):
                left_s = perf_counter()
                yield entries
                elsewhere_s += perf_counter() - left_s
        finally:
            self._times.since("scan", began_s + elsewhere_s)


class MeasuredStore(StoreLayer):
    """As ``Store``. Writes are timed where they are committed, flushes where they are made."""

    def __init__(self, inner: Store, times: StoreTimes) -> None:
        super().__init__(inner)
        self._times = times

    async def snapshot(self) -> StoreSnapshot:
        began_s = perf_counter()
        try:
            return MeasuredSnapshot(await self.inner.snapshot(), self._times)
        finally:
            self._times.since("snapshot", began_s)

    async def reopen(self) -> None:
        began_s = perf_counter()
        try:
            await self.inner.reopen()
        finally:
            self._times.since("reopen", began_s)
