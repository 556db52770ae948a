"""Queries, errors and casts give what PostgreSQL gives over the same small tables."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import psycopg
import pytest

from tests.plan.driver import Driver
from tests.plan.postgres_side import Answer, from_postgres, from_us, statements
from tests.plan.random_queries import random_queries

pytestmark = pytest.mark.postgres


class Both:
    def __init__(self, connection: psycopg.Connection[tuple[object, ...]]) -> None:
        self.connection, self.driver = connection, Driver()

    def both(self, text: str) -> tuple[Answer, Answer]:
        ours, theirs = from_us(self.driver, text), from_postgres(self.connection, text)
        return ours.as_of_postgres().comparable(text), theirs.comparable(text)


@pytest.fixture(scope="module")
def sides(postgres_dsn: str) -> Iterator[Both]:
    with psycopg.connect(postgres_dsn, autocommit=True) as connection:
        connection.execute("DROP SCHEMA public CASCADE; CREATE SCHEMA public")
        both = Both(connection)
        for text in statements("setup.sql"):
            ours, theirs = both.both(text)
            assert ours == theirs
            assert ours.sqlstate is None
        yield both
        connection.execute("DROP SCHEMA public CASCADE; CREATE SCHEMA public")


@pytest.mark.parametrize("text", statements("expressions.sql") + statements("selects.sql") + statements("psql.sql"))
def test_a_query_answers_what_postgresql_answers(sides: Both, text: str) -> None:
    ours, theirs = sides.both(text)
    assert theirs.sqlstate is None
    assert ours == theirs


def test_queries_made_at_random_answer_what_postgresql_answers(sides: Both) -> None:
    for text in random_queries(600):
        ours, theirs = sides.both(text)
        assert ours == theirs, text


@pytest.mark.parametrize("text", statements("errors.sql"))
def test_a_wrong_query_has_postgresqls_sqlstate(sides: Both, text: str) -> None:
    ours, theirs = sides.both(text)
    assert theirs.sqlstate is not None
    assert ours == theirs


SAMPLES = {
    "smallint": "7", "integer": "-70000", "bigint": "5000000000", "numeric": "12.50", "real": "1.5",
    "double precision": "-2.5", "text": "abc", "varchar": "12", "boolean": "true", "date": "2024-02-03",
    "timestamp": "2024-02-03 04:05:06", "timestamptz": "2024-02-03 04:05:06+00", "time": "04:05:06",
    "uuid": "01a22a8f-7421-711b-b6f5-516e8673243a", "bytea": "\\x6162", "interval": "1 day",
}


@pytest.mark.parametrize("source", SAMPLES)
@pytest.mark.parametrize("target", [*SAMPLES, "varchar(2)", "numeric(4,1)", "char(3)"])
def test_every_cast_does_what_postgresql_does(sides: Both, source: str, target: str) -> None:
    ours, theirs = sides.both(f"SELECT CAST('{SAMPLES[source]}'::{source} AS {target})")
    assert ours == theirs


@pytest.mark.parametrize(("left", "right"), [
    pair for pair in product(SAMPLES, SAMPLES) if set(pair) != {"time", "interval"}
])
def test_every_comparison_does_what_postgresql_does(sides: Both, left: str, right: str) -> None:
    first, second = f"'{SAMPLES[left]}'::{left}", f"'{SAMPLES[right]}'::{right}"
    ours, theirs = sides.both(f"SELECT {first} < {second}, {first} = {second}")
    assert ours == theirs


@pytest.mark.parametrize(("function", "column"), [
    pair for pair in product(["max", "min", "sum", "avg", "count", "bool_and", "array_agg"], "abcdefghijklmo")
    if pair not in (("sum", "o"), ("avg", "o"))
])
def test_every_aggregate_does_what_postgresql_does(sides: Both, function: str, column: str) -> None:
    ours, theirs = sides.both(f"SELECT {function}({column}) FROM t WHERE a < 6")
    assert ours == theirs


def test_writes_change_what_postgresql_changes(sides: Both) -> None:
    """Each statement has the same tag or SQLSTATE, and leaves the same rows behind."""
    for text in _joined(statements("writes.sql")):
        ours, theirs = sides.both(text)
        assert ours == theirs, text
        look = "SELECT * FROM w"
        ours, theirs = sides.both(look)
        assert ours == theirs, f"after {text}"


def _joined(lines: list[str]) -> Iterator[str]:
    """Statements, of which some have a line break inside a literal."""
    pending = ""
    for line in lines:
        pending = f"{pending}\n{line}" if pending else line
        if pending.count("'") % 2 == 0:
            yield pending
            pending = ""
