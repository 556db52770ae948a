"""``python -m benchmarks.side_by_side``: every case on both servers in turn, so that a noisy machine hits both alike.

The figure to quote is the ratio of the medians, ours to PostgreSQL's: below 1, ours is faster (writers: above 1).
"""

from __future__ import annotations

import argparse
import json
import re
import statistics
import time
from contextlib import ExitStack
from pathlib import Path

import psycopg

from benchmarks.cases import SMALL, Case, Lake, prepare, register_files, with_files
from benchmarks.targets import postgres, rocklake
from benchmarks.writers import write_at_once

Results = dict[str, dict[str, object]]


def measure(case: Case, lakes: list[Lake], results: Results) -> None:
    times: dict[str, list[float]] = {target.name: [] for target, _ in lakes}
    for number in range(case.rounds):
        answers = []
        for lake in lakes if number % 2 == 0 else lakes[::-1]:
            if case.before is not None and number == 0:
                case.before(lake, number)
            start = time.perf_counter()
            answers.append(case.run(lake, number))
            times[lake[0].name].append((time.perf_counter() - start) * 1e3)
        comparable = [answer for answer in answers if isinstance(answer, list | tuple)]
        if any(answer != comparable[0] for answer in comparable):
            raise SystemExit(f"{case.name}: the servers answer differently: {answers}")
    report(case.name, {name: statistics.median(each) for name, each in times.items()}, "ms", results)


def report(name: str, figures: dict[str, float], unit: str, results: Results) -> None:
    ours, theirs = figures.values()
    results[name] = {"unit": unit, **figures, "ratio": ours / theirs}
    print(f"{name:48s} {ours:10.2f} {theirs:10.2f} {unit:10s} {ours / theirs:6.2f}", flush=True)


def measure_writers(lakes: list[Lake], counts: list[int], results: Results) -> None:
    for count in counts:
        rates: dict[str, float] = {}
        for target, _ in lakes:
            outcome = write_at_once(target, count)
            rates[target.name] = outcome.commits_per_s
            if outcome.errors:
                print(f"    {target.name}: {len(outcome.errors)} commits failed, e.g. {outcome.errors[0]}")
        report(f"{count} writers, own tables", rates, "commits/s", results)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--files", type=int, default=20_000, help="files of the large table; 0 leaves it out")
    parser.add_argument("--writers", type=int, nargs="*", default=[1, 4, 16])
    parser.add_argument("--only", default="", help="a regular expression over case names")
    parser.add_argument("--json", type=Path, help="write the figures there")
    options = parser.parse_args()
    results: Results = {}
    with ExitStack() as stack:
        targets = [stack.enter_context(rocklake()), stack.enter_context(postgres())]
        lakes: list[Lake] = [(target, target.client(attached=False)) for target in targets]
        print(f"{'case':48s} {'rocklake':>10s} {'postgres':>10s} {'':10s} {'ratio':>6s}")
        measure(Case("attach a new lake", lambda lake, _: lake[0].attach(lake[1]), 1), lakes, results)
        for lake in lakes:
            prepare(lake)
        cases = list(SMALL)
        if options.files:
            cases += [register_files(options.files), *with_files(options.files)]
        for case in cases:
            if re.search(options.only, case.name) or case.name.startswith("register"):
                measure(case, lakes, results)
            if case.name.startswith("register"):
                with psycopg.connect(targets[1].dsn, autocommit=True) as connection:
                    connection.execute("ANALYZE")  # what autovacuum does within a minute
        if re.search(options.only, "writers"):
            measure_writers(lakes, options.writers, results)
        for _, connection in lakes:
            connection.close()
    if options.json:
        options.json.write_text(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    main()
