"""Claiming a store's lease at start: at once when it is free, after its time when its holder is gone.

Whether a holder is gone is told by this machine's own clock: the lease must stay as it was first seen for the part of
its time that the holder itself no longer trusts. No two clocks are compared.
"""

from __future__ import annotations

import asyncio
import logging
import random
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import NamedTuple, NoReturn, TypeVar

from rocklake_server.clock import ElapsedClock
from rocklake_server.errors import CannotConnectNow
from rocklake_server.limits import STORE_START_TIMEOUT_S
from rocklake_server.store.lease_object import LeaseObject, LeaseRecord, NoAnswer, Seen, Superseded, Version

Result = TypeVar("Result")

logger = logging.getLogger(__name__)

TRUSTED_PART = 3 / 5
"""Of its time a lease counts for its holder so long, from when the renewal was sent."""

WAITED_PART = 2 / 3
"""Another server lets so much of the time pass, from when it first saw the lease. The rest is for starting and
for opening the databases, so that the whole takeover fits into the lease's time."""

_LOOKS = 16
"""Reads of another server's lease while waiting for its end."""

_ASKS_MAX = 10
"""Attempts to displace a holder that renews at the same moment."""

_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 0.1, 2.0


class Claimed(NamedTuple):
    """The lease is ours: at which version, trusted since when, and from whom it was taken unreleased."""

    version: Version
    since: float
    displaced: str | None = None


class Claim:
    """One server's attempt to get the lease of a store."""

    def __init__(self, place: LeaseObject, own: LeaseRecord, now: ElapsedClock) -> None:
        self._place = place
        self._own = own
        self._now = now

    async def run(self, *, takeover: bool) -> Claimed:
        """Raises CannotConnectNow while another server holds the store; ``takeover`` displaces it instead. Raises
        StoreUnavailable, Unsupported, CorruptValue."""
        seen = await self._patiently(self._place.read)
        if seen is None or seen.record.released:
            claimed = await self._take(self._own, seen.version if seen else None)
        elif takeover:
            claimed = await self._displace(seen)
        else:
            last = await self._outlive(seen)
            claimed = await self._take(self._own, last.version if last else None)
            claimed = claimed._replace(displaced=seen.record.holder)
        await self._patiently(lambda: self._place.require_conditions(self._own, claimed.version))
        return claimed

    async def _outlive(self, first: Seen) -> Seen | None:
        """The lease once its holder has not renewed it for its time, or has given it up."""
        wait_s = first.record.lease_s * WAITED_PART
        deadline = self._now() + wait_s
        logger.info('store "%s" is leased to %s: waiting up to %.1f s to see whether it is renewed',
                    self._place.location, first.record.holder, wait_s)
        while (left_s := deadline - self._now()) > 0:
            await asyncio.sleep(min(left_s, wait_s / _LOOKS))
            seen = await self._patiently(self._place.read)
            if seen is None or seen.record.released:
                return seen
            if seen.version != first.version:
                self._refuse(seen.record)
        return first

    async def _displace(self, seen: Seen) -> Claimed:
        """Ask the holder to stop. It answers when it notices, at its next renewal; when it does not answer, its lease
        has run out in its own eyes once the wait is over."""
        logger.warning('store "%s": taking it over from %s', self._place.location, seen.record.holder)
        version = await self._ask(seen)
        wait_s = seen.record.lease_s * WAITED_PART
        deadline = self._now() + wait_s
        while self._now() < deadline:
            await asyncio.sleep(wait_s / _LOOKS)
            found = await self._patiently(self._place.read)
            if found is None or found.record.holder_id != self._own.holder_id:
                self._refuse(found.record if found else None)
            version = found.version
            if not found.record.asks:
                break
        claimed = await self._take(self._own, version)
        return claimed._replace(displaced=seen.record.holder)

    async def _ask(self, seen: Seen) -> Version:
        """Put our name in the holder's place, who may renew meanwhile. The lease keeps the longer of both times: a
        third server that sees it must let the displaced one's time pass too."""
        for _ in range(_ASKS_MAX):
            lease_s = max(seen.record.lease_s, self._own.lease_s)
            asking = replace(self._own, asks=seen.record.holder_id, lease_s=lease_s)
            try:
                return (await self._take(asking, seen.version)).version
            except CannotConnectNow:
                found = await self._patiently(self._place.read)
                if found is None or found.record.holder_id != seen.record.holder_id:
                    raise
                seen = found
        self._refuse(seen.record)

    async def _take(self, record: LeaseRecord, version: Version | None) -> Claimed:
        """Write ``record`` in place of that version. An earlier attempt of ours that landed after all counts."""
        since = self._now()
        try:
            return Claimed(await self._patiently(lambda: self._place.write(record, version)), since)
        except Superseded:
            found = await self._patiently(self._place.read)
            if found is not None and (found.record.holder_id, found.record.asks) == (record.holder_id, record.asks):
                return Claimed(found.version, since)
            self._refuse(found.record if found else None)

    def _refuse(self, record: LeaseRecord | None) -> NoReturn:
        holder = f" ({record.holder})" if record is not None else ""
        raise CannotConnectNow(
            f'store "{self._place.location}" is in use by another server{holder}; '
            "stop that one, or start this one with --takeover"
        )

    async def _patiently(self, request: Callable[[], Awaitable[Result]]) -> Result:
        """Repeat a request that is not answered, for a bounded time."""
        deadline = self._now() + STORE_START_TIMEOUT_S
        pause_s = _FIRST_PAUSE_S
        while True:
            try:
                return await request()
            except NoAnswer as silence:
                if self._now() + pause_s > deadline:
                    raise silence.error from None
            await asyncio.sleep(pause_s * random.uniform(0.5, 1.5))
            pause_s = min(_LONGEST_PAUSE_S, 2 * pause_s)
