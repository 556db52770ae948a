"""Keys as every store sees them: which ones a batch may hold, and the range that a prefix and suffixes span."""

from __future__ import annotations

from typing import NamedTuple

from rocklake_server.errors import InternalProblem
from rocklake_server.store.base import Key, Prefix, WriteBatch

STORED_KEY_BYTES_MAX = 65_535
"""SlateDB writes the length of a key as a uint16."""


class Range(NamedTuple):
    """Keys from ``start`` (inclusive; empty: the first) to ``stop`` (exclusive; ``None``: past the last)."""

    start: Key
    stop: Key | None


def successor(prefix: bytes) -> Key | None:
    """The smallest key above every key that starts with ``prefix``; ``None`` when there is no such key."""
    stem = prefix.rstrip(b"\xff")
    return Key(stem[:-1] + bytes([stem[-1] + 1])) if stem else None


def key_range(prefix: Prefix, start: bytes, stop: bytes | None) -> Range | None:
    """The range of ``StoreSnapshot.scan``; ``None`` when it cannot hold a key."""
    if stop is None:
        return Range(Key(prefix + start), successor(prefix))
    if start >= stop:
        return None
    return Range(Key(prefix + start), Key(prefix + stop))


def require_storable(batch: WriteBatch) -> None:
    """Raises InternalProblem for a batch that holds an empty key or one that is too long for SlateDB."""
    sizes = [len(key) for key in batch.operations]
    if sizes and (min(sizes) == 0 or max(sizes) > STORED_KEY_BYTES_MAX):
        raise InternalProblem(f"a write batch holds a key of {max(sizes) if min(sizes) else 0} bytes")
