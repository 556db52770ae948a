"""``python -m tests.differential``: see ``--help``."""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.differential.coverage import Coverage, listed
from tests.differential.generator import workload
from tests.differential.running import Difference, Hang, Runner
from tests.differential.shrinking import shrunk
from tests.differential.statements import Workload, parsed
from tests.postgres import running_postgres
from tests.servers import ExternalServer, RockLakeServer

SEED_FACTOR = 1_000_003
"""Keeps the workloads of neighbouring seeds apart: workload n of seed s is number s * factor + n."""

REFUSALS_SHOWN = 30
PROGRESS_EVERY = 25


def options() -> argparse.Namespace:
    parser = argparse.ArgumentParser("tests.differential", description="Random workloads on PostgreSQL and on ours.")
    parser.add_argument("--workloads", type=int, default=20, help="how many to run (default %(default)s)")
    parser.add_argument("--seed", type=int, default=7, help="what they are derived from (default %(default)s)")
    parser.add_argument("--first", type=int, default=0, help="the first workload's number (default %(default)s)")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="start no workload after so many seconds")
    parser.add_argument("--shrink-runs", type=int, default=150, help="trials to make a reproduction small")
    parser.add_argument("--keep-going", action="store_true", help="do not stop at the first difference")
    parser.add_argument("--replay", type=Path, help="run the workload in this file, as a reproduction is printed")
    parser.add_argument("--self-check", action="store_true",
                        help="PostgreSQL on both sides: a difference is the generator's fault")  # fmt: skip
    parser.add_argument("--show", action="store_true", help="print the workloads and run nothing")
    return parser.parse_args()


def workloads(chosen: argparse.Namespace) -> Iterator[tuple[str, Workload]]:
    if chosen.replay:
        yield chosen.replay.name, parsed(chosen.replay.read_text())
        return
    for number in range(chosen.first, chosen.first + chosen.workloads):
        yield f"seed {chosen.seed} workload {number}", workload(chosen.seed * SEED_FACTOR + number)


@contextmanager
def runner(*, self_check: bool) -> Iterator[Runner]:
    """Both servers, running."""
    with tempfile.TemporaryDirectory(prefix="differential-") as name, running_postgres() as dsn:
        folder = Path(name)
        theirs = ExternalServer(dsn)
        if self_check:
            yield Runner(_Renamed(dsn), theirs, folder)
            return
        ours = RockLakeServer(f"file://{folder}/store", logs=folder)
        ours.start()
        try:
            yield Runner(ours, theirs, folder)
        finally:
            ours.kill()


class _Renamed(ExternalServer):
    """The same PostgreSQL with other database names."""

    def dsn(self, dbname: str) -> str:
        return super().dsn(f"{dbname}_again")


def reproduction(run: Runner, found: Difference, whole: Workload, runs_max: int) -> str:
    """The difference and the smallest workload that was found to show it."""

    def same(candidate: Workload) -> bool:
        difference = run.difference(candidate)
        return difference is not None and difference.what == found.what

    small = shrunk(whole, same, runs_max)
    return f"{run.difference(small) or found}\n\n{small}\n"


def main() -> int:
    chosen = options()
    if chosen.show:
        for title, each in workloads(chosen):
            print(f"-- {title}\n{each}\n")
        return 0
    try:
        with runner(self_check=chosen.self_check) as run:
            return compare_all(run, chosen)
    except Hang as hang:
        print(hang, flush=True)
        os._exit(2)  # a thread still waits for its answer


def compare_all(run: Runner, chosen: argparse.Namespace) -> int:
    """Run the chosen workloads and print what differs and what was covered; 1 if anything differs. Raises Hang."""
    coverage, started, done, differing = Coverage(), time.monotonic(), 0, 0
    for title, each in workloads(chosen):
        if time.monotonic() - started > chosen.seconds or (differing and not chosen.keep_going):
            break
        try:
            found = run.difference(each, count=True)
            done += 1
            coverage.add(each)
            if found is not None:
                differing += 1
                print(f"\n{title}: {reproduction(run, found, each, chosen.shrink_runs)}", flush=True)
        except Exception:
            print(f"\n{title}: could not be compared\n{each}", flush=True)
            raise
        if done % PROGRESS_EVERY == 0:
            print(f"{title}: {done} done in {time.monotonic() - started:.0f} s", flush=True)
    _summary(run, coverage, done, differing, time.monotonic() - started)
    return 1 if differing else 0


def _summary(run: Runner, coverage: Coverage, done: int, differing: int, seconds: float) -> None:
    print(*coverage.lines(), sep="\n")
    print(f"refused ({run.refused.total()}): {listed(run.refused)}")
    print(*(f"  {count} {text}" for text, count in run.errors.most_common(REFUSALS_SHOWN)), sep="\n")
    print("less than 20 times:", ", ".join(coverage.missing(20)) or "nothing")
    print(f"{done} workloads, {differing} with a difference, {seconds:.0f} s")


if __name__ == "__main__":
    sys.exit(main())
