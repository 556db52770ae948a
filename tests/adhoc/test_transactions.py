"""The engine reads the transaction's own view: its uncommitted rows, and the root of its isolation level."""

from __future__ import annotations

import pytest

from tests.session.conversation import Conversation, Place

RANKED = "SELECT a, row_number() OVER (ORDER BY a) FROM t"


async def test_own_uncommitted_rows_are_seen_by_their_transaction_only(server: Place, client: Conversation) -> None:
    other = await server.client()
    await client.run("BEGIN", "INSERT INTO t VALUES (3, 'three')", "DELETE FROM t WHERE a = 1")
    assert await client.rows(RANKED) == ["2|1", "3|2"]
    assert await other.rows(RANKED) == ["1|1", "2|2"]
    await client.run("COMMIT")
    assert await other.rows(RANKED) == ["2|1", "3|2"]


async def test_rows_of_a_savepoint_that_was_taken_back_are_gone(client: Conversation) -> None:
    await client.run("BEGIN", "SAVEPOINT s", "INSERT INTO t VALUES (3, 'three')")
    assert len(await client.rows(RANKED)) == 3
    await client.run("ROLLBACK TO s")
    assert await client.rows(RANKED) == ["1|1", "2|2"]


@pytest.mark.parametrize(("level", "seen"), [("READ COMMITTED", 3), ("REPEATABLE READ", 2), ("SERIALIZABLE", 2)])
async def test_a_commit_between_two_selects(server: Place, client: Conversation, level: str, seen: int) -> None:
    other = await server.client()
    await client.run(f"BEGIN ISOLATION LEVEL {level}")
    assert len(await client.rows(RANKED)) == 2
    await other.run("INSERT INTO t VALUES (3, 'three')")
    assert len(await client.rows(RANKED)) == seen
    await client.run("COMMIT")
    assert len(await client.rows(RANKED)) == 3


async def test_both_paths_see_the_same_root(server: Place, client: Conversation) -> None:
    other = await server.client()
    await client.run("BEGIN ISOLATION LEVEL REPEATABLE READ")
    assert await client.rows("SELECT count(*) FROM t") == ["2"]
    await other.run("INSERT INTO t VALUES (3, 'three')")
    assert await client.rows("SELECT count(*) OVER () FROM t LIMIT 1") == ["2"]


async def test_temporary_tables_and_new_columns_are_seen(client: Conversation) -> None:
    await client.run("BEGIN", "CREATE TEMPORARY TABLE x (n bigint)", "INSERT INTO x VALUES (5)",
                     "ALTER TABLE t ADD COLUMN c bigint DEFAULT 7")
    assert await client.rows("SELECT n, c, row_number() OVER (ORDER BY a) FROM x, t") == ["5|7|1", "5|7|2"]
    assert await client.rows("SELECT relname, rank() OVER (ORDER BY relname) FROM pg_class WHERE relname IN ('x', 't')"
                             ) == ["t|1", "x|2"]


async def test_a_statement_is_planned_anew_when_a_relation_changed(client: Conversation) -> None:
    assert await client.rows("SELECT *, count(*) OVER () FROM t LIMIT 1") == ["1|one|2"]
    await client.run("DROP TABLE t", "CREATE TABLE t (z text)", "INSERT INTO t VALUES ('new')")
    assert await client.rows("SELECT *, count(*) OVER () FROM t LIMIT 1") == ["new|1"]


async def test_an_error_of_the_engine_fails_the_block(client: Conversation) -> None:
    await client.run("BEGIN")
    assert (await client.query("SELECT 1 / (a - 1), row_number() OVER () FROM t"))[-2:] == ["ERROR 22012", "ready E"]
    assert (await client.query(RANKED))[-2:] == ["ERROR 25P02", "ready E"]
    await client.run("ROLLBACK")
    assert len(await client.rows(RANKED)) == 2
