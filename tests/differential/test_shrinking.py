"""A workload is cut down to the statements that matter."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.differential.shrinking import shrunk
from tests.differential.statements import Statement, Workload, parsed


def _needed(count: int) -> st.SearchStrategy[tuple[int, set[int]]]:
    return st.tuples(st.just(count), st.sets(st.integers(0, count - 1), min_size=1, max_size=4))


@given(st.integers(1, 40).flatmap(_needed))
def test_exactly_the_statements_that_matter_stay(drawn: tuple[int, set[int]]) -> None:
    count, needed = drawn
    whole = Workload(tuple(Statement("a", f"SELECT {number}") for number in range(count)))
    wanted = {f"SELECT {number}" for number in needed}

    def fails(candidate: Workload) -> bool:
        return wanted <= {statement.sql for statement in candidate.statements}

    small = shrunk(whole, fails, 1000)
    assert [statement.sql for statement in small.statements] == [f"SELECT {number}" for number in sorted(needed)]


def test_a_transaction_goes_as_a_whole() -> None:
    whole = parsed("a: SELECT 0\na: BEGIN\na: SELECT 1\na: COMMIT\nb: BEGIN\nb: ROLLBACK")

    def fails(candidate: Workload) -> bool:
        """A BEGIN needs its end, an end its BEGIN; SELECT 1 is what matters."""
        texts = [(statement.client, statement.sql) for statement in candidate.statements]
        ends = sum(sql in ("COMMIT", "ROLLBACK") for _, sql in texts)
        return ("a", "SELECT 1") in texts and ends == sum(sql == "BEGIN" for _, sql in texts)

    assert str(shrunk(whole, fails, 100)) == "attach: \na: SELECT 1"


def test_the_number_of_trials_is_bounded() -> None:
    trials: list[Workload] = []

    def fails(candidate: Workload) -> bool:
        trials.append(candidate)
        return False

    whole = Workload(tuple(Statement("a", "SELECT 1") for _ in range(30)))
    assert shrunk(whole, fails, 5) == whole
    assert len(trials) == 5
