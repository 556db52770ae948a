"""The journal's files: what is appended is read back, and a file that lost an acknowledged record is named."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from rocklake_server.errors import CannotConnectNow, CorruptValue
from rocklake_server.store.folder_mark import JOURNAL, FolderMark
from rocklake_server.store.redo_journal import DIRECTORY, RedoJournal

FILES, RECORDS = 3, 4
"""Of ``journal``: records 1 to 12."""


@pytest.fixture
def mark(tmp_path: Path) -> Iterator[FolderMark]:
    mark = FolderMark(tmp_path)
    yield mark
    mark.close()


@pytest.fixture
def journal(tmp_path: Path, mark: FolderMark) -> Iterator[RedoJournal]:
    journal = RedoJournal(tmp_path, mark)
    journal.lock()
    for number in range(1, FILES * RECORDS + 1):
        journal.append(number, b"body %d" % number)
        if number % RECORDS == 0:
            journal.turn_over()
    yield journal
    journal.close()


def numbers(journal: RedoJournal, after: int = 0) -> list[int]:
    return [record.number for record in journal.read(after)]


def files(folder: Path) -> list[Path]:
    return sorted((folder / DIRECTORY).iterdir())


def damage_last_record(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-1] + b"?")


LOST: dict[str, Callable[[Path], object]] = {
    "missing": lambda path: path.unlink(),
    "empty": lambda path: path.write_bytes(b""),
    "filled with zeros": lambda path: path.write_bytes(bytes(path.stat().st_size)),
    "cut within a record": lambda path: path.write_bytes(path.read_bytes()[:-1]),
    "damaged in its last record": damage_last_record,
    "without its beginning": lambda path: path.write_bytes(path.read_bytes()[1:]),
}


def test_records_are_read_back_in_order(journal: RedoJournal, tmp_path: Path) -> None:
    assert [path.name for path in files(tmp_path)] == [f"{number:020d}.journal" for number in (1, 5, 9)]
    assert [(record.number, record.body) for record in journal.read(0)] == [
        (number, b"body %d" % number) for number in range(1, 13)]


@pytest.mark.parametrize("after", range(13))
def test_records_that_tables_have_are_passed_over(journal: RedoJournal, after: int) -> None:
    assert numbers(journal, after) == list(range(after + 1, 13))


@pytest.mark.parametrize("place", range(FILES))
@pytest.mark.parametrize("way", LOST)
def test_a_file_that_lost_a_record_is_named(journal: RedoJournal, tmp_path: Path, way: str, place: int) -> None:
    path = files(tmp_path)[place]
    LOST[way](path)
    with pytest.raises(CorruptValue, match=f"{path.name} is (damaged|missing)"):
        journal.read(0)


@pytest.mark.parametrize("way", LOST)
def test_a_file_whose_records_are_in_tables_may_be_lost(journal: RedoJournal, tmp_path: Path, way: str) -> None:
    LOST[way](files(tmp_path)[0])
    assert numbers(journal, after=RECORDS) == list(range(RECORDS + 1, 13))


def test_only_the_mark_knows_of_the_newest_record(journal: RedoJournal, mark: FolderMark, tmp_path: Path) -> None:
    damage_last_record(files(tmp_path)[-1])
    with pytest.raises(CorruptValue) as caught:
        journal.read(0)
    assert mark.path.name in str(caught.value.hint)
    mark.newest[JOURNAL] = 0
    assert numbers(journal) == list(range(1, 12))


def test_dropped_files_are_gone_and_the_next_record_is_a_file_of_its_own(journal: RedoJournal, tmp_path: Path) -> None:
    journal.append(13, b"body 13")
    journal.drop(journal.turn_over())
    assert files(tmp_path) == []
    journal.append(14, b"body 14")
    assert [path.name for path in files(tmp_path)] == [f"{14:020d}.journal"]
    assert numbers(journal, after=13) == [14]


def test_its_length_is_that_of_the_file_that_is_written(journal: RedoJournal, tmp_path: Path) -> None:
    assert not journal.is_longer(records=1, size_bytes=1)
    journal.append(13, b"x" * 1000)
    assert journal.is_longer(records=1, size_bytes=10_000)
    size_bytes = files(tmp_path)[-1].stat().st_size
    assert journal.is_longer(records=2, size_bytes=size_bytes)
    assert not journal.is_longer(records=2, size_bytes=size_bytes + 1)


def test_a_journal_has_one_writer(journal: RedoJournal, tmp_path: Path) -> None:
    other = RedoJournal(tmp_path, FolderMark(tmp_path))
    with pytest.raises(CannotConnectNow, match="in use"):
        other.lock()
    journal.close()
    other.lock()
    assert numbers(other) == list(range(1, 13))
    other.close()
