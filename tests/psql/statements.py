"""Files of recorded statements, and the comparison of their answers by value.

A statement ends with ``;`` at the end of its line and a blank line after it. The comment before it says who sends it.
``'{name}'`` stands for the OID of the lake's relation of that name.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import psycopg

FOLDER = Path(__file__).parent / "recorded"
END = ";"
_SENT_BY = "-- sent by "
_OID = 26
_STAND_INS = {1034: 1009, 194: 25, 2277: 25}
"""Types that others stand for here, by OID: access lists are arrays of text, expressions texts."""
_SIZE = re.compile(r"^\d+ (?:bytes|kB|MB)$")
_NAMED = re.compile(r"\{([^{}]+)\}")


class Recorded(NamedTuple):
    """A statement, and who sends it."""

    sent_by: str
    text: str


class Answer(NamedTuple):
    """``problem`` is the SQLSTATE and the message of an error. Column types are OIDs."""

    problem: str | None
    columns: tuple[tuple[str, int], ...] = ()
    rows: tuple[tuple[str | None, ...], ...] = ()


def write_statements(path: Path, found: Mapping[str, set[str]]) -> None:
    parts = [
        f"{_SENT_BY}psql {', '.join(sorted(versions))}\n{text}\n" for text, versions in found.items()
    ]
    path.write_text("\n".join(parts))


def read_statements(path: Path) -> list[Recorded]:
    found: list[Recorded] = []
    for part in path.read_text().split(";\n\n"):
        heads = [line for line in part.splitlines() if line.startswith("-- ")]
        text = "\n".join(line for line in part.splitlines() if not line.startswith("-- ")).strip().removesuffix(END)
        if text:
            (sender,) = [head for head in heads if head.startswith(_SENT_BY)]
            found.append(Recorded(sender.removeprefix(_SENT_BY), text))
    return found


class Asked:
    """One side: its connection, and the names of its relations by OID."""

    def __init__(self, dsn: str) -> None:
        self.connection = psycopg.connect(dsn, autocommit=True)
        rows = self.connection.execute(
            "SELECT oid, relname FROM pg_class UNION ALL SELECT oid, conname FROM pg_constraint "
            "UNION ALL SELECT oid, datname FROM pg_database").fetchall()
        self.names = {str(oid): f"<{name}>" for oid, name in rows}
        self.oids = {name: str(oid) for oid, name in rows}

    def close(self) -> None:
        self.connection.close()

    def answer(self, text: str) -> Answer:
        """By value: OIDs of relations as names, sizes as a word."""
        text = _NAMED.sub(lambda named: self.oids.get(named[1], named[0]), text)
        result = self.connection.pgconn.exec_(text.encode())
        if result.status not in (psycopg.pq.ExecStatus.TUPLES_OK, psycopg.pq.ExecStatus.COMMAND_OK):
            fields = (psycopg.pq.DiagnosticField.SQLSTATE, psycopg.pq.DiagnosticField.MESSAGE_PRIMARY)
            return Answer(" ".join((result.error_field(field) or b"?").decode() for field in fields))
        columns = tuple(((result.fname(n) or b"").decode(), _STAND_INS.get(result.ftype(n), result.ftype(n)))
                        for n in range(result.nfields))
        rows = tuple(
            tuple(self._shown(result.get_value(row, n), kind) for n, (_, kind) in enumerate(columns))
            for row in range(result.ntuples)
        )
        return Answer(None, columns, rows if "order by" in text.lower() else tuple(sorted(rows, key=repr)))

    def _shown(self, value: bytes | None, kind: int) -> str | None:
        if value is None:
            return None
        text = value.decode()
        if kind == _OID:
            return self.names.get(text, text)
        return "(size)" if _SIZE.match(text) else text
