"""Running SQL text through the planner over a ``MemoryView``, as the session does."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field

from rocklake_server.plan.cache import PlanCache
from rocklake_server.plan.model import BaseScan, Context, Outcome, Plan, SessionCallbacks
from rocklake_server.plan.planner import plan_statement
from rocklake_server.schema.types import ColumnType, Value
from rocklake_server.sql.parse import parse_statement
from rocklake_server.sql.statements import CopyOut, Query
from tests.plan.memory_view import MemoryView

SETTINGS = {"server_version": "15.0", "search_path": '"$user", public', "timezone": "UTC"}


@dataclass(slots=True)
class Driver:
    view: MemoryView = field(default_factory=MemoryView)
    cache: PlanCache = field(default_factory=PlanCache)

    def plan(self, text: str, types: Sequence[ColumnType] = ()) -> Plan:
        statement = parse_statement(text)
        if isinstance(statement, CopyOut) and statement.query is not None:
            statement = statement.query
        assert isinstance(statement, Query), statement
        return plan_statement(statement, self.view, self.cache, types)

    def scan(self, text: str) -> BaseScan | None:
        """The statement as a base scan."""
        return asyncio.run(self.plan(text).base_scan(self.view))

    def context(self, parameters: tuple[Value, ...] = ()) -> Context:
        callbacks = SessionCallbacks(lambda name, value, local: value, lambda: "00000003-1",
                                     lambda name: 7_000_000)
        return Context(self.view, parameters, SETTINGS, "postgres", "postgres", 4711, callbacks=callbacks)

    async def run(self, text: str, *parameters: Value) -> Outcome:
        return await self.plan(text).run(self.context(parameters))

    async def rows(self, text: str, *parameters: Value) -> list[tuple[Value, ...]]:
        return [tuple(row) for row in (await self.run(text, *parameters)).rows]
