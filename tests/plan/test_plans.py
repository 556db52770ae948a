"""Plans around the rows: parameters, scans, templates, fast inserts, notices and refusals."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from rocklake_server.catalog.chunk import RowChunk
from rocklake_server.catalog.view import Now
from rocklake_server.errors import RETRY_WORDS, CatalogError, OutOfMemory, Unsupported
from rocklake_server.plan import groups, operators, planner
from rocklake_server.plan.scan_shape import CHUNKS_AT_ONCE_MAX, Extreme
from rocklake_server.plan.writes import copy_target, insert_rows
from rocklake_server.schema.model import Relation
from rocklake_server.schema.types import BIGINT, BOOLEAN, TEXT, TIMESTAMPTZ, VARCHAR
from rocklake_server.sql.names import QualifiedName
from rocklake_server.store.base import Key
from tests.plan.driver import Driver


@pytest.fixture
def driver() -> Driver:
    made = Driver()
    asyncio.run(made.run("CREATE TABLE t (a BIGINT PRIMARY KEY, b VARCHAR, c BOOLEAN, at TIMESTAMPTZ)"))
    asyncio.run(made.run("INSERT INTO t VALUES (1, 'x', true, NULL), (2, 'y', NULL, NULL), (3, NULL, false, NULL)"))
    return made


def rows(driver: Driver, text: str, *parameters: Any) -> list[tuple[Any, ...]]:
    return asyncio.run(driver.rows(text, *parameters))


@pytest.mark.parametrize(("text", "types"), [
    ("SELECT * FROM t WHERE a = $1", (BIGINT,)),
    ("SELECT * FROM t WHERE b = $2 AND a > $1", (BIGINT, VARCHAR)),
    ("SELECT $1", (TEXT,)),
    ("SELECT $1::boolean", (BOOLEAN,)),
    ("INSERT INTO t (a, at) VALUES ($1, $2)", (BIGINT, TIMESTAMPTZ)),
    ("INSERT INTO t (a, b) VALUES (1, 'x'), ($1, 'y'), (3, $2)", (BIGINT, VARCHAR)),
    ("INSERT INTO t (a, b) VALUES (1, '$1'), (2, '$2')", ()),
    ("UPDATE t SET c = $1 WHERE a IN ($2, $3)", (BOOLEAN, BIGINT, BIGINT)),
    ("SELECT a FROM t LIMIT $1", (BIGINT,)),
])
def test_parameters_take_the_type_of_their_place(driver: Driver, text: str, types: tuple[Any, ...]) -> None:
    assert driver.plan(text).parameters == types


def test_a_parameter_reaches_the_rows(driver: Driver) -> None:
    assert rows(driver, "SELECT b FROM t WHERE a = $1", 2) == [("y",)]
    assert rows(driver, "SELECT $1 || b FROM t WHERE a = 1", "p") == [("px",)]


def test_a_plan_with_parameters_is_no_scan(driver: Driver) -> None:
    assert driver.scan("SELECT b FROM t WHERE a = $1") is None


@pytest.mark.parametrize(("text", "projection", "limit"), [
    ("SELECT b, a FROM t", (1, 0), None),
    ("SELECT NULL FROM t WHERE a = 1", (None,), None),
    ("SELECT ctid, a FROM t LIMIT 5", (4, 0), 5),
    ("SELECT y, x FROM (SELECT a AS x, b AS y FROM t WHERE a > 1) AS v", (1, 0), None),
    ("SELECT * FROM t", (0, 1, 2, 3), None),
])
def test_a_plain_projection_is_a_base_scan(driver: Driver, text: str, projection: object, limit: int | None) -> None:
    scan = driver.scan(text)
    assert scan is not None
    assert (scan.projection, scan.limit, scan.relation.name) == (projection, limit, "t")


@pytest.mark.parametrize("text", [
    "SELECT a + 1 FROM t", "SELECT count(*) FROM t", "SELECT a FROM t ORDER BY a", "SELECT DISTINCT a FROM t",
    "SELECT t.a FROM t, t u", "SELECT a FROM t OFFSET 1", "SELECT 1 FROM t", "SELECT a FROM t UNION SELECT 1",
    "SELECT a FROM (SELECT a FROM t LIMIT 1) v LIMIT 2", "SELECT a FROM t WHERE at < now()",
])
def test_anything_else_is_no_base_scan(driver: Driver, text: str) -> None:
    assert driver.scan(text) is None


@pytest.mark.parametrize(("condition", "expected"), [
    ("a = (SELECT max(a) FROM t)", [(3,)]),
    ("a = (SELECT MIN(a) FROM t)", [(1,)]),
    ("(SELECT max(a) FROM t) > a", [(1,), (2,)]),
    ("a <= (SELECT max(a) FROM t) AND b = 'y'", [(2,)]),
])
def test_an_extreme_of_a_column_is_one_more_constant_of_a_base_scan(
        driver: Driver, condition: str, expected: list[tuple[int]]) -> None:
    text = f"SELECT a FROM t WHERE {condition}"
    scan = driver.scan(text)
    assert scan is not None
    predicate = scan.predicate
    assert predicate is not None
    found = [
        (row[0],) for chunk in asyncio.run(driver.view.chunks(scan.relation, scan.bounds)) for row in chunk.rows
        if scan.covers(chunk) or predicate(row)
    ]
    assert found == rows(driver, text) == expected


@pytest.mark.parametrize("text", [
    "SELECT a FROM t WHERE a = (SELECT max(a) FROM t WHERE a < 3)",
    "SELECT a FROM t WHERE b = (SELECT max(b) FROM t)",
    "SELECT a FROM t WHERE a = (SELECT count(a) FROM t)",
    "SELECT a FROM t WHERE c = (SELECT bool_or(c) FROM t)",
    "SELECT a FROM t WHERE a = (SELECT max(u.a) FROM t u WHERE u.a = t.a)",
    "SELECT a FROM t WHERE a = (SELECT max(a) FROM t) OR b = 'x'",
])
def test_other_subqueries_are_run(driver: Driver, text: str) -> None:
    assert driver.scan(text) is None
    assert isinstance(rows(driver, text), list)


@pytest.mark.parametrize("zoned", [True, False])
@pytest.mark.parametrize("chunks", [1, CHUNKS_AT_ONCE_MAX, CHUNKS_AT_ONCE_MAX + 3])
def test_an_extreme_is_that_of_all_chunks(
        driver: Driver, monkeypatch: pytest.MonkeyPatch, chunks: int, zoned: bool) -> None:
    """Also of those whose values have no zone."""
    values = [[(7 * number + row) % 23 for row in range(5)] for number in range(chunks)]
    made = [RowChunk([Key(bytes([n, r])) for r in range(5)], [(v,) for v in of]) for n, of in enumerate(values)]
    if not zoned:
        monkeypatch.setattr(RowChunk, "zone", lambda _chunk, _column: None)

    async def given(_relation: Relation) -> list[RowChunk]:
        return made

    monkeypatch.setattr(driver.view, "chunks", given)
    relation = driver.view.resolve(None, "t")
    for greatest, choose in ((True, max), (False, min)):
        assert asyncio.run(Extreme(relation, 0, greatest).value(driver.view)) == choose(map(choose, values))


def test_the_extreme_of_no_rows_is_null(driver: Driver) -> None:
    for relation in driver.view.relations():
        driver.view.content[relation.relation_id].clear()
    text = "SELECT a FROM t WHERE a = (SELECT max(a) FROM t)"
    assert driver.scan(text) is None
    assert rows(driver, text) == []


def test_columns_name_the_stored_column_they_come_from(driver: Driver) -> None:
    relation = driver.view.resolve(None, "t")
    columns = driver.plan("SELECT b, a + 1 FROM (SELECT a, b FROM t) v").columns
    assert columns is not None
    assert [(column.table_oid, column.attnum) for column in columns] == [(relation.oid, 2), (0, 0)]


def test_one_template_is_compiled_once(driver: Driver, monkeypatch: pytest.MonkeyPatch) -> None:
    compiled = []
    original = planner._compile
    monkeypatch.setattr(planner, "_compile", lambda *args, **said: compiled.append(args) or original(*args, **said))
    for number in range(1, 4):
        assert rows(driver, f"SELECT a FROM t WHERE a = '{number}'") == [(number,)]
    assert len(compiled) == 1


@pytest.mark.parametrize(("first", "second", "expected"), [
    ("SELECT a FROM t ORDER BY 1 DESC LIMIT 1", "SELECT b, a FROM t ORDER BY 2 DESC LIMIT 1", [(None, 3)]),
    ("SELECT a FROM t WHERE a = 1", "SELECT a FROM t WHERE a = 3000000000", []),
    ("SELECT a FROM t WHERE a = 1", "SELECT a FROM t WHERE a = 2.0", [(2,)]),
    ("SELECT '1' = '1'", "SELECT '2' = '1'", [(False,)]),
    ("SELECT a, 1 FROM t GROUP BY a, 2 ORDER BY 1", "SELECT b, 1 FROM t GROUP BY 1 ORDER BY 1",
     [("x", 1), ("y", 1), (None, 1)]),
    ('SELECT "a" FROM t WHERE a = 1', 'SELECT "b" FROM t WHERE a = 1', [("x",)]),
])
def test_templates_keep_apart_what_differs(driver: Driver, first: str, second: str, expected: object) -> None:
    rows(driver, first)
    assert rows(driver, second) == expected


def test_a_cached_plan_follows_the_relation(driver: Driver) -> None:
    text = "SELECT * FROM t WHERE a = 1"
    assert rows(driver, text) == [(1, "x", True, None)]
    asyncio.run(driver.run("ALTER TABLE t DROP COLUMN c"))
    assert rows(driver, text) == [(1, "x", None)]
    asyncio.run(driver.run("CREATE TEMPORARY TABLE t (a BIGINT)"))
    assert rows(driver, text) == []
    asyncio.run(driver.run("DROP TABLE t"))
    assert rows(driver, text) == [(1, "x", None)]


def test_kept_catalog_rows_follow_the_definitions(driver: Driver) -> None:
    text = "SELECT count(*) FROM pg_class WHERE relname = 'later'"
    assert rows(driver, text) == rows(driver, text) == [(0,)]
    asyncio.run(driver.run("CREATE TABLE later (a BIGINT)"))
    assert rows(driver, text) == [(1,)]


def test_now_is_marked_in_an_insert(driver: Driver) -> None:
    for text in ("INSERT INTO t (a, at) VALUES (9, NOW())", "INSERT INTO t (a, at) SELECT 10, now()"):
        asyncio.run(driver.run(text))
    found = rows(driver, "SELECT at FROM t WHERE a > 8")
    assert [type(value) for (value,) in found] == [Now, Now]
    assert rows(driver, "SELECT count(*) FROM t WHERE at = now()") == [(2,)]


VALUES = [
    "(11, 'a', true, NULL)",
    "(12, NULL, NULL, '2024-01-01'), (13, 'b', false, NULL)",
    "('14', 15, 't', '2024-01-01+00')",
    "(16.4, CAST('x' AS VARCHAR), NULL, now())",
    "(-17, 'it''s', 'no', CAST('2024-01-01' AS DATE))",
    "(18, 'a'), (19, 'b')",
    "(20, 1.50, true), (21, 'x', NULL)",
    "(22, 'x', 1)",
    "(23, 'x', 'maybe')",
    "('x', 'x')",
    "(24, CAST('x' AS UUID))",
    "(25, '\\x01'::bytea)",
    "(NULL, 'x')",
    "(26, 'x', NULL, 'never')",
    '(99999999999999999999)',
]


@pytest.mark.parametrize("values", VALUES)
def test_the_fast_reader_inserts_what_the_parser_inserts(driver: Driver, values: str,
                                                         monkeypatch: pytest.MonkeyPatch) -> None:
    def attempt(target: Driver) -> object:
        try:
            asyncio.run(target.run(f"INSERT INTO t VALUES {values}"))
        except CatalogError as error:
            return error.sqlstate
        return rows(target, "SELECT a, b, c, at FROM t WHERE a > 10 OR a < 0 ORDER BY a")

    fast = attempt(driver)
    monkeypatch.setattr(planner, "read_insert_values", lambda text: None)
    other = Driver()
    asyncio.run(other.run("CREATE TABLE t (a BIGINT PRIMARY KEY, b VARCHAR, c BOOLEAN, at TIMESTAMPTZ)"))
    assert fast == attempt(other)


def test_a_row_of_another_form_late_in_a_long_list_is_inserted_all_the_same(driver: Driver) -> None:
    lines = [f"({number}, 'b')" for number in range(100, 5000)]
    asyncio.run(driver.run("CREATE TABLE long (a BIGINT, b VARCHAR)"))
    asyncio.run(driver.run(f"INSERT INTO long VALUES {', '.join(lines)}, (90 + 9, upper('late'))"))
    assert rows(driver, "SELECT count(*), min(a) FROM long") == [(4901, 99)]
    assert rows(driver, "SELECT b FROM long WHERE a = 99") == [("LATE",)]


CTE_VALUES = ["(1, 'n')", "(1, NULL)", "(1, 'n'), (3, 'm'), (4, 'o')", "(1, NULL), (2, 'x')", "('1', 'n')",
              "(1.0, 'n')", "(1, 5)", "(1, true)", "(1, CAST('x' AS VARCHAR))", "(1, NULL), (1, 'again')"]


@pytest.mark.parametrize("values", CTE_VALUES)
def test_a_listed_cte_updates_what_a_parsed_one_updates(driver: Driver, values: str,
                                                        monkeypatch: pytest.MonkeyPatch) -> None:
    text = f"WITH v(i, n) AS (VALUES {values}) UPDATE t SET b = n FROM v WHERE a = i AND c IS NOT FALSE"

    def attempt() -> object:
        try:
            tag = asyncio.run(driver.run(text)).tag
        except CatalogError as error:
            return error.sqlstate
        return tag, rows(driver, "SELECT a, b FROM t ORDER BY a")

    fast = attempt()
    asyncio.run(driver.run("UPDATE t SET b = 'before'"))
    monkeypatch.setattr(planner, "read_cte_values", lambda text: None)
    slow = attempt()
    if isinstance(fast, tuple) and isinstance(slow, tuple):
        assert fast[0] == slow[0]
        changed = {a for a, b in slow[1] if b != "before"}
        assert [row for row in fast[1] if row[0] in changed] == [row for row in slow[1] if row[0] in changed]
    else:
        assert fast == slow


def test_copy_target_knows_columns_and_defaults(driver: Driver) -> None:
    asyncio.run(driver.run("ALTER TABLE t ADD COLUMN d BIGINT DEFAULT 7"))
    target = copy_target(driver.view, QualifiedName("public", "t"), ["b", "a"])
    count = asyncio.run(insert_rows(driver.view, target.relation, target.indexes, [("copied", 50), (None, 51)]))
    assert count == 2
    assert rows(driver, "SELECT a, b, d FROM t WHERE a >= 50") == [(50, "copied", 7), (51, None, 7)]


@pytest.mark.parametrize(("text", "notice", "sqlstate"), [
    ("CREATE TABLE IF NOT EXISTS t (a BIGINT)", 'relation "t" already exists, skipping', "42P07"),
    ("DROP TABLE IF EXISTS nosuch", 'table "nosuch" does not exist, skipping', "00000"),
    ("CREATE SCHEMA IF NOT EXISTS public", 'schema "public" already exists, skipping', "42P06"),
    ("DROP SCHEMA IF EXISTS nosuch", 'schema "nosuch" does not exist, skipping', "00000"),
    ("ALTER TABLE t ADD COLUMN IF NOT EXISTS a BIGINT", 'column "a" of relation "t" already exists, skipping',
     "42701"),
    ("ALTER TABLE t DROP COLUMN IF EXISTS z", 'column "z" of relation "t" does not exist, skipping', "00000"),
    ("ALTER TABLE IF EXISTS nosuch RENAME TO x", 'relation "nosuch" does not exist, skipping', "00000"),
])
def test_what_is_skipped_is_noticed(driver: Driver, text: str, notice: str, sqlstate: str) -> None:
    (found,) = asyncio.run(driver.run(text)).notices
    assert (found.message, found.sqlstate) == (notice, sqlstate)


REFUSED = [
    "SELECT a, row_number() OVER () FROM t",
    "SELECT sum(a) OVER (PARTITION BY b) FROM t",
    "SELECT a FROM t FOR UPDATE",
    "SELECT DISTINCT ON (a) a FROM t",
    "SELECT * FROM t NATURAL JOIN t u",
    "WITH RECURSIVE r AS (SELECT 1) SELECT * FROM r",
    "SELECT * FROM t TABLESAMPLE SYSTEM (1)",
    "SELECT a FROM t GROUP BY ROLLUP (a)",
    "SELECT a FROM t GROUP BY GROUPING SETS ((a))",
    "DELETE FROM t USING t u WHERE true",
    "INSERT INTO t VALUES (1) ON CONFLICT (a) WHERE a > 1 DO NOTHING",
    "INSERT INTO t VALUES (1) ON CONFLICT (lower(b)) DO NOTHING",
    "INSERT INTO t VALUES (1) ON CONFLICT DO UPDATE SET b = 'x'",
    'SELECT b COLLATE "de_DE" FROM t',
    "SELECT t FROM t WHERE t.* IS NULL",
    "SELECT f AT TIME ZONE 'Europe/Paris' FROM t",
    "WITH d AS (DELETE FROM t RETURNING a) SELECT * FROM d",
    "SELECT a INTO x FROM t",
    "SELECT count(*) FROM t WINDOW w AS ()",
    "MERGE INTO t USING t u ON true WHEN MATCHED THEN DELETE",
    "SELECT a FROM ONLY t",
    "SELECT a FROM t LIMIT 1 WITH TIES",
    "SELECT '<a/>'::xml", "SELECT ARRAY['1'::jsonb] AS a UNION SELECT ARRAY['2'::jsonb]",
    "INSERT INTO t OVERRIDING SYSTEM VALUE VALUES (1)",
]


@pytest.mark.parametrize("text", REFUSED)
def test_a_clause_that_is_not_planned_is_refused(driver: Driver, text: str) -> None:
    """Never passed over, and never in words that make DuckLake try again."""
    before = rows(driver, "SELECT * FROM t ORDER BY a")
    with pytest.raises(CatalogError) as caught:
        asyncio.run(driver.run(text))
    assert caught.value.sqlstate in ("0A000", "42601", "42704", "42703", "42P01")
    assert not any(word in str(caught.value).lower() for word in RETRY_WORDS)
    assert rows(driver, "SELECT * FROM t ORDER BY a") == before


def test_functions_without_a_callback_are_refused(driver: Driver) -> None:
    context = driver.context()
    context.callbacks.database_size = None
    with pytest.raises(Unsupported):
        asyncio.run(driver.plan("SELECT pg_database_size(current_database())").run(context))


def test_writes_to_temporary_tables_are_no_writes(driver: Driver) -> None:
    assert not driver.plan("CREATE TEMPORARY TABLE x (a BIGINT)").writes
    asyncio.run(driver.run("CREATE TEMPORARY TABLE x (a BIGINT)"))
    for text in ("INSERT INTO x VALUES (1)", "UPDATE x SET a = 2", "DELETE FROM x", "DROP TABLE x", "SELECT 1"):
        assert not driver.plan(text).writes
    for text in ("INSERT INTO t VALUES (5)", "UPDATE t SET a = 2", "DELETE FROM t", "DROP TABLE t", "CREATE SCHEMA s"):
        assert driver.plan(text).writes


def test_update_by_the_client_s_row_identity(driver: Driver) -> None:
    """DuckDB sends ctids with quotes around them, through a temporary table."""
    ((ctid,),) = rows(driver, "SELECT ctid FROM t WHERE a = 2")
    columns = '"b" VARCHAR, __page_id_string VARCHAR'
    asyncio.run(driver.run(f'CREATE LOCAL TEMPORARY TABLE "up 1" ({columns}) ON COMMIT DROP'))
    text = f"'({ctid >> 16},{ctid & 0xFFFF})'"
    asyncio.run(driver.run(f"""INSERT INTO "up 1" VALUES ('changed', '{text.replace("'", "''")}')"""))
    outcome = asyncio.run(driver.run(
        'UPDATE "public"."t" SET "b" = "up 1"."b" FROM "up 1" WHERE "t".ctid=__page_id_string::TID'
    ))
    assert outcome.tag == "UPDATE 1"
    assert rows(driver, "SELECT b FROM t WHERE a = 2") == [("changed",)]


async def test_rows_that_an_operator_holds_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (operators, groups):
        monkeypatch.setattr(module, "ROWS_HELD_MAX", 10)
    driver = Driver()
    await driver.run("CREATE TABLE many (a int)")
    await driver.run("INSERT INTO many VALUES " + ", ".join(f"({number})" for number in range(5)))
    for text in (
        "SELECT x.a FROM many x, many y", "SELECT x.a FROM many x, many y ORDER BY 1 LIMIT 1",
        "SELECT sum(x.a) FROM many x, many y", "SELECT DISTINCT x.a * 10 + y.a FROM many x, many y",
        "SELECT x.a * 10 + y.a, count(*) FROM many x, many y GROUP BY 1",
        "SELECT 1 FROM many z, (SELECT x.a FROM many x, many y) w LIMIT 1",
    ):  # fmt: skip
        with pytest.raises(OutOfMemory, match="more than 10 rows"):
            await driver.run(text)
    assert await driver.rows("SELECT count(*) FROM many x, many y, many z") == [(125,)]
