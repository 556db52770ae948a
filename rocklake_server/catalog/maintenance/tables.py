"""Tables of a lake at a snapshot, with what belongs to each, and their files through the indexes."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from typing import cast

from rocklake_server.catalog import mvcc
from rocklake_server.catalog.indexes import keys_registered_at, live_files
from rocklake_server.catalog.lake_reader import LakeReader
from rocklake_server.catalog.loader import load_keys
from rocklake_server.catalog.maintenance.readable import named
from rocklake_server.catalog.view import Row
from rocklake_server.errors import InvalidParameterValue, UndefinedObject, UndefinedTable
from rocklake_server.schema.model import Relation
from rocklake_server.schema.types import Value

FILE_COLUMNS = ("data_file_id", "table_id", "begin_snapshot", "end_snapshot", "path", "path_is_relative",
                "file_format", "record_count", "file_size_bytes", "row_id_start")  # fmt: skip

_KEYS_AT_ONCE = 1000


@dataclass(slots=True)
class TableFacts:
    """A table as a snapshot has it. Counts are of what that snapshot sees."""

    table_id: int
    schema: str
    name: str
    since_snapshot: int
    columns: int = 0
    files: int = 0
    rows_in_files: int = 0
    bytes_in_files: int = 0
    delete_files: int = 0
    deleted_rows: int = 0
    inlined_rows: int = 0
    inlined_deletes: int = 0

    @property
    def qualified(self) -> str:
        return f"{self.schema}.{self.name}"


def seen_at(relation: Relation, snapshot_id: int) -> Callable[[Row], bool]:
    """Whether a snapshot sees a row of ``relation``. Without a begin_snapshot it has no history: all see it."""
    begin, end = relation.index.get("begin_snapshot"), relation.index.get("end_snapshot")
    if begin is None:
        begin, end = (relation.index.get(f"_ducklake_{name}_snapshot") for name in ("begin", "end"))
    if begin is None:
        return lambda _: True

    def sees(row: Row) -> bool:
        began, ended = row[begin], row[end] if end is not None else None
        return isinstance(began, int) and mvcc.is_visible(began, cast("int | None", ended), snapshot_id)

    return sees


async def tables_at(reader: LakeReader, snapshot_id: int, tell: Callable[[int], None]) -> list[TableFacts]:
    """By schema and name. ``tell`` is given the number of rows read so far, from time to time."""
    found = await _listed(reader, snapshot_id)
    await _count(reader, snapshot_id, "ducklake_column", found, _add_column, tell)
    await _count(reader, snapshot_id, "ducklake_data_file", found, _add_file, tell)
    await _count(reader, snapshot_id, "ducklake_delete_file", found, _add_delete_file, tell)
    await _count_inlined(reader, snapshot_id, found, tell)
    return sorted(found.values(), key=lambda facts: (facts.schema, facts.name))


async def _listed(reader: LakeReader, snapshot_id: int) -> dict[int, TableFacts]:
    schemas = reader.relation("ducklake_schema")
    sees, names = seen_at(schemas, snapshot_id), dict[Value, str]()
    async for batch in reader.rows(schemas):
        for match in batch:
            if sees(match.row):
                names[match.row[schemas.index["schema_id"]]] = str(match.row[schemas.index["schema_name"]])
    tables = reader.relation("ducklake_table")
    sees, found = seen_at(tables, snapshot_id), {}
    async for batch in reader.rows(tables):
        for match in batch:
            if sees(match.row):
                row = named(tables, match.row, "table_id", "schema_id", "table_name", "begin_snapshot")
                table_id, since = cast("int", row["table_id"]), cast("int", row["begin_snapshot"])
                schema = names.get(row["schema_id"], "a schema that is missing")
                found[table_id] = TableFacts(table_id, schema, str(row["table_name"]), since)
    return found


@dataclass(slots=True)
class _Counted:
    """Columns of a relation by name, for one row."""

    relation: Relation
    row: Row = field(default=())

    def number(self, name: str) -> int:
        position = self.relation.index.get(name)
        value = self.row[position] if position is not None else None
        return value if isinstance(value, int) else 0


def _add_column(facts: TableFacts, row: _Counted) -> None:
    facts.columns += not row.number("parent_column")


def _add_file(facts: TableFacts, row: _Counted) -> None:
    facts.files += 1
    facts.rows_in_files += row.number("record_count")
    facts.bytes_in_files += row.number("file_size_bytes")


def _add_delete_file(facts: TableFacts, row: _Counted) -> None:
    facts.delete_files += 1
    facts.deleted_rows += row.number("delete_count")


async def _count(
    reader: LakeReader, snapshot_id: int, name: str, found: dict[int, TableFacts],
    add: Callable[[TableFacts, _Counted], None], tell: Callable[[int], None],
) -> None:
    relation = reader.relations.by_name.get(name)
    if relation is None or "table_id" not in relation.index:
        return
    sees, owner, counted = seen_at(relation, snapshot_id), relation.index["table_id"], _Counted(relation)
    async for batch in reader.rows(relation):
        for _, row in batch:
            facts = found.get(cast("int", row[owner]))
            if facts is not None and sees(row):
                counted.row = row
                add(facts, counted)
        tell(len(batch))


async def _count_inlined(
    reader: LakeReader, snapshot_id: int, found: dict[int, TableFacts], tell: Callable[[int], None]
) -> None:
    registered = reader.relations.by_name.get("ducklake_inlined_data_tables")
    if registered is None:
        return
    async for batch in reader.rows(registered):
        for match in batch:
            row = named(registered, match.row, "table_id", "table_name")
            relation = reader.relations.by_name.get(str(row["table_name"]))
            facts = found.get(cast("int", row["table_id"]))
            if relation is None or facts is None:
                continue
            sees = seen_at(relation, snapshot_id)
            async for rows in reader.rows(relation):
                facts.inlined_rows += sum(sees(inlined.row) for inlined in rows)
                tell(len(rows))
    for facts in found.values():
        deletes = reader.relations.by_name.get(f"ducklake_inlined_delete_{facts.table_id}")
        if deletes is not None:
            sees = seen_at(deletes, snapshot_id)
            async for rows in reader.rows(deletes):
                facts.inlined_deletes += sum(sees(deleted.row) for deleted in rows)
                tell(len(rows))


async def find_table(reader: LakeReader, snapshot_id: int, name: str) -> TableFacts:
    """The table that ``name`` means: its number, ``table`` or ``schema.table``. Raises UndefinedTable,
    InvalidParameterValue when several schemas have one of that name."""
    listed = (await _listed(reader, snapshot_id)).values()
    found = [table for table in listed if name in (str(table.table_id), table.name, table.qualified)]
    if not found:
        raise UndefinedTable(f'lake "{reader.listed}" has no table "{name}" at snapshot {snapshot_id}')
    if len(found) > 1:
        several = ", ".join(f'"{table.qualified}"' for table in found)
        raise InvalidParameterValue(f'"{name}" may be any of {several}')
    return found[0]


async def files_visible_at(
    reader: LakeReader, table: TableFacts, snapshot_id: int
) -> AsyncIterator[dict[str, Value]]:
    """The data files of a table that a snapshot sees, through the index of files by their end. Raises CorruptValue
    when the index lists a file that is not there."""
    relation = _indexed_files(reader)
    keys = await live_files(reader.snapshot, relation, table.table_id, snapshot_id)
    sees = seen_at(relation, snapshot_id)
    for start in range(0, len(keys or ()), _KEYS_AT_ONCE):
        found = await load_keys(reader.snapshot, relation, (keys or [])[start:start + _KEYS_AT_ONCE])
        for row in found[1]:
            if sees(row):
                yield named(relation, row, *FILE_COLUMNS)


async def files_registered_at(reader: LakeReader, snapshot_id: int) -> AsyncIterator[dict[str, Value]]:
    """The data files that began at a snapshot, through the index of files by their begin."""
    relation = _indexed_files(reader)
    keys = await keys_registered_at(reader.snapshot, relation, [snapshot_id]) or []
    for start in range(0, len(keys), _KEYS_AT_ONCE):
        part = [key for key, _ in keys[start:start + _KEYS_AT_ONCE]]
        for row in (await load_keys(reader.snapshot, relation, part))[1]:
            yield named(relation, row, *FILE_COLUMNS)


def _indexed_files(reader: LakeReader) -> Relation:
    relation = reader.relation("ducklake_data_file")
    if None in relation.key_columns:
        raise UndefinedObject(f'lake "{reader.listed}" has no index of its files')
    return relation
