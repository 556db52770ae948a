"""Verifies every row of every relation, one reading of each: keys, values, ids, counts, versions and owners."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import cast

from rocklake_server.catalog.access import Access, access_of
from rocklake_server.catalog.lake import row_number
from rocklake_server.catalog.maintenance import checks
from rocklake_server.catalog.maintenance.id_set import IdSet
from rocklake_server.catalog.maintenance.lake_under_test import LakeUnderTest
from rocklake_server.catalog.maintenance.references import (
    COUNTED,
    DATA_FILE,
    OWNER_IDS,
    PARTS_OF_FILES,
    REFERENCES,
    SNAPSHOT,
)
from rocklake_server.catalog.maintenance.verify_versions import VersionCheck, beyond_key
from rocklake_server.catalog.view import Match, Row
from rocklake_server.encoding.keys import decode_row_key
from rocklake_server.errors import CorruptValue, FormatVersionUnsupported
from rocklake_server.schema.model import Relation
from rocklake_server.schema.system_subspaces import COUNTER_CATALOG, COUNTER_FILE, SYSTEM_NEXT_ROW
from rocklake_server.store.base import Entry, Key


async def collect_owners(lake: LakeUnderTest) -> None:
    """The ids that rows of other relations name, and the newest snapshot: before any row is verified. They are in the
    keys, so that a row whose value is damaged does not leave its parts without an owner."""
    for name, column in OWNER_IDS.items():
        relation = lake.relation(name)
        if relation is None or relation.table is None:
            lake.unknown_ids.add(name)
            continue
        ids, place = lake.ids_of(name), relation.table.key.index(column)
        async for entries in lake.entries(relation):
            for number in _ids_in_keys(lake, relation, place, entries):
                ids.add(number)
                if name == SNAPSHOT:
                    lake.newest_snapshot = max(number, lake.newest_snapshot or 0)


def _ids_in_keys(lake: LakeUnderTest, relation: Relation, place: int, entries: Sequence[Entry]) -> Iterator[int]:
    """The integer in one field of each key. A key that cannot be read leaves the relation's ids unknown."""
    for key, _ in entries:
        try:
            field = decode_row_key(relation, key)[0][place]
        except CorruptValue:
            lake.unknown_ids.add(relation.name)
            continue
        if isinstance(field, int):
            yield field


async def verify_relation(lake: LakeUnderTest, relation: Relation) -> None:
    """All rows of one relation."""
    rows = RowCheck(lake, relation)
    versions = VersionCheck(lake, relation)
    async for entries in lake.entries(relation):
        found = rows.readable(entries)
        await rows.add(found)
        await versions.add(found)
    await versions.finish()


async def verify_dropped(lake: LakeUnderTest, relation: Relation) -> None:
    """Rows that a dropped relation left behind: nobody reads them, but they take their place until they are excised."""
    rows = RowCheck(lake, relation)
    async for entries in lake.entries(relation):
        rows.readable(entries)


class RowCheck:
    """Of one relation."""

    def __init__(self, lake: LakeUnderTest, relation: Relation) -> None:
        self._lake = lake
        self._relation = relation
        self._access: Access = access_of(relation)
        index = relation.index
        self._names_its_key = bool(relation.key_columns) and None not in relation.key_columns
        self._shares_keys = bool(beyond_key(relation))
        self._counted = [(name, index[name]) for name in sorted(COUNTED) if name in index]
        self._references = [
            (index[reference.column], reference) for reference in REFERENCES
            if reference.relation == relation.name and reference.column in index
        ]
        self._primary: IdSet | None = None
        if len(relation.primary_key) == 1 and not self._access.key_is_primary:
            self._primary = IdSet()
        is_part = relation.name in PARTS_OF_FILES and {"table_id", "data_file_id"} <= index.keys()
        self._files = FilesOfTable(lake) if is_part else None

    def readable(self, entries: Sequence[Entry]) -> list[Match]:
        """The rows that can be decoded; the others are reported."""
        found, lake = [], self._lake
        decode, relation = self._access.codec.decode, self._relation
        for key, value in entries:
            lake.stored_bytes += len(key) + len(value)
            try:
                _, ordinal = decode_row_key(relation, key)
            except CorruptValue as error:
                lake.report.add(checks.KEY_ENCODING, str(error), key)
                lake.doubtful.add(relation.name)
                continue
            try:
                row = decode(key, value)
            except (CorruptValue, FormatVersionUnsupported) as error:
                lake.value_problem(key, value, error)
                lake.doubtful.add(relation.name)
                continue
            self._verify_key(key, row, ordinal)
            found.append(Match(key, row))
        return found

    def _verify_key(self, key: Key, row: Row, ordinal: int) -> None:
        report, name = self._lake.report, self._relation.name
        if self._names_its_key and self._access.key(row, ordinal) != key:
            report.add(checks.KEY_MATCHES_ROW, f"{name}: the row calls for another key", key)
            self._lake.doubtful.add(name)
        elif ordinal and not self._shares_keys:
            report.add(checks.TIE_BREAKERS, f"{name}: {ordinal} rows before it have the same key fields", key)

    async def add(self, rows: Sequence[Match]) -> None:
        """Everything but versions."""
        self._need_ids(rows)
        for match in rows:
            self._verify_row(match)
        if self._access.index_entries is not None:
            for _, row in rows:
                for index_key, value in self._access.index_entries(row):
                    self._lake.expected_entries.add(index_key, value)
        if self._files is not None:
            await self._verify_files(self._files, rows)

    def _need_ids(self, rows: Sequence[Match]) -> None:
        values = [match.row for match in rows]
        for counter, greatest in self._access.greatest_ids(values).items():
            self._lake.need(counter, greatest)
        if self._relation.name == SNAPSHOT:
            for column, counter in (("next_catalog_id", COUNTER_CATALOG), ("next_file_id", COUNTER_FILE)):
                position = self._relation.index.get(column)
                for row in values if position is not None else ():
                    if position is not None and isinstance(number := row[position], int):
                        self._lake.need(counter, number - 1)

    def _verify_row(self, match: Match) -> None:
        key, row = match
        report, name = self._lake.report, self._relation.name
        number = row_number(cast("int", row[-1]))
        self._lake.need(SYSTEM_NEXT_ROW, number)
        if not self._lake.row_numbers.add(number):
            report.add(checks.ROW_NUMBERS, f"{name}: another row has the same ctid", key)
        for position in self._access.required:
            if row[position] is None:
                report.add(checks.NOT_NULL, f"{name}: {self._relation.columns[position].name} is NULL", key)
        for column, position in self._counted:
            if isinstance(value := row[position], int) and value < 0:
                report.add(checks.NEGATIVE_COUNTS, f"{name}: {column} is {value}", key)
        if self._primary is not None:
            primary = row[self._relation.primary_key[0]]
            if isinstance(primary, int) and not self._primary.add(primary):
                report.add(checks.PRIMARY_KEYS, f"{name}: another row has the primary key {primary}", key)
        for position, reference in self._references:
            value = row[position]
            if isinstance(value, int) and not self._lake.may_exist(reference.owner, value):
                what = f"{name}: {reference.column} {value} is in no row of {reference.owner}"
                report.add(reference.check, what, key)

    async def _verify_files(self, files: FilesOfTable, rows: Sequence[Match]) -> None:
        index, check = self._relation.index, PARTS_OF_FILES[self._relation.name]
        for key, row in rows:
            table_id, file_id = row[index["table_id"]], row[index["data_file_id"]]
            if not (isinstance(table_id, int) and isinstance(file_id, int)):
                continue
            if file_id not in await files.of(table_id) and DATA_FILE not in self._lake.unknown_ids:
                what = f"{self._relation.name}: table {table_id} has no data file {file_id}"
                self._lake.report.add(check, what, key)


class FilesOfTable:
    """The data files of one table at a time: rows that name them come in the order of tables."""

    def __init__(self, lake: LakeUnderTest) -> None:
        self._lake = lake
        self._table_id: int | None = None
        self._files = IdSet()

    async def of(self, table_id: int) -> IdSet:
        """The ids of the table's data files."""
        if table_id == self._table_id:
            return self._files
        self._table_id, self._files = table_id, IdSet()
        relation = self._lake.relation(DATA_FILE)
        if relation is None or relation.table is None or None in relation.key_columns:
            self._lake.unknown_ids.add(DATA_FILE)
            return self._files
        place = relation.table.key.index("data_file_id")
        async for entries in self._lake.entries(relation, table_id):
            for file_id in _ids_in_keys(self._lake, relation, place, entries):
                self._files.add(file_id)
        return self._files
