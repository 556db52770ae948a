"""A lake with some of everything, whole, and ways to damage single keys of it as no engine would."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from rocklake_server.catalog.access import access_of
from rocklake_server.catalog.lake import packed_ctid
from rocklake_server.catalog.lake_reader import ListedLake
from rocklake_server.catalog.listing import Place
from rocklake_server.catalog.maintenance.verify import Verified, verify_lake
from rocklake_server.catalog.system_keys import read_system_state
from rocklake_server.catalog.view import ColumnDefinition
from rocklake_server.encoding.definitions import decode_number, encode_number
from rocklake_server.encoding.keys import decode_row_key, system_key
from rocklake_server.schema.model import Relation
from rocklake_server.schema.system_subspaces import (
    COUNTERS,
    SYSTEM,
    SYSTEM_NEXT_ROW,
    SYSTEM_STORED_BYTES,
)
from rocklake_server.schema.types import BIGINT, VARCHAR, Value
from rocklake_server.store.base import Key, Prefix, Store, WriteBatch
from tests.catalog.engine import Engine, insert, matches

LISTED = ListedLake("lake", "public", Place(1, 0))
DIRECTORY = "lakes/1"

_CHANGES = [
    'created_schema:"main"', 'created_table:"main"."t",created_table:"main"."gone"', "inserted_into_table:1",
    "altered_table:1", "dropped_table:2", "deleted_from_table:1", 'created_view:"main"."v"',
]  # fmt: skip

_ROWS: dict[str, list[dict[str, Any]]] = {
    "ducklake_metadata": [
        {"key": "version", "value": "1.0"}, {"key": "data_path", "value": "/lake/"}, {"key": "stale", "value": "x"},
    ],
    "ducklake_snapshot": [
        {"snapshot_id": number, "snapshot_time": number, "schema_version": 1, "next_catalog_id": 50, "next_file_id": 50}
        for number in range(7)
    ],
    "ducklake_snapshot_changes": [
        {"snapshot_id": number, "changes_made": changes} for number, changes in enumerate(_CHANGES)
    ],
    "ducklake_schema": [
        {"schema_id": 0, "begin_snapshot": 0, "schema_name": "main", "path": "main/", "path_is_relative": True},
    ],
    "ducklake_table": [
        {"table_id": 1, "begin_snapshot": 1, "schema_id": 0, "table_name": "t", "path": "t/", "path_is_relative": True},
        {"table_id": 2, "begin_snapshot": 1, "end_snapshot": 4, "schema_id": 0, "table_name": "gone", "path": "/gone/",
         "path_is_relative": False},
    ],
    "ducklake_column": [
        {"table_id": 1, "column_id": 1, "begin_snapshot": 1, "column_name": "a"},
        {"table_id": 1, "column_id": 2, "begin_snapshot": 1, "end_snapshot": 3, "column_name": "b"},
        {"table_id": 1, "column_id": 2, "begin_snapshot": 3, "column_name": "c"},
        {"table_id": 2, "column_id": 1, "begin_snapshot": 1, "end_snapshot": 4, "column_name": "a"},
    ],
    "ducklake_view": [{"view_id": 3, "begin_snapshot": 6, "schema_id": 0, "view_name": "v", "sql": "SELECT 1"}],
    "ducklake_macro": [{"macro_id": 4, "begin_snapshot": 2, "schema_id": 0, "macro_name": "m"}],
    "ducklake_macro_impl": [{"macro_id": 4, "impl_id": 0, "sql": "1"}],
    "ducklake_macro_parameters": [{"macro_id": 4, "impl_id": 0, "column_id": 0, "parameter_name": "x"}],
    "ducklake_data_file": [
        {"data_file_id": 0, "table_id": 1, "begin_snapshot": 2, "path": "0.parquet", "path_is_relative": True,
         "record_count": 10, "file_size_bytes": 100},
        {"data_file_id": 1, "table_id": 1, "begin_snapshot": 2, "end_snapshot": 5, "path": "/else/1.parquet",
         "path_is_relative": False, "record_count": 10, "file_size_bytes": 101},
        {"data_file_id": 2, "table_id": 2, "begin_snapshot": 2, "end_snapshot": 4, "path": "2.parquet",
         "path_is_relative": True, "record_count": 10, "file_size_bytes": 102},
    ],
    "ducklake_delete_file": [
        {"delete_file_id": 3, "table_id": 1, "data_file_id": 0, "begin_snapshot": 5, "path": "3.parquet",
         "path_is_relative": True, "delete_count": 2, "file_size_bytes": 103},
    ],
    "ducklake_file_column_stats": [
        {"table_id": 1, "column_id": column, "data_file_id": file, "value_count": 10}
        for column in (1, 2) for file in (0, 1)
    ],
    "ducklake_table_stats": [{"table_id": 1, "record_count": 20, "next_row_id": 20, "file_size_bytes": 201}],
    "ducklake_table_column_stats": [{"table_id": 1, "column_id": 1, "min_value": "0"}],
    "ducklake_partition_info": [{"partition_id": 5, "table_id": 1, "begin_snapshot": 3}],
    "ducklake_partition_column": [{"partition_id": 5, "table_id": 1, "partition_key_index": 0, "column_id": 1}],
    "ducklake_file_partition_value": [{"table_id": 1, "data_file_id": 0, "partition_key_index": 0}],
    "ducklake_sort_info": [{"sort_id": 6, "table_id": 1, "begin_snapshot": 3}],
    "ducklake_sort_expression": [{"sort_id": 6, "table_id": 1, "sort_key_index": 0}],
    "ducklake_column_mapping": [{"mapping_id": 7, "table_id": 1}],
    "ducklake_name_mapping": [{"mapping_id": 7, "column_id": 1}],
    "ducklake_tag": [{"object_id": 1, "key": "comment", "begin_snapshot": 3, "end_snapshot": 5, "value": "old"},
                     {"object_id": 1, "key": "comment", "begin_snapshot": 5, "value": "new"}],
    "ducklake_column_tag": [{"table_id": 1, "column_id": 1, "key": "comment", "begin_snapshot": 3}],
    "ducklake_view_column_tag": [
        {"view_id": 3, "column_name": "c", "begin_snapshot": 6, "key": name, "value": "x"}
        for name in ("comment", "unit")
    ],
    "ducklake_schema_versions": [{"table_id": 1, "begin_snapshot": 1, "schema_version": 1}],
    "ducklake_inlined_data_tables": [
        {"table_id": 1, "table_name": "ducklake_inlined_data_1_1", "schema_version": 1},
    ],
    "ducklake_inlined_data_1_1": [
        {"row_id": 0, "begin_snapshot": 2, "end_snapshot": 5, "a": "x"}, {"row_id": 0, "begin_snapshot": 5, "a": "y"},
        {"row_id": 1, "begin_snapshot": 2, "end_snapshot": 5, "a": "z"},
    ],
}  # fmt: skip


async def build(engine: Engine) -> None:
    """Tables, columns with history, files, inlined rows; a dropped table; a snapshot that SQL deleted."""
    await engine.create_catalog()
    transaction = await engine.begin()
    inlined = [ColumnDefinition(name, BIGINT) for name in ("row_id", "begin_snapshot", "end_snapshot")]
    await transaction.create_relation(None, "ducklake_inlined_data_1_1", [*inlined, ColumnDefinition("a", VARCHAR)])
    await transaction.create_relation(None, "notes", [ColumnDefinition("note", VARCHAR)])
    for name, rows in _ROWS.items():
        await insert(transaction, name, *rows)
    await insert(transaction, "notes", {"note": "mine"})
    await transaction.commit()
    transaction = await engine.begin()
    for name, is_deleted in (
        ("ducklake_snapshot", lambda row: row[0] == 2),
        ("ducklake_snapshot_changes", lambda row: row[0] == 2),
        ("ducklake_metadata", lambda row: row[0] == "stale"),
    ):
        found = [match for match in await matches(transaction, name) if is_deleted(match.row)]
        assert await transaction.delete(transaction.resolve(None, name), found) == 1
    await transaction.drop_relation(transaction.resolve(None, "notes"))
    await transaction.commit()


async def whole_lake() -> Store:
    """The store of such a lake."""
    engine = await Engine().open()
    await build(engine)
    return engine.stores[DIRECTORY]


@dataclass
class Workbench:
    """Changes keys of a lake's store. The size of the lake, the number of the next row and the indexes are kept right:
    what is damaged is only what a test damages."""

    store: Store
    relations: dict[str, Relation]
    entries: dict[Key, bytes]
    batch: WriteBatch = field(default_factory=WriteBatch)
    alien: set[Key] = field(default_factory=set)

    @classmethod
    async def over(cls, store: Store) -> Workbench:
        snapshot = await store.snapshot()
        state = await read_system_state(snapshot, schema="public", slot=0)
        entries = {key: value async for batch in snapshot.scan(Prefix(b"")) for key, value in batch}
        return cls(store, {relation.name: relation for relation in state.relations}, entries)

    def put(self, key: bytes, value: bytes | None) -> None:
        """Any key; ``None`` removes it."""
        self.batch.operations[Key(key)] = value

    def put_alien(self, key: bytes, value: bytes) -> None:
        """A key that belongs to nothing, and so does not count."""
        self.put(key, value)
        self.alien.add(Key(key))

    def number(self, key: Key, number: int) -> None:
        self.put(key, encode_number(number))

    def rows(self, name: str) -> dict[Key, dict[str, Value]]:
        """The rows of a relation by key and column."""
        relation = self.relations[name]
        found = {}
        for key, value in self.entries.items():
            if key.startswith(relation.key_prefix):
                row = access_of(relation).codec.decode(key, value)
                found[key] = dict(zip([*(c.name for c in relation.columns), "ctid"], row, strict=True))
        return found

    def one(self, name: str, **columns: Value) -> tuple[Key, dict[str, Value]]:
        """The row that has these values."""
        ((key, row),) = [(k, r) for k, r in self.rows(name).items() if columns.items() <= r.items()]
        return key, row

    def add(self, name: str, *, ordinal: int = 0, **columns: Value) -> Key:
        """A new row under its own key."""
        relation = self.relations[name]
        number = self.next_row
        self.number(system_key(SYSTEM_NEXT_ROW), number + 1)
        row = (*(columns.get(column.name) for column in relation.columns), packed_ctid(number))
        key = access_of(relation).key(row, ordinal)
        self._put_row(relation, key, row)
        return key

    def change(self, name: str, key: Key, **columns: Value) -> None:
        """Other values under the same key."""
        relation, row = self.relations[name], self.rows(name)[key]
        self._drop_entries(relation, key)
        self._put_row(relation, key, tuple({**row, **columns}.values()))

    def remove(self, name: str, key: Key) -> None:
        self._drop_entries(self.relations[name], key)
        self.put(key, None)

    def move(self, name: str, key: Key, **columns: Value) -> None:
        """Other values under the key that they call for."""
        row = {**self.rows(name)[key], **columns}
        self.remove(name, key)
        values = tuple(row.values())
        relation = self.relations[name]
        _, ordinal = decode_row_key(relation, key)
        self._put_row(relation, access_of(relation).key(values, ordinal), values)

    @property
    def next_row(self) -> int:
        key = system_key(SYSTEM_NEXT_ROW)
        return _number(self.batch.operations.get(key) or self.entries[key])

    def _put_row(self, relation: Relation, key: Key, row: tuple[Value, ...]) -> None:
        self.put(key, access_of(relation).codec.encode(row))
        entries = access_of(relation).index_entries
        for index_key, value in entries(row) if entries is not None else ():
            self.put(index_key, value)

    def _drop_entries(self, relation: Relation, key: Key) -> None:
        entries = access_of(relation).index_entries
        row = access_of(relation).codec.decode(key, self.entries[key])
        for index_key, _ in entries(row) if entries is not None else ():
            self.put(index_key, None)

    async def write(self) -> None:
        size_key = system_key(SYSTEM_STORED_BYTES)
        if size_key not in self.batch.operations:
            after = {**self.entries, **self.batch.operations, **dict.fromkeys(self.alien)}
            size = _number(self.entries[size_key]) + _size(after) - _size(self.entries)
            self.number(size_key, size)
        await self.store.write(self.batch)


def _size(entries: dict[Key, Any]) -> int:
    return sum(len(key) + len(value) for key, value in entries.items()
               if value is not None and key[0] not in (COUNTERS, SYSTEM))  # fmt: skip


def _number(value: bytes) -> int:
    return decode_number(b"", value)


async def verified(store: Store) -> Verified:
    return await verify_lake(LISTED, await store.snapshot())


async def counts(store: Store) -> dict[str, int]:
    """Findings by the name of their check."""
    return {check.name: count for check, count in (await verified(store)).report.counts.items()}
