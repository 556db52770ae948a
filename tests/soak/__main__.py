"""Everything at once for a while: DuckDB writers, readers and maintenance, kills, restarts and store faults.

Usage: python -m tests.soak [--minutes N] [--seed N] [--store folder|s3|both]
"""

from __future__ import annotations

import argparse
import random
import shutil
import sys
import tempfile
from pathlib import Path

from tests.soak.phase import run_phase
from tests.soak.places import PLACES


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.soak", description=__doc__)
    parser.add_argument("--minutes", type=float, default=30.0)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--store", choices=[*PLACES, "both"], default="both")
    options = parser.parse_args(arguments)
    names = list(PLACES) if options.store == "both" else [options.store]
    problems: list[str] = []
    for name in names:
        print(f"{name}: {options.minutes / len(names):.1f} minutes, seed {options.seed}", flush=True)
        folder = Path(tempfile.mkdtemp(prefix="soak-"))
        with PLACES[name](folder) as place:
            seconds = 60 * options.minutes / len(names)
            report = run_phase(place, folder, seconds, random.Random(options.seed))
        print("\n".join([*report.lines(), *(f"  PROBLEM {problem}" for problem in report.problems)]), flush=True)
        problems += report.problems
        if report.problems:
            print(f"  the catalog's rows, the data and the server's log are kept in {folder}")
        else:
            shutil.rmtree(folder)
    return bool(problems)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
