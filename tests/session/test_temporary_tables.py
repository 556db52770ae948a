"""Temporary tables, and what DuckDB does with them and with ctids."""

from __future__ import annotations

from rocklake_server.wire import messages as m
from tests.session.conversation import Conversation, Place

UPDATE = 'UPDATE "public"."t" SET "b" = "update_data_1"."b" FROM "update_data_1" WHERE "t".ctid=__page_id_string::TID'
CREATE = 'CREATE LOCAL TEMPORARY TABLE "update_data_1"("b" VARCHAR, __page_id_string VARCHAR) ON COMMIT DROP'
COPY = m.Query("""COPY "update_data_1" FROM STDIN (FORMAT TEXT, NULL '\b')""")


async def _ctids(client: Conversation) -> dict[str, str]:
    rows = [row.partition("|") for row in await client.rows("SELECT a, ctid FROM t")]
    return {key: ctid for key, _, ctid in rows}


async def test_duckdbs_update_through_a_temporary_table(table: Conversation) -> None:
    await table.run("INSERT INTO t VALUES (3, 'three')", "BEGIN ISOLATION LEVEL REPEATABLE READ")
    ctids = await _ctids(table)
    await table.run(CREATE)
    stream = f"new\t{ctids['1']}\n\b\t{ctids['3']}\n".encode()
    assert await table.say(COPY, m.CopyData(stream), m.CopyDone()) == ["copy in text 2", "COPY 2", "ready T"]
    assert await table.query(UPDATE) == ["UPDATE 2", "ready T"]
    assert await table.query("COMMIT") == ["COMMIT", "ready I"]
    assert await table.rows("SELECT a, b FROM t ORDER BY a") == ["1|new", "2|two", "3|NULL"]
    assert await table.query('SELECT * FROM "update_data_1"') == ["ERROR 42P01", "ready I"]


async def test_duckdbs_delete_by_ctid(table: Conversation) -> None:
    await table.run("BEGIN")
    ctids = await _ctids(table)
    assert await table.query(f"DELETE FROM \"public\".t WHERE ctid IN ('{ctids['2']}')") == ["DELETE 1", "ready T"]
    assert await table.query(f"DELETE FROM \"public\".t WHERE ctid IN ('{ctids['2']}')") == ["DELETE 0", "ready T"]
    await table.run("COMMIT")
    assert await table.rows("SELECT a FROM t") == ["1"]


async def test_on_commit_drop_outside_of_a_block_leaves_nothing(client: Conversation) -> None:
    await client.run(CREATE)
    assert await client.query('SELECT * FROM "update_data_1"') == ["ERROR 42P01", "ready I"]


async def test_a_rolled_back_temporary_table_is_gone(client: Conversation) -> None:
    await client.run("BEGIN", CREATE, "ROLLBACK", "BEGIN", CREATE, "SAVEPOINT s", "DROP TABLE update_data_1")
    assert await client.query('SELECT * FROM "update_data_1"') == ["ERROR 42P01", "ready E"]
    await client.run("ROLLBACK TO s")
    assert await client.rows("SELECT count(*) FROM update_data_1") == ["0"]


async def test_a_temporary_table_is_the_sessions_own_and_hides_a_stored_one(
    server: Place, table: Conversation
) -> None:
    other = await server.client()
    await other.run("CREATE TEMP TABLE t (x int)", "INSERT INTO t VALUES (7)")
    assert await other.rows("SELECT * FROM t") == ["7"]
    assert await other.rows("SELECT count(*) FROM public.t") == ["2"]
    assert await table.rows("SELECT count(*) FROM t") == ["2"]
    await other.run("DROP TABLE t")
    assert await other.rows("SELECT count(*) FROM t") == ["2"]


async def test_temporary_rows_are_transactional(client: Conversation) -> None:
    await client.run("CREATE TEMP TABLE mine (a int)", "INSERT INTO mine VALUES (1)")
    await client.run("BEGIN", "INSERT INTO mine VALUES (2)", "ROLLBACK")
    assert await client.rows("SELECT a FROM mine") == ["1"]
    assert await client.query("INSERT INTO mine VALUES (3); SELECT nothing") == [
        "INSERT 0 1",
        "ERROR 42703",
        "ready I",
    ]
    assert await client.rows("SELECT a FROM mine") == ["1"]


async def test_a_temporary_table_of_a_taken_name_is_refused(client: Conversation) -> None:
    await client.run("CREATE TEMP TABLE mine (a int)")
    assert await client.query("CREATE TEMP TABLE mine (a int)") == ["ERROR 42P07", "ready I"]
    assert await client.query("CREATE TEMP TABLE IF NOT EXISTS mine (a int)") == [
        "NOTICE 42P07",
        "CREATE TABLE",
        "ready I",
    ]
