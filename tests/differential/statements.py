"""The notation of a workload: statements, each of one client, and the text form that a reproduction is printed in."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

FILES = "{files}"
"""Stands in a statement for the side's own folder of files that are not the lake's yet."""
REATTACH = "REATTACH"
"""Instead of a statement: the client's DuckDB ends, and a new one attaches the lake."""
_LINE = re.compile(r"(?P<client>[a-z]): (?P<sql>.+)")
_OPTIONS = "attach:"


@dataclass(frozen=True, slots=True)
class Statement:
    """One SQL statement of one client; ``kind`` is what coverage counts it as."""

    client: str
    sql: str
    kind: str = ""

    def __str__(self) -> str:
        return f"{self.client}: {self.sql}"


@dataclass(frozen=True, slots=True)
class Workload:
    """Statements in the order in which they run, and the options that every client attaches the lake with."""

    statements: tuple[Statement, ...]
    options: str = ""

    @property
    def clients(self) -> list[str]:
        """The clients' names; a workload has at least client a."""
        return sorted({"a", *(statement.client for statement in self.statements)})

    def with_statements(self, statements: Iterable[Statement]) -> Workload:
        return Workload(tuple(statements), self.options)

    def __str__(self) -> str:
        return "\n".join([f"{_OPTIONS} {self.options}", *map(str, self.statements)])


def parsed(text: str) -> Workload:
    """The workload that ``str`` printed. Raises ValueError for a line that is none of its lines."""
    statements: list[Statement] = []
    options = ""
    for line in filter(None, map(str.strip, text.splitlines())):
        if line.startswith(_OPTIONS):
            options = line.removeprefix(_OPTIONS).strip()
        elif found := _LINE.fullmatch(line):
            statements.append(Statement(found["client"], found["sql"]))
        else:
            raise ValueError(f"neither a statement nor options: {line}")
    return Workload(tuple(statements), options)
