"""Replies to the corpus have the tags, notices, columns, types, modifiers, formats and SQLSTATEs that PostgreSQL's had
when they were written down."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.corpus.golden import REPLIES, Recorder, by_file, numbered, recorders
from tests.servers import ExternalServer, RockLakeServer

FILES = by_file()


@pytest.fixture(scope="module")
def ours(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Recorder]]:
    server = RockLakeServer("memory:///golden", logs=tmp_path_factory.mktemp("golden"))
    server.start()
    try:
        with recorders(server) as found:
            yield found
    finally:
        server.stop()


def written_down(name: str) -> list[str]:
    return (REPLIES / f"{name}.txt").read_text(encoding="utf-8").splitlines()


@pytest.mark.parametrize("name", FILES)
def test_replies_are_those_of_postgresql(ours: dict[str, Recorder], name: str) -> None:
    assert numbered(ours[name.split("/")[0]], FILES[name]) == written_down(name)


def test_every_file_belongs_to_one_of_the_corpus() -> None:
    assert {path.relative_to(REPLIES).with_suffix("").as_posix() for path in REPLIES.rglob("*.txt")} == set(FILES)


@pytest.mark.postgres
def test_replies_written_down_are_up_to_date(postgres_dsn: str) -> None:
    server = ExternalServer(postgres_dsn)
    try:
        with recorders(server) as theirs:
            for name, entries in FILES.items():
                assert numbered(theirs[name.split("/")[0]], entries) == written_down(name), name
    finally:
        server.stop()
