"""Immutable pictures of relations: ``Image`` (sorted chunks, copy-on-write) and ``RelationImage`` (its partitions)."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from dataclasses import dataclass, field
from itertools import compress
from typing import NamedTuple, TypeAlias

from rocklake_server.catalog.chunk import RowChunk, chunk_of
from rocklake_server.catalog.view import Row
from rocklake_server.limits import CHUNK_ROWS_MAX
from rocklake_server.pacing import checked, checkpoint
from rocklake_server.store.base import Key, Prefix

Changes: TypeAlias = Mapping[Key, Row | None]
"""Row changes by key; ``None`` removes the row."""

Partition: TypeAlias = int | str | None
"""A leading key value of a partitioned relation (``None`` is NULL), or ``WHOLE``."""

WHOLE = "whole"
"""The one partition of a relation that is not partitioned."""


class Image:
    """A sorted sequence of chunks. ``apply`` copies only the chunks that change."""

    __slots__ = ("_firsts", "_size_bytes", "chunks")

    def __init__(self, chunks: list[RowChunk], firsts: list[Key] | None = None) -> None:
        self.chunks = chunks
        self._firsts = [chunk.keys[0] for chunk in chunks] if firsts is None else firsts
        self._size_bytes: int | None = None

    @classmethod
    def of(cls, keys: list[Key], rows: list[Row]) -> Image:
        """From entries in key order."""
        return cls(list(_split(keys, rows)))

    def __len__(self) -> int:
        return sum(len(chunk.keys) for chunk in self.chunks)

    @property
    def size_bytes(self) -> int:
        """What it takes in memory, about."""
        if self._size_bytes is None:
            self._size_bytes = sum(chunk.size_bytes for chunk in self.chunks)
        return self._size_bytes

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

    def apply(self, changes: Changes, *, packs: bool = True) -> Image:
        """The image with ``changes`` made. Costs the touched chunks and one copy of the chunk list. Without ``packs``
        chunks that are made anew stay as they are, for an image that changes again soon."""
        if not changes:
            return self
        ordered = sorted(changes)
        touched: dict[int, list[Key]] = {}
        if not self.chunks or ordered[0] > self.chunks[-1].keys[-1]:
            touched[max(len(self.chunks) - 1, 0)] = ordered
        else:
            for key in ordered:
                touched.setdefault(max(bisect_right(self._firsts, key) - 1, 0), []).append(key)
        chunks: list[RowChunk] = []
        firsts: list[Key] = []
        done = 0
        for index, keys in touched.items():
            checkpoint()
            old = self.chunks[index] if self.chunks else None
            made = list(_merge(old, keys, changes, packs=packs))
            chunks += [*self.chunks[done:index], *made]
            firsts += [*self._firsts[done:index], *(chunk.keys[0] for chunk in made)]
            done = index + 1
        return Image(chunks + self.chunks[done:], firsts + self._firsts[done:])

    def transform(self, change: Callable[[Row], Row]) -> Image:
        """The image with every row rewritten, keys kept."""
        return Image([chunk_of(c.keys, [change(row) for row in c.rows]) for c in self.chunks], self._firsts)


EMPTY = Image([])

SPARSE = 8
"""A chunk with fewer changes than one in so many rows is patched; with more, it is made anew."""


def _merge(old: RowChunk | None, keys: list[Key], changes: Changes, *, packs: bool) -> Iterator[RowChunk]:
    if old is None or keys[0] > old.keys[-1]:
        rows = [changes[key] for key in keys]
        if None in rows:
            keys = [key for key in keys if changes[key] is not None]
        return _append(old, keys, [row for row in rows if row is not None])
    if len(keys) <= len(old.keys) // SPARSE:
        return _patched(old, keys, changes)
    if not any(map(changes.__getitem__, keys)):
        gone = set(keys)
        stays = [key not in gone for key in old.keys]
        return _split(list(compress(old.keys, stays)), list(compress(old.rows, stays)), packs=packs)
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
    return _in_even_pieces(ordered, [merged[key] for key in ordered], packs=packs)


def _patched(old: RowChunk, keys: list[Key], changes: Changes) -> Iterator[RowChunk]:
    """The chunk with few changes made: costs a copy of two lists and a search for each change. It is not packed, since
    the next change may be to it too."""
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
    if len(new_keys) > CHUNK_ROWS_MAX:
        yield from _in_even_pieces(new_keys, new_rows)
    elif new_keys:
        yield RowChunk(new_keys, new_rows)


def _in_even_pieces(keys: list[Key], rows: list[Row], *, packs: bool = True) -> Iterator[RowChunk]:
    """A chunk that overflows in its middle is cut evenly, so that inserts there do not leave slivers."""
    pieces = max(-(-len(keys) // CHUNK_ROWS_MAX), 1)
    return _split(keys, rows, max(-(-len(keys) // pieces), 1), packs=packs)


def _append(old: RowChunk | None, keys: list[Key], rows: list[Row]) -> Iterator[RowChunk]:
    """A full chunk keeps its rows, packed from now on, and its cached encodings."""
    if old is None:
        yield from _split(keys, rows)
    elif not rows:
        yield old
    elif len(old.keys) >= CHUNK_ROWS_MAX:
        yield old.packed()
        yield from _split(keys, rows)
    elif len(old.keys) + len(keys) <= CHUNK_ROWS_MAX:
        yield old.appended(keys, rows)
    else:
        yield from _split([*old.keys, *keys], [*old.rows, *rows])


def _split(
    keys: list[Key], rows: list[Row], size: int = CHUNK_ROWS_MAX, *, packs: bool = True
) -> Iterator[RowChunk]:
    """Chunks of ``size`` rows. Appends leave full chunks behind a short tail."""
    for start in range(0, len(keys), size):
        checkpoint()
        make = chunk_of if packs else RowChunk
        yield make(keys[start : start + size], rows[start : start + size])


class Wanted(NamedTuple):
    """Which rows of a partition are asked for: all, unless ``live_after`` leaves out those that end by that snapshot,
    or ``section``, a key prefix, those of other sections."""

    live_after: int | None = None
    section: Prefix | None = None


ALL_ROWS = Wanted()

PART_BYTES = 1000
"""What an image takes beside its rows."""


@dataclass(frozen=True, slots=True)
class Part:
    """What is loaded of one partition. ``live_after`` is ``None`` when ``image`` has every row; otherwise it has at
    least the rows whose end_snapshot is NULL or greater than that number. Where a partition loads by sections (key
    prefixes of equal length), ``sections`` has those that are loaded, and ``image`` nothing."""

    image: Image
    live_after: int | None = None
    sections: Mapping[Prefix, Image] | None = None

    @property
    def size_bytes(self) -> int:
        sections = self.sections.values() if self.sections is not None else ()
        return PART_BYTES + self.image.size_bytes + sum(PART_BYTES + section.size_bytes for section in sections)

    def covers(self, wanted: Wanted) -> bool:
        """Whether this part answers a scan of ``wanted``."""
        if self.sections is not None:
            return wanted.section in self.sections
        return self.live_after is None or (wanted.live_after is not None and self.live_after <= wanted.live_after)

    def image_of(self, wanted: Wanted) -> Image:
        """At least the rows of ``wanted``, which this part covers."""
        if self.sections is None or wanted.section is None:
            return self.image
        return self.sections[wanted.section]

    def joined(self, loaded: Part) -> Part:
        """With what was loaded of the same commit, as far as it is not here already."""
        if self.sections is None:
            return self if self.covers(Wanted(loaded.live_after)) else loaded
        if loaded.sections is None:
            return loaded
        return Part(EMPTY, sections={**loaded.sections, **self.sections})

    def apply(self, changes: Changes) -> Part:
        """The part after ``changes`` of its partition. Sections that are not loaded stay so: the store has them."""
        if self.sections is None:
            return Part(self.image.apply(changes), self.live_after)
        width = len(next(iter(self.sections)))
        by_section: dict[Prefix, dict[Key, Row | None]] = {}
        for key, row in changes.items():
            by_section.setdefault(Prefix(key[:width]), {})[key] = row
        changed = {s: image.apply(by_section[s]) for s, image in self.sections.items() if s in by_section}
        return Part(EMPTY, sections={**self.sections, **changed})

    def transform(self, change: Callable[[Row], Row]) -> Part:
        sections = self.sections and {s: image.transform(change) for s, image in self.sections.items()}
        return Part(self.image.transform(change), self.live_after, sections)


@dataclass(frozen=True, slots=True)
class RelationImage:
    """The loaded partitions of one relation. ``complete``: every partition that has rows is loaded in full."""

    parts: Mapping[Partition, Part] = field(default_factory=dict)
    complete: bool = False

    def part(self, partition: Partition, wanted: Wanted = ALL_ROWS) -> Part | None:
        """The loaded part that answers, or ``None`` when it has to be loaded."""
        found = self.parts.get(partition)
        if found is not None and found.covers(wanted):
            return found
        return Part(EMPTY) if self.complete and found is None else None

    def with_parts(self, parts: Iterable[tuple[Partition, Part]], *, complete: bool | None = None) -> RelationImage:
        return RelationImage({**self.parts, **dict(parts)}, self.complete if complete is None else complete)

    def with_loaded(self, partition: Partition, part: Part) -> RelationImage:
        """With ``part`` added, as far as what is loaded of the partition does not answer as much already."""
        known = self.parts.get(partition)
        joined = part if known is None else known.joined(part)
        return self if joined is known else self.with_parts([(partition, joined)])

    @property
    def size_bytes(self) -> int:
        return sum(part.size_bytes for part in checked(list(self.parts.values())))

    def without(self, partitions: Set[Partition]) -> RelationImage:
        """With these partitions not loaded."""
        return RelationImage({known: part for known, part in self.parts.items() if known not in partitions})

    def apply(self, changes: Mapping[Partition, Changes]) -> RelationImage:
        """The picture after ``changes``. Partitions that are not loaded stay so: the store has their rows."""
        changed: list[tuple[Partition, Part]] = []
        for partition, rows in changes.items():
            part = self.parts.get(partition)
            if part is None and self.complete:
                part = Part(EMPTY)
            if part is not None:
                changed.append((partition, part.apply(rows)))
        return self.with_parts(changed) if changed else self

    def transform(self, change: Callable[[Row], Row]) -> RelationImage:
        """Every row rewritten, as after ALTER TABLE."""
        return RelationImage({p: part.transform(change) for p, part in self.parts.items()}, self.complete)
