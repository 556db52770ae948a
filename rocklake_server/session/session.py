"""One client's conversation after authentication: the message loop and the one place where errors become replies."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Collection
from time import perf_counter

from rocklake_server.auth.access import Access
from rocklake_server.auth.roles import Privilege
from rocklake_server.catalog.database_transaction import DatabaseTransaction
from rocklake_server.catalog.databases import Databases
from rocklake_server.catalog.waits import Holder
from rocklake_server.clock import elapsed_s
from rocklake_server.errors import (
    AdminShutdown,
    CatalogError,
    IdleInTransaction,
    IdleSession,
    InternalProblem,
    QueryCanceled,
    QueueOverflow,
    StatementTooComplex,
    Unsupported,
)
from rocklake_server.limits import NOTIFICATIONS_WAITING_BYTES_MAX
from rocklake_server.plan.cache import PlanCache
from rocklake_server.plan.live_session import Activity
from rocklake_server.plan.model import SessionCallbacks
from rocklake_server.session.backends import Backends
from rocklake_server.session.channel import Channel, ClientGone
from rocklake_server.session.database_commands import DatabaseCommands
from rocklake_server.session.extended import ExtendedProtocol
from rocklake_server.session.listening import Listening
from rocklake_server.session.live import Live
from rocklake_server.session.metered import MeteredProtocol
from rocklake_server.session.procedures import NO_PROCEDURES, Caller, Procedures
from rocklake_server.session.replies import READY_FOR_QUERY, command_complete, parameter_status
from rocklake_server.session.runner import SessionFacts, StatementRunner
from rocklake_server.session.setting_definitions import SYSTEM_RELATIONS_LISTED
from rocklake_server.session.settings import Settings
from rocklake_server.session.statement_meter import COMMIT, SEND, StatementMeter
from rocklake_server.session.statements import SHOWN_CHARACTERS_MAX, Registry
from rocklake_server.session.transaction_block import BlockState, TransactionBlock
from rocklake_server.session.utility import UtilityRunner
from rocklake_server.sql.parse import parse_statements
from rocklake_server.telemetry import Request, begin_requests, level_of
from rocklake_server.wire import messages as m
from rocklake_server.wire.layout import FrontendMessage
from rocklake_server.wire.phases import Phase

logger = logging.getLogger(__name__)

_STATES = {
    BlockState.IDLE: "idle",
    BlockState.IN_BLOCK: "idle in transaction",
    BlockState.FAILED: "idle in transaction (aborted)",
}
SESSION_STATES = ("active", *_STATES.values())
_READY_AFTER = (m.Query, m.Sync, m.FunctionCall)


class Session:
    """Keeps the transaction block, settings, prepared statements and portals; runs one message at a time."""

    def __init__(
        self,
        databases: Databases,
        channel: Channel,
        *,
        user: str,
        database: str,
        process_id: int,
        startup: dict[str, str],
        client_address: str | None,
        plans: PlanCache,
        meter: StatementMeter | None = None,
        procedures: Procedures = NO_PROCEDURES,
        client_port: int | None = None,
        backends: Backends | None = None,
    ) -> None:
        self.user = user
        self.database = database
        self.process_id = process_id
        self.access = Access(databases.directory.roles, user, database, client_address)
        is_superuser = "on" if self.access.privilege is Privilege.SUPERUSER else "off"
        self.settings = Settings(startup, {
            "session_authorization": user, "is_superuser": is_superuser,
            SYSTEM_RELATIONS_LISTED: "on" if startup.get("application_name") == "psql" else "off",
        })  # fmt: skip
        self.channel = channel
        self.request = Request(process_id)
        self.client_address = client_address
        self.began_s = elapsed_s()
        self._has_executed = False
        self._activity = databases.activity
        self._visitors = databases.visitors
        self._meter = meter
        self.registry = Registry()
        self.listening = Listening(databases.notifications, database, process_id, self._tell, self._overflow)
        self.holder = Holder(process_id)
        self._databases = databases
        self._block = TransactionBlock(
            databases, database, self.settings, self.access, self.holder, (self.registry, self.listening))
        caller = Caller(user, database, client_address)
        commands = DatabaseCommands(databases, self._block, database, self._skipped)
        utility = UtilityRunner(
            self._block, self.settings, self.registry, self.listening, self.notice, databases, caller, procedures,
            commands)
        callbacks = SessionCallbacks(
            set_config=self._set_config, export_snapshot=self._export_snapshot, database_size=self._block.database_size
        )
        self._backends = backends if backends is not None else Backends()
        live = Live(self, databases, self._backends)
        facts = SessionFacts(user, database, process_id, client_address, callbacks, plans, live)
        self._runner = StatementRunner(channel, self._block, self.settings, utility, self.registry, facts)
        extended = ExtendedProtocol(channel, self._block, self.registry, self._runner)
        self._extended: ExtendedProtocol | MeteredProtocol = extended
        if meter is not None:
            self._extended = MeteredProtocol(extended, self.registry, self._runner, meter, self)
        self._client = client_address, client_port
        self._began_s = self._state_since_s = perf_counter()
        self._statement_began_s: float | None = None
        self._task: asyncio.Task[None] | None = None
        self._cancel_reason: str | None = None
        self._stopping = False
        self._stopped = False
        self._abandoned = False
        self._end: CatalogError = AdminShutdown("terminating connection due to administrator command")

    async def run(self) -> None:
        """Answer the client's messages until it leaves. What it left open is rolled back. Raises AdminShutdown after
        ``stop``, what ``terminate`` was given, and IdleInTransaction or IdleSession when the client was silent for too
        long."""
        self._task = asyncio.current_task()
        self._backends.add(self)
        self._visitors.enter(self)
        begin_requests(self.request)
        try:
            while not isinstance(message := await self._receive(), m.Terminate | None):
                await self._respond(message)
                if self._stopping and (self._stopped or self.is_idle):
                    raise self._end
        except ClientGone:
            return
        except asyncio.CancelledError:
            if self._stopping and self._task is not None:
                self._task.uncancel()
                raise self._end from None
            raise
        finally:
            self._backends.remove(self)
            self.registry.close_all_cursors()
            try:
                await self._block.rollback()
            finally:
                self._visitors.leave(self)
                self.listening.close()
                self._databases.advisory_locks.release_session(self.holder)

    async def _receive(self) -> FrontendMessage | None:
        """The next message. One that cannot be read is answered here; if no later one can be either, ``None``. Raises
        IdleInTransaction, IdleSession."""
        while True:
            try:
                timeout_s = self._silence_s()
                if timeout_s is None:
                    return await self.channel.receive()
                async with asyncio.timeout(timeout_s):
                    return await self.channel.receive()
            except TimeoutError:
                if self._block.in_block:
                    raise IdleInTransaction("terminating connection due to idle-in-transaction timeout") from None
                raise IdleSession("terminating connection due to idle-session timeout") from None
            except CatalogError as error:
                broken = self.channel.phase is Phase.BROKEN
                await self._block.fail(error)
                self.channel.send(m.ErrorResponse.of(error, severity="FATAL" if broken else None))
                if broken:
                    return None
                if self.channel.phase is Phase.FINISHING:
                    self._ready()

    def _silence_s(self) -> float | None:
        """How long the client may say nothing; ``None`` is for ever."""
        timeouts = self.settings.timeouts
        timeout_s = timeouts.idle_s if self._block.state is BlockState.IDLE else timeouts.idle_in_block_s
        return timeout_s if timeout_s is not None and self.channel.phase is Phase.READY else None

    def cancel(self, reason: str = "canceling statement due to user request") -> None:
        """End the running statement, unless it is a commit under way or nothing runs."""
        if self._task is not None and self._runner.running and not self._block.committing:
            self._cancel_reason = reason
            self._task.cancel()

    def abandon(self) -> None:
        """The client is gone: end the running statement, whatever it waits for, unless it is a commit under way."""
        if not self._abandoned and self._task is not None and self._runner.running and not self._block.committing:
            self._abandoned = True
            self._task.cancel()

    def stop(self, *, at_once: bool = False) -> None:
        """End ``run``: if nothing goes on, now, or else with the running statement or the open block; or all of them
        ``at_once``. A commit under way is always seen through and answered: then this has to be asked for again."""
        self._stopping = True
        if self._task is None or self._stopped or self._block.committing:
            return
        if at_once or self.is_idle:
            self._stopped = True
            self._task.cancel()

    def check_access(self) -> None:
        """After a change of roles: end a session whose user may no longer connect."""
        if self.access.privilege < Privilege.CONNECT and not self._stopping:
            self.terminate(AdminShutdown(
                f'terminating connection because role "{self.user}" may no longer connect to database "{self.database}"'
            ))

    def terminate(self, error: CatalogError | None = None) -> None:
        """End ``run`` with ``error``, or else AdminShutdown, whatever goes on; after a commit that is under way."""
        if error is not None and not self._stopping:
            self._end = error
        already, self._stopping, self._stopped = self._stopped, True, True
        if self._task is not None and not already and not self._block.committing:
            self._task.cancel()

    @property
    def state(self) -> str:
        """As ``pg_stat_activity`` says it."""
        if self._runner.running:
            return "active"
        return _STATES[self._block.state]

    @property
    def is_idle(self) -> bool:
        """Whether no statement runs and no block or pipeline is open."""
        return not self._runner.running and not self._block.in_block and self.channel.phase is Phase.READY

    @property
    def transaction(self) -> DatabaseTransaction | None:
        """The open one."""
        return self._block.transaction

    @property
    def virtual_id(self) -> str:
        """Names the session's latest transaction, as PostgreSQL's virtualxid does."""
        return f"{self.process_id}/{self._block.begun}"

    def activity(self, waits_for_advice: Collection[Holder]) -> Activity:
        """What pg_stat_activity shows. ``waits_for_advice``: those that wait for advisory locks."""
        now_us, now_s = self._databases.clock.now_us(), perf_counter()

        def moment(seconds: float) -> int:
            return now_us - round((now_s - seconds) * 1_000_000)

        address, port = self._client
        transaction, began_s = self._block.transaction, self._statement_began_s
        return Activity(
            self.process_id, self.database, self.user, self.settings["application_name"], address, port,
            moment(self._began_s), None if transaction is None else transaction.now_us,
            None if began_s is None else moment(began_s), moment(self._state_since_s),
            self._wait(waits_for_advice), self.state, self._runner.shown,
        )

    def _wait(self, waits_for_advice: Collection[Holder]) -> tuple[str, str] | None:
        if not self._runner.running:
            return "Client", "ClientRead"
        if self.holder.waits_for:
            return "Lock", "advisory" if self.holder in waits_for_advice else "virtualxid"
        return ("IO", "WALSync") if self._block.committing else None

    # -- messages ---------------------------------------------------------------------------------------------------

    async def _respond(self, message: FrontendMessage) -> None:
        failure: CatalogError | None = None
        timeout_s = self.settings.timeouts.statement_s
        timer = None if timeout_s is None else self._start_timer(timeout_s)
        self._runner.running = True
        self._statement_began_s = self._state_since_s = perf_counter()
        self.settings.use_zone()
        try:
            await self._answer(message)
        except CatalogError as error:
            failure = error
        except asyncio.CancelledError:
            if self._stopped or (self._cancel_reason is None and not self._abandoned):
                raise
            if self._task is not None:
                self._task.uncancel()
            if self._abandoned or self._cancel_reason is None:
                raise ClientGone from None
            failure = QueryCanceled(self._cancel_reason)
        except ClientGone:
            raise
        except RecursionError:
            failure = StatementTooComplex.default()
        except Exception:
            logger.exception("internal error while answering %s", type(message).__name__)
            failure = InternalProblem("internal error", hint=f"The server's log has it as request {self.request.id}.")
        finally:
            self._runner.running = False
            self._state_since_s = perf_counter()
            self._runner.watch = None
            self._cancel_reason = None
            if timer is not None:
                timer.cancel()
        if failure is not None:
            await self._fail(failure)
        if self.settings.has_reports:
            self._report()
        if isinstance(message, _READY_AFTER):
            self._ready()

    async def _answer(self, message: FrontendMessage) -> None:
        match message:
            case m.Query():
                await self._simple_query(message.query)
            case m.Execute():
                self._begin_execute()
                await self._extended.answer(message)
            case m.Parse() | m.Bind() | m.Describe() | m.Close():
                await self._extended.answer(message)
            case m.Sync():
                await self._runner.end_implicit()
            case m.Flush():
                await self.channel.drain()
            case m.FunctionCall():
                raise Unsupported("the function call protocol is not supported")
            case _:
                raise AssertionError(f"{type(message).__name__} is not for the session")

    async def _simple_query(self, text: str) -> None:
        """All statements of one text share an implicit transaction, up to the BEGIN or COMMIT among them. The last
        command tag follows the implicit commit, so that it never promises what is not durable."""
        meter, watch = self._meter, None
        began_s = perf_counter() if meter is not None else 0.0
        self._runner.shown = text[:SHOWN_CHARACTERS_MAX]
        if self.registry.is_used:
            self.registry.forget_unnamed()
        parsed = parse_statements(text)
        self._block.implicit_block = len(parsed) > 1
        if not parsed:
            self.channel.send(m.EmptyQueryResponse())
        elif meter is not None:
            watch = self._runner.watch = meter.watch(began_s)
        for position, statement in enumerate(parsed, 1):
            if position > 1:
                self.request.number += 1
            if watch is not None:
                watch.begin(self, position)
            try:
                tag = await self._runner.run_simple(statement)
                self._block.require_owned()
                if watch is not None:
                    watch.ended(SEND)
                if position == len(parsed):
                    await self._runner.end_implicit()
                    if watch is not None and not self._block.in_block:
                        watch.ended(COMMIT)
            except BaseException as error:
                if meter is not None:
                    meter.failed(statement, began_s, self, watch, error)
                raise
            self.channel.send(command_complete(tag))
            if meter is not None:
                began_s = meter.answered(statement, began_s, self, watch)

    def _begin_execute(self) -> None:
        """What comes up to the first Execute of a pipeline is one request, each further one another."""
        if self._has_executed:
            self.request.number += 1
        self._has_executed = True

    # -- ends of a message --------------------------------------------------------------------------------------------

    async def _fail(self, error: CatalogError) -> None:
        """The one place where an error becomes a reply. A FATAL one ends the session, as does one after which nothing
        can be read any more."""
        self._activity.failed(error.sqlstate)
        logger.log(level_of(error), "failed with SQLSTATE %s (%s)", error.sqlstate, type(error).__name__)
        await self._block.fail(error)
        self.registry.fail()
        is_last = error.severity == "FATAL" or self.channel.phase is Phase.BROKEN
        self.channel.send(m.ErrorResponse.of(error, severity="FATAL" if is_last else None))
        if is_last:
            await self.channel.drain()
            raise ClientGone

    def _ready(self) -> None:
        self._block.implicit_block = False
        if self._block.state is BlockState.IDLE:
            if self.registry.portals:
                self.registry.end(committed=True)
            self._runner.forget_transaction()
            if self.listening.has_waiting:
                self._send_notifications()
        self.channel.send(READY_FOR_QUERY[self._block.state])
        self.request.number += 1
        self._has_executed = False

    def start(self) -> None:
        """Tell the client the settings it relies on."""
        self._report()

    def ready(self) -> None:
        """The first ReadyForQuery."""
        self.channel.send(READY_FOR_QUERY[self._block.state])

    def _tell(self) -> None:
        """Something waits for the client: it is told now, if it is idle."""
        if self.is_idle:
            self._send_notifications()
            self.channel.flush()
            if self.channel.unsent_bytes > NOTIFICATIONS_WAITING_BYTES_MAX:
                self._overflow()

    def _send_notifications(self) -> None:
        for notification in self.listening.take():
            self.channel.send(m.NotificationResponse(*notification))

    def _overflow(self) -> None:
        self.terminate(QueueOverflow(
            "terminating connection because it does not take its notifications",
            hint="Read them sooner, and end transactions in which the session listens.",
        ))

    def notice(self, notice: m.NoticeResponse) -> None:
        if self.settings.shows(notice.fields["V"]):
            self.channel.send(notice)

    def _skipped(self, text: str) -> None:
        self.notice(m.NoticeResponse.of(text, severity="NOTICE", sqlstate="00000"))

    def _report(self) -> None:
        for name, value in self.settings.take_reports().items():
            self.channel.send(parameter_status(name, value))

    def _start_timer(self, timeout_s: float) -> asyncio.TimerHandle:
        reason = "canceling statement due to statement timeout"
        return asyncio.get_running_loop().call_later(timeout_s, self.cancel, reason)

    # -- what functions ask of the session ----------------------------------------------------------------------------

    def _set_config(self, name: str, value: str, local: bool) -> str:
        self._block.set_variable(name.lower(), value, local=local)
        return self.settings.value(name.lower())

    def _export_snapshot(self) -> str:
        return self._block.open().export_snapshot()
