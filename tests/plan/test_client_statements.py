"""Every statement shape that DuckDB's ducklake sends is planned, the scans in the form that cached encodings serve."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from rocklake_server.sql.parse import parse_statement
from rocklake_server.sql.statements import CopyOut
from tests.plan.driver import Driver

QUERIES = Path(__file__).parent / "queries"


def _statements(name: str) -> list[str]:
    return [text.strip() for text in (QUERIES / name).read_text().split("\n;\n")]


def _prepared(name: str) -> tuple[Driver, list[str]]:
    driver, others = Driver(), []
    for text in _statements(name):
        if text.upper().startswith("CREATE"):
            asyncio.run(driver.run(text))
        else:
            others.append(text)
    return driver, others


@pytest.mark.parametrize("name", ["duckdb_newer.sql", "duckdb_older.sql"])
def test_every_statement_is_planned_and_runs(name: str) -> None:
    driver, statements = _prepared(name)
    assert len(statements) > 5
    for text in statements:
        outcome = asyncio.run(driver.plan(text).run(driver.context()))
        assert outcome.tag, text
        for relation in driver.view.relations():
            driver.view.content[relation.relation_id].clear()


@pytest.mark.parametrize("name", ["duckdb_newer.sql", "duckdb_older.sql"])
def test_every_copy_of_one_relation_is_a_base_scan(name: str) -> None:
    driver, statements = _prepared(name)
    count = 0
    for text in statements:
        if isinstance(parse_statement(text), CopyOut) and "(SELECT MAX" not in " ".join(text.split()).upper():
            if "STRING_AGG" in text or "MAX(snapshot_id)" in text:
                continue
            assert driver.plan(text).scan is not None, text
            count += 1
    assert count > 3
