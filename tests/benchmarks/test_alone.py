"""Each case that is measured alone runs, in a small lake, and gives the figures that it promises."""

from __future__ import annotations

import pytest

from benchmarks.alone import many_columns as columns
from benchmarks.alone.many_columns import many_columns
from benchmarks.alone.object_store import PUT_S, many_committers, one_client
from benchmarks.alone.round_trip import round_trip
from benchmarks.alone.snapshots import snapshots


def test_a_commit_on_the_slow_bucket_takes_at_least_its_put() -> None:
    (figure,) = one_client(rounds=5)
    assert figure.details["least, ms"] >= PUT_S * 1e3
    assert (figure.unit, figure.target, figure.at_least) == ("ms", 25.0, False)


def test_committers_at_the_engine_share_flushes() -> None:
    (figure,) = many_committers(clients=8, commits_each=4)
    assert figure.details["commits in a flush"] > 2
    assert figure.value <= 8 / PUT_S
    assert (figure.target, figure.at_least) == (1000.0, True)


@pytest.mark.postgres
def test_a_round_trip_is_measured_on_both_servers() -> None:
    (figure,) = round_trip(batches=1)
    assert 5 < figure.value < 1e5
    assert 5 < figure.details["PostgreSQL, µs"] < 1e5


@pytest.mark.duckdb
@pytest.mark.postgres
def test_many_snapshots_are_listed_alike_by_both_servers() -> None:
    (figure,) = snapshots(count=1200, rounds=2)
    assert figure.target == 0.8
    assert 0.05 < figure.details["the client alone / PostgreSQL"] < 20


@pytest.mark.duckdb
def test_readers_of_many_columns_are_measured_idle_and_beside_a_writer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(columns, "COMMIT_INTERVAL_S", 0.05)
    figures = list(many_columns(tables=3, versions=150, rounds=3))
    assert len(figures) == 3
    assert all(figure.value > 0 and figure.target == 1.3 for figure in figures)
