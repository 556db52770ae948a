"""Variables in texts, and the rounds of loops."""

from __future__ import annotations

import re

import pytest

from tests.conformance.dialect import parse
from tests.conformance.exchange import FileFailed, FileSkipped
from tests.conformance.expansion import CONNECTION, Loops, Variables, rounds


def variables(**overrides: str) -> Variables:
    return Variables(
        file="files/a.test", test_directory="/tmp/here", working_directory="/tmp/there", overrides=overrides
    )


def rounds_of(line: str, loops: Loops | None = None) -> list[Loops]:
    (record,) = parse(f"{line}\nhalt\nendloop\n")
    return rounds(record, loops or {}, variables().expand)


def test_names_are_replaced_in_both_spellings() -> None:
    known = variables()
    known.define("NAME", "value")
    assert known.expand("${NAME} {NAME} ${i} {i}", {"i": "7"}) == "value value 7 7"
    assert known.expand("__TEST_DIR__ {TEST_DIR} {TEMP_DIR} __WORKING_DIRECTORY__") == (
        "/tmp/here /tmp/here /tmp/here /tmp/there"
    )
    assert known.expand("{TEST_NAME} {BASE_TEST_NAME}") == "files/a.test files_a.test"


def test_unknown_names_stay() -> None:
    assert variables().expand("${j} {'a': 1}", {"i": "1"}) == "${j} {'a': 1}"


def test_every_uuid_is_another() -> None:
    shape = r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"
    assert len(set(re.findall(shape, variables().expand("{UUID}{UUID}")))) == 2


def test_the_callers_value_wins_and_may_use_names() -> None:
    known = variables(PLACE="__TEST_DIR__/x")
    known.define("PLACE", "default")
    assert known.expand("${PLACE}") == "/tmp/here/x"


def test_use_of_the_servers_connection_is_noticed() -> None:
    for overrides, used in (({CONNECTION: "postgres:host=x"}, True), ({}, False)):
        known = variables(**overrides)
        known.define(CONNECTION, "file.db")
        assert known.uses_server is False
        known.expand("ATTACH 'ducklake:${DUCKLAKE_CONNECTION}'")
        assert known.uses_server is used


def test_a_required_name_that_is_absent_skips_the_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CONFORMANCE_GIVEN", "1")
    known = variables(OVERRIDE="2")
    known.require("CONFORMANCE_GIVEN", None)
    known.require("OVERRIDE", "2")
    assert known.expand("${CONFORMANCE_GIVEN} ${OVERRIDE}") == "1 2"
    with pytest.raises(FileSkipped, match="require-env CONFORMANCE_ABSENT"):
        known.require("CONFORMANCE_ABSENT", None)
    with pytest.raises(FileSkipped, match="require-env CONFORMANCE_GIVEN 3"):
        known.require("CONFORMANCE_GIVEN", "3")


def test_a_loop_counts_up_to_its_end() -> None:
    assert rounds_of("loop i 1 4") == [{"i": "1"}, {"i": "2"}, {"i": "3"}]
    assert rounds_of("concurrentloop i 0 0") == []


def test_a_loop_inside_another_keeps_and_uses_its_variables() -> None:
    assert rounds_of("loop j 0 ${n}", {"n": "2"}) == [{"n": "2", "j": "0"}, {"n": "2", "j": "1"}]


def test_foreach_takes_words_sets_and_tuples() -> None:
    assert rounds_of("foreach x a b") == [{"x": "a"}, {"x": "b"}]
    assert rounds_of("concurrentforeach a,b 1,2 3,4") == [{"a": "1", "b": "2"}, {"a": "3", "b": "4"}]
    assert [variable["t"] for variable in rounds_of("foreach t <signed> date")] == [
        "tinyint", "smallint", "integer", "bigint", "hugeint", "date"
    ]  # fmt: skip


@pytest.mark.parametrize("line", ["foreach a,b 1,2,3", "foreach a,b 1", "loop"])
def test_a_loop_that_makes_no_rounds_is_refused(line: str) -> None:
    with pytest.raises(FileFailed):
        rounds_of(line)
