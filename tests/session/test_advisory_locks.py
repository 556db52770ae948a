"""Advisory locks between sessions."""

from __future__ import annotations

import asyncio

import pytest

from rocklake_server.wire import messages as m
from tests.session.conversation import Conversation, Place


async def begun(client: Conversation, text: str) -> asyncio.Task[list[str]]:
    """A query that has to wait."""
    task = asyncio.create_task(client.query(text))
    for _ in range(5):
        await asyncio.sleep(0)
    assert not task.done()
    return task


LOCKED = ["columns pg_advisory_lock:2278", "row ", "SELECT 1", "ready I"]


async def value(client: Conversation, text: str) -> str:
    (row,) = await client.rows(f"SELECT {text}")
    return row


async def test_a_lock_is_waited_for(server: Place, client: Conversation) -> None:
    other = await server.client()
    await client.run("SELECT pg_advisory_lock(7)", "SELECT pg_advisory_lock(7)")
    assert await value(other, "pg_try_advisory_lock(7)") == "f"
    waiting = await begun(other, "SELECT pg_advisory_lock(7)")
    assert await value(client, "pg_advisory_unlock(7)") == "t"
    await asyncio.sleep(0)
    assert not waiting.done()
    assert await value(client, "pg_advisory_unlock(7)") == "t"
    assert await waiting == LOCKED
    assert await value(client, "pg_try_advisory_lock(7)") == "f"


async def test_shared_locks_go_together(server: Place, client: Conversation) -> None:
    other, third = await server.client(), await server.client()
    await client.run("SELECT pg_advisory_lock_shared(7)")
    await other.run("SELECT pg_advisory_lock_shared(7)")
    waiting = await begun(third, "SELECT pg_advisory_lock(7)")
    assert await value(client, "pg_try_advisory_lock_shared(7)") == "t"
    fourth = await server.client()
    assert await value(fourth, "pg_try_advisory_lock_shared(7)") == "f"
    await client.run("SELECT pg_advisory_unlock_all()")
    await other.run("SELECT pg_advisory_unlock_shared(7)")
    assert await waiting == LOCKED


async def test_keys_of_one_bigint_and_of_two_integers_differ(server: Place, client: Conversation) -> None:
    other = await server.client()
    await client.run("SELECT pg_advisory_lock(4294967298)")
    assert await value(other, "pg_try_advisory_lock(1, 2)") == "t"
    assert await value(other, "pg_try_advisory_lock(4294967298)") == "f"


async def test_a_transactions_locks_end_with_it(server: Place, client: Conversation) -> None:
    other = await server.client()
    for end in ("COMMIT", "ROLLBACK"):
        await client.run("BEGIN", "SELECT pg_advisory_xact_lock(7)")
        assert await value(other, "pg_try_advisory_lock(7)") == "f"
        await client.run(end)
        assert await value(other, "pg_try_advisory_lock(7)") == "t"
        await other.run("SELECT pg_advisory_unlock(7)")
    await client.run("SELECT pg_advisory_xact_lock(7)")
    assert await value(other, "pg_try_advisory_lock(7)") == "t"


async def test_a_rollback_to_a_savepoint_gives_back_what_was_locked_since(server: Place, client: Conversation) -> None:
    other = await server.client()
    await client.run("BEGIN", "SELECT pg_advisory_xact_lock(1)", "SAVEPOINT s", "SELECT pg_advisory_xact_lock(1)",
                     "SELECT pg_advisory_xact_lock(2)", "SELECT pg_advisory_lock(3)", "ROLLBACK TO s")
    taken = [await value(other, f"pg_try_advisory_lock({key})") for key in (1, 2, 3)]
    assert taken == ["f", "t", "f"]


async def test_a_failed_block_keeps_its_sessions_locks_only(server: Place, client: Conversation) -> None:
    other = await server.client()
    await client.run("BEGIN", "SELECT pg_advisory_xact_lock(1)", "SELECT pg_advisory_lock(2)")
    await client.query("SELECT nothing")
    assert [await value(other, f"pg_try_advisory_lock({key})") for key in (1, 2)] == ["t", "f"]


async def test_a_session_that_leaves_lets_go(server: Place, client: Conversation) -> None:
    other = await server.client()
    await client.run("SELECT pg_advisory_lock(7)")
    waiting = await begun(other, "SELECT pg_advisory_lock(7)")
    await client.leave()
    assert await waiting == LOCKED


async def test_a_wait_that_is_cancelled_leaves_nothing_behind(server: Place, client: Conversation) -> None:
    other, third = await server.client(), await server.client()
    await client.run("SELECT pg_advisory_lock(7)")
    waiting = await begun(other, "SELECT pg_advisory_lock(7)")
    behind = await begun(third, "SELECT pg_advisory_lock_shared(7)")
    assert await value(client, "pg_cancel_backend(2)") == "t"
    assert await waiting == ["ERROR 57014", "ready I"]
    await client.run("SELECT pg_advisory_unlock(7)")
    assert (await behind)[-1] == "ready I"
    assert await value(other, "count(*) FROM pg_locks WHERE NOT granted") == "0"


async def test_a_wait_ends_after_lock_timeout(server: Place, client: Conversation) -> None:
    other = await server.client()
    await client.run("SELECT pg_advisory_lock(7)")
    await other.run("SET lock_timeout = 20")
    assert await other.query("SELECT pg_advisory_lock(7)") == ["ERROR 55P03", "ready I"]
    await client.run("SELECT pg_advisory_unlock(7)")
    assert await other.query("SELECT pg_advisory_lock(7)") == LOCKED


@pytest.mark.parametrize("kind", ["session", "transaction"])
async def test_a_deadlock_is_found(server: Place, table: Conversation, kind: str) -> None:
    client, other = table, await server.client()
    lock = "pg_advisory_lock" if kind == "session" else "pg_advisory_xact_lock"
    for each, key in ((client, 1), (other, 2)):
        await each.run("BEGIN", f"SELECT {lock}({key})")
    waiting = await begun(client, f"SELECT {lock}(2)")
    assert await other.query(f"SELECT {lock}(1)") == ["ERROR 40P01", "ready E"]
    if kind == "session":
        await other.run("ROLLBACK", "SELECT pg_advisory_unlock_all()")
    assert (await waiting)[-2:] == ["SELECT 1", "ready T"]


async def test_a_deadlock_of_a_lock_and_a_primary_key_is_found(server: Place, table: Conversation) -> None:
    other = await server.client()
    await table.run("BEGIN", "INSERT INTO t VALUES (9, 'x')")
    await other.run("BEGIN", "SELECT pg_advisory_lock(1)")
    waiting = await begun(other, "INSERT INTO t VALUES (9, 'y')")
    assert await table.query("SELECT pg_advisory_lock(1)") == ["ERROR 40P01", "ready E"]
    assert (await waiting)[-1] == "ready T"


async def test_more_of_a_lock_goes_before_those_who_wait(server: Place, client: Conversation) -> None:
    other = await server.client()
    await client.run("SELECT pg_advisory_lock_shared(7)")
    waiting = await begun(other, "SELECT pg_advisory_lock(7)")
    assert (await client.query("SELECT pg_advisory_lock(7)")) == LOCKED
    await client.run("SELECT pg_advisory_unlock_all()")
    assert await waiting == LOCKED


async def test_a_lock_for_every_row(table: Conversation) -> None:
    await table.run("SELECT pg_advisory_lock(a) FROM t", "SELECT pg_advisory_lock(99) FROM t WHERE a > 100")
    shown = await table.rows("SELECT objid, mode FROM pg_locks WHERE locktype = 'advisory' ORDER BY objid")
    assert shown == ["1|ExclusiveLock", "2|ExclusiveLock"]


async def test_waits_are_shown(server: Place, table: Conversation) -> None:
    other, third = await server.client(), await server.client()
    await table.run("BEGIN", "INSERT INTO t VALUES (9, 'x')", "SELECT pg_advisory_lock(5)")
    keyed = await begun(other, "INSERT INTO t VALUES (9, 'y')")
    advised = await begun(third, "SELECT pg_advisory_lock_shared(5)")
    assert await table.rows("SELECT pid, locktype, mode FROM pg_locks WHERE NOT granted ORDER BY pid") == [
        "2|virtualxid|ShareLock", "3|advisory|ShareLock",
    ]  # fmt: skip
    blocked = await table.rows(
        "SELECT waiter.pid, holder.pid FROM pg_locks waiter JOIN pg_locks holder ON waiter.locktype = holder.locktype "
        "AND waiter.virtualxid IS NOT DISTINCT FROM holder.virtualxid "
        "AND waiter.objid IS NOT DISTINCT FROM holder.objid AND holder.granted WHERE NOT waiter.granted ORDER BY 1"
    )
    assert blocked == ["2|1", "3|1"]
    assert await value(table, "pg_blocking_pids(2), pg_blocking_pids(3), pg_blocking_pids(1)") == "{1}|{1}|{}"
    written = "SELECT mode, relation = 't'::regclass FROM pg_locks WHERE pid = 1 AND locktype = 'relation'"
    assert await table.rows(written) == ["RowExclusiveLock|t"]
    shown = await table.rows("SELECT pid, wait_event_type, wait_event, state FROM pg_stat_activity ORDER BY pid")
    assert shown == ["1|NULL|NULL|active", "2|Lock|virtualxid|active", "3|Lock|advisory|active"]
    await table.run("SELECT pg_advisory_unlock(5)", "ROLLBACK")
    for task in (keyed, advised):
        assert (await task)[-1] == "ready I"


async def test_a_lock_by_the_extended_protocol_is_waited_for(server: Place, client: Conversation) -> None:
    other = await server.client()
    await client.run("SELECT pg_advisory_lock(7)")
    messages = (m.Parse("", "SELECT pg_advisory_lock($1)", (20,)), m.Bind("", "", (), (b"7",), ()), m.Execute("", 0))
    task = asyncio.create_task(other.say(*messages, m.Sync()))
    for _ in range(5):
        await asyncio.sleep(0)
    await client.run("SELECT pg_advisory_unlock(7)")
    assert await task == ["parsed", "bound", "row ", "SELECT 1", "ready I"]
