"""Statements are counted by kind as they are answered; slow ones are logged without their values."""

from __future__ import annotations

import logging
import typing
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rocklake_server.activity import Activity
from rocklake_server.session.statement_meter import KINDS, SLOW_TEXT_CHARACTERS_MAX, StatementMeter, shown
from rocklake_server.sql import statements as sql
from rocklake_server.sql.parse import parse_statement, parse_statements
from rocklake_server.wire import messages as m
from tests.session.conversation import Conversation, place

LOGGER = "rocklake_server.session.statement_meter"
FILE_KEY = "cGFycXVldCBmaWxlIGtleQ"


@asynccontextmanager
async def metered(slow_s: float | None = None) -> AsyncIterator[tuple[Conversation, Activity]]:
    async with place() as opened:
        activity = opened.databases.activity
        opened.meter = StatementMeter(activity, slow_s)
        yield await opened.client(), activity


def counted(activity: Activity) -> dict[str, int]:
    return {kind: times.count for kind, times in activity.statements.items() if times.count}


def test_every_statement_has_a_kind() -> None:
    assert set(KINDS) == {*sql.QueryKind, *typing.get_args(sql.UtilityStatement)}


async def test_each_statement_of_a_text_is_counted() -> None:
    async with metered() as (client, activity):
        await client.run("CREATE TABLE t (a bigint PRIMARY KEY)")
        await client.run("BEGIN; INSERT INTO t VALUES (1); SELECT * FROM t; COMMIT")
        await client.run("COPY (SELECT a FROM t) TO STDOUT", "SET lock_timeout = 0", "SELECT 1", "")
    assert counted(activity) == {
        "ddl": 1, "begin": 1, "insert": 1, "select": 2, "commit": 1, "copy_out": 1, "setting": 1,
    }  # fmt: skip
    times = activity.statements["insert"]
    assert 0 < times.sum < 10


async def test_an_execute_message_is_a_statement() -> None:
    async with metered() as (client, activity):
        await client.say(
            m.Parse("", "SELECT 1", ()), m.Bind("", "", (), (), ()), m.Describe("P", ""), m.Execute("", 0), m.Sync()
        )
        assert counted(activity) == {"select": 1}
        await client.say(m.Parse("", "", ()), m.Bind("", "", (), (), ()), m.Execute("", 0), m.Sync())
    assert counted(activity) == {"select": 1}


async def test_what_fails_is_counted_by_its_error_alone() -> None:
    async with metered() as (client, activity):
        assert "ERROR 42P01" in await client.query("SELECT 1; SELECT * FROM missing; SELECT 2")
    assert (counted(activity), activity.errors) == ({"select": 1}, {"42P01": 1})


async def test_commits_and_their_groups_are_counted() -> None:
    async with metered() as (client, activity):
        await client.run("CREATE TABLE t (a bigint)", "INSERT INTO t VALUES (1)", "SELECT * FROM t")
        await client.query("BEGIN; INSERT INTO t VALUES (2); ROLLBACK")
    assert (activity.commits.count, activity.groups.count, activity.groups.sum) == (2, 2, 2)
    assert activity.store_writes.count == 2
    assert activity.store_write_failures == 0


# -- the slow statement log -------------------------------------------------------------------------------------------


async def test_a_slow_statement_is_logged_with_its_session(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.WARNING, LOGGER)
    async with metered(slow_s=0.0) as (client, _):
        await client.run("SELECT 'hidden'")
    (record,) = caplog.records
    assert record.getMessage().endswith("ms in session 1 of database 'lake': SELECT ?")


@pytest.mark.parametrize("extended", [False, True], ids=["simple", "extended"])
async def test_a_slow_statement_that_fails_is_logged_too(
    caplog: pytest.LogCaptureFixture, extended: bool
) -> None:
    caplog.set_level(logging.WARNING, LOGGER)
    text = "SELECT 1 / (1 - a) FROM (VALUES (1)) AS v (a)"
    async with metered(slow_s=0.0) as (client, activity):
        if extended:
            replies = await client.say(
                m.Parse("", text, ()), m.Bind("", "", (), (), ()), m.Describe("P", ""), m.Execute("", 0), m.Sync()
            )
        else:
            replies = await client.query(text)
        assert "ERROR 22012" in replies
        assert "ERROR 26000" in await client.say(m.Bind("", "missing", (), (), ()), m.Sync())
    (record,) = caplog.records
    assert "ms until it failed in session 1 of database 'lake': SELECT ? / " in record.getMessage()
    assert activity.errors == {"22012": 1, "26000": 1}


async def test_a_statement_that_is_quick_enough_is_not_logged(caplog: pytest.LogCaptureFixture) -> None:
    for slow_s in (None, 60.0):
        async with metered(slow_s=slow_s) as (client, _):
            await client.run("SELECT 'hidden'")
    assert [record for record in caplog.records if record.name == LOGGER] == []


SECRETIVE = [
    f"INSERT INTO ducklake_data_file (data_file_id, encryption_key) VALUES (1, '{FILE_KEY}')",
    f"UPDATE ducklake_data_file SET encryption_key = E'{FILE_KEY}\\n' WHERE data_file_id = 1",
    f"INSERT INTO t VALUES (1, $tag${FILE_KEY}$tag$)",
    f"SELECT 1 /* {FILE_KEY} */",
    f"SELECT 1 -- {FILE_KEY}\n",
    f"SELECT ARRAY['{FILE_KEY}']",
    f"SELECT * FROM t WHERE a IN ('{FILE_KEY}', 'b')",
    f"COPY (SELECT a FROM t WHERE b = '{FILE_KEY}') TO STDOUT",
    f"SET application_name = '{FILE_KEY}'",
    f"NOTIFY channel, '{FILE_KEY}'",
    f"INSERT INTO t VALUES {', '.join(['(1)'] * 10_000)}, ('{FILE_KEY}')",
]


@pytest.mark.parametrize("text", SECRETIVE, ids=range(len(SECRETIVE)))
def test_no_value_is_shown(text: str) -> None:
    words = shown(parse_statement(text))
    assert FILE_KEY not in words
    assert words
    assert len(words) < SLOW_TEXT_CHARACTERS_MAX + 20


def texts_around(value: str) -> Iterator[str]:
    quoted = value.replace("'", "''")
    yield f"INSERT INTO ducklake_data_file VALUES (1, '{quoted}', NULL)"
    yield f"SELECT a FROM t WHERE b = '{quoted}' AND c[1] = '{quoted}'"
    yield f"INSERT INTO a VALUES ('{quoted}'); UPDATE b SET c = '{quoted}'"


@given(st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=30))
def test_no_value_is_shown_whatever_it_is(value: str) -> None:
    marked = f"{FILE_KEY}{value}{FILE_KEY}"
    for text in texts_around(marked):
        for statement in parse_statements(text):
            assert FILE_KEY not in shown(statement)


def test_the_structure_is_shown_on_one_line_and_cut() -> None:
    assert shown(parse_statement("SELECT a,\n  b FROM t\nWHERE c = 17")) == "SELECT a, b FROM t WHERE c = ?"
    copy = parse_statement("COPY (SELECT a FROM t WHERE b = 'x') TO STDOUT")
    assert shown(copy) == "COPY (SELECT a FROM t WHERE b = ?)"
    columns = ", ".join(f"column_{letter * 20}" for letter in "abcdefghijklmnopqrstuvwxyz")
    words = shown(parse_statement(f"SELECT {columns} FROM t"))
    assert (len(words), words[-1]) == (SLOW_TEXT_CHARACTERS_MAX + 1, "…")
