"""A full catalog with data, the same on every server: what the corpus is run against.

The relations are those of the corpus's own CREATE TABLE statements; rows are made from column names and types, so
that the constants of the corpus's predicates find some of them.
"""

from __future__ import annotations

import re
from typing import Any

import psycopg

from tests.corpus_loader import load

Connection = psycopg.Connection[Any]

KEYS = (0, 1, 2, 3, 5, 6, 20, 21, 22, 23)
"""Values of primary keys: the corpus's inserts repeat some of them and not others."""

_CREATED = re.compile(r'CREATE TABLE "public"\."(\w+)"')
_INLINED = "row_id BIGINT, begin_snapshot BIGINT, end_snapshot BIGINT"

FURTHER = {
    "duckdb-1.5": (
        f"CREATE TABLE ducklake_inlined_data_1_1 ({_INLINED}, i INTEGER, yr INTEGER)",
        f"CREATE TABLE ducklake_inlined_data_1_2 ({_INLINED}, a INTEGER, b INTEGER, c INTEGER)",
        f"CREATE TABLE ducklake_inlined_data_3_12 ({_INLINED}, k INTEGER, v VARCHAR)",
        "CREATE TABLE ducklake_inlined_delete_1 (file_id BIGINT, row_id BIGINT, begin_snapshot BIGINT)",
        "CREATE TABLE my_secrets (secret_name VARCHAR PRIMARY KEY, secret_type VARCHAR NOT NULL,"
        " serialized_secret BYTEA NOT NULL)",
    ),
    "duckdb-1.4": (
        f"CREATE TABLE ducklake_inlined_data_1_1 ({_INLINED}, i INTEGER, j INTEGER)",
        f"CREATE TABLE ducklake_inlined_data_1_2 ({_INLINED}, c INTEGER)",
        f"CREATE TABLE ducklake_inlined_data_3_4 ({_INLINED}, v VARCHAR)",
    ),
}
SECOND_SCHEMA = "my_meta"
IN_SECOND_SCHEMA = ("ducklake_snapshot", "ducklake_snapshot_changes", "ducklake_table_stats")

_SMALL = {
    "table_id": 4, "column_id": 3, "object_id": 3, "schema_id": 2, "begin_snapshot": 7, "partition_key_index": 2,
    "schema_version": 4, "macro_id": 2, "impl_id": 2, "mapping_id": 3, "partition_id": 3, "row_id": 5, "file_id": 3,
    "data_file_id": 5,
}  # fmt: skip
"""Columns of small numbers, and how many different ones."""

_WORDS = {
    "key": ("version", "target_file_size", "comment", "compaction_table", "encrypted"),
    "scope": (None, "table", "schema"),
    "column_name": ("a", "b", "k", "i"),
    "table_name": ("ducklake_inlined_data_1_1", "ducklake_inlined_data_1_2", "test"),
    "type": ("map_by_name", "scalar"),
    "min_value": ("1", "10", "9", None, "é", ""),
    "max_value": ("1", None, "10", "z", "Z"),
}
_TYPES = {"BIGINT": "int8", "INTEGER": "int4", "VARCHAR": "varchar", "BYTEA": "bytea"}
_ODD_TEXTS = ("tab\tand\nnewline", "back\\slash 'quote'", "naïve ☃", "")


def tables(line: str) -> dict[str, str]:
    """CREATE TABLE statements of a client line's catalog, by table. The older line's differ in some tables only."""
    lines = ("duckdb-1.5",) if line == "duckdb-1.5" else ("duckdb-1.5", line)
    found: dict[str, str] = {}
    for each in lines:
        for entry in load():
            if entry.name.startswith(f"{each}/create-table") and (created := _CREATED.match(entry.text)):
                found[created[1]] = entry.text
    return found


def definitions(line: str) -> list[str]:
    """The statements that make every relation the corpus of a client line names, temporary ones excepted."""
    created = tables(line)
    second = [created[name].replace('"public"', f'"{SECOND_SCHEMA}"') for name in IN_SECOND_SCHEMA]
    return [*created.values(), *FURTHER[line], f"CREATE SCHEMA {SECOND_SCHEMA}", *second]


def further(create: str) -> list[str]:
    """A statement of ``FURTHER``, and the INSERT that fills its relation."""
    name, columns = create.removeprefix("CREATE TABLE ")[:-1].split(" (", 1)
    described = [(words[0], _TYPES[words[1]], words[2:3] not in (["NOT"], ["PRIMARY"]), "PRIMARY" in words)
                 for words in (column.split() for column in columns.split(","))]  # fmt: skip
    return [create, *_inserts({("public", name): described})]


def build(line: str, *connections: Connection) -> frozenset[str]:
    """Make the catalog of ``line`` in each database, all of them empty. Returns the names of its relations; what the
    rows are made from is asked of the last database."""
    for text in definitions(line):
        for connection in connections:
            connection.execute(text)
    described = _described(connections[-1])
    for text in _inserts(described):
        for connection in connections:
            connection.execute(text)
    return frozenset({"public", SECOND_SCHEMA, *(table for _schema, table in described)})


_Column = tuple[str, str, bool, bool]


def _described(connection: Connection) -> dict[tuple[str, str], list[_Column]]:
    """By schema and table: each column's name, type, whether it may be NULL, and whether it is the primary key."""
    keys = connection.execute(
        "SELECT nspname, relname, conkey FROM pg_constraint JOIN pg_class ON pg_class.oid = conrelid "
        "JOIN pg_namespace ON pg_namespace.oid = relnamespace WHERE contype = 'p'"
    ).fetchall()
    first_keys = {(schema, table, numbers[0]) for schema, table, numbers in keys}
    columns = connection.execute(
        "SELECT table_schema, table_name, ordinal_position, column_name, udt_name, is_nullable "
        "FROM information_schema.columns WHERE table_schema NOT IN ('pg_catalog', 'information_schema') "
        "ORDER BY table_schema, table_name, ordinal_position"
    ).fetchall()
    found: dict[tuple[str, str], list[_Column]] = {}
    for schema, table, number, name, kind, nullable in columns:
        column = (name, kind, nullable == "YES", (schema, table, number) in first_keys)
        found.setdefault((schema, table), []).append(column)
    return found


def _inserts(described: dict[tuple[str, str], list[_Column]]) -> list[str]:
    """One INSERT per table."""
    return [
        f"INSERT INTO {schema}.{table} VALUES "
        + ", ".join(f"({', '.join(_literal(number, *column) for column in columns)})" for number in range(len(KEYS)))
        for (schema, table), columns in described.items()
    ]


def _literal(number: int, name: str, kind: str, nullable: bool, is_key: bool) -> str:
    value = _value(number, name, kind, nullable, is_key)
    if value is None:
        return "NULL"
    return "'" + str(value).replace("'", "''") + "'"


def _value(number: int, name: str, kind: str, nullable: bool, is_key: bool) -> object:
    if is_key and kind == "int8":
        return KEYS[number]
    if name == "end_snapshot":
        return None if number % 3 == 0 else number % 5 + 2
    if name in _SMALL:
        return number % _SMALL[name]
    match kind:
        case "int4" | "int8":
            return None if nullable and number % 5 == 4 else number * 300 - 600
        case "bool":
            return (True, False, None)[number % 3]
        case "uuid":
            return f"01a22a8f-22db-78c2-a53d-57d1198eee{number:02}"
        case "timestamptz":
            return f"2026-11-{20 + number} 03:53:02.43425+00"
        case "bytea":
            return f"\\x00ff{number:02}"
        case "varchar":
            return _text(number, name, nullable, is_key)
        case _:
            raise AssertionError(f"no values for columns of type {kind}")


def _text(number: int, name: str, nullable: bool, is_key: bool) -> str | None:
    if name in _WORDS:
        return _WORDS[name][number % len(_WORDS[name])]
    if is_key or number < len(KEYS) - len(_ODD_TEXTS):
        return None if nullable and number % 4 == 3 else f"{name} {number}"
    return _ODD_TEXTS[number % len(_ODD_TEXTS)]
