"""``python -m tests.differential``: see ``--help``."""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.differential.coverage import Coverage
from tests.differential.generator import workload
from tests.differential.processes import Comparer, Place
from tests.differential.statements import Workload, parsed
from tests.postgres import running_postgres
from tests.servers import RockLakeServer

SEED_FACTOR = 1_000_003
"""Keeps the workloads of neighbouring seeds apart: workload n of seed s is number s * factor + n."""

ENOUGH = 20
"""Times that each kind of statement, type and statement of the corpus has to occur in a full run."""
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
def running_servers(chosen: argparse.Namespace) -> Iterator[Place]:
    with tempfile.TemporaryDirectory(prefix="differential-") as name, running_postgres() as theirs:
        folder = Path(name)
        if chosen.self_check:
            yield Place("", theirs, folder, chosen.shrink_runs)
            return
        ours = RockLakeServer(f"file://{folder}/store", logs=folder)
        ours.start()
        try:
            yield Place(ours.dsn("postgres"), theirs, folder, chosen.shrink_runs)
        finally:
            ours.kill()


def main() -> int:
    chosen = options()
    if chosen.show:
        for title, each in workloads(chosen):
            print(f"-- {title}\n{each}\n")
        return 0
    with running_servers(chosen) as place:
        comparer = Comparer(place)
        try:
            return compare_all(comparer, chosen)
        finally:
            comparer.close()


def compare_all(comparer: Comparer, chosen: argparse.Namespace) -> int:
    """Run the chosen workloads and print what differs and what was covered; 1 if anything differs or hangs."""
    coverage, started, done, wrong, died = Coverage(), time.monotonic(), 0, 0, 0
    for title, each in workloads(chosen):
        if time.monotonic() - started > chosen.seconds or (wrong and not chosen.keep_going):
            break
        outcome = comparer.compare(each)
        coverage.update(outcome.coverage)
        done += not outcome.died
        if outcome.died:
            died += 1
            print(f"\n{title}: the client's process died; does it with --self-check, too?", flush=True)
        elif found := outcome.difference or (outcome.hang and f"{outcome.hang}\n\n{each}\n"):
            wrong += 1
            print(f"\n{title}: {found}", flush=True)
        if done % PROGRESS_EVERY == 0:
            print(f"{title}: {done} done in {time.monotonic() - started:.0f} s", flush=True)
    print(*coverage.lines(ENOUGH), sep="\n")
    seconds = time.monotonic() - started
    print(f"{done} workloads, {wrong} with a difference, {seconds:.0f} s; in {died} more the client's process died")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
