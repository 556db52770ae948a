"""The stages of statements are timed for those of the sample; commits have theirs always."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from rocklake_server.activity import COMMIT_STAGES, Activity, StageWatch
from rocklake_server.session.statement_meter import STAGES, StatementMeter
from rocklake_server.wire import messages as m
from tests.session.conversation import Conversation, place


@asynccontextmanager
async def sampled(sample_texts: int = 1) -> AsyncIterator[tuple[Conversation, Activity]]:
    async with place() as opened:
        activity = opened.databases.activity
        opened.meter = StatementMeter(activity, None, sample_texts)
        yield await opened.client(), activity


def timed(activity: Activity) -> dict[str, dict[str, int]]:
    """How many times each stage of each kind was timed."""
    found: dict[str, dict[str, int]] = {}
    for (kind, stage), times in activity.statement_stages.items():
        found.setdefault(kind, {})[stage] = times.count
    return found


def seconds(activity: Activity, kind: str) -> float:
    return sum(times.sum for (of, _), times in activity.statement_stages.items() if of == kind)


async def test_a_statement_goes_through_its_stages() -> None:
    async with sampled() as (client, activity):
        await client.run("CREATE TABLE t (a bigint)")
        await client.run("SELECT a FROM t", 'COPY (SELECT a FROM t) TO STDOUT (FORMAT "binary")', "BEGIN", "COMMIT")
    found = timed(activity)
    every = {"parse": 1, "plan": 1, "run": 1, "send": 1, "commit": 1}
    assert found["ddl"] == found["select"] == found["copy_out"] == every
    assert set(found["begin"]) == {"parse", "run", "send"}, "the transaction goes on"
    assert {stage for stages in found.values() for stage in stages} <= set(STAGES)


@pytest.mark.parametrize("kind", ["select", "copy_out", "insert"])
async def test_stages_are_all_of_a_statements_time(kind: str) -> None:
    async with sampled() as (client, activity):
        await client.run("CREATE TABLE t (a bigint)")
        rows = ", ".join(f"({number})" for number in range(2000))
        await client.run(f"INSERT INTO t VALUES {rows}", "SELECT a FROM t", "COPY (SELECT a FROM t) TO STDOUT")
    whole = activity.statements[kind].sum
    assert 0.9 * whole <= seconds(activity, kind) <= whole


async def test_the_text_is_parsed_for_the_first_of_its_statements() -> None:
    async with sampled() as (client, activity):
        await client.run("BEGIN; SELECT 1; COMMIT")
    found = timed(activity)
    assert "parse" in found["begin"]
    assert "parse" not in found["select"]
    assert "parse" not in found["commit"]


async def test_messages_of_the_extended_protocol_are_stages_of_their_statement() -> None:
    async with sampled() as (client, activity):
        parse, bind = m.Parse("", "SELECT 1", ()), m.Bind("", "", (), (), ())
        await client.say(parse, bind, m.Execute("", 0), m.Sync())
    assert timed(activity)["select"] == {"parse": 1, "plan": 2, "run": 1, "send": 1}


async def test_what_fails_has_no_stages() -> None:
    async with sampled() as (client, activity):
        await client.query("SELECT * FROM missing")
        await client.say(m.Parse("", "SELECT * FROM missing", ()), m.Sync())
        await client.run("SELECT 1")
    assert timed(activity) == {"select": {"parse": 1, "plan": 1, "send": 1, "run": 1, "commit": 1}}


async def test_a_sample_is_taken_of_every_rhythm() -> None:
    async with sampled(sample_texts=4) as (client, activity):
        for _ in range(100):
            await client.run("BEGIN", "SELECT 1", "SELECT 1", "COMMIT")
    found = timed(activity)
    taken = sum(found[kind]["run"] for kind in found)
    assert 60 < taken < 150, "about one text in four"
    assert {"begin", "select", "commit"} <= found.keys(), "however regular the client is"


async def test_a_commit_goes_through_its_stages_once_a_group() -> None:
    async with sampled() as (client, activity):
        await client.run("CREATE TABLE t (a bigint)", "INSERT INTO t VALUES (1)", "SELECT a FROM t")
    counts = {stage: times.count for stage, times in activity.commit_stages.items()}
    assert counts == dict.fromkeys(COMMIT_STAGES, 2)
    assert sum(times.sum for times in activity.commit_stages.values()) <= activity.commits.sum


def test_a_stage_that_comes_again_adds_up() -> None:
    watch = StageWatch(0.0)
    for stage in ("validate", "encode", "validate"):
        watch.ended(stage)
    assert list(watch.seconds) == ["validate", "encode"]
    watch.restart()
    assert watch.seconds == {}


async def calls_of(client: Conversation, text: str) -> int:
    """Python and C functions that are called until a text is answered."""
    count = 0

    def called(_frame: object, event: str, _argument: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    await client.run(text)
    sys.setprofile(called)
    try:
        await client.run(text)
    finally:
        sys.setprofile(None)
    return count


async def test_a_text_outside_of_the_sample_costs_few_calls() -> None:
    """A cached statement takes some tens of microseconds, and a call a tenth of one."""
    async with place() as opened:
        plain = await opened.client()
        opened.meter = StatementMeter(opened.databases.activity, None, sample_texts=1_000_000)
        metered = await opened.client()
        without, counted = await calls_of(plain, "SELECT 1"), await calls_of(metered, "SELECT 1")
    assert 0 < counted - without <= 8
