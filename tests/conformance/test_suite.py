"""Which files a suite has, which are chosen, and which its configuration leaves out."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.conformance.databases import DatabaseError, dbname, filled
from tests.conformance.suite import Suite, find_suite

NAMES = ("sql/alter/add.test", "sql/alter/drop.test_slow", "sql/view/add_view.test")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in (*NAMES, "sql/alter/notes.txt"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    skips = [{"reason": "one at a time", "paths": ["sql/alter/add.test", "sql/view/add_view.test"]}]
    (tmp_path / "config.json").write_text(json.dumps({"skip_tests": skips}))
    return tmp_path


@pytest.fixture
def suite(folder: Path) -> Suite:
    return find_suite(folder, "sql")


def test_files_of_all_folders_are_found_in_order(suite: Suite) -> None:
    assert suite.files == NAMES
    assert [suite.number(name) for name in NAMES] == [1, 2, 3]


def test_a_folder_without_files_is_refused(folder: Path) -> None:
    with pytest.raises(FileNotFoundError, match="no test files"):
        find_suite(folder, "nowhere")


@pytest.mark.parametrize(
    ("only", "chosen"), [([], NAMES), (["add"], (NAMES[0], NAMES[2])), (["sql/alter/*"], NAMES[:2]), (["x"], ())]
)
def test_files_are_chosen_by_pattern_or_part(suite: Suite, only: list[str], chosen: tuple[str, ...]) -> None:
    assert suite.chosen(only) == list(chosen)


def test_slow_files_can_be_left_out(suite: Suite) -> None:
    assert suite.chosen(["alter"], slow=False) == [NAMES[0]]


def test_a_configuration_skips_files_for_a_reason(folder: Path) -> None:
    skips = find_suite(folder, "sql", Path("config.json")).skips
    assert skips == {NAMES[0]: "skip list: one at a time", NAMES[2]: "skip list: one at a time"}
    assert list(find_suite(folder, "sql", Path("config.json"), ["view"]).skips) == [NAMES[0]]


def test_placeholders_are_filled() -> None:
    assert filled("dbname=x_{n}_{a} {other}", {"n": "7", "a": "1"}) == "dbname=x_7_1 {other}"


def test_the_database_is_read_from_the_connection_string() -> None:
    assert dbname("host=x dbname = 'a b' user=y") == "a b"
    assert dbname("host=x dbname=lake") == "lake"
    with pytest.raises(DatabaseError, match="no dbname"):
        dbname("host=x")
