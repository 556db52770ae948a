"""What conditions tell the engine: never more than they say, and as much as they say."""

from __future__ import annotations

import asyncio
from itertools import product

import pytest

from rocklake_server.catalog.view import EVERYTHING, Bounds, Interval
from tests.plan.driver import Driver

COLUMNS = {"id": 0, "begin_snapshot": 1, "end_snapshot": 2, "path": 3, "ctid": 4}


@pytest.fixture
def driver() -> Driver:
    made = Driver()
    asyncio.run(made.run("CREATE TABLE f (id BIGINT, begin_snapshot BIGINT, end_snapshot BIGINT, path VARCHAR)"))
    rows = [(n, n % 4, None if n % 3 else n % 5, None if n == 5 else f"p{n % 4}") for n in range(20)]
    asyncio.run(made.run("INSERT INTO f VALUES " + ", ".join(
        f"({a}, {b}, {'NULL' if c is None else c}, {'NULL' if d is None else repr(d)})" for a, b, c, d in rows
    )))
    return made


def _bounds(driver: Driver, where: str) -> Bounds:
    asyncio.run(driver.run(f"SELECT * FROM f WHERE {where}"))
    return driver.view.asked[-1]


def test_no_condition_asks_for_everything(driver: Driver) -> None:
    asyncio.run(driver.run("SELECT * FROM f"))
    assert driver.view.asked[-1] == EVERYTHING


@pytest.mark.parametrize(("where", "values"), [
    ("id = 3", {0: {3}}),
    ("'3' = id", {0: {3}}),
    ("id IN ('1', '2')", {0: {1, 2}}),
    ("id IN (1, 2) AND id IN (2, 3)", {0: {2}}),
    ("id = 1 AND path = 'p1' COLLATE \"C\"", {0: {1}, 3: {"p1"}}),
    ("id = NULL", {0: set()}),
    ("id = (SELECT max(id) FROM f)", {0: {19}}),
    ("ctid IN ('(0,1)', '(2,3)')", {4: {1, (2 << 16) | 3}}),
    ("ctid = '(0,7)'::tid", {4: {7}}),
])
def test_equalities_are_values(driver: Driver, where: str, values: dict[int, set[object]]) -> None:
    assert _bounds(driver, where).values == values


@pytest.mark.parametrize(("where", "ranges"), [
    ("begin_snapshot <= '4'", {1: Interval(None, 4)}),
    ("4 > begin_snapshot", {1: Interval(None, 4)}),
    ("(id >= '2' AND id <= '9')", {0: Interval(2, 9)}),
    ("id >= 2 AND id > 5 AND id < 9 AND id <= 30", {0: Interval(5, 9)}),
    ("id BETWEEN 3 AND 4", {0: Interval(3, 4)}),
    ("path >= 'a' AND path < 'q'", {3: Interval("a", "q")}),
    ("ctid BETWEEN '(0,0)'::tid AND '(4294967295,0)'::tid", {4: Interval(0, 4294967295 << 16)}),
])
def test_inequalities_are_ranges(driver: Driver, where: str, ranges: dict[int, Interval]) -> None:
    assert _bounds(driver, where).ranges == ranges


@pytest.mark.parametrize(("where", "live_after"), [
    ("end_snapshot IS NULL", 2**63 - 1),
    ("(end_snapshot IS NULL OR end_snapshot > 7)", 7),
    ("end_snapshot >= 7 OR end_snapshot IS NULL", 6),
    ("(7 < end_snapshot OR end_snapshot IS NULL) AND begin_snapshot <= 7", 7),
    ("end_snapshot > 3", 3),
    ("end_snapshot IS NULL OR end_snapshot < 7", None),
    ("end_snapshot IS NULL OR begin_snapshot > 7", None),
    ("end_snapshot IS NULL OR end_snapshot > 7 OR id = 1", None),
    ("end_snapshot IS NOT NULL", None),
])
def test_visibility_is_live_after(driver: Driver, where: str, live_after: int | None) -> None:
    assert _bounds(driver, where).live_after == live_after


@pytest.mark.parametrize("where", [
    "id = 1 OR begin_snapshot = 2", "NOT id = 1", "id <> 1", "id + 1 = 2", "id = begin_snapshot", "id <= 2.5",
    "path LIKE 'p%'",
])
def test_what_does_not_narrow_asks_for_everything(driver: Driver, where: str) -> None:
    bounds = _bounds(driver, where)
    assert (bounds.values, bounds.ranges, bounds.nulls, bounds.live_after) == ({}, {}, frozenset(), None)


CONDITIONS = [
    "id = 3", "id IN (1, 2, 5)", "id > 4", "id <= 10", "begin_snapshot <= 2", "begin_snapshot = 1",
    "end_snapshot IS NULL", "end_snapshot IS NOT NULL", "end_snapshot > 2", "end_snapshot < 3",
    "(end_snapshot IS NULL OR end_snapshot > 2)",
    "path = 'p1'", "path IS NULL", "path > 'p1'", "id <> 7", "ctid > '(0,0)'", "id < 100",
]


@pytest.mark.parametrize(("first", "second"), list(product(CONDITIONS, CONDITIONS)))
def test_a_base_scan_selects_what_the_query_selects(driver: Driver, first: str, second: str) -> None:
    """Bounds lose no row, a covered chunk has no row that fails, and the predicate decides the rest."""
    text = f"SELECT id, path FROM f WHERE {first} AND {second}"
    scan = driver.scan(text)
    assert scan is not None
    expected = asyncio.run(driver.rows(f"SELECT id, path FROM f WHERE ({first}) IS TRUE AND ({second}) IS TRUE"))
    predicate = scan.predicate
    assert predicate is not None
    found = []
    for chunk in asyncio.run(driver.view.chunks(scan.relation, scan.bounds)):
        covered = scan.covers(chunk)
        assert not covered or all(predicate(row) for row in chunk.rows)
        found += [(row[0], row[3]) for row in chunk.rows if covered or predicate(row)]
    assert found == expected
    assert asyncio.run(driver.rows(text)) == expected


def test_zones_cover_a_chunk_that_passes_as_a_whole(driver: Driver) -> None:
    scan = driver.scan("SELECT id FROM f WHERE id <= 10 AND begin_snapshot >= 0")
    assert scan is not None
    covered = [scan.covers(chunk) for chunk in asyncio.run(driver.view.chunks(scan.relation))]
    assert covered == [True] * 3 + [False] * 4
