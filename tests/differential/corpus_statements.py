"""Statements of the corpus within a workload: sent over a connection that is no client's, to the catalog as the
workload has left it by then, and rolled back.

So each shape meets catalogs in all the states that workloads bring about, also the shapes that DuckDB sends only under
settings that the workload's clients do not have.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from functools import cache, partial

import psycopg

from tests.corpus.catalog_data import FURTHER, further
from tests.corpus.sides import Answer, Columns, NotPrepared, Row, Side, made_room, stream_for
from tests.corpus_loader import load

PREFIX = "CORPUS "
"""Starts a statement that names an entry of the corpus instead of SQL."""
KIND = "corpus statement"
LINE = "duckdb-1.5"
_SYSTEM_SCHEMAS = "('pg_catalog', 'information_schema')"
_RELATIONS = f"SELECT table_name FROM information_schema.tables WHERE table_schema NOT IN {_SYSTEM_SCHEMAS}"
_RANDOM_OIDS = {2950, 1184}
"""uuid, and timestamptz: the times of commits."""
_RANDOM_OF_DELETE_FILES = {"file_size_bytes", "footer_size", "delete_file_id"}
"""Delete files hold the random names of their data files, and are numbered in the order of a hash of them."""
_LOCK_NOT_AVAILABLE = "55P03"
_ROW_TYPES = {"type", "attname"}
_SERVERS_OWN = {"relpages"}


@cache
def names() -> tuple[str, ...]:
    """The corpus entries of the client line that workloads run with."""
    return tuple(entry.name for entry in load() if entry.name.startswith(f"{LINE}/"))


@cache
def _texts() -> dict[str, str]:
    return {entry.name: entry.text for entry in load()}


def share(number: int, count: int) -> list[str]:
    """The ``count`` entries that fall to the workload of a number; those of consecutive numbers go round the corpus."""
    every = names()
    return [every[(number * count + index) % len(every)] for index in range(count)]


class LockedOut(Exception):
    """The statement waits for a client's transaction. PostgreSQL's locks of whole tables make some do that which do
    not wait here: DuckDB leaves a transaction open after some errors."""


class CorpusSender:
    """A connection of its own to one of the servers."""

    def __init__(self, dsn: str, plain: Callable[[str], str]) -> None:
        """``plain`` takes out of a text what differs between the servers."""
        self._connection = psycopg.connect(dsn, autocommit=True, options="-c lock_timeout=5s")
        self._plain = plain

    def rows(self, name: str) -> Counter[str]:
        """All that the entry's statements answer, and what the relations that they write hold after them, in lines.

        Raises LockedOut when a client's transaction is in the way, ValueError with the SQLSTATE of another refusal.
        """
        text = _texts()[name]
        side = Side(self._connection, self._known(), partial(self._comparable, "ducklake_delete_file" in text))
        before = _made(text)
        stream = self._stream(text, side)
        answers: list[Answer] = []
        try:
            answers = side.run(text, stream=stream, before=before)
            if room := made_room(text, answers[-1].sqlstate or ""):
                answers = side.run(text, stream=stream, before=[*before, *room])
            refused = [answer.sqlstate for answer in answers if answer.sqlstate]
        except NotPrepared as error:
            refused = [error.sqlstate]
        if _LOCK_NOT_AVAILABLE in refused:
            raise LockedOut(name)
        if refused:
            raise ValueError(f"{name}: SQLSTATE {refused[0]}")
        return Counter(line for number, answer in enumerate(answers) for line in _lines(number, answer))

    def close(self) -> None:
        self._connection.close()

    def _known(self) -> frozenset[str]:
        return frozenset({"public", *(name for (name,) in self._connection.execute(_RELATIONS))})

    def _stream(self, text: str, side: Side) -> bytes:
        try:
            return stream_for(text, side)
        except psycopg.errors.UndefinedTable:
            self._connection.execute("ROLLBACK")
            return b""

    def _comparable(self, of_delete_files: bool, columns: Columns, row: Row) -> Row:
        return tuple(
            self._value(name, oid, value, of_delete_files)
            for (name, oid), value in zip(columns, row, strict=True)
        )  # fmt: skip

    def _value(self, name: str, oid: int, value: object, of_delete_files: bool) -> object:
        if value is None:
            return None
        if oid in _RANDOM_OIDS or name in _SERVERS_OWN or (of_delete_files and name in _RANDOM_OF_DELETE_FILES):
            return f"<{name}>"
        if isinstance(value, bytes) and oid in (25, 1043):
            value = value.decode()
        if not isinstance(value, str):
            return value
        return sorted(value.split(",")) if name == "changes_made" else self._plain(value)


def _made(text: str) -> list[str]:
    """What makes, with rows, the relations that an entry names and that a lake has under other names or not at all."""
    found: list[str] = []
    for create in FURTHER[LINE]:
        name = create.split()[2]
        if re.search(rf'\b{name}\b', text) and not text.upper().startswith("CREATE"):
            found += [f"DROP TABLE IF EXISTS {name}", *further(create)]
    return found


def _lines(number: int, answer: Answer) -> list[str]:
    if _ROW_TYPES.issubset(name for name, _ in answer.columns):
        answer = answer._replace(tag="", rows=())  # relations have no row types here
    head = f"answer {number}: {answer.tag} {answer.columns}"
    return [head, *(f"answer {number}: {row}" for row in answer.rows)]
