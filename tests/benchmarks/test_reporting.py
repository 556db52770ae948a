"""Results as a printed table, as Markdown, as JSON and as a plot."""

from __future__ import annotations

import json
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.alone.figures import Figure
from benchmarks.alone.figures import line as line_of_figure
from benchmarks.plot import RATIO_MAX, WIDTH, svg
from benchmarks.results import Result
from benchmarks.table import HEADING, line, markdown, markdown_of_figures

SVG = "{http://www.w3.org/2000/svg}"
AHEAD = Result("select <count> & more", "ms", 7, ours=5.0, theirs=10.0, floor=4.0, target=0.9, bound="the client | all")
BEHIND = Result("insert", "ms", 7, ours=30.0, theirs=10.0, target=1.0)
WRITERS = Result("4 writers", "commits/s", 3, ours=120.0, theirs=100.0, target=1.0, at_least=True)
SHOWN = Result("16 writers", "commits/s", 3, ours=50.0, theirs=100.0, at_least=True)
ALL = [AHEAD, BEHIND, WRITERS, SHOWN]

positive = st.floats(1e-3, 1e9)
results = st.builds(
    Result, name=st.text(st.characters(exclude_categories=["Cc", "Cs"], exclude_characters="\ufffe\uffff")),
    unit=st.just("ms"), rounds=st.integers(1, 9), ours=positive, theirs=positive, floor=st.none() | positive,
    target=st.none() | positive, at_least=st.booleans(), bound=st.just(""),
)


def test_the_ratio_is_ours_to_theirs_and_the_floor_is_to_theirs_too() -> None:
    assert (AHEAD.ratio, AHEAD.floor_ratio, BEHIND.ratio, BEHIND.floor_ratio) == (0.5, 0.4, 3.0, None)


def test_a_target_is_the_most_or_the_least() -> None:
    assert [result.met for result in ALL] == [True, False, True, None]
    assert Result("4 writers", "commits/s", 3, 90.0, 100.0, target=1.0, at_least=True).met is False


@given(results)
def test_a_result_survives_its_json(result: Result) -> None:
    assert Result.of(json.loads(json.dumps(result.as_json()))) == result


def test_the_printed_table_has_both_medians_the_ratio_the_target_and_the_floor() -> None:
    assert line(AHEAD).split() == [
        "select", "<count>", "&", "more", "5.00", "10.00", "ms", "0.50", "≤", "0.90", "4.00", "0.40"]
    assert line(BEHIND).split() == ["insert", "30.00", "10.00", "ms", "3.00", "≤", "1.00", "-", "-", "missed"]
    assert line(SHOWN).split() == ["16", "writers", "50.00", "100.00", "commits/s", "0.50", "-", "-", "-"]
    assert len({len(line(result).removesuffix("  missed")) for result in ALL} | {len(HEADING)}) == 1


def test_the_markdown_table_has_one_row_a_case_and_marks_what_is_missed() -> None:
    heading, rule, *rows = markdown(ALL).splitlines()
    assert heading.count("|") == rule.count("|") == 8
    assert rows[0] == "| select <count> & more | 5.00 ms | 10.0 ms | 0.50 | ≤ 0.90 | 0.40 | the client \\| all |"
    assert rows[1] == "| insert | 30.0 ms | 10.0 ms | **3.00** | ≤ 1.00 | - |  |"
    assert rows[2] == "| 4 writers | 120 commits/s | 100 commits/s | 1.20 | ≥ 1.00 | - |  |"


def test_figures_alone_are_held_against_their_targets() -> None:
    slow = Figure("commit", 30.0, "ms", 25.0, details={"least, ms": 22.25})
    many = Figure("commits", 1200.0, "commits/s", 1000.0, at_least=True)
    shown = Figure("ratio", 0.5, "")
    assert [figure.met for figure in (slow, many, shown)] == [False, True, None]
    assert line_of_figure(slow).splitlines()[0].endswith("≤ 25  missed")
    assert line_of_figure(many).endswith("≥ 1000")
    rows = markdown_of_figures(figure.as_json() for figure in (slow, many, shown)).splitlines()[2:]
    assert rows == ["| commit | **30 ms** | ≤ 25 | least, ms: 22.2 |", "| commits | 1,200 commits/s | ≥ 1,000 |  |",
                    "| ratio | 0.5 | - |  |"]


def parsed(text: str) -> ElementTree.Element:
    return ElementTree.fromstring(text)


def bars(root: ElementTree.Element) -> list[ElementTree.Element]:
    return [element for element in root.iter(f"{SVG}rect") if element.get("rx")]


def test_the_plot_is_an_svg_with_a_bar_for_each_case_that_is_a_time() -> None:
    root = parsed(svg(ALL))
    assert root.tag == f"{SVG}svg"
    assert len(bars(root)) == 2
    texts = [element.text for element in root.iter(f"{SVG}text")]
    assert {"select <count> & more", "insert", "0.50", "3.00"} <= set(texts)
    assert "4 writers" not in texts


def test_bars_are_as_long_as_their_ratios_and_long_ones_are_cut() -> None:
    half, cut = (float(str(bar.get("width"))) for bar in bars(parsed(svg([AHEAD, BEHIND]))))
    assert half / cut == pytest.approx(0.5 / RATIO_MAX, abs=0.001)


@given(st.lists(results, max_size=5))
def test_every_plot_is_well_formed_and_within_its_width(drawn: list[Result]) -> None:
    root = parsed(svg(drawn))
    assert len(bars(root)) == sum(not result.at_least for result in drawn)
    for bar in bars(root):
        assert 0 <= float(str(bar.get("x"))) + float(str(bar.get("width"))) <= WIDTH
