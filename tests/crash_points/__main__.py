"""Every crash point of the scripted workload on an S3, and kills in the middle of commits on a local folder.

Usage: python -m tests.crash_points [--sample N] [--kills N] [--seed N]
"""

from __future__ import annotations

import argparse
import asyncio
import logging
import random
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from tests.crash_points.kills import kill_in_commits
from tests.crash_points.points import Mode, Result, all_points, requests_of_the_workload, try_point


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.crash_points", description=__doc__)
    parser.add_argument("--sample", type=int, help="try so many points, chosen at random, instead of every one")
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seed", type=int, default=7)
    options = parser.parse_args(arguments)
    logging.disable()
    problems = _try_points(options.sample, options.seed)
    problems += _try_kills(options.kills, options.seed)
    for problem in problems:
        print("PROBLEM", problem)
    return bool(problems)


def _try_points(sample: int | None, seed: int) -> list[str]:
    begun = time.monotonic()
    requests = asyncio.run(requests_of_the_workload())
    points = all_points(requests)
    if sample is not None:
        points = random.Random(seed).sample(points, sample)
    print(f"the workload makes {len(requests)} requests; {len(points)} points to try", flush=True)
    results: list[tuple[Mode, Result]] = []
    problems: list[str] = []
    for number, (index, mode) in enumerate(points, 1):
        result = try_point(index, mode)
        results.append((mode, result))
        problems += [f"{mode.name} at request {index} {result.request}: {text}" for text in result.problems]
        if number % 100 == 0:
            print(f"{number} points, {len(problems)} problems, {time.monotonic() - begun:.0f} s", flush=True)
    _print_figures(results)
    print(f"{len(results)} crash points tried in {time.monotonic() - begun:.0f} s, {len(problems)} problems")
    return problems


def _print_figures(results: list[tuple[Mode, Result]]) -> None:
    for mode in Mode:
        of_mode = [result for found, result in results if found is mode]
        hit = Counter(" ".join(result.request) for result in of_mode if result.request)
        refused = sum(bool(result.refused_to_open) for result in of_mode)
        unknown = sum(len(result.ledger.unknown) for result in of_mode)
        print(f"  {mode.name:<14} {len(of_mode):>4} points, {sum(r.crashed for r in of_mode):>4} crashed, "
              f"{unknown} answers 'unknown', {refused} refused to open a damaged store; "
              + ", ".join(f"{count} {request}" for request, count in hit.most_common(5)))


def _try_kills(kills: int, seed: int) -> list[str]:
    begun = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        figures = kill_in_commits(Path(folder), kills, seed)
    print(f"{figures.kills} kills in {time.monotonic() - begun:.0f} s, {figures.in_a_commit} of them in a commit; "
          f"{figures.acknowledged} commits acknowledged, {figures.landed_unanswered} more landed without an answer")
    problems = list(figures.problems)
    if figures.in_a_commit < 0.9 * figures.kills:
        problems.append(f"only {figures.in_a_commit} of {figures.kills} kills hit a commit")
    return problems


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
