"""Every crash point of the scripted workload on an S3, and kills in the middle of commits on a local folder.

Usage: python -m tests.crash_points [--verb VERB] [--sample N] [--kills N] [--seed N]
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
    parser.add_argument("--verb", action="append", default=[], help="only requests of this verb, as PUT")
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seed", type=int, default=7)
    options = parser.parse_args(arguments)
    logging.disable()
    problems = _try_points(options.verb, options.sample, options.seed)
    if options.kills:
        problems += _try_kills(options.kills, options.seed)
    for problem in problems:
        print("PROBLEM", problem)
    return bool(problems)


def _try_points(verbs: list[str], sample: int | None, seed: int) -> list[str]:
    begun = time.monotonic()
    requests = asyncio.run(requests_of_the_workload())
    points = [point for point in all_points(requests) if not verbs or point.verb in verbs]
    if sample is not None:
        points = random.Random(seed).sample(points, sample)
    print(f"the workload makes {requests.total()} requests; {len(points)} points to try", flush=True)
    results: list[Result] = []
    for point in points:
        results.append(try_point(point))
        if len(results) % 100 == 0:
            print(f"{len(results)} points, {time.monotonic() - begun:.0f} s", flush=True)
    _print_figures(results)
    problems = [f"{result.point}: {text}" for result in results for text in result.problems]
    print(f"{sum(result.met for result in results)} crash points in {time.monotonic() - begun:.0f} s, "
          f"{len(problems)} problems")
    return problems


def _print_figures(results: list[Result]) -> None:
    for mode in Mode:
        of_mode = [result for result in results if result.point.mode is mode and result.met]
        hit = Counter(f"{result.point.verb} {result.point.place}" for result in of_mode)
        told = [f"{sum(len(result.ledger.unknown) for result in of_mode)} outcomes unknown",
                f"{sum(len(result.ledger.refused) for result in of_mode)} refused",
                f"{sum(bool(result.refused) for result in of_mode)} damaged stores refused"]
        print(f"  {mode.name:<14} {len(of_mode):>4} points, {', '.join(told)}; "
              + ", ".join(f"{count} {kind}" for kind, count in hit.most_common()))


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
