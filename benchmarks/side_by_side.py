"""``python -m benchmarks.side_by_side``: every case on both servers in turn, so that a noisy machine hits both alike.

The figure to quote is the ratio of the medians, ours to PostgreSQL's: below 1, ours is faster (writers: above 1).
The floor is what would remain if our server answered at once; see ``benchmarks.replay_floor``.
"""

from __future__ import annotations

import argparse
import json
import re
import statistics
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path

from benchmarks.cases import NEW_LAKES, SMALL, Case, Lake, prepare, with_files
from benchmarks.machine import surroundings
from benchmarks.many_files import FILES_AT_ONCE, register_files, register_more
from benchmarks.measuring import DifferentAnswers, floor_of, measure
from benchmarks.plot import svg
from benchmarks.results import JSON_INDENT, Result
from benchmarks.table import HEADING, line
from benchmarks.targets import Target, postgres, rocklake, settings_of
from benchmarks.writers import Outcome, write_at_once

WRITERS_WITH_TARGET = (1, 4)
WRITER_ROUNDS = 3
WRITERS_BOUND = "DuckLake sleeps 100 ms after a lost race"


def cases(files: Iterable[int], only: str = "") -> Iterator[Case | int]:
    """Those whose name matches, in the order of a run. A number stands for filling the large table up to it; files are
    registered, if only once, for any case that reads them."""
    yield from (case for case in (NEW_LAKES, *SMALL) if re.search(only, case.name))
    for count in files:
        reads = [case for case in with_files(count) if re.search(only, case.name)]
        registering = register_files()
        if count == FILES_AT_ONCE and (reads or re.search(only, registering.name)):
            yield registering
        elif reads:
            yield count
        yield from reads


def measure_writers(targets: Sequence[Target], count: int) -> Result:
    """Commits per second of clients that write at once. Raises DifferentAnswers when a commit was told and is not
    there, or the other way round."""
    outcomes: dict[str, list[Outcome]] = {target.name: [] for target in targets}
    for number in range(WRITER_ROUNDS):
        for target in targets if number % 2 == 0 else targets[::-1]:
            before = _rows_of_writers(target, count)
            outcome = write_at_once(target, count)
            outcomes[target.name].append(outcome)
            added, told = _rows_of_writers(target, count) - before, outcome.tried - len(outcome.errors)
            if added != told:
                raise DifferentAnswers(f"{target.name}: {told} commits were acknowledged, {added} rows are there")
            if outcome.errors:
                print(f"    {target.name}: {len(outcome.errors)} commits failed, e.g. {outcome.errors[0]}")
    ours, theirs = (statistics.median(each.commits_per_s for each in found) for found in outcomes.values())
    return Result(f"{count} writers, own tables" if count > 1 else "1 writer", "commits/s", WRITER_ROUNDS, ours, theirs,
                  target=1.0 if count in WRITERS_WITH_TARGET else None, at_least=True, bound=WRITERS_BOUND)


def _rows_of_writers(target: Target, count: int) -> int:
    with target.client() as client:
        for writer in range(count):
            client.execute(f"CREATE TABLE IF NOT EXISTS own{writer}(id BIGINT)")
        return sum(client.execute(f"SELECT count(*) FROM own{writer}").fetchall()[0][0] for writer in range(count))


def run(options: argparse.Namespace) -> dict[str, object]:
    """Everything that is asked for; prints as it goes, and returns the JSON."""
    found = surroundings()
    results: list[Result] = []

    def report(result: Result) -> None:
        results.append(result)
        print(line(result), flush=True)

    with ExitStack() as stack:
        targets = [stack.enter_context(rocklake()), stack.enter_context(postgres())]
        settings = settings_of(targets[1])
        print("PostgreSQL:", ", ".join(f"{name}={value}" for name, value in settings.items()))
        print(HEADING)
        lakes: list[Lake] = [(target, target.client()) for target in targets]
        for lake in lakes:
            stack.callback(lake[1].close)
            prepare(lake)
        floor = floor_of(targets[0], stack) if options.floor else None
        if floor is not None:
            prepare(floor.writes)
        for case in cases(options.files, options.only):
            if isinstance(case, Case):
                report(measure(case, lakes, floor))
                continue
            for lake in lakes:
                register_more(lake, case)
        for count in options.writers if re.search(options.only, "writers") else ():
            report(measure_writers(targets, count))
    return {**found, "postgres": settings, "cases": [result.as_json() for result in results]}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--files", type=int, nargs="*", default=[FILES_AT_ONCE],
                        help="files of the large table, in rising order; none without a number")
    parser.add_argument("--writers", type=int, nargs="*", default=[1, 4, 16])
    parser.add_argument("--only", default="", help="a regular expression over case names")
    parser.add_argument("--no-floor", dest="floor", action="store_false", help="leave the floor out, which saves time")
    parser.add_argument("--json", type=Path, help="write the figures there")
    parser.add_argument("--plot", type=Path, help="draw the ratios there, as SVG")
    options = parser.parse_args()
    try:
        data = run(options)
    except DifferentAnswers as problem:
        raise SystemExit(f"the servers do not answer alike: {problem}") from None
    written = json.dumps(data, indent=JSON_INDENT) + "\n"
    drawn = svg([Result.of(each) for each in json.loads(written)["cases"]])
    for path, text in ((options.json, written), (options.plot, drawn)):
        if path is not None:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)


if __name__ == "__main__":
    main()
