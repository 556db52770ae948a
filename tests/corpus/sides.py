"""One text on two servers, and everything about the answers that has to be equal."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import psycopg
from psycopg import pq
from sqlglot import exp

from rocklake_server.sql.parse import parse_statement, parse_tree
from rocklake_server.sql.split import split_statements
from rocklake_server.sql.statements import CopyFormat, CopyIn, CopyOut, Query, QueryKind

Connection = psycopg.Connection[Any]

_OWN_TYPES = {26: "oid", 27: "ctid", 28: "xid"}
_OWN_FUNCTIONS = ("version", "pg_export_snapshot", "pg_database_size")
"""Types and functions whose values are each server's own."""

_SYSTEM = re.compile(r"\b(pg_namespace|pg_class|information_schema)\b", re.IGNORECASE)
_COUNT = re.compile(r" \d+$")

_CTID = re.compile(r"'\(\d+,\d+\)'")
_COPY_SIGNATURE = b"PGCOPY\n\xff\r\n\0"
_COPY_HEADER_BYTES = 19
_DUPLICATES = {"23505": "DELETE FROM {}", "42P07": "DROP TABLE {}"}
_UPDATE_DATA = re.compile(r'"(update_data_[0-9a-f-]+)"')


class NotPrepared(AssertionError):
    """A statement that has to run before the one that is looked at is refused; ``sqlstate`` tells how."""

    def __init__(self, statement: str, sqlstate: str) -> None:
        super().__init__(f"{sqlstate}: {statement}")
        self.sqlstate = sqlstate


class Answer(NamedTuple):
    """One result: an error's SQLSTATE, or a tag with columns (name, type OID) and rows."""

    sqlstate: str | None
    tag: str = ""
    columns: tuple[tuple[str, int], ...] = ()
    rows: tuple[tuple[object, ...], ...] = ()


Row = tuple[object, ...]
Columns = tuple[tuple[str, int], ...]
"""Names and type OIDs."""
Comparable = Callable[[Columns, Row], Row]


def as_it_is(_columns: Columns, row: Row) -> Row:
    return row


class Side:
    """A server with the catalog in it. Everything that ``run`` does is rolled back."""

    def __init__(self, connection: Connection, known: frozenset[str], comparable: Comparable = as_it_is) -> None:
        """``known`` are the names of the catalog's schemas and relations; ``comparable`` takes out of a row what
        differs between two servers whose catalogs came about by the same statements."""
        self.connection = connection
        self._known = known
        self._comparable = comparable

    def execute(self, text: str, stream: bytes = b"") -> list[Answer]:
        """Every result of a text; ``stream`` is what a COPY FROM STDIN is given."""
        pgconn = self.connection.pgconn
        pgconn.send_query(text.encode())
        answers: list[Answer] = []
        while (result := pgconn.get_result()) is not None:
            match result.status:
                case pq.ExecStatus.COPY_OUT:
                    rows = self._copied(pgconn)
                    ended = pgconn.get_result()
                    assert ended is not None
                    answers.append(_answer(ended)._replace(rows=rows))
                case pq.ExecStatus.COPY_IN:
                    pgconn.put_copy_data(stream)
                    pgconn.put_copy_end()
                case _:
                    answers.append(_answer(result))
        return answers

    @staticmethod
    def _copied(pgconn: pq.abc.PGconn) -> tuple[tuple[object, ...], ...]:
        """A COPY stream's rows; the binary header and trailer are taken off, wherever they stand."""
        messages: list[bytes] = []
        while (taken := pgconn.get_copy_data(0))[0] > 0:
            messages.append(bytes(taken[1]))
        stream = b"".join(messages)
        if not stream.startswith(_COPY_SIGNATURE):
            return tuple((message,) for message in messages)
        assert stream.endswith(b"\xff\xff")
        return tuple(_binary_rows(stream[_COPY_HEADER_BYTES:-2]))

    def run(self, text: str, *, stream: bytes = b"", before: Sequence[str] = ()) -> list[Answer]:
        """The results of a text after ``before``, then what the relations hold that it wrote."""
        self.execute("BEGIN ISOLATION LEVEL REPEATABLE READ")
        try:
            for statement in (*before, *self.prepared(text)):
                (answer,) = self.execute(statement)
                if answer.sqlstate is not None:
                    raise NotPrepared(statement, answer.sqlstate)
            answers = self.execute(self.with_ctids(text), stream)
            succeeded = all(answer.sqlstate is None for answer in answers)
            if succeeded and (query := inner_query(text)):
                answers[-1] = answers[-1]._replace(columns=self._described(query))
            answers = [self._without_own_values(text, answer) for answer in answers]
            if succeeded:
                answers += [answer for name in written(text) for answer in self._contents(name)]
        finally:
            self.execute("ROLLBACK")
        return answers

    def _described(self, query: str) -> Columns:
        """The columns of a query's result."""
        self.connection.pgconn.prepare(b"", query.encode())
        return _answer(self.connection.pgconn.describe_prepared(b"")).columns

    def contents_as_stream(self, copy: CopyIn) -> bytes:
        """What the relation of a COPY FROM STDIN holds, in the form that it reads."""
        columns = "" if copy.columns is None else "(" + ", ".join(copy.columns) + ")"
        binary = copy.options.format is CopyFormat.BINARY
        options = "FORMAT BINARY" if binary else f"FORMAT TEXT, NULL '{copy.options.null}'"
        with self.connection.cursor().copy(f"COPY {copy.table} {columns} TO STDOUT ({options})") as out:
            stream = b"".join(bytes(data) for data in out)
        self.execute("ROLLBACK")
        return stream

    def columns(self, table: exp.Table) -> list[str]:
        (answer,) = self.execute(f"SELECT * FROM {table.sql('postgres')} LIMIT 0")
        return [name for name, _ in answer.columns]

    def _contents(self, name: str) -> list[Answer]:
        """Times are left out: NOW() differs."""
        answers = self.execute(f"SELECT * FROM {name}")
        if answers[0].sqlstate is not None:
            return answers
        columns, found = answers[0].columns, answers[0].rows
        kept = [index for index, (_, oid) in enumerate(columns) if oid != 1184]
        rows = [tuple(row[index] for index in kept) for row in (self._comparable(columns, row) for row in found)]
        return [answers[0]._replace(rows=tuple(sorted(rows, key=repr)))]

    def _without_own_values(self, text: str, answer: Answer) -> Answer:
        """Without the values that are each server's own, and in one order: that of the statement may leave ties. Of
        the system's relations only rows that name one of the catalog's schemas or relations remain."""
        masks = [name if name in _OWN_FUNCTIONS else _OWN_TYPES.get(oid) for name, oid in answer.columns]
        rows = [tuple(mask or value for mask, value in zip(masks, self._comparable(answer.columns, row), strict=True))
                if len(masks) == len(row) else row for row in answer.rows]  # fmt: skip
        rows.sort(key=repr)
        if counted_by_the_server(text):
            rows = [row for row in rows if not self._known.isdisjoint(row)]
            return answer._replace(tag=without_count(answer.tag), rows=tuple(rows))
        return answer._replace(rows=tuple(rows))

    def with_ctids(self, text: str) -> str:
        """A text with the first rows' own ctids for those in the text."""
        literals = list(dict.fromkeys(_CTID.findall(text)))
        targets = written(text)
        if not literals or not targets:
            return text
        ctids = self._ctids(targets[0])
        replacements = {literal: f"'{ctid}'" for literal, ctid in zip(literals, ctids, strict=False)}
        return _CTID.sub(lambda found: replacements.get(found[0], "'(4000000,1)'"), text)

    def _ctids(self, name: str) -> list[str]:
        """In the order of the rows' values."""
        (answer,) = self.execute(f"SELECT t.*, ctid FROM {name} AS t")
        in_order = sorted(answer.rows, key=lambda row: repr(self._comparable(answer.columns, row)[:-1]))
        return [str(row[-1]) for row in in_order]

    def prepared(self, text: str) -> list[str]:
        """What makes the temporary table of an update by ctid, filled where the text does not fill it itself."""
        found = _UPDATE_DATA.search(text)
        if found is None or text.upper().startswith("CREATE"):
            return []
        column = "mapping_id" if "mapping_id" in text.lower() else "value"
        kind = "BIGINT" if column == "mapping_id" else "VARCHAR"
        create = f'CREATE TEMPORARY TABLE "{found[1]}" ({column} {kind}, __page_id_string VARCHAR) ON COMMIT DROP'
        targets = written(text)
        if not targets or targets[0].startswith('"update_data'):
            return [create]
        rows = ", ".join(f"('{number}', '{ctid}')" for number, ctid in enumerate(self._ctids(targets[0])[:3]))
        return [create, f'INSERT INTO "{found[1]}" VALUES {rows}']


def written(text: str) -> list[str]:
    """The relations that a text writes rows of, quoted."""
    found: list[str] = []
    for piece in split_statements(text):
        statement = parse_statement(piece)
        if isinstance(statement, CopyIn):
            found.append(str(statement.table))
        elif isinstance(statement, Query) and statement.kind in (
            QueryKind.INSERT,
            QueryKind.UPDATE,
            QueryKind.DELETE,
        ):
            target = parse_tree(statement.text).this.find(exp.Table)
            assert target is not None
            names = [part.name if part.args.get("quoted") else part.name.lower() for part in target.parts]
            found.append(".".join(f'"{name}"' for name in names))
    return list(dict.fromkeys(found))


def made_room(text: str, sqlstate: str) -> list[str]:
    """What has to run before ``text``, as it was sent, so that it does not meet what is there already."""
    undo = _DUPLICATES.get(sqlstate)
    if undo is None:
        return []
    if sqlstate == "42P07":
        return [undo.format(text.split("(")[0].split()[2])]
    return [undo.format(name) for name in written(text)]


def inner_query(text: str) -> str | None:
    """The query of a COPY TO STDOUT."""
    statement = parse_statement(split_statements(text)[0]) if len(split_statements(text)) == 1 else None
    return statement.query.text if isinstance(statement, CopyOut) and statement.query is not None else None


def stream_for(text: str, side: Side) -> bytes:
    """What a COPY FROM STDIN is given: the rows that its relation holds on ``side``."""
    statement = parse_statement(split_statements(text)[0])
    if not isinstance(statement, CopyIn):
        return b""
    if statement.table.name.startswith("update_data"):
        return b"new\t(0,1)\n\b\t(0,2)\n"
    return side.contents_as_stream(statement)


def counted_by_the_server(text: str) -> bool:
    """Whether the number of rows that a text answers is each server's own: it reads system relations."""
    return _SYSTEM.search(text) is not None


def without_count(tag: str) -> str:
    return _COUNT.sub("", tag)


def _answer(result: pq.abc.PGresult) -> Answer:
    if result.status not in (pq.ExecStatus.TUPLES_OK, pq.ExecStatus.COMMAND_OK, pq.ExecStatus.EMPTY_QUERY):
        return Answer((result.error_field(pq.DiagnosticField.SQLSTATE) or b"?").decode())
    columns = tuple(((result.fname(n) or b"").decode(), result.ftype(n)) for n in range(result.nfields))
    rows = tuple(
        tuple(
            None if (value := result.get_value(row, column)) is None else value.decode()
            for column in range(result.nfields)
        )
        for row in range(result.ntuples)
    )
    return Answer(None, (result.command_status or b"").decode(), columns, rows)


def _binary_rows(data: bytes) -> list[tuple[object, ...]]:
    rows: list[tuple[object, ...]] = []
    position = 0
    while position < len(data):
        count = int.from_bytes(data[position : position + 2], "big")
        position += 2
        row: list[object] = []
        for _ in range(count):
            length = int.from_bytes(data[position : position + 4], "big", signed=True)
            position += 4
            row.append(None if length < 0 else data[position : position + length])
            position += max(length, 0)
        rows.append(tuple(row))
    return rows
