"""Running one statement: planning it, sending its rows, its COPY stream or its notices, and returning its tag."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rocklake_server.adhoc.explaining import COLUMN as EXPLAIN_COLUMN
from rocklake_server.adhoc.explaining import explained
from rocklake_server.adhoc.planning import engine_plan, known_plan
from rocklake_server.catalog.view import TransactionView
from rocklake_server.errors import (
    GroupingProblem,
    ReadOnlyTransaction,
    UndefinedFunction,
    UndefinedObject,
    Unsupported,
)
from rocklake_server.limits import SEND_BUFFER_BYTES
from rocklake_server.pacing import Turns
from rocklake_server.plan.cache import PlanCache
from rocklake_server.plan.model import Context, Notice, Outcome, Plan, ResultColumn, RowStream, SessionCallbacks
from rocklake_server.plan.planner import plan_statement
from rocklake_server.plan.writes import copy_target
from rocklake_server.schema.model import RelationKind
from rocklake_server.schema.types import BY_OID, UNKNOWN, ColumnType, Value
from rocklake_server.session.channel import Channel
from rocklake_server.session.copy_in import copy_in
from rocklake_server.session.copy_out import copy_out
from rocklake_server.session.rows import TEXT_FORMAT, formats_for, result_format
from rocklake_server.session.settings import Settings
from rocklake_server.session.transaction_block import TransactionBlock
from rocklake_server.session.utility import UtilityRunner
from rocklake_server.sql import statements as sql
from rocklake_server.sql.names import quote
from rocklake_server.wire.connection import Raw
from rocklake_server.wire.messages import NoticeResponse

KEPT_REPLY_BYTES_MAX = 256 * 1024
"""Longer answers are encoded each time."""

_BEYOND_OPERATORS = (Unsupported, UndefinedFunction, GroupingProblem)
"""What the server's operators say to a SELECT that the embedded engine may still run."""

_ALLOWED_WHEN_FAILED = (sql.Commit, sql.Rollback, sql.RollbackTo)
_WITHOUT_TRANSACTION = (sql.Begin, sql.Commit, sql.Rollback)


@dataclass(frozen=True, slots=True)
class SessionFacts:
    """What functions can ask about the session."""

    user: str
    database: str
    backend_pid: int
    client_address: str | None
    callbacks: SessionCallbacks
    plans: PlanCache


class StatementRunner:
    """Used by both protocols. ``running`` tells that a message is being answered."""

    def __init__(
        self,
        channel: Channel,
        block: TransactionBlock,
        settings: Settings,
        utility: UtilityRunner,
        facts: SessionFacts,
    ) -> None:
        self._channel = channel
        self._block = block
        self._settings = settings
        self._utility = utility
        self._facts = facts
        self._context: Context | None = None
        self.running = False

    async def end_implicit(self) -> None:
        """The end of a simple Query or a pipeline commits what ran outside a block."""
        if not self._block.in_block:
            await self._block.commit()

    async def run_simple(self, statement: sql.Query | sql.UtilityStatement) -> str:
        """Run a statement of a simple Query and send everything but CommandComplete. Returns the command tag."""
        self.check_allowed(statement)
        if isinstance(statement, sql.Query):
            constant = None if self._block.in_block else self._facts.plans.constant(statement.text)
            if constant is not None and (outcome := constant.constant) is not None:
                await self._send_result(constant.columns, outcome)
                return outcome.tag
            plan, context = await self.planned(statement)
            outcome = await self.run_query(statement, plan, context)
            if outcome.stream is not None:
                return await self._send_stream(plan.columns or (), outcome.stream)
            await self._send_result(plan.columns, outcome)
            self.send_notices(outcome.notices)
            return outcome.tag
        if isinstance(statement, sql.CopyOut | sql.CopyIn):
            return await self.run_copy(statement)
        if isinstance(statement, sql.Explain):
            lines = await self.explain(statement.query)
            await self._send_result((EXPLAIN_COLUMN,), Outcome("EXPLAIN", lines))
            return "EXPLAIN"
        result = await self._utility.run(statement)
        await self._send_result(result.columns, Outcome(result.tag, result.rows))
        return result.tag

    async def _send_result(self, columns: Sequence[ResultColumn] | None, outcome: Outcome) -> None:
        """RowDescription and DataRow messages in text format; the bytes of a result that is kept are kept with it."""
        if columns is None:
            return
        encodings = outcome.encodings
        known: Sequence[Raw] | None = None if encodings is None else encodings.get(TEXT_FORMAT)
        if known is not None:
            for part in known:
                self._channel.send(part)
            return
        formats = formats_for((), len(columns))
        description = result_format(columns, formats).description
        self._channel.send(description)
        rows = await self.send_rows(columns, formats, outcome.rows)
        if encodings is not None and rows is not None:
            encodings[TEXT_FORMAT] = (description, *rows)

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
        if not isinstance(statement, _ALLOWED_WHEN_FAILED):
            self._block.require_not_failed()

    async def planned(
        self, query: sql.Query, parameter_oids: Sequence[int] = (), parameters: tuple[Value, ...] = ()
    ) -> tuple[Plan, Context]:
        """A plan on the current transaction, and what it runs in. Raises ReadOnlyTransaction, UndefinedObject."""
        view = await self._block.current()
        types = [_parameter_type(oid) for oid in parameter_oids] if parameter_oids else ()
        plan = self._plan(query, view, types)
        if plan.writes and view.modes.read_only:
            raise ReadOnlyTransaction(f"cannot execute {query.kind.value} in a read-only transaction")
        return plan, self.context(parameters)

    def _plan(self, query: sql.Query, view: TransactionView, types: Sequence[ColumnType]) -> Plan:
        """The plan of the server's own operators, or one of the embedded engine for a SELECT that they do not run."""
        known = known_plan(query, view, types)
        if known is not None:
            return known
        try:
            return plan_statement(query, view, self._facts.plans, types)
        except _BEYOND_OPERATORS:
            if query.kind is not sql.QueryKind.SELECT:
                raise
        return engine_plan(query, view, types)

    async def run_query(self, query: sql.Query, plan: Plan, context: Context) -> Outcome:
        """``plan.run``. What the server's operators find out too late that they do not run, the engine may."""
        try:
            return await plan.run(context)
        except Unsupported:
            if query.kind is not sql.QueryKind.SELECT:
                raise
            other = engine_plan(query, context.view, plan.parameters)
            if other is plan or other.columns != plan.columns:
                raise
        return await other.run(context)

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
        )
        return self._context

    async def run_utility(self, statement: sql.UtilityStatement) -> tuple[str, Sequence[tuple[Value, ...]]]:
        """For Execute: the tag and the rows of a utility statement that is no COPY."""
        if isinstance(statement, sql.Explain):
            return "EXPLAIN", await self.explain(statement.query)
        result = await self._utility.run(statement)
        return result.tag, result.rows

    async def explain(self, query: sql.Query) -> list[tuple[Value, ...]]:
        """The lines of EXPLAIN, a row each."""
        plan, context = await self.planned(query)
        return [(line,) for line in explained(plan, context)]

    async def run_copy(self, statement: sql.CopyOut | sql.CopyIn) -> str:
        if isinstance(statement, sql.CopyIn):
            view = await self._block.current()
            target = copy_target(view, statement.table, statement.columns)
            if view.modes.read_only and target.relation.kind is not RelationKind.TEMPORARY:
                raise ReadOnlyTransaction("cannot execute COPY FROM in a read-only transaction")
            return f"COPY {await copy_in(view, target, statement.options, self._channel)}"
        plan, context = await self.planned(statement.query or _whole_table(statement))
        if plan.columns is None:
            raise Unsupported("COPY query must have a RETURNING clause")
        return f"COPY {await copy_out(plan, context, statement.options, self._channel)}"

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
