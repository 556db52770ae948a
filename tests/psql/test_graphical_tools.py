"""What graphical tools and BI tools ask at their start has PostgreSQL's answers.

The statements of ``tests/gui_queries`` are of the shape of the tools' own: the same relations, functions, joins and
casts, in other words; each file says where the tool's may be read. Objects that PostgreSQL has from the start and a
lake never has are left out by their conditions.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.psql.sides import Sides
from tests.psql.statements import Asked, Recorded, read_statements

pytestmark = pytest.mark.postgres

FOLDER = Path(__file__).parents[1] / "gui_queries"
TOOLS = ("datagrip", "dbeaver", "grafana", "metabase", "pgadmin", "tableplus")


@pytest.fixture(scope="module")
def asked(sides: Sides) -> Iterator[tuple[Asked, Asked]]:
    database = sides.lakes[1].database
    ours, theirs = Asked(sides.rocklake[database]), Asked(sides.postgres[database])
    yield ours, theirs
    ours.close()
    theirs.close()


def of(tool: str) -> list[Recorded]:
    return read_statements(FOLDER / f"{tool}.sql")


@pytest.mark.parametrize("tool", TOOLS)
def test_a_tools_queries_answer_what_postgresql_answers(asked: tuple[Asked, Asked], tool: str) -> None:
    for statement in of(tool):
        ours, theirs = (side.answer(statement.text) for side in asked)
        assert theirs.problem is None, (statement, theirs.problem)
        assert ours == theirs, statement


def test_every_file_names_its_source_and_is_run() -> None:
    assert sorted(path.stem for path in FOLDER.glob("*.sql")) == sorted(TOOLS)
    for tool in TOOLS:
        text = (FOLDER / f"{tool}.sql").read_text()
        assert "/" in text.split("\n\n")[0]
        assert len(of(tool)) >= 6
