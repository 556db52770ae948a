"""Results of the engine on the wire: prepared statements, cursors, COPY, and rows that come while others compute."""

from __future__ import annotations

import asyncio
import time

import psycopg
import pytest

from rocklake_server.limits import ENGINE_STATEMENTS_MAX
from rocklake_server.wire import messages as m
from tests.session.conversation import Conversation, Place

LOOP_HELD_S_MAX = 0.05
"""What one turn of the event loop may compute, with the collection of garbage that falls into it. Time on the clock
would tell about other processes of the machine."""

SERIES = "SELECT x, x * 2 FROM generate_series(1, $1::bigint) AS g(x)"


def bind(portal: str, value: bytes, statement: str = "") -> m.Bind:
    return m.Bind(portal, statement, (), (value,), ())


async def test_describe_tells_what_execute_sends(client: Conversation) -> None:
    replies = await client.say(
        m.Parse("s", SERIES, ()), m.Describe("S", "s"), bind("", b"2", "s"), m.Describe("P", ""), m.Execute("", 0),
        m.Sync())
    assert replies == [
        "parsed", "parameters 20", "columns x:20 ?column?:20", "bound", "columns x:20 ?column?:20", "row 1|2",
        "row 2|4", "SELECT 2", "ready I",
    ]


async def test_a_cursor_takes_some_rows_at_a_time(client: Conversation) -> None:
    await client.run("BEGIN")
    replies = await client.say(
        m.Parse("", SERIES, ()), bind("c", b"5"), m.Execute("c", 2), m.Execute("c", 2), m.Execute("c", 2), m.Sync())
    assert replies == [
        "parsed", "bound", "row 1|2", "row 2|4", "suspended", "row 3|6", "row 4|8", "suspended", "row 5|10",
        "SELECT 1", "ready T",
    ]


async def test_a_cursor_over_more_than_there_is_time_for_is_opened_and_closed(client: Conversation) -> None:
    await client.run("BEGIN")
    replies = await client.say(
        m.Parse("", SERIES, ()), bind("c", b"1000000000000"), m.Execute("c", 1), m.Close("P", "c"), m.Sync())
    assert replies == ["parsed", "bound", "row 1|2", "suspended", "closed", "ready T"]


async def test_cursors_that_are_left_open_end_with_their_transaction(client: Conversation) -> None:
    for _ in range(ENGINE_STATEMENTS_MAX + 2):
        await client.run("BEGIN")
        assert "suspended" in await client.say(
            m.Parse("", SERIES, ()), bind("c", b"100000"), m.Execute("c", 1), m.Sync())
        await client.run("ROLLBACK")
    assert await client.rows("SELECT count(*) FROM generate_series(1, 5)") == ["5"]


async def test_parameters_are_values_and_never_text(client: Conversation) -> None:
    text = "SELECT b, row_number() OVER () FROM t WHERE b = $1 OR b = $2"
    hostile = b"' OR 1=1; COPY (SELECT 1) TO '/tmp/x' --"
    replies = await client.say(m.Parse("", text, ()), m.Bind("", "", (), (hostile, b"one"), ()), m.Execute("", 0),
                               m.Sync())
    assert replies == ["parsed", "bound", "row one|1", "SELECT 1", "ready I"]


async def test_a_copy_of_an_engine_query_has_all_rows(client: Conversation) -> None:
    replies = await client.exchange(m.Query("COPY (SELECT x FROM generate_series(1, 3000) g(x)) TO STDOUT"))
    lines = b"".join(bytes(reply.data) for reply in replies if isinstance(reply, m.CopyData)).split()
    assert lines == [str(number).encode() for number in range(1, 3001)]
    binary = "COPY (SELECT x, row_number() OVER () FROM generate_series(1, 2000) g(x)) TO STDOUT (FORMAT binary)"
    replies = await client.exchange(m.Query(binary))
    assert any(isinstance(reply, m.CommandComplete) and reply.command_tag == "COPY 2000" for reply in replies)


async def test_the_event_loop_is_free_while_the_engine_computes(server: Place, client: Conversation) -> None:
    await client.rows("SELECT count(*) FROM generate_series(1, 10)")
    held = 0.0
    done = False

    async def watch() -> None:
        nonlocal held
        while not done:
            began = time.thread_time()
            await asyncio.sleep(0.001)
            held = max(held, time.thread_time() - began)

    watching = asyncio.create_task(watch())
    other = await server.client()
    text = "SELECT sum(x % 7), count(md5(x::text)) FROM generate_series(1, 300000) g(x)"
    slow = asyncio.create_task(client.rows(text))
    answered = 0
    while not slow.done():
        assert await other.rows("SELECT b FROM t WHERE a = 1") == ["one"]
        answered += 1
        await asyncio.sleep(0.005)
    done = True
    await watching
    assert await slow == ["899998|300000"]
    assert answered > 10
    assert held < LOOP_HELD_S_MAX


async def test_more_statements_than_there_are_turns_all_get_theirs(server: Place, client: Conversation) -> None:
    clients = [client, *[await server.client() for _ in range(2 * ENGINE_STATEMENTS_MAX)]]
    text = "SELECT count(*) FROM generate_series(1, 200000) g(x)"
    assert await asyncio.gather(*(each.rows(text) for each in clients)) == [["200000"]] * len(clients)


async def test_text_that_is_long_and_strange_arrives(client: Conversation) -> None:
    strange = "é𝄞 \\ ' \" $1 \t" * 1000
    await client.run(f"INSERT INTO t VALUES (9, '{strange.replace(chr(39), chr(39) * 2)}')")
    replies = await client.exchange(m.Query("SELECT b, count(*) OVER () FROM t WHERE a = 9"))
    (row,) = [reply for reply in replies if isinstance(reply, m.DataRow)]
    assert bytes(row.values[0] or b"").decode() == strange


def test_a_driver_gets_typed_values(ours: psycopg.Connection[tuple[object, ...]]) -> None:
    with ours.cursor(binary=True) as cursor:
        cursor.execute("SELECT a, e, f, g, h, i, k, c, rank() OVER (ORDER BY a) FROM t WHERE a = %s", (1,))
        assert [type(value).__name__ for value in cursor.fetchone() or ()] == [
            "int", "Decimal", "datetime", "date", "UUID", "int", "float", "bool", "int"]
    with pytest.raises(psycopg.errors.FeatureNotSupported):
        ours.execute("SELECT row_number() OVER () FROM t FOR UPDATE")
