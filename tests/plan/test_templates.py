"""A statement answers the same through its template, with its literals in slots, and from its own text."""

from __future__ import annotations

import asyncio

import pytest

from rocklake_server.errors import CatalogError
from rocklake_server.plan import planner
from rocklake_server.plan.model import Plan
from rocklake_server.plan.statement_plans import BoundPlan
from rocklake_server.sql.parse import parse_tree
from tests.plan.driver import Driver
from tests.plan.postgres_side import statements

TEXTS = [text for name in ("expressions.sql", "selects.sql", "errors.sql", "psql.sql") for text in statements(name)]


@pytest.fixture(scope="module")
def driver() -> Driver:
    made = Driver()
    for text in statements("setup.sql"):
        asyncio.run(made.run(text))
    return made


def _answer(driver: Driver, plan: Plan) -> object:
    outcome = asyncio.run(plan.run(driver.context()))
    columns = plan.columns
    assert columns is not None
    return [(column.name, column.type.oid) for column in columns], outcome.tag, [repr(row) for row in outcome.rows]


def _from_text(driver: Driver, text: str) -> object:
    try:
        return _answer(driver, BoundPlan(planner._compile(parse_tree(text), driver.view, (), ())))
    except CatalogError as error:
        return error.sqlstate


def _from_template(driver: Driver, text: str) -> object:
    try:
        return _answer(driver, driver.plan(text))
    except CatalogError as error:
        return error.sqlstate


@pytest.mark.parametrize("text", TEXTS)
def test_a_template_answers_what_the_text_answers(driver: Driver, text: str) -> None:
    assert _from_template(driver, text) == _from_text(driver, text)


def test_most_statements_have_a_template(driver: Driver) -> None:
    before = len(driver.cache.templates)
    for number in range(20):
        where = f"a = {number} AND b IN ('{number}', 'x')"
        _from_template(driver, f"SELECT a, '{number}' FROM t WHERE {where} LIMIT {number}")
    assert len(driver.cache.templates) <= before + 1
