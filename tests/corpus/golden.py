"""Writes down what PostgreSQL replies to each statement of the corpus, without the rows: ``python -m
tests.corpus.golden`` makes the files of ``tests/corpus/replies`` anew, by a PostgreSQL 15 that it starts.

A line is a statement: its number within the file of the corpus that the file is named for, and its results with
semicolons between them. A result is notices (severity, SQLSTATE, message), then ``columns`` with name, type OID and
type modifier unless that is -1 and the format unless it is text, or ``copy out`` or ``copy in`` with the formats of
its columns; then the command tag, or ``error`` and its SQLSTATE. Texts that meet what is there already have a second
line, marked ``again``, for the same text after room was made; those that copy a query's rows one for the ``query``.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg
from psycopg import pq

from tests.corpus.catalog_data import build
from tests.corpus.sides import Side, counted_by_the_server, inner_query, made_room, stream_for, without_count
from tests.corpus_loader import Entry, load
from tests.postgres import running_postgres
from tests.servers import CatalogServer, ExternalServer

REPLIES = Path(__file__).parent / "replies"
LINES = ("duckdb-1.4", "duckdb-1.5")
_GOOD = (pq.ExecStatus.TUPLES_OK, pq.ExecStatus.COMMAND_OK, pq.ExecStatus.EMPTY_QUERY)


class Recorder:
    """One catalog, and how its server replies. Everything that ``replies`` does is rolled back."""

    def __init__(self, side: Side) -> None:
        self._side = side
        self._notices: list[str] = []
        side.connection.add_notice_handler(self._note)

    def _note(self, notice: psycopg.errors.Diagnostic) -> None:
        self._notices.append(f"{notice.severity_nonlocalized} {notice.sqlstate} {notice.message_primary}")

    def lines(self, entry: Entry) -> list[str]:
        """The lines of one entry, without its number."""
        stream = stream_for(entry.text, self._side)
        replies, sqlstate = self._replies(entry.text, stream, ())
        found = [_joined(replies)]
        if before := made_room(entry.text, sqlstate):
            found.append(f"again: {_joined(self._replies(entry.text, stream, before)[0])}")
        if query := inner_query(entry.text):
            found.append(f"query: {_joined(self._replies(query, b'', ())[0])}")
        return found

    def _replies(self, text: str, stream: bytes, before: Iterable[str]) -> tuple[list[str], str]:
        """The results, and the SQLSTATE of the last when it is an error."""
        side = self._side
        side.execute("BEGIN ISOLATION LEVEL REPEATABLE READ")
        try:
            for statement in (*side.prepared(text), *before):
                (answer,) = side.execute(statement)
                assert answer.sqlstate is None, (statement, answer)
            return self._exchange(side.with_ctids(text), stream)
        finally:
            side.execute("ROLLBACK")

    def _exchange(self, text: str, stream: bytes) -> tuple[list[str], str]:
        pgconn = self._side.connection.pgconn
        show: Callable[[str], str] = without_count if counted_by_the_server(text) else str
        self._notices.clear()
        pgconn.send_query(text.encode())
        replies: list[str] = []
        sqlstate = ""
        parts: list[str] = []
        while (result := pgconn.get_result()) is not None:
            match result.status:
                case pq.ExecStatus.COPY_OUT:
                    parts.append(f"copy out {_formats(result)}")
                    while pgconn.get_copy_data(0)[0] > 0:
                        pass
                case pq.ExecStatus.COPY_IN:
                    parts.append(f"copy in {_formats(result)}")
                    pgconn.put_copy_data(stream)
                    pgconn.put_copy_end()
                case _:
                    sqlstate = "" if result.status in _GOOD else _sqlstate(result)
                    end = f"error {sqlstate}" if sqlstate else show((result.command_status or b"").decode())
                    replies.append(" ".join([*self._notices, *parts, *_columns(result), end]))
                    self._notices.clear()
                    parts.clear()
        return replies, sqlstate


def _sqlstate(result: pq.abc.PGresult) -> str:
    return (result.error_field(pq.DiagnosticField.SQLSTATE) or b"?").decode()


def _formats(result: pq.abc.PGresult) -> str:
    """The stream's own format, then those of its columns: how many of which."""
    formats = [result.fformat(number) for number in range(result.nfields)]
    return f"{'binary' if result.binary_tuples else 'text'} {len(formats)}x{'/'.join(map(str, sorted(set(formats))))}"


def _columns(result: pq.abc.PGresult) -> list[str]:
    if not result.nfields:
        return []
    found = []
    for number in range(result.nfields):
        name, modifier = (result.fname(number) or b"").decode(), result.fmod(number)
        column = f"{name}:{result.ftype(number)}"
        found.append(column + (f":{modifier}" if modifier != -1 else "") + ("*" if result.fformat(number) else ""))
    return ["columns", *found]


def _joined(replies: list[str]) -> str:
    return "; ".join(replies)


@contextmanager
def recorders(server: CatalogServer) -> Iterator[dict[str, Recorder]]:
    """For each client line a new database with its catalog."""
    opened: list[psycopg.Connection[Any]] = []
    try:
        found: dict[str, Recorder] = {}
        for line in LINES:
            opened.append(psycopg.connect(server.dsn(f"golden-{line}"), autocommit=True))
            found[line] = Recorder(Side(opened[-1], build(line, opened[-1])))
        yield found
    finally:
        for connection in opened:
            connection.close()


def by_file() -> dict[str, list[Entry]]:
    """The corpus by the name of its files, client line included."""
    found: dict[str, list[Entry]] = defaultdict(list)
    for entry in load():
        found[entry.name.split("[")[0]].append(entry)
    return found


def numbered(recorder: Recorder, entries: Iterable[Entry]) -> list[str]:
    """A file's lines."""
    return [f"{number} {line}" for number, entry in enumerate(entries) for line in recorder.lines(entry)]


def main() -> None:
    with running_postgres() as dsn, recorders(ExternalServer(dsn)) as found:
        for name, entries in by_file().items():
            path = REPLIES / f"{name}.txt"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("\n".join(numbered(found[name.split("/")[0]], entries)) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
