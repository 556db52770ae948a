"""Immutable pictures of relations: ``Image`` (sorted chunks, copy-on-write) and ``RelationImage`` (its partitions)."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from rocklake_server.catalog.chunk import RowChunk
from rocklake_server.catalog.view import Row
from rocklake_server.limits import CHUNK_ROWS_MAX
from rocklake_server.pacing import checkpoint
from rocklake_server.store.base import Key

Changes: TypeAlias = Mapping[Key, Row | None]
"""Row changes by key; ``None`` removes the row."""

Partition: TypeAlias = int | str | None
"""A leading key value of a partitioned relation (``None`` is NULL), or ``WHOLE``."""

WHOLE = "whole"
"""The one partition of a relation that is not partitioned."""


class Image:
    """A sorted sequence of chunks. ``apply`` copies only the chunks that change."""

    __slots__ = ("_firsts", "chunks")

    def __init__(self, chunks: list[RowChunk]) -> None:
        self.chunks = chunks
        self._firsts = [chunk.keys[0] for chunk in chunks]

    @classmethod
    def of(cls, keys: list[Key], rows: list[Row]) -> Image:
        """From entries in key order."""
        return cls(list(_split(keys, rows)))

    def __len__(self) -> int:
        return sum(len(chunk.keys) for chunk in self.chunks)

    def get(self, key: Key) -> Row | None:
        """The row stored under ``key``."""
        index = bisect_right(self._firsts, key) - 1
        if index < 0:
            return None
        chunk = self.chunks[index]
        position = bisect_left(chunk.keys, key)
        if position < len(chunk.keys) and chunk.keys[position] == key:
            return chunk.rows[position]
        return None

    def overlapping(self, start: bytes, stop: bytes | None) -> list[RowChunk]:
        """The chunks that may hold keys in [start, stop)."""
        low = max(bisect_right(self._firsts, start) - 1, 0)
        high = len(self.chunks) if stop is None else bisect_left(self._firsts, stop)
        return self.chunks[low:high]

    def entries(self) -> Iterator[tuple[Key, Row]]:
        for chunk in self.chunks:
            yield from zip(chunk.keys, chunk.rows, strict=True)

    def has_prefix(self, prefix: bytes) -> bool:
        """Whether a key starts with ``prefix``."""
        for chunk in self.overlapping(prefix, None)[:2]:
            position = bisect_left(chunk.keys, prefix)
            if position < len(chunk.keys):
                return chunk.keys[position].startswith(prefix)
        return False

    def apply(self, changes: Changes) -> Image:
        """The image with ``changes`` made. Costs the touched chunks and one copy of the chunk list."""
        if not changes:
            return self
        touched: dict[int, list[Key]] = {}
        for key in sorted(changes):
            touched.setdefault(max(bisect_right(self._firsts, key) - 1, 0), []).append(key)
        chunks: list[RowChunk] = []
        done = 0
        for index, keys in touched.items():
            checkpoint()
            chunks += self.chunks[done:index]
            old = self.chunks[index] if self.chunks else None
            chunks += _merge(old, keys, changes)
            done = index + 1
        chunks += self.chunks[done:]
        return Image(chunks)

    def transform(self, change: Callable[[Row], Row]) -> Image:
        """The image with every row rewritten, keys kept."""
        return Image([RowChunk(list(c.keys), [change(row) for row in c.rows]) for c in self.chunks])


EMPTY = Image([])

SPARSE = 8
"""A chunk with fewer changes than one in so many rows is patched; with more, it is made anew."""


def _merge(old: RowChunk | None, keys: list[Key], changes: Changes) -> Iterator[RowChunk]:
    if old is None or keys[0] > old.keys[-1]:
        return _append(old, [(key, row) for key in keys if (row := changes[key]) is not None])
    if len(keys) <= len(old.keys) // SPARSE:
        return _in_even_pieces(*_patched(old, keys, changes))
    merged = dict(zip(old.keys, old.rows, strict=True))
    fresh = False
    for key in keys:
        row = changes[key]
        if row is None:
            merged.pop(key, None)
        else:
            fresh = fresh or key not in merged
            merged[key] = row
    ordered = sorted(merged) if fresh else list(merged)
    return _in_even_pieces(ordered, [merged[key] for key in ordered])


def _patched(old: RowChunk, keys: list[Key], changes: Changes) -> tuple[list[Key], list[Row]]:
    """The chunk's entries with few changes made: costs a copy of two lists and a search for each change."""
    new_keys, new_rows = list(old.keys), list(old.rows)
    for key in keys:
        row = changes[key]
        position = bisect_left(new_keys, key)
        known = position < len(new_keys) and new_keys[position] == key
        if row is None:
            if known:
                del new_keys[position], new_rows[position]
        elif known:
            new_rows[position] = row
        else:
            new_keys.insert(position, key)
            new_rows.insert(position, row)
    return new_keys, new_rows


def _in_even_pieces(keys: list[Key], rows: list[Row]) -> Iterator[RowChunk]:
    """A chunk that overflows in its middle is cut evenly, so that inserts there do not leave slivers."""
    pieces = max(-(-len(keys) // CHUNK_ROWS_MAX), 1)
    return _split(keys, rows, max(-(-len(keys) // pieces), 1))


def _append(old: RowChunk | None, added: list[tuple[Key, Row]]) -> Iterator[RowChunk]:
    """A full chunk stays as it is, with its cached encodings."""
    if old is not None and (not added or len(old.keys) >= CHUNK_ROWS_MAX):
        yield old
        old = None
    keys, rows = [key for key, _ in added], [row for _, row in added]
    if old is not None and len(old.keys) + len(keys) <= CHUNK_ROWS_MAX:
        yield old.appended(keys, rows)
        return
    if old is not None:
        keys, rows = [*old.keys, *keys], [*old.rows, *rows]
    yield from _split(keys, rows) if len(keys) > CHUNK_ROWS_MAX else [RowChunk(keys, rows)] if keys else []


def _split(keys: list[Key], rows: list[Row], size: int = CHUNK_ROWS_MAX) -> Iterator[RowChunk]:
    """Chunks of ``size`` rows. Appends leave full chunks behind a short tail."""
    for start in range(0, len(keys), size):
        yield RowChunk(keys[start : start + size], rows[start : start + size])


@dataclass(frozen=True, slots=True)
class Part:
    """One loaded partition. ``live_after`` is ``None`` when it holds every row; otherwise it holds at least the rows
    whose end_snapshot is NULL or greater than that number."""

    image: Image
    live_after: int | None = None

    def covers(self, live_after: int | None) -> bool:
        """Whether this part answers a scan of the rows that live after ``live_after`` (``None``: of all rows)."""
        return self.live_after is None or (live_after is not None and self.live_after <= live_after)


@dataclass(frozen=True, slots=True)
class RelationImage:
    """The loaded partitions of one relation. ``complete``: every partition that has rows is loaded in full."""

    parts: Mapping[Partition, Part] = field(default_factory=dict)
    complete: bool = False

    def part(self, partition: Partition, live_after: int | None = None) -> Part | None:
        """The loaded part that answers, or ``None`` when it has to be loaded."""
        found = self.parts.get(partition)
        if found is not None and found.covers(live_after):
            return found
        return Part(EMPTY) if self.complete and found is None else None

    def with_parts(self, parts: Iterable[tuple[Partition, Part]], *, complete: bool | None = None) -> RelationImage:
        return RelationImage({**self.parts, **dict(parts)}, self.complete if complete is None else complete)

    def with_loaded(self, partition: Partition, part: Part) -> RelationImage:
        """With ``part`` added, unless what is loaded of the partition already answers as much."""
        known = self.parts.get(partition)
        return self if known is not None and known.covers(part.live_after) else self.with_parts([(partition, part)])

    def apply(self, changes: Mapping[Partition, Changes]) -> RelationImage:
        """The picture after ``changes``. Partitions that are not loaded stay so: the store has their rows."""
        changed: list[tuple[Partition, Part]] = []
        for partition, rows in changes.items():
            part = self.parts.get(partition)
            if part is None and self.complete:
                part = Part(EMPTY)
            if part is not None:
                changed.append((partition, Part(part.image.apply(rows), part.live_after)))
        return self.with_parts(changed) if changed else self

    def transform(self, change: Callable[[Row], Row]) -> RelationImage:
        """Every row rewritten, as after ALTER TABLE."""
        parts = {p: Part(part.image.transform(change), part.live_after) for p, part in self.parts.items()}
        return RelationImage(parts, self.complete)
