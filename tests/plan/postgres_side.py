"""The same statement on both sides, and what must be equal: names, type OIDs, values as text, SQLSTATEs."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import NamedTuple

import psycopg

from rocklake_server.auth.roles import OWNER_NAME
from rocklake_server.errors import CatalogError
from rocklake_server.pgformat.text import text_encoder
from tests.plan.driver import Driver

QUERIES = Path(__file__).parent / "queries"


class Answer(NamedTuple):
    sqlstate: str | None
    tag: str | None = None
    columns: tuple[tuple[str, int], ...] = ()
    rows: tuple[tuple[str | None, ...], ...] = ()

    def comparable(self, text: str) -> Answer:
        """Without an order that the statement does not ask for."""
        if "order by" in text.lower():
            return self
        return self._replace(rows=tuple(sorted(self.rows, key=repr)))

    def as_of_postgres(self) -> Answer:
        """With the name that the owner of everything has in the PostgreSQL of the tests."""
        rows = tuple(tuple("postgres" if cell == OWNER_NAME else cell for cell in row) for row in self.rows)
        return self._replace(rows=rows)


def statements(name: str) -> list[str]:
    return (QUERIES / name).read_text().splitlines()


def from_postgres(connection: psycopg.Connection[tuple[object, ...]], text: str) -> Answer:
    result = connection.pgconn.exec_(text.encode())
    if result.status not in (psycopg.pq.ExecStatus.TUPLES_OK, psycopg.pq.ExecStatus.COMMAND_OK):
        code = result.error_field(psycopg.pq.DiagnosticField.SQLSTATE)
        return Answer((code or b"?").decode())
    columns = tuple(((result.fname(n) or b"").decode(), result.ftype(n)) for n in range(result.nfields))
    rows = tuple(
        tuple(
            None if (value := result.get_value(row, column)) is None else value.decode()
            for column in range(result.nfields)
        )
        for row in range(result.ntuples)
    )
    return Answer(None, (result.command_status or b"").decode(), columns, rows)


def from_us(driver: Driver, text: str) -> Answer:
    try:
        plan = driver.plan(text)
        outcome = asyncio.run(plan.run(driver.context()))
    except CatalogError as error:
        return Answer(error.sqlstate)
    columns = plan.columns or ()
    encoders = [text_encoder(column.type) for column in columns]
    rows = tuple(
        tuple(None if value is None else encode(value) for encode, value in zip(encoders, row, strict=True))
        for row in outcome.rows
    )
    return Answer(None, outcome.tag, tuple((column.name, column.type.oid) for column in columns), rows)
