"""``python -m benchmarks.alone [case …]``: the figures that the server has to reach, each in a lake of its own."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterator
from pathlib import Path

from benchmarks.alone.figures import HEADING, Figure, line
from benchmarks.alone.many_columns import many_columns
from benchmarks.alone.object_store import many_committers, one_client
from benchmarks.alone.retention import retention
from benchmarks.alone.round_trip import round_trip
from benchmarks.alone.snapshots import snapshots
from benchmarks.machine import surroundings

CASES: dict[str, Callable[[], Iterator[Figure]]] = {
    "snapshots": snapshots,
    "many-columns": many_columns,
    "one-client": one_client,
    "many-committers": many_committers,
    "round-trip": round_trip,
    "retention": retention,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cases", nargs="*", metavar="case", help=f"all unless named: {', '.join(CASES)}")
    parser.add_argument("--json", type=Path, help="write the figures there")
    options = parser.parse_args()
    unknown = sorted(set(options.cases) - CASES.keys())
    if unknown:
        parser.error(f"no case is named {', '.join(unknown)}; there are {', '.join(CASES)}")
    print(HEADING)
    figures = []
    for name in options.cases or CASES:
        for figure in CASES[name]():
            print(line(figure), flush=True)
            figures.append(figure.as_json())
    if options.json:
        options.json.parent.mkdir(parents=True, exist_ok=True)
        options.json.write_text(json.dumps({**surroundings(), "alone": figures}, indent=1) + "\n")


if __name__ == "__main__":
    main()
