"""Comments and indexes of a catalog in PostgreSQL, or behind a RockLake server, as its system catalogs tell them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from rocklake_server.catalog.annotations import DEFAULT_COMMENTS, PUBLIC
from rocklake_server.transfer.notes import CatalogComment, CatalogIndex, CatalogNotes, IndexedColumn, On
from rocklake_server.transfer.relations import PREFIX, quoted

if TYPE_CHECKING:
    from psycopg import Connection

_COLUMNS = """
SELECT c.relname, a.attnum, a.attname, quote_ident(a.attname), d.description
FROM pg_catalog.pg_class c
JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid
LEFT JOIN pg_catalog.pg_description d
  ON d.objoid = c.oid AND d.objsubid = a.attnum AND d.classoid = 'pg_catalog.pg_class'::regclass
WHERE n.nspname = %s AND c.relkind = 'r' AND a.attnum > 0 AND NOT a.attisdropped
ORDER BY c.relname, a.attnum
"""
_TABLES = """
SELECT c.relname, obj_description(c.oid, 'pg_class')
FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE n.nspname = %s AND c.relkind = 'r' ORDER BY c.relname
"""
_INDEXES = """
SELECT t.relname, i.relname, x.indisprimary, x.indkey, x.indoption, pg_get_indexdef(i.oid),
  quote_ident(i.relname), quote_ident(n.nspname) || '.' || quote_ident(t.relname), obj_description(i.oid, 'pg_class')
FROM pg_catalog.pg_index x
JOIN pg_catalog.pg_class t ON t.oid = x.indrelid
JOIN pg_catalog.pg_class i ON i.oid = x.indexrelid
JOIN pg_catalog.pg_namespace n ON n.oid = t.relnamespace
WHERE n.nspname = %s ORDER BY t.relname, i.relname
"""
_SCHEMA = "SELECT obj_description(oid, 'pg_namespace') FROM pg_catalog.pg_namespace WHERE nspname = %s"
_DATABASE = """
SELECT shobj_description(oid, 'pg_database'), datname FROM pg_catalog.pg_database WHERE datname = current_database()
"""

_DESCENDING, _NULLS_FIRST = 1, 2
"""Bits of pg_index.indoption."""


def read_notes(connection: Connection[Any], schema: str) -> CatalogNotes:
    """What is noted about DuckLake's relations in ``schema``, about it, and in ``public`` about the database. Raises
    the driver's errors."""
    tables = _rows(connection, _TABLES, schema)
    comments = [CatalogComment(On.TABLE, text, relation) for relation, text in tables if text]
    columns: dict[tuple[str, int], tuple[str, str]] = {}
    for relation, number, name, shown, text in _rows(connection, _COLUMNS, schema):
        columns[relation, number] = name, shown
        if text:
            comments.append(CatalogComment(On.COLUMN, text, relation, name))
    indexes: list[CatalogIndex] = []
    unreadable: list[str] = []
    for relation, name, is_key, keys, options, definition, shown, place, text in _rows(connection, _INDEXES, schema):
        index = None if is_key else _plain(relation, name, columns, str(keys), str(options))
        if index is not None and definition != _definition(index, shown, place, columns):
            index = None
        if index is not None:
            indexes.append(index)
        elif not is_key:
            unreadable.append(f"index {name} on {relation}")
            continue
        if text:
            comments.append(CatalogComment(On.KEY if is_key else On.INDEX, text, relation, "" if is_key else name))
    comments += _of_places(connection, schema)
    return CatalogNotes.of(indexes, comments, unreadable)


def _rows(connection: Connection[Any], query: str, schema: str) -> Iterator[tuple[Any, ...]]:
    """Of DuckLake's relations, whose name is the first value of each."""
    return (row for row in connection.execute(query, [schema]).fetchall() if row[0].startswith(PREFIX))


def _plain(
    relation: str, name: str, columns: Mapping[tuple[str, int], tuple[str, str]], keys: str, options: str
) -> CatalogIndex | None:
    """``None`` when the index has expressions or more columns than it sorts by."""
    numbers, bits = list(map(int, keys.split())), list(map(int, options.split()))
    if 0 in numbers or len(numbers) != len(bits):
        return None
    indexed = zip(numbers, bits, strict=True)
    return CatalogIndex(relation, name, tuple(
        IndexedColumn(columns[relation, number][0], bool(bit & _DESCENDING), bool(bit & _NULLS_FIRST))
        for number, bit in indexed))  # fmt: skip


def _definition(
    index: CatalogIndex, shown: str, place: str, columns: Mapping[tuple[str, int], tuple[str, str]]
) -> str:
    """As PostgreSQL tells it: one that is unique, partial, or of another method or operator class is told otherwise."""
    as_shown = {name: text for (relation, _), (name, text) in columns.items() if relation == index.relation}
    keys = ", ".join(as_shown[column.name] + _order(column) for column in index.columns)
    return f"CREATE INDEX {shown} ON {place} USING btree ({keys})"


def _order(column: IndexedColumn) -> str:
    if column.descending:
        return " DESC" if column.nulls_first else " DESC NULLS LAST"
    return " NULLS FIRST" if column.nulls_first else ""


def _of_places(connection: Connection[Any], schema: str) -> Iterator[CatalogComment]:
    for (text,) in connection.execute(_SCHEMA, [schema]).fetchall():
        if text != DEFAULT_COMMENTS.get(schema):
            yield CatalogComment(On.SCHEMA, text)
    for text, _ in connection.execute(_DATABASE).fetchall() if schema == PUBLIC else ():
        if text is not None:
            yield CatalogComment(On.DATABASE, text)


def write_notes(connection: Connection[Any], schema: str, notes: CatalogNotes, error: type[Exception]) -> list[str]:
    """Note the same about relations that are there, one by one. Returns what the database refused, with ``error``, or
    where something is noted already: that of a schema or database which others share stays."""
    left_out: dict[str, str] = {}
    missing: set[str] = set()
    for index in notes.indexes:
        why = _refusal(connection, _create_index(schema, index), error)
        if why is not None:
            left_out[str(index)] = why
            missing.add(index.name)
    for comment in notes.comments:
        statement = _comment(connection, schema, comment)
        if comment.on is On.INDEX and comment.name in missing:
            why = "its index is not there"
        else:
            why = "there is another one" if statement is None else _refusal(connection, statement, error)
        if why is not None:
            left_out[str(comment)] = why
    return [f"{what} ({why})" for what, why in left_out.items()]


def _refusal(connection: Connection[Any], statement: str, error: type[Exception]) -> str | None:
    """Why the database refused a statement, which then changed nothing; ``None`` when it did not."""
    connection.execute("SAVEPOINT note")
    try:
        connection.execute(statement.encode())
    except error as refused:
        connection.execute("ROLLBACK TO SAVEPOINT note")
        return str(refused).partition("\n")[0]
    connection.execute("RELEASE SAVEPOINT note")
    return None


def _create_index(schema: str, index: CatalogIndex) -> str:
    keys = ", ".join(quoted(column.name) + _order(column) for column in index.columns)
    return f"CREATE INDEX {quoted(index.name)} ON {quoted(schema)}.{quoted(index.relation)} ({keys})"


def _comment(connection: Connection[Any], schema: str, comment: CatalogComment) -> str | None:
    """``None`` when a schema or database that was there has a comment of its own."""
    place = _commented(connection, schema, comment)
    return None if place is None else f"COMMENT ON {place} IS {_literal(comment.text)}"


def _commented(connection: Connection[Any], schema: str, comment: CatalogComment) -> str | None:
    relation = f"{quoted(schema)}.{quoted(comment.relation)}"
    match comment.on:
        case On.DATABASE:
            ((text, name),) = connection.execute(_DATABASE).fetchall()
            return f"DATABASE {quoted(name)}" if text is None and schema == PUBLIC else None
        case On.SCHEMA:
            ((text,),) = connection.execute(_SCHEMA, [schema]).fetchall()
            return f"SCHEMA {quoted(schema)}" if text == DEFAULT_COMMENTS.get(schema) else None
        case On.INDEX:
            return f"INDEX {quoted(schema)}.{quoted(comment.name)}"
        case On.KEY:
            return f"INDEX {quoted(schema)}.{quoted(comment.relation + '_pkey')}"
        case On.COLUMN:
            return f"COLUMN {relation}.{quoted(comment.name)}"
        case On.TABLE:
            return f"TABLE {relation}"


def _literal(text: str | None) -> str:
    """As an SQL literal, whatever standard_conforming_strings says."""
    if text is None:
        return "NULL"
    escaped = text.replace("\\", "\\\\").replace("'", "''")
    return f"E'{escaped}'" if "\\" in text else f"'{escaped}'"
