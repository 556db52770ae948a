"""INSERT .. ON CONFLICT beside other clients."""

from __future__ import annotations

from tests.session.conversation import Conversation, Place

UPSERT = "INSERT INTO t VALUES (3, '{0}') ON CONFLICT (a) DO UPDATE SET b = t.b || EXCLUDED.b"


async def test_rows_of_others_are_changed(server: Place, table: Conversation) -> None:
    other = await server.client()
    assert await other.query(UPSERT.format("x")) == ["INSERT 0 1", "ready I"]
    assert await table.query(UPSERT.format("y")) == ["INSERT 0 1", "ready I"]
    assert await other.rows("SELECT b FROM t WHERE a = 3") == ["xy"]


async def test_a_row_that_came_after_the_picture_is_a_conflict(server: Place, table: Conversation) -> None:
    other = await server.client()
    await table.run("BEGIN ISOLATION LEVEL REPEATABLE READ", "SELECT * FROM t")
    await other.run("INSERT INTO t VALUES (3, 'x')")
    assert await table.query(UPSERT.format("y")) == ["ERROR 40001", "ready E"]
    await table.run("ROLLBACK")
    nothing = "INSERT INTO t VALUES (3, 'z'), (4, 'w') ON CONFLICT DO NOTHING"
    assert await table.query(nothing) == ["INSERT 0 1", "ready I"]
    assert await other.rows("SELECT a, b FROM t WHERE a > 2 ORDER BY a") == ["3|x", "4|w"]


async def test_an_update_of_a_row_that_changed_meanwhile_fails_at_commit(server: Place, table: Conversation) -> None:
    other = await server.client()
    await table.run("BEGIN ISOLATION LEVEL REPEATABLE READ", "SELECT * FROM t")
    await other.run("UPDATE t SET b = 'changed' WHERE a = 1")
    replies = await table.query(UPSERT.format("y").replace("(3", "(1") + "; COMMIT")
    assert "ERROR 40001" in replies
    assert await table.rows("SELECT b FROM t WHERE a = 1") == ["changed"]


async def test_a_long_list_of_rows(table: Conversation) -> None:
    rows = ", ".join(f"({number}, 'new')" for number in range(1, 6001))
    upsert = f"INSERT INTO t VALUES {rows} ON CONFLICT (a) DO UPDATE SET b = EXCLUDED.b WHERE EXCLUDED.a <> 2"
    assert await table.query(upsert) == ["INSERT 0 5999", "ready I"]
    assert await table.rows("SELECT b, count(*) FROM t GROUP BY b ORDER BY b") == ["new|5999", "two|1"]
