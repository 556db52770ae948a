"""Compares two sets of entries that come in different orders, in bounded memory.

Entries are thrown into buckets by their hash, and a bucket keeps a count and a sum of hashes for each side. Buckets
that are equal on both sides hold the same entries, but for a chance of 2**-64; the entries of the others are collected
in a second reading.
"""

from __future__ import annotations

from array import array

BUCKETS = 1 << 16
_WRAP = (1 << 64) - 1


def bucket_of(key: bytes, value: bytes) -> tuple[int, int]:
    """(the bucket, the entry's hash). Python's hash of bytes is keyed anew in each process."""
    hashed = hash((key, value))
    return hashed & (BUCKETS - 1), hashed & _WRAP


class EntrySums:
    """One side."""

    __slots__ = ("_counts", "_sums")

    def __init__(self) -> None:
        self._counts = array("Q", bytes(8 * BUCKETS))
        self._sums = array("Q", bytes(8 * BUCKETS))

    def add(self, key: bytes, value: bytes) -> None:
        bucket, hashed = bucket_of(key, value)
        self._counts[bucket] += 1
        self._sums[bucket] = (self._sums[bucket] + hashed) & _WRAP

    def differing(self, other: EntrySums) -> frozenset[int]:
        """The buckets that are not the same on both sides."""
        if self._counts == other._counts and self._sums == other._sums:
            return frozenset()
        sides = zip(self._counts, self._sums, other._counts, other._sums, strict=True)
        return frozenset(at for at, (count, total, count2, total2) in enumerate(sides)
                         if count != count2 or total != total2)  # fmt: skip
