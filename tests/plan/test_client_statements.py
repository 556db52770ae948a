"""Every statement shape that DuckDB's ducklake sends is planned, the scans in the form that cached encodings serve."""

from __future__ import annotations

import asyncio

import pytest

from rocklake_server.sql.parse import parse_statement
from rocklake_server.sql.split import split_statements
from rocklake_server.sql.statements import CopyOut, Query
from tests.corpus.catalog_data import definitions
from tests.corpus_loader import load
from tests.plan.driver import Driver

LINES = {"duckdb-1.5": 300, "duckdb-1.4": 40}
"""Client lines, and a number of their statements that the planner sees at least."""
NOT_PLANNED = ("create-table", "update-from-temporary-table")
"""Files whose statements already ran, in ``definitions``, or need a temporary table of their session."""


def _driver(line: str) -> Driver:
    driver = Driver()
    for text in definitions(line):
        asyncio.run(driver.run(text))
    return driver


def _planned(line: str) -> list[str]:
    """The statements of a line that go through the planner, DROPs last; the session runs the others."""
    names = [f"{line}/{kind}" for kind in NOT_PLANNED]
    sent = [part for entry in load() if entry.name.startswith(line) and not entry.name.startswith(tuple(names))
            for part in split_statements(entry.text)]  # fmt: skip
    parsed = [(part, parse_statement(part)) for part in sorted(sent, key=lambda part: part.upper().startswith("DROP"))]
    return [part for part, statement in parsed
            if isinstance(statement, Query) or (isinstance(statement, CopyOut) and statement.query is not None)]


@pytest.mark.parametrize("line", LINES)
def test_every_statement_is_planned_and_runs(line: str) -> None:
    driver, statements = _driver(line), _planned(line)
    assert len(statements) >= LINES[line]
    for text in statements:
        outcome = asyncio.run(driver.plan(text).run(driver.context()))
        assert outcome.tag, text
        for relation in driver.view.relations():
            driver.view.content[relation.relation_id].clear()


@pytest.mark.parametrize("line", LINES)
def test_every_copy_of_one_relation_is_a_base_scan(line: str) -> None:
    driver = _driver(line)
    count = 0
    for text in _planned(line):
        if isinstance(parse_statement(text), CopyOut) and "(SELECT MAX" not in " ".join(text.split()).upper():
            if "STRING_AGG" in text or "MAX(snapshot_id)" in text or "SELECT NULL FROM" in text:
                continue
            assert driver.scan(text) is not None, text
            count += 1
    assert count > 10
