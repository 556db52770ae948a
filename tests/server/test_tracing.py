"""OpenTelemetry spans of statements and commits, as an exporter in memory gets them."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind, StatusCode

from rocklake_server.activity import COMMIT_STAGES
from rocklake_server.config import server_settings
from rocklake_server.errors import InvalidParameterValue
from rocklake_server.plan.cache import PlanCache
from rocklake_server.server.tracing import SpanTracer
from rocklake_server.session.statement_meter import StatementMeter
from rocklake_server.store.faults import Gate, Step
from rocklake_server.wire import messages as m
from tests.catalog.test_group_commit import FaultyEngine
from tests.session.conversation import Conversation


class TracedEngine(FaultyEngine):
    def __init__(self) -> None:
        super().__init__()
        self.exporter = InMemorySpanExporter()
        self.plans = PlanCache()
        self.clients: list[Conversation] = []

    async def start(self) -> None:
        await self.open()
        provider = TracerProvider(shutdown_on_exit=False)
        provider.add_span_processor(SimpleSpanProcessor(self.exporter))
        self.databases.activity.tracer = SpanTracer(provider)
        self.meter = StatementMeter(self.databases.activity, slow_s=None)

    async def client(self) -> Conversation:
        client = Conversation(self.databases, self.plans, len(self.clients) + 1, {}, self.meter)
        self.clients.append(client)
        await client.channel.idle.wait()
        return client

    def taken(self) -> list[ReadableSpan]:
        """What was exported since the last time."""
        found = list(self.exporter.get_finished_spans())
        self.exporter.clear()
        return found


@asynccontextmanager
async def traced() -> AsyncIterator[TracedEngine]:
    engine = TracedEngine()
    await engine.start()
    try:
        yield engine
    finally:
        for client in engine.clients:
            await client.leave()
        await engine.databases.close()


def by_name(spans: list[ReadableSpan], name: str) -> ReadableSpan:
    (found,) = [span for span in spans if span.name == name]
    return found


def children(spans: list[ReadableSpan], parent: ReadableSpan) -> list[str]:
    mine = [span for span in spans if span.parent is not None and span.parent.span_id == parent.context.span_id]
    assert all(span.context.trace_id == parent.context.trace_id for span in mine)
    return [span.name for span in sorted(mine, key=lambda span: span.start_time or 0)]


async def test_a_statement_is_a_span_with_its_stages() -> None:
    async with traced() as engine:
        client = await engine.client()
        await client.run("SELECT 'hidden words'")
        spans = engine.taken()
    span = by_name(spans, "select lake")
    assert span.kind is SpanKind.SERVER
    assert dict(span.attributes or {}) | {"rocklake.request": ""} == {
        "db.system.name": "postgresql", "db.namespace": "lake", "db.operation.name": "select",
        "db.query.text": "SELECT ?", "rocklake.session": 1, "rocklake.request": "",
    }  # fmt: skip
    assert children(spans, span) == ["parse", "plan", "run", "send", "commit"]
    assert "hidden words" not in repr([dict(each.attributes or {}) for each in spans])


async def test_a_commit_belongs_to_the_statement_that_asked_for_it() -> None:
    async with traced() as engine:
        client = await engine.client()
        await client.run("CREATE TABLE t (a bigint)")
        engine.taken()
        await client.run("BEGIN; INSERT INTO t VALUES (1); COMMIT")
        spans = engine.taken()
    commit = by_name(spans, "group commit")
    statement = by_name(spans, "commit lake")
    assert commit.parent is not None
    assert commit.parent.span_id == statement.context.span_id
    assert children(spans, commit) == list(COMMIT_STAGES)
    told = dict(commit.attributes or {})
    assert (told["rocklake.commit_sequence"], told["rocklake.transactions"]) == (2, 1)
    assert statement.start_time is not None
    assert commit.start_time is not None
    assert commit.end_time is not None
    assert statement.end_time is not None
    assert statement.start_time <= commit.start_time <= commit.end_time <= statement.end_time
    assert by_name(spans, "insert lake").context.trace_id != statement.context.trace_id


async def test_a_group_is_linked_to_the_statement_of_each_member() -> None:
    async with traced() as engine:
        clients = [await engine.client() for _ in range(4)]
        await clients[0].run("CREATE TABLE t (a bigint)")
        gate = Gate()
        engine.store.writes.add(Step(gate=gate))
        tasks = [asyncio.create_task(clients[0].run("INSERT INTO t VALUES (0)"))]
        await gate.arrived.wait()
        tasks += [asyncio.create_task(each.run("INSERT INTO t VALUES (1)")) for each in clients[1:]]
        while engine.databases.activity.commits_waiting < 4:
            await asyncio.sleep(0)
        engine.taken()
        gate.open()
        await asyncio.gather(*tasks)
        spans = engine.taken()
    (group,) = [span for span in spans if dict(span.attributes or {}).get("rocklake.transactions") == 3]
    assert group.parent is None
    inserts = {span.context.span_id for span in spans if span.name == "insert lake"}
    assert len(group.links) == 3
    assert {link.context.span_id for link in group.links} < inserts


async def test_a_failure_shows_its_sqlstate() -> None:
    async with traced() as engine:
        client = await engine.client()
        await client.query("SELECT * FROM missing")
        span = by_name(engine.taken(), "select lake")
    assert span.status.status_code is StatusCode.ERROR
    assert dict(span.attributes or {})["db.response.status_code"] == "42P01"
    assert dict(span.attributes or {})["error.type"] == "42P01"


async def test_an_execute_is_a_span() -> None:
    async with traced() as engine:
        client = await engine.client()
        await client.say(m.Parse("", "SELECT 1", ()), m.Bind("", "", (), (), ()), m.Execute("", 0), m.Sync())
        spans = engine.taken()
    assert children(spans, by_name(spans, "select lake")) == ["plan", "run", "send"]


async def test_a_request_in_the_log_is_found_among_the_spans() -> None:
    async with traced() as engine:
        client = await engine.client()
        expected = client.session.request.id
        await client.run("SELECT 1")
        assert dict(by_name(engine.taken(), "select lake").attributes or {})["rocklake.request"] == expected


# -- settings ---------------------------------------------------------------------------------------------------------


def test_nothing_of_it_is_loaded_unless_wanted() -> None:
    code = "import sys, rocklake_server.cli.commands.serve; print([n for n in sys.modules if n.startswith('opentel')])"
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert ended.stdout == "[]\n"


def test_the_place_has_to_be_a_url() -> None:
    with pytest.raises(InvalidParameterValue, match="is no place for traces; write a URL"):
        server_settings(store="memory:///", listen="127.0.0.1", log_level="info", insecure_trust=False, variables={},
                        otlp_endpoint="127.0.0.1:4318")  # fmt: skip


def test_a_server_without_the_packages_says_what_to_install() -> None:
    code = (
        "import sys; sys.modules['opentelemetry.exporter.otlp.proto.http.trace_exporter'] = None\n"
        "from rocklake_server.server.tracing import otlp_provider\n"
        "from rocklake_server.errors import Unsupported\n"
        "try:\n    otlp_provider('http://127.0.0.1:4318', '1')\n"
        "except Unsupported as error:\n    print(error, error.hint)"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert ended.stdout == (
        "traces need OpenTelemetry, which is not installed Run pip install 'rocklake-server[otel]'.\n"
    )
