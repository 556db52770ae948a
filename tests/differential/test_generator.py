"""The generator repeats itself for a seed, and covers what a lake can do."""

from __future__ import annotations

import pytest

from tests.differential.coverage import Coverage
from tests.differential.generator import workload
from tests.differential.statements import parsed


@pytest.mark.parametrize("seed", [0, 1, 7_000_021])
def test_a_seed_gives_one_workload(seed: int) -> None:
    assert workload(seed) == workload(seed)
    assert str(workload(seed)) != str(workload(seed + 1))


def test_a_printed_workload_is_read_back() -> None:
    for seed in range(50):
        printed = str(workload(seed))
        assert str(parsed(printed)) == printed


def test_what_is_not_a_workload_is_refused() -> None:
    with pytest.raises(ValueError, match="neither a statement"):
        parsed("SELECT 1")


def test_a_thousand_workloads_have_everything_at_least_twenty_times() -> None:
    coverage = Coverage()
    for seed in range(1000):
        coverage.add(workload(seed))
    assert coverage.missing(20) == []
    assert set(coverage.clients) == {1, 2, 3}


def test_coverage_names_what_is_missing() -> None:
    coverage = Coverage()
    coverage.add(parsed("a: CREATE TABLE t(id INTEGER[])"))
    assert {"MAP", "checkpoint", "read"} <= set(coverage.missing(1))


def test_a_transaction_ends_before_its_client_begins_another() -> None:
    for seed in range(100):
        begun: set[str] = set()
        for statement in workload(seed).statements:
            match statement.kind:
                case "begin":
                    assert statement.client not in begun
                    begun.add(statement.client)
                case "commit" | "rollback":
                    begun.remove(statement.client)
                case _:
                    pass
        assert begun == set()
