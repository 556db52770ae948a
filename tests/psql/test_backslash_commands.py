"""psql's backslash commands print on this server what they print on a PostgreSQL that holds the same lake.

Sizes are hidden: a page of PostgreSQL's has no like here. What else a lake never has is taken from PostgreSQL's new
databases (``sides.SAME_START``), so that nothing of the output has to be.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.psql.lakes import SEEDS, Lake
from tests.psql.sides import Sides, psql, watched

pytestmark = pytest.mark.postgres

COMMANDS = (Path(__file__).parent / "commands.sql").read_text()


@pytest.mark.parametrize("number", range(len(SEEDS)))
def test_every_command_prints_what_it_prints_on_postgresql(sides: Sides, number: int) -> None:
    lake = sides.lakes[number]
    script = COMMANDS + "\n".join(lake.describing()) + "\n"
    ours, theirs = psql(sides.rocklake[lake.database], script), psql(sides.postgres[lake.database], script)
    assert len(theirs) > 100
    assert ours == theirs


def test_watch_repeats_a_statement(sides: Sides) -> None:
    script = "SELECT count(*) FROM pg_tables WHERE tablename LIKE 'ducklake%' \\watch 0.05\n"
    name = sides.lakes[0].database
    ours, theirs = watched(sides.rocklake[name], script, 6), watched(sides.postgres[name], script, 6)
    assert theirs.count("31\n") >= 3
    assert ours == theirs


def test_the_lakes_differ() -> None:
    lakes = [Lake(seed) for seed in SEEDS]
    assert len({tuple(lake.statements) for lake in lakes}) == len(SEEDS)
    for lake in lakes:
        kinds = {statement.split(" ON ")[0] for statement in lake.statements if statement.startswith("COMMENT")}
        assert kinds >= {"COMMENT"}
        assert any(statement.startswith("CREATE INDEX") for statement in lake.statements)
