"""The extended protocol with its Parse and Execute measured."""

from __future__ import annotations

from time import perf_counter

from rocklake_server.session.extended import ExtendedMessage, ExtendedProtocol
from rocklake_server.session.runner import StatementRunner
from rocklake_server.session.statement_meter import SEND, Named, StatementMeter
from rocklake_server.session.statements import Registry
from rocklake_server.wire import messages as m


class MeteredProtocol:
    """Answers as ``ExtendedProtocol`` does, for a session whose statements ``meter`` counts."""

    def __init__(
        self, extended: ExtendedProtocol, registry: Registry, runner: StatementRunner, meter: StatementMeter,
        session: Named,
    ) -> None:  # fmt: skip
        self._extended = extended
        self._registry = registry
        self._runner = runner
        self._meter = meter
        self._session = session

    async def answer(self, message: ExtendedMessage) -> None:
        match message:
            case m.Execute():
                await self._execute(message)
            case m.Parse():
                await self._parse(message)
            case _:
                await self._extended.answer(message)

    async def _parse(self, message: m.Parse) -> None:
        watch = self._runner.watch = self._meter.watch(perf_counter())
        await self._extended.answer(message)
        statement = self._registry.statement(message.statement).statement
        if watch is not None and statement is not None:
            self._meter.prepared(statement, watch)

    async def _execute(self, message: m.Execute) -> None:
        statement = self._registry.portal(message.portal).prepared.statement
        began_s = perf_counter()
        watch = self._runner.watch = self._meter.watch(began_s) if statement is not None else None
        if watch is not None:
            watch.begin(self._session)
        try:
            await self._extended.answer(message)
        except BaseException as error:
            if statement is not None:
                self._meter.failed(statement, began_s, self._session, watch, error)
            raise
        if watch is not None:
            watch.ended(SEND)
        if statement is not None:
            self._meter.answered(statement, began_s, self._session, watch)
