"""The lease that one server at a time holds on an object store, renewed as long as the server lives.

The holder counts its lease from when it sent the renewal, by a clock that goes on while the process is stopped or the
machine sleeps. A lease that ran out and that nobody took meanwhile is renewed like any other: the conditional write
proves that nothing happened in between.
"""

from __future__ import annotations

import asyncio
import logging
import os
import random
import secrets
import socket
from contextlib import suppress
from dataclasses import replace

from rocklake_server.clock import ElapsedClock, elapsed_s
from rocklake_server.errors import CannotConnectNow, CatalogError, StoreUnavailable
from rocklake_server.store.lease_claim import TRUSTED_PART, Claim, Claimed
from rocklake_server.store.lease_object import LeaseObject, LeaseRecord, NoAnswer, Seen, Superseded, Version
from rocklake_server.store.object_stores import StoreLocation

logger = logging.getLogger(__name__)

_RENEWALS = 3
"""In the time of one lease."""

_REQUEST_PART = 1 / 5
"""Of the lease's time: how long one request may take."""

_WRITES_MAX = 5
"""Attempts to write a lease that changes meanwhile by late writes of our own, or by its new holder."""


class Lease:
    """Held from ``acquire`` to ``release``. Implements ``ownership.Ownership``."""

    is_lease = True

    def __init__(self, place: LeaseObject, record: LeaseRecord, claimed: Claimed, now: ElapsedClock) -> None:
        self.displaced = claimed.displaced
        """The server whose lease was not released when this one took it."""
        self._place = place
        self._record = record
        self._version: Version | None = claimed.version
        self._now = now
        self._trusted_s = record.lease_s * TRUSTED_PART
        self._trusted_until = claimed.since + self._trusted_s
        self._lost_to: str | None = None
        self._turn = asyncio.Lock()
        self._news = asyncio.Event()
        self._hurry = asyncio.Event()
        self._failures = 0
        self._keeper = asyncio.create_task(self._keep())

    @classmethod
    async def acquire(
        cls, location: StoreLocation, *, lease_s: float, takeover: bool, now: ElapsedClock = elapsed_s
    ) -> Lease:
        """Raises CannotConnectNow when another server holds the store and ``takeover`` is not set; StoreUnavailable,
        Unsupported, InvalidParameterValue, CorruptValue."""
        place = LeaseObject(location, timeout_s=lease_s * _REQUEST_PART)
        holder = f"process {os.getpid()} on {socket.gethostname()}"
        record = LeaseRecord(secrets.token_hex(8), holder, lease_s)
        return cls(place, record, await Claim(place, record, now).run(takeover=takeover), now)

    async def release(self) -> None:
        """Give the lease back, so that the next server waits for nothing. Raises nothing."""
        self._keeper.cancel()
        await asyncio.gather(self._keeper, return_exceptions=True)
        async with self._turn:
            if self._lost_to is None:
                self._record = replace(self._record, released=True)
                try:
                    await self._write()
                except (NoAnswer, CatalogError) as error:
                    logger.warning("the lease was not given back, so that the next server waits for its end: %s", error)
        self._trusted_until = self._now()

    # -- what the engine asks -----------------------------------------------------------------------------------------

    @property
    def is_lost(self) -> bool:
        return self._lost_to is not None

    @property
    def is_held(self) -> bool:
        return self._lost_to is None and self._now() < self._trusted_until

    def require(self) -> None:
        if self._lost_to is not None:
            raise CannotConnectNow(f'another server has taken store "{self._place.location}" over ({self._lost_to})')
        if not self._now() < self._trusted_until:
            raise StoreUnavailable(
                f'the lease on store "{self._place.location}" cannot be renewed, so that nothing can be answered'
            )

    async def wait(self) -> None:
        if not self.is_held and not self.is_lost:
            if not self._failures:
                self._hurry.set()  # the timer of a machine that slept may be late
            with suppress(TimeoutError):
                async with asyncio.timeout(self._record.lease_s / _RENEWALS):
                    await self._news.wait()
        self.require()

    async def confirm(self) -> None:
        if self._trusted_until - self._now() < self._trusted_s / 2:
            try:
                await self._renew()
            except NoAnswer as silence:
                raise silence.error from None
        self.require()

    # -- renewing -----------------------------------------------------------------------------------------------------

    async def _keep(self) -> None:
        """Renew until the lease is lost. Failures are repeated sooner than the next renewal would come."""
        while True:
            with suppress(TimeoutError):
                async with asyncio.timeout(self._pause_s()):
                    await self._hurry.wait()
            self._hurry.clear()
            try:
                await self._renew()
            except CannotConnectNow:
                return
            except (NoAnswer, CatalogError) as error:
                self._failures += 1
                if self._failures == 1:
                    logger.warning("the lease cannot be renewed: %s", error)
            except Exception:
                self._failures += 1
                logger.exception("renewing the lease failed")
            else:
                if self._failures:
                    logger.warning("the lease is renewed again after %d failures", self._failures)
                self._failures = 0

    def _pause_s(self) -> float:
        interval_s: float = self._record.lease_s / _RENEWALS
        if not self._failures:
            return interval_s
        longer: int = 2 ** min(self._failures, 5)
        return min(interval_s / 2, interval_s / 10 * longer) * random.uniform(0.5, 1.0)

    async def _renew(self) -> None:
        """One renewal. Raises NoAnswer, StoreUnavailable; CannotConnectNow when the lease is another's."""
        async with self._turn:
            if self._lost_to is None:
                await self._write()
        if self._lost_to is not None:
            self.require()

    async def _write(self) -> None:
        """Write our record in place of the version that we know. Late writes of our own are followed; a record of
        another server ends our lease."""
        for _ in range(_WRITES_MAX):
            self._record = replace(self._record, renewal=self._record.renewal + 1)
            sent = self._now()
            try:
                self._version = await self._place.write(self._record, self._version)
            except Superseded:
                await self._follow(await self._place.read())
                if self._lost_to is not None:
                    return
                continue
            self._trusted_until = sent + self._trusted_s
            self._tell()
            return
        raise StoreUnavailable(f'store "{self._place.location}": the lease changes with every look at it')

    async def _follow(self, found: Seen | None) -> None:
        """Take note of a lease that is not as we left it."""
        if found is not None and found.record.holder_id == self._record.holder_id:
            self._version = found.version
        elif found is None and self.is_held:
            self._version = None  # somebody removed the object; nobody can have claimed and used it in our time
        else:
            self._lose(found.record.holder if found else "its lease was removed")
            if found is not None:
                await self._yield_to(found)

    def _lose(self, holder: str) -> None:
        self._lost_to = holder
        logger.error('another server has taken store "%s" over (%s); nothing is answered from now on',
                     self._place.location, holder)
        self._tell()

    async def _yield_to(self, found: Seen) -> None:
        """Tell a server that took the store over that nothing is answered here any more, so that it need not wait."""
        seen: Seen | None = found
        for _ in range(_WRITES_MAX):
            if seen is None or seen.record.asks != self._record.holder_id:
                return
            try:
                await self._place.write(replace(seen.record, asks=""), seen.version)
            except Superseded:
                seen = await self._place.read()
            else:
                return

    def _tell(self) -> None:
        """Wake whoever waits for a renewal."""
        self._news.set()
        self._news = asyncio.Event()
