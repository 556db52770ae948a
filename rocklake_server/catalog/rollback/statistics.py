"""Statistics of whole tables after a rollback: counts and bounds of what is there then.

They may have been narrowed since the target, when files were rewritten or a table emptied: a client that trusted them
would not look for rows that have returned. Those of single files are copied with the files.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator, Callable

from rocklake_server.catalog.lake_reader import LakeReader
from rocklake_server.catalog.rollback.bounds import Bounds
from rocklake_server.catalog.rollback.definitions import DATA_FILE
from rocklake_server.catalog.rollback.records import END, Changes, Record, number, record, records
from rocklake_server.pgformat.text import text_encoder
from rocklake_server.schema.model import Relation, RelationColumn, RelationKind
from rocklake_server.schema.types import Form, Value

COLUMN = "ducklake_column"
TABLE_STATS, COLUMN_STATS = "ducklake_table_stats", "ducklake_table_column_stats"
FILE_STATS = "ducklake_file_column_stats"
_NESTED = frozenset({"list", "struct", "map"})
_SYSTEM_COLUMNS = 3

Place = tuple[int, int]
"""Table and column."""


async def live_after(lake: LakeReader, name: str, end: str, changes: Changes) -> AsyncIterator[Record]:
    """The rows of a relation that have not ended once the changes are made."""
    changed = {match.key: new for match, new in changes.replaced.get(name, ())}
    async for _, match, row in records(lake, name):
        row = changed.get(match.key, row)
        if row[end] is None:
            yield row
    for row in changes.inserted.get(name, ()):
        if row.get(end) is None:
            yield row


class Statistics:
    """Gathers, then adds to ``changes``, for ``tables``."""

    def __init__(self, lake: LakeReader, changes: Changes, tables: set[int]) -> None:
        self._lake = lake
        self._changes = changes
        self._tables = tables
        self._bounds: dict[Place, Bounds] = {}
        self._rows: Counter[int] = Counter()
        self._sizes: Counter[int] = Counter()

    async def renew(self) -> None:
        names: dict[tuple[int, str], int] = {}
        nested: dict[int, list[Place]] = {}
        async for column in live_after(self._lake, COLUMN, END, self._changes):
            place = number(column, "table_id"), number(column, "column_id")
            if place[0] not in self._tables:
                continue
            if column["column_type"] not in _NESTED:
                self._bounds[place] = Bounds(str(column["column_type"]))
            if column["parent_column"] is None:
                names[place[0], str(column["column_name"]).lower()] = place[1]
            elif place in self._bounds:
                nested.setdefault(place[0], []).append(place)
        await self._files()
        for relation in self._lake.relations.by_id.values():
            if relation.kind is RelationKind.INLINED_DATA:
                await self._inlined(relation, names, nested)
        await self._write()

    async def _files(self) -> None:
        live: set[int] = set()
        async for row in live_after(self._lake, DATA_FILE, END, self._changes):
            if row["table_id"] in self._tables:
                live.add(number(row, "data_file_id"))
                self._rows[number(row, "table_id")] += number(row, "record_count")
                self._sizes[number(row, "table_id")] += number(row, "file_size_bytes")
        async for _, _, row in records(self._lake, FILE_STATS):
            self._file_stats(row, live)
        for row in self._changes.inserted.get(FILE_STATS, ()):
            self._file_stats(row, live)

    def _file_stats(self, row: Record, live: set[int]) -> None:
        bounds = self._bounds.get((number(row, "table_id"), number(row, "column_id")))
        if bounds is None or row["data_file_id"] not in live:
            return
        bounds.has_null |= row["null_count"] != 0
        bounds.has_nan |= row["contains_nan"] is True
        if row["value_count"] != 0:
            bounds.include(_text(row["min_value"]), _text(row["max_value"]))

    async def _inlined(
        self, relation: Relation, names: dict[tuple[int, str], int], nested: dict[int, list[Place]]
    ) -> None:
        table_id = int(relation.name.split("_")[3])
        if table_id not in self._tables:
            return
        columns = [
            (position, bounds, _shown(column, bounds))
            for position, column in enumerate(relation.columns)
            if position >= _SYSTEM_COLUMNS
            and (bounds := self._bounds.get((table_id, names.get((table_id, column.name.lower()), -1)))) is not None
        ]
        async for row in live_after(self._lake, relation.name, relation.columns[2].name, self._changes):
            self._rows[table_id] += 1
            values = list(row.values())
            for position, bounds, shown in columns:
                _include(bounds, values[position], shown)
            for place in nested.get(table_id, ()):
                self._bounds[place].has_null = True
                self._bounds[place].widen()

    async def _write(self) -> None:
        async for relation, match, row in records(self._lake, TABLE_STATS):
            if (table_id := number(row, "table_id")) in self._tables:
                new = {**row, "record_count": self._rows[table_id], "file_size_bytes": self._sizes[table_id]}
                self._changes.replaced[relation.name].append((match, new))
        written: set[Place] = set()
        async for relation, match, row in records(self._lake, COLUMN_STATS):
            place = number(row, "table_id"), number(row, "column_id")
            if (bounds := self._bounds.get(place)) is not None:
                written.add(place)
                self._changes.replaced[relation.name].append((match, {**record(relation, match), **_stats(bounds)}))
        if COLUMN_STATS in self._lake.relations.by_name:
            for place in sorted(self._bounds.keys() - written):
                if place[0] in self._rows:
                    row = {"table_id": place[0], "column_id": place[1], **_stats(self._bounds[place])}
                    self._changes.put(COLUMN_STATS, row)


def _stats(bounds: Bounds) -> Record:
    return {
        "contains_null": bounds.has_null, "contains_nan": True if bounds.has_nan else None, "min_value": bounds.least,
        "max_value": bounds.greatest, "extra_stats": None,
    }  # fmt: skip


def _text(value: Value) -> str | None:
    return None if value is None else str(value)


def _shown(column: RelationColumn, bounds: Bounds) -> Callable[[Value], str]:
    """A value as DuckLake's statistics show it."""
    match column.type.form:
        case Form.BYTES if bounds.column_type.lower() == "blob":
            return lambda value: value.hex().upper() if isinstance(value, bytes) else ""
        case Form.BYTES:
            return lambda value: value.decode(errors="replace") if isinstance(value, bytes) else ""
        case Form.BOOL:
            return lambda value: "1" if value else "0"
        case _:
            return text_encoder(column.type)


def _include(bounds: Bounds, value: Value, shown: Callable[[Value], str]) -> None:
    if value is None:
        bounds.has_null = True
    elif isinstance(value, float) and value != value:
        bounds.has_nan = True
    else:
        text = shown(value)
        bounds.include(text, text)
