"""EXPLAIN tells which path a statement takes and what it reads."""

from __future__ import annotations

import pytest

from rocklake_server.wire import messages as m
from tests.session.conversation import Conversation


async def lines(client: Conversation, text: str) -> str:
    return "\n".join(await client.rows(f"EXPLAIN {text}"))


async def test_the_servers_own_operators_and_their_bounds(client: Conversation) -> None:
    shown = await lines(client, "SELECT b FROM t WHERE a = 1 AND b <> 'x' ORDER BY b")
    assert shown.startswith("Path: the server's own operators")
    assert "Scan of public.t" in shown
    assert "Bounds: a in (1)" in shown
    assert "Sort" in shown


async def test_the_engine_its_relations_columns_and_bounds(client: Conversation) -> None:
    shown = await lines(client, "SELECT b, row_number() OVER () FROM t WHERE a > 1 AND a < 5")
    assert shown.startswith("Path: the embedded engine")
    assert "r1: public.t (a, b)" in shown
    assert "a >= 1 and a <= 5" in shown
    assert "row_number() OVER ()" in shown


async def test_nothing_runs(client: Conversation) -> None:
    shown = await lines(client, "SELECT count(*) FROM generate_series(1, 1000000000000) g(x), t WHERE 1 / (a - 1) > 0")
    assert shown.startswith("Path: the embedded engine")


async def test_subqueries_are_shown_where_they_stand(client: Conversation) -> None:
    shown = await lines(client, "SELECT a FROM t WHERE a = (SELECT max(a) FROM t x WHERE x.b = 'one')")
    assert "Subquery, once" in shown
    assert shown.count("Scan of public.t") == 2


@pytest.mark.parametrize("value", ["'[1]'::jsonb -> 0 IS NOT NULL", "pg_relation_size('t') >= 0"])
async def test_values_that_are_made_beforehand_are_no_subqueries(client: Conversation, value: str) -> None:
    shown = await lines(client, f"SELECT a FROM t WHERE {value}")
    assert "Scan of public.t" in shown
    assert "Subquery" not in shown


async def test_no_text_of_the_client_is_in_the_engines_statement(client: Conversation) -> None:
    shown = await lines(client, """SELECT b AS "x'; DROP", rank() OVER () FROM t AS "y--" WHERE b = 'se''cret'""")
    statement = shown.split("Statement: ")[1]
    assert "secret" not in statement.lower().replace("'", "")
    assert "DROP" not in statement
    assert "--" not in statement


async def test_options_and_the_extended_protocol(client: Conversation) -> None:
    shown = await client.rows("EXPLAIN (FORMAT text, COSTS off, ANALYZE false, VERBOSE) SELECT 1")
    assert shown[0].startswith("Path")
    replies = await client.say(m.Parse("", "EXPLAIN SELECT a FROM t", ()), m.Bind("", "", (), (), ()),
                               m.Describe("P", ""), m.Execute("", 0), m.Sync())
    assert replies[:3] == ["parsed", "bound", "columns QUERY PLAN:25"]
    assert "row Path: the server's own operators" in replies


@pytest.mark.parametrize("text", [
    "EXPLAIN ANALYZE SELECT 1", "EXPLAIN (FORMAT json) SELECT 1", "EXPLAIN (ANALYZE, BUFFERS) SELECT 1",
    "EXPLAIN INSERT INTO t VALUES (9, 'x')", "EXPLAIN UPDATE t SET b = 'x'", "EXPLAIN DELETE FROM t",
])
async def test_what_would_have_to_run_is_refused(client: Conversation, text: str) -> None:
    assert "ERROR 0A000" in await client.query(text)
