"""``python -m tests.history --writers 8 --seconds 600``: many writers for long, then the checks and the figures."""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

from tests.history.checking import check
from tests.history.running import prepare, write
from tests.servers import RockLakeServer


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--writers", type=int, default=8)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--rounds", type=int, default=1, help="each on a lake of its own, with another seed")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="rocklake-history-") as name:
        folder = Path(name)
        server = RockLakeServer(f"file://{folder}/store", logs=folder)
        server.start()
        try:
            for number in range(options.rounds):
                _round(server.dsn(f"history{number}"), folder / f"data{number}", options, options.seed + 1000 * number)
        finally:
            server.stop()


def _round(dsn: str, data: Path, options: argparse.Namespace, seed: int) -> None:
    first = prepare(dsn, data, options.writers)
    journals = write(dsn, data, options.writers, options.seconds, seed)
    check(dsn, data, journals, first)
    committed = sum(len(journal.committed) for journal in journals)
    failed = sum(len(journal.failed) for journal in journals)
    print(f"seed {seed}: {committed} transactions committed ({committed / options.seconds:.1f}/s), {failed} failed "
          "with a true conflict; nothing lost, nothing twice", flush=True)


if __name__ == "__main__":
    main()
