"""``python -m tests.fuzz``: every target for some time, each in a process of its own.

Atheris guides the inputs by the code they reach, where it is installed; without it they are random changes of the
seeds. Memory and the time of one input are bounded either way: an input that goes past them ends the run like one that
fails, and is kept in ``--kept``, from where it can be run again: ``python -m tests.fuzz --run FILE TARGET``.
"""

from __future__ import annotations

import argparse
import random
import re
import resource
import signal
import subprocess
import sys
import time
from importlib.util import find_spec
from pathlib import Path
from types import FrameType
from typing import NoReturn

from tests.fuzz.mutation import random_input

MEMORY_BYTES_MAX = 4 << 30
RESIDENT_MEGABYTES_MAX = 3000
INPUT_SECONDS_MAX = 20
INPUT_BYTES_MAX = 100_000
_EXECUTED = re.compile(r"number_of_executed_units: (\d+)")


def main() -> int:
    options = _options()
    if options.run is not None:
        from tests.fuzz.targets import TARGETS

        TARGETS[options.target].run(options.run.read_bytes())
        return 0
    if options.target:
        _fuzz(options)
        return 0
    return _fuzz_all(options)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz")
    parser.add_argument("target", nargs="?", help="one target, in this process; all of them without")
    parser.add_argument("--seconds", type=int, default=60, help="for each target")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--random", action="store_true", help="random changes, even where atheris is installed")
    parser.add_argument("--kept", type=Path, default=Path("fuzz-kept"), help="where inputs that fail are kept")
    parser.add_argument("--run", type=Path, help="run one kept input again")
    return parser.parse_args()


def _fuzz_all(options: argparse.Namespace) -> int:
    from tests.fuzz.targets import TARGETS

    guided = find_spec("atheris") is not None and not options.random
    print(f"{len(TARGETS)} targets, {options.seconds} s each, {'guided by atheris' if guided else 'random changes'}")
    failed, total = [], 0
    for name in TARGETS:
        command = [sys.executable, "-m", "tests.fuzz", name, "--seconds", str(options.seconds)]
        command += ["--seed", str(options.seed), "--kept", str(options.kept), *(["--random"] if options.random else [])]
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
        tried = sum(map(int, _EXECUTED.findall(done.stdout)))
        total += tried
        print(f"{name:14} {tried:>10,} inputs  {'failed' if done.returncode else 'nothing found'}", flush=True)
        if done.returncode:
            failed.append(name)
            print(done.stdout[-6000:], flush=True)
    print(f"{total:,} inputs tried, {len(failed)} targets failed")
    return 1 if failed else 0


def _fuzz(options: argparse.Namespace) -> None:
    options.kept.mkdir(exist_ok=True)
    if options.random or find_spec("atheris") is None:
        _fuzz_randomly(options)
    else:
        _fuzz_guided(options)


def _fuzz_randomly(options: argparse.Namespace) -> None:
    from tests.fuzz.targets import TARGETS

    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES_MAX, MEMORY_BYTES_MAX))
    signal.signal(signal.SIGALRM, _hangs)
    target, chance = TARGETS[options.target], random.Random(options.seed)
    seeds = target.seeds()
    tried, end = 0, time.monotonic() + options.seconds
    while time.monotonic() < end:
        data = random_input(seeds, chance)[:INPUT_BYTES_MAX]
        tried += 1
        signal.alarm(INPUT_SECONDS_MAX)
        try:
            target.run(data)
        except BaseException:
            path = options.kept / f"{options.target}-{options.seed}-{tried}"
            path.write_bytes(data)
            print(f"kept as {path}\nnumber_of_executed_units: {tried}")
            raise
        signal.alarm(0)
    print(f"number_of_executed_units: {tried}")


def _hangs(_number: int, _frame: FrameType | None) -> NoReturn:
    raise TimeoutError(f"an input takes longer than {INPUT_SECONDS_MAX} s")


def _fuzz_guided(options: argparse.Namespace) -> None:
    """Does not return: libFuzzer ends the process."""
    import atheris

    with atheris.instrument_imports(include=["rocklake_server"]):
        from tests.fuzz.targets import TARGETS
    target = TARGETS[options.target]
    corpus = options.kept / f"corpus-{options.target}"
    corpus.mkdir(exist_ok=True)
    for number, seed in enumerate(target.seeds()):
        (corpus / f"seed-{number}").write_bytes(seed)
    arguments = [
        sys.argv[0], str(corpus), f"-max_total_time={options.seconds}", f"-seed={options.seed}",
        f"-timeout={INPUT_SECONDS_MAX}", f"-rss_limit_mb={RESIDENT_MEGABYTES_MAX}", f"-max_len={INPUT_BYTES_MAX}",
        f"-artifact_prefix={options.kept}/{options.target}-", "-print_final_stats=1",
    ]  # fmt: skip
    atheris.Setup(arguments, target.run)
    atheris.Fuzz()


if __name__ == "__main__":
    sys.exit(main())
