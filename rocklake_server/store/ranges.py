"""The byte range that a prefix and its two suffixes span."""

from __future__ import annotations

from typing import NamedTuple

from rocklake_server.store.base import Key, Prefix


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
