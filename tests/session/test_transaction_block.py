"""BEGIN, COMMIT, ROLLBACK, savepoints and what may be said in each state."""

from __future__ import annotations

import pytest

from rocklake_server.wire import messages as m
from tests.session.conversation import Conversation, Place, text_of


async def test_a_failed_block_refuses_everything_until_rollback(table: Conversation) -> None:
    assert await table.query("BEGIN") == ["BEGIN", "ready T"]
    assert await table.query("SELECT nothing FROM t") == ["ERROR 42703", "ready E"]
    for text in ("SELECT 1", "INSERT INTO t VALUES (9, '')", "SET a.b = 1", "SHOW timezone", "BEGIN", "SAVEPOINT s"):
        assert await table.query(text) == ["ERROR 25P02", "ready E"], text
    assert await table.query("") == ["empty", "ready E"]
    assert await table.query("ROLLBACK") == ["ROLLBACK", "ready I"]
    assert await table.query("SELECT 1 AS a") == ["columns a:23", "row 1", "SELECT 1", "ready I"]


async def test_commit_of_a_failed_block_answers_rollback(table: Conversation) -> None:
    await table.run("BEGIN", "INSERT INTO t VALUES (3, 'x')")
    await table.query("SELECT nothing")
    assert await table.query("COMMIT") == ["ROLLBACK", "ready I"]
    assert await table.rows("SELECT count(*) FROM t") == ["2"]


async def test_an_error_ends_the_text_but_not_the_block(table: Conversation) -> None:
    await table.run("BEGIN")
    assert await table.query("SELECT nothing; ROLLBACK") == ["ERROR 42703", "ready E"]
    assert await table.query("ROLLBACK; SELECT 1 AS a") == [
        "ROLLBACK",
        "columns a:23",
        "row 1",
        "SELECT 1",
        "ready I",
    ]


async def test_rollback_to_a_savepoint_revives_a_failed_block(table: Conversation) -> None:
    await table.run("BEGIN", "INSERT INTO t VALUES (3, 'x')", "SAVEPOINT s", "INSERT INTO t VALUES (4, 'y')")
    assert await table.query("SELECT nothing") == ["ERROR 42703", "ready E"]
    assert await table.query("ROLLBACK TO s") == ["ROLLBACK", "ready T"]
    assert await table.query("RELEASE SAVEPOINT s") == ["RELEASE", "ready T"]
    await table.run("COMMIT")
    assert await table.rows("SELECT a FROM t ORDER BY a") == ["1", "2", "3"]


async def test_an_unknown_savepoint_leaves_the_block_failed(table: Conversation) -> None:
    await table.run("BEGIN", "SAVEPOINT s")
    assert await table.query("ROLLBACK TO other") == ["ERROR 3B001", "ready E"]
    assert await table.query("ROLLBACK TO other") == ["ERROR 3B001", "ready E"]
    assert await table.query("ROLLBACK TO s") == ["ROLLBACK", "ready T"]
    assert await table.query("RELEASE other") == ["ERROR 3B001", "ready E"]


@pytest.mark.parametrize("text", ["SAVEPOINT s", "RELEASE s", "ROLLBACK TO s"])
async def test_savepoints_need_a_block(client: Conversation, text: str) -> None:
    assert await client.query(text) == ["ERROR 25P01", "ready I"]


async def test_begin_in_a_block_and_ends_outside_of_one_warn(client: Conversation) -> None:
    assert await client.query("COMMIT") == ["WARNING 25P01", "COMMIT", "ready I"]
    assert await client.query("ROLLBACK") == ["WARNING 25P01", "ROLLBACK", "ready I"]
    assert await client.query("START TRANSACTION") == ["START TRANSACTION", "ready T"]
    assert await client.query("BEGIN") == ["WARNING 25001", "BEGIN", "ready T"]
    assert await client.query("END") == ["COMMIT", "ready I"]


async def test_a_read_only_block_writes_temporary_tables_alone(table: Conversation) -> None:
    await table.run("CREATE TEMP TABLE mine (a int)", "BEGIN READ ONLY", "SAVEPOINT s")
    writes = (
        "INSERT INTO t VALUES (3, 'x')",
        "UPDATE t SET b = 'x'",
        "DELETE FROM t",
        "CREATE TABLE u (a int)",
        "DROP TABLE t",
        "ALTER TABLE t ADD COLUMN c int",
        "CREATE SCHEMA s",
        "COPY t FROM STDIN",
    )
    for text in writes:
        replies = await table.exchange(m.Query(text))
        assert [r.fields["C"] for r in replies if isinstance(r, m.ErrorResponse)] == ["25006"], text
        assert text_of(replies).endswith("in a read-only transaction")
        await table.run("ROLLBACK TO s")
    await table.run("INSERT INTO mine VALUES (1)", "UPDATE mine SET a = 2", "COMMIT")
    assert await table.rows("SELECT a FROM mine") == ["2"]


async def test_a_read_only_default_reaches_single_statements(table: Conversation) -> None:
    assert await table.query("SET default_transaction_read_only = on") == [
        "SET", "setting default_transaction_read_only=on", "ready I",
    ]  # fmt: skip
    assert await table.query("DELETE FROM t") == ["ERROR 25006", "ready I"]
    await table.run("BEGIN READ WRITE", "DELETE FROM t", "COMMIT")


async def test_a_repeatable_read_block_keeps_its_picture_and_read_committed_moves(
    server: Place, table: Conversation
) -> None:
    other = await server.client()
    await other.run("BEGIN ISOLATION LEVEL REPEATABLE READ", "SELECT 1 FROM t")
    third = await server.client()
    await third.run("BEGIN", "SELECT 1 FROM t")
    await table.run("INSERT INTO t VALUES (3, 'x')")
    assert await other.rows("SELECT count(*) FROM t") == ["2"]
    assert await third.rows("SELECT count(*) FROM t") == ["3"]
    assert await other.rows("SHOW transaction_isolation") == ["repeatable read"]
    assert await third.rows("SHOW transaction_isolation") == ["read committed"]


async def test_a_serializable_block_fails_on_what_it_read(server: Place, table: Conversation) -> None:
    other = await server.client()
    await other.run("BEGIN ISOLATION LEVEL SERIALIZABLE", "SELECT * FROM t", "CREATE TABLE u (a int)")
    await table.run("UPDATE t SET b = 'new' WHERE a = 1")
    assert await other.query("COMMIT") == ["ERROR 40001", "ready I"]


async def test_the_isolation_level_is_settled_by_the_first_query(table: Conversation) -> None:
    await table.run("BEGIN", "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ", "SELECT 1 FROM t")
    assert await table.rows("SHOW transaction_isolation") == ["repeatable read"]
    assert await table.query("SET TRANSACTION ISOLATION LEVEL SERIALIZABLE") == ["ERROR 25001", "ready E"]
    await table.run("ROLLBACK")
    assert await table.rows("SHOW transaction_isolation") == ["read committed"]
    assert await table.query("SET TRANSACTION READ ONLY") == ["WARNING 25P01", "SET", "ready I"]


async def test_session_characteristics_are_the_next_transactions_modes(table: Conversation) -> None:
    await table.run("SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL SERIALIZABLE, READ ONLY")
    assert await table.rows("SHOW transaction_isolation") == ["serializable"]
    await table.run("BEGIN")
    assert await table.rows("SHOW transaction_read_only") == ["on"]
    assert await table.query("DELETE FROM t") == ["ERROR 25006", "ready E"]


@pytest.mark.parametrize("word", ["SET", "SET LOCAL", "SET SESSION"])
async def test_the_isolation_variable_is_the_blocks_level(server: Place, table: Conversation, word: str) -> None:
    other = await server.client()
    await other.run(
        "BEGIN", f"{word} transaction_isolation = 'serializable'", "SELECT * FROM t", "CREATE TABLE u (a int)"
    )
    await table.run("UPDATE t SET b = 'new' WHERE a = 1")
    assert await other.query("COMMIT") == ["ERROR 40001", "ready I"]


async def test_the_read_only_variable_is_the_blocks_mode(table: Conversation) -> None:
    await table.run("BEGIN", "SET transaction_read_only = on")
    assert await table.query("DELETE FROM t") == ["ERROR 25006", "ready E"]
    await table.run("ROLLBACK", "DELETE FROM t")


async def test_a_transaction_reads_at_an_exported_snapshot(server: Place, table: Conversation) -> None:
    await table.run("BEGIN ISOLATION LEVEL REPEATABLE READ", "SELECT 1 FROM t")
    (snapshot,) = await table.rows("SELECT pg_export_snapshot()")
    other = await server.client()
    await other.run("INSERT INTO t VALUES (3, 'x')", "BEGIN ISOLATION LEVEL REPEATABLE READ")
    await other.run(f"SET TRANSACTION SNAPSHOT '{snapshot}'")
    assert await other.rows("SELECT count(*) FROM t") == ["2"]
    await other.run("COMMIT", "BEGIN ISOLATION LEVEL REPEATABLE READ")
    await table.run("COMMIT")
    assert await other.query(f"SET TRANSACTION SNAPSHOT '{snapshot}'") == ["ERROR 22023", "ready E"]


async def test_an_unknown_snapshot_and_one_that_comes_late_are_refused(table: Conversation) -> None:
    assert await table.query("SET TRANSACTION SNAPSHOT 'x'") == ["ERROR 25P01", "ready I"]
    await table.run("BEGIN ISOLATION LEVEL REPEATABLE READ", "SELECT 1 FROM t")
    assert await table.query("SET TRANSACTION SNAPSHOT 'x'") == ["ERROR 25001", "ready E"]


async def test_a_failed_block_holds_no_key_while_it_waits_for_its_rollback(server: Place, table: Conversation) -> None:
    other = await server.client()
    await table.run("BEGIN", "INSERT INTO t VALUES (3, 'x')")
    assert await table.query("SELECT nothing") == ["ERROR 42703", "ready E"]
    assert await other.query("INSERT INTO t VALUES (3, 'y')") == ["INSERT 0 1", "ready I"]
    assert await table.query("INSERT INTO t VALUES (4, 'x')") == ["ERROR 25P02", "ready E"]
    assert await table.query("ROLLBACK") == ["ROLLBACK", "ready I"]
    assert await table.rows("SELECT b FROM t WHERE a = 3") == ["y"]


async def test_a_block_that_failed_after_a_savepoint_keeps_what_came_before_it(
    server: Place, table: Conversation
) -> None:
    other = await server.client()
    await table.run("BEGIN", "INSERT INTO t VALUES (3, 'x')", "SAVEPOINT s", "INSERT INTO t VALUES (4, 'x')")
    assert await table.query("SELECT nothing") == ["ERROR 42703", "ready E"]
    assert await other.query("INSERT INTO t VALUES (4, 'y')") == ["INSERT 0 1", "ready I"]
    await table.run("ROLLBACK TO s", "COMMIT")
    assert await table.rows("SELECT a, b FROM t WHERE a > 2 ORDER BY a") == ["3|x", "4|y"]
