"""Caches of what can be derived again, each within a number of bytes: what was not used for longest goes first."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from itertools import count
from typing import Generic, TypeVar

V = TypeVar("V")

_owners = count()


class BoundedCache(Generic[V]):
    """Values that together take at most ``bytes_max``, by what ``size_bytes`` says of each."""

    def __init__(self, bytes_max: int, size_bytes: Callable[[V], int]) -> None:
        self.bytes_max = bytes_max
        self.bytes = 0
        self.hits = 0
        self.misses = 0
        self._size_bytes = size_bytes
        self._entries: OrderedDict[Hashable, tuple[V, int]] = OrderedDict()

    def get(self, key: Hashable) -> V | None:
        found = self._entries.get(key)
        if found is None:
            self.misses += 1
            return None
        self.hits += 1
        self._entries.move_to_end(key)
        return found[0]

    def __contains__(self, key: Hashable) -> bool:
        return key in self._entries

    def put(self, key: Hashable, value: V) -> None:
        """Keep ``value`` unless it alone is too big, and forget what was not used for longest."""
        self.discard(key)
        size = self._size_bytes(value)
        if size > self.bytes_max:
            return
        self._entries[key] = value, size
        self.bytes += size
        while self.bytes > self.bytes_max:
            _, (_, size) = self._entries.popitem(last=False)
            self.bytes -= size

    def discard(self, key: Hashable) -> None:
        found = self._entries.pop(key, None)
        if found is not None:
            self.bytes -= found[1]


class Derived(Generic[V]):
    """What one owner has in a cache, by name. It goes when the owner goes."""

    __slots__ = ("_cache", "_names", "_owner")

    def __init__(self, cache: BoundedCache[V]) -> None:
        self._cache = cache
        self._owner = next(_owners)
        self._names: set[Hashable] | None = None

    def get(self, name: Hashable) -> V | None:
        """``None`` also for what was kept and had to go."""
        if self._names is None:
            self._cache.misses += 1
            return None
        return self._cache.get((self._owner, name))

    def __setitem__(self, name: Hashable, value: V) -> None:
        if self._names is None:
            self._names = set()
        self._names.add(name)
        self._cache.put((self._owner, name), value)

    def __len__(self) -> int:
        """How many values are kept."""
        return sum((self._owner, name) in self._cache for name in self._names or ())

    def __del__(self) -> None:
        for name in self._names or ():
            self._cache.discard((self._owner, name))
