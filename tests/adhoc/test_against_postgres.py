"""Every query has the same names, type OIDs and values as in PostgreSQL, as text and in binary, over the wire."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import psycopg
import pytest

from tests.adhoc.lake_data import setup, shared_statements, statements, themes

pytestmark = pytest.mark.postgres

Connection = psycopg.Connection[tuple[object, ...]]
TEXT, BINARY = 0, 1


class Answer(NamedTuple):
    sqlstate: str | None
    columns: tuple[tuple[str, int], ...] = ()
    rows: tuple[tuple[bytes | None, ...], ...] = ()

    def comparable(self, text: str) -> Answer:
        """Without an order that the statement does not ask for."""
        return self if "order by" in text.lower() else self._replace(rows=tuple(sorted(self.rows, key=repr)))


def answer(connection: Connection, text: str, result_format: int) -> Answer:
    result = connection.pgconn.exec_params(text.encode(), None, result_format=result_format)
    if result.status != psycopg.pq.ExecStatus.TUPLES_OK:
        code = result.error_field(psycopg.pq.DiagnosticField.SQLSTATE) or b"?"
        return Answer(code.decode())
    columns = tuple(((result.fname(n) or b"").decode(), result.ftype(n)) for n in range(result.nfields))
    rows = tuple(
        tuple(result.get_value(row, column) for column in range(result.nfields)) for row in range(result.ntuples)
    )
    return Answer(None, columns, rows)


class Sides(NamedTuple):
    ours: Connection
    theirs: Connection

    def both(self, text: str, result_format: int = TEXT) -> tuple[Answer, Answer]:
        ours, theirs = (answer(side, text, result_format).comparable(text) for side in self)
        return ours, theirs


@pytest.fixture(scope="module")
def sides(postgres_dsn: str, ours: Connection) -> Iterator[Sides]:
    with psycopg.connect(postgres_dsn, autocommit=True) as theirs:
        theirs.execute("DROP SCHEMA public CASCADE; CREATE SCHEMA public")
        for text in setup():
            theirs.execute(text)
        for side in (theirs, ours):
            side.execute("SET statement_timeout = '20s'")
        yield Sides(ours, theirs)
        theirs.execute("DROP SCHEMA public CASCADE; CREATE SCHEMA public")


@pytest.mark.parametrize("theme", themes())
def test_every_query_of_a_theme_answers_what_postgresql_answers(sides: Sides, theme: str) -> None:
    compare(sides, statements(theme))


def test_the_statements_of_the_planners_tests_are_the_same_over_the_wire(sides: Sides) -> None:
    compare(sides, shared_statements())


ZONES = ("Europe/Berlin", "America/New_York", "Asia/Kolkata", "Australia/Lord_Howe", "UTC", "-5", "GMT+2")


@pytest.mark.parametrize("zone", ZONES)
def test_every_query_about_times_answers_the_same_in_a_session_of_another_zone(sides: Sides, zone: str) -> None:
    for side in sides:
        side.execute(f"SET TIME ZONE '{zone}'")
    try:
        shared = [text for name in ("zones", "datetimes") for text in statements(name) if "RANGE BETWEEN" not in text]
        compare(sides, ["SHOW TimeZone", *statements("session_zones"), *shared])
    finally:
        for side in sides:
            side.execute("SET TIME ZONE 'UTC'")


def compare(sides: Sides, texts: list[str]) -> None:
    """Fails with every statement whose answers differ."""
    wrong: list[str] = []
    for text in texts:
        for result_format in (TEXT, BINARY):
            ours, theirs = sides.both(text, result_format)
            if theirs.sqlstate is not None:
                wrong.append(f"{text}\n    PostgreSQL refuses it: {theirs.sqlstate}")
            elif ours != theirs:
                wrong.append(f"{text}\n    ours   {ours}\n    theirs {theirs}")
    assert not wrong, "\n".join(wrong)
