"""Results as the table that a run prints, and as the one of the documents."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from benchmarks.alone.figures import shown
from benchmarks.results import Result

NONE = "-"
"""Where there is no figure."""

HEADING = (
    f"{'case':56s} {'rocklake':>10s} {'postgres':>10s} {'':9s} {'ratio':>6s} {'target':>7s} "
    f"{'floor':>9s} {'floor/pg':>8s}"
)


def line(result: Result) -> str:
    """One line under ``HEADING``; a missed target is marked."""
    floor = NONE if result.floor is None else f"{result.floor:.2f}"
    mark = "  missed" if result.met is False else ""
    return (
        f"{result.name:56s} {result.ours:10.2f} {result.theirs:10.2f} {result.unit:9s} {result.ratio:6.2f} "
        f"{target(result):>7s} {floor:>9s} {_number(result.floor_ratio):>8s}{mark}"
    )


def target(result: Result) -> str:
    if result.target is None:
        return NONE
    return f"{'≥' if result.at_least else '≤'} {result.target:.2f}"


def markdown(results: Iterable[Result]) -> str:
    """The full table, with what bounds each case."""
    rows = [
        (result.name, _figure(result.ours, result.unit), _figure(result.theirs, result.unit), _ratio(result),
         target(result), _number(result.floor_ratio), result.bound)
        for result in results
    ]
    return markdown_table(("case", "RockLake", "PostgreSQL", "ratio", "target", "floor", "what bounds it"), rows,
                          right_aligned=range(1, 6))


def markdown_of_figures(figures: Iterable[Mapping[str, Any]]) -> str:
    """The table of what is measured alone; ``figures`` are as ``Figure.as_json`` makes them."""
    rows = []
    for figure in figures:
        sign = "≥" if figure["at_least"] else "≤"
        wanted = NONE if figure["target"] is None else f"{sign} {figure['target']:,g}"
        value = f"{shown(figure['value'])} {figure['unit']}".strip()
        rows.append((str(figure["name"]), f"**{value}**" if figure["met"] is False else value, wanted,
                     "; ".join(f"{name}: {shown(number)}" for name, number in figure["details"].items())))
    return markdown_table(("case", "figure", "target", "details"), rows, right_aligned=range(1, 3))


def markdown_table(heading: Sequence[str], rows: Iterable[Sequence[str]], right_aligned: Iterable[int]) -> str:
    right = set(right_aligned)
    rules = ["--:" if column in right else "---" for column in range(len(heading))]
    cells = [heading, rules, *([cell.replace("|", "\\|") for cell in row] for row in rows)]
    return "".join(f"| {' | '.join(row)} |\n" for row in cells)


def _ratio(result: Result) -> str:
    return f"**{result.ratio:.2f}**" if result.met is False else f"{result.ratio:.2f}"


def _figure(value: float, unit: str) -> str:
    digits = 0 if value >= 100 else 1 if value >= 10 else 2
    return f"{value:,.{digits}f} {unit}"


def _number(value: float | None) -> str:
    return NONE if value is None else f"{value:.2f}"
