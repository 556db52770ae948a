"""``python -m benchmarks.page``: brings docs/performance.md and its plot up to date with the newest runs.

Runs leave their figures in ``bench-results``. The page keeps them as docs/performance.json, from which its generated
parts and the plot are made; the figures of a run that was not repeated stay as they were.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from benchmarks.plot import svg
from benchmarks.results import JSON_INDENT, Result
from benchmarks.table import markdown, markdown_of_figures

REPOSITORY = Path(__file__).parents[1]
RUNS = REPOSITORY / "bench-results"
SIDE_BY_SIDE, ALONE = "side_by_side", "alone"
DATA, PAGE, PLOT = "docs/performance.json", "docs/performance.md", "docs/performance.svg"

Data = Mapping[str, Any]
"""By the name of the run; each as the run wrote it."""


def stored() -> dict[str, Any]:
    path = REPOSITORY / DATA
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    return found


def outputs(data: Data, page: str) -> dict[str, str]:
    """The text of every generated file, by its path; ``page`` is the page as it is."""
    results = [Result.of(each) for each in data[SIDE_BY_SIDE]["cases"]]
    parts = {
        "surroundings": surroundings(data[SIDE_BY_SIDE]),
        "side by side": markdown(results),
        "alone": markdown_of_figures(data[ALONE]["alone"]),
    }
    for name, text in parts.items():
        page = replaced(page, name, text)
    return {DATA: json.dumps(data, indent=JSON_INDENT) + "\n", PAGE: page, PLOT: svg(results)}


def replaced(page: str, name: str, text: str) -> str:
    """The page with what stands between the marks of one part replaced. Raises ValueError when there are none."""
    begin, end = f"<!-- begin {name} -->\n", f"<!-- end {name} -->"
    found, count = re.subn(f"{begin}.*?{end}", lambda _: f"{begin}{text}{end}", page, flags=re.DOTALL)
    if count != 1:
        raise ValueError(f"the page has {count} parts named {name!r}")
    return found


def surroundings(run: Data) -> str:
    machine, versions = run["machine"], run["versions"]
    load = machine["load_average"][0]
    return (
        f"- {machine['processor']}, {machine['cores']} cores, {machine['memory_gib']} GiB, {machine['system']}; load "
        f"average {load:g} before the run{BUSY if load > machine['cores'] / 2 else ''}\n"
        f"- {_listed(versions)}\n"
        f"- PostgreSQL: {_listed(run['postgres'])}\n"
    )


BUSY = " (the machine had other work to do: read the ratios with care)"


def _listed(values: Mapping[str, object]) -> str:
    return ", ".join(f"{name} {value}" for name, value in values.items())


def main() -> None:
    data = stored()
    for name in (SIDE_BY_SIDE, ALONE):
        newest = RUNS / f"{name}.json"
        if newest.exists():
            data[name] = json.loads(newest.read_text(encoding="utf-8"))
    missing = [name for name in (SIDE_BY_SIDE, ALONE) if name not in data]
    if missing:
        raise SystemExit(f"no figures of {' and '.join(missing)} yet: see make bench and make bench-alone")
    for path, text in outputs(data, (REPOSITORY / PAGE).read_text(encoding="utf-8")).items():
        (REPOSITORY / path).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
