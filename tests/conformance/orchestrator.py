"""Runs the files of a suite: one worker process each, a number of them at once, with a time limit and retries."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import TracebackType
from typing import Self

from tests.conformance.databases import DatabaseError, Databases, filled
from tests.conformance.exchange import FileFailed, Outcome, Specification, Status, one_line
from tests.conformance.expansion import CONNECTION
from tests.conformance.suite import Suite

PROJECT = Path(__file__).parents[2]
EXTENSIONS = ("parquet", "json", "icu", "httpfs", "postgres_scanner", "ducklake")
IDENTIFIER_CHARACTERS_MAX = 40
_NOT_IN_IDENTIFIERS = re.compile(r"[^a-z0-9]+")
Finished = Callable[[str, Outcome], None]


@dataclass(frozen=True, slots=True)
class Client:
    """The DuckDB that runs the files."""

    python: Path = Path(sys.executable)
    extensions: tuple[str, ...] = EXTENSIONS
    extension_folders: tuple[str, ...] = ()
    initial_sql: tuple[str, ...] = ()
    environment: dict[str, str] = field(default_factory=dict)
    threads: int = 0
    trace: bool = False


@dataclass(frozen=True, slots=True)
class Limits:
    """How much at once, how long, how often."""

    jobs: int = 1
    seconds_max: float = 60.0
    """For one attempt at one file."""
    retries: int = 0


class Orchestrator:
    """A context manager: on leaving it, workers are killed and temporary folders are gone (unless ``keep``)."""

    def __init__(
        self, suite: Suite, databases: Databases, client: Client, limits: Limits, *, keep: bool = False,
        temporary: Path | None = None,
    ) -> None:  # fmt: skip
        self._suite = suite
        self._databases = databases
        self._client = client
        self._limits = limits
        self._keep = keep
        self._folder = Path(tempfile.mkdtemp(prefix="conformance-", dir=temporary))
        self._lock = threading.Lock()
        self._jobs: dict[int, int] = {}
        self._children: set[subprocess.Popen[bytes]] = set()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        for child in tuple(self._children):
            child.kill()
        if not self._keep:
            shutil.rmtree(self._folder, ignore_errors=True)

    def run(self, files: Sequence[str], finished: Finished) -> dict[str, Outcome]:
        """Run files and tell ``finished`` about each as it ends; the outcomes are in the order of ``files``."""
        outcomes: dict[str, Outcome] = {}

        def one(file: str) -> None:
            outcome = self._run_with_retries(file)
            with self._lock:
                outcomes[file] = outcome
                finished(file, outcome)

        with ThreadPoolExecutor(self._limits.jobs) as pool:
            for future in [pool.submit(one, file) for file in files]:
                future.result()
        return {file: outcomes[file] for file in files}

    def _run_with_retries(self, file: str) -> Outcome:
        if reason := self._suite.skips.get(file):
            return Outcome.skipped(reason)
        attempt = 1
        while True:
            started = time.monotonic()
            outcome = self._run_once(file, attempt)
            outcome = replace(outcome, seconds=round(time.monotonic() - started, 2), attempts=attempt)
            if outcome.status is not Status.FAIL or attempt > self._limits.retries:
                return outcome
            attempt += 1

    def _run_once(self, file: str, attempt: int) -> Outcome:
        folder = self._folder / f"{self._suite.number(file)}-{attempt}"
        names = self._names(file, attempt)
        dsn = filled(self._databases.dsn, names)
        path = self._suite.root / file
        try:
            spec = self._specification(file, folder, dsn)
            if dsn:
                self._databases.prepare(path, dsn, names)
            outcome = self._spawn(folder, spec)
        except (OSError, DatabaseError) as error:
            outcome = Outcome.failed(FileFailed("setup", f"setup: {one_line(str(error))}"))
        try:
            if dsn:
                self._databases.clean_up(path, dsn, names)
        except DatabaseError as error:
            print(f"warning: cleaning up after {file}: {one_line(str(error))}", file=sys.stderr)
        if not self._keep:
            shutil.rmtree(folder, ignore_errors=True)
        return outcome

    def _names(self, file: str, attempt: int) -> dict[str, str]:
        with self._lock:
            job = self._jobs.setdefault(threading.get_ident(), len(self._jobs))
        short = _NOT_IN_IDENTIFIERS.sub("_", Path(file).stem.lower())[:IDENTIFIER_CHARACTERS_MAX]
        return {"n": str(self._suite.number(file)), "w": str(job), "a": str(attempt), "test": short}

    def _specification(self, file: str, folder: Path, dsn: str) -> Specification:
        """Also makes the folders; what files address relative to the suite is linked into the working directory."""
        working, tests = folder / "working", folder / "test"
        for made in (working, tests):
            made.mkdir(parents=True)
        for entry in self._suite.root.iterdir():
            (working / entry.name).symlink_to(entry)
        environment = dict(self._client.environment)
        if dsn:
            environment.setdefault(CONNECTION, f"postgres:{dsn}")
        return Specification(
            suite=str(self._suite.root), file=file, working_directory=str(working), test_directory=str(tests),
            result_file=str(folder / "result.json"), progress_file=str(folder / "progress"), environment=environment,
            extensions=list(self._client.extensions), extension_folders=list(self._client.extension_folders),
            initial_sql=list(self._client.initial_sql), threads=self._client.threads, trace=self._client.trace,
        )  # fmt: skip

    def _spawn(self, folder: Path, spec: Specification) -> Outcome:
        spec.write(folder / "specification.json")
        command = [str(self._client.python), "-W", "ignore", "-m", "tests.conformance.worker"]
        command.append(str(folder / "specification.json"))
        environment = os.environ | {"TZ": "UTC", "HOME": str(folder), "PYTHONDONTWRITEBYTECODE": "1"}
        with (folder / "log").open("wb") as log:
            child = subprocess.Popen(
                command, cwd=PROJECT, env=environment, stdin=subprocess.DEVNULL, stdout=log,
                stderr=None if self._client.trace else log, start_new_session=True,
            )  # fmt: skip
        with self._lock:
            self._children.add(child)
        try:
            child.wait(self._limits.seconds_max)
        except subprocess.TimeoutExpired:
            child.kill()
            child.wait()
            return _unfinished(folder, "timeout", f"timeout after {self._limits.seconds_max:g} s")
        finally:
            with self._lock:
                self._children.discard(child)
        if Path(spec.result_file).exists():
            return Outcome.from_json(json.loads(Path(spec.result_file).read_text(encoding="utf-8")))
        code = child.returncode
        ended = signal.Signals(-code).name if code < 0 else f"exit status {code}"
        last = (folder / "log").read_text(errors="replace").strip().splitlines()[-1:]
        return _unfinished(folder, "crash", f"crash: {' '.join([ended, *last])}")


def _unfinished(folder: Path, kind: str, reason: str) -> Outcome:
    """The outcome of a worker that left no result, with the line and the count that it noted last."""
    try:
        line, statements = map(int, (folder / "progress").read_text().split())
    except (OSError, ValueError):
        line, statements = 0, 0
    return replace(Outcome.failed(FileFailed(kind, reason, line=line)), statements=statements)
