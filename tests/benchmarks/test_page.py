"""docs/performance.md is made from the figures that are kept beside it."""

from __future__ import annotations

import pytest

from benchmarks.page import BUSY, DATA, PAGE, PLOT, REPOSITORY, outputs, replaced, stored, surroundings


@pytest.mark.parametrize("path", [DATA, PAGE, PLOT])
def test_the_page_and_its_plot_are_in_step_with_their_figures(path: str) -> None:
    text = (REPOSITORY / path).read_text(encoding="utf-8")
    page = (REPOSITORY / PAGE).read_text(encoding="utf-8")
    assert outputs(stored(), page)[path] == text, f"{path} is out of step: run python -m benchmarks.page"


def test_the_page_shows_every_case_of_the_figures() -> None:
    page = (REPOSITORY / PAGE).read_text(encoding="utf-8")
    names = [case["name"] for case in stored()["side_by_side"]["cases"]]
    assert len(names) > 20
    assert [name for name in names if f"| {name} |" not in page] == []


def test_only_what_stands_between_the_marks_is_replaced() -> None:
    page = "before\n<!-- begin one -->\nold\nlines\n<!-- end one -->\nafter\n"
    new = replaced(page, "one", "new \\1\n")
    assert new == "before\n<!-- begin one -->\nnew \\1\n<!-- end one -->\nafter\n"
    assert replaced(new, "one", "new \\1\n") == new


@pytest.mark.parametrize("page", ["", "<!-- begin one -->\n<!-- end one -->\n" * 2])
def test_a_page_without_the_marks_or_with_two_is_refused(page: str) -> None:
    with pytest.raises(ValueError, match="parts named 'one'"):
        replaced(page, "one", "")


@pytest.mark.parametrize(("load", "is_busy"), [(0.4, False), (1.8, True)])
def test_a_machine_that_had_other_work_is_told(load: float, is_busy: bool) -> None:
    machine = {"processor": "p", "cores": 2, "memory_gib": 8, "system": "s", "load_average": [load, 0, 0]}
    text = surroundings({"machine": machine, "versions": {"python": "3"}, "postgres": {"fsync": "on"}})
    assert (BUSY in text) == is_busy
    assert "fsync on" in text
