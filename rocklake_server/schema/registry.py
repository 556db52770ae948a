"""Lookup of declared relations by name and tag, and the checks that a declaration must pass at import."""

from __future__ import annotations

from collections.abc import Iterable

from rocklake_server.schema.catalog_tables import CATALOG_TABLES, FORMER_NAMES, VERSIONS
from rocklake_server.schema.messages import KIND_OF_FORM, message_name
from rocklake_server.schema.model import Column, Table
from rocklake_server.schema.system_subspaces import COUNTER_NAMES, RESERVED_TAGS, RETIRED_TAGS
from rocklake_server.schema.types import Form

TABLES: tuple[Table, ...] = CATALOG_TABLES

DECLARED_NUMBER_MAX = 999
"""Greatest field number that a declaration may use; columns that it does not know are numbered above."""

KEY_FORMS = frozenset({Form.INT, Form.TIMESTAMP, Form.TEXT})
"""Forms that a key field may have."""


def version_rank(version: str) -> int:
    """The position of a catalog version in ``VERSIONS``. Raises ValueError for one that is not declared."""
    return VERSIONS.index(version)


def _exists_in(since: str, until: str | None, version: str) -> bool:
    rank = version_rank(version)
    return version_rank(since) <= rank and (until is None or rank < version_rank(until))


def tables_of(version: str) -> tuple[Table, ...]:
    """The relations of a catalog version, in DDL order."""
    return tuple(table for table in TABLES if _exists_in(table.since, table.until, version))


def columns_of(table: Table, version: str) -> tuple[Column, ...]:
    """The columns that ``table`` has in a catalog version."""
    return tuple(column for column in table.columns if _exists_in(column.since, column.until, version))


def name_in(table: Table, version: str) -> str:
    """The name of ``table`` in a catalog version."""
    for former in FORMER_NAMES:
        if former.table is table and version_rank(version) < version_rank(former.until):
            return former.name
    return table.name


def _check_lifetime(what: str, since: str, until: str | None) -> None:
    if until is not None and version_rank(since) >= version_rank(until):
        raise ValueError(f"{what}: ends before it begins")


def _check_columns(table: Table) -> None:
    names = [column.name for column in table.columns]
    numbers = [column.number for column in table.columns]
    if len(set(names)) != len(names) or len(set(numbers)) != len(numbers):
        raise ValueError(f"{table.name}: a column name or field number is declared twice")
    for column in table.columns:
        what = f"{table.name}.{column.name}"
        if not 1 <= column.number <= DECLARED_NUMBER_MAX:
            raise ValueError(f"{what}: field number {column.number} is outside 1 to {DECLARED_NUMBER_MAX}")
        if column.type.form not in KIND_OF_FORM or not column.type.storable:
            raise ValueError(f"{what}: type {column.type.name} cannot be stored")
        if version_rank(column.since) < version_rank(table.since):
            raise ValueError(f"{what}: is older than its table")
        _check_lifetime(what, column.since, column.until)
    removed = [column.until is not None for column in table.columns]
    if removed != sorted(removed):
        raise ValueError(f"{table.name}: removed columns are not last")


def _check_keys(table: Table) -> None:
    columns = {column.name: column for column in table.columns}
    for name in (*table.key, *table.primary_key, *(column for column, _ in table.counters)):
        if name not in columns:
            raise ValueError(f"{table.name}: no column is named {name}")
    if not table.key or len(set(table.key)) != len(table.key):
        raise ValueError(f"{table.name}: its key is empty or names a column twice")
    for name in table.key:
        if columns[name].type.form not in KEY_FORMS:
            raise ValueError(f"{table.name}.{name}: type {columns[name].type.name} cannot be a key field")
    for name in table.primary_key:
        if columns[name].nullable or columns[name].since != table.since or name not in table.key:
            raise ValueError(f"{table.name}.{name}: is not fit for a primary key")
    for column, counter in table.counters:
        if counter not in COUNTER_NAMES:
            raise ValueError(f"{table.name}.{column}: counter {counter} is not declared")


def check(tables: Iterable[Table]) -> None:
    """Raise ValueError when the declarations contradict themselves or each other."""
    names: set[str] = {former.name for former in FORMER_NAMES}
    messages: set[str] = set()
    tags: set[int] = set()
    for table in tables:
        if table.name in names or table.tag in tags or message_name(table) in messages:
            raise ValueError(f"{table.name}: name or tag is declared twice")
        if not 0 < table.tag < min(RESERVED_TAGS) or table.tag in RETIRED_TAGS:
            raise ValueError(f"{table.name}: tag {table.tag:02X} is reserved or retired")
        names.add(table.name)
        messages.add(message_name(table))
        tags.add(table.tag)
        _check_lifetime(table.name, table.since, table.until)
        _check_columns(table)
        _check_keys(table)


check(TABLES)
if list(VERSIONS) != sorted(VERSIONS, key=lambda version: tuple(map(int, version.split(".")))):
    raise ValueError("catalog versions are not in order")

BY_NAME: dict[str, Table] = {table.name: table for table in TABLES} | {
    former.name: former.table for former in FORMER_NAMES
}
"""Declared relations by name, former names included."""

BY_TAG: dict[int, Table] = {table.tag: table for table in TABLES}
