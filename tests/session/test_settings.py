"""SET, SHOW, RESET, DISCARD and the settings that a client is told."""

from __future__ import annotations

import pytest

from rocklake_server.wire import messages as m
from tests.session.conversation import Conversation, Place, line, text_of


async def test_a_client_is_told_the_settings_it_relies_on(server: Place) -> None:
    client = await server.client(application_name="mine", datestyle="ISO")
    greeting = [line(message) for message in client.greeting if not isinstance(message, m.AuthenticationOk)]
    assert greeting[-1] == "ready I"
    for expected in (
        "server_encoding=UTF8", "client_encoding=UTF8", "DateStyle=ISO, MDY", "TimeZone=UTC", "integer_datetimes=on",
        "standard_conforming_strings=on", "application_name=mine", "IntervalStyle=postgres", "is_superuser=on",
    ):  # fmt: skip
        assert f"setting {expected}" in greeting


async def test_show_gives_one_row_and_show_all_every_setting(client: Conversation) -> None:
    assert await client.query("SHOW TimeZone") == ["columns TimeZone:25", "row UTC", "SHOW", "ready I"]
    rows = await client.rows("SHOW ALL")
    assert "statement_timeout|0|" in rows
    assert "transaction_isolation|read committed|" in rows


async def test_times_are_shown_with_a_unit(client: Conversation) -> None:
    for given, shown in (("1500", "1500ms"), ("'90 s'", "90s"), ("'2min'", "2min"), ("'1 d'", "1d"), ("0", "0")):
        await client.run(f"SET statement_timeout = {given}")
        assert await client.rows("SHOW statement_timeout") == [shown]


async def test_set_is_undone_by_rollback_and_kept_by_commit(client: Conversation) -> None:
    await client.run("BEGIN", "SET application_name = 'one'")
    assert await client.query("ROLLBACK") == ["ROLLBACK", "setting application_name=", "ready I"]
    await client.run("BEGIN", "SET application_name = 'two'", "COMMIT")
    assert await client.rows("SHOW application_name") == ["two"]


async def test_set_is_undone_with_the_text_that_failed(client: Conversation) -> None:
    assert await client.query("SET application_name = 'one'; SELECT nothing") == ["SET", "ERROR 42703", "ready I"]
    assert await client.rows("SHOW application_name") == [""]


async def test_set_is_undone_by_rollback_to_a_savepoint(client: Conversation) -> None:
    await client.run(
        "BEGIN", "SET a.b = '1'", "SAVEPOINT s", "SET a.b = '2'", "SET LOCAL lock_timeout = 5", "ROLLBACK TO s"
    )
    assert await client.rows("SHOW a.b") == ["1"]
    assert await client.rows("SHOW lock_timeout") == ["0"]
    await client.run("SET a.b = '3'", "RELEASE s", "COMMIT")
    assert await client.rows("SHOW a.b") == ["3"]


async def test_set_local_ends_with_the_block(client: Conversation) -> None:
    assert await client.query("SET LOCAL a.b = '1'") == ["WARNING 25P01", "SET", "ready I"]
    await client.run("SET a.b = '1'", "BEGIN", "SET LOCAL a.b = '2'")
    assert await client.rows("SELECT current_setting('a.b')") == ["2"]
    await client.run("COMMIT")
    assert await client.rows("SELECT current_setting('a.b')") == ["1"]


async def test_set_config_does_what_set_does(client: Conversation) -> None:
    assert await client.rows("SELECT set_config('application_name', 'x', false)") == ["x"]
    assert await client.rows("SHOW application_name") == ["x"]
    await client.run("BEGIN READ WRITE", "SELECT set_config('transaction_read_only', 'on', true)")
    assert await client.query("CREATE TABLE t (a int)") == ["ERROR 25006", "ready E"]


async def test_reset_gives_the_clients_own_start_value(server: Place) -> None:
    client = await server.client(application_name="start")
    await client.run("SET application_name = 'other'", "RESET application_name")
    assert await client.rows("SHOW application_name") == ["start"]
    await client.run("SET application_name = 'other'", "SET application_name TO DEFAULT")
    assert await client.rows("SHOW application_name") == ["start"]
    await client.run("SET application_name = 'other'", "SET statement_timeout = 7", "RESET ALL")
    assert await client.rows("SHOW application_name") == ["start"]
    assert await client.rows("SHOW statement_timeout") == ["0"]


@pytest.mark.parametrize(
    ("text", "sqlstate"),
    [
        ("SET nothing = 1", "42704"),
        ("SHOW nothing", "42704"),
        ("RESET nothing", "42704"),
        ("SET server_version = '1'", "55P02"),
        ("SET timezone = 'Europe/Atlantis'", "22023"),
        ("SET datestyle = 'German'", "22023"),
        ("SET datestyle = 'ISO, DMY'", "22023"),
        ("SET client_encoding = 'latin1'", "22023"),
        ("SET statement_timeout = 'soon'", "22023"),
        ("SET search_path = elsewhere", "22023"),
        ("SET standard_conforming_strings = off", "22023"),
        ("SET client_min_messages = loud", "22023"),
        ("SET statement_timeout = '25d'", "22023"),
        ("SET statement_timeout = -1", "22023"),
        ("SET extra_float_digits = 0", "22023"),
        ("SET bytea_output = escape", "22023"),
        ("SET transaction_isolation = 'chaos'", "22023"),
        ("RESET transaction_isolation", "0A000"),
    ],
)
async def test_what_has_no_effect_is_refused(client: Conversation, text: str, sqlstate: str) -> None:
    assert await client.query(text) == [f"ERROR {sqlstate}", "ready I"]


async def test_notices_come_as_the_client_wants_them(client: Conversation) -> None:
    assert await client.query("DROP TABLE IF EXISTS t") == ["NOTICE 00000", "DROP TABLE", "ready I"]
    await client.run("SET client_min_messages = warning")
    assert await client.query("DROP TABLE IF EXISTS t") == ["DROP TABLE", "ready I"]
    assert await client.query("COMMIT") == ["WARNING 25P01", "COMMIT", "ready I"]
    await client.run("SET client_min_messages = error")
    assert await client.query("COMMIT") == ["COMMIT", "ready I"]


async def test_discard_all_leaves_a_session_as_new(client: Conversation) -> None:
    await client.run("CREATE TEMP TABLE mine (a int)", "SET application_name = 'x'")
    assert await client.say(m.Parse("p", "SELECT 1", ()), m.Sync()) == ["parsed", "ready I"]
    assert await client.query("DISCARD ALL") == ["DISCARD ALL", "setting application_name=", "ready I"]
    assert await client.query("SELECT * FROM mine") == ["ERROR 42P01", "ready I"]
    assert await client.say(m.Describe("S", "p"), m.Sync()) == ["ERROR 26000", "ready I"]
    await client.run("CREATE TEMP TABLE mine (b int)")


async def test_discard_all_cannot_be_part_of_a_transaction(client: Conversation) -> None:
    await client.run("BEGIN")
    replies = await client.exchange(m.Query("DISCARD ALL"))
    assert text_of(replies) == "DISCARD ALL cannot run inside a transaction block"
    assert [line(reply) for reply in replies] == ["ERROR 25001", "ready E"]
    await client.run("ROLLBACK")
    assert (await client.query("SELECT 1; DISCARD ALL"))[-2:] == ["ERROR 25001", "ready I"]


async def test_the_other_discards_and_deallocate(client: Conversation) -> None:
    await client.run("CREATE TEMP TABLE mine (a int)")
    assert await client.query("DISCARD PLANS; DISCARD SEQUENCES") == ["DISCARD PLANS", "DISCARD SEQUENCES", "ready I"]
    assert await client.query("DISCARD TEMP") == ["DISCARD TEMP", "ready I"]
    assert await client.query("SELECT * FROM mine") == ["ERROR 42P01", "ready I"]
    await client.say(m.Parse("p", "SELECT 1", ()), m.Parse("q", "SELECT 1", ()), m.Sync())
    assert await client.query("DEALLOCATE p") == ["DEALLOCATE", "ready I"]
    assert await client.query("DEALLOCATE p") == ["ERROR 26000", "ready I"]
    assert await client.query("DEALLOCATE ALL") == ["DEALLOCATE ALL", "ready I"]
    assert await client.query("DEALLOCATE q") == ["ERROR 26000", "ready I"]


async def test_maintenance_says_that_it_has_nothing_to_do(client: Conversation) -> None:
    for text in ("ANALYZE", "VACUUM", "CHECKPOINT"):
        assert await client.query(text) == ["NOTICE 00000", text, "ready I"]
