"""How many snapshots a lake has, and of each table how many files, rows and bytes, and how many small files.

Counted once from the store, and from then on kept up to date by what each commit changes: what a look costs does not
grow with the lake. Counting adds up, so commits that come while the lake is still being read are added at once. It
takes a share of the processor that others do not feel. What a survey holds grows with the number of tables alone.
"""

from __future__ import annotations

import asyncio
from bisect import bisect_right
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from time import perf_counter
from typing import TypeAlias, cast

from rocklake_server.catalog.access import access_of
from rocklake_server.catalog.relations import Relations
from rocklake_server.catalog.root import Root
from rocklake_server.catalog.staged import Changed
from rocklake_server.catalog.view import Row
from rocklake_server.pacing import Turns, in_slices, slices
from rocklake_server.schema.model import Relation, RelationKind

MIB = 1 << 20
FILE_BANDS_BYTES = (MIB, 16 * MIB, 128 * MIB, 512 * MIB)
"""Upper ends (exclusive) of the bands that data files are sorted into by size; the last band has none."""

SMALL_FILE_BANDS = 2
"""Files of the first bands are small: reading them costs more requests than bytes."""

REST = 4.0
"""Counting rests so many times as long as it worked: a fifth of the processor."""

_ROWS_PER_TURN = 64
NOTED_MAX = 10_000
"""Commits that may wait to be added; past them the lake is counted again."""


_Count: TypeAlias = Callable[[Row, int], None]


@dataclass(slots=True)
class FileCount:
    """Of one table, or all. ``files`` are data files of the newest snapshot by size band; ``kept`` are those that
    ended, and that older snapshots still have. ``rows`` are those in files, without regard to deletions."""

    files: list[int] = field(default_factory=lambda: [0] * (len(FILE_BANDS_BYTES) + 1))
    bytes: int = 0
    rows: int = 0
    kept_files: int = 0
    kept_bytes: int = 0
    delete_files: int = 0
    deleted_rows: int = 0

    @property
    def files_count(self) -> int:
        return sum(self.files)

    @property
    def small_files(self) -> int:
        return sum(self.files[:SMALL_FILE_BANDS])


@dataclass(slots=True)
class InlinedCount:
    """Of one relation of inlined rows that are live, or of inlined deletions."""

    table_id: int
    is_data: bool
    rows: int = 0


class Survey:
    """Of one lake. ``sequence`` is the newest commit that it has, or will have once what is noted is added;
    ``is_complete`` tells that the lake was read through, ``is_stale`` that it has to be counted anew.
    ``checkpoint_s`` is the time of the newest checkpoint, in seconds since 1970, as far as it was looked for. Who holds
    ``turn`` sees no commit half added, and none between two looks."""

    def __init__(self, sequence: int) -> None:
        self.sequence = sequence
        self.is_complete = False
        self.is_stale = False
        self.total = FileCount()
        self.tables: dict[int, FileCount] = {}
        self.snapshots = 0
        self.checkpoint_s: int | None = None
        self.turn = asyncio.Lock()
        self._inlined: dict[int, InlinedCount] = {}
        self._noted: deque[Changed] = deque()

    def note(self, sequence: int, changed: Sequence[Changed | None], redefined: Iterable[Relation]) -> None:
        """Commit ``sequence`` was published; ``redefined`` are relations as they were before it. Adds nothing yet. What
        is ``None`` in ``changed`` is not known: then the lake is counted anew."""
        is_redefined = any(relation.name in _DECLARED for relation in redefined)
        if None in changed or is_redefined or sequence != self.sequence + 1:
            self.is_stale = True
        self.sequence = sequence
        self._noted.extend(each for each in changed if each is not None)
        if len(self._noted) > NOTED_MAX:
            self.is_stale = True
        if self.is_stale:
            self._noted.clear()

    async def settle(self) -> None:
        """Add what was noted."""
        while self._noted:
            async with self.turn:
                if self._noted:
                    await in_slices(partial(self._add, self._noted.popleft()))

    def _add(self, changed: Changed) -> None:
        definitions, rows = changed
        for relation_id, entries in rows.items():
            count = self._counter(definitions[relation_id])
            if count is None:
                continue
            for run in slices(entries):
                for _, (base, new, _retired) in run:
                    if base is not None:
                        count(base, -1)
                    if new is not None:
                        count(new, 1)

    async def count(self, root: Root, rest: float = REST) -> None:
        """Add everything that is in ``root``, which is at the commit that this was made for. Rests ``rest`` times as
        long as it works. Raises StoreUnavailable, CorruptValue."""
        for relation in root.relations.by_id.values():
            count = self._counter(relation)
            if count is None:
                continue
            decode, turns, began_s = access_of(relation).codec.decode, Turns(), perf_counter()
            async for entries in root.snapshot.scan(access_of(relation).prefix):
                for start in range(0, len(entries), _ROWS_PER_TURN):
                    for key, value in entries[start : start + _ROWS_PER_TURN]:
                        count(decode(key, value), 1)
                    await turns.take()
                await asyncio.sleep(rest * (perf_counter() - began_s))
                began_s = perf_counter()
        self.is_complete = True

    def inlined(self, relations: Relations) -> dict[int, tuple[int, int]]:
        """By table: inlined rows that are live, and rows of files that inlined deletions delete. ``relations`` are
        those of the lake now: what was dropped takes its rows with it."""
        found: dict[int, tuple[int, int]] = {}
        for relation_id, count in self._inlined.items():
            if relation_id in relations.by_id:
                rows, deletions = found.get(count.table_id, (0, 0))
                more = (count.rows, 0) if count.is_data else (0, count.rows)
                found[count.table_id] = rows + more[0], deletions + more[1]
        return found

    def counts_of(self, table_id: object) -> tuple[FileCount, FileCount]:
        """Those that a file of this table is counted in."""
        known = self.tables.get(cast("int", table_id))
        if known is None:
            known = self.tables[cast("int", table_id)] = FileCount()
        return known, self.total

    def inlined_count(self, relation: Relation) -> InlinedCount:
        """Their names end in the table's id; that of data has the schema version after it."""
        known = self._inlined.get(relation.relation_id)
        if known is None:
            is_data = relation.kind is RelationKind.INLINED_DATA
            table_id = int(relation.name.split("_")[-2 if is_data else -1])
            known = self._inlined[relation.relation_id] = InlinedCount(table_id, is_data)
        return known

    def _counter(self, relation: Relation) -> _Count | None:
        """What adds one row of ``relation``, or takes it away; ``None`` for relations that are not counted."""
        if relation.kind is RelationKind.DECLARED:
            make = _DECLARED.get(relation.name)
            return make(self, relation) if make is not None else None
        is_inlined = relation.kind in (RelationKind.INLINED_DATA, RelationKind.INLINED_DELETE)
        return _inlined_counter(self, relation) if is_inlined else None


def _number(value: object) -> int:
    return value if isinstance(value, int) else 0


def _data_file_counter(survey: Survey, relation: Relation) -> _Count:
    owner, ended, rows, size = (
        relation.index[name] for name in ("table_id", "end_snapshot", "record_count", "file_size_bytes"))

    def count(row: Row, sign: int) -> None:
        size_bytes = _number(row[size])
        for counts in survey.counts_of(row[owner]):
            if row[ended] is not None:
                counts.kept_files += sign
                counts.kept_bytes += sign * size_bytes
            else:
                counts.files[bisect_right(FILE_BANDS_BYTES, size_bytes)] += sign
                counts.bytes += sign * size_bytes
                counts.rows += sign * _number(row[rows])

    return count


def _delete_file_counter(survey: Survey, relation: Relation) -> _Count:
    owner, ended, rows = (relation.index[name] for name in ("table_id", "end_snapshot", "delete_count"))

    def count(row: Row, sign: int) -> None:
        if row[ended] is None:
            for counts in survey.counts_of(row[owner]):
                counts.delete_files += sign
                counts.deleted_rows += sign * _number(row[rows])

    return count


def _snapshot_counter(survey: Survey, _relation: Relation) -> _Count:
    def count(_row: Row, sign: int) -> None:
        survey.snapshots += sign

    return count


_DECLARED: Mapping[str, Callable[[Survey, Relation], _Count]] = {
    "ducklake_data_file": _data_file_counter,
    "ducklake_delete_file": _delete_file_counter,
    "ducklake_snapshot": _snapshot_counter,
}


def _inlined_counter(survey: Survey, relation: Relation) -> _Count:
    counts = survey.inlined_count(relation)
    ended = relation.index.get("end_snapshot", relation.index.get("_ducklake_end_snapshot", -1))

    def count(row: Row, sign: int) -> None:
        if not counts.is_data or row[ended] is None:
            counts.rows += sign

    return count
