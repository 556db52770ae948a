"""Runs workloads on two servers at once and tells the first difference."""

from __future__ import annotations

import itertools
import shutil
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Protocol, TypeVar

from tests.differential.coverage import Coverage
from tests.differential.sides import Answer, Side
from tests.differential.statements import Statement, Workload
from tests.e2e.catalog_diff import differences
from tests.servers import ExternalServer

SECONDS_MAX = 90.0
"""For one statement, or for opening all clients."""
SHOWN_CHARACTERS_MAX = 4000
T = TypeVar("T")


class HasDatabases(Protocol):
    """A server, as far as a runner needs one."""

    def dsn(self, dbname: str) -> str:
        """The libpq connection string of one database."""
        ...


class Hang(RuntimeError):
    """A side did not answer in time; the run cannot go on."""


@dataclass(frozen=True, slots=True)
class Difference:
    """How the sides differ; ``what`` names the statement, or the relations when only the catalogs differ."""

    what: str
    lines: tuple[str, ...]

    def __str__(self) -> str:
        return "\n".join([f"differs: {self.what}", *self.lines])[:SHOWN_CHARACTERS_MAX]


@dataclass
class Runner:
    """Two servers, a folder for their lakes, and what happened so far."""

    ours: HasDatabases
    theirs: ExternalServer
    folder: Path
    prefix: str = "w"
    """Of the databases' names: two runners on the same servers need different ones."""
    _numbers: Iterator[int] = field(default_factory=itertools.count)

    def difference(
        self, workload: Workload, plant: Callable[[Side], None] = lambda side: None, coverage: Coverage | None = None
    ) -> Difference | None:
        """The first difference, None when there is none; ``plant`` may spoil our side before catalogs are compared.

        ``coverage`` hears of PostgreSQL's answers. Raises Hang, naming the statement.
        """
        with self._sides(workload) as pair:
            for statement in workload.statements:
                here, there = pair.both(partial(Side.answer, statement=statement), str(statement))
                if coverage is not None:
                    coverage.answered(statement, there.error if there.rows is None else None)
                if here != there and not there.locked_out:
                    return _answers_differ(statement, here, there)
                if there.is_the_end:
                    break
            plant(pair.ours)
            found = differences(*pair.both(Side.catalog, "reading the catalog"))
            if found:
                relations = sorted({line.split(": ")[0] for line in found})
                return Difference(", ".join(relations), tuple(found))
            return None

    @contextmanager
    def _sides(self, workload: Workload) -> Iterator[_Pair]:
        """Two sides on fresh databases, with the workload's clients open."""
        name = f"{self.prefix}{next(self._numbers)}"
        folder = self.folder / name
        ours, theirs = (Side(server.dsn(name), folder / which, workload.options)
                        for which, server in (("ours", self.ours), ("pgsql", self.theirs)))  # fmt: skip
        pair = _Pair(ours, theirs, ThreadPoolExecutor(2))
        try:
            pair.both(lambda side: side.open(workload.clients), "ATTACH")
            yield pair
            pair.both(Side.close, "closing")
            self.theirs.drop(name)
        finally:
            pair.pool.shutdown(wait=False, cancel_futures=True)
            shutil.rmtree(folder, ignore_errors=True)


@dataclass(frozen=True, slots=True)
class _Pair:
    """The two sides, and a thread for each."""

    ours: Side
    theirs: Side
    pool: ThreadPoolExecutor

    def both(self, ask: Callable[[Side], T], what: str) -> tuple[T, T]:
        """What the two say, asked at the same time."""
        answers: list[T] = []
        futures = [self.pool.submit(ask, side) for side in (self.ours, self.theirs)]
        for name, future in zip(("our", "PostgreSQL's"), futures, strict=True):
            try:
                answers.append(future.result(SECONDS_MAX))
            except TimeoutError:
                raise Hang(f"{name} side gave no answer in {SECONDS_MAX:.0f} s: {what}") from None
        return answers[0], answers[1]


def _answers_differ(statement: Statement, here: Answer, there: Answer) -> Difference:
    lines = [f"ours       {line}" for line in here.lines(there)] + [f"PostgreSQL {line}" for line in there.lines(here)]
    return Difference(statement.sql, tuple(lines))
