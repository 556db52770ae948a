"""Data files, delete files and inlined rows, back as they were.

DuckLake's DDL gives a file's id to one row, and a row is part of every snapshot between two numbers. So a file that has
to return gets a new row with a new id, and a copy of its own: when the old row's snapshots expire, DuckLake removes the
file that it names.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass, field

from rocklake_server.catalog.lake_reader import LakeReader
from rocklake_server.catalog.mvcc import is_visible
from rocklake_server.catalog.rollback.definitions import DATA_FILE, DELETE_FILE
from rocklake_server.catalog.rollback.records import (
    BEGIN,
    END,
    Changes,
    Fate,
    Moments,
    Record,
    number,
    number_or_none,
    records,
)
from rocklake_server.errors import Unsupported
from rocklake_server.schema.model import Relation, RelationKind

FILE_PARTS = ("ducklake_file_column_stats", "ducklake_file_variant_stats", "ducklake_file_partition_value")
"""Relations whose rows belong to one data file."""

_SUFFIX = re.compile(r"(\.[A-Za-z0-9]+)?$")
_TABLE_OF = re.compile(r"ducklake_inlined_(?:data|delete)_(\d+)")


@dataclass(frozen=True, slots=True)
class ReturningFile:
    """A file that is copied for its new row. Paths are as its rows have them."""

    table_id: int
    path: str
    new_path: str
    is_relative: bool
    size_bytes: int | None


@dataclass(frozen=True, slots=True)
class MergedFile:
    """A data file, or with ``deletes`` a delete file, with a column that tells the snapshot of each row."""

    file: ReturningFile
    new_file_id: int
    deletes: bool


@dataclass(slots=True)
class FileChanges:
    """Tables by what happens to their rows, and the files to be copied."""

    inserted_into: set[int] = field(default_factory=set)
    deleted_from: set[int] = field(default_factory=set)
    inlined_insert: set[int] = field(default_factory=set)
    inlined_delete: set[int] = field(default_factory=set)
    copies: list[ReturningFile] = field(default_factory=list)
    merged: list[MergedFile] = field(default_factory=list)

    @property
    def tables(self) -> set[int]:
        return self.inserted_into | self.deleted_from | self.inlined_insert | self.inlined_delete

    def tokens(self, dropped: set[int]) -> list[str]:
        """As DuckLake itself lists changes of rows."""
        return [
            f"{token}:{table_id}"
            for token, tables in (
                ("inserted_into_table", self.inserted_into), ("deleted_from_table", self.deleted_from),
                ("inlined_insert", self.inlined_insert), ("inlined_delete", self.inlined_delete),
            )
            for table_id in sorted(tables - dropped)
        ]  # fmt: skip


class FileRollback:
    """One pass over the relations of files."""

    def __init__(self, lake: LakeReader, moments: Moments, changes: Changes, next_file_id: int) -> None:
        self.found = FileChanges()
        self.next_file_id = next_file_id
        self._lake = lake
        self._moments = moments
        self._changes = changes
        self._new_ids: dict[int, int] = {}
        self._undeleted: set[int] = set()

    async def run(self) -> None:
        """Raises Unsupported for an encrypted file that was merged across the target."""
        deleted = await self._inlined_deletes()
        async for _, _, row in records(self._lake, DELETE_FILE):
            if self._is_merged(row):
                self._undeleted.add(number(row, "data_file_id"))
        await self._data_files()
        await self._delete_files()
        for name in FILE_PARTS:
            async for _, _, row in records(self._lake, name):
                if (new_id := self._new_ids.get(number(row, "data_file_id"))) is not None:
                    self._changes.put(name, {**row, "data_file_id": new_id})
        for name, earlier in deleted.items():
            for row in earlier:
                if (new_id := self._new_ids.get(number(row, "file_id"))) is not None:
                    self._changes.put(name, {**row, "file_id": new_id, BEGIN: self._moments.made})
        for relation in self._lake.relations.by_id.values():
            if relation.kind is RelationKind.INLINED_DATA:
                await self._inlined_rows(relation)

    async def _inlined_deletes(self) -> dict[str, list[Record]]:
        """Those that the target has, by relation. A file with later ones has to return: they have no end."""
        earlier: dict[str, list[Record]] = defaultdict(list)
        for relation in self._lake.relations.by_id.values():
            if relation.kind is not RelationKind.INLINED_DELETE:
                continue
            async for _, _, row in records(self._lake, relation.name):
                if number(row, BEGIN) <= self._moments.target:
                    earlier[relation.name].append(row)
                else:
                    self._undeleted.add(number(row, "file_id"))
        return earlier

    async def _data_files(self) -> None:
        async for relation, match, row in records(self._lake, DATA_FILE):
            fate, is_there = self._fate(row), row[END] is None
            table_id, file_id = number(row, "table_id"), number(row, "data_file_id")
            is_other = file_id in self._undeleted or self._is_merged(row)
            returns = fate is Fate.RETURNS or (fate is Fate.STAYS and is_there and is_other)
            if is_there and (fate is Fate.ENDS or returns):
                self._changes.end(relation, match, self._moments)
                self.found.deleted_from.add(table_id)
            if returns:
                self._new_ids[file_id] = self._take_id()
                self._return(DATA_FILE, row, {"data_file_id": self._new_ids[file_id]})
                self.found.inserted_into.add(table_id)
                if self._is_merged(row):
                    self._hide(row, self._new_ids[file_id], deletes=False)

    async def _delete_files(self) -> None:
        async for relation, match, row in records(self._lake, DELETE_FILE):
            fate, is_there = self._fate(row), row[END] is None
            new_id = self._new_ids.get(number(row, "data_file_id"))
            if is_there and (fate is Fate.ENDS or new_id is not None):
                self._changes.end(relation, match, self._moments)
                self.found.inserted_into.add(number(row, "table_id"))
            if not self._is_wanted(row) or (fate is not Fate.RETURNS and new_id is None):
                continue
            self.found.deleted_from.add(number(row, "table_id"))
            if self._is_merged(row) and new_id is not None:
                self._hide(row, new_id, deletes=True)
            else:
                file_id = new_id if new_id is not None else row["data_file_id"]
                self._return(DELETE_FILE, row, {"delete_file_id": self._take_id(), "data_file_id": file_id})

    async def _inlined_rows(self, relation: Relation) -> None:
        begin, end = (relation.columns[position].name for position in (1, 2))
        table_id = _table_of(relation)
        async for _, match, row in records(self._lake, relation.name):
            fate = self._moments.fate(number(row, begin), number_or_none(row, end))
            if fate is Fate.ENDS:
                self._changes.end(relation, match, self._moments, end)
                self.found.inlined_delete.add(table_id)
            elif fate is Fate.RETURNS:
                self._changes.put(relation.name, {**row, begin: self._moments.made, end: None})
                self.found.inlined_insert.add(table_id)

    def _fate(self, row: Record) -> Fate:
        return self._moments.fate(number(row, BEGIN), number_or_none(row, END))

    def _is_merged(self, row: Record) -> bool:
        """Whether a file of the target holds what came after it, too: in each snapshot it shows what is up to that
        one, so that a row which begins with the new snapshot would show all."""
        last = number_or_none(row, "partial_max")
        return last is not None and last > self._moments.target and self._is_wanted(row)

    def _is_wanted(self, row: Record) -> bool:
        return is_visible(number(row, BEGIN), number_or_none(row, END), self._moments.target)

    def _hide(self, row: Record, new_file_id: int, *, deletes: bool) -> None:
        if row.get("encryption_key") is not None or (deletes and row.get("format") not in (None, "parquet")):
            name = f'file "{row["path"]!s}" of table {number(row, "table_id")}'
            raise Unsupported(f"{name} holds rows of several snapshots, and cannot be read here to tell them apart")
        self.found.merged.append(MergedFile(_file_of(row, str(row["path"])), new_file_id, deletes))

    def _return(self, name: str, row: Record, ids: Record) -> None:
        path = str(row["path"])
        new_path = _SUFFIX.sub(lambda found: f"-{self._moments.made}{found[0]}", path, count=1)
        self._changes.put(name, {**row, **ids, "path": new_path, BEGIN: self._moments.made, END: None})
        self.found.copies.append(_file_of(row, new_path))

    def _take_id(self) -> int:
        self.next_file_id += 1
        return self.next_file_id - 1


def inlined_delete_name(table_id: int) -> str:
    """The relation that holds which rows of a table's files are deleted without a delete file."""
    return f"ducklake_inlined_delete_{table_id}"


def _file_of(row: Record, new_path: str) -> ReturningFile:
    return ReturningFile(
        number(row, "table_id"), str(row["path"]), new_path, bool(row.get("path_is_relative")),
        number_or_none(row, "file_size_bytes"))  # fmt: skip


def _table_of(relation: Relation) -> int:
    found = _TABLE_OF.match(relation.name)
    if found is None:
        raise AssertionError("relations of this kind are recognised by their names")
    return int(found[1])
