"""What a statement took: counted by kind, and logged when it was slow.

A statement of a simple Query takes from its message, or from the statement before it, until its answer is there; its
implicit commit is included. In the extended protocol an Execute message is a statement, and the commit that a Sync
brings is nobody's. Statements that fail are counted by their errors alone, and logged when they were slow.

Where the time of a statement went is known of a sample: of one text in SAMPLE_TEXTS on average, at random so that no
rhythm of a client hides a statement, and of each where traces are wanted. Its stages are the parsing of its text (for
the first of several statements), planning, running, sending what it sends, and the end of an implicit transaction.

The log shows no values. Literals are taken out of the text, since they may be anything, the keys of encrypted files
among them; of a text that cannot be taken apart, what comes before its first literal is shown.
"""

from __future__ import annotations

import logging
import random
import re
from asyncio import CancelledError
from bisect import bisect_left
from time import perf_counter
from typing import Protocol

from rocklake_server.activity import DURATION_BOUNDS_S, Activity, Histogram, StageWatch
from rocklake_server.errors import CatalogError, InternalProblem, QueryCanceled
from rocklake_server.sql import roles
from rocklake_server.sql import statements as sql
from rocklake_server.sql.template import MARKERS
from rocklake_server.telemetry import Request, Tracer

logger = logging.getLogger(__name__)

SLOW_TEXT_CHARACTERS_MAX = 500
"""Of a slow statement's text in the log."""

SAMPLE_TEXTS = 32
"""One text in so many, and one message in so many of the extended protocol, has its stages timed."""

PARSE, PLAN, RUN, SEND, COMMIT = STAGES = ("parse", "plan", "run", "send", "commit")
"""Of a statement, in this order."""

_READ_CHARACTERS_MAX = 4 * SLOW_TEXT_CHARACTERS_MAX
"""Before white space is taken together."""

_TEMPLATED_CHARACTERS_MAX = 16 * 1024
"""Longer texts are not taken apart for the log, unless that has been done already."""

_BEFORE_LITERALS = re.compile(r"[^'\"0-9$/\-\x00-\x08\x0e-\x1f]*")
_MARKER = re.compile(f"[{MARKERS}]")

Statement = sql.Query | sql.UtilityStatement

KINDS: dict[sql.QueryKind | type[Statement], str] = {
    sql.QueryKind.SELECT: "select",
    sql.QueryKind.INSERT: "insert",
    sql.QueryKind.UPDATE: "update",
    sql.QueryKind.DELETE: "delete",
    sql.QueryKind.DDL: "ddl",
    sql.CopyOut: "copy_out",
    sql.CopyIn: "copy_in",
    sql.Begin: "begin",
    sql.Commit: "commit",
    sql.Rollback: "rollback",
    sql.Savepoint: "savepoint",
    sql.Release: "savepoint",
    sql.RollbackTo: "savepoint",
    sql.SetVariable: "setting",
    sql.SetTransaction: "setting",
    sql.SetTransactionSnapshot: "setting",
    sql.ResetVariable: "setting",
    sql.ShowVariable: "setting",
    sql.Discard: "discard",
    sql.CreateDatabase: "ddl",
    sql.DropDatabase: "ddl",
    sql.RenameDatabase: "ddl",
    sql.RenameSchema: "ddl",
    sql.Listen: "notification",
    sql.Unlisten: "notification",
    sql.Notify: "notification",
    sql.Deallocate: "discard",
    sql.CloseCursor: "cursor",
    sql.DeclareCursor: "cursor",
    sql.Fetch: "cursor",
    sql.Prepare: "prepare",
    sql.ExecutePrepared: "execute",
    sql.Analyze: "maintenance",
    sql.Vacuum: "maintenance",
    sql.Checkpoint: "maintenance",
    sql.Call: "call",
    roles.CreateRole: "role",
    roles.AlterRole: "role",
    roles.RenameRole: "role",
    roles.DropRole: "role",
    roles.Grant: "role",
    roles.Revoke: "role",
    roles.GrantMembership: "role",
    roles.RevokeMembership: "role",
    sql.Explain: "explain",
}
"""Every statement's kind, as metrics and the log name it."""


class Named(Protocol):
    """A session, as the log names it."""

    database: str
    process_id: int
    request: Request


class StatementWatch(StageWatch):
    """Of one statement after the other of a text that is in the sample."""

    __slots__ = ("_tracer",)

    def __init__(self, began_s: float, tracer: Tracer | None) -> None:
        super().__init__(began_s)
        self._tracer = tracer

    def begin(self, session: Named, position: int = 0) -> None:
        """The statement at ``position`` of its text, whose first one is at 1, or one that is parsed already at 0."""
        if position == 1:
            self.ended(PARSE)
        elif position > 1:
            self.restart()
        if self._tracer is not None:
            self._tracer.began(session.request, self.began_s)


class StatementMeter:
    """Of one server. ``slow_s`` are the seconds from which on a statement is logged; ``None`` logs none. One text in
    ``sample_texts`` has its stages timed."""

    __slots__ = ("_activity", "_sample_texts", "_slow_s", "_times", "_tracer", "_until_sample")

    def __init__(self, activity: Activity, slow_s: float | None, sample_texts: int = SAMPLE_TEXTS) -> None:
        activity.is_watched = True
        for kind in KINDS.values():
            activity.statements.setdefault(kind, Histogram())
        self._times = {key: activity.statements[kind] for key, kind in KINDS.items()}
        self._slow_s = float("inf") if slow_s is None else slow_s
        self._activity = activity
        self._tracer = activity.tracer
        self._sample_texts = 1 if activity.tracer is not None else sample_texts
        self._until_sample = self._gap()

    def _gap(self) -> int:
        return random.randrange(1, 2 * self._sample_texts)

    def watch(self, began_s: float) -> StatementWatch | None:
        """For a text or a message that began at ``began_s`` of ``perf_counter``, if it is in the sample."""
        self._until_sample -= 1
        if self._until_sample:
            return None
        self._until_sample = self._gap()
        return StatementWatch(began_s, self._tracer)

    def prepared(self, statement: Statement, watch: StatementWatch) -> None:
        """A Parse message of the extended protocol was answered; its statement runs later."""
        self._activity.statement_done(kind_of(statement), watch)

    def answered(self, statement: Statement, began_s: float, session: Named, watch: StatementWatch | None) -> float:
        """Count a statement that began at ``began_s`` of ``perf_counter``. Returns now, when the next one begins."""
        now_s = perf_counter()
        took_s = now_s - began_s
        times = self._times[statement.kind if type(statement) is sql.Query else type(statement)]
        times.counts[bisect_left(DURATION_BOUNDS_S, took_s)] += 1  # as observe, without a call
        times.sum += took_s
        if watch is not None:
            self._activity.statement_done(kind_of(statement), watch)
            self._trace(statement, session, watch, None)
        if took_s >= self._slow_s:
            _log(took_s, statement, session, "")
        return now_s

    def failed(
        self, statement: Statement, began_s: float, session: Named, watch: StatementWatch | None, error: BaseException
    ) -> None:
        """A statement that began at ``began_s`` of ``perf_counter`` ends with an error or a cancellation."""
        took_s = perf_counter() - began_s
        if watch is not None:
            self._trace(statement, session, watch, _sqlstate_of(error))
        if took_s >= self._slow_s:
            _log(took_s, statement, session, " until it failed")

    def _trace(self, statement: Statement, session: Named, watch: StatementWatch, sqlstate: str | None) -> None:
        if self._tracer is not None:
            self._tracer.ended(
                session.request, kind_of(statement), shown(statement), session.database, watch, sqlstate)


def _sqlstate_of(error: BaseException) -> str:
    if isinstance(error, CatalogError):
        return error.sqlstate
    return QueryCanceled.sqlstate if isinstance(error, CancelledError) else InternalProblem.sqlstate


def kind_of(statement: Statement) -> str:
    """As metrics, traces and the log name it."""
    return KINDS[statement.kind if isinstance(statement, sql.Query) else type(statement)]


def _log(took_s: float, statement: Statement, session: Named, end: str) -> None:
    took_ms, text = took_s * 1000, shown(statement)
    logger.warning(
        "slow statement: %.0f ms%s in session %d of database %r: %s",
        took_ms, end, session.process_id, session.database, text,
        extra={"duration_ms": round(took_ms, 3), "session": session.process_id, "database": session.database,
               "kind": kind_of(statement), "statement": text, "failed": bool(end)},
    )  # fmt: skip


def shown(statement: Statement) -> str:
    """A statement as the log shows it: on one line, cut, without values."""
    query = statement.query if isinstance(statement, sql.CopyOut) else statement
    if not isinstance(query, sql.Query):
        return KINDS[type(statement)]
    text = " ".join(_without_values(query).split())
    cut = text if len(text) <= SLOW_TEXT_CHARACTERS_MAX else text[:SLOW_TEXT_CHARACTERS_MAX] + "…"
    return cut if query is statement else f"COPY ({cut})"


def _without_values(query: sql.Query) -> str:
    is_known = "template" in query.__dict__
    template = query.template if is_known or len(query.text) <= _TEMPLATED_CHARACTERS_MAX else None
    if template is not None:
        return _MARKER.sub("?", template.key[:_READ_CHARACTERS_MAX])
    found = _BEFORE_LITERALS.match(query.text, 0, _READ_CHARACTERS_MAX)
    return (found[0] if found is not None else "") + "…"
