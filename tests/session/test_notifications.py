"""LISTEN and NOTIFY between sessions, and what is told of commits."""

from __future__ import annotations

import json

import pytest

from rocklake_server.limits import NOTIFICATIONS_WAITING_BYTES_MAX
from rocklake_server.wire import messages as m
from tests.session.conversation import Conversation, Place, line

SNAPSHOT_TABLES = (
    "CREATE TABLE ducklake_snapshot (snapshot_id BIGINT PRIMARY KEY, snapshot_time TIMESTAMPTZ, schema_version BIGINT, "
    "next_catalog_id BIGINT, next_file_id BIGINT)",
    "CREATE TABLE ducklake_snapshot_changes (snapshot_id BIGINT PRIMARY KEY, changes_made VARCHAR, author VARCHAR, "
    "commit_message VARCHAR, commit_extra_info VARCHAR)",
)


def told(client: Conversation) -> list[str]:
    """What came without being asked for."""
    return [line(message) for message in client.channel.taken()]


async def test_an_idle_session_is_told_at_once(server: Place, client: Conversation) -> None:
    listener = await server.client()
    await listener.run("LISTEN news")
    await client.run("NOTIFY news, 'one'", "BEGIN", "NOTIFY news, 'two'")
    assert told(listener) == ["told 1 news one"]
    await client.run("COMMIT")
    assert told(listener) == ["told 1 news two"]


async def test_a_session_in_a_block_is_told_when_it_ends(server: Place, client: Conversation) -> None:
    listener = await server.client()
    await listener.run("LISTEN news", "BEGIN")
    await client.run("NOTIFY news, 'one'", "NOTIFY news, 'two'")
    assert told(listener) == []
    assert await listener.query("SELECT 1") == ["columns ?column?:23", "row 1", "SELECT 1", "ready T"]
    assert await listener.query("COMMIT") == ["COMMIT", "told 1 news one", "told 1 news two", "ready I"]


async def test_a_failed_block_sends_nothing_and_is_told_all_the_same(server: Place, client: Conversation) -> None:
    listener = await server.client()
    await listener.run("LISTEN news", "BEGIN", "NOTIFY news, 'mine'")
    await listener.query("SELECT nothing")
    await client.run("NOTIFY news, 'theirs'")
    assert await listener.query("COMMIT") == ["ROLLBACK", "told 1 news theirs", "ready I"]


async def test_a_session_can_ask_where_it_listens(client: Conversation) -> None:
    await client.run("LISTEN news", "LISTEN weather", "BEGIN", "UNLISTEN news")
    assert await client.rows("SELECT pg_listening_channels()") == ["news", "weather"]
    await client.run("COMMIT")
    assert await client.rows("SELECT * FROM pg_listening_channels()") == ["weather"]


async def test_channels_are_of_a_database(server: Place, client: Conversation) -> None:
    await client.run("LISTEN news")
    server.databases.notifications.publish("another", [])
    assert server.databases.notifications.is_heard("lake", "news")
    assert not server.databases.notifications.is_heard("another", "news")


async def test_a_session_that_left_is_told_nothing(server: Place, client: Conversation) -> None:
    listener = await server.client()
    await listener.run("LISTEN news")
    await listener.leave()
    assert not server.databases.notifications.is_heard("lake", "news")
    assert await client.query("NOTIFY news") == ["NOTIFY", "ready I"]


async def test_a_session_that_lets_too_much_wait_is_ended(server: Place, client: Conversation) -> None:
    listener = await server.client()
    await listener.run("LISTEN news", "BEGIN", "CREATE TABLE kept (a int)")
    payload = "x" * 7000
    for number in range(NOTIFICATIONS_WAITING_BYTES_MAX // len(payload) + 1):
        await client.run(f"NOTIFY news, '{number} {payload}'")
    with pytest.raises(Exception, match="does not take its notifications"):
        await listener.task
    assert not server.databases.notifications.is_heard("lake", "news")


async def test_one_transaction_cannot_send_without_bound(client: Conversation) -> None:
    await client.run("BEGIN")
    replies: list[str] = []
    for number in range(NOTIFICATIONS_WAITING_BYTES_MAX // 7000 + 1):
        replies = await client.query(f"NOTIFY news, '{number} {'x' * 7000}'")
        if replies[0] != "NOTIFY":
            break
    assert replies == ["ERROR 53200", "ready E"]


# -- commits ----------------------------------------------------------------------------------------------------------


async def snapshot(client: Conversation, number: int, changes: str) -> None:
    await client.run(
        f"BEGIN; INSERT INTO ducklake_snapshot VALUES ({number}, now(), 0, 1, 1); "
        f"INSERT INTO ducklake_snapshot_changes VALUES ({number}, '{changes}', NULL, NULL, NULL); COMMIT"
    )


async def commits(listener: Conversation) -> list[dict[str, object]]:
    found = [message for message in listener.channel.taken() if isinstance(message, m.NotificationResponse)]
    assert all((message.process_id, message.channel) == (0, "rocklake_commits") for message in found)
    return [json.loads(message.payload) for message in found]


async def test_each_snapshot_is_told(server: Place, client: Conversation) -> None:
    listener = await server.client()
    await client.run(*SNAPSHOT_TABLES)
    await snapshot(client, 0, 'created_schema:"main"')
    await listener.run("LISTEN rocklake_commits")
    await snapshot(client, 1, 'created_table:"main"."naïve"')
    await client.run("UPDATE ducklake_snapshot_changes SET author = 'ada' WHERE snapshot_id = 1")
    await snapshot(client, 2, "inserted_into_table:1")
    assert await commits(listener) == [
        {"lake": "lake", "schema": "public", "snapshot": 1, "changes": 'created_table:"main"."naïve"'},
        {"lake": "lake", "schema": "public", "snapshot": 2, "changes": "inserted_into_table:1"},
    ]


async def test_what_is_told_can_be_read(server: Place, client: Conversation) -> None:
    listener = await server.client()
    await client.run(*SNAPSHOT_TABLES)
    await listener.run("LISTEN rocklake_commits")
    await snapshot(client, 0, "x")
    assert await listener.rows("SELECT max(snapshot_id) FROM ducklake_snapshot") == ["0"]


async def test_changes_that_are_too_long_are_left_out(server: Place, client: Conversation) -> None:
    listener = await server.client()
    await client.run(*SNAPSHOT_TABLES)
    await listener.run("LISTEN rocklake_commits")
    await snapshot(client, 0, "x" * 8000)
    assert await commits(listener) == [{"lake": "lake", "schema": "public", "snapshot": 0, "changes": None}]


async def test_a_commit_that_fails_is_not_told(server: Place, client: Conversation) -> None:
    listener = await server.client()
    await client.run(*SNAPSHOT_TABLES)
    await snapshot(client, 0, "x")
    await listener.run("LISTEN rocklake_commits")
    await client.query("BEGIN; INSERT INTO ducklake_snapshot VALUES (0, now(), 0, 1, 1); COMMIT")
    await client.query("ROLLBACK")
    await client.run("CREATE TABLE other (a int)", "INSERT INTO other VALUES (1)")
    assert await commits(listener) == []
