"""The command line: what it accepts, and what follows from one choice for another."""

from __future__ import annotations

import argparse
import re
from pathlib import Path

from tests.conformance.databases import PLACEHOLDERS, Reset
from tests.conformance.orchestrator import EXTENSIONS
from tests.duckdb_environments import VERSIONS

OWN_SUITE = Path(__file__).parent
OWN_FILES = "files"
UPSTREAM_FILES = "test/sql"
UPSTREAM_SKIPS = Path("test/configs/postgres.json")
_DESCRIPTION = """\
Run sqllogictest files with a real DuckDB against a DuckLake catalog server.

Without --suite, our own files; without --dsn, a RockLake server that is started for the run.
In --dsn and in hooks, {n} is the file's number, {w} the job's, {a} the attempt and {test} the file's name;
put the dbname last, because one upstream file makes a second database by appending to the connection string.
The exit status is 0 when no file failed, or, with --baseline, when none did worse than there."""


def parse(arguments: list[str] | None = None) -> argparse.Namespace:
    """The options; ends the process with a message when they do not fit together."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.conformance", description=_DESCRIPTION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    _add_choice_of_files(parser)
    _add_server(parser)
    _add_client(parser)
    _add_run(parser)
    options = parser.parse_args(arguments)
    _complete(options)
    shared = options.dsn and options.reset is not Reset.NONE and not PLACEHOLDERS.search(options.dsn)
    if options.jobs > 1 and shared:
        parser.error("--jobs above 1 with one database for all: put {n} or {w} into the connection string")
    return options


def _add_choice_of_files(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("files")
    group.add_argument("--suite", type=Path, default=OWN_SUITE, help="the folder that file names and data start from")
    group.add_argument("--tests-under", metavar="FOLDER", help="folder of the test files inside the suite")
    group.add_argument("--only", action="append", default=[], metavar="GLOB", help="files that match, or contain it")
    group.add_argument("--no-slow", action="store_true", help="leave out *.test_slow")
    group.add_argument("--skip-config", type=Path, metavar="JSON", help="leave out its skip_tests; inside the suite")
    group.add_argument("--no-skip-config", action="store_true", help="also run what upstream skips on PostgreSQL")
    group.add_argument(
        "--run-skipped", action="append", default=[], metavar="GLOB",
        help="run these although the configuration and the baseline skip them",
    )  # fmt: skip


def _add_server(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("metadata server")
    choice = group.add_mutually_exclusive_group()
    choice.add_argument("--server", action="store_true", help="start rocklake serve, a database per file (default)")
    choice.add_argument("--dsn", default="", help="libpq connection string of a running server")
    choice.add_argument("--no-server", action="store_true", help="DuckDB files as metadata: the files' own default")
    group.add_argument("--server-name", default="", metavar="NAME", help="what reports and baselines call the server")
    group.add_argument("--store", default="", metavar="URL", help="store of the started server (a temporary folder)")
    group.add_argument("--reset", type=Reset, choices=list(Reset), default=Reset.NONE, help="before each file (none)")
    group.add_argument("--before", default="", metavar="COMMAND", help="run before each file instead of --reset")
    group.add_argument("--after", default="", metavar="COMMAND", help="run after each file")
    group.add_argument("--admin-dbname", default="postgres", help="where --reset database connects to (postgres)")


def _add_client(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("DuckDB")
    group.add_argument(
        "--client", choices=sorted(VERSIONS), help="a DuckDB line in an environment of its own; else this Python's"
    )
    group.add_argument("--python", type=Path, help="an interpreter that has duckdb and pyarrow")
    group.add_argument("--extensions", default=",".join(EXTENSIONS), help="loaded at the start")
    group.add_argument("--extension-folder", action="append", default=[], help="searched before installed packages")
    group.add_argument("--init-sql", action="append", default=[], metavar="SQL", help="run in DuckDB before each file")
    group.add_argument(
        "--env", action="append", default=[], metavar="NAME=VALUE", help="override test-env, answer require-env"
    )
    group.add_argument("--threads", type=int, default=0, help="DuckDB's threads setting")


def _add_run(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("run")
    group.add_argument("--jobs", type=int, default=1, help="files at once (1)")
    group.add_argument("--timeout", type=float, default=60.0, help="seconds for a file (60)")
    group.add_argument("--retries", type=int, default=0, help="more attempts at a failed file (0)")
    group.add_argument("--baseline", type=Path, metavar="JSON", help="an earlier run, not to fall behind")
    group.add_argument("--write-baseline", type=Path, metavar="JSON", help="make this run a baseline")
    group.add_argument("--json", type=Path, metavar="FILE", help="write all outcomes in full")
    group.add_argument("--tmp", type=Path, metavar="FOLDER", help="where temporary folders go")
    group.add_argument("--keep", action="store_true", help="keep temporary folders and databases")
    group.add_argument("--trace", action="store_true", help="print every SQL statement and its time to stderr")
    group.add_argument("-v", "--verbose", action="store_true", help="show SQL, expectation and result of failures")


def _complete(options: argparse.Namespace) -> None:
    """Fill in what follows from the suite: upstream keeps its files and its skip list in places of its own."""
    own = options.suite.resolve() == OWN_SUITE.resolve()
    if options.tests_under is None:
        options.tests_under = OWN_FILES if own else UPSTREAM_FILES
    is_upstream = (options.suite / UPSTREAM_SKIPS).exists()
    if options.no_skip_config:
        options.skip_config = None
    elif options.skip_config is None and is_upstream and not options.no_server:
        options.skip_config = UPSTREAM_SKIPS
    for pair in options.env:
        if not re.fullmatch(r"\w+=.*", pair, re.DOTALL):
            raise SystemExit(f"--env {pair}: expected NAME=VALUE")
