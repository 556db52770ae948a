"""Connections that say a statement and do not wait for its answer."""

from __future__ import annotations

import select
import time
from dataclasses import dataclass

import psycopg
from psycopg import pq

ANSWER_S_MAX = 10.0

_ROWS = pq.ExecStatus.TUPLES_OK
_DONE = pq.ExecStatus.COMMAND_OK


@dataclass(frozen=True, slots=True)
class Answer:
    """``rows`` are in no order, as text."""

    tag: str
    rows: tuple[tuple[str, ...], ...] = ()
    sqlstate: str | None = None
    message: str = ""

    @property
    def outcome(self) -> str:
        return self.sqlstate or self.tag


class Client:
    """One session."""

    def __init__(self, dsn: str) -> None:
        self.connection = psycopg.connect(dsn, autocommit=True)
        self._pgconn = self.connection.pgconn
        self.waits = False

    @property
    def process_id(self) -> int:
        return self._pgconn.backend_pid

    def close(self) -> None:
        self.connection.close()

    def say(self, sql: str) -> None:
        self._pgconn.send_query(sql.encode())
        self.waits = True

    def answer(self, within_s: float = ANSWER_S_MAX) -> Answer | None:
        """The answer to what was said, ``None`` if there is none in time."""
        deadline = time.monotonic() + within_s
        while True:
            self._pgconn.consume_input()
            if not self._pgconn.is_busy():
                return self._take()
            left = deadline - time.monotonic()
            if left <= 0:
                return None
            select.select([self._pgconn.socket], [], [], left)

    def ask(self, sql: str) -> Answer:
        self.say(sql)
        answer = self.answer()
        assert answer is not None, f"no answer to {sql}"
        return answer

    def cancel(self) -> None:
        self._pgconn.get_cancel().cancel()

    def _take(self) -> Answer:
        found: Answer | None = None
        while (result := self._pgconn.get_result()) is not None:
            found = found or _answer(result)
        assert found is not None
        self.waits = False
        return found


def _answer(result: pq.abc.PGresult) -> Answer:
    if result.status not in (_ROWS, _DONE):
        state = result.error_field(pq.DiagnosticField.SQLSTATE) or b""
        return Answer("", sqlstate=state.decode(), message=result.error_message.decode())
    rows = [
        tuple((result.get_value(row, column) or b"NULL").decode() for column in range(result.nfields))
        for row in range(result.ntuples)
    ]
    return Answer((result.command_status or b"").decode(), tuple(sorted(rows)))
