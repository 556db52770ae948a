"""Makes a workload that shows a difference smaller, by leaving statements out."""

from __future__ import annotations

from collections.abc import Callable

from tests.differential.statements import Statement, Workload

Fails = Callable[[Workload], bool]


def shrunk(workload: Workload, fails: Fails, runs_max: int) -> Workload:
    """A workload of fewer statements of which ``fails`` still holds, after at most ``runs_max`` trials.

    Runs of statements are left out, first half of all, then a quarter and so on down to single ones, from the end:
    what made a thing comes before what used it. A transaction's BEGIN and its end go together at the finest level.
    """
    trials = 0
    statements = list(workload.statements)
    size = max(1, len(statements) // 2)
    while size:
        start, before = len(statements), len(statements)
        while start > 0 and trials < runs_max:
            start = max(0, start - size)
            candidate = statements[:start] + statements[start + size :]
            trials += 1
            if candidate and fails(workload.with_statements(candidate)):
                statements = candidate
        size = size if size == 1 and len(statements) < before and trials < runs_max else size // 2
    for pair in _transactions(statements):
        candidate = [s for s in statements if not any(s is one for one in pair)]
        if trials < runs_max and fails(workload.with_statements(candidate)):
            statements = candidate
            trials += 1
    return workload.with_statements(statements)


def _transactions(statements: list[Statement]) -> list[tuple[Statement, Statement]]:
    """The first and the last statement of each explicit transaction."""
    found: list[tuple[Statement, Statement]] = []
    begun: dict[str, Statement] = {}
    for statement in statements:
        if statement.sql == "BEGIN":
            begun[statement.client] = statement
        elif statement.sql in ("COMMIT", "ROLLBACK") and statement.client in begun:
            found.append((begun.pop(statement.client), statement))
    return found
