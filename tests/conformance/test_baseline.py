"""A run beside an earlier one: what counts as falling behind, and the baselines that are kept here."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conformance.baseline import Baseline, Expected, read_baseline, write_baseline
from tests.conformance.exchange import Outcome, Status
from tests.duckdb_environments import VERSIONS

KEPT = sorted((Path(__file__).parent / "baselines").glob("*.json"))
FILES = {
    "t/passes.test": Expected(Status.PASS, 10),
    "t/fails.test": Expected(Status.FAIL, 4),
    "t/skipped.test": Expected(Status.SKIP, 0),
}
BASELINE = Baseline({}, FILES)


def passed(statements: int) -> Outcome:
    return Outcome(Status.PASS, statements)


def failed(statements: int) -> Outcome:
    return Outcome(Status.FAIL, statements, kind="result", reason="row 1")


@pytest.mark.parametrize("statements", [10, 11])
def test_as_many_statements_or_more_pass(statements: int) -> None:
    assert BASELINE.judged("t/passes.test", passed(statements)) == passed(statements)


def test_fewer_statements_than_in_the_baseline_fail() -> None:
    judged = BASELINE.judged("t/passes.test", passed(9))
    assert judged.status is Status.FAIL
    assert judged.reason == "9 statements executed, and 10 in the baseline"
    assert not BASELINE.is_known_failure("t/passes.test", judged)


def test_a_new_skip_fails() -> None:
    judged = BASELINE.judged("t/passes.test", Outcome.skipped("require spatial"))
    assert judged.status is Status.FAIL
    assert "require spatial" in judged.reason


def test_skips_of_the_baseline_stay_skips_unless_they_may_run() -> None:
    skipped = Outcome.skipped("skip list")
    assert BASELINE.judged("t/skipped.test", skipped) == skipped
    assert BASELINE.judged("t/skipped.test", passed(3)).status is Status.FAIL
    freed = Baseline({}, FILES, ("skipped",))
    assert freed.judged("t/skipped.test", passed(3)).status is Status.PASS
    assert freed.judged("t/skipped.test", failed(3)).status is Status.FAIL


def test_a_failure_is_known_when_the_baseline_fails_no_later() -> None:
    assert BASELINE.is_known_failure("t/fails.test", failed(4))
    assert not BASELINE.is_known_failure("t/fails.test", failed(3))
    assert not BASELINE.is_known_failure("t/passes.test", failed(10))
    assert not BASELINE.is_known_failure("t/unheard_of.test", failed(10))


def test_a_file_that_fails_in_the_baseline_may_pass() -> None:
    assert BASELINE.judged("t/fails.test", passed(20)).status is Status.PASS


def test_files_unknown_to_the_baseline_are_judged_by_themselves() -> None:
    assert BASELINE.judged("t/new.test", passed(1)) == passed(1)
    assert BASELINE.judged("t/new.test", failed(1)) == failed(1)


def test_files_that_the_suite_lost_are_named() -> None:
    assert BASELINE.missing(["t/passes.test", "t/new.test"]) == ["t/fails.test", "t/skipped.test"]


def test_a_baseline_is_read_as_it_was_written(tmp_path: Path) -> None:
    outcomes = {"t/passes.test": passed(10), "t/fails.test": failed(4), "t/skipped.test": Outcome.skipped("x")}
    write_baseline(tmp_path / "b.json", outcomes, "t", {"server": "PostgreSQL 15"})
    assert read_baseline(tmp_path / "b.json") == Baseline({"server": "PostgreSQL 15"}, FILES)


@pytest.mark.parametrize("path", KEPT, ids=lambda path: path.stem)
def test_kept_baselines_are_small_and_whole(path: Path) -> None:
    baseline = read_baseline(path)
    assert baseline.about["server"] == "PostgreSQL 15"
    assert path.stat().st_size < 64 * len(baseline.files)
    assert all(expected.statements > 0 for expected in baseline.files.values() if expected.status is Status.PASS)


def test_there_is_a_baseline_for_each_suite() -> None:
    assert [path.stem for path in KEPT] == [
        f"{suite}-duckdb-{line}" for suite in ("own-files", "postgres-15") for line in sorted(VERSIONS)
    ]
