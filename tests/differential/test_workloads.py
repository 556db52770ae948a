"""Random workloads leave PostgreSQL and our server with the same answers and the same catalogs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from tests.differential.generator import workload
from tests.differential.running import Runner
from tests.differential.shrinking import shrunk
from tests.differential.sides import Side
from tests.differential.statements import Workload, parsed
from tests.servers import ExternalServer, RockLakeServer
from tests.verified import damage_in

pytestmark = [pytest.mark.duckdb, pytest.mark.postgres, pytest.mark.timeout(240)]

WORKLOADS = 8
SEED = 20_000
SMALL = """
    a: CREATE TABLE t(id INTEGER)
    a: CREATE TABLE other(id INTEGER)
    a: COMMENT ON TABLE t IS 'here'
    b: INSERT INTO other VALUES (1), (2)
"""


@pytest.fixture(scope="module")
def runner(postgres_dsn: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Runner]:
    """Both servers."""
    folder = tmp_path_factory.mktemp("differential")
    ours, theirs = RockLakeServer(f"file://{folder}/store", logs=folder), ExternalServer(postgres_dsn)
    ours.start()
    yield Runner(ours, theirs, folder)
    ours.stop()
    theirs.stop()
    assert damage_in(ours.store) == [], "the lake of every workload is whole"


def _without_comments(side: Side) -> None:
    with psycopg.connect(side.dsn, autocommit=True) as connection:
        connection.execute("UPDATE ducklake_tag SET value = 'not here'")


def test_random_workloads_show_no_difference(runner: Runner) -> None:
    for number in range(WORKLOADS):
        each = workload(SEED + number)
        found = runner.difference(each)
        assert found is None, f"workload {SEED + number}: {found}\n\n{each}"


def test_a_planted_difference_is_found_and_its_workload_made_small(runner: Runner) -> None:
    whole = parsed(SMALL)
    assert runner.difference(whole) is None
    found = runner.difference(whole, _without_comments)
    assert found is not None
    assert found.what == "relation ducklake_tag"

    def still(candidate: Workload) -> bool:
        return runner.difference(candidate, _without_comments) is not None

    small = shrunk(whole, still, 30)
    assert [statement.sql.split()[0] for statement in small.statements] == ["CREATE", "COMMENT"]


def test_an_answer_that_differs_names_its_statement(runner: Runner, tmp_path: Path) -> None:
    theirs, ours = runner.theirs, runner.ours
    assert isinstance(theirs, ExternalServer)
    one, other = Side(ours.dsn("one"), tmp_path / "one", ""), Side(theirs.dsn("one"), tmp_path / "other", "")
    answers = []
    for side, value in ((one, 1), (other, 2)):
        side.open(["a"])
        create, read = parsed(f"a: CREATE TABLE t AS SELECT {value} AS id\na: FROM t").statements
        side.answer(create)
        answers.append(side.answer(read))
    assert answers[0] != answers[1]
    assert answers[0].lines(answers[1]) == ["row: (1,)"]
    for side in (one, other):
        side.close()
