"""RETURNING through a session: long lists, other clients, and what a failure leaves."""

from __future__ import annotations

import pytest

from rocklake_server.wire import messages as m
from tests.session.conversation import Conversation, Place

LONG = 4500
"""More rows than one slice of the reader of VALUES lists has."""


def long_insert(clause: str) -> str:
    rows = ", ".join(f"({number}, 'returning {number}')" for number in range(10, 10 + LONG))
    return f"INSERT INTO t VALUES {rows} {clause}"


@pytest.mark.parametrize("clause", ["RETURNING a", "returning (a)", "ON CONFLICT DO NOTHING Returning abs(a)"])
async def test_a_long_list_of_rows_returns_all_of_them(table: Conversation, clause: str) -> None:
    replies = await table.query(long_insert(clause))
    assert replies[0].startswith("columns ")
    assert replies[1:] == [*[f"row {n}" for n in range(10, 10 + LONG)], f"INSERT 0 {LONG}", "ready I"]


async def test_a_long_list_of_rows_is_described_with_its_columns(table: Conversation) -> None:
    text = long_insert("RETURNING upper(b) AS c")
    replies = await table.say(m.Parse("", text, ()), m.Describe("S", ""), m.Sync())
    assert replies == ["parsed", "parameters", "columns c:25", "ready I"]


async def test_a_clause_that_is_longer_than_the_reader_looks_is_refused(table: Conversation) -> None:
    clause = f"RETURNING {', '.join(['(a)'] * 1000)}"
    assert await table.query(long_insert(clause)) == ["ERROR 0A000", "ready I"]
    assert await table.rows("SELECT count(*) FROM t") == ["2"]


async def test_rows_are_staged_and_returned_in_a_block_and_undone_with_it(server: Place, table: Conversation) -> None:
    other = await server.client()
    await table.run("BEGIN")
    assert await table.rows("UPDATE t SET b = b || '!' WHERE a = 1 RETURNING b") == ["one!"]
    assert await table.rows("DELETE FROM t WHERE b = 'one!' RETURNING a") == ["1"]
    assert await other.rows("SELECT b FROM t ORDER BY a") == ["one", "two"]
    await table.run("ROLLBACK")
    assert await table.rows("SELECT b FROM t ORDER BY a") == ["one", "two"]


async def test_a_returned_ctid_finds_its_row(table: Conversation) -> None:
    (inserted,) = await table.rows("INSERT INTO t VALUES (3, 'x') RETURNING ctid")
    assert await table.rows(f"SELECT a FROM t WHERE ctid = '{inserted}'") == ["3"]
    (updated,) = await table.rows("UPDATE t SET b = 'y' WHERE a = 3 RETURNING ctid")
    assert updated != inserted
    assert await table.rows(f"DELETE FROM t WHERE ctid = '{updated}' RETURNING ctid, b") == [f"{updated}|y"]


async def test_what_fails_while_rows_are_returned_writes_nothing(table: Conversation) -> None:
    assert (await table.query("UPDATE t SET b = 'z' RETURNING 1 / (a - 2)"))[-2:] == ["ERROR 22012", "ready I"]
    await table.run("BEGIN", "SAVEPOINT s")
    assert (await table.query("INSERT INTO t VALUES (3, 'z') RETURNING 1 / (a - 3)"))[-2:] == ["ERROR 22012", "ready E"]
    await table.run("ROLLBACK TO s", "COMMIT")
    assert await table.rows("SELECT a, b FROM t ORDER BY a") == ["1|one", "2|two"]


async def test_functions_that_act_on_the_session_run_for_each_row(server: Place, table: Conversation) -> None:
    await table.run("LISTEN ch")
    replies = await table.query("UPDATE t SET b = 'n' RETURNING pg_notify('ch', a::text)")
    assert sorted(reply for reply in replies if reply.startswith("told")) == ["told 1 ch 1", "told 1 ch 2"]


async def test_an_upsert_returns_rows_in_the_order_of_its_list(table: Conversation) -> None:
    upsert = "INSERT INTO t VALUES (5, 'n'), (2, 'n'), (4, 'n'), (1, 'n') ON CONFLICT (a) DO UPDATE SET b = 'u'"
    assert await table.rows(f"{upsert} RETURNING a, b") == ["5|n", "2|u", "4|n", "1|u"]
