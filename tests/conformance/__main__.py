"""``python -m tests.conformance``: see ``--help``."""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from tests.conformance.baseline import MISSING, Baseline, read_baseline, write_baseline
from tests.conformance.databases import Databases
from tests.conformance.exchange import Outcome, Status
from tests.conformance.options import parse
from tests.conformance.orchestrator import Client, Limits, Orchestrator
from tests.conformance.report import Progress, print_summary, write_json
from tests.conformance.suite import Suite, find_suite
from tests.duckdb_environments import RUNNER_PACKAGES, SUITE_EXTENSIONS, VERSIONS, duckdb_python
from tests.servers import RockLakeServer


@contextmanager
def metadata_server(options: argparse.Namespace) -> Iterator[str]:
    """The connection string for the files; a server of ours runs inside, unless another place was chosen."""
    if options.dsn or options.no_server:
        yield options.dsn
        return
    with tempfile.TemporaryDirectory(prefix="conformance-server-", dir=options.tmp) as name:
        folder = Path(name)
        server = RockLakeServer(options.store or f"file://{folder}/store", logs=folder)
        server.start()
        try:
            yield f"host=127.0.0.1 port={server.port} user=lake dbname=conformance_{{n}}_{{a}}"
        finally:
            server.stop()


def client_of(options: argparse.Namespace) -> Client:
    """The DuckDB that the options choose; its environment is made if need be."""
    python = options.python or Path(sys.executable)
    if options.client:
        python = duckdb_python(options.client, SUITE_EXTENSIONS, RUNNER_PACKAGES)
    return Client(
        python=python, extensions=tuple(options.extensions.split(",")),
        extension_folders=tuple(options.extension_folder), initial_sql=tuple(options.init_sql),
        environment=dict(pair.split("=", 1) for pair in options.env), threads=options.threads, trace=options.trace,
    )  # fmt: skip


def run(options: argparse.Namespace, suite: Suite, baseline: Baseline | None) -> dict[str, Outcome]:
    """Run the chosen files and print each as it ends."""
    files = suite.chosen(options.only, slow=not options.no_slow)
    progress = Progress(len(files))

    def judged(file: str, outcome: Outcome) -> Outcome:
        return baseline.judged(file, outcome) if baseline else outcome

    client = client_of(options)
    limits = Limits(options.jobs, options.timeout, options.retries)
    with metadata_server(options) as dsn:
        databases = Databases(
            dsn, options.reset, options.admin_dbname, options.before, options.after, options.timeout, options.keep
        )
        with Orchestrator(suite, databases, client, limits, keep=options.keep, temporary=options.tmp) as orchestrator:
            raw = orchestrator.run(files, lambda file, outcome: progress(file, judged(file, outcome)))
    return {file: judged(file, outcome) for file, outcome in raw.items()}


def missing_files(options: argparse.Namespace, suite: Suite, baseline: Baseline) -> dict[str, Outcome]:
    """Failures for files that the baseline has and a whole suite has not."""
    if options.only or options.no_slow:
        return {}
    reason = "the baseline has this file, and the suite has not"
    return {file: Outcome(Status.FAIL, kind=MISSING, reason=reason) for file in baseline.missing(suite.files)}


def exit_status(outcomes: Mapping[str, Outcome], baseline: Baseline | None) -> int:
    """1 when a file failed that should not have."""
    failed = [file for file, outcome in outcomes.items() if outcome.status is Status.FAIL]
    if baseline is not None:
        known = [file for file in failed if baseline.is_known_failure(file, outcomes[file])]
        print(*(f"fails in the baseline, too: {file}" for file in known), sep="\n", end="\n" if known else "")
        failed = [file for file in failed if file not in known]
    return 1 if failed else 0


def facts(options: argparse.Namespace, wall_seconds: float) -> dict[str, object]:
    """What a report says about the run as a whole."""
    server = "the server of --dsn" if options.dsn else "DuckDB files" if options.no_server else "RockLake"
    client = f"DuckDB {VERSIONS[options.client]}" if options.client else "this environment's DuckDB"
    return {"server": options.server_name or server, "client": client, "wall_seconds": round(wall_seconds)}


def main(arguments: list[str] | None = None) -> int:
    options = parse(arguments)
    suite = find_suite(options.suite, options.tests_under, options.skip_config, options.run_skipped)
    baseline = read_baseline(options.baseline, options.run_skipped) if options.baseline else None
    started = time.monotonic()
    outcomes = run(options, suite, baseline)
    wall_seconds = time.monotonic() - started
    if baseline is not None:
        outcomes |= missing_files(options, suite, baseline)
    about = facts(options, wall_seconds)
    if options.json:
        write_json(options.json, outcomes, about)
    if options.write_baseline:
        write_baseline(options.write_baseline, outcomes, options.tests_under, about)
    status = exit_status(outcomes, baseline)
    print_summary(outcomes, wall_seconds, details=options.verbose)
    return status


if __name__ == "__main__":
    sys.exit(main())
