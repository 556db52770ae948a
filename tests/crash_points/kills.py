"""kill -9 at moments chosen inside commits: a server on a local folder, under writers that commit all the time."""

from __future__ import annotations

import random
import re
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import psycopg

from tests.servers import RockLakeServer

WRITERS = 4
PARTS = 3
COMMITS_BEFORE_KILL_MAX = 12
DELAY_SECONDS_MAX = 0.0006
"""After a commit's start; most take longer than that."""
_COMMIT = re.compile(r"commit (\d+) (begins|is durable)")


@dataclass
class Writer:
    """Commits one number after another, with a row in one relation and ``PARTS`` rows in another."""

    first: int
    tried: list[int] = field(default_factory=list)
    acknowledged: list[int] = field(default_factory=list)

    def run(self, dsn: str) -> None:
        try:
            with psycopg.connect(dsn, autocommit=True) as connection:
                while True:
                    number = self.first + WRITERS * len(self.tried)
                    self.tried.append(number)
                    parts = ", ".join(f"({number}, {part})" for part in range(PARTS))
                    connection.execute(f"BEGIN; INSERT INTO numbers VALUES ({number})")
                    connection.execute(f"INSERT INTO parts VALUES {parts}")
                    connection.execute("COMMIT")
                    self.acknowledged.append(number)
        except psycopg.OperationalError:
            pass  # the server was killed


@dataclass
class Figures:
    """What the kills came to."""

    kills: int = 0
    in_a_commit: int = 0
    acknowledged: int = 0
    landed_unanswered: int = 0
    problems: list[str] = field(default_factory=list)


class Log:
    """The server's log file, read as it grows."""

    def __init__(self, path: Path) -> None:
        self._file = path.open(errors="replace")
        self._file.seek(0, 2)
        self._rest = ""

    def lines(self) -> Iterator[str]:
        """The whole lines that came since the last call."""
        *lines, self._rest = (self._rest + self._file.read()).split("\n")
        yield from lines

    def close(self) -> None:
        self._file.close()


def kill_in_commits(folder: Path, kills: int, seed: int) -> Figures:
    """Starts, kills and checks a server ``kills`` times."""
    moments = random.Random(seed)
    figures = Figures()
    server = RockLakeServer(f"file://{folder}/store", logs=folder, log_level="debug")
    try:
        server.start()
        with psycopg.connect(server.dsn("kills"), autocommit=True) as connection:
            connection.execute("CREATE TABLE numbers(number BIGINT PRIMARY KEY)")
            connection.execute("CREATE TABLE parts(number BIGINT, part BIGINT)")
        first = 0
        for _ in range(kills):
            first = _one_round(server, moments, figures, first)
        _check_everything(server.dsn("kills"), figures)
    finally:
        server.kill()
    return figures


def _one_round(server: RockLakeServer, moments: random.Random, figures: Figures, first: int) -> int:
    """Returns a number above all that were tried."""
    dsn = server.dsn("kills")
    writers = [Writer(first + offset) for offset in range(WRITERS)]
    threads = [threading.Thread(target=writer.run, args=(dsn,)) for writer in writers]
    log = Log(server.log_path)
    for thread in threads:
        thread.start()
    _wait_for_a_commit(log, moments.randint(1, COMMITS_BEFORE_KILL_MAX))
    time.sleep(moments.uniform(0, DELAY_SECONDS_MAX))
    server.kill()
    for thread in threads:
        thread.join(30)
        assert not thread.is_alive(), "a client hangs on a dead server"
    figures.kills += 1
    figures.in_a_commit += _was_in_a_commit(server.log_path)
    log.close()
    server.start()
    _check(dsn, writers, first, figures)
    return max(writer.tried[-1] for writer in writers if writer.tried) + WRITERS


def _wait_for_a_commit(log: Log, number: int) -> None:
    """Returns right after the start of the ``number``-th commit from now."""
    deadline = time.monotonic() + 30
    while True:
        for line in log.lines():
            number -= (found := _COMMIT.search(line)) is not None and found[2] == "begins"
            if not number:
                return
        assert time.monotonic() < deadline, "the writers commit nothing"
        time.sleep(0.0001)


def _was_in_a_commit(log: Path) -> bool:
    """Whether the log ends between a commit's start and its end."""
    *_, last = _COMMIT.finditer(log.read_text(errors="replace"))
    return last[2] == "begins"


def _check(dsn: str, writers: list[Writer], first: int, figures: Figures) -> None:
    """All that was acknowledged is there, and of each writer at most the one commit more that it was waiting for."""
    with psycopg.connect(dsn, autocommit=True) as connection:
        numbers = {number for (number,) in connection.execute(f"SELECT number FROM numbers WHERE number >= {first}")}
        parts = sorted(connection.execute(f"SELECT number, part FROM parts WHERE number >= {first}").fetchall())
    acknowledged = {number for writer in writers for number in writer.acknowledged}
    pending = {writer.tried[-1] for writer in writers if len(writer.tried) > len(writer.acknowledged)}
    figures.acknowledged += len(acknowledged)
    figures.landed_unanswered += len(numbers - acknowledged)
    if lost := acknowledged - numbers:
        figures.problems.append(f"kill {figures.kills}: lost {sorted(lost)}")
    if made_up := numbers - acknowledged - pending:
        figures.problems.append(f"kill {figures.kills}: never asked for: {sorted(made_up)}")
    if parts != [(number, part) for number in sorted(numbers) for part in range(PARTS)]:
        figures.problems.append(f"kill {figures.kills}: half a commit, or one applied twice")


def _check_everything(dsn: str, figures: Figures) -> None:
    """Nothing that was found after one kill is gone after a later one."""
    with psycopg.connect(dsn, autocommit=True) as connection:
        numbers = connection.execute("SELECT count(*) FROM numbers").fetchall()
        parts = connection.execute("SELECT count(*) FROM parts").fetchall()
    expected = figures.acknowledged + figures.landed_unanswered
    if (numbers, parts) != ([(expected,)], [(PARTS * expected,)]):
        figures.problems.append(f"at the end: {numbers} commits with {parts} parts, not {expected}")
