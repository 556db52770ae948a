"""Big lakes are filled in statements and transactions of bounded size."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from benchmarks import filling
from benchmarks.filling import insert_statements


@pytest.mark.parametrize(("rows", "sizes"), [(0, []), (1, [1]), (1000, [1000]), (2500, [1000, 1000, 500])])
def test_statements_hold_a_thousand_rows_at_most(rows: int, sizes: list[int]) -> None:
    statements = list(insert_statements("t", (f"({n})" for n in range(rows))))
    assert [statement.count("(") for statement in statements] == sizes
    assert all(statement.startswith("INSERT INTO t VALUES (") for statement in statements)
    assert ",".join(s.removeprefix("INSERT INTO t VALUES ") for s in statements) == ",".join(
        f"({n})" for n in range(rows))


def test_rows_are_made_when_they_are_needed() -> None:
    made = 0

    def rows() -> Iterator[str]:
        nonlocal made
        while True:
            made += 1
            yield "(1)"

    next(insert_statements("t", rows()))
    assert made == filling.STATEMENT_ROWS
