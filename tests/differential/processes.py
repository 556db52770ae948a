"""Compares workloads in a process of its own: DuckDB can take its process down, with PostgreSQL as with our server."""

from __future__ import annotations

import multiprocessing
import os
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path

import psycopg

from tests.differential.coverage import Coverage
from tests.differential.running import Difference, Hang, Runner
from tests.differential.shrinking import shrunk
from tests.differential.statements import Workload
from tests.servers import ExternalServer

_SPAWN = multiprocessing.get_context("spawn")


@dataclass(frozen=True, slots=True)
class Place:
    """How to reach the two servers, by connection strings of any of their databases, and where lakes go."""

    ours: str
    theirs: str
    folder: Path
    shrink_runs: int

    def dsn(self, dbname: str) -> str:
        """Of a database on our side."""
        return psycopg.conninfo.make_conninfo(self.ours, dbname=dbname)


class PostgresAgain:
    """PostgreSQL as our side: the same server with other database names."""

    def __init__(self, server: ExternalServer) -> None:
        self._server = server

    def dsn(self, dbname: str) -> str:
        return self._server.dsn(f"{dbname}_again")


@dataclass(frozen=True, slots=True)
class Outcome:
    """``difference`` is in words, with the smallest workload found to show it; ``hang`` tells who did not answer."""

    coverage: Coverage = field(default_factory=Coverage)
    difference: str = ""
    hang: str = ""
    died: bool = False
    """The process ended: the outcome has nothing else."""


class Comparer:
    """A process that compares one workload after another; a new one follows one that died."""

    def __init__(self, place: Place) -> None:
        self._place = place
        self._started = 0
        self._process: BaseProcess | None = None
        self._pipe: Connection | None = None

    def compare(self, workload: Workload) -> Outcome:
        if self._process is None or self._pipe is None:
            self._pipe, far_end = _SPAWN.Pipe()
            prefix = f"w{self._started}x"
            self._process = _SPAWN.Process(target=_work, args=(self._place, prefix, far_end), daemon=True)
            self._process.start()
            far_end.close()
            self._started += 1
        self._pipe.send(workload)
        try:
            outcome: Outcome = self._pipe.recv()
        except EOFError:
            outcome = Outcome(died=True)
        if outcome.died or outcome.hang:
            self.close()
        return outcome

    def close(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.join()
        self._process = None


def _work(place: Place, prefix: str, pipe: Connection) -> None:
    theirs = ExternalServer(place.theirs)
    run = Runner(place if place.ours else PostgresAgain(theirs), theirs, place.folder, prefix)
    while True:
        try:
            workload = pipe.recv()
        except EOFError:
            return
        try:
            pipe.send(_compared(run, workload, place.shrink_runs))
        except Hang as hang:
            pipe.send(Outcome(hang=str(hang)))
            os._exit(1)  # a thread still waits for its answer


def _compared(run: Runner, workload: Workload, shrink_runs: int) -> Outcome:
    coverage = Coverage()
    coverage.add(workload)
    found = run.difference(workload, coverage=coverage)
    return Outcome(coverage, _reproduction(run, found, workload, shrink_runs) if found else "")


def _reproduction(run: Runner, found: Difference, whole: Workload, runs_max: int) -> str:
    """The difference and the smallest workload that was found to show it."""

    def same(candidate: Workload) -> bool:
        difference = run.difference(candidate)
        return difference is not None and difference.what == found.what

    small = shrunk(whole, same, runs_max)
    return f"{run.difference(small) or found}\n\n{small}\n"
