"""The queries that psql sends for its commands and completions, those of other versions too, have PostgreSQL's answers.

``recorded/psql.sql`` is what psql 13 to 18 sent (``record.py``).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from tests.psql.sides import Sides
from tests.psql.statements import FOLDER, Answer, Asked, Recorded, read_statements

pytestmark = pytest.mark.postgres

STATEMENTS = [each for path in sorted(FOLDER.glob("*.sql")) for each in read_statements(path)]
OF_POSTGRESQL_ITSELF = re.compile(
    r"pg_(?:proc|type|am|roles|available_extensions|conversion|ts_config|namespace|database)\b")
"""What PostgreSQL has more of from the start: completing such a name offers fewer here, and none that it has not."""


@pytest.fixture(scope="module")
def asked(sides: Sides) -> Iterator[tuple[Asked, Asked]]:
    """(This server, PostgreSQL), in the lake that the statements were recorded in."""
    database = sides.lakes[0].database
    ours, theirs = Asked(sides.rocklake[database]), Asked(sides.postgres[database])
    yield ours, theirs
    ours.close()
    theirs.close()


OF_RUNNING_SESSIONS = re.compile(r"pg_cursors|pg_prepared_statements|pg_listening_channels")
"""Completed from what sessions hold, and refused by name as long as the server does not list that."""

ONLY_SCHEMA = "pg_catalog."
"""Psql 13 goes on into a schema that is the only one to begin so; PostgreSQL has pg_toast as well."""

NOT_FOR_15 = "42725 "
r"""What PostgreSQL 15 says to the ``\dp`` of psql 13 and 14."""


def equal(statement: Recorded, ours: Answer, theirs: Answer) -> bool:
    if "LIMIT 1000" in statement.text and OF_POSTGRESQL_ITSELF.search(statement.text):
        own = {row for row in ours.rows if not str(row[0]).startswith(ONLY_SCHEMA)}
        return ours._replace(rows=()) == theirs._replace(rows=()) and own <= set(theirs.rows)
    if OF_RUNNING_SESSIONS.search(statement.text) and ours.problem is not None:
        return ours.problem.startswith(("42P01", "42883", "0A000"))
    return ours == theirs


@pytest.mark.parametrize("number", range(0, len(STATEMENTS), 20))
def test_hidden_queries_answer_what_postgresql_answers(asked: tuple[Asked, Asked], number: int) -> None:
    for statement in STATEMENTS[number:number + 20]:
        ours, theirs = (side.answer(statement.text) for side in asked)
        if theirs.problem is not None and theirs.problem.startswith(NOT_FOR_15):
            assert statement.sent_by == "psql 13, 14"
            continue
        assert theirs.problem is None or "nosuch" in statement.text, (statement, theirs.problem)
        assert equal(statement, ours, theirs), (statement, ours, theirs)


def test_every_version_is_there() -> None:
    senders = " ".join(each.sent_by for each in STATEMENTS)
    assert {version for version in map(str, range(13, 19)) if version in senders} == set(map(str, range(13, 19)))
    assert len(STATEMENTS) > 200
