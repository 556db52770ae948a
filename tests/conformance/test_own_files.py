"""Our own files, by a real DuckDB, on our server and on the PostgreSQL that is the yardstick."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conformance.baseline import read_baseline
from tests.conformance.databases import Databases, Reset
from tests.conformance.exchange import Outcome, Status
from tests.conformance.options import OWN_FILES, OWN_SUITE
from tests.conformance.orchestrator import Client, Limits, Orchestrator
from tests.conformance.report import failure_lines
from tests.conformance.suite import find_suite
from tests.duckdb_environments import RUNNER_PACKAGES, VERSIONS, duckdb_python
from tests.servers import RockLakeServer

pytestmark = [pytest.mark.duckdb, pytest.mark.timeout(300)]

SUITE = find_suite(OWN_SUITE, OWN_FILES)
BASELINES = {line: read_baseline(OWN_SUITE / "baselines" / f"own-files-duckdb-{line}.json") for line in VERSIONS}
LIMITS = Limits(jobs=2, seconds_max=120.0)
Outcomes = dict[str, Outcome]


def run_all(databases: Databases, client: Client, folder: Path) -> Outcomes:
    with Orchestrator(SUITE, databases, client, LIMITS, temporary=folder) as orchestrator:
        return orchestrator.run(SUITE.files, lambda *_: None)


def run_all_on_our_server(client: Client, folder: Path) -> Outcomes:
    """On a fresh local folder; every file has a database of its own."""
    server = RockLakeServer(f"file://{folder}/store", logs=folder)
    server.start()
    try:
        return run_all(Databases(f"host=127.0.0.1 port={server.port} user=lake dbname=own_{{n}}"), client, folder)
    finally:
        server.stop()


@pytest.fixture(scope="module")
def on_our_server(tmp_path_factory: pytest.TempPathFactory) -> Outcomes:
    return run_all_on_our_server(Client(), tmp_path_factory.mktemp("server"))


@pytest.fixture(scope="module")
def on_our_server_by_the_previous_duckdb(tmp_path_factory: pytest.TempPathFactory) -> Outcomes:
    client = Client(python=duckdb_python("1.4", others=RUNNER_PACKAGES))
    return run_all_on_our_server(client, tmp_path_factory.mktemp("server"))


@pytest.fixture(scope="module")
def on_postgres(postgres_dsn: str, tmp_path_factory: pytest.TempPathFactory) -> Outcomes:
    dsn = postgres_dsn.replace("dbname=postgres", "dbname=own_{n}")
    return run_all(Databases(dsn, Reset.DATABASE), Client(), tmp_path_factory.mktemp("runs"))


def assert_passed(file: str, outcome: Outcome) -> None:
    """Fails with the SQL and both results unless the file passed with as many statements as its baseline."""
    judged = BASELINES["1.5"].judged(file, outcome)
    assert judged.status is Status.PASS, "\n".join(failure_lines({file: judged}, details=True))
    assert judged.uses_server


@pytest.mark.parametrize("file", SUITE.files)
def test_it_passes_on_our_server(file: str, on_our_server: Outcomes) -> None:
    assert_passed(file, on_our_server[file])


@pytest.mark.postgres
@pytest.mark.parametrize("file", SUITE.files)
def test_it_passes_on_postgres(file: str, on_postgres: Outcomes) -> None:
    assert_passed(file, on_postgres[file])


@pytest.mark.slow
@pytest.mark.parametrize("file", SUITE.files)
def test_the_previous_duckdb_gets_as_far_as_on_postgres(
    file: str, on_our_server_by_the_previous_duckdb: Outcomes
) -> None:
    """That client lacks what some files use, and then fails on every server at the same statement."""
    baseline = BASELINES["1.4"]
    judged = baseline.judged(file, on_our_server_by_the_previous_duckdb[file])
    as_good = judged.status is Status.PASS or baseline.is_known_failure(file, judged)
    assert as_good, "\n".join(failure_lines({file: judged}, details=True))


@pytest.mark.parametrize("line", sorted(VERSIONS))
def test_every_file_has_a_baseline_from_postgres(line: str) -> None:
    assert BASELINES[line].about["server"] == "PostgreSQL 15"
    assert sorted(BASELINES[line].files) == sorted(SUITE.files)
