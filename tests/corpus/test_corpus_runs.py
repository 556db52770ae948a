"""Every statement of the corpus, in every spelling, answers what PostgreSQL answers over the same catalog."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import psycopg
import pytest

from tests.corpus.catalog_data import build
from tests.corpus.rewriting import rewritten
from tests.corpus.sides import Answer, Side, inner_query, made_room, stream_for
from tests.corpus_loader import VARIANTS, Entry, load
from tests.servers import ExternalServer, RockLakeServer

pytestmark = pytest.mark.postgres

WITHOUT_ROWS = {
    frozenset({"oid", "id", "type", "attname"}): "relations have no row types here",
    frozenset({"relname", "relpages"}): "relpages is always 0, so that DuckDB does not scan by ranges of ctids",
}
"""Results that are empty here and not in PostgreSQL, by their columns (no more than these), and why."""

ENTRIES = load()
LINES = ("duckdb-1.4", "duckdb-1.5")


class Both(NamedTuple):
    ours: Side
    theirs: Side


@pytest.fixture(scope="module")
def catalogs(postgres_dsn: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Both]]:
    """For each client line a database with its catalog, on both servers."""
    server = RockLakeServer("memory:///corpus", logs=tmp_path_factory.mktemp("corpus"))
    external = ExternalServer(postgres_dsn)
    opened: list[psycopg.Connection[tuple[object, ...]]] = []
    server.start()
    try:
        found: dict[str, Both] = {}
        for line in LINES:
            pair = [psycopg.connect(each.dsn(f"corpus-{line}"), autocommit=True) for each in (server, external)]
            opened += pair
            known = build(line, *pair)
            found[line] = Both(*(Side(connection, known) for connection in pair))
        yield found
    finally:
        for connection in opened:
            connection.close()
        external.stop()
        server.stop()


def spellings(entry: Entry, side: Side) -> dict[str, str]:
    """The text as it was sent, and every other way to say it."""
    texts = {"as sent": entry.text} | {name: change(entry.text) for name, change in VARIANTS.items()}
    return texts | dict(rewritten(entry.text, side.columns))


def test_most_statements_can_be_rewritten() -> None:
    found = [rewritten(entry.text, lambda _table: [f"c{number}" for number in range(30)]) for entry in ENTRIES]
    assert sum("aliases" in each for each in found) > 300
    assert sum("order" in each for each in found) > 300


@pytest.mark.parametrize("entry", ENTRIES, ids=[entry.name for entry in ENTRIES])
def test_a_statement_answers_what_postgresql_answers(catalogs: dict[str, Both], entry: Entry) -> None:
    both = catalogs[entry.name.split("/")[0]]
    stream = stream_for(entry.text, both.theirs)
    for name, text in spellings(entry, both.theirs).items():
        theirs = _expected(both.theirs.run(text, stream=stream))
        assert both.ours.run(text, stream=stream) == theirs, (name, text)
        before = made_room(entry.text, theirs[-1].sqlstate or "")
        if before:
            again = both.theirs.run(text, stream=stream, before=before)
            assert again[-1].sqlstate is None, (name, text, again)
            assert both.ours.run(text, stream=stream, before=before) == again, (name, text)
    if query := inner_query(entry.text):
        assert both.ours.run(query) == both.theirs.run(query), query


def _expected(answers: list[Answer]) -> list[Answer]:
    """PostgreSQL's answers but for the declared exceptions."""
    emptied = [
        any(
            names <= {name for name, _ in answer.columns} and len(answer.columns) <= len(names) + 2
            for names in WITHOUT_ROWS
        )
        for answer in answers
    ]
    return [answer._replace(rows=()) if empty else answer for answer, empty in zip(answers, emptied, strict=True)]
