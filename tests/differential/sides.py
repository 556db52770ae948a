"""One of the two servers that a workload runs on: its clients, their answers, and its catalog."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import duckdb

from tests.differential import corpus_statements
from tests.differential.corpus_statements import CorpusSender, LockedOut
from tests.differential.statements import FILES, REATTACH, Statement
from tests.duckdb_client import LakeClient
from tests.e2e.catalog_diff import Catalog, CatalogReader

_FILE = re.compile(r"ducklake-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}")
_SUGGESTION = re.compile(r"^(?:Did you mean|Candidate bindings).*$", re.MULTILINE)
"""Names like the one that was not found, from all that DuckDB happens to have loaded."""
_UNORDERED = {"ducklake_delete_file": {"delete_file_id"}}
"""DuckLake numbers one statement's delete files in the order of a hash of the data files' random names."""
_POSITION = re.compile(r"\nLINE \d+: .*\n *\^")
"""Where in the text PostgreSQL saw the error, which the client only shows; of names ours do not tell it."""
_NOW = re.compile(r"at timestamp [-0-9: .+]+")
_QUIET = ("SET threads = 1", "SET ducklake_retry_wait_ms = 1")
"""One thread writes rows in one order; a commit that must be run again is, without waiting."""


@dataclass(frozen=True, slots=True)
class Answer:
    """A statement's rows in a comparable form, or DuckDB's error without what differs from run to run."""

    rows: Counter[str] | None
    error: str = ""

    locked_out: bool = False
    """It is no answer: it would have waited for another client."""

    @property
    def is_the_end(self) -> bool:
        """Whether the client's DuckDB is of no more use."""
        return self.error.startswith(("InternalException", "FatalException"))

    def lines(self, other: Answer) -> list[str]:
        if self.rows is None or other.rows is None:
            return [f"error: {self.error}" if self.rows is None else f"{self.rows.total()} rows"]
        return [f"row: {row}" for row in sorted((self.rows - other.rows).elements())][:5]


@dataclass
class Side:
    """One server, and a DuckDB for each client; a database of its own."""

    dsn: str
    folder: Path
    options: str
    clients: dict[str, LakeClient] = field(default_factory=dict)
    _sender: CorpusSender | None = None

    def open(self, names: list[str]) -> None:
        self.files.mkdir(parents=True)
        self.data.mkdir()
        for name in names:
            self._attach(name)

    def _attach(self, name: str) -> None:
        self.clients[name] = LakeClient(self.dsn, self.data, self.options)
        self.clients[name].run(*_QUIET)

    @property
    def data(self) -> Path:
        return self.folder / "data"

    @property
    def files(self) -> Path:
        return self.folder / "files"

    def answer(self, statement: Statement) -> Answer:
        """What the client's DuckDB answers."""
        sql = statement.sql.replace(FILES, str(self.files))
        try:
            if sql == REATTACH:
                self.clients[statement.client].close()
                self._attach(statement.client)
                return Answer(Counter())
            if sql.startswith(corpus_statements.PREFIX):
                return Answer(self._corpus_sender().rows(sql.removeprefix(corpus_statements.PREFIX)))
            rows = self.clients[statement.client].rows(sql)
        except LockedOut as error:
            return Answer(None, f"locked out: {error}", locked_out=True)
        except (duckdb.Error, ValueError, OverflowError) as error:
            text = _SUGGESTION.sub("", str(error).partition("Stack Trace:")[0])
            text = self._plain(_NOW.sub("at timestamp <now>", _POSITION.sub("", text)))
            return Answer(None, f"{type(error).__name__}: {text.strip()}")
        return Answer(Counter(self._plain(repr(row)) for row in rows))

    def _corpus_sender(self) -> CorpusSender:
        self._sender = self._sender or CorpusSender(self.dsn, self._plain)
        return self._sender

    def catalog(self) -> Catalog:
        """Every DuckLake relation, as catalog_diff reads it."""
        reader = CatalogReader(self.dsn, str(self.folder), _UNORDERED)
        try:
            return reader.read()
        finally:
            reader.close()

    def close(self) -> None:
        for client in self.clients.values():
            client.close()
        if self._sender is not None:
            self._sender.close()

    def _plain(self, text: str) -> str:
        for own, common in ((str(self.folder), "<folder>"), (self.dsn, "<dsn>")):
            text = text.replace(own, common)
        return _UUID.sub("<uuid>", _FILE.sub("ducklake-<uuid>", text))
