"""Rows for big lakes, written straight into the catalog by a PostgreSQL client, as many DuckLake commits would have."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice

import psycopg

Connection = psycopg.Connection[tuple[object, ...]]

STATEMENT_ROWS = 1_000
TRANSACTION_ROWS = 20_000
"""What one client keeps in memory, and one commit of the server holds."""


def insert_statements(relation: str, rows: Iterable[str]) -> Iterator[str]:
    """INSERTs of at most ``STATEMENT_ROWS`` rows each, written as ``(1, 'a')``. Rows are taken as they are needed."""
    each = iter(rows)
    while batch := list(islice(each, STATEMENT_ROWS)):
        yield f"INSERT INTO {relation} VALUES {','.join(batch)}"


def fill(connection: Connection, relation: str, rows: Iterable[str]) -> None:
    """Insert ``rows`` in transactions of bounded size. The connection is in autocommit mode."""
    statements = insert_statements(relation, rows)
    while batch := list(islice(statements, TRANSACTION_ROWS // STATEMENT_ROWS)):
        execute(connection, "BEGIN")
        for statement in batch:
            execute(connection, statement)
        execute(connection, "COMMIT")


def execute(connection: Connection, statement: str) -> None:
    connection.execute(statement.encode())


def row_of(connection: Connection, query: str) -> tuple[object, ...]:
    """The one row of a query. Raises AssertionError when there is none."""
    row = connection.execute(query.encode()).fetchone()
    if row is None:
        raise AssertionError(f"no row: {query}")
    return row


def number_of(connection: Connection, query: str) -> int:
    """The one integer of a query."""
    (number,) = row_of(connection, query)
    if not isinstance(number, int):
        raise TypeError(f"{number!r} is not a number: {query}")
    return number
