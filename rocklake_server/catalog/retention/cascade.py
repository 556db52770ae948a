"""What expires with snapshots: the cascade of DuckLake's ``ducklake_expire_snapshots``, row by row.

Source: ``DuckLakeMetadataManager::DeleteSnapshots`` of DuckLake 1.0. A row goes when no snapshot that stays has it, a
part when its owner goes. The order is another one: what has an owner goes before it, so that a lake is whole after each
of several commits, and what an interrupted one has left goes with the next.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from typing import NamedTuple, cast

from rocklake_server.catalog.access import access_of
from rocklake_server.catalog.lake_reader import LakeReader
from rocklake_server.catalog.maintenance.id_set import IdSet
from rocklake_server.catalog.maintenance.references import (
    CHANGES,
    DATA_FILE,
    DELETE_FILE,
    MACRO,
    SCHEMA,
    SNAPSHOT,
    TABLE,
    VIEW,
)
from rocklake_server.catalog.mvcc import is_visible_in_any
from rocklake_server.catalog.retention.file_paths import FilePaths, ScheduledFile
from rocklake_server.catalog.rollback.files import inlined_delete_name
from rocklake_server.catalog.view import Row
from rocklake_server.encoding.keys import decode_row_key, key_prefix
from rocklake_server.encoding.ordered import encode_int
from rocklake_server.schema.model import Relation
from rocklake_server.schema.types import Value
from rocklake_server.store.base import Entry, Key

INLINED_TABLES = "ducklake_inlined_data_tables"
COLUMN_MAPPING = "ducklake_column_mapping"

_PARTS_OF_DATA_FILES = ("ducklake_file_column_stats", "ducklake_file_variant_stats", "ducklake_file_partition_value")
_PARTS_OF_TABLES = (
    "ducklake_table_stats", "ducklake_table_column_stats", "ducklake_partition_column", "ducklake_partition_info",
    "ducklake_column", "ducklake_column_tag", "ducklake_sort_expression", "ducklake_sort_info",
    "ducklake_schema_versions", INLINED_TABLES, COLUMN_MAPPING,
)  # fmt: skip
"""Deleted by ``table_id``, and then ducklake_table itself."""

_PARTS_BY_OWNER = (
    ("ducklake_macro_impl", "macro_id", MACRO),
    ("ducklake_macro_parameters", "macro_id", MACRO),
    ("ducklake_name_mapping", "mapping_id", COLUMN_MAPPING),
)
"""Deleted when no row of the owner has their id."""


SNAPSHOTS_AT_ONCE = 1000
"""Snapshots whose changes are read by one scan: a scan costs as much as a hundred rows."""


class Going(NamedTuple):
    """A row that goes, as it is stored, the file that is to be cleaned up for it, and the relation of inlined rows that
    is dropped with it."""

    relation: Relation
    key: Key
    value: bytes
    file: ScheduledFile | None = None
    dropped: Relation | None = None


Wanted = Callable[[Row], bool]


async def _in_runs(scan: AsyncIterator[list[Entry]], size: int) -> AsyncIterator[list[Entry]]:
    """At least so many entries at once, but for the last ones."""
    run: list[Entry] = []
    async for entries in scan:
        run += entries
        if len(run) >= size:
            yield run
            run = []
    if run:
        yield run


class Cascade:
    """Of one lake, when only the snapshots ``retained`` stay, which ascend. Holds ids, never rows."""

    def __init__(self, lake: LakeReader, retained: Sequence[int]) -> None:
        self._lake = lake
        self._retained = retained
        self._tables: set[int] = set()
        self._tables_with_files: set[int] = set()
        self._files = IdSet()

    # -- snapshots --------------------------------------------------------------------------------------------------

    async def snapshots(self) -> AsyncIterator[list[Going]]:
        """Those below the first that stays, each in one group with what it changed."""
        stop = encode_int(self._retained[0])
        snapshots, changes = self._relation(SNAPSHOT), self._relation(CHANGES)
        if snapshots is None:
            return
        start = b""
        async for entries in _in_runs(self._lake.snapshot.scan(key_prefix(snapshots), stop=stop), SNAPSHOTS_AT_ONCE):
            group = [Going(snapshots, key, value) for key, value in entries]
            end = entries[-1][0][len(key_prefix(snapshots)):] + b"\0"
            if changes is not None:
                group += await self._range(changes, start, end)
            start = end
            yield group
        if changes is not None:
            yield await self._range(changes, start, stop)

    async def _range(self, relation: Relation, start: bytes, stop: bytes) -> list[Going]:
        scan = self._lake.snapshot.scan(key_prefix(relation), start=start, stop=stop)
        return [Going(relation, key, value) async for entries in scan for key, value in entries]

    # -- everything else --------------------------------------------------------------------------------------------

    async def rows(self) -> AsyncIterator[list[Going]]:
        """What only expired snapshots had, in groups that can be committed one after another."""
        await self._find_tables()
        await self._find_files()
        paths = await FilePaths.of(self._lake)
        for part in _PARTS_OF_DATA_FILES:
            async for group in self._parts_of_files(part):
                yield group
        for name, id_column, gone in (
            (DELETE_FILE, "delete_file_id", self._delete_file_goes), (DATA_FILE, "data_file_id", self._data_file_goes),
        ):  # fmt: skip
            async for group in self._files_of(name, id_column, gone, paths):
                yield group
        for part, column, owner in _PARTS_BY_OWNER:
            async for group in self._without_owner(part, column, owner):
                yield group
        for part in (*_PARTS_OF_TABLES, TABLE):
            async for group in self._of_tables(part):
                yield group
        for name in (VIEW, "ducklake_tag", MACRO, SCHEMA):
            async for group in self._where(name, self._ended):
                yield group

    async def _find_tables(self) -> None:
        """Tables none of whose versions is left."""
        relation, left, known = self._relation(TABLE), set[Value](), set[Value]()
        if relation is None:
            return
        stays, table_at = self._stays(relation), relation.index["table_id"]
        async for batch in self._lake.rows(relation):
            for match in batch:
                known.add(match.row[table_at])
                if stays(match.row):
                    left.add(match.row[table_at])
        self._tables = {number for number in known - left if isinstance(number, int)}

    async def _find_files(self) -> None:
        relation = self._relation(DATA_FILE)
        if relation is None:
            return
        goes = self._data_file_goes(relation)
        file_at, table_at = relation.index["data_file_id"], relation.index["table_id"]
        async for batch in self._lake.rows(relation):
            for match in batch:
                file_id, table_id = match.row[file_at], match.row[table_at]
                if isinstance(file_id, int) and isinstance(table_id, int) and goes(match.row):
                    self._files.add(file_id)
                    self._tables_with_files.add(table_id)

    def _stays(self, relation: Relation) -> Wanted:
        """Whether a snapshot that stays, or that is yet to come, has the version."""
        begin_at, end_at = relation.index["begin_snapshot"], relation.index["end_snapshot"]
        retained = self._retained

        def stays(row: Row) -> bool:
            begin, end = row[begin_at], row[end_at]
            if not isinstance(end, int):
                return True
            return is_visible_in_any(begin if isinstance(begin, int) else retained[0], end, retained)

        return stays

    def _ended(self, relation: Relation) -> Wanted:
        stays = self._stays(relation)
        return lambda row: not stays(row)

    def _of_gone_table(self, relation: Relation) -> Wanted:
        tables, table_at = self._tables, relation.index["table_id"]
        return lambda row: row[table_at] in tables

    def _data_file_goes(self, relation: Relation) -> Wanted:
        stays, table_at = self._stays(relation), relation.index["table_id"]
        return lambda row: row[table_at] in self._tables or not stays(row)

    def _delete_file_goes(self, relation: Relation) -> Wanted:
        goes, file_at = self._data_file_goes(relation), relation.index["data_file_id"]
        files = self._files
        return lambda row: goes(row) or (isinstance(file_id := row[file_at], int) and file_id in files)

    async def _files_of(
        self, name: str, id_column: str, goes: Callable[[Relation], Wanted], paths: FilePaths
    ) -> AsyncIterator[list[Going]]:
        async for group in self._where(name, goes):
            relation = group[0].relation
            decode = access_of(relation).codec.decode
            yield [
                Going(relation, going.key, going.value, paths.scheduled(relation, id_column, row))
                for going in group for row in (decode(going.key, going.value),)
            ]

    async def _parts_of_files(self, name: str) -> AsyncIterator[list[Going]]:
        """By their keys alone: there are many."""
        relation = self._relation(name)
        if relation is None or relation.table is None:
            return
        file_at = relation.table.key.index("data_file_id")
        for table_id in sorted(self._tables_with_files):
            async for entries in self._lake.snapshot.scan(key_prefix(relation, table_id)):
                yield [
                    Going(relation, key, value) for key, value in entries
                    if isinstance(file_id := decode_row_key(relation, key)[0][file_at], int) and file_id in self._files
                ]

    async def _of_tables(self, name: str) -> AsyncIterator[list[Going]]:
        relation = self._relation(name)
        if not self._tables or relation is None or "table_id" not in relation.index:
            return
        if name in (INLINED_TABLES, TABLE):
            async for group in self._where(name, self._of_gone_table):
                yield [going._replace(dropped=self._dropped_with(going)) for going in group]
        elif relation.table is not None and relation.table.key[0] == "table_id":
            for table_id in sorted(self._tables):
                async for entries in self._lake.snapshot.scan(key_prefix(relation, table_id)):
                    yield [Going(relation, key, value) for key, value in entries]
        else:
            async for group in self._where(name, self._of_gone_table):
                yield group

    def _dropped_with(self, going: Going) -> Relation | None:
        """Inlined rows go with their registration, inlined deletes with their table."""
        relation = going.relation
        row = access_of(relation).codec.decode(going.key, going.value)
        if relation.name == TABLE:
            return self._relation(inlined_delete_name(cast("int", row[relation.index["table_id"]])))
        return self._relation(str(row[relation.index["table_name"]]))

    async def _without_owner(self, name: str, column: str, owner: str) -> AsyncIterator[list[Going]]:
        owners, relation = self._relation(owner), self._relation(name)
        if owners is None or relation is None:
            return
        left: set[Value] = set()
        goes = (self._of_gone_table if owner == COLUMN_MAPPING else self._ended)(owners)
        async for batch in self._lake.rows(owners):
            left.update(match.row[owners.index[column]] for match in batch if not goes(match.row))
        id_at = relation.index[column]
        async for group in self._where(name, lambda _: lambda row: row[id_at] not in left):
            yield group

    async def _where(self, name: str, wanted: Callable[[Relation], Wanted]) -> AsyncIterator[list[Going]]:
        """Never an empty group."""
        relation = self._relation(name)
        if relation is None:
            return
        decode, goes = access_of(relation).codec.decode, wanted(relation)

        def chosen(entries: Sequence[Entry]) -> list[Going]:
            return [Going(relation, key, value) for key, value in entries if goes(decode(key, value))]

        async for entries in self._lake.snapshot.scan(key_prefix(relation)):
            if group := chosen(entries):
                yield group

    def _relation(self, name: str) -> Relation | None:
        return self._lake.relations.by_name.get(name)
