"""An earlier run as the yardstick: what passed there passes, with no fewer statements, and the skips are the same.

A baseline is a small JSON file: facts about the run under ``about``, and per file the status and the number of
statements executed. ``names`` leave out the folder that all files are in.
"""

from __future__ import annotations

import fnmatch
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.conformance.exchange import Outcome, Status

FEWER = "fewer statements"
OTHER_SKIP = "skip"
MISSING = "missing"


@dataclass(frozen=True, slots=True)
class Expected:
    """What a baseline says about one file."""

    status: Status
    statements: int


@dataclass(frozen=True, slots=True)
class Baseline:
    """An earlier run, and which of the files that it skipped may run now."""

    about: Mapping[str, object]
    files: Mapping[str, Expected]
    run_anyway: tuple[str, ...] = ()
    """Patterns of files that the earlier server had to skip for reasons of its own."""

    def judged(self, file: str, outcome: Outcome) -> Outcome:
        """The outcome, turned into a failure where it is less than the baseline's."""
        expected = self.files.get(file)
        if expected is None or outcome.status is Status.FAIL:
            return outcome
        if outcome.status is Status.SKIP and expected.status is not Status.SKIP:
            return outcome.failed_for(OTHER_SKIP, f"skipped, and not in the baseline: {outcome.reason}")
        if expected.status is Status.SKIP and outcome.status is not Status.SKIP and not self._may_run(file):
            return outcome.failed_for(OTHER_SKIP, "runs, and is skipped in the baseline")
        if outcome.statements < expected.statements:
            reason = f"{outcome.statements} statements executed, and {expected.statements} in the baseline"
            return outcome.failed_for(FEWER, reason)
        return outcome

    def missing(self, files: Iterable[str]) -> list[str]:
        """Files of the baseline that the suite does not have."""
        return sorted(set(self.files) - set(files))

    def is_known_failure(self, file: str, outcome: Outcome) -> bool:
        """Whether a failed file failed in the baseline too, and not earlier than now."""
        expected = self.files.get(file)
        if expected is None or expected.status is not Status.FAIL:
            return False
        return outcome.kind not in (FEWER, OTHER_SKIP, MISSING) and outcome.statements >= expected.statements

    def _may_run(self, file: str) -> bool:
        return any(fnmatch.fnmatch(file, f"*{pattern}*") for pattern in self.run_anyway)


def read_baseline(path: Path, run_anyway: Iterable[str] = ()) -> Baseline:
    """Read a baseline. Raises OSError, or ValueError for a file that is none."""
    content = json.loads(path.read_text(encoding="utf-8"))
    folder = content["folder"]
    passed = {folder + name: Expected(Status.PASS, count) for name, count in content["passed"].items()}
    failed = {folder + name: Expected(Status.FAIL, count) for name, count in content["failed"].items()}
    skipped = {folder + name: Expected(Status.SKIP, 0) for name in content["skipped"]}
    return Baseline(content["about"], passed | failed | skipped, tuple(run_anyway))


def write_baseline(path: Path, outcomes: Mapping[str, Outcome], folder: str, about: Mapping[str, object]) -> None:
    """Write the baseline of a run whose files are all in ``folder``, which is relative to the suite."""
    prefix = folder.rstrip("/") + "/"

    def counts(status: Status) -> dict[str, int]:
        return {
            file.removeprefix(prefix): outcome.statements
            for file, outcome in sorted(outcomes.items())
            if outcome.status is status
        }

    content = {
        "about": about,
        "folder": prefix,
        "skipped": list(counts(Status.SKIP)),
        "failed": counts(Status.FAIL),
        "passed": counts(Status.PASS),
    }
    path.write_text(json.dumps(content, indent=0) + "\n", encoding="utf-8")
