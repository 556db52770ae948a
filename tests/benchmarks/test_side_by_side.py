"""A whole run of one case: what it prints, and the JSON and the plot that it leaves."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from benchmarks import side_by_side
from benchmarks.measuring import DifferentAnswers
from benchmarks.page import surroundings
from benchmarks.results import Result
from benchmarks.targets import Target, rocklake
from benchmarks.writers import Outcome


@pytest.mark.duckdb
@pytest.mark.postgres
def test_a_run_leaves_its_figures_and_what_they_depend_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    figures, plot = tmp_path / "new" / "figures.json", tmp_path / "plot.svg"
    choices = ["--only", "^snapshots", "--files", "--writers", "--json", str(figures), "--plot", str(plot)]
    monkeypatch.setattr(sys, "argv", ["side_by_side", *choices])
    side_by_side.main()
    data = json.loads(figures.read_text())
    (result,) = [Result.of(each) for each in data["cases"]]
    assert (result.name, result.target, result.met) == ("snapshots()", 0.9, result.ratio <= 0.9)
    assert result.floor
    assert data["postgres"]["fsync"] == data["postgres"]["autovacuum"] == "on"
    assert {"python", "duckdb", "slatedb"} <= data["versions"].keys()
    assert "shared_buffers" in surroundings(data)
    printed = capsys.readouterr().out
    assert "shared_buffers=" in printed
    assert f"{result.ratio:.2f}" in printed
    ElementTree.fromstring(plot.read_text())


@pytest.mark.duckdb
def test_a_commit_that_was_told_and_is_not_there_fails_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    def write_nothing(target: Target, count: int) -> Outcome:
        return Outcome(seconds=1.0, latencies_s=[0.1])

    monkeypatch.setattr(side_by_side, "write_at_once", write_nothing)
    with rocklake() as target, pytest.raises(DifferentAnswers, match="1 commits were acknowledged, 0 rows are there"):
        side_by_side.measure_writers([target, target], 1)
