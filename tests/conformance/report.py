"""What a run says: a line per file, the failures once more, and the totals as the last line."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import TextIO

from tests.conformance.exchange import Outcome, Status

WORDS = {Status.PASS: "passed", Status.FAIL: "failed", Status.SKIP: "skipped"}
DETAILS = ("sql", "expected", "got")


class Progress:
    """Prints each file as it ends: result, statements executed, seconds, name and, unless it passed, the reason."""

    def __init__(self, total: int, stream: TextIO | None = None) -> None:
        self._total = total
        self._done = 0
        self._stream = stream or sys.stdout

    def __call__(self, file: str, outcome: Outcome) -> None:
        self._done += 1
        position = f"[{self._done:{len(str(self._total))}}/{self._total}]"
        print(position, result_line(file, outcome), file=self._stream, flush=True)


def result_line(file: str, outcome: Outcome) -> str:
    """One file's result on one line."""
    counted = f"{WORDS[outcome.status]:7} {outcome.statements:5} statements {outcome.seconds:6.1f} s  {file}"
    if outcome.attempts > 1:
        counted += f" (attempt {outcome.attempts})"
    if outcome.status is Status.PASS:
        return counted
    where = f"line {outcome.line}: " if outcome.line else ""
    return f"{counted}  {where}{outcome.reason}"


def failure_lines(outcomes: Mapping[str, Outcome], *, details: bool) -> list[str]:
    """The failed files; with ``details`` also the SQL, what was expected and what came."""
    lines: list[str] = []
    for file, outcome in outcomes.items():
        if outcome.status is not Status.FAIL:
            continue
        lines.append(f"  {file}:{outcome.line}: [{outcome.kind}] {outcome.reason}")
        for name in DETAILS if details else ():
            if text := str(getattr(outcome, name)):
                lines += [f"      {name}:", *(f"        {line}" for line in text.splitlines())]
    return lines


def totals_line(outcomes: Mapping[str, Outcome]) -> str:
    """``N passed, N failed, N skipped``."""
    counts = Counter(outcome.status for outcome in outcomes.values())
    return ", ".join(f"{counts[status]} {word}" for status, word in WORDS.items())


def print_summary(outcomes: Mapping[str, Outcome], wall_seconds: float, *, details: bool) -> None:
    """Failures, then the size of the run, then the totals."""
    if failures := failure_lines(outcomes, details=details):
        print("\nfailures:", *failures, sep="\n")
    statements = sum(outcome.statements for outcome in outcomes.values())
    through = sum(outcome.uses_server and outcome.status is Status.PASS for outcome in outcomes.values())
    counts = f"{len(outcomes)} files, {statements} statements, {wall_seconds:.0f} s"
    print(f"\n{counts}; {through} passed through the server")
    print(totals_line(outcomes))


def write_json(path: Path, outcomes: Mapping[str, Outcome], about: Mapping[str, object]) -> None:
    """All outcomes in full, with facts about the run under ``about``."""
    content = {"about": about, "files": {file: outcome.as_json() for file, outcome in outcomes.items()}}
    path.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
