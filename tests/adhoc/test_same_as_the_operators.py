"""The engine answers as PostgreSQL does also what the server's own operators would run: both paths are one language."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator

import psycopg
import pytest

from rocklake_server.adhoc.planning import engine_plan
from rocklake_server.catalog.view import Row
from rocklake_server.errors import CatalogError
from rocklake_server.pgformat.text import text_encoder
from rocklake_server.sql.parse import parse_statement
from rocklake_server.sql.statements import Query
from tests.plan.driver import Driver
from tests.plan.postgres_side import Answer, from_postgres, from_us, statements

pytestmark = pytest.mark.postgres

STRIDE = 1 if os.environ.get("ROCKLAKE_ALL_QUERIES") else 4
"""The default suite takes every fourth of them."""

NOT_THERE = "SELECT EXISTS (SELECT 1 FROM empty), EXISTS (SELECT FROM t)"
"""A SELECT without columns."""


def from_engine(driver: Driver, text: str) -> Answer:
    async def rows(columns: int) -> list[Row]:
        outcome = await plan.run(driver.context())
        assert outcome.stream is not None
        found: list[Row] = []
        try:
            while taken := await outcome.stream.take(None):
                assert all(len(row) == columns for row in taken)
                found.extend(taken)
        finally:
            outcome.stream.close()
        return found

    statement = parse_statement(text)
    assert isinstance(statement, Query)
    try:
        plan = engine_plan(statement, driver.view)
        content = asyncio.run(rows(len(plan.columns)))
    except CatalogError as error:
        return Answer(error.sqlstate)
    encoders = [text_encoder(column.type) for column in plan.columns]
    shown = tuple(
        tuple(None if value is None else encode(value) for encode, value in zip(encoders, row, strict=True))
        for row in content
    )
    return Answer(None, f"SELECT {len(shown)}", tuple((c.name, c.type.oid) for c in plan.columns), shown)


@pytest.fixture(scope="module")
def sides(postgres_dsn: str) -> Iterator[tuple[Driver, psycopg.Connection[tuple[object, ...]]]]:
    driver = Driver()
    with psycopg.connect(postgres_dsn, autocommit=True) as connection:
        connection.execute("DROP SCHEMA public CASCADE; CREATE SCHEMA public")
        for text in statements("setup.sql"):
            from_us(driver, text)
            from_postgres(connection, text)
        yield driver, connection
        connection.execute("DROP SCHEMA public CASCADE; CREATE SCHEMA public")


@pytest.mark.parametrize("file", ["selects.sql", "expressions.sql", "psql.sql"])
def test_what_the_operators_run_means_the_same_in_the_engine(
    sides: tuple[Driver, psycopg.Connection[tuple[object, ...]]], file: str
) -> None:
    driver, connection = sides
    wrong = []
    for text in statements(file)[::STRIDE]:
        ours = from_engine(driver, text).as_of_postgres().comparable(text)
        theirs = from_postgres(connection, text).comparable(text)
        if ours != theirs and text != NOT_THERE:
            wrong.append(f"{text}\n    ours   {ours}\n    theirs {theirs}")
    assert not wrong, "\n".join(wrong)


def test_wrong_statements_have_the_same_sqlstate(
    sides: tuple[Driver, psycopg.Connection[tuple[object, ...]]]
) -> None:
    driver, connection = sides
    wrong = []
    for text in statements("errors.sql"):
        ours, theirs = from_engine(driver, text), from_postgres(connection, text)
        if ours.sqlstate != theirs.sqlstate:
            wrong.append(f"{text}: ours {ours.sqlstate}, theirs {theirs.sqlstate}")
    assert wrong == []
