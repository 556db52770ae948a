"""Statements over a big relation: the event loop has its turns, and a cancellation is heard soon."""

from __future__ import annotations

import asyncio
import gc
import time
from collections.abc import AsyncIterator, Iterator

import pytest

from rocklake_server.wire import messages as m
from rocklake_server.wire.layout import encode
from tests.session.conversation import Conversation, line, place

ROWS = 30_000
HELD_S_MAX = 0.03
"""Processor time between two turns of the loop: it is 2 to 5 ms on a quiet machine, and hundreds where something is not
sliced. Garbage is not collected meanwhile, which holds the loop in one piece."""

CANCELLED_S_MAX = 2.0

LONG_JSON = "'[' || repeat('[1],', 50000) || '2]'"

STATEMENTS = {
    "filter": "SELECT a FROM big WHERE b LIKE '%77%'",
    "sort": "SELECT a, b FROM big ORDER BY b DESC, a",
    "sort and limit": "SELECT a FROM big ORDER BY c, b LIMIT 5",
    "group": "SELECT c, count(*), sum(a), min(b) FROM big GROUP BY c HAVING count(*) > 1",
    "one group": "SELECT sum(a), avg(a), max(b), string_agg(b, ',' ORDER BY a), bool_or(a = 1) FROM big",
    "count distinct": "SELECT count(DISTINCT b), array_agg(DISTINCT c) FROM big",
    "distinct": "SELECT DISTINCT c, b FROM big",
    "join": "SELECT count(*) FROM big x JOIN big y ON x.a = y.a LEFT JOIN big z ON z.b = x.b AND z.a > 7",
    "nested loop": "SELECT count(*) FROM big x, (SELECT a FROM big WHERE a < 20) y WHERE x.a > y.a",
    "union": "SELECT b FROM big UNION SELECT b FROM big EXCEPT SELECT 'x1'",
    "in a subquery": "SELECT count(*) FROM big WHERE a IN (SELECT a + 1 FROM big)",
    "correlated": "SELECT count(*) FROM big x WHERE x.a < 5 AND EXISTS (SELECT 1 FROM big y WHERE y.a = x.a + 29990)",
    "update": "UPDATE big SET b = b || 'y' WHERE a > 3",
    "update from": "UPDATE big SET b = o.b FROM (SELECT a, b FROM big) o WHERE o.a = big.a",
    "delete": "DELETE FROM big WHERE b LIKE 'x%'",
    "insert": "INSERT INTO big SELECT a + 1000000, b, c FROM big",
    "upsert": "INSERT INTO big SELECT * FROM big ON CONFLICT (a) DO UPDATE SET b = excluded.b",
    "copy": "COPY (SELECT b, a FROM big WHERE c > 3) TO STDOUT",
    "copy csv": "COPY (SELECT b, a FROM big WHERE c > 3) TO STDOUT CSV HEADER",
    "jsonb": f"SELECT length(({LONG_JSON})::jsonb::text)",
    "jsonb of a literal": f"SELECT length('{'[' + '[1],' * 50_000 + '2]'}'::jsonb::text)",
    "jsonb in the engine": f"SELECT length(({LONG_JSON})::jsonb::text), row_number() OVER ()",
    "jsonb in a filter": f"SELECT count(*) FROM big WHERE a < 10 AND ({LONG_JSON})::jsonb -> a::int IS NOT NULL",
    "length of a jsonb": f"SELECT jsonb_array_length(({LONG_JSON})::jsonb)",
    "objects": "SELECT length(('{\"a\": 0' || repeat(', \"b\": {\"c\": 1.50}', 30000) || '}')::jsonb::text)",
    "elements": f"SELECT count(*) FROM jsonb_array_elements(({LONG_JSON})::jsonb)",
    "to_jsonb": "SELECT length(to_jsonb(repeat('x', 900000))::text)",
    "containment": f"SELECT ({LONG_JSON})::jsonb @> '[[7]]', '[[7]]' <@ ({LONG_JSON})::jsonb",
}
"""Statements over ``big (a bigint primary key, b text, c int)``."""

ENDLESS = {
    "sort": "SELECT x.a FROM big x, big y ORDER BY x.b, y.b",
    "group": "SELECT x.c, count(*) FROM big x, big y GROUP BY x.c",
    "join": "SELECT count(*) FROM big x JOIN big y ON x.a + 0 > y.a",
    "distinct": "SELECT DISTINCT x.b FROM big x, big y",
    "correlated": "SELECT count(*) FROM big x WHERE EXISTS (SELECT 1 FROM big y WHERE y.b = x.b || 'never')",
    "in a subquery": "SELECT 1 WHERE 1 IN (SELECT x.a + y.a + 9 FROM big x, big y)",
    "update": "UPDATE big SET b = 'u' WHERE (SELECT count(*) FROM big y WHERE y.a <> big.a) = 1",
    "delete": "DELETE FROM big WHERE (SELECT count(*) FROM big y WHERE y.a <> big.a) = 1",
    "insert": "INSERT INTO big SELECT x.a, y.b, 1 FROM big x, big y WHERE x.a + y.a < 0",
    "copy": "COPY (SELECT x.b FROM big x, big y WHERE x.a + y.a < 0) TO STDOUT",
}
"""Statements that would take minutes."""


@pytest.fixture(scope="module")
def loop() -> Iterator[asyncio.AbstractEventLoop]:
    loop = asyncio.new_event_loop()
    yield loop
    loop.close()


@pytest.fixture(scope="module")
def big(loop: asyncio.AbstractEventLoop) -> Iterator[Conversation]:
    """A client in a place where ``big`` has ROWS rows."""

    async def filled() -> AsyncIterator[Conversation]:
        async with place() as server:
            client = await server.client()
            await client.run("CREATE TABLE big (a bigint PRIMARY KEY, b text, c int)")
            await client.exchange(m.Query("COPY big FROM STDIN"))
            rows = "".join(f"{number}\tx{number * 7919 % ROWS}\t{number % 97}\n" for number in range(ROWS))
            await client.exchange(m.CopyData(rows.encode()), m.CopyDone())
            assert await client.rows("SELECT count(*) FROM big") == [str(ROWS)]
            gc.collect()
            gc.freeze()
            yield client

    filling = filled()
    yield loop.run_until_complete(anext(filling))
    gc.unfreeze()
    loop.run_until_complete(filling.aclose())


async def _longest_hold_s(stop: asyncio.Event) -> float:
    """The most processor time that passes between two turns. It is of this thread, so other processes do not count."""
    longest = 0.0
    while not stop.is_set():
        before = time.thread_time()
        await asyncio.sleep(0)
        longest = max(longest, time.thread_time() - before)
    return longest


async def _held_by(client: Conversation, text: str) -> float:
    stop = asyncio.Event()
    probe = asyncio.create_task(_longest_hold_s(stop))
    gc.disable()
    try:
        client.channel.feed(encode(m.Query(text)))
        await client.channel.idle.wait()
        stop.set()
        held_s = await probe
    finally:
        gc.enable()
    replies = [line(reply) for reply in client.channel.taken()]
    assert not [reply for reply in replies if reply.startswith("ERROR")], text
    return held_s


@pytest.mark.parametrize("kind", STATEMENTS)
def test_a_statement_over_many_rows_does_not_hold_the_loop(
    loop: asyncio.AbstractEventLoop, big: Conversation, kind: str
) -> None:
    held_s = []
    while len(held_s) < 3 and (not held_s or held_s[-1] >= HELD_S_MAX):
        loop.run_until_complete(big.run("BEGIN"))
        try:
            held_s.append(loop.run_until_complete(_held_by(big, STATEMENTS[kind])))
        finally:
            loop.run_until_complete(big.run("ROLLBACK"))
    assert min(held_s) < HELD_S_MAX, held_s


@pytest.mark.parametrize("kind", ENDLESS)
def test_a_long_statement_is_cancelled_soon(
    loop: asyncio.AbstractEventLoop, big: Conversation, kind: str
) -> None:
    async def cancelled() -> tuple[list[str], float]:
        asyncio.get_running_loop().call_later(0.1, big.session.cancel)
        began = time.monotonic()
        return await big.query(ENDLESS[kind]), time.monotonic() - began

    replies, took_s = loop.run_until_complete(cancelled())
    assert replies[-2:] == ["ERROR 57014", "ready I"]
    assert 0.1 <= took_s < CANCELLED_S_MAX
    assert loop.run_until_complete(big.rows("SELECT count(*) FROM big")) == [str(ROWS)]


def test_statement_timeout_ends_what_computes(loop: asyncio.AbstractEventLoop, big: Conversation) -> None:
    loop.run_until_complete(big.run("SET statement_timeout = 100"))
    try:
        assert loop.run_until_complete(big.query(ENDLESS["sort"])) == ["ERROR 57014", "ready I"]
    finally:
        loop.run_until_complete(big.run("RESET statement_timeout"))
