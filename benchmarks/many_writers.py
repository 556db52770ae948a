"""``python -m benchmarks.many_writers``: commits per second and failed commits of many DuckDB clients, on both servers.

Each client inserts single rows into a table of its own, with DuckLake's default retries; the rounds alternate between
the servers. All clients run as threads of this process, on the cores that the servers run on: beyond a few dozen
writers on a small machine the figures say as much about the clients as about the servers.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
from contextlib import ExitStack
from pathlib import Path

from benchmarks.distance import at_distance
from benchmarks.targets import Target, postgres, rocklake
from benchmarks.writers import COMMITS_IN_ALL, Outcome, write_at_once

Figures = dict[str, float]


def measure(targets: list[Target], writers: int, rounds: int) -> dict[str, Figures]:
    """The figures of each target over all rounds."""
    outcomes: dict[str, list[Outcome]] = {target.name: [] for target in targets}
    for number in range(rounds):
        for target in targets if number % 2 == 0 else targets[::-1]:
            outcomes[target.name].append(write_at_once(target, writers))
    return {name: _figures(each) for name, each in outcomes.items()}


def _figures(outcomes: list[Outcome]) -> Figures:
    latencies = sorted(s for outcome in outcomes for s in outcome.latencies_s)
    return {
        "commits_per_s": statistics.median(outcome.commits_per_s for outcome in outcomes),
        "tried": sum(outcome.tried for outcome in outcomes),
        "failed": sum(len(outcome.errors) for outcome in outcomes),
        "latency_s_median": statistics.median(latencies),
        "latency_s_greatest": latencies[-1],
    }


def _line(figures: Figures) -> str:
    failed = f"{figures['failed']:.0f} of {figures['tried']:.0f}"
    seconds = f"{figures['latency_s_median']:9.3f} {figures['latency_s_greatest']:7.3f}"
    return f"{figures['commits_per_s']:10.1f} {failed:>12s} {seconds}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--writers", type=int, nargs="*", default=[1, 4, 16, 64])
    parser.add_argument("--rtt", type=float, nargs="*", default=[0.0, 10.0], help="added round-trip times in ms")
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--alone", action="store_true", help="measure our server only")
    parser.add_argument("--json", type=Path, help="write the figures there")
    options = parser.parse_args()
    results: list[dict[str, object]] = []
    print(f"{COMMITS_IN_ALL} commits or more a round, {os.cpu_count()} cores")
    print("rtt ms writers  server      commits/s       failed  median s   max s")
    with ExitStack() as stack:
        near = [stack.enter_context(rocklake())]
        if not options.alone:
            near.append(stack.enter_context(postgres()))
        for round_trip_ms in options.rtt:
            for writers in options.writers:
                with ExitStack() as journey:
                    far = [journey.enter_context(at_distance(target, round_trip_ms)) for target in near]
                    for name, figures in measure(far, writers, options.rounds).items():
                        results.append({"rtt_ms": round_trip_ms, "writers": writers, "server": name, **figures})
                        print(f"{round_trip_ms:6.0f} {writers:7d}  {name:10s} {_line(figures)}", flush=True)
    if options.json:
        options.json.write_text(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    main()
