"""Many rows in little memory: the values of each column side by side, the keys without what they share.

A row of ten columns takes 500 bytes as a tuple of Python objects and about 40 packed. ``pack_column`` chooses the form
of a column by its values; ``values()`` of every form gives back exactly what was packed, types included.
"""

from __future__ import annotations

import sys
from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import Any, Protocol, overload

from rocklake_server.schema.types import Value
from rocklake_server.store.base import Key

CODES_MAX = 255
"""Distinct values of a column whose rows hold one byte each."""

UNSIGNED = (("B", 1 << 8), ("H", 1 << 16), ("I", 1 << 32))
"""Array types for numbers from 0, with the first number that is too big; every other int64 is a ``q``."""

INT64_MAX = (1 << 63) - 1

EXACT = {int, str, bool, type(None)}
"""Types whose equal values are the same value: unlike 0.0 and -0.0, or 1 and 1.0 as numerics."""


class Column(Protocol):
    """The values of one column."""

    def values(self) -> Iterable[Value]:
        """In row order."""

    def distinct(self) -> Iterable[Value]:
        """Each value at least once: fewer than ``values()`` where the form knows."""

    @property
    def size_bytes(self) -> int: ...


@dataclass(frozen=True, slots=True)
class Constant:
    """One value in every row."""

    value: Value
    count: int

    def values(self) -> Iterable[Value]:
        return (self.value,) * self.count

    def distinct(self) -> Iterable[Value]:
        return (self.value,)

    @property
    def size_bytes(self) -> int:
        return sys.getsizeof(self.value)


@dataclass(frozen=True, slots=True)
class Coded:
    """A few values; each row holds a byte, the place of its value in ``table``."""

    table: tuple[Value, ...]
    codes: bytes

    def values(self) -> Iterable[Value]:
        return map(self.table.__getitem__, self.codes)

    def distinct(self) -> Iterable[Value]:
        return self.table

    @property
    def size_bytes(self) -> int:
        return len(self.codes) + sum(map(sys.getsizeof, self.table))


@dataclass(frozen=True, slots=True)
class Numbers:
    """Numbers of one machine type."""

    content: array[Any]

    def values(self) -> Iterable[Value]:
        return self.content.tolist()

    distinct = values

    @property
    def size_bytes(self) -> int:
        return len(self.content) * self.content.itemsize


@dataclass(frozen=True, slots=True)
class Texts:
    """Texts, a NUL between each two: no text that can be stored has one."""

    joined: str

    def values(self) -> Iterable[Value]:
        return self.joined.split("\0")

    distinct = values

    @property
    def size_bytes(self) -> int:
        return sys.getsizeof(self.joined)


@dataclass(frozen=True, slots=True)
class WithNulls:
    """NULLs where ``present`` has a 0; the rows between them are ``others``."""

    present: bytes
    others: Column

    def values(self) -> Iterable[Value]:
        others = iter(self.others.values())
        return [next(others) if there else None for there in self.present]

    def distinct(self) -> Iterable[Value]:
        return (None, *self.others.distinct())

    @property
    def size_bytes(self) -> int:
        return len(self.present) + self.others.size_bytes


@dataclass(frozen=True, slots=True)
class Unpacked:
    """Values of a form that nothing above is for."""

    content: tuple[Value, ...]

    def values(self) -> Iterable[Value]:
        return self.content

    distinct = values

    @property
    def size_bytes(self) -> int:
        return sum(map(sys.getsizeof, self.content)) + 8 * len(self.content)


def pack_column(values: Sequence[Value]) -> Column:
    """``values``, of which there is at least one, in a small form that gives back the same."""
    kinds = set(map(type, values))
    if kinds <= EXACT and len(kinds - {type(None)}) <= 1:
        coded = _coded(values)
        if coded is not None:
            return coded
    if type(None) in kinds and len(kinds) > 1:
        others = pack_column([value for value in values if value is not None])
        return WithNulls(bytes([value is not None for value in values]), others)
    if kinds == {int}:
        return _numbers(values)
    if kinds == {str}:
        return _texts(values)
    return Numbers(array("d", values)) if kinds == {float} else Unpacked(tuple(values))


def _coded(values: Sequence[Value]) -> Column | None:
    """As codes; ``None`` for values that are too many."""
    first = values[0]
    if values.count(first) == len(values):
        return Constant(first, len(values))
    table_max = min(CODES_MAX, len(values) // 4)
    if len(set(values[: 2 * table_max])) > table_max:
        return None
    table = dict.fromkeys(values)
    if len(table) > table_max:
        return None
    places = {value: place for place, value in enumerate(table)}
    return Coded(tuple(table), bytes([places[value] for value in values]))


def _numbers(values: Sequence[Any]) -> Column:
    least, greatest = min(values), max(values)
    if least >= 0:
        for code, end in UNSIGNED:
            if greatest < end:
                return Numbers(array(code, values))
    if least >= ~INT64_MAX and greatest <= INT64_MAX:
        return Numbers(array("q", values))
    return Unpacked(tuple(values))


def _texts(values: Sequence[Any]) -> Column:
    joined = "\0".join(values)
    return Texts(joined) if joined.count("\0") == len(values) - 1 else Unpacked(tuple(values))


class PackedKeys(Sequence[Key]):
    """Keys: what all begin with once, then the rest of each."""

    __slots__ = ("_count", "_ends", "_prefix", "_rests", "_width")

    def __init__(self, keys: Sequence[Key]) -> None:
        least, greatest = min(keys), max(keys)
        pairs = enumerate(zip(least, greatest, strict=False))
        start = next((at for at, (low, high) in pairs if low != high), len(least))
        self._prefix = least[:start]
        rests = [key[start:] for key in keys]
        widths = set(map(len, rests))
        self._rests = b"".join(rests)
        self._count = len(keys)
        self._width = widths.pop() if len(widths) == 1 else None
        self._ends = None if self._width is not None else array("I", accumulate(map(len, rests), initial=0))

    @property
    def size_bytes(self) -> int:
        return len(self._prefix) + len(self._rests) + (0 if self._ends is None else 4 * len(self._ends))

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[Key]:
        prefix, rests = self._prefix, self._rests
        if self._ends is not None:
            return iter([Key(prefix + rests[start:end]) for start, end in pairwise(self._ends)])
        if not self._width:
            return iter([Key(prefix)] * self._count)
        width = self._width
        return iter([Key(prefix + rests[at : at + width]) for at in range(0, len(rests), width)])

    @overload
    def __getitem__(self, place: int) -> Key: ...
    @overload
    def __getitem__(self, place: slice) -> list[Key]: ...

    def __getitem__(self, place: int | slice) -> Key | list[Key]:
        if isinstance(place, slice):
            return list(self)[place]
        if place < 0:
            place += self._count
        if not 0 <= place < self._count:
            raise IndexError("there is no such key")
        if self._ends is not None:
            start, end = self._ends[place], self._ends[place + 1]
        else:
            width = self._width or 0
            start, end = place * width, (place + 1) * width
        return Key(self._prefix + self._rests[start:end])
