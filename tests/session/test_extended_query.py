"""Parse, Bind, Describe, Execute, Close and Sync."""

from __future__ import annotations

import struct
from collections.abc import Sequence

import pytest

from rocklake_server.wire import messages as m
from tests.session.conversation import Conversation, line, text_of

BIGINT, INTEGER, TEXT = 20, 23, 25


def bind(
    *values: bytes | None,
    formats: Sequence[int] = (),
    results: Sequence[int] = (),
    statement: str = "",
    portal: str = "",
) -> m.Bind:
    return m.Bind(portal, statement, tuple(formats), values, tuple(results))


def parse(text: str, *oids: int, name: str = "") -> m.Parse:
    return m.Parse(name, text, oids)


RUN = (m.Execute("", 0), m.Sync())


async def test_one_round_trip(table: Conversation) -> None:
    messages = (parse("SELECT a, b FROM t WHERE a >= $1 ORDER BY a"), bind(b"2"), m.Describe("P", ""), *RUN)
    assert await table.say(*messages) == [
        "parsed", "bound", "columns a:20 b:25", "row 2|two", "SELECT 1", "ready I",
    ]  # fmt: skip


async def test_the_unnamed_statement_survives_sync(table: Conversation) -> None:
    """libpq's PQprepare and PQdescribePrepared send a Sync each."""
    assert await table.say(parse("SELECT b FROM t WHERE a = $1"), m.Sync()) == ["parsed", "ready I"]
    described = await table.say(m.Describe("S", ""), m.Sync())
    assert described == ["parameters 20", "columns b:25", "ready I"]
    assert await table.say(bind(b"1"), *RUN) == ["bound", "row one", "SELECT 1", "ready I"]


async def test_parameters_and_results_in_binary(table: Conversation) -> None:
    key = struct.pack("!q", 2)
    replies = await table.exchange(
        parse("SELECT a, b FROM t WHERE a = $1 AND b = $2"), bind(key, b"two", formats=(1, 0), results=(1, 0)), *RUN
    )
    (row,) = [reply for reply in replies if isinstance(reply, m.DataRow)]
    assert [bytes(value) for value in row.values if value is not None] == [key, b"two"]


async def test_null_parameters_and_one_format_for_all(table: Conversation) -> None:
    insert = parse("INSERT INTO t VALUES ($1, $2)")
    assert await table.say(insert, bind(struct.pack("!q", 3), None, formats=(1,)), *RUN) == [
        "parsed", "bound", "INSERT 0 1", "ready I",
    ]  # fmt: skip
    assert await table.rows("SELECT a, b FROM t WHERE b IS NULL") == ["3|NULL"]


@pytest.mark.parametrize(
    ("messages", "sqlstate"),
    [
        ((parse("SELECT $1::bigint"), bind(b"x")), "22P02"),
        ((parse("SELECT $1::bigint"), bind(b"x", formats=(1,))), "08P01"),
        ((parse("SELECT $1::bigint"), bind(b"123456789", formats=(1,))), "22P03"),
        ((parse("SELECT $1::bigint"), bind(b"1", formats=(7,))), "22023"),
        ((parse("SELECT $1::text"), bind(b"\xff")), "22021"),
        ((parse("SELECT 1"), bind(results=(7,))), "22023"),
        ((parse("SELECT $1::bigint"), bind()), "08P01"),
        ((parse("SELECT $1::bigint"), bind(b"1", b"2")), "08P01"),
        ((parse("SELECT $1::bigint"), bind(b"1", formats=(0, 0))), "08P01"),
        ((parse("SELECT 1"), bind(results=(0, 0))), "08P01"),
        ((parse("SELECT 1; SELECT 2"),), "42601"),
        ((parse("SELECT $1", 999999),), "42704"),
        ((parse("SELECT nothing"),), "42703"),
        ((bind(statement="p"),), "26000"),
        ((m.Describe("S", "p"),), "26000"),
        ((m.Describe("P", "p"),), "34000"),
        ((m.Execute("p", 0),), "34000"),
        ((parse("SELECT 1", name="p"), parse("SELECT 1", name="p")), "42P05"),
        ((parse("SELECT 1"), bind(portal="p"), bind(portal="p")), "42P03"),
    ],
)
async def test_a_wrong_message_has_postgresqls_sqlstate(
    client: Conversation, messages: tuple[m.Parse | m.Bind, ...], sqlstate: str
) -> None:
    replies = await client.say(*messages, m.Sync())
    assert replies[-2:] == [f"ERROR {sqlstate}", "ready I"]


async def test_an_error_skips_to_sync(table: Conversation) -> None:
    insert = parse("INSERT INTO t VALUES (9, 'x')")
    messages = (insert, bind(), m.Execute("", 0), parse("SELECT nothing"), m.Flush(), insert, bind(), *RUN)
    assert await table.say(*messages) == ["parsed", "bound", "INSERT 0 1", "ERROR 42703", "ready I"]
    assert await table.rows("SELECT count(*) FROM t") == ["2"]


async def test_a_pipeline_is_one_transaction_up_to_sync(table: Conversation) -> None:
    one = (parse("INSERT INTO t VALUES (3, 'x')"), bind(), m.Execute("", 0))
    two = (parse("INSERT INTO t VALUES (1, 'x')"), bind(), m.Execute("", 0))
    assert await table.say(*one, m.Sync(), *two, m.Sync()) == [
        "parsed", "bound", "INSERT 0 1", "ready I", "parsed", "bound", "ERROR 23505", "ready I",
    ]  # fmt: skip
    assert await table.rows("SELECT a FROM t ORDER BY a") == ["1", "2", "3"]


async def test_a_failed_block_refuses_all_but_its_end(table: Conversation) -> None:
    await table.say(parse("SELECT a FROM t", name="p"), parse("ROLLBACK", name="end"), m.Sync())
    await table.run("BEGIN")
    await table.query("SELECT nothing")
    for message in (parse("SELECT 1"), bind(statement="p"), m.Describe("S", "p")):
        assert await table.say(message, m.Sync()) == ["ERROR 25P02", "ready E"]
    assert await table.say(parse(""), m.Sync()) == ["parsed", "ready E"]
    assert await table.say(bind(statement="end"), *RUN) == ["bound", "ROLLBACK", "ready I"]


async def test_a_portal_gives_its_rows_in_parts(table: Conversation) -> None:
    await table.run("INSERT INTO t VALUES (3, 'three')")
    await table.run("BEGIN")
    opening = (parse("SELECT a FROM t ORDER BY a"), bind(portal="c"), m.Execute("c", 2), m.Sync())
    assert await table.say(*opening) == ["parsed", "bound", "row 1", "row 2", "suspended", "ready T"]
    assert await table.say(m.Execute("c", 2), m.Sync()) == ["row 3", "SELECT 1", "ready T"]
    assert await table.say(m.Execute("c", 2), m.Sync()) == ["SELECT 0", "ready T"]
    await table.run("COMMIT")
    assert await table.say(m.Execute("c", 2), m.Sync()) == ["ERROR 34000", "ready I"]


async def test_a_suspended_portal_keeps_its_picture(table: Conversation) -> None:
    await table.run("BEGIN")
    await table.say(parse("SELECT a FROM t ORDER BY a"), bind(portal="c"), m.Execute("c", 1), m.Sync())
    await table.run("DELETE FROM t")
    assert await table.say(m.Execute("c", 0), m.Sync()) == ["row 2", "SELECT 1", "ready T"]


async def test_close_by_name_and_close_all_end_portals(table: Conversation) -> None:
    await table.run("BEGIN")
    await table.say(parse("SELECT a FROM t"), bind(portal="c"), bind(portal="d"), m.Sync())
    assert await table.query("CLOSE c") == ["CLOSE CURSOR", "ready T"]
    assert await table.query("CLOSE ALL") == ["CLOSE CURSOR ALL", "ready T"]
    assert await table.say(m.Execute("d", 0), m.Sync()) == ["ERROR 34000", "ready E"]
    await table.run("ROLLBACK")
    assert await table.query("CLOSE c") == ["ERROR 34000", "ready I"]


async def test_a_portal_of_a_statement_without_rows_runs_once(table: Conversation) -> None:
    insert = (parse("INSERT INTO t VALUES (3, 'x')"), bind(), m.Execute("", 0))
    assert await table.say(*insert, m.Execute("", 0), m.Sync()) == [
        "parsed", "bound", "INSERT 0 1", "ERROR 55000", "ready I",
    ]  # fmt: skip


async def test_close_forgets_and_forgets_silently_what_is_not_there(client: Conversation) -> None:
    await client.say(parse("SELECT 1", name="p"), m.Sync())
    assert await client.say(m.Close("S", "p"), m.Close("S", "p"), m.Close("P", "c"), m.Sync()) == [
        "closed", "closed", "closed", "ready I",
    ]  # fmt: skip
    assert await client.say(bind(statement="p"), m.Sync()) == ["ERROR 26000", "ready I"]


async def test_an_empty_statement(client: Conversation) -> None:
    assert await client.say(parse("-- nothing"), bind(), m.Describe("S", ""), m.Describe("P", ""), *RUN) == [
        "parsed", "bound", "parameters", "no data", "no data", "empty", "ready I",
    ]  # fmt: skip


async def test_utility_statements_in_a_pipeline(client: Conversation) -> None:
    def run(text: str) -> tuple[m.Parse, m.Bind, m.Describe, m.Execute]:
        return parse(text), bind(), m.Describe("P", ""), m.Execute("", 0)

    replies = await client.say(*run("BEGIN"), *run("SET LOCAL a.b = 'x'"), *run("SHOW a.b"), *run("COMMIT"), m.Sync())
    assert [reply for reply in replies if reply not in ("parsed", "bound")] == [
        "no data", "BEGIN", "no data", "SET", "columns a.b:25", "row x", "SHOW", "no data", "COMMIT", "ready I",
    ]  # fmt: skip


async def test_flush_leaves_the_pipeline_open(table: Conversation) -> None:
    assert await table.say(parse("INSERT INTO t VALUES (3, 'x')"), bind(), m.Execute("", 0), m.Flush()) == [
        "parsed", "bound", "INSERT 0 1",
    ]  # fmt: skip
    assert await table.say(m.Sync()) == ["ready I"]
    assert await table.rows("SELECT count(*) FROM t") == ["3"]


async def test_a_statement_follows_its_table(table: Conversation) -> None:
    await table.say(parse("SELECT * FROM t ORDER BY a", name="p"), m.Sync())
    await table.run("ALTER TABLE t ADD COLUMN c integer")
    assert await table.say(bind(statement="p"), m.Describe("P", ""), m.Execute("", 1), m.Sync()) == [
        "bound", "columns a:20 b:25 c:23", "row 1|one|NULL", "suspended", "ready I",
    ]  # fmt: skip
    await table.run("DROP TABLE t")
    assert await table.say(bind(statement="p"), m.Sync()) == ["ERROR 42P01", "ready I"]


async def test_a_portal_whose_table_changed_is_refused(table: Conversation) -> None:
    await table.run("BEGIN")
    await table.say(parse("SELECT * FROM t"), bind(portal="c"), m.Sync())
    await table.run("ALTER TABLE t ADD COLUMN c integer")
    replies = await table.exchange(m.Execute("c", 0), m.Sync())
    assert text_of(replies) == "cached plan must not change result type"


DESCRIBED = [
    "SELECT 1", "SELECT a, b, ctid FROM t", "SELECT count(*), max(b) FROM t", "SELECT NULL AS n, 'x', 1.5, true, now()",
    "SELECT * FROM t WHERE a = 1", "SELECT a::text || b FROM t", "SHOW timezone", "SHOW ALL", "SELECT version()",
    "SELECT oid, relname FROM pg_class LIMIT 1", "SELECT '{1,2}'::int[], '1 day'::interval, '\\x00'::bytea",
    "UPDATE t SET b = 'y'", "DELETE FROM t", "INSERT INTO t VALUES (8, 'x')", "CREATE TABLE u (a int)", "SET a.b = '1'",
    "VALUES (1, 'x')",
]  # fmt: skip


@pytest.mark.parametrize("text", DESCRIBED)
async def test_a_statement_returns_what_describe_said(table: Conversation, text: str) -> None:
    """And what the same text returns by simple Query."""
    statement = (await table.exchange(parse(text), m.Describe("S", ""), m.Sync()))[2]
    await table.say(m.Parse("", "BEGIN", ()), bind(), *RUN)
    portal = [line(reply) for reply in await table.exchange(parse(text), bind(), m.Describe("P", ""), *RUN)]
    await table.query("ROLLBACK")
    simple = await table.exchange(m.Query(text))
    if isinstance(simple[0], m.RowDescription):
        assert statement == simple[0]
    else:
        assert line(statement) == "no data"
    assert portal[2] == line(statement)
    rows = [line(reply) for reply in simple if isinstance(reply, m.DataRow)]
    assert [reply for reply in portal if reply.startswith("row ")] == rows
    width = len(statement.fields) if isinstance(statement, m.RowDescription) else 0
    assert all(reply.count("|") == width - 1 for reply in rows if "ctid" not in text)
