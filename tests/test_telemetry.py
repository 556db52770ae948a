"""Log lines: for people or as JSON, each with the id of the request that it belongs to, and none with users' data."""

from __future__ import annotations

import asyncio
import json
import logging
import re
from collections.abc import Iterator

import pytest

from rocklake_server.catalog.databases import Databases
from rocklake_server.config import server_settings
from rocklake_server.errors import InvalidParameterValue
from rocklake_server.plan.cache import PlanCache
from rocklake_server.session.statement_meter import StatementMeter
from rocklake_server.telemetry import (
    FORMATS,
    Request,
    apart,
    begin_requests,
    configure_logging,
    current_request,
    on_behalf_of,
)
from rocklake_server.wire import messages as m
from tests.catalog.engine import Engine
from tests.session.conversation import Conversation

logger = logging.getLogger("rocklake_server.somewhere")
ID = re.compile(r"[0-9a-f]{6}-\d+-\d+")


class Log:
    """What was written to standard error."""

    def __init__(self, captured: pytest.CaptureFixture[str]) -> None:
        self._captured = captured
        self._text = ""

    @property
    def text(self) -> str:
        self._text += self._captured.readouterr().err
        return self._text


@pytest.fixture
def log(capsys: pytest.CaptureFixture[str]) -> Iterator[Log]:
    """Logging is as it was afterwards."""
    root = logging.getLogger()
    before = root.level, list(root.handlers)
    yield Log(capsys)
    root.handlers[:] = before[1]
    root.setLevel(before[0])


def lines(log: Log) -> list[dict[str, object]]:
    return [json.loads(line) for line in log.text.splitlines()]


def told(log: Log, event: str) -> list[dict[str, object]]:
    return [line for line in lines(log) if str(line["event"]).startswith(event)]


# -- formats ----------------------------------------------------------------------------------------------------------


def test_a_line_of_json_has_fields(log: Log) -> None:
    configure_logging("info", "json")
    with on_behalf_of(Request(7)):
        logger.warning("lake %d is %s", 3, "closed", extra={"lake": 3})
    logger.debug("nobody wants this")
    (line,) = lines(log)
    assert (line["event"], line["level"], line["logger"]) == ("lake 3 is closed", "warning", logger.name)
    assert line["lake"] == 3
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z", str(line["timestamp"]))
    assert re.fullmatch(r"[0-9a-f]{6}-7-1", str(line["request"]))


def test_a_traceback_is_one_line_of_json_without_the_values_of_variables(log: Log) -> None:
    configure_logging("info", "json")
    hidden = "a value of " + "somebody"
    try:
        int(hidden[1:0] or "-")
    except ValueError:
        logger.exception("that failed")
    (line,) = lines(log)
    assert "ValueError: invalid literal" in str(line["exception"])
    assert hidden not in log.text


def test_a_line_for_people_has_the_request_too(log: Log) -> None:
    configure_logging("info", "console")
    with on_behalf_of(Request(7)):
        logger.warning("lake %d is closed", 3, extra={"lake": 3})
    (line,) = log.text.splitlines()
    assert "warning" in line
    assert "lake 3 is closed" in line
    assert ID.search(line)
    assert "\x1b" not in line, "no colours where nobody sees them"


def test_a_format_that_does_not_exist_is_refused() -> None:
    def settings(log_format: str) -> str:
        return server_settings(
            store="memory:///", listen="127.0.0.1", log_level="info", insecure_trust=False, variables={},
            log_format=log_format).log_format  # fmt: skip

    assert [settings(name.upper()) for name in FORMATS] == list(FORMATS)
    with pytest.raises(InvalidParameterValue, match='"xml" is not a log format; choose one of console, json'):
        settings("xml")


# -- requests ---------------------------------------------------------------------------------------------------------


async def client_of(databases: Databases, number: int = 1, meter: StatementMeter | None = None) -> Conversation:
    client = Conversation(databases, PlanCache(), number, {}, meter)
    await client.channel.idle.wait()
    return client


def numbers(found: list[dict[str, object]]) -> list[str]:
    """Session and statement of each line's request."""
    return [str(line.get("request", "")).partition("-")[2] for line in found]


async def test_each_statement_is_a_request_of_its_own(log: Log) -> None:
    configure_logging("debug", "json")
    engine = await Engine().open()
    first, second = await client_of(engine.databases, 1), await client_of(engine.databases, 2)
    await first.query("SELECT 1; SELECT * FROM missing; SELECT 2")
    await second.query("SELECT * FROM missing")
    await first.query("SELECT * FROM missing")
    await first.leave()
    await second.leave()
    await engine.databases.close()
    assert numbers(told(log, "failed with SQLSTATE 42P01")) == ["1-2", "2-1", "1-3"]


async def test_a_pipeline_is_one_request_and_each_further_execute_another(log: Log) -> None:
    configure_logging("debug", "json")
    engine = await Engine().open()
    client = await client_of(engine.databases)
    bind, execute = m.Bind("", "", (), (), ()), m.Execute("", 0)
    parse, wrong = m.Parse("", "SELECT 1", ()), m.Parse("", "SELECT * FROM missing", ())
    await client.say(parse, bind, execute, m.Sync())
    await client.say(wrong, m.Sync())
    await client.say(parse, bind, execute, bind, execute, wrong, m.Sync())
    await client.leave()
    await engine.databases.close()
    assert numbers(told(log, "failed")) == ["1-2", "1-4"]


async def test_an_error_is_logged_by_its_sqlstate_and_without_its_words(log: Log) -> None:
    configure_logging("debug", "json")
    engine = await Engine().open()
    client = await client_of(engine.databases)
    assert "ERROR 22P02" in await client.query("SELECT 'hidden words'::bigint")
    await client.run("CREATE TABLE t (a bigint PRIMARY KEY)", "INSERT INTO t VALUES (1)")
    assert "ERROR 23505" in await client.query("INSERT INTO t VALUES (1)")
    await client.leave()
    await engine.databases.close()
    assert "hidden words" not in log.text
    levels = {str(line["event"])[21:26]: line["level"] for line in told(log, "failed with SQLSTATE")}
    assert levels == {"22P02": "info", "23505": "debug"}, "DuckLake runs the latter again by itself"


async def test_a_slow_statement_has_its_facts_as_fields(log: Log) -> None:
    configure_logging("info", "json")
    engine = await Engine().open()
    client = await client_of(engine.databases, 5, StatementMeter(engine.databases.activity, slow_s=0.0))
    await client.run("SELECT 'hidden words'")
    await client.leave()
    await engine.databases.close()
    (line,) = told(log, "slow statement")
    assert {name: line[name] for name in ("session", "database", "kind", "statement", "failed")} == {
        "session": 5, "database": "lake", "kind": "select", "statement": "SELECT ?", "failed": False,
    }  # fmt: skip
    assert 0 <= float(str(line["duration_ms"])) < 10_000
    assert numbers([line]) == ["5-1"]


async def test_what_a_session_starts_for_itself_is_its_request_and_what_lives_on_is_nobodys(log: Log) -> None:
    configure_logging("debug", "json")
    engine = await Engine().open()
    client = await client_of(engine.databases)
    await client.run("CREATE TABLE t (a bigint)")
    await client.leave()
    await engine.databases.close()
    assert numbers(told(log, "opened lake")) == ["1-1"]
    assert numbers(told(log, "commit 1")) == ["", ""], "a group of commits is of all who wait for it"


async def test_a_commit_that_cannot_be_made_is_logged_as_its_clients_request(
    log: Log, monkeypatch: pytest.MonkeyPatch
) -> None:
    configure_logging("info", "json")
    engine = await Engine().open()
    client = await client_of(engine.databases)
    await client.run("CREATE TABLE t (a bigint)")

    async def broken(*_arguments: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr("rocklake_server.catalog.commit.draft_of", broken)
    assert "ERROR XX000" in await client.query("INSERT INTO t VALUES (1)")
    await client.leave()
    await engine.databases.close()
    assert numbers(told(log, "a transaction cannot be committed")) == ["1-2"]
    assert [line["level"] for line in told(log, "failed with SQLSTATE XX000")] == ["warning"]


async def test_the_client_is_told_which_request_an_internal_error_was(
    log: Log, monkeypatch: pytest.MonkeyPatch
) -> None:
    configure_logging("info", "json")
    engine = await Engine().open()
    client = await client_of(engine.databases)

    def broken(_text: str) -> list[object]:
        raise ZeroDivisionError

    monkeypatch.setattr("rocklake_server.session.session.parse_statements", broken)
    (error, _) = await client.exchange(m.Query("SELECT 1"))
    await client.leave()
    await engine.databases.close()
    assert isinstance(error, m.ErrorResponse)
    (line,) = told(log, "internal error while answering")
    assert error.fields["H"] == f"The server's log has it as request {line['request']}."


async def test_a_task_that_is_apart_belongs_to_nobody() -> None:
    begin_requests(Request(1))

    async def whose() -> Request | None:
        return current_request()

    assert await asyncio.create_task(whose()) is not None
    assert await asyncio.create_task(whose(), context=apart()) is None
