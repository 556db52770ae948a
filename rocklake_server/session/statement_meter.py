"""What a statement took: counted by kind, and logged when it was slow.

A statement of a simple Query takes from its message, or from the statement before it, until its answer is there; its
implicit commit is included. In the extended protocol an Execute message is a statement, and the commit that a Sync
brings is nobody's. Statements that fail are counted by their errors alone, and logged when they were slow.

The log shows no values. Literals are taken out of the text, since they may be anything, the keys of encrypted files
among them; of a text that cannot be taken apart, what comes before its first literal is shown.
"""

from __future__ import annotations

import logging
import re
from bisect import bisect_left
from time import perf_counter
from typing import Protocol

from rocklake_server.activity import DURATION_BOUNDS_S, Activity, Histogram
from rocklake_server.sql import statements as sql
from rocklake_server.sql.template import MARKERS

logger = logging.getLogger(__name__)

SLOW_TEXT_CHARACTERS_MAX = 500
"""Of a slow statement's text in the log."""

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
    sql.Listen: "notification",
    sql.Unlisten: "notification",
    sql.Notify: "notification",
    sql.Deallocate: "discard",
    sql.CloseCursor: "discard",
    sql.Analyze: "maintenance",
    sql.Vacuum: "maintenance",
    sql.Checkpoint: "maintenance",
    sql.Explain: "explain",
}
"""Every statement's kind, as metrics and the log name it."""


class Named(Protocol):
    """A session, as the log names it."""

    database: str
    process_id: int


class StatementMeter:
    """Of one server. ``slow_s`` are the seconds from which on a statement is logged; ``None`` logs none."""

    __slots__ = ("_slow_s", "_times")

    def __init__(self, activity: Activity, slow_s: float | None) -> None:
        for kind in KINDS.values():
            activity.statements.setdefault(kind, Histogram())
        self._times = {key: activity.statements[kind] for key, kind in KINDS.items()}
        self._slow_s = float("inf") if slow_s is None else slow_s

    def answered(self, statement: Statement, began_s: float, session: Named) -> float:
        """Count a statement that began at ``began_s`` of ``perf_counter``. Returns now, when the next one begins."""
        now_s = perf_counter()
        took_s = now_s - began_s
        times = self._times[statement.kind if type(statement) is sql.Query else type(statement)]
        times.counts[bisect_left(DURATION_BOUNDS_S, took_s)] += 1  # as observe, without a call
        times.sum += took_s
        if took_s >= self._slow_s:
            _log(took_s, statement, session, "")
        return now_s

    def failed(self, statement: Statement, began_s: float, session: Named) -> None:
        """A statement that began at ``began_s`` of ``perf_counter`` ends with an error or a cancellation."""
        took_s = perf_counter() - began_s
        if took_s >= self._slow_s:
            _log(took_s, statement, session, " until it failed")


def _log(took_s: float, statement: Statement, session: Named, end: str) -> None:
    logger.warning(
        "slow statement: %.0f ms%s in session %d of database %r: %s",
        took_s * 1000, end, session.process_id, session.database, shown(statement),
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
