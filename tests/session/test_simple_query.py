"""Simple Query: one reply per statement, one transaction per text."""

from __future__ import annotations

import pytest

from rocklake_server.wire import messages as m
from rocklake_server.wire.layout import encode
from tests.session.conversation import Conversation, Place, text_of


async def test_every_statement_answers_and_one_ready_ends_the_text(client: Conversation) -> None:
    assert await client.query("SELECT 1 AS a; SELECT 'x'; SET application_name = 'me'") == [
        "columns a:23", "row 1", "SELECT 1",
        "columns ?column?:25", "row x", "SELECT 1",
        "SET", "setting application_name=me", "ready I",
    ]  # fmt: skip


@pytest.mark.parametrize("text", ["", " ", ";", "-- nothing\n", " ; /* none */ ;"])
async def test_a_text_without_statements_is_an_empty_query(client: Conversation, text: str) -> None:
    assert await client.query(text) == ["empty", "ready I"]


async def test_a_text_is_one_transaction(table: Conversation) -> None:
    assert await table.query("INSERT INTO t VALUES (3, 'x'); SELECT nothing FROM t; INSERT INTO t VALUES (4, 'y')") == [
        "INSERT 0 1", "ERROR 42703", "ready I",
    ]  # fmt: skip
    assert await table.rows("SELECT a FROM t ORDER BY a") == ["1", "2"]


async def test_nothing_runs_when_a_later_statement_is_no_sql(table: Conversation) -> None:
    assert await table.query("INSERT INTO t VALUES (3, 'x'); SELEC") == ["ERROR 42601", "ready I"]
    assert await table.rows("SELECT count(*) FROM t") == ["2"]


async def test_the_last_tag_comes_after_the_implicit_commit(server: Place, table: Conversation) -> None:
    """A commit that fails is seen instead of the tag."""
    other = await server.client()
    await other.run("BEGIN ISOLATION LEVEL SERIALIZABLE", "SELECT * FROM t", "UPDATE t SET b = 'other' WHERE a = 1")
    await table.run("UPDATE t SET b = 'mine' WHERE a = 1")
    assert await other.query("UPDATE t SET b = 'again' WHERE a = 2; COMMIT") == ["UPDATE 1", "ERROR 40001", "ready I"]
    assert await table.rows("SELECT b FROM t ORDER BY a") == ["mine", "two"]


async def test_begin_inside_a_text_takes_the_statements_before_it_along(table: Conversation) -> None:
    assert await table.query("INSERT INTO t VALUES (3, 'x'); BEGIN; INSERT INTO t VALUES (4, 'y')") == [
        "INSERT 0 1", "BEGIN", "INSERT 0 1", "ready T",
    ]  # fmt: skip
    assert await table.query("ROLLBACK") == ["ROLLBACK", "ready I"]
    assert await table.rows("SELECT count(*) FROM t") == ["2"]


async def test_commit_inside_a_text_keeps_what_was_before_it(table: Conversation) -> None:
    assert await table.query("BEGIN; INSERT INTO t VALUES (3, 'x'); COMMIT; INSERT INTO t VALUES (4, 'y'); boom()") == [
        "ERROR 42601", "ready I",
    ]  # fmt: skip
    text = "BEGIN; INSERT INTO t VALUES (3, 'x'); COMMIT; INSERT INTO t VALUES (4, 'y'); SELECT boom()"
    assert await table.query(text) == ["BEGIN", "INSERT 0 1", "COMMIT", "INSERT 0 1", "ERROR 42883", "ready I"]
    assert await table.rows("SELECT a FROM t ORDER BY a") == ["1", "2", "3"]


async def test_commit_without_a_block_warns_and_commits_the_text_so_far(table: Conversation) -> None:
    assert await table.query("INSERT INTO t VALUES (3, 'x'); COMMIT; SELECT boom()") == [
        "INSERT 0 1", "WARNING 25P01", "COMMIT", "ERROR 42883", "ready I",
    ]  # fmt: skip
    assert await table.rows("SELECT count(*) FROM t") == ["3"]


async def test_an_unknown_statement_is_refused_by_name(client: Conversation) -> None:
    replies = await client.exchange(m.Query("CREATE EXTENSION nothing"))
    assert "EXTENSION" in text_of(replies)
    assert await client.query("SELECT 1") == ["columns ?column?:23", "row 1", "SELECT 1", "ready I"]


async def test_the_function_call_protocol_is_refused(client: Conversation) -> None:
    assert await client.say(m.FunctionCall(1, (), (), 0)) == ["ERROR 0A000", "ready I"]


async def test_a_broken_stream_ends_the_session(client: Conversation) -> None:
    replies = await client.exchange_bytes(b"!\0\0\0\4")
    assert [reply.fields["S"] for reply in replies if isinstance(reply, m.ErrorResponse)] == ["FATAL"]
    assert client.task.done()


async def test_what_a_client_left_open_is_rolled_back(server: Place, table: Conversation) -> None:
    other = await server.client()
    await other.run("BEGIN", "INSERT INTO t VALUES (3, 'x')")
    await other.leave()
    await table.run("INSERT INTO t VALUES (3, 'mine')")


@pytest.mark.parametrize(("rows", "sqlstate"), [
    ("(1, 1), (1, 2), (2, NULL)", "23505"),
    ("(1, 1), (2, NULL), (1, 2)", "23502"),
    ("(1, 1), (2, 2), (3, NULL)", "23502"),
])
async def test_of_several_rows_at_fault_the_first_is_told(client: Conversation, rows: str, sqlstate: str) -> None:
    await client.run("CREATE TABLE faults(a BIGINT PRIMARY KEY, b BIGINT NOT NULL)")
    assert await client.query(f"INSERT INTO faults VALUES {rows}") == [f"ERROR {sqlstate}", "ready I"]
    assert await client.rows("SELECT count(*) FROM faults") == ["0"]


async def test_of_several_values_that_are_missing_the_first_rows_is_told(client: Conversation) -> None:
    await client.run("CREATE TABLE faults(a BIGINT NOT NULL, b BIGINT NOT NULL)")
    client.channel.feed(encode(m.Query("INSERT INTO faults VALUES (1, 1), (2, NULL), (NULL, 3)")))
    await client.channel.idle.wait()
    (error,) = [reply for reply in client.channel.taken() if isinstance(reply, m.ErrorResponse)]
    assert 'column "b"' in error.fields["M"]
