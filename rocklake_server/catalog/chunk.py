"""A run of rows in key order, immutable, with what is derived from it: zones, a ctid index, cached encodings."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Hashable, Mapping, Sequence
from itertools import pairwise
from typing import cast

from rocklake_server.catalog.view import Bounds, Row, Zone
from rocklake_server.schema.types import Value
from rocklake_server.store.base import Key


class RowChunk:
    """Rows as plain tuples. Zones and encodings are computed on first use and live as long as the chunk."""

    __slots__ = ("_by_columns", "_by_ctid", "_inserted", "_zones", "encodings", "keys", "rows")

    def __init__(self, keys: list[Key], rows: list[Row]) -> None:
        if len(keys) != len(rows):
            raise ValueError("a chunk has as many keys as rows")
        self.keys: Sequence[Key] = keys
        self.rows: Sequence[Row] = rows
        self._zones: dict[int, Zone | None] = {}
        self._by_ctid: dict[int, int] | None = None
        self._by_columns: tuple[tuple[int, ...], dict[tuple[Value, ...], Key]] | None = None
        self._inserted: RowChunk | None = None
        self.encodings: dict[Hashable, bytes] = {}

    def appended(self, keys: list[Key], rows: list[Row]) -> RowChunk:
        """This chunk with rows after its last one. What is known of it is brought up to date rather than forgotten."""
        longer = RowChunk([*self.keys, *keys], [*self.rows, *rows])
        for column, zone in self._zones.items():
            if zone is not None:
                longer._zones[column] = _widened(zone, [row[column] for row in rows])
        ctids = [cast("int", row[-1]) for row in (*self.rows[-1:], *rows)]
        if self._inserted is self and all(a < b for a, b in pairwise(ctids)):
            longer._inserted = longer
        return longer

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
        if self._inserted is None:
            self._inserted = insertion_order([self])
        return self._inserted

    def find_ctid(self, ctid: int) -> int | None:
        """The position of the row with that ctid."""
        if self._by_ctid is None:
            self._by_ctid = {cast("int", row[-1]): position for position, row in enumerate(self.rows)}
        return self._by_ctid.get(ctid)

    def keys_by(self, columns: tuple[int, ...]) -> Mapping[tuple[Value, ...], Key]:
        """The rows' keys by the values of ``columns``, which identify them; kept for one set of columns."""
        if self._by_columns is None or self._by_columns[0] != columns:
            found = {tuple([row[i] for i in columns]): key for key, row in zip(self.keys, self.rows, strict=True)}
            self._by_columns = columns, found
        return self._by_columns[1]

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
        least, greatest = zone.least, zone.greatest
        if least is None:
            return False
        try:
            return any(least <= value <= greatest for value in wanted)  # type: ignore[operator]
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


def _widened(zone: Zone, values: Sequence[Value]) -> Zone | None:
    """The zone of a column with more values; ``None`` when they have no order."""
    present = [value for value in values if value is not None]
    has_null = zone.has_null or len(present) < len(values)
    if any(value != value for value in present):  # NaN has no place in an order
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
    if len(chunks) == 1 and ctids == sorted(ctids):
        return chunks[0]
    order = sorted(range(len(rows)), key=ctids.__getitem__)
    return RowChunk([keys[i] for i in order], [rows[i] for i in order])
