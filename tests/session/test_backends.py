"""Sessions as they see each other: pg_stat_activity, cancellation and termination."""

from __future__ import annotations

import asyncio

import pytest

from rocklake_server.auth.roles import Privilege, RoleChange, RoleTable
from rocklake_server.errors import AdminShutdown
from rocklake_server.wire import messages as m
from tests.session.conversation import Conversation, Place

ACTIVITY = "SELECT pid, state, wait_event, query FROM pg_stat_activity ORDER BY pid"


async def test_every_session_is_shown_with_what_it_does(server: Place, client: Conversation) -> None:
    idle, blocked = await server.client(), await server.client(application_name="tool")
    await idle.run("SELECT 1")
    await blocked.run("BEGIN", "SELECT 2")
    await blocked.query("SELECT nothing")
    assert await client.rows(ACTIVITY) == [
        f"1|active|NULL|{ACTIVITY}",
        "2|idle|ClientRead|SELECT 1",
        "3|idle in transaction (aborted)|ClientRead|SELECT nothing",
    ]
    assert await client.rows(
        "SELECT datname, usename, application_name, datid IS NOT NULL, backend_type, xact_start IS NULL "
        "FROM pg_stat_activity WHERE pid > 1 ORDER BY pid"
    ) == ["lake|ada||t|client backend|t", "lake|ada|tool|t|client backend|f"]


def roles() -> RoleTable:
    """Ada and Bob are writers, Carl administers the lake, Root everything."""
    table = RoleTable().created("root", RoleChange(superuser=True), b"secret")
    for name, held in (("ada", Privilege.WRITER), ("bob", Privilege.WRITER), ("carl", Privilege.ADMIN)):
        table = table.created(name, RoleChange(), b"").granted(name, "lake", frozenset({held}))
    return table


async def test_what_others_ask_is_for_those_over_them(server: Place, client: Conversation) -> None:
    server.databases.directory.roles.replace(roles())
    bob, carl, root = [await server.client(user=name) for name in ("bob", "carl", "root")]
    await bob.run("SELECT 'of bob'")
    shown = "SELECT query FROM pg_stat_activity WHERE usename = 'bob'"
    assert await client.rows(shown) == ["<insufficient privilege>"]
    assert await carl.rows(shown) == await root.rows(shown) == ["SELECT 'of bob'"]
    assert await bob.rows("SELECT state FROM pg_stat_activity WHERE usename = 'bob'") == ["active"]


@pytest.mark.parametrize("function", ["pg_cancel_backend", "pg_terminate_backend"])
async def test_nobody_ends_what_those_over_him_do(server: Place, client: Conversation, function: str) -> None:
    server.databases.directory.roles.replace(roles())
    others = {name: await server.client(user=name) for name in ("bob", "carl", "root")}
    for name in ("bob", "carl", "root"):
        assert await client.query(f"SELECT {function}({others[name].session.process_id})") == [
            "ERROR 42501", "ready I"], name
    assert await others["carl"].query(f"SELECT {function}({others['root'].session.process_id})") == [
        "ERROR 42501", "ready I"]
    assert await others["carl"].rows(f"SELECT {function}({others['bob'].session.process_id})") == ["t"]
    assert await others["root"].rows(f"SELECT {function}({others['carl'].session.process_id})") == ["t"]


async def test_privileges_of_columns_and_memberships_are_told(server: Place, client: Conversation) -> None:
    server.databases.directory.roles.replace(roles())
    await client.run("CREATE TABLE t(a INTEGER)")
    assert await client.rows(
        "SELECT has_column_privilege('t', 'a', 'SELECT'), has_column_privilege('root', 't', 'a', 'UPDATE'), "
        "has_column_privilege('t', 'a', 'UPDATE WITH GRANT OPTION'), pg_has_role('bob', 'USAGE'), "
        "pg_has_role('ada', 'USAGE'), pg_has_role('root', 'bob', 'MEMBER')"
    ) == ["t|t|f|f|t|t"]


async def test_times_go_forward(server: Place, client: Conversation) -> None:
    other = await server.client()
    await other.run("BEGIN", "SELECT 1")
    assert await client.rows(
        "SELECT backend_start <= query_start, query_start <= state_change, xact_start IS NOT NULL "
        "FROM pg_stat_activity WHERE pid = 2"
    ) == ["t|t|t"]
    assert await client.rows("SELECT query_start IS NOT NULL FROM pg_stat_activity WHERE pid = 1") == ["t"]


async def test_a_statement_of_the_extended_protocol_is_shown(server: Place, client: Conversation) -> None:
    other = await server.client()
    await other.say(m.Parse("p", "SELECT 41", ()), m.Parse("q", "SELECT 42", ()), m.Sync())
    await other.say(m.Bind("", "p", (), (), ()), m.Execute("", 0), m.Sync())
    assert await client.rows("SELECT query FROM pg_stat_activity WHERE pid = 2") == ["SELECT 41"]


async def test_long_statements_are_cut(server: Place, client: Conversation) -> None:
    other = await server.client()
    await other.run("SELECT 1 -- " + "x" * 5000)
    assert await client.rows("SELECT length(query) FROM pg_stat_activity WHERE pid = 2") == ["1024"]


async def test_a_session_that_left_is_not_shown(server: Place, client: Conversation) -> None:
    other = await server.client()
    await other.leave()
    assert await client.rows("SELECT pid FROM pg_stat_activity") == ["1"]


async def test_results_about_the_server_are_not_kept(server: Place, client: Conversation) -> None:
    counted = "SELECT count(*) FROM pg_stat_activity"
    assert await client.rows(counted) == ["1"]
    await server.client()
    assert await client.rows(counted) == ["2"]


async def test_a_statement_of_another_session_is_cancelled(server: Place, client: Conversation) -> None:
    other = await server.client()
    sleeping = asyncio.create_task(other.query("SELECT pg_sleep(60)"))
    await asyncio.sleep(0.01)
    assert await client.rows("SELECT pg_cancel_backend(2)") == ["t"]
    assert await sleeping == ["ERROR 57014", "ready I"]
    assert await client.rows("SELECT pg_cancel_backend(2)") == ["t"]
    assert await other.rows("SELECT 1") == ["1"]


async def test_ones_own_statement_is_cancelled(client: Conversation) -> None:
    assert await client.query("SELECT pg_cancel_backend(pg_backend_pid())") == ["ERROR 57014", "ready I"]
    assert await client.rows("SELECT 1") == ["1"]


async def test_another_session_is_ended_whatever_it_does(server: Place, client: Conversation) -> None:
    idle, blocked, busy = [await server.client() for _ in range(3)]
    await blocked.run("BEGIN", "CREATE TABLE gone (a int)")
    running = asyncio.create_task(busy.query("SELECT pg_sleep(60)"))
    await asyncio.sleep(0.01)
    assert await client.rows("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid > 1") == ["t"] * 3
    for one in (idle, blocked, busy):
        done = await asyncio.gather(one.task, return_exceptions=True)
        assert isinstance(done[0], AdminShutdown)
    await running
    assert await client.rows("SELECT pid FROM pg_stat_activity") == ["1"]
    assert await client.query("SELECT * FROM gone") == ["ERROR 42P01", "ready I"]


async def test_ones_own_session_is_ended(client: Conversation) -> None:
    assert await client.query("SELECT pg_terminate_backend(pg_backend_pid())") == ["FATAL 57P01"]
    await client.task


async def test_sleep_holds_up_nobody(server: Place, client: Conversation) -> None:
    other = await server.client()
    sleeping = asyncio.create_task(client.query("SELECT pg_sleep(0.05), pg_sleep(NULL), pg_sleep(-1)"))
    await asyncio.sleep(0)
    assert await other.rows("SELECT 1") == ["1"]
    assert (await sleeping)[1:] == ["row |NULL|", "SELECT 1", "ready I"]


async def test_maintenance_takes_tables_and_options(client: Conversation) -> None:
    await client.run("CREATE TABLE t (a int)")
    for text in ("ANALYZE t", "ANALYZE (VERBOSE) t (a)", "VACUUM (FULL, ANALYZE off) t", "VACUUM FULL ANALYZE t"):
        assert await client.query(text) == ["NOTICE 00000", text.split()[0], "ready I"]
