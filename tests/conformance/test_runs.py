"""The command on suites made for the purpose, with DuckDB files as metadata: verdicts, totals and exit status."""

from __future__ import annotations

import json
import re
import shlex
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conformance.__main__ import main
from tests.conformance.baseline import write_baseline
from tests.conformance.exchange import Outcome, Status

pytestmark = pytest.mark.duckdb

PASSING = """
statement ok
CREATE TABLE t AS SELECT range AS i FROM range(3)

query I
SELECT i FROM t ORDER BY i
----
0
1
2
"""
WRONG = """
statement ok
SELECT 1

query II
SELECT 1, 'got'
----
1	want

statement ok
SELECT 2
"""
Run = Callable[..., tuple[int, dict[str, Outcome], str]]


@pytest.fixture
def run(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> Run:
    """Runs files given as ``name=text``; answers the exit status, the outcomes by name and what was printed."""

    def run_files(*arguments: str, **files: str) -> tuple[int, dict[str, Outcome], str]:
        folder = tmp_path / "suite" / "files"
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in files.items():
            (folder / f"{name}.test").write_text(text)
        report = tmp_path / "report.json"
        fixed = ["--suite", str(tmp_path / "suite"), "--tests-under", "files", "--no-server", "--extensions", "parquet"]
        status = main([*fixed, "--json", str(report), "--tmp", str(tmp_path), *arguments])
        outcomes = {
            Path(name).stem: Outcome.from_json(fields)
            for name, fields in json.loads(report.read_text())["files"].items()
        }
        return status, outcomes, capfd.readouterr().out

    return run_files


def test_results_and_totals_are_printed(run: Run) -> None:
    status, outcomes, printed = run("--jobs", "3", good=PASSING, wrong=WRONG, absent="require no_such_extension\n")
    assert status == 1
    assert {name: outcome.status for name, outcome in outcomes.items()} == {
        "good": Status.PASS, "wrong": Status.FAIL, "absent": Status.SKIP
    }  # fmt: skip
    assert printed.splitlines()[-1] == "1 passed, 1 failed, 1 skipped"
    lines = sorted(line.partition("] ")[2] for line in printed.splitlines() if line.startswith("["))
    failed, passed, skipped = lines
    assert re.fullmatch(r"failed      2 statements +[0-9.]+ s  files/wrong.test  line 5: row 1 column 2: .*", failed)
    assert re.fullmatch(r"passed      2 statements +[0-9.]+ s  files/good.test", passed)
    assert re.fullmatch(r"skipped     0 statements +[0-9.]+ s  files/absent.test  require no_such_extension", skipped)


def test_a_failing_file_stops_at_the_wrong_result_and_tells_it(run: Run) -> None:
    _, outcomes, printed = run("--verbose", wrong=WRONG)
    wrong = outcomes["wrong"]
    assert (wrong.kind, wrong.line, wrong.statements) == ("result", 5, 2)
    assert wrong.reason == "row 1 column 2: got instead of want"
    assert (wrong.sql, wrong.expected, wrong.got) == ("SELECT 1, 'got'", "1\twant", "1\tgot")
    assert "files/wrong.test:5: [result] row 1 column 2: got instead of want" in printed
    assert "        1\twant" in printed


def test_a_suite_that_passes_ends_with_status_0(run: Run) -> None:
    assert run(good=PASSING)[0] == 0


def records(*texts: str) -> str:
    """Records with a blank line after each."""
    return "".join(text + "\n\n" for text in texts)


FAILING = {
    "statement": ("statement ok\nSELECT no_column", "error", "no_column"),
    "query": ("query I\nSELECT no_column\n----\n1", "error", "no_column"),
    "no_error": ("statement error\nSELECT 1", "noerror", "should have failed"),
    "other_error": ("statement error\nSELECT no_column\n----\nanother", "errortext", "other error than expected"),
    "columns": ("query I\nSELECT 1, 2\n----\n1", "result", "2 columns instead of 1"),
    "rows": ("query I\nSELECT 1\n----", "result", "1 rows instead of 0"),
    "hash": (f"query I\nSELECT 1\n----\n1 values hashing to {'0' * 32}", "result", "wrong hash"),
    "label": (records("query I nosort x\nSELECT 1", "query I nosort x\nSELECT 2"), "result", "labelled x"),
    "command": ("halting", "dialect", "unknown command"),
    "restart": ("restart", "dialect", "in-memory"),
    "loop": (records("loop i 0 2", "statement ok\nSELECT error('at ${i}')", "endloop"), "error", "at 0 [i=0]"),
    "at_once": (records("concurrentloop i 0 3", "statement ok\nSELECT no_column", "endloop"), "error", "no_column"),
    "regex": ("statement error\nSELECT no_column\n----\n<REGEX>:no_column", "errortext", "other error"),
    "answers": ("query I\nSELECT 1\n----\n<FILE>:absent.csv", "result", "no such file"),
}
PASSING_DIALECT = {
    "error_part": "statement error\nSELECT no_column\n----\nno_column",
    "error_regex": "statement error\nSELECT no_column\n----\n<REGEX>:Binder Error.*no_column.*",
    "maybe": records("statement maybe\nSELECT no_column", "statement maybe\nSELECT 1"),
    "hash": "query I\nSELECT 1\n----\n1 values hashing to b026324c6904b2a9cb4b88d6d61c81d1",
    "label": records("query T nosort x\nSELECT 'a'", "reset label x", "query T nosort x\nSELECT 'b'"),
    "rowsort": "query IT rowsort\nSELECT * FROM (VALUES (2, 'b'), (1, NULL))\n----\n1\tNULL\n2\tb",
    "connections": records(
        "statement ok con1\nCREATE TEMP TABLE t(i INTEGER)", "statement error con2\nSELECT * FROM t\n----\nnot exist"
    ),
    "halt": records("statement ok\nSELECT 1", "halt", "statement ok\nSELECT no_column"),
    "restart": records(
        "load __TEST_DIR__/a.db", "statement ok\nCREATE TABLE t AS SELECT 1", "restart", "statement ok\nFROM t"
    ),
    "nested": "query T\nSELECT {'a': [TIMESTAMP '2024-01-01', NULL]}\n----\n{'a': ['2024-01-01 00:00:00', NULL]}",
    "time_zone": records(
        "statement ok\nSET TimeZone = 'Asia/Tokyo'",
        "query T\nSELECT TIMESTAMPTZ '2024-01-01 00:00:00+00'\n----\n2024-01-01 09:00:00+09",
    ),
    "variable": records("test-env X value", "query T\nSELECT '${X}'\n----\nvalue"),
    "answers": records(
        "statement ok\nCOPY (SELECT 1 AS i, NULL AS t) TO '__TEST_DIR__/a.csv' (DELIMITER '|')",
        "query IT\nSELECT 1, NULL\n----\n<FILE>:__TEST_DIR__/a.csv",
    ),
}


@pytest.mark.parametrize("name", FAILING)
def test_every_kind_of_failure_is_reported(run: Run, name: str) -> None:
    text, kind, reason = FAILING[name]
    status, outcomes, _ = run(file=text + "\n")
    assert (status, outcomes["file"].status, outcomes["file"].kind) == (1, Status.FAIL, kind)
    assert reason in outcomes["file"].reason


def test_what_the_dialect_promises_passes(run: Run) -> None:
    status, outcomes, printed = run("--jobs", "2", **{name: text + "\n" for name, text in PASSING_DIALECT.items()})
    assert status == 0, printed
    assert outcomes.keys() == PASSING_DIALECT.keys()


def test_statements_are_counted_in_loops(run: Run) -> None:
    text = "concurrentloop i 0 3\n\nloop j 0 4\n\nskipif j=2\nstatement ok\nSELECT ${i} + ${j}\n\nendloop\n\nendloop\n"
    status, outcomes, _ = run(file=text)
    assert (status, outcomes["file"].statements) == (0, 9)


def test_a_hang_is_a_failure_with_its_line(run: Run) -> None:
    text = "statement ok\nSELECT 1\n\nquery I\nSELECT sum(a.range * b.range) FROM range(1000000) a, range(1000000) b\n"
    status, outcomes, _ = run("--timeout", "3", hang=text, good=PASSING)
    assert (status, outcomes["good"].status) == (1, Status.PASS)
    hang = outcomes["hang"]
    assert (hang.kind, hang.line, hang.statements, hang.reason) == ("timeout", 4, 2, "timeout after 3 s")


def test_a_crash_is_a_failure_of_its_file_only(run: Run, tmp_path: Path) -> None:
    crashing = tmp_path / "python"
    script = f'grep -q crash.test "$5" && kill -SEGV $$\nexec {shlex.quote(sys.executable)} "$@"\n'
    crashing.write_text("#!/bin/sh\n" + script)
    crashing.chmod(0o755)
    status, outcomes, _ = run("--python", str(crashing), crash=PASSING, good=PASSING)
    assert (status, outcomes["good"].status) == (1, Status.PASS)
    assert (outcomes["crash"].kind, outcomes["crash"].reason) == ("crash", "crash: SIGSEGV")


def test_a_failed_file_is_tried_again_from_a_clean_start(run: Run, tmp_path: Path) -> None:
    text = records(
        "statement error\nFROM read_csv('__TEST_DIR__/local.csv')\n----\nNo files found",
        "statement ok\nCOPY (SELECT 1) TO '__TEST_DIR__/local.csv'",
        f"statement ok\nFROM read_csv('{tmp_path}/outside.csv')",
    )
    status, outcomes, printed = run("--retries", "2", file=text)
    assert (status, outcomes["file"].attempts, outcomes["file"].line) == (1, 3, 9)
    assert "(attempt 3)" in printed
    (tmp_path / "outside.csv").write_text("a\n1\n")
    status, outcomes, printed = run("--retries", "2", file=text)
    assert (status, outcomes["file"].attempts) == (0, 1)
    assert "(attempt" not in printed


def test_fewer_statements_than_the_baseline_fail_the_run(run: Run, tmp_path: Path) -> None:
    _, outcomes, _ = run("--write-baseline", str(tmp_path / "same.json"), good=PASSING)
    assert run("--baseline", str(tmp_path / "same.json"))[0] == 0
    more = {"files/good.test": Outcome(Status.PASS, outcomes["good"].statements + 1)}
    write_baseline(tmp_path / "more.json", more, "files", {})
    status, outcomes, printed = run("--baseline", str(tmp_path / "more.json"))
    assert status == 1
    assert outcomes["good"].reason == "2 statements executed, and 3 in the baseline"
    assert printed.splitlines()[-1] == "0 passed, 1 failed, 0 skipped"


def test_a_file_that_is_gone_from_the_suite_fails_the_run(run: Run, tmp_path: Path) -> None:
    two = {f"files/{name}.test": Outcome(Status.PASS, 2) for name in ("good", "gone")}
    write_baseline(tmp_path / "two.json", two, "files", {})
    status, _, printed = run("--baseline", str(tmp_path / "two.json"), good=PASSING)
    assert status == 1
    assert "files/gone.test:0: [missing]" in printed


def test_a_failure_that_the_baseline_has_does_not_fail_the_run(run: Run, tmp_path: Path) -> None:
    status, _, _ = run("--write-baseline", str(tmp_path / "b.json"), good=PASSING, wrong=WRONG)
    assert status == 1
    status, _, printed = run("--baseline", str(tmp_path / "b.json"))
    assert status == 0
    assert "fails in the baseline, too: files/wrong.test" in printed
    assert printed.splitlines()[-1] == "1 passed, 1 failed, 0 skipped"


def test_no_temporary_folder_stays(run: Run, tmp_path: Path) -> None:
    run(good=PASSING, wrong=WRONG)
    assert list(tmp_path.glob("conformance-*")) == []


def test_without_a_choice_our_files_run_against_a_server_of_ours(capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["--only", "files/macros"]) == 0
    printed = capfd.readouterr().out.splitlines()
    assert "1 passed through the server" in printed[-2]
    assert printed[-1] == "1 passed, 0 failed, 0 skipped"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--jobs", "2", "--dsn", "dbname=x", "--reset", "schema"], "one database for all"),
        (["--dsn", "dbname=x", "--no-server"], "not allowed with"),
        (["--env", "NAME"], "expected NAME=VALUE"),
    ],
)
def test_options_that_do_not_fit_are_refused(
    arguments: list[str], said: str, capfd: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as caught:
        main(arguments)
    assert caught.value.code != 0
    assert said in f"{caught.value.code} {capfd.readouterr().err}"
