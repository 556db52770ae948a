"""A run of rows in key order, immutable, with what is derived from it: zones, cached encodings.

``RowChunk`` holds its rows as they are, ``PackedChunk`` in a tenth of the memory, unpacked while they are used.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice, pairwise
from operator import ne
from sys import getsizeof
from typing import Any, NamedTuple, cast, overload

from rocklake_server.catalog.derived import BoundedCache, Derived
from rocklake_server.catalog.packing import Column, PackedKeys, pack_column
from rocklake_server.catalog.view import Bounds, Row, Zone
from rocklake_server.limits import ENCODINGS_BYTES_MAX, PACKED_ROWS_MIN, UNPACKED_BYTES_MAX
from rocklake_server.schema.types import Value
from rocklake_server.store.base import Key

KEY_BYTES = 60
"""A key of three ids as Python's bytes."""

LISTED_MIN = 4
"""More values than this are compared with a zone by their least and greatest one first."""

SAMPLE_ROWS = 8
"""Rows that are measured to tell what many take."""

encodings: BoundedCache[bytes] = BoundedCache(ENCODINGS_BYTES_MAX, len)
"""COPY messages of chunks, all lakes together."""


def rows_bytes(rows: Collection[Row]) -> int:
    """What rows take in memory, about: with their keys, as long as all are like the first few."""
    sample = list(islice(rows, SAMPLE_ROWS))
    measured = sum(getsizeof(row) + sum(map(getsizeof, row)) + KEY_BYTES for row in sample)
    return measured * len(rows) // max(len(sample), 1)


unpacked: BoundedCache[Any] = BoundedCache(UNPACKED_BYTES_MAX, rows_bytes)
"""Rows of packed chunks as tuples, and their keys by values."""


class Begun(NamedTuple):
    """Encodings of the first ``rows`` rows of a chunk, made when it had no more."""

    rows: int
    encodings: Derived[bytes]


class RowChunk:
    """Rows as plain tuples. Zones are measured at first use and live as long as the chunk."""

    __slots__ = ("_by_columns", "_is_ordered", "_ordered", "_zones", "begun", "encodings", "keys", "rows")

    def __init__(self, keys: Sequence[Key], rows: Sequence[Row]) -> None:
        if len(keys) != len(rows):
            raise ValueError("a chunk has as many keys as rows")
        self.keys = keys
        self.rows = rows
        self._zones: dict[int, Zone | None] = {}
        self._by_columns: tuple[tuple[int, ...], Mapping[tuple[Value, ...], Key]] | None = None
        self._is_ordered: bool | None = None
        self._ordered: RowChunk | None = None
        self.encodings: Derived[bytes] = Derived(encodings)
        self.begun: Begun | None = None

    @property
    def size_bytes(self) -> int:
        """What the rows and keys take in memory, about."""
        return rows_bytes(self.rows)

    def appended(self, keys: list[Key], rows: list[Row]) -> RowChunk:
        """This chunk with rows after its last one. What is known of it is brought up to date rather than forgotten."""
        longer = RowChunk([*self.keys, *keys], [*self.rows, *rows])
        for column, zone in self._zones.items():
            if zone is not None:
                longer._zones[column] = _widened(zone, [row[column] for row in rows])
        if self._is_ordered:
            longer._is_ordered = _ascend([row[-1] for row in (*self.rows[-1:], *rows)])
        longer.begun = Begun(len(self.keys), self.encodings) if len(self.encodings) else self.begun
        return longer

    def packed(self) -> PackedChunk:
        """The same rows, packed, with the zones and encodings that are known of them."""
        chunk = PackedChunk.of(self.keys, zip(*self.rows, strict=True))
        chunk._zones, chunk.encodings = self._zones, self.encodings
        chunk._is_ordered = self._is_ordered
        return chunk

    def values(self, column: int) -> Iterable[Value]:
        return [row[column] for row in self.rows]

    def zone(self, column: int) -> Zone | None:
        if column not in self._zones:
            self._zones[column] = self._measure(column)
        return self._zones[column]

    def _measure(self, column: int) -> Zone | None:
        return _widened(Zone(None, None, has_null=False), [row[column] for row in self.rows])

    def between(self, start: bytes, stop: bytes | None) -> RowChunk | None:
        """The rows with keys in [start, stop): itself when they are most of its rows, ``None`` for none."""
        low = bisect_left(self.keys, start)
        high = len(self.keys) if stop is None else bisect_left(self.keys, stop)
        if low >= high:
            return None
        if (high - low) * 2 > len(self.keys):
            return self
        return RowChunk(list(self.keys[low:high]), list(self.rows[low:high]))

    def in_insertion_order(self) -> RowChunk:
        """The same rows in the order in which they got their ctids; itself when that is its order already."""
        if self._is_ordered is None:
            self._is_ordered = _ascend(self.values(-1))
        if self._is_ordered:
            return self
        if self._ordered is None:
            self._ordered = self._reordered()
        return self._ordered

    def _reordered(self) -> RowChunk:
        chunk = insertion_order([self])
        chunk._is_ordered = True
        return chunk

    def keys_by(self, columns: tuple[int, ...]) -> Mapping[tuple[Value, ...], Key]:
        """The rows' keys by the values of ``columns``, which identify them; kept for one set of columns."""
        if self._by_columns is None or self._by_columns[0] != columns:
            self._by_columns = columns, self._keyed_by(columns)
        return self._by_columns[1]

    def _keyed_by(self, columns: tuple[int, ...]) -> dict[tuple[Value, ...], Key]:
        return {tuple([row[i] for i in columns]): key for key, row in zip(self.keys, self.rows, strict=True)}

    def may_match(self, bounds: Bounds) -> bool:
        """Whether some row of this chunk may lie within ``bounds``, by its zones."""
        return (
            all(self._may_equal(column, wanted) for column, wanted in bounds.values.items())
            and all(self._may_overlap(column, low, high) for column, (low, high) in bounds.ranges.items())
            and all((zone := self.zone(column)) is None or zone.has_null for column in bounds.nulls)
        )

    def _may_equal(self, column: int, wanted: frozenset[object]) -> bool:
        zone = self.zone(column)
        if zone is None:
            return True
        values: frozenset[Any] = wanted
        least: Any = zone.least
        greatest: Any = zone.greatest
        if least is None:
            return False
        try:
            if len(values) > LISTED_MIN and (max(values) < least or min(values) > greatest):
                return False
            return any(least <= value <= greatest for value in values)
        except TypeError:
            return True

    def _may_overlap(self, column: int, low: object, high: object) -> bool:
        zone = self.zone(column)
        if zone is None:
            return True
        if zone.least is None:
            return False
        if low != low or high != high:  # NaN has a place in PostgreSQL's order and none in Python's
            return True
        try:
            return (low is None or zone.greatest >= low) and (high is None or zone.least <= high)  # type: ignore[operator]
        except TypeError:
            return True


class PackedRows(Sequence[Row]):
    """Rows as packed columns. Looking at one unpacks them all, which are kept as long as there is room."""

    __slots__ = ("_columns", "_count", "derived")

    def __init__(self, columns: Iterable[Sequence[Value]], count: int) -> None:
        self._count = count
        self._columns = tuple([pack_column(values) for values in columns])
        self.derived: Derived[Any] = Derived(unpacked)

    @property
    def size_bytes(self) -> int:
        return sum(column.size_bytes for column in self._columns)

    def column(self, index: int) -> Column:
        return self._columns[index]

    def _unpacked(self) -> list[Row]:
        rows: list[Row] | None = self.derived.get("rows")
        if rows is None:
            rows = list(zip(*[column.values() for column in self._columns], strict=True))
            self.derived["rows"] = rows
        return rows

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[Row]:
        return iter(self._unpacked())

    @overload
    def __getitem__(self, place: int) -> Row: ...
    @overload
    def __getitem__(self, place: slice) -> list[Row]: ...

    def __getitem__(self, place: int | slice) -> Row | list[Row]:
        return self._unpacked()[place]


class PackedChunk(RowChunk):
    """Rows in packed columns. What takes much memory and is derived from them is not kept for good."""

    __slots__ = ()

    rows: PackedRows

    @classmethod
    def of(cls, keys: Sequence[Key], columns: Iterable[Sequence[Value]]) -> PackedChunk:
        """From the values of each column, the ctid's last."""
        return cls(PackedKeys(keys), PackedRows(columns, len(keys)))

    @property
    def size_bytes(self) -> int:
        return cast("PackedKeys", self.keys).size_bytes + self.rows.size_bytes

    def packed(self) -> PackedChunk:
        return self

    def _measure(self, column: int) -> Zone | None:
        return _widened(Zone(None, None, has_null=False), list(self.rows.column(column).distinct()))

    def values(self, column: int) -> Iterable[Value]:
        return self.rows.column(column).values()

    def _reordered(self) -> RowChunk:
        return super()._reordered().packed()

    def keys_by(self, columns: tuple[int, ...]) -> Mapping[tuple[Value, ...], Key]:
        found: dict[tuple[Value, ...], Key] | None = self.rows.derived.get(columns)
        if found is None:
            found = self.rows.derived[columns] = self._keyed_by(columns)
        return found


def chunk_of(keys: Sequence[Key], rows: Sequence[Row]) -> RowChunk:
    """A chunk of these rows, packed when they are many."""
    chunk = RowChunk(keys, rows)
    return chunk.packed() if len(rows) >= PACKED_ROWS_MIN else chunk


def _ascend(ctids: Iterable[Value]) -> bool:
    return all(cast("int", a) < cast("int", b) for a, b in pairwise(ctids))


def _widened(zone: Zone, values: Sequence[Value]) -> Zone | None:
    """The zone of a column with more values; ``None`` when they have no order."""
    present = [value for value in values if value is not None]
    has_null = zone.has_null or len(present) < len(values)
    if any(map(ne, present, present)):  # NaN has no place in an order
        return None
    present += [bound for bound in (zone.least, zone.greatest) if bound is not None]
    if not present:
        return Zone(None, None, has_null)
    try:
        return Zone(min(present), max(present), has_null)
    except TypeError:
        return None


def insertion_order(chunks: Sequence[RowChunk]) -> RowChunk:
    """All rows of ``chunks`` in the order in which they were inserted or last updated."""
    keys = [key for chunk in chunks for key in chunk.keys]
    rows = [row for chunk in chunks for row in chunk.rows]
    ctids = [cast("int", row[-1]) for row in rows]
    order = sorted(range(len(rows)), key=ctids.__getitem__)
    return RowChunk([keys[i] for i in order], [rows[i] for i in order])
