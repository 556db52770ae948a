"""The rules of the measurement, over plain DuckDBs in place of lakes; and over two servers."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import duckdb
import pytest

from benchmarks.cases import SMALL, Case, Lake, prepare, sql
from benchmarks.many_files import register_files
from benchmarks.measuring import DifferentAnswers, floor_of, measure
from benchmarks.side_by_side import cases
from benchmarks.targets import Target, postgres, rocklake, settings_of

ONE_MORE = sql("INSERT INTO t VALUES ({round})")
COUNT = sql("SELECT count(*), sum(a) FROM t")


@pytest.fixture
def lakes() -> Iterator[list[Lake]]:
    with ExitStack() as stack:
        made = []
        for name in ("ours", "theirs"):
            connection = stack.enter_context(duckdb.connect())
            connection.execute("CREATE TABLE t(a INTEGER)")
            made.append((Target(name, "dbname=none", Path()), connection))
        yield made


def read(**changes: object) -> Case:
    return Case(**{"name": "read", "run": COUNT, "rounds": 4, "before": ONE_MORE, "reads": True, **changes})


def test_a_read_whose_answer_a_commit_changes_is_measured(lakes: list[Lake]) -> None:
    result = measure(read(target=1.5, bound="nothing"), lakes)
    assert (result.name, result.unit, result.rounds, result.target, result.bound) == ("read", "ms", 4, 1.5, "nothing")
    assert result.ours > 0
    assert result.theirs > 0
    assert [lake[1].execute("SELECT count(*) FROM t").fetchall() for lake in lakes] == [[(4,)], [(4,)]]


def test_a_planted_difference_fails_the_run(lakes: list[Lake]) -> None:
    lakes[1][1].execute("INSERT INTO t VALUES (1000)")
    with pytest.raises(DifferentAnswers, match=r"read, round 0.*1000"):
        measure(read(), lakes)


def test_a_difference_in_the_last_round_fails_the_run(lakes: list[Lake]) -> None:
    def before(lake: Lake, number: int) -> None:
        lake[1].execute(f"INSERT INTO t VALUES ({number + (number == 3 and lake[0].name == 'theirs')})")

    with pytest.raises(DifferentAnswers, match="read, round 3"):
        measure(read(before=before), lakes)


def test_values_are_compared_with_their_types_of_row(lakes: list[Lake]) -> None:
    """NULL is not zero, and the order of rows counts."""
    lakes[0][1].execute("INSERT INTO t VALUES (1), (NULL)")
    lakes[1][1].execute("INSERT INTO t VALUES (NULL), (1)")
    with pytest.raises(DifferentAnswers):
        measure(read(run=sql("SELECT a FROM t")), lakes)


@pytest.mark.parametrize("before", [None, sql("INSERT INTO t VALUES (NULL)"), sql("SELECT 1")])
def test_a_read_that_nothing_changed_fails_the_run(lakes: list[Lake], before: object) -> None:
    with pytest.raises(DifferentAnswers, match="nothing changed the answer"):
        measure(read(run=sql("SELECT sum(a) FROM t"), before=before, setup=sql("INSERT INTO t VALUES (7)")), lakes)


def test_a_read_without_an_answer_fails_the_run(lakes: list[Lake]) -> None:
    with pytest.raises(DifferentAnswers, match="no answer that can be compared"):
        measure(read(run=lambda lake, number: None), lakes)


def test_what_a_write_left_behind_is_compared_after_its_last_round(lakes: list[Lake]) -> None:
    write = Case("write", sql("INSERT INTO t VALUES (random())"), 3, check=sql("SELECT count(*) FROM t"))
    measure(write, lakes)
    lakes[0][1].execute("DELETE FROM t")
    with pytest.raises(DifferentAnswers, match="write, round 2"):
        measure(write, lakes)


def test_the_servers_take_turns_and_change_their_order(lakes: list[Lake]) -> None:
    order: list[str] = []

    def run(lake: Lake, number: int) -> object:
        order.append(lake[0].name)
        return number

    measure(read(run=run), lakes)
    assert order == ["ours", "theirs", "theirs", "ours", "ours", "theirs", "theirs", "ours"]


def test_only_the_run_is_timed(lakes: list[Lake]) -> None:
    slow = sql("SELECT sum(range) FROM range(3000000)")
    case = read(before=lambda lake, number: (slow(lake, number), ONE_MORE(lake, number)),
                check=lambda lake, number: (slow(lake, number), COUNT(lake, number)))
    slow_ms = measure(read(run=lambda lake, number: (slow(lake, number), number)), lakes).ours
    assert measure(case, lakes).ours < slow_ms


def test_files_are_registered_for_the_cases_that_read_them() -> None:
    def names(*arguments: object) -> list[object]:
        return [case.name if isinstance(case, Case) else case for case in cases(*arguments)]

    everything = names([20_000, 1_000_000])
    assert [name for name in everything if isinstance(name, int)] == [1_000_000]
    assert everything.index(register_files().name) < everything.index("list 20,000 files")
    assert names([20_000, 1_000_000], "^create table$") == ["create table"]
    assert names([20_000, 500], "^list") == [register_files().name, "list 20,000 files", 500, "list 500 files"]


def test_every_read_of_the_benchmark_has_a_commit_before_it_and_every_case_says_what_bounds_it() -> None:
    all_of_them = [case for case in cases([20_000]) if isinstance(case, Case)]
    assert [case.name for case in all_of_them if case.reads and case.before is None] == []
    assert [case.name for case in all_of_them if not case.reads and case.check is None] == []
    assert [case.name for case in all_of_them if case.target is None or not case.bound] == []
    assert len({case.name for case in all_of_them}) == len(all_of_them)


@pytest.mark.duckdb
@pytest.mark.postgres
def test_the_measurement_compares_two_servers_and_finds_the_clients_share() -> None:
    named = {case.name: case for case in SMALL}
    with ExitStack() as stack:
        targets = [stack.enter_context(rocklake()), stack.enter_context(postgres())]
        assert settings_of(targets[1])["fsync"] == "on"
        lakes: list[Lake] = [(target, stack.enter_context(target.client())) for target in targets]
        floor = floor_of(targets[0], stack)
        for lake in (*lakes, floor.writes):
            prepare(lake)
        for name in ("insert 1 row, inlined", "select an inlined table", "create table"):
            result = measure(replace(named[name], rounds=4), lakes, floor)
            assert result.floor is not None
            assert 0 < result.floor < 2 * result.ours
        lakes[1][1].execute("INSERT INTO t1 VALUES (1, 'planted', NULL, 0.5)")
        with pytest.raises(DifferentAnswers, match="select an inlined table"):
            measure(named["select an inlined table"], lakes)
