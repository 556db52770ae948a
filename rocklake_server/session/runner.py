"""Running one statement: planning it, sending its rows, its COPY stream or its notices, and returning its tag."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from rocklake_server.adhoc.explaining import COLUMN as EXPLAIN_COLUMN
from rocklake_server.adhoc.explaining import explained
from rocklake_server.adhoc.planning import engine_plan, known_plan
from rocklake_server.catalog.view import Row, TransactionView
from rocklake_server.errors import (
    GroupingProblem,
    ObjectNotInPrerequisiteState,
    UndefinedFunction,
    UndefinedObject,
    UndefinedPreparedStatement,
    Unsupported,
)
from rocklake_server.limits import ROWS_HELD_MAX, SEND_BUFFER_BYTES
from rocklake_server.pacing import Turns
from rocklake_server.plan.cache import PlanCache
from rocklake_server.plan.live_session import LiveSession
from rocklake_server.plan.model import Context, Notice, Outcome, Plan, ResultColumn, RowStream, SessionCallbacks
from rocklake_server.plan.operators import too_many_rows
from rocklake_server.plan.planner import plan_statement
from rocklake_server.plan.writes import copy_target
from rocklake_server.schema.model import RelationKind
from rocklake_server.schema.types import BY_OID, UNKNOWN, ColumnType, Value
from rocklake_server.session.channel import Channel
from rocklake_server.session.copy_formats import out_format
from rocklake_server.session.copy_in import copy_in
from rocklake_server.session.copy_out import copy_out
from rocklake_server.session.cursor_place import CursorPlace
from rocklake_server.session.cursors import declare, described, fetch
from rocklake_server.session.prepared_statements import argument_values, prepare, prepared_query
from rocklake_server.session.procedures import parameter_types
from rocklake_server.session.providing import answer_of, outcome_of
from rocklake_server.session.rows import BINARY_FORMAT, TEXT_FORMAT, formats_for, result_format
from rocklake_server.session.settings import Settings
from rocklake_server.session.statement_meter import PLAN, RUN, StatementWatch
from rocklake_server.session.statements import Portal, Prepared, Registry
from rocklake_server.session.transaction_block import BlockState, TransactionBlock
from rocklake_server.session.utility import UtilityRunner, shown_columns
from rocklake_server.sql import statements as sql
from rocklake_server.sql.names import quote
from rocklake_server.wire.connection import Raw
from rocklake_server.wire.messages import NoticeResponse

KEPT_REPLY_BYTES_MAX = 256 * 1024
"""Longer answers are encoded each time."""

_BEYOND_OPERATORS = (Unsupported, UndefinedFunction, GroupingProblem)
"""What the server's operators say to a SELECT that the embedded engine may still run."""

ENDS_BLOCK = (sql.Commit, sql.Rollback, sql.RollbackTo)
"""What a failed block allows."""


@dataclass(frozen=True, slots=True)
class SessionFacts:
    """What functions can ask about the session."""

    user: str
    database: str
    backend_pid: int
    client_address: str | None
    callbacks: SessionCallbacks
    plans: PlanCache
    live: LiveSession


class Result(NamedTuple):
    """``columns`` is ``None`` for a statement that answers no rows. ``binary``: a simple Query sends binary values."""

    columns: tuple[ResultColumn, ...] | None
    outcome: Outcome
    binary: bool = False


Shape = tuple[tuple[ColumnType, ...], tuple[ResultColumn, ...] | None]
"""A statement's parameter types and result columns."""


class StatementRunner:
    """Used by both protocols. ``running`` tells that a message is being answered, ``shown`` is the text of the last one
    for people, ``watch`` times the stages of its statements when it is in the sample."""

    def __init__(
        self,
        channel: Channel,
        block: TransactionBlock,
        settings: Settings,
        utility: UtilityRunner,
        registry: Registry,
        facts: SessionFacts,
    ) -> None:
        self._channel = channel
        self._block = block
        self._settings = settings
        self._utility = utility
        self._registry = registry
        self._facts = facts
        self._context: Context | None = None
        self.running = False
        self.shown = ""
        self.watch: StatementWatch | None = None

    async def end_implicit(self) -> None:
        """The end of a simple Query or a pipeline commits what ran outside a block."""
        if not self._block.in_block:
            await self._block.commit()

    async def run_simple(self, statement: sql.Query | sql.UtilityStatement) -> str:
        """Run a statement of a simple Query and send everything but CommandComplete. Returns the command tag."""
        self.check_allowed(statement)
        self._settings.use_zone()
        if isinstance(statement, sql.Query):
            constant = None if self._block.in_block else self._facts.plans.of_session().constant(statement.text)
            if constant is not None and (outcome := constant.constant) is not None:
                if self.watch is not None:
                    self.watch.ended(PLAN)
                await self._send_result(constant.columns, outcome)
                return outcome.tag
            plan, context = await self.planned(statement)
            return await self._send(plan.columns, await self.run_query(statement, plan, context), TEXT_FORMAT)
        if isinstance(statement, sql.CopyOut | sql.CopyIn):
            return await self.run_copy(statement)
        columns, outcome, binary = await self.result_of(statement)
        return await self._send(columns, outcome, BINARY_FORMAT if binary else TEXT_FORMAT)

    async def _send(self, columns: tuple[ResultColumn, ...] | None, outcome: Outcome, wire_format: int) -> str:
        """A result, and its notices. Returns the tag."""
        if self.watch is not None:
            self.watch.ended(RUN)
        if outcome.stream is not None:
            return await self._send_stream(columns or (), outcome.stream)
        await self._send_result(columns, outcome, wire_format)
        self.send_notices(outcome.notices)
        return outcome.tag

    async def result_of(
        self,
        statement: sql.Query | sql.UtilityStatement,
        parameter_oids: Sequence[int] = (),
        parameters: tuple[Value, ...] = (),
    ) -> Result:
        """Run a statement that is no COPY. Its notices are not sent yet."""
        match statement:
            case sql.Query():
                plan, context = await self.planned(statement, parameter_oids, parameters)
                return Result(plan.columns, await self.run_query(statement, plan, context))
            case sql.ExecutePrepared():
                prepared, query = prepared_query(self._registry, statement.name)
                wanted, _ = await self.shape(query, prepared.parameter_oids)
                values = await argument_values(self, statement, wanted)
                return await self.result_of(query, prepared.parameter_oids, values)
            case sql.Explain():
                return Result((EXPLAIN_COLUMN,), Outcome("EXPLAIN", await self.explain(statement.query)))
            case sql.Prepare():
                await prepare(self, self._registry, statement, self._block.open().now_us)
                return Result(None, Outcome("PREPARE"))
            case sql.DeclareCursor():
                source = Prepared("", statement, tuple(parameter_oids), self.shown)
                await declare(self, self._block, self._registry, statement, source, parameters)
                return Result(None, Outcome("DECLARE CURSOR"))
            case sql.Fetch():
                tag, columns, rows, binary = await fetch(self, self._registry, statement)
                return Result(columns, Outcome(tag, [tuple(row) for row in rows]), binary)
            case _:
                result = await self._utility.run(statement, parameters)
                return Result(result.columns, Outcome(result.tag, result.rows))

    async def shape(
        self, statement: sql.Query | sql.UtilityStatement | None, parameter_oids: Sequence[int] = ()
    ) -> Shape:
        """What a statement takes and answers, before it runs. Raises what planning raises."""
        match statement:
            case sql.Query():
                plan, _ = await self.planned(statement, parameter_oids)
                return plan.parameters, plan.columns
            case sql.DeclareCursor():
                plan, _ = await self.planned(statement.query, parameter_oids)
                return plan.parameters, None
            case sql.ExecutePrepared():
                try:
                    prepared, query = prepared_query(self._registry, statement.name)
                except UndefinedPreparedStatement:
                    return (), None
                return (), (await self.shape(query, prepared.parameter_oids))[1]
            case sql.Fetch():
                return (), described(self._registry, statement)
            case sql.ShowVariable():
                return (), shown_columns(statement)
            case sql.Explain():
                return (), (EXPLAIN_COLUMN,)
            case sql.Call():
                procedure = self._utility.called(statement)
                return parameter_types(procedure, statement, parameter_oids), procedure.result_columns
            case _:
                return (), None

    async def opened(self, portal: Portal) -> Outcome:
        """A portal's rows, asked for at the first time. Raises ObjectNotInPrerequisiteState for one without rows,
        Unsupported when its columns have changed since it was bound."""
        statement = portal.prepared.statement
        if portal.columns is None or portal.finished or statement is None:
            raise ObjectNotInPrerequisiteState(f'portal "{portal.name}" cannot be run')
        if portal.outcome is None:
            result = await self.result_of(statement, portal.prepared.parameter_oids, portal.parameters)
            if result.columns != portal.columns:
                raise Unsupported("cached plan must not change result type")
            portal.outcome = result.outcome
            if self.watch is not None:
                self.watch.ended(RUN)
            self.send_notices(portal.outcome.notices)
        return portal.outcome

    async def placed(self, portal: Portal) -> tuple[Outcome, CursorPlace]:
        """As ``opened``, with all rows in memory, and where the portal stands among them."""
        outcome = await self.opened(portal)
        if outcome.stream is not None:
            outcome = portal.outcome = await collected(outcome)
        if portal.place is None:
            portal.place = CursorPlace(len(outcome.rows), backward=False)
        return outcome, portal.place

    async def _send_result(
        self, columns: Sequence[ResultColumn] | None, outcome: Outcome, wire_format: int = TEXT_FORMAT
    ) -> None:
        """RowDescription and DataRow messages; the bytes of a result that is kept are kept with it."""
        if columns is None:
            return
        encodings = outcome.encodings
        known: Sequence[Raw] | None = None if encodings is None else encodings.get(wire_format)
        if known is not None:
            for part in known:
                self._channel.send(part)
            return
        formats = formats_for((wire_format,), len(columns))
        description = result_format(columns, formats).description
        self._channel.send(description)
        rows = await self.send_rows(columns, formats, outcome.rows)
        if encodings is not None and rows is not None:
            encodings[wire_format] = (description, *rows)

    async def _send_stream(self, columns: Sequence[ResultColumn], stream: RowStream) -> str:
        """RowDescription, and DataRow messages as rows are computed. Returns the tag."""
        formats = formats_for((), len(columns))
        self._channel.send(result_format(columns, formats).description)
        count = 0
        try:
            while rows := await stream.take(None):
                await self.send_rows(columns, formats, rows)
                count += len(rows)
        finally:
            stream.close()
        return f"SELECT {count}"

    def check_allowed(self, statement: object) -> None:
        """Raises FailedTransaction in a failed block, for all but the statements that end it."""
        if self._block.state is BlockState.FAILED and not isinstance(statement, ENDS_BLOCK):
            self._block.require_not_failed()

    async def planned(
        self, query: sql.Query, parameter_oids: Sequence[int] = (), parameters: tuple[Value, ...] = ()
    ) -> tuple[Plan, Context]:
        """A plan on the current transaction, and what it runs in. Raises ReadOnlyTransaction, InsufficientPrivilege,
        UndefinedObject."""
        view = await self._block.current()
        types = [_parameter_type(oid) for oid in parameter_oids] if parameter_oids else ()
        plan = await answer_of(view, lambda: self._allowed_plan(query, view, types))
        if self.watch is not None:
            self.watch.ended(PLAN)
        return plan, self.context(parameters)

    def _allowed_plan(self, query: sql.Query, view: TransactionView, types: Sequence[ColumnType]) -> Plan:
        plan = self._plan(query, view, types)
        if plan.writes:
            view.check_writable(query.kind.value)
        return plan

    def _plan(self, query: sql.Query, view: TransactionView, types: Sequence[ColumnType]) -> Plan:
        """The plan of the server's own operators, or one of the embedded engine for a SELECT that they do not run."""
        known = known_plan(query, view, types) if query.kind is sql.QueryKind.SELECT else None
        if known is not None:
            return known
        try:
            return plan_statement(query, view, self._facts.plans.of_session(), types)
        except _BEYOND_OPERATORS:
            if query.kind is not sql.QueryKind.SELECT:
                raise
        try:
            return engine_plan(query, view, types)
        except Unsupported:
            if "generate_series" not in query.text.lower():
                raise
            try:
                return plan_statement(query, view, self._facts.plans, types, constant_series=True)
            except _BEYOND_OPERATORS:
                pass  # what the engine says is told
            raise

    async def run_query(self, query: sql.Query, plan: Plan, context: Context) -> Outcome:
        """``plan.run``. What the server's operators find out too late that they do not run, the engine may."""
        try:
            return await outcome_of(plan, context)
        except Unsupported:
            if query.kind is not sql.QueryKind.SELECT:
                raise
            other = await answer_of(context.view, lambda: _engine_plan_if_any(query, context.view, plan))
            if other is None or other is plan or other.columns != plan.columns:
                raise
        return await outcome_of(other, context)

    async def all_rows(self, query: sql.Query, plan: Plan, context: Context) -> Outcome:
        """As ``run_query``, with all rows in memory."""
        return await collected(await self.run_query(query, plan, context))

    def forget_transaction(self) -> None:
        """After the end of a transaction: nothing of it stays in memory for an idle session."""
        self._context = None

    def context(self, parameters: tuple[Value, ...] = ()) -> Context:
        """What plans of the current transaction run in; the same for all its statements without parameters."""
        view, known, facts = self._block.open(), self._context, self._facts
        if known is not None and known.view is view and known.parameters == parameters:
            return known
        self._context = Context(
            view=view,
            parameters=parameters,
            settings=self._settings,
            user=facts.user,
            database=facts.database,
            backend_pid=facts.backend_pid,
            client_address=facts.client_address,
            callbacks=facts.callbacks,
            live=facts.live,
        )
        return self._context

    async def explain(self, query: sql.Query) -> list[tuple[Value, ...]]:
        """The lines of EXPLAIN, a row each."""
        plan, context = await self.planned(query)
        return [(line,) for line in explained(plan, context)]

    async def run_copy(self, statement: sql.CopyOut | sql.CopyIn) -> str:
        if isinstance(statement, sql.CopyIn):
            view = await self._block.current()
            target = await answer_of(view, lambda: copy_target(view, statement.table, statement.columns))
            if target.relation.kind is not RelationKind.TEMPORARY:
                view.check_writable("COPY FROM")
            count = await copy_in(view, target, statement.options, self._channel)
            if self.watch is not None:
                self.watch.ended(RUN)
            return f"COPY {count}"
        plan, context = await self.planned(statement.query or _whole_table(statement))
        if plan.columns is None:
            raise Unsupported("COPY query must have a RETURNING clause")
        columns, form = plan.columns, None
        if statement.options.format is not sql.CopyFormat.BINARY:
            form = await answer_of(context.view, lambda: out_format(statement, columns, context.view))
        return f"COPY {await copy_out(plan, context, form, self._channel, self.watch)}"

    async def send_rows(
        self, columns: Sequence[ResultColumn], formats: Sequence[int], rows: Sequence[Sequence[Value]]
    ) -> list[Raw] | None:
        """DataRow messages, with backpressure. Returns what it sent; ``None`` when that is long."""
        turns = Turns()
        sent: list[Raw] = []
        room_bytes = KEPT_REPLY_BYTES_MAX
        for run in result_format(columns, formats).runs(rows):
            self._channel.send(run)
            if self._channel.buffered_bytes > SEND_BUFFER_BYTES:
                await self._channel.drain()
            await turns.take()
            room_bytes -= len(run.data)
            if room_bytes >= 0:
                sent.append(run)
            else:
                sent.clear()
        return sent if room_bytes >= 0 else None

    def send_notices(self, notices: Sequence[Notice]) -> None:
        for notice in notices:
            self._utility.notice(NoticeResponse.of(notice.message, severity="NOTICE", sqlstate=notice.sqlstate))


async def collected(outcome: Outcome) -> Outcome:
    """A result with all its rows. Raises what computing them raises, and OutOfMemory."""
    stream = outcome.stream
    if stream is None:
        return outcome
    rows: list[Row] = []
    try:
        while found := await stream.take(None):
            rows += found
            if len(rows) > ROWS_HELD_MAX:
                raise too_many_rows()
    finally:
        stream.close()
    return Outcome(f"{outcome.tag} {len(rows)}", rows, outcome.notices)


def _engine_plan_if_any(query: sql.Query, view: TransactionView, plan: Plan) -> Plan | None:
    try:
        return engine_plan(query, view, plan.parameters)
    except Unsupported:
        return None


def _whole_table(statement: sql.CopyOut) -> sql.Query:
    """COPY of a table as the query that it stands for."""
    columns = "*" if statement.columns is None else ", ".join(map(quote, statement.columns))
    return sql.Query(f"SELECT {columns} FROM {statement.table}", sql.QueryKind.SELECT)


def _parameter_type(oid: int) -> ColumnType:
    """The type a client declares for a parameter; 0 leaves it to the server."""
    found = BY_OID.get(oid) if oid else UNKNOWN
    if found is None:
        raise UndefinedObject(f"type with OID {oid} does not exist")
    return found
