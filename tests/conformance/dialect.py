"""From the text of a test file to records.

The dialect is the one of DuckDB's documentation, "sqllogictest": a record is a command line, for ``statement`` and
``query`` followed by SQL up to a blank line, a comment or ``----``, and then by the expected lines.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import Path

from tests.conformance.exchange import FileFailed

LOOPS = frozenset({"loop", "foreach", "concurrentloop", "concurrentforeach"})
SINGLE_LINE = frozenset(
    {
        "require", "require-env", "test-env", "unzip", "load", "restart", "reconnect", "sleep", "set", "reset",
        "hash-threshold", "halt", "tags", "endloop",
    }
)  # fmt: skip
STATEMENT_KINDS = frozenset({"ok", "error", "maybe", "debug"})
SEPARATOR = "----"
SYSTEM = "duckdb"
_CONDITION = re.compile(r"([\w,]+)(=|!=|<>|<=|>=|<|>)(.*)")
_NOT_A_TYPE = re.compile(r"[^TIR]")


@dataclass(frozen=True, slots=True)
class Condition:
    """``skipif`` or ``onlyif`` on a loop variable: name, operator, value."""

    skip: bool
    name: str
    operator: str
    value: str

    def allows(self, loops: dict[str, str]) -> bool:
        """Whether the record runs in this round of the loops. Raises FileFailed for a name that is no variable."""
        have = loops.get(self.name)
        if have is None:
            raise FileFailed("dialect", f"skipif/onlyif: {self.name} is not a loop variable")
        if self.operator in ("=", "!=", "<>"):
            holds = (have == self.value) == (self.operator == "=")
        else:
            left, right = int(have), int(self.value)
            holds = {"<": left < right, "<=": left <= right, ">": left > right, ">=": left >= right}[self.operator]
        return holds != self.skip


@dataclass(frozen=True, slots=True)
class Record:
    """One command of a file, at a line counted from 1. ``expected`` is ``None`` where no ``----`` follows the SQL."""

    kind: str
    line: int
    arguments: tuple[str, ...] = ()
    sql: str = ""
    expected: tuple[str, ...] | None = None
    conditions: tuple[Condition, ...] = ()
    body: tuple[Record, ...] = ()
    """The records inside, for a loop."""


def read_file(path: Path) -> tuple[Record, ...]:
    """The records of a file; bytes that are not UTF-8 stay what they are. Raises FileFailed as ``parse`` does."""
    return parse(path.read_text(encoding="utf-8", errors="surrogateescape"))


def parse(text: str) -> tuple[Record, ...]:
    """The records of a text. Raises FileFailed for a command, a kind or a type that the dialect does not have."""
    return _Parser(text).records()


class _Parser:
    def __init__(self, text: str) -> None:
        self._lines = [line.rstrip("\r") for line in text.split("\n")]
        self._position = 0
        self._skipping = False  # between "mode skip" and "mode unskip"
        self._conditions: list[Condition] = []
        self._drop_next = False  # "skipif duckdb", or "onlyif" another system

    def records(self, inside_loop: bool = False) -> tuple[Record, ...]:
        found: list[Record] = []
        while self._position < len(self._lines):
            text = self._lines[self._position]
            self._position += 1
            if _is_blank(text) or self._is_directive(text.split()):
                continue
            if inside_loop and text.split()[0] == "endloop":
                return tuple(found)
            dropped, self._drop_next = self._drop_next, False
            record = self._record(text)
            if not dropped:
                found.append(record)
        if inside_loop:
            raise FileFailed("dialect", "loop without endloop", line=len(self._lines))
        return tuple(found)

    def _is_directive(self, words: list[str]) -> bool:
        """Whether the line only steers the parser."""
        kind, arguments = words[0], words[1:]
        if kind == "mode":
            self._skipping = arguments[0] == "skip" or (self._skipping and arguments[0] != "unskip")
            return True
        if self._skipping:
            return True
        if kind not in ("skipif", "onlyif"):
            return False
        if condition := _CONDITION.fullmatch("".join(arguments)):
            self._conditions.append(Condition(kind == "skipif", *condition.groups()))
        elif (arguments[0].lower() == SYSTEM) == (kind == "skipif"):
            self._drop_next = True
        return True

    def _record(self, text: str) -> Record:
        kind, *arguments = text.split()
        record = Record(kind, self._position, tuple(arguments), conditions=tuple(self._conditions))
        self._conditions.clear()
        if kind in LOOPS:
            return replace(record, body=self.records(inside_loop=True))
        if kind in SINGLE_LINE:
            return record
        if kind == "statement":
            if not arguments or arguments[0] not in STATEMENT_KINDS:
                raise FileFailed("dialect", f"unknown statement kind: {text}", line=record.line)
        elif kind == "query":
            if not arguments or _NOT_A_TYPE.search(arguments[0]):
                raise FileFailed("dialect", f"unknown type string: {text}", line=record.line)
        else:
            raise FileFailed("dialect", f"unknown command: {text}", line=record.line)
        sql = self._take_sql()
        return replace(record, sql=sql, expected=self._take_expected())

    def _take_sql(self) -> str:
        start = self._position
        while self._position < len(self._lines):
            line = self._lines[self._position]
            if _is_blank(line) or line == SEPARATOR:
                break
            self._position += 1
        return "\n".join(self._lines[start : self._position])

    def _take_expected(self) -> tuple[str, ...] | None:
        if self._position >= len(self._lines) or self._lines[self._position] != SEPARATOR:
            return None
        start = self._position + 1
        self._position = start
        while self._position < len(self._lines) and self._lines[self._position]:
            self._position += 1
        return tuple(self._lines[start : self._position])


def _is_blank(text: str) -> bool:
    return not text.strip() or text.startswith("#")
