"""Failed logins make the next ones wait. Nobody is kept waiting: who comes too early is refused at once.

A pair of address and user has a few failures free; an address has more, since many users may share it. Past them the
wait doubles with each failure. It is asked when a login begins, and again right before its proof is looked at, so that
many logins at the same time are no way around. What is remembered is bounded, the least recently used forgotten first.
"""

from __future__ import annotations

import ipaddress
from collections import OrderedDict
from dataclasses import dataclass

from rocklake_server.clock import ElapsedClock, elapsed_s

PAIR_FAILURES_FREE = 5
ADDRESS_FAILURES_FREE = 50
WAIT_S_MIN = 1.0
WAIT_S_MAX = 60.0
FORGOTTEN_AFTER_S = 600.0
"""After so long without an attempt."""

ENTRIES_MAX = 16_384
_NETWORK_BITS = 64
"""Of an IPv6 address: whoever has one has the whole network."""

_Key = tuple[str, str | None]


@dataclass(slots=True)
class _Entry:
    failures: int = 0
    last_s: float = 0.0
    blocked_until_s: float = 0.0


class LoginBackoff:
    """Of one server."""

    def __init__(self, now_s: ElapsedClock = elapsed_s) -> None:
        self._now_s = now_s
        self._entries: OrderedDict[_Key, _Entry] = OrderedDict()

    def __len__(self) -> int:
        return len(self._entries)

    def wait_s(self, address: str | None, user: str) -> float:
        """Seconds until a login is looked at; 0 when it is now."""
        if not self._entries:
            return 0.0
        now_s = self._now_s()
        found = (self._known(key, now_s) for key in _keys(address, user))
        return max((0.0, *(entry.blocked_until_s - now_s for entry in found if entry is not None)))

    def failed(self, address: str | None, user: str) -> None:
        """Something was proved wrong."""
        now_s = self._now_s()
        for key, free in zip(_keys(address, user), (PAIR_FAILURES_FREE, ADDRESS_FAILURES_FREE), strict=True):
            entry = self._known(key, now_s) or self._entries.setdefault(key, _Entry())
            entry.failures += 1
            entry.last_s = now_s
            over = entry.failures - free
            if over >= 0:
                entry.blocked_until_s = now_s + min(WAIT_S_MIN * 2.0 ** min(over, 30), WAIT_S_MAX)
            self._entries.move_to_end(key)
        while len(self._entries) > ENTRIES_MAX:
            self._entries.popitem(last=False)

    def succeeded(self, address: str | None, user: str) -> None:
        """The user's failures from this address are forgotten; the address's others are not."""
        if self._entries:
            pair, _ = _keys(address, user)
            self._entries.pop(pair, None)

    def _known(self, key: _Key, now_s: float) -> _Entry | None:
        entry = self._entries.get(key)
        if entry is not None and now_s - entry.last_s > FORGOTTEN_AFTER_S:
            del self._entries[key]
            return None
        return entry


def _keys(address: str | None, user: str) -> tuple[_Key, _Key]:
    """Of the pair, then of the address alone."""
    place = _network(address or "")
    return (place, user[:256]), (place, None)


def _network(address: str) -> str:
    try:
        found = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if isinstance(found, ipaddress.IPv6Address):
        if found.ipv4_mapped is not None:
            return str(found.ipv4_mapped)
        return str(ipaddress.ip_network((found, _NETWORK_BITS), strict=False))
    return str(found)
